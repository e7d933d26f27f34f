#include "cli/witness_file.hpp"

#include "cli/digits.hpp"
#include "output/safetensors.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::cli {

bool is_attained(const certify::Property& property, bool lower) {
  return property.witness && claim::is_attained(property.name, lower);
}

const certify::Decision* refuted_by_input(const std::vector<certify::Decision>& decisions,
                                          const certify::Certification& certification) {
  for (const certify::Decision& decision : decisions) {
    const certify::Property& property = certification.properties[decision.property];
    if (decision.verdict == claim::Verdict::kRefuted &&
        is_attained(property, decision.refuted_from_below(property))) {
      return &decision;
    }
  }
  return nullptr;
}

exact::Result<void> write_witness(const std::string& path, const certify::Decision& decision,
                                  const certify::Property& property,
                                  const model::AttentionModel& model) {
  const certify::Witness& witness = *property.witness;
  std::vector<double> values;
  bool exact = true;
  for (const auto& token : witness.tokens) {
    for (const exact::Rational& x : token) {
      values.push_back(rounded::to_double_estimate(x));
      exact = exact && rounded::from_double(values.back()) == x;
    }
  }
  safetensors::Contents contents;
  contents.tensors["tokens"] =
      output::float64_tensor({1, witness.tokens.size(), model.d_model}, values);
  contents.metadata = {{"asked", decision.requirement.text},
                       {"property", property.name},
                       {"lower", rounded::decimal_down(*property.lower, kDigits)},
                       {"upper", rounded::decimal_up(*property.upper, kDigits)},
                       {"row", std::to_string(witness.row)},
                       {"coordinate", std::to_string(witness.coordinate)},
                       {"trigger", std::to_string(witness.trigger)},
                       {"model_sha256", model.sha256},
                       {"exact", exact ? "true" : "false"}};
  return output::write(path, contents);
}

}  // namespace sinkproof::cli
