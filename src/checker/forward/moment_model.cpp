#include "forward/moment_model.hpp"

#include <algorithm>

#include "exact/whole.hpp"

namespace sinkproof::forward {
namespace {

using exact::Rational;

// Numbers of letters of keys, over all layers.
constexpr std::size_t kMostNumbers = 120;

ContentKeys token_keys(std::size_t n, std::size_t flag, const certificate::Box& box) {
  const std::size_t noise = n - 3;
  ContentKeys keys{std::vector<Word>(n), exact::Matrix<Word>(n, noise), std::vector<Word>(n), {}};
  keys.centre[flag] = kOne;
  for (std::size_t a = 0; a < noise; ++a) {
    const std::size_t c = certificate::kNoise + a;
    const Rational centre = box.centre(a);
    const Rational radius = box.radius(a);
    keys.centre[c] = floor_word(centre);
    keys.columns(c, a) = floor_word(radius) / kScale * kScale;
    if (centre * unit(kSeriesBits) != keys.centre[c]) ++keys.remainder[c];
    if (radius * unit(kSeriesBits) != keys.columns(c, a)) keys.remainder[c] += kScale;
    keys.numbers.push_back(a);
  }
  return keys;
}

MomentModel::Letters letters_of(std::size_t n, std::size_t layers, std::size_t heads) {
  const std::size_t noise = n - 3;
  if (noise > kMostNumbers) throw TooCoarse();
  MomentModel::Letters letters;
  std::size_t next = noise + 1;
  const auto take = [&](std::size_t count) {
    const std::size_t first = next;
    next += count;
    if (next > UINT16_MAX) throw TooCoarse();
    return static_cast<Letter>(first);
  };
  letters.fresh = take(layers * heads * n);
  letters.own = take(kMostNumbers);
  letters.trigger = take(layers * n);
  letters.keys.mean = take(kMostNumbers);
  letters.keys.key = take(kMostNumbers);
  letters.alphabet.walked = std::min(noise, kMostWalkedLetters);
  letters.alphabet.means = noise;
  letters.alphabet.mean = letters.keys.mean;
  letters.alphabet.columns = kMostNumbers;
  letters.alphabet.spread = take(kMostNumbers * kMostNumbers);
  return letters;
}

MomentModel::Layer layer_of(const AttentionBlock& block) {
  MomentModel::Layer layer;
  layer.residual = block.residual;
  const BoxLayer maps(block);
  for (const BoxLayer::Maps& head : maps.maps()) {
    layer.heads.push_back({fixed_map(head.query), fixed_map(head.value)});
  }
  std::vector<Word> bias;
  for (const Rational& b : block.output.bias) bias.push_back(floor_word(b));
  layer.bias = constant(bias, std::vector<Word>(bias.size(), 1));
  return layer;
}

}  // namespace

MomentModel::MomentModel(const Model& model, const certificate::Box& box)
    : kind(model.blocks.front().kind),
      width(model.width),
      noise(model.width - 3),
      letters(letters_of(model.width, model.blocks.size(), model.blocks.front().heads)),
      content(token_keys(model.width, model.width - 1, box)),
      first_trigger(token_keys(model.width, certificate::kTriggerFlag, box)) {
  std::vector<Word> flag(width);
  flag[certificate::kBosFlag] = kOne;
  bos_after = constant(flag, std::vector<Word>(width));
  for (const AttentionBlock& block : model.blocks) {
    Layer layer = layer_of(block);
    layer.bos = bos_after;
    bos_after = layer.begin(layer.bos);
    for (const FixedHead& head : layer.heads) {
      // BOS sees itself alone: of shares it has the whole.
      bos_after =
          sum(bos_after, kind.normalised ? apply(head.value, layer.bos)
                                         : weighed(kind, head, layer.bos, nullptr, {}, nullptr,
                                                   letters.keys, 2, letters.alphabet)
                                               .output);
    }
    layers.push_back(std::move(layer));
  }
}

Series token(const ContentKeys& keys, Letter first) {
  return sum(constant(keys.centre, keys.remainder), linear(keys.columns, first));
}

Series constant_part(const Series& x) {
  std::vector<Word> values;
  for (std::size_t c = 0; c < x.size; ++c) values.push_back(x.constant(c));
  return constant(values, std::vector<Word>(x.size));
}

}  // namespace sinkproof::forward
