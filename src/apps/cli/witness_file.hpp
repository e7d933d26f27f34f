// The input that refutes what `sinkproof certify --require` asks, as a file that other programs
// read.
#pragma once

#include <string>
#include <vector>

#include "certify/certify.hpp"
#include "certify/requirements.hpp"
#include "exact/error.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::cli {

// The first decision that an input refutes; null if there is none.
const certify::Decision* refuted_by_input(const std::vector<certify::Decision>& decisions,
                                          const certify::Certification& certification);

// Whether an input attains the lower (or the upper) bound of a property: the lower one of losses
// and ceilings, the upper one of floors.
bool is_attained(const certify::Property& property, bool lower);

// The input as safetensors: `tokens` [1, L, d_model], F64, batch first as PyTorch has it; metadata:
// the threshold (`asked`), the property and its bounds, `row`, `coordinate` and `trigger` (rows and
// positions from 1, coordinates from 0), the model's SHA-256, and whether the numbers are `exact`
// ("false": they are the doubles nearest to the certificate's). SP0203: it cannot be written.
exact::Result<void> write_witness(const std::string& path, const certify::Decision& decision,
                                  const certify::Property& property,
                                  const model::AttentionModel& model);

}  // namespace sinkproof::cli
