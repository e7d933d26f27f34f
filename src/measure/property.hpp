// One entry of a vector certificate (VECTOR_RULES.md, 6.1): what is stated and why it is so. The
// checker verifies it; nothing here is believed.
#pragma once

#include "json/strict.hpp"
#include "measure/min_norm_point.hpp"

namespace sinkproof::measure {

struct Property {
  json::Value statement;
  json::Value evidence;
};

// [[k, whole], ...], zeros left out.
json::Value sparse_json(const Combination<exact::Integer>& combination);

}  // namespace sinkproof::measure
