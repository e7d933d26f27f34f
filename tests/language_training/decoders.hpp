// Small decoders of every kind and mask, with weights far enough from their beginnings that every
// tensor matters, and tokens for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "language_training/named.hpp"
#include "language_training/step.hpp"

namespace sinkproof::language_training {

struct NamedDecoder {
  std::string name;
  Decoder decoder;
};

inline std::vector<NamedDecoder> small_decoders() {
  std::vector<NamedDecoder> all;
  const auto add = [&](const std::string& name, const Decoder& decoder) {
    all.push_back({std::string(decoder.kind.name) + ", " + std::string(decoder.positions.name) +
                       " positions, " + std::string(decoder.mlp.name) + ", " + name,
                   decoder});
  };
  for (const AttentionKind& kind : kAttentionKinds) {
    // Neither a whole number of panels nor of tiles.
    const Decoder small{kind, 48, 2, 3, 21};
    add("all tokens before", small);
    Decoder masked = small;
    masked.bos = true;
    masked.window = 5;
    add("BOS and a window", masked);
    masked.window = 0;
    masked.prefix = 7;
    add("BOS and a prefix", masked);
    // Whole panels of every instruction set.
    add("whole panels", Decoder{kind, 64, 1, 2, 64});
  }
  for (const char* const value : {"first-1.5", "even-4"}) {
    Decoder decoder{*find_named(kAttentionKinds, "softmax-key-bias"), 48, 2, 3, 21};
    decoder.slot_value = *parse_slot_value(value);
    add(std::string("slot value ") + value, decoder);
    decoder.window = 5;
    decoder.kind = *find_named(kAttentionKinds, "softmax-sink");
    add(std::string("a window and slot value ") + value, decoder);
  }
  for (const char* const kind : {"softmax-key-bias", "softmax-shared-key-value-bias"}) {
    Decoder decoder{*find_named(kAttentionKinds, kind), 48, 2, 3, 21};
    decoder.slot_dims = 3;
    add("3 learned coordinates of keys", decoder);
  }
  for (const char* const kind : {"softmax", "softmax-gated", "sigmoid"}) {
    Decoder decoder{*find_named(kAttentionKinds, kind), 48, 2, 3, 21};
    decoder.scale = 0.3;
    add("scaled by 0.3", decoder);
  }
  for (const PositionKind& positions : kPositionKinds) {
    // Longer than T5's exact distances; keys after their rows; a slot, which has no position.
    Decoder decoder{kAttentionKinds[0], 48, 2, 3, 37};
    decoder.positions = positions;
    add("all tokens before", decoder);
    decoder.bos = true;
    decoder.prefix = 7;
    add("BOS and a prefix", decoder);
    decoder.prefix = 0;
    decoder.window = 20;
    decoder.kind = *find_named(kAttentionKinds, "softmax-key-value-bias");
    add("BOS and a window", decoder);
    Decoder whole{*find_named(kAttentionKinds, "sigmoid"), 64, 1, 2, 64};
    whole.positions = positions;
    add("whole panels", whole);
  }
  for (const NormKind& norm : kNormKinds) {
    for (const NormPlace& place : kNormPlaces) {
      Decoder decoder{kAttentionKinds[0], 80, 3, 2, 21};
      decoder.norm = norm;
      decoder.norm_place = place;
      const std::string name = std::string(norm.name) + " norms " + std::string(place.name);
      add(name, decoder);
      decoder.kind = *find_named(kAttentionKinds, "softmax-gated");
      decoder.mlp = *find_named(kMlpKinds, "swiglu");
      add(name, decoder);
    }
  }
  for (const MlpKind& mlp : kMlpKinds) {
    Decoder decoder{kAttentionKinds[0], 80, 2, 2, 21};
    decoder.mlp = mlp;
    add("all tokens before", decoder);
    Decoder whole{kAttentionKinds[0], 64, 1, 2, 64};
    whole.mlp = mlp;
    add("whole panels", whole);
  }
  return all;
}

inline Weights perturbed_weights(const Decoder& decoder, unsigned seed) {
  Weights weights = initial_weights(decoder, seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> noise(0.0F, 0.15F);
  for (const Parameter& parameter : parameters(decoder)) {
    for (std::size_t i = 0; i < parameter.count(); ++i) {
      weights.values.data()[parameter.at + i] += noise(random);
    }
  }
  return weights;
}

inline std::vector<std::uint16_t> random_tokens(const Decoder& decoder, std::size_t sequences,
                                                unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> byte(0, 255);
  std::vector<std::uint16_t> tokens(sequences * (decoder.length + 1));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool first = i % (decoder.length + 1) == 0;
    tokens[i] = static_cast<std::uint16_t>(first && decoder.bos ? kBos : byte(random));
  }
  return tokens;
}

inline std::vector<double> as_doubles(const train::AlignedFloats& floats) {
  return {floats.data(), floats.data() + floats.size()};
}

}  // namespace sinkproof::language_training
