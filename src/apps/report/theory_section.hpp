// A card per theory claim: what it says in words, what the checker said, which steps rest on
// somebody's word, and where its proof is (proof_links.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

// The id of the card of the number-th theory input, from 1.
std::string theory_anchor(std::size_t number);

// How many steps of the accepted certificates the checkers verify again, and how many they take on
// somebody's word, by whose.
struct Trust {
  std::size_t reverified = 0;
  std::map<std::string, std::size_t> taken;
};
Trust trust_of(const std::vector<const Input*>& inputs);

// The section, "" for no inputs. Precondition: certificates are objects of kind "theory".
// SP1202: an accepted certificate is not of the form the checker accepts.
exact::Result<std::string> theory_section(const std::vector<const Input*>& inputs,
                                          const Options& options);

}  // namespace sinkproof::report
