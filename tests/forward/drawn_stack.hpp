// Small drawn stacks, sequences of the box, and what the forward pass gives on them against bounds
// over the box.
#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "forward/box_pass.hpp"
#include "forward/pass.hpp"

namespace sinkproof::test {

using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

inline constexpr unsigned kBits = 128;
inline constexpr std::size_t kWidth = 5;

// One head whose maps are all 0.
inline forward::AttentionBlock zero_block(certificate::Attention attention, bool residual) {
  const forward::Affine zero{RationalMatrix(kWidth, kWidth), std::vector<Rational>(kWidth)};
  return {certificate::kind_of(attention), 1, 1, residual, zero, zero, zero, zero, {}, {}};
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Rational number(std::int64_t most) {
    return exact::make_rational(static_cast<std::int64_t>(below(2 * most + 1)) - most, 16);
  }

  forward::Affine affine(std::size_t out, std::size_t in, bool bias) {
    forward::Affine map{RationalMatrix(out, in), std::vector<Rational>(out)};
    for (std::size_t i = 0; i < out; ++i) {
      for (std::size_t j = 0; j < in; ++j) map.weight(i, j) = number(12);
      if (bias) map.bias[i] = number(8);
    }
    return map;
  }

  forward::Model model(const certificate::AttentionKind& kind, std::size_t depth, bool residual) {
    return model(kind, depth, residual, 1 + below(2));
  }
  forward::Model model(const certificate::AttentionKind& kind, std::size_t depth, bool residual,
                       std::size_t heads) {
    const bool bias = below(2) == 0;
    forward::Model result;
    result.width = kWidth;
    for (std::size_t l = 0; l < depth; ++l) {
      forward::AttentionBlock block{kind,
                                    heads,
                                    exact::make_rational(2, 3),
                                    residual,
                                    affine(2 * heads, kWidth, bias),
                                    affine(2 * heads, kWidth, bias),
                                    affine(2 * heads, kWidth, bias),
                                    affine(kWidth, 2 * heads, bias),
                                    {},
                                    {}};
      for (std::size_t h = 0; kind.sinks && h < heads; ++h) block.sinks.push_back(number(30));
      if (kind.gated) block.gate = affine(heads, kWidth, true);
      result.blocks.push_back(std::move(block));
    }
    return result;
  }

  // The task's, or one interval for each coordinate, some of a single point.
  certificate::Box box() {
    if (below(2) == 0) return {};
    certificate::Box result{{}};
    for (std::size_t l = 0; l < kWidth - 3; ++l) {
      const Rational least = number(24) / 3;
      result.intervals.push_back({least, least + exact::make_rational(below(24), 16)});
    }
    return result;
  }

  // At a corner of the box, or in it.
  RationalMatrix sequence(std::size_t length, std::size_t trigger, const certificate::Box& box) {
    const bool corner = below(4) != 0;
    RationalMatrix tokens(length, kWidth);
    tokens(0, certificate::kBosFlag) = 1;
    for (std::size_t i = 1; i < length; ++i) {
      tokens(i, i + 1 == trigger ? certificate::kTriggerFlag : kWidth - 1) = 1;
      for (std::size_t c = certificate::kNoise; c + 1 < kWidth; ++c) {
        const auto& [least, greatest] = box.of(c - certificate::kNoise);
        const Rational share = corner ? Rational(below(2)) : (number(16) + 1) / 2;
        tokens(i, c) = least + share * (greatest - least);
      }
    }
    return tokens;
  }

 private:
  std::mt19937_64 random_;
};

inline std::size_t class_of(std::size_t row, std::size_t trigger) {
  return static_cast<std::size_t>(row < trigger    ? certificate::Rows::kPre
                                  : row == trigger ? certificate::Rows::kTrigger
                                                   : certificate::Rows::kPost);
}

inline Rational in_units(const Integer& n) {
  return exact::make_rational(n, Integer(1) << forward::kBoxPrecision);
}

// The largest error of a row for certain.
inline Rational loss_at_least(const forward::Balls& out, const RationalMatrix& tokens,
                              std::size_t trigger, std::size_t row, bool residual) {
  Rational loss = 0;
  for (std::size_t c = 0; c < kWidth; ++c) {
    Rational aim = residual ? tokens(row - 1, c) : Rational(0);
    for (std::size_t k = 1; row == trigger && k < row; ++k) {
      aim += tokens(k, c) / Rational(row - 1);
    }
    const auto entry = forward::entry(out, row, c, kBits);
    loss = exact::max(loss, exact::max(Rational(entry.lower - aim), Rational(aim - entry.upper)));
  }
  return loss;
}

// The largest error of the trigger's row, the last, where noise is at any corner of the box
// [-1, 1].
inline Rational attained_at_corners(const forward::Model& model, std::size_t trigger, Draw& draw) {
  const forward::Prepared prepared(model);
  const std::size_t letters = (trigger - 1) * (kWidth - 3);
  Rational attained = 0;
  for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << letters); ++corner) {
    RationalMatrix tokens = draw.sequence(trigger, trigger, {});
    for (std::size_t k = 0; k < letters; ++k) {
      tokens(1 + k / (kWidth - 3), certificate::kNoise + k % (kWidth - 3)) =
          (corner >> k & 1U) != 0 ? 1 : -1;
    }
    const auto out = forward::pass(prepared, tokens, 1, kBits, {});
    REQUIRE(out.has_value());
    attained = exact::max(
        attained, loss_at_least(*out, tokens, trigger, trigger, model.blocks.front().residual));
  }
  return attained;
}

