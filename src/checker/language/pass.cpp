#include "language/pass.hpp"

#include <algorithm>
#include <string>

#include "language/model_pass.hpp"

namespace sinkproof::language {
namespace {

using forward::Balls;

exact::Result<void> refuse(const std::string& what) {
  return exact::fail("SP2006", "tokens", what);
}

}  // namespace

exact::Result<void> check_request(const Model& model, const TokenIds& tokens,
                                  const Intervention& intervention) {
  const Config& config = model.config;
  if (tokens.empty()) return refuse("must hold at least one token");
  for (const std::uint32_t id : tokens) {
    if (id >= model.vocabulary()) {
      return refuse("id " + std::to_string(id) + " is beyond the vocabulary of " +
                    std::to_string(model.vocabulary()));
    }
  }
  const std::size_t most = std::min(kMostPositions, model.positions().value_or(kMostPositions));
  if (tokens.size() > most) {
    return refuse("a sequence of " + std::to_string(tokens.size()) +
                  " is longer than the number of positions, " + std::to_string(most));
  }
  if (config.architecture->bidirectional && intervention.any()) {
    return refuse("an encoder has no cache, so --evict and --ablate do not apply; leave them out");
  }
  if (intervention.eviction && intervention.eviction->window == 0) {
    return refuse("the window of an eviction must be at least 1");
  }
  for (const auto& [layer, head] : intervention.ablated) {
    if (layer >= config.layers || head >= config.heads) {
      return refuse("the model has no layer " + std::to_string(layer) + " with a head " +
                    std::to_string(head) + " to ablate; layers and heads count from 0");
    }
  }
  return {};
}

std::optional<Balls> pass(const Model& model, const TokenIds& tokens,
                          const Intervention& intervention, unsigned p, const Observer& observer,
                          const ForEach& each) try {
  ModelBalls numbers(model.config, tokens.size(), p, each);
  ModelPass<ModelBalls> pass(numbers, model);
  const std::vector<Run<std::uint32_t>> runs = {{tokens, intervention}};
  return pass.output(pass.hidden<std::uint32_t>(runs, observer));
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

std::uint64_t pass_words(const Model& model, std::size_t tokens, unsigned p, bool kept) {
  const Config& config = model.config;
  std::uint64_t widest = std::max(config.width, config.heads * config.head_width);
  for (const Layer& layer : model.layers) {
    if (layer.mlp_in) widest = std::max<std::uint64_t>(widest, layer.mlp_in->out);
  }
  // A number is its words, four more for where they are, and of its kind there are some ten.
  const std::uint64_t layers = kept ? config.layers + 1 : 0;
  return tokens * (p / 64 + 4) * (10 * widest + 2 * tokens + layers * config.width);
}

}  // namespace sinkproof::language
