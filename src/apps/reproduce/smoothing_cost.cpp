#include "reproduce/smoothing_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

#include "accept/accept.hpp"
#include "certificate/vectors.hpp"
#include "estimate/saved_rows.hpp"
#include "measure/identity_cost.hpp"
#include "measure/vectors.hpp"
#include "measure/weigh.hpp"
#include "output/safetensors.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::reproduce {
namespace {

using exact::fail;
using exact::Rational;
using exact::Result;

// The first rows of different tokens: equal rows cannot be told apart by any score.
std::vector<std::size_t> different_rows(const std::vector<std::size_t>& sequence,
                                        std::size_t count) {
  std::vector<std::size_t> rows;
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i < sequence.size() && rows.size() < count; ++i) {
    if (seen.insert(sequence[i]).second) rows.push_back(i);
  }
  return rows;
}

std::string tensor_name(std::size_t layer) { return fmt::format("layers.{}.normed", layer); }

// Of one thread, so that the same rows come out each time.
Result<std::string> normed_rows(const language::Model& model,
                                const std::vector<std::size_t>& sequence, std::size_t count) {
  auto all = estimate::saved_rows(model, sequence, 1);
  if (!all) return tl::unexpected(all.error());
  const std::vector<std::size_t> rows = different_rows(sequence, count);
  safetensors::Contents kept;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    safetensors::Tensor& tensor = kept.tensors[tensor_name(l)] = all->tensors.at(tensor_name(l));
    const std::size_t bytes = tensor.shape[1] * sizeof(double);
    std::string chosen;
    for (const std::size_t row : rows) chosen += tensor.bytes.substr(row * bytes, bytes);
    tensor.shape[0] = rows.size();
    tensor.bytes = std::move(chosen);
  }
  return output::serialize(kept);
}

// What giving back the rows of a layer but the first costs.
Result<measure::IdentityCost> cost_of_identity(const measure::NamedFile& file, std::size_t layer) {
  const auto tokens = measure::read_tokens(file, tensor_name(layer));
  if (!tokens) return tl::unexpected(tokens.error());
  std::vector<std::size_t> others(tokens->rows.rows() - 1);
  std::iota(others.begin(), others.end(), 1);
  return measure::identity_cost(tokens->rows, others);
}

void add_costs(const report::Input& input, std::size_t layer, const measure::IdentityCost& identity,
               std::vector<LayerCost>& costs) {
  if (!accept::shows_bounds(input.outcome)) return;
  for (const auto& property : certificate::read_vectors(input.certificate).properties) {
    const auto* cost = std::get_if<certificate::Cost>(&property);
    if (cost == nullptr) continue;
    const bool is_sink = cost->pattern.kind == certificate::PatternKind::kSinkA;
    if (is_sink) costs.push_back({layer, "sink", cost->cost, identity.mlp});
    if (!is_sink) costs.push_back({layer, "diagonal", cost->cost, {identity.map, identity.map}});
  }
}

}  // namespace

Result<std::vector<LayerCost>> smoothing_costs(RunFolder& folder, const std::string& name,
                                               const language::Model& model,
                                               const std::vector<std::size_t>& sequence,
                                               std::size_t count, double seconds) {
  const auto rows = normed_rows(model, sequence, count);
  if (!rows) return tl::unexpected(rows.error());
  const std::string file = name + ".normed.safetensors";
  if (auto written = folder.update(file, *rows); !written) return tl::unexpected(written.error());
  const auto stored = measure::named_file(file, *rows);
  if (!stored) return tl::unexpected(stored.error());
  std::vector<LayerCost> costs;
  for (std::size_t l = 0; l < model.layers.size() && !folder.interrupted(); ++l) {
    const json::Value input = {
        {"head", nullptr}, {"sha256", stored->sha256}, {"tensor", tensor_name(l)}};
    const auto is_of = [&](const json::Value& value, const std::string& claim_hash) {
      return value.is_object() && value.value("claim_sha256", json::Value()) == claim_hash &&
             value.value("input", json::Value()) == input;
    };
    const auto make = [&](const std::string& claim_hash) -> Result<json::Value> {
      measure::WeighRequest request;
      request.file = folder.path(file).string();
      request.tensor = tensor_name(l);
      request.pattern.kinds = {"sink-A", "diagonal"};
      request.seconds = seconds;
      auto weighing = measure::weigh(
          request, claim_hash, accept::ask_about_vectors, [&](const std::string& pattern, double) {
            folder.tell(fmt::format("{}: cost of {} in layer {}", name, pattern, l),
                        static_cast<double>(l) / static_cast<double>(model.layers.size()));
          });
      if (!weighing) return tl::unexpected(weighing.error());
      if (weighing->certificate.is_null()) {
        return fail("SP1612", request.file, weighing->answers.front().reason);
      }
      return std::move(weighing->certificate);
    };
    const auto found =
        folder.certificate(fmt::format("{}.layer-{}.cost.json", name, l), is_of, make, "vectors");
    if (!found) return tl::unexpected(found.error());
    if (!*found) continue;
    const auto identity = cost_of_identity(*stored, l);
    if (!identity) return tl::unexpected(identity.error());
    add_costs(**found, l, *identity, costs);
  }
  return costs;
}

std::optional<Rational> margin_for_sink(const LayerCost& sink, const LayerCost& diagonal) {
  const Rational saved = diagonal.cost.lower - sink.cost.upper;
  if (saved <= 0) return std::nullopt;
  return exact::max(Rational(0), (sink.identity.upper - diagonal.identity.lower) / saved);
}

json::Value costs_json(const std::vector<LayerCost>& costs) {
  json::Value all = json::Value::array();
  constexpr unsigned kDigits = 10;
  for (const LayerCost& one : costs) {
    all.push_back({{"layer", one.layer},
                   {"pattern", one.pattern},
                   {"lower", rounded::decimal_down(one.cost.lower, kDigits)},
                   {"upper", rounded::decimal_up(one.cost.upper, kDigits)},
                   {"identity_lower", rounded::decimal_down(one.identity.lower, kDigits)},
                   {"identity_upper", rounded::decimal_up(one.identity.upper, kDigits)}});
    const auto diagonal = std::find_if(costs.begin(), costs.end(), [&](const LayerCost& other) {
      return other.layer == one.layer && !other.is_sink();
    });
    if (!one.is_sink() || diagonal == costs.end()) continue;
    if (const auto margin = margin_for_sink(one, *diagonal)) {
      all.back()["sink_cheaper_from_margin"] = rounded::decimal_up(*margin, kDigits);
    }
  }
  return all;
}

}  // namespace sinkproof::reproduce