inline void require_within(const forward::Model& model, const forward::BoxRequest& request,
                           const forward::BoxBounds& bounds, Draw& draw, int trials) {
  const forward::Prepared prepared(model);
  for (int trial = 0; trial < trials; ++trial) {
    const std::size_t j =
        request.first_trigger + draw.below(request.last_trigger - request.first_trigger + 1);
    const RationalMatrix tokens = draw.sequence(request.length, j, request.box);
    const auto observe = [&](std::size_t layer, std::size_t head, std::size_t row,
                             const forward::Weights& weights) {
      if (row == 1 || class_of(row, j) > static_cast<std::size_t>(request.rows)) return;
      const auto& paid = bounds.paid[layer][head][class_of(row, j)];
      REQUIRE(paid.has_value());
      const auto within = [](const forward::Range& all, const forward::Range& one) {
        const auto found = forward::enclosure(one, kBits);
        return in_units(all.lower) <= found.upper && found.lower <= in_units(all.upper);
      };
      CHECK(within(paid->bos, weights.keys.front()));
      CHECK(within(paid->null, weights.null));
    };
    const auto out = forward::pass(prepared, tokens, 1, kBits, observe);
    REQUIRE(out.has_value());
    for (std::size_t row = 1; row <= request.length; ++row) {
      if (class_of(row, j) > static_cast<std::size_t>(request.rows)) continue;
      CHECK(loss_at_least(*out, tokens, j, row, model.blocks.front().residual) <=
            in_units(*bounds.loss[class_of(row, j)]));
    }
  }
}

// One head that pays each key the same, and returns what it reads: the mean over 1..i. With the
// residual connection the trigger's row lacks BOS's share, and rows before it are off by the mean.
inline forward::Model averaging_head() {
  forward::AttentionBlock block = zero_block(certificate::Attention::kLinear, false);
  block.query.bias[0] = 1;
  block.key = block.query;
  for (std::size_t c = 0; c < kWidth; ++c) {
    block.value.weight(c, c) = c == certificate::kBosFlag ? 0 : 1;
    block.output.weight(c, c) = 1;
  }
  return {kWidth, {block}};
}

// Its losses are exact but for rounding.
inline void require_means(const std::optional<forward::BoxBounds>& bounds, const Rational& tiny) {
  REQUIRE(bounds.has_value());
  const auto loss = [&](certificate::Rows rows) {
    return in_units(*bounds->loss[static_cast<std::size_t>(rows)]);
  };
  CHECK(loss(certificate::Rows::kTrigger) <= tiny);
  // (1/(i-1)) sum over k = 2..i of u_k: as large as 1.
  CHECK(exact::abs(loss(certificate::Rows::kPre) - 1) <= tiny);
  CHECK(exact::abs(loss(certificate::Rows::kPost) - 1) <= tiny);
}

}  // namespace sinkproof::test
