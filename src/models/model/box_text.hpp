// The noise box as people write and read it: "0.5" for [-0.5,0.5], "-1..0.25" for an interval, a
// list of these with commas for one of each noise coordinate, or a certificate's `box` itself.
#pragma once

#include <cstddef>
#include <string>

#include "certificate/box.hpp"
#include "exact/error.hpp"

namespace sinkproof::model {

// Numbers are decimals or canonical p/q. SP1108, at `where`: anything else, an interval with
// nothing in it, neither one interval nor `noise` of them, or numbers too long for a certificate.
exact::Result<certificate::Box> parse_box(const std::string& text, std::size_t noise,
                                          const std::string& where);

// "[-1,1]^13", or "[-1,1] x [0,1/2]".
std::string to_string(const certificate::Box& box, std::size_t noise);

}  // namespace sinkproof::model
