// The descriptions (schema.hpp) of what a checkpoint certificate is made of, for each other.
// `whole` is the certificate they are part of: what is before them has been read.
#pragma once

#include <set>
#include <string_view>

#include "certificate/checkpoint.hpp"
#include "certificate/schema.hpp"

namespace sinkproof::certificate {

void describe(Fields& io, Trees& of, const Checkpoint& whole);

// By one of `rules`. The content of `stated` has been read.
void describe(Fields& io, Proof& of, const std::set<std::string_view>& rules,
              const Property& stated, const Checkpoint& whole);

// {least, greatest}
void describe(Fields& io, Interval& of, bool may_be_negative);

}  // namespace sinkproof::certificate
