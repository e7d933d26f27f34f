// One entry of a vector certificate (VECTOR_RULES.md, 6.1): what is stated and why it is so; and
// the certificate of several. The checker verifies it; nothing here is believed.
#pragma once

#include <string>
#include <vector>

#include "certificate/vectors.hpp"
#include "json/strict.hpp"
#include "measure/min_norm_point.hpp"

namespace sinkproof::measure {

using Property = certificate::VectorProperty;

// States each of the properties once; null where there are none. `claim_hash` is that of
// proofs/vectors.
json::Value vector_certificate(const certificate::VectorSource& source,
                               const std::string& claim_hash,
                               const std::vector<const Property*>& properties);

// Zeros left out.
certificate::Combination terms_of(const Combination<exact::Integer>& combination);

}  // namespace sinkproof::measure
