#include "certificate/attention.hpp"
#include "cli/language_measurement.hpp"

namespace sinkproof::cli {
namespace {

using estimate::Array;

// Nested lists, as the shape says from dimension `depth` on; what is not finite is null.
json::Value nested(const Array& array, std::size_t depth, std::size_t& at) {
  if (depth == array.shape.size()) return array.values[at++];
  json::Value list = json::Value::array();
  for (std::size_t i = 0; i < array.shape[depth]; ++i) list.push_back(nested(array, depth + 1, at));
  return list;
}

json::Value nested(const Array& array) {
  std::size_t at = 0;
  return nested(array, 0, at);
}

json::Value estimates_json(const LanguageMeasurement& measurement) {
  const estimate::Estimates& estimates = measurement.estimates;
  json::Value all;
  for (const estimate::Readouts& sequence : estimates.readouts) {
    for (const auto& [name, array] : sequence) all[name].push_back(nested(array));
  }
  for (const auto& [share, figure] :
       {std::pair("sink-share", "alpha"), std::pair("value-sink-share", "value-alpha")}) {
    all[share] = estimate::share_above(estimates.readouts, figure, measurement.epsilon).value();
  }
  json::Value moved = json::Value::object();
  for (std::size_t v = 0; v < estimates.moved.size(); ++v) {
    json::Value& curves = moved[measurement.request.interventions[v].name];
    for (const Array& curve : estimates.moved[v]) curves.push_back(nested(curve));
  }
  if (!moved.empty()) all["moved"] = std::move(moved);
  return all;
}

}  // namespace

json::Value language_json(const LanguageMeasurement& measurement) {
  const language::Config& config = measurement.model.config;
  json::Value sequences = measurement.request.sequences;
  json::Value value = {{"schema", 1},
                       {"kind", "language"},
                       {"arithmetic", "estimates in float64"},
                       {"architecture", config.architecture->model_type},
                       {"attention", certificate::to_string(config.attention)},
                       {"layers", config.layers},
                       {"heads", config.heads},
                       {"key_heads", config.key_heads},
                       {"files", measurement.files},
                       {"tokens", measurement.tokens},
                       {"sequences", std::move(sequences)},
                       {"position", measurement.request.position},
                       {"epsilon", exact::to_string(measurement.epsilon)},
                       {"estimates", estimates_json(measurement)}};
  if (!config.assumed_neutral.empty()) value["assumed_neutral"] = config.assumed_neutral;
  const std::string remarks = measurement.model.remarks();
  if (!remarks.empty()) value["remarks"] = remarks;
  if (!measurement.texts.empty()) value["texts"] = measurement.texts;
  return value;
}

}  // namespace sinkproof::cli
