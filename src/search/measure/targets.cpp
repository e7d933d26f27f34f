#include "measure/targets.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "exact/decimal.hpp"
#include "measure/forward.hpp"

namespace sinkproof::measure {
namespace {

using exact::fail;
using exact::Result;

Result<std::unique_ptr<NamedFile>> open(const std::string& path) {
  auto file = read_file(path);
  if (!file) return tl::unexpected(file.error());
  return std::make_unique<NamedFile>(std::move(*file));
}

std::optional<std::string> metadata(const NamedFile& file, const std::string& key) {
  const auto found = file.contents.metadata.find(key);
  if (found == file.contents.metadata.end()) return std::nullopt;
  return found->second;
}

Result<exact::Rational> residual_coefficient(const RunRequest& request,
                                             const std::optional<bool>& residual, bool needed) {
  if (!request.beta.empty()) {
    auto beta = exact::parse_rational(request.beta);
    if (!beta) beta = exact::parse_decimal(request.beta);
    if (beta) return *beta;
    return fail("SP1509", "--beta " + request.beta.substr(0, 40),
                "must be a rational such as 1/2 or a decimal");
  }
  if (!residual && needed) {
    return fail("SP1507", "--beta",
                "is needed for smoothing, because the model's metadata has no residual; give "
                "--beta 1 or --beta 0");
  }
  return exact::Rational(residual.value_or(false) ? 1 : 0);
}

bool asks(const std::vector<Kind>& kinds, Kind kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// One target for each head of a layer that was asked for.
Result<void> add_heads(const RunRequest& request, const std::vector<Kind>& kinds, std::size_t layer,
                       std::size_t heads, const Tokens& tokens, Targets& targets) {
  const std::size_t first = request.head.value_or(0);
  const std::size_t last = request.head ? first + 1 : heads;
  for (std::size_t head = first; head < last; ++head) {
    auto read = read_head(*targets.model, {layer, heads, head});
    if (!read) return tl::unexpected(read.error());
    targets.list.push_back(
        {{layer, head},
         kinds,
         {targets.input.get(), tokens, targets.length, targets.model.get(), std::move(*read)}});
  }
  return {};
}

Result<std::size_t> heads_of(const RunRequest& request, const NamedFile& model) {
  if (request.heads) return *request.heads;
  const auto text = metadata(model, "num_heads");
  if (!text) return 1;
  for (std::size_t heads = 1; heads <= kMaxHeads; ++heads) {
    if (*text == std::to_string(heads)) return heads;
  }
  return fail("SP1102", model.path + ": metadata num_heads",
              "is not a whole number from 1 to 1024");
}

Result<void> add_model(const RunRequest& request, const std::vector<Kind>& kinds,
                       const Tokens& tokens, Targets& targets) {
  auto model = open(request.model);
  if (!model) return tl::unexpected(model.error());
  targets.model = std::move(*model);
  if (!request.layer && layer_prefix(*targets.model, 1)) {
    return fail(
        "SP1507", "--layer",
        "is needed, because the model has several layers; give the layer that reads these rows");
  }
  std::optional<bool> residual;
  if (const auto text = metadata(*targets.model, "residual")) residual = *text == "true";
  auto beta = residual_coefficient(request, residual, asks(kinds, Kind::kSmoothing));
  if (!beta) return tl::unexpected(beta.error());
  targets.beta = *beta;
  const auto heads = heads_of(request, *targets.model);
  if (!heads) return tl::unexpected(heads.error());
  return add_heads(request, kinds, request.layer.value_or(0), *heads, tokens, targets);
}

// Rows of a file, alone or read by the heads of a layer.
Result<Targets> stored_targets(const RunRequest& request, const std::vector<Kind>& kinds) {
  Targets targets;
  auto input = open(request.file);
  if (!input) return tl::unexpected(input.error());
  targets.input = std::move(*input);
  const auto tokens = read_tokens(*targets.input, request.tensor);
  if (!tokens) return tl::unexpected(tokens.error());
  const auto length = sequence_length(request.length, tokens->rows.rows());
  if (!length) return tl::unexpected(length.error());
  targets.length = *length;
  targets.layers = {average_cosine(tokens->rows, targets.length)};
  if (request.model.empty()) {
    targets.list.push_back(
        {{}, kinds, {targets.input.get(), *tokens, targets.length, nullptr, {}}});
    return targets;
  }
  if (auto added = add_model(request, kinds, *tokens, targets); !added) {
    return tl::unexpected(added.error());
  }
  return targets;
}

std::map<std::string, std::string> provenance(const RunRequest& request,
                                              const model::AttentionModel& model,
                                              std::size_t length) {
  std::map<std::string, std::string> words = {{"rows", "the nearest doubles of the model's own"},
                                              {"model", model.sha256},
                                              {"length", std::to_string(length)}};
  if (request.random != 0) {
    words["generator"] = kRandomGenerator;
    words["seed"] = std::to_string(request.seed);
    words["sequences"] = std::to_string(request.random);
  }
  return words;
}

Result<std::unique_ptr<NamedFile>> run_forward(const RunRequest& request,
                                               const model::AttentionModel& model,
                                               std::size_t& length) {
  const auto tokens = read_token_rows(request.source(), model, kMaxTokens);
  if (!tokens) return tl::unexpected(tokens.error());
  length = tokens->length;
  const std::string path = request.save_inputs.empty() ? "the forward pass" : request.save_inputs;
  auto input = stack_inputs(model, tokens->rows, length, provenance(request, model, length), path);
  if (!input) return tl::unexpected(input.error());
  return std::make_unique<NamedFile>(std::move(*input));
}

// The inputs of one layer, as rows and as read by its heads.
Result<void> add_layer(const RunRequest& request, const model::AttentionModel& model,
                       const std::vector<Kind>& kinds, std::size_t layer, Targets& targets) {
  const auto tokens = read_tokens(*targets.input, "layers." + std::to_string(layer) + ".input");
  if (!tokens) return tl::unexpected(tokens.error());
  targets.layers.push_back(average_cosine(tokens->rows, targets.length));
  if (request.layer && *request.layer != layer) return {};
  std::vector<Kind> of_rows;
  for (const Kind kind : kinds) {
    if (!applies(kind, true)) of_rows.push_back(kind);
  }
  if (!of_rows.empty()) {
    targets.list.push_back({{layer, std::nullopt},
                            of_rows,
                            {targets.input.get(), *tokens, targets.length, nullptr, {}}});
  }
  if (of_rows.size() == kinds.size()) return {};
  return add_heads(request, kinds, layer, model.num_heads, *tokens, targets);
}

// A model run forward: its layers' inputs.
Result<Targets> forward_targets(const RunRequest& request, const std::vector<Kind>& kinds) {
  auto file = open(request.file);
  if (!file) return tl::unexpected(file.error());
  const auto model = read_model(request, (*file)->bytes);
  if (!model) return tl::unexpected(model.error());
  if (request.layer && *request.layer >= model->layers.size()) {
    return fail("SP1504", request.file,
                "no layer " + std::to_string(*request.layer) + " of " +
                    std::to_string(model->layers.size()));
  }
  Targets targets;
  auto beta = residual_coefficient(request, model->residual, false);
  if (!beta) return tl::unexpected(beta.error());
  targets.beta = *beta;
  targets.scale = model->scale;
  targets.model = std::move(*file);
  auto input = run_forward(request, *model, targets.length);
  if (!input) return tl::unexpected(input.error());
  targets.input = std::move(*input);
  for (std::size_t layer = 0; layer < model->layers.size(); ++layer) {
    if (auto added = add_layer(request, *model, kinds, layer, targets); !added) {
      return tl::unexpected(added.error());
    }
  }
  const auto outputs = read_tokens(*targets.input, "output");
  if (!outputs) return tl::unexpected(outputs.error());
  targets.layers.push_back(average_cosine(outputs->rows, targets.length));
  return targets;
}

}  // namespace

bool RunRequest::names(const std::string& property) const {
  return std::find(properties.begin(), properties.end(), property) != properties.end();
}

std::string Place::text() const {
  if (!layer) return "rows";
  std::string result = "layer " + std::to_string(*layer);
  if (head) result += " head " + std::to_string(*head);
  return result;
}

Result<model::AttentionModel> read_model(const RunRequest& request, std::string_view bytes) {
  model::Overrides overrides;
  if (request.length != 0) overrides.length = request.length;
  if (!request.attention.empty()) overrides.attention = request.attention;
  overrides.num_heads = request.heads;
  if (!request.scale.empty()) overrides.scale = request.scale;
  return model::read(bytes, request.file, overrides);
}

Result<Targets> read_targets(const RunRequest& request, const std::vector<Kind>& kinds) {
  return request.forward() ? forward_targets(request, kinds) : stored_targets(request, kinds);
}

}  // namespace sinkproof::measure
