#include <cmath>

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

json::Value moments_json(const estimate::Moments& moments) {
  return {{"mean", nested(moments.mean())}, {"standard_error", nested(moments.standard_error())}};
}

// By layer and head.
json::Value counts_json(const std::vector<std::size_t>& counts, std::size_t heads) {
  json::Value rows = json::Value::array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i % heads == 0) rows.push_back(json::Value::array());
    rows.back().push_back(counts[i]);
  }
  return rows;
}

// A number, which JSON has as null where it is not finite, at a place of what is summed up.
json::Value moments_at(const estimate::Moments& moments, std::size_t at) {
  return {{"mean", moments.mean().values[at]},
          {"standard_error", moments.standard_error().values[at]}};
}

json::Value loss_json(const LanguageMeasurement& measurement) {
  const estimate::Summary& summary = measurement.estimates.summary;
  const auto loss = [&](std::size_t v) {
    json::Value value = moments_at(summary.losses, v);
    value["perplexity"] = std::exp(summary.losses.mean().values[v]);
    return value;
  };
  json::Value all = loss(0);
  all["sequences"] = summary.losses.count();
  json::Value& with = all["interventions"] = json::Value::object();
  for (std::size_t v = 0; v < measurement.request.interventions.size(); ++v) {
    json::Value& one = with[measurement.request.interventions[v].name] = loss(v + 1);
    one["change"] = moments_at(summary.loss_changes, v);
  }
  return all;
}

json::Value summary_json(const LanguageMeasurement& measurement) {
  const estimate::Summary& summary = measurement.estimates.summary;
  json::Value all = {{"sequences", summary.extent.sequences},
                     {"tokens", summary.extent.tokens},
                     {"shortest", summary.extent.shortest},
                     {"longest", summary.extent.longest},
                     {"reached", summary.reached},
                     {"largest-hidden-norm", nested(summary.largest_hidden_norm)}};
  for (const auto& [name, moments] : summary.figures) all[name] = moments_json(moments);
  for (const auto& [name, norm] : summary.norms) all[name] = nested(norm);
  for (const auto& [name, counts] : summary.above) {
    all["above"][name] = counts_json(counts, measurement.model.config.heads);
  }
  json::Value& shares = all["shares"] = json::Value::array();
  for (const estimate::Share& share : summary.shares) shares.push_back(share.above);
  json::Value& moved = all["moved"] = json::Value::object();
  for (std::size_t v = 0; v < summary.moved.size(); ++v) {
    json::Value& one = moved[measurement.request.interventions[v].name];
    one = moments_json(summary.moved[v]);
    one["largest"] = nested(summary.most_moved[v]);
  }
  if (summary.losses.count() > 0) all["loss"] = loss_json(measurement);
  return all;
}

json::Value estimates_json(const LanguageMeasurement& measurement) {
  const estimate::Estimates& estimates = measurement.estimates;
  json::Value all;
  for (const estimate::Readouts& sequence : estimates.readouts) {
    for (const auto& [name, array] : sequence) all[name].push_back(nested(array));
  }
  all["sink-share"] = estimates.summary.share("alpha").value();
  all["value-sink-share"] = estimates.summary.share("value-alpha").value();
  json::Value moved = json::Value::object();
  for (std::size_t v = 0; v < estimates.moved.size(); ++v) {
    json::Value& curves = moved[measurement.request.interventions[v].name];
    for (const Array& curve : estimates.moved[v]) curves.push_back(nested(curve));
  }
  if (!moved.empty()) all["moved"] = std::move(moved);
  for (const Array& losses : estimates.losses) {
    all["loss"].push_back(losses.values[0]);
    for (std::size_t v = 1; v < losses.values.size(); ++v) {
      all["intervention-loss"][measurement.request.interventions[v - 1].name].push_back(
          losses.values[v]);
    }
  }
  return all;
}

}  // namespace

json::Value language_json(const LanguageMeasurement& measurement) {
  const language::Config& config = measurement.model.config;
  json::Value value = {{"schema", 1},
                       {"kind", "language"},
                       {"name", measurement.name},
                       {"arithmetic", "estimates in float64"},
                       {"architecture", config.architecture->model_type},
                       {"attention", certificate::to_string(config.attention)},
                       {"layers", config.layers},
                       {"heads", config.heads},
                       {"key_heads", config.key_heads},
                       {"width", config.width},
                       {"files", measurement.files},
                       {"tokens", measurement.tokens},
                       {"position", measurement.request.position},
                       {"epsilon", exact::to_string(measurement.request.epsilon)},
                       {"summary", summary_json(measurement)},
                       {"estimates", estimates_json(measurement)}};
  if (!config.assumed_neutral.empty()) value["assumed_neutral"] = config.assumed_neutral;
  if (!measurement.remarks.empty()) value["remarks"] = measurement.remarks;
  if (!measurement.request.keep) return value;
  value["sequences"] = measurement.estimates.sequences;
  if (!measurement.texts.empty()) value["texts"] = measurement.texts;
  return value;
}

}  // namespace sinkproof::cli
