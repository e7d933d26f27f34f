// Bounds over the box against the forward pass: whatever a small random stack of any kind does on
// an input of the box lies within them.
#include "forward/box_pass.hpp"

#include <catch2/catch.hpp>
#include <ctime>
#include <functional>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "forward/content_rows.hpp"
#include "forward/moment_pass.hpp"
#include "forward/pass.hpp"
#include "forward/rollout.hpp"
#include "forward/row_keys.hpp"

using namespace sinkproof;
using exact::Integer;
using exact::Rational;
using exact::RationalMatrix;

namespace {

constexpr unsigned kBits = 128;
constexpr std::size_t kWidth = 5;

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

std::size_t class_of(std::size_t row, std::size_t trigger) {
  return static_cast<std::size_t>(row < trigger    ? certificate::Rows::kPre
                                  : row == trigger ? certificate::Rows::kTrigger
                                                   : certificate::Rows::kPost);
}

Rational in_units(const Integer& n) {
  return exact::make_rational(n, Integer(1) << forward::kBoxPrecision);
}

// The largest error of a row for certain.
Rational loss_at_least(const forward::Balls& out, const RationalMatrix& tokens, std::size_t trigger,
                       std::size_t row, bool residual) {
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

void require_within(const forward::Model& model, const forward::BoxRequest& request,
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

// Entry (i, 1) of the product of the layers' matrices, of the middles of the weights' ranges, for
// each row.
std::vector<Rational> rollout_of(const forward::Model& model, const RationalMatrix& tokens) {
  std::vector<std::vector<Rational>> arrives(model.blocks.size() + 1,
                                             std::vector<Rational>(tokens.rows()));
  arrives[0][0] = 1;
  const forward::Prepared prepared(model);
  const auto out = forward::pass(
      prepared, tokens, 1, kBits,
      [&](std::size_t layer, std::size_t, std::size_t row, const forward::Weights& weights) {
        for (std::size_t k = 0; k < row; ++k) {
          const auto weight = forward::enclosure(weights.keys[k], kBits);
          arrives[layer + 1][row - 1] += (weight.lower + weight.upper) / 2 * arrives[layer][k];
        }
      });
  REQUIRE(out.has_value());
  return arrives.back();
}

}  // namespace

TEST_CASE("box pass: the rollout of a stack of averaging heads lies within its bounds") {
  const Rational rounding = exact::power_of_two(-100);
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (!kind.averages()) continue;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Draw draw(seed);
      const forward::Model model = draw.model(kind, 2 + seed % 2, false, 1);
      const forward::BoxRequest request{6, 3, 6, 1 + seed % 2, 1};
      INFO(kind.name << " seed " << seed);
      const auto bounds = forward::box_bounds(model, request);
      REQUIRE(bounds.has_value());
      for (int trial = 0; trial < 60; ++trial) {
        const std::size_t j = 3 + draw.below(4);
        const auto rollout = rollout_of(model, draw.sequence(request.length, j, request.box));
        for (std::size_t row = 2; row <= request.length; ++row) {
          const forward::Range& all = *bounds->rollout[class_of(row, j)];
          CHECK(in_units(all.lower) <= rollout[row - 1] + rounding);
          CHECK(rollout[row - 1] - rounding <= in_units(all.upper));
        }
      }
    }
  }
}

// The first layer sends content rows to BOS and averages at the trigger's; in the second, rows at
// BOS look at such rows, the others at such (examples/stacks/rollout.stack.json): the rollout does
// not depend on the noise, 0 at the trigger's row and else 1, up to exp(-8).
TEST_CASE("box pass: the rollout is bounded for each position of the trigger by its own rows") {
  constexpr std::size_t kTrigger = certificate::kTriggerFlag;
  constexpr std::size_t kContent = kWidth - 1;
  forward::Affine zero{RationalMatrix(kWidth, kWidth), std::vector<Rational>(kWidth)};
  forward::AttentionBlock block{certificate::kind_of(certificate::Attention::kSoftmax),
                                1,
                                1,
                                false,
                                zero,
                                zero,
                                zero,
                                zero,
                                {},
                                {}};
  for (std::size_t c = 0; c < kWidth; ++c) {
    block.value.weight(c, c) = 1;
    block.output.weight(c, c) = 1;
  }
  block.key.weight(0, certificate::kBosFlag) = 1;
  block.key.weight(1, kTrigger) = 1;
  block.key.weight(1, kContent) = 1;
  forward::AttentionBlock second = block;
  block.query.weight(0, kContent) = 8;
  block.query.weight(1, kTrigger) = 8;
  second.query.weight(0, certificate::kBosFlag) = 8;
  second.query.weight(1, kTrigger) = 8;
  second.query.weight(1, kContent) = 8;
  const forward::Model model{kWidth, {block, second}};
  const forward::BoxRequest request{8, 3, 8, 1, 1};
  const auto bounds = forward::box_bounds(model, request);
  REQUIRE(bounds.has_value());
  Draw draw(1);
  const Rational near = exact::make_rational(1, 2000);
  for (std::size_t rows = 0; rows < forward::BoxBounds::kClasses; ++rows) {
    Rational least = 1;
    Rational most = 0;
    for (std::size_t j = 3; j <= request.length; ++j) {
      const auto rollout = rollout_of(model, draw.sequence(request.length, j, request.box));
      for (std::size_t row = 2; row <= request.length; ++row) {
        if (class_of(row, j) != rows) continue;
        least = exact::min(least, rollout[row - 1]);
        most = exact::max(most, rollout[row - 1]);
      }
    }
    INFO("class " << rows);
    const Rational lower = in_units(bounds->rollout[rows]->lower);
    const Rational upper = in_units(bounds->rollout[rows]->upper);
    CHECK(lower <= least);
    CHECK(least - lower <= near);
    CHECK(most <= upper);
    CHECK(upper - most <= near);
  }
}

TEST_CASE("box pass: no input of a stack of any kind lies outside") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
      Draw draw(seed);
      const std::size_t depth = 1 + seed % 3;
      const forward::Model model = draw.model(kind, depth, seed % 2 == 0);
      const std::size_t first = 3 + draw.below(2);
      const forward::BoxRequest request{5 + draw.below(2),
                                        first,
                                        first + draw.below(2),
                                        1 + draw.below(3),
                                        1 + draw.below(2),
                                        certificate::Rows::kPost,
                                        draw.box()};
      INFO(kind.name << " depth " << depth << " seed " << seed);
      const auto bounds = forward::box_bounds(model, request);
      if (!bounds) continue;  // an unnormalised kind's numbers may grow beyond it
      require_within(model, request, *bounds, draw, 40);
    }
  }
}

TEST_CASE("moment pass: no input of a stack of softmax attention lies outside") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  for (std::uint64_t seed = 0; seed < 28; ++seed) {
    Draw draw(seed);
    forward::Model model = draw.model(kind, 1 + seed % 3, seed % 2 == 0);
    // Weights nearly uniform, so that what is left out of first order would be seen, to far from
    // it.
    for (forward::AttentionBlock& block : model.blocks) {
      block.scale = exact::make_rational(1, std::int64_t{1} << (2 * (seed % 4)));
    }
    const std::size_t first = 3 + draw.below(3);
    const forward::BoxRequest request{first + 1 + draw.below(2),
                                      first,
                                      first + draw.below(2),
                                      2 + draw.below(3),
                                      2 + draw.below(3),
                                      certificate::Rows::kPost,
                                      draw.box()};
    INFO("seed " << seed);
    const auto bounds = forward::moment_bounds(model, request);
    if (!bounds && seed % 4 == 0) continue;  // logits so far apart that a group has no share
    REQUIRE(bounds.has_value());
    require_within(model, request, *bounds, draw, 60);
  }
}

// Values that are copied, from all tokens but BOS with nearly the same weights, are nearly the mean
// that is asked for. What is left is how logits and values go together: what is missing there, or
// of the wrong sign, shows.
TEST_CASE("moment pass: no corner of an averaging layer lies outside the bounds, which are close") {
  constexpr std::size_t kTrigger = 6;
  constexpr std::size_t kLetters = (kTrigger - 1) * (kWidth - 3);
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    const forward::Affine zero{RationalMatrix(kWidth, kWidth), std::vector<Rational>(kWidth)};
    forward::AttentionBlock block{certificate::kind_of(certificate::Attention::kSoftmax),
                                  1,
                                  exact::make_rational(1, 16),
                                  false,
                                  draw.affine(kWidth, kWidth, false),
                                  draw.affine(kWidth, kWidth, false),
                                  zero,
                                  zero,
                                  {},
                                  {}};
    for (std::size_t c = 0; c < kWidth; ++c) {
      block.value.weight(c, c) = block.output.weight(c, c) = 1;
      block.query.weight(0, c) = c == kWidth - 1 || c == certificate::kTriggerFlag ? 32 : 0;
      block.key.weight(0, c) = c == certificate::kBosFlag ? -4 : 0;
    }
    const forward::Model model{kWidth, {block}};
    const forward::BoxRequest request{kTrigger,     kTrigger, kTrigger,
                                      2 + seed % 3, 2,        certificate::Rows::kTrigger};
    const auto bounds = forward::moment_bounds(model, request);
    REQUIRE(bounds.has_value());
    const forward::Prepared prepared(model);
    Rational attained = 0;
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << kLetters); ++corner) {
      RationalMatrix tokens = draw.sequence(kTrigger, kTrigger, request.box);
      for (std::size_t k = 0; k < kLetters; ++k) {
        tokens(1 + k / 2, certificate::kNoise + k % 2) = (corner >> k & 1U) != 0 ? 1 : -1;
      }
      const auto out = forward::pass(prepared, tokens, 1, kBits, {});
      REQUIRE(out.has_value());
      attained = exact::max(attained, loss_at_least(*out, tokens, kTrigger, kTrigger, false));
    }
    const Rational bound = in_units(*bounds->loss[1]);
    INFO("seed " << seed << " attained " << attained.convert_to<double>() << " bound "
                 << bound.convert_to<double>());
    CHECK(attained <= bound);
    CHECK(bound <= attained * (request.degree == 2 ? 2 : exact::make_rational(4, 3)));
  }
}

// The second row sees BOS and itself alone: its share is the logistic function of a polynomial.
TEST_CASE("moment pass: no second row lies outside its bounds, which are not far") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    const forward::Model model = draw.model(kind, 1, seed % 2 == 0, 1);
    const forward::BoxRequest request{3, 3, 3, 4, 2 + seed % 3, certificate::Rows::kPre};
    const auto bounds = forward::moment_bounds(model, request);
    REQUIRE(bounds.has_value());
    const forward::Prepared prepared(model);
    Rational attained = 0;
    for (int u = -4; u <= 4; ++u) {
      for (int v = -4; v <= 4; ++v) {
        RationalMatrix tokens = draw.sequence(2, 3, request.box);
        tokens(1, certificate::kNoise) = exact::make_rational(u, 4);
        tokens(1, certificate::kNoise + 1) = exact::make_rational(v, 4);
        const auto out = forward::pass(prepared, tokens, 1, kBits, {});
        REQUIRE(out.has_value());
        for (std::size_t row = 1; row <= 2; ++row) {
          attained = exact::max(attained,
                                loss_at_least(*out, tokens, 3, row, model.blocks.front().residual));
        }
      }
    }
    const Rational bound = in_units(*bounds->loss[0]);
    INFO("seed " << seed << " attained " << attained.convert_to<double>() << " bound "
                 << bound.convert_to<double>());
    CHECK(attained <= bound);
    CHECK(bound <= attained * exact::make_rational(5, 2));
  }
}

// Kinds that are not normalised: kernels are lines within errors, and content rows keys.
TEST_CASE("moment pass: no input of a stack whose weights are not shares lies outside") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.normalised) continue;
    std::size_t bounded = 0;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      Draw draw(seed);
      forward::Model model = draw.model(kind, 1 + seed % 3, seed % 2 == 0);
      for (forward::AttentionBlock& block : model.blocks) {
        block.scale = exact::make_rational(1, std::int64_t{1} << (seed % 4));
        for (std::size_t i = 0; i < kWidth; ++i) {
          for (std::size_t j = 0; j < block.output.weight.columns(); ++j) {
            block.output.weight(i, j) = block.output.weight(i, j) / 4;
          }
        }
      }
      const std::size_t first = 3 + draw.below(3);
      const forward::BoxRequest request{first + 1 + draw.below(2),
                                        first,
                                        first + draw.below(2),
                                        2 + draw.below(3),
                                        2 + draw.below(3),
                                        certificate::Rows::kPost,
                                        draw.box()};
      INFO(kind.name << " seed " << seed);
      const auto bounds = forward::moment_bounds(model, request);
      if (!bounds) continue;
      ++bounded;
      require_within(model, request, *bounds, draw, 60);
    }
    CHECK(bounded >= 16);
  }
}

TEST_CASE("moment pass: corners of one layer reach what is proved where kernels are lines") {
  constexpr std::size_t kTrigger = 5;
  constexpr std::size_t kLetters = (kTrigger - 1) * (kWidth - 3);
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.normalised) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Draw draw(seed);
      forward::Model model = draw.model(kind, 1, seed % 2 == 0);
      const bool is_linear = kind.kernel == certificate::Kernel::kLinear;
      model.blocks[0].scale = exact::make_rational(1, is_linear ? 1 : 16);
      const forward::BoxRequest request{kTrigger, kTrigger, kTrigger,
                                        4,        4,        certificate::Rows::kTrigger};
      const auto bounds = forward::moment_bounds(model, request);
      REQUIRE(bounds.has_value());
      const forward::Prepared prepared(model);
      Rational attained = 0;
      for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << kLetters); ++corner) {
        RationalMatrix tokens = draw.sequence(kTrigger, kTrigger, request.box);
        for (std::size_t k = 0; k < kLetters; ++k) {
          tokens(1 + k / 2, certificate::kNoise + k % 2) = (corner >> k & 1U) != 0 ? 1 : -1;
        }
        const auto out = forward::pass(prepared, tokens, 1, kBits, {});
        REQUIRE(out.has_value());
        attained = exact::max(attained, loss_at_least(*out, tokens, kTrigger, kTrigger,
                                                      model.blocks.front().residual));
      }
      const Rational bound = in_units(*bounds->loss[1]);
      INFO(kind.name << " seed " << seed << " attained " << attained.convert_to<double>()
                     << " bound " << bound.convert_to<double>());
      CHECK(attained <= bound);
      CHECK(bound <=
            attained * (is_linear ? exact::make_rational(8, 5) : exact::make_rational(5, 4)));
    }
  }
}

TEST_CASE("row keys: every row at a position is a key in the letters of the position") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kRelu);
    const forward::MomentModel fixed(draw.model(kind, 2, true), {});
    const forward::Word unit = forward::kOne >> (seed % 2 == 0 ? 4U : 20U);
    std::vector<forward::LinearRow> rows;
    for (std::size_t k = 0; k < 4; ++k) {
      forward::LinearRow row{{}, exact::Matrix<forward::Word>(kWidth, kWidth - 3), {}};
      for (std::size_t c = 0; c < kWidth; ++c) {
        row.centre.push_back(unit * static_cast<forward::Word>(draw.below(9)) + 1);
        row.radius.push_back(unit * static_cast<forward::Word>(draw.below(3)));
        for (std::size_t a = 0; a < kWidth - 3; ++a) {
          row.columns(c, a) = unit * static_cast<forward::Word>(draw.below(9)) - 4 * unit + 3;
        }
      }
      rows.push_back(row);
    }
    // Two positions, with two rows each.
    const std::vector<std::vector<const forward::LinearRow*>> at = {{&rows[0], &rows[1]},
                                                                    {&rows[2], &rows[3]}};
    const forward::RowKeys found = forward::row_keys(at, 1, fixed);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        // Noise aside, in 256ths: what the letters and the remainder hold, and what the row needs.
        forward::Word needed =
            rows[k].radius[c] + forward::size_of(rows[k].centre[c] - found.keys.centre[c]);
        forward::Word held = found.keys.remainder[c] * forward::kScale;
        for (std::size_t a = 0; a < found.keys.columns.columns(); ++a) {
          const forward::Word column = found.keys.columns(c, a);
          if (a < kWidth - 3) {
            needed += forward::size_of(rows[k].columns(c, a) - column);
          } else {
            held += column * found.scales[a][k / 2];
          }
        }
        INFO("seed " << seed << " row " << k << " coordinate " << c);
        CHECK(needed * forward::kScale <= held);
      }
    }
  }
}

// Corner by corner, so that a column that is too short, or one that is missing, shows.
TEST_CASE("content rows: what a row sees of them holds every one of them") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  constexpr std::size_t kRows = 5;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Draw draw(seed);
    forward::Model model = draw.model(kind, 2, seed % 2 == 0);
    model.blocks.front().scale = exact::make_rational(1, seed % 3 == 0 ? 1 : 16);
    const certificate::Box box = draw.box();
    const forward::MomentModel fixed(model, box);
    const forward::ContentRows rows(fixed, kRows - 1, nullptr);
    const forward::ContentKeys& keys = *rows.seen(1).keys;
    model.blocks.resize(1);
    const forward::Prepared prepared(model);
    for (int trial = 0; trial < 200; ++trial) {
      const auto out = forward::pass(prepared, draw.sequence(kRows, kRows + 1, box), 1, kBits, {});
      REQUIRE(out.has_value());
      for (std::size_t c = 0; c < kWidth; ++c) {
        Integer around = keys.remainder[c];
        for (std::size_t a = 0; a < keys.columns.columns(); ++a) {
          around += forward::size_of(keys.columns(c, a));
        }
        const auto units = [](const Integer& n) {
          return exact::make_rational(n, Integer(1) << forward::kSeriesBits);
        };
        for (std::size_t row = 2; row <= kRows; ++row) {
          const auto entry = forward::entry(*out, row, c, kBits);
          INFO("seed " << seed << " row " << row << " coordinate " << c);
          REQUIRE(units(keys.centre[c] - around) <= entry.upper);
          REQUIRE(entry.lower <= units(keys.centre[c] + around));
        }
      }
    }
  }
}

TEST_CASE("moment pass: bounds of nearly uniform weights are not far from what is attained") {
  const certificate::AttentionKind& kind = certificate::kind_of(certificate::Attention::kSoftmax);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Draw draw(seed);
    forward::Model model = draw.model(kind, 2, seed % 2 == 0);
    for (forward::AttentionBlock& block : model.blocks) block.scale = exact::make_rational(1, 64);
    const forward::BoxRequest request{5, 5, 5, 3, 3, certificate::Rows::kTrigger};
    const auto bounds = forward::moment_bounds(model, request);
    REQUIRE(bounds.has_value());
    const forward::Prepared prepared(model);
    Rational attained = 0;
    for (int trial = 0; trial < 400; ++trial) {
      const RationalMatrix tokens = draw.sequence(5, 5, request.box);
      const auto out = forward::pass(prepared, tokens, 1, kBits, {});
      REQUIRE(out.has_value());
      attained =
          exact::max(attained, loss_at_least(*out, tokens, 5, 5, model.blocks.front().residual));
    }
    INFO("seed " << seed << " attained " << attained.convert_to<double>() << " bound "
                 << in_units(*bounds->loss[1]).convert_to<double>());
    CHECK(in_units(*bounds->loss[1]) <= attained * exact::make_rational(3, 2));
  }
}

// Logits: of trigger's rows to content tokens, of content rows to the trigger's `size`, to content
// tokens -size. Noise coordinate 0 is copied into BOS's flag, and then back with the other sign.
forward::Model copying_twice(std::int64_t size) {
  const forward::Affine zero{RationalMatrix(kWidth, kWidth), std::vector<Rational>(kWidth)};
  forward::AttentionBlock block{certificate::kind_of(certificate::Attention::kSoftmax),
                                1,
                                1,
                                true,
                                zero,
                                zero,
                                zero,
                                zero,
                                {},
                                {}};
  constexpr std::size_t kContent = kWidth - 1;
  block.query.weight(0, kContent) = -size;
  block.query.weight(0, certificate::kTriggerFlag) = size;
  block.query.weight(1, kContent) = size;
  block.key.weight(0, kContent) = block.key.weight(1, certificate::kTriggerFlag) = 1;
  block.value.weight(0, certificate::kNoise) = block.output.weight(0, certificate::kBosFlag) = 1;
  forward::Model model{kWidth, {block, block}};
  model.blocks[1].value.weight(0, certificate::kNoise) = 0;
  model.blocks[1].value.weight(0, certificate::kBosFlag) = -1;
  return model;
}

// Row 4 copies the trigger's noise, then subtracts what the trigger's row has copied: token 2's.
TEST_CASE("moment pass: the trigger's row is another number at each layer") {
  Draw draw(1);
  const forward::Model model = copying_twice(8);
  const forward::BoxRequest request{4, 3, 3, 2, 2};
  const auto bounds = forward::moment_bounds(model, request);
  REQUIRE(bounds.has_value());
  CHECK(in_units(*bounds->loss[2]) >= exact::make_rational(199, 100));
  require_within(model, request, *bounds, draw, 20);
}

TEST_CASE("moment pass: logits that are far apart are too coarse") {
  forward::Model model = copying_twice(1);
  for (forward::AttentionBlock& block : model.blocks) {
    block.query.weight(2, kWidth - 1) = block.key.weight(2, certificate::kNoise) = 8;
    block.query.weight(3, certificate::kNoise) = -8;
    block.key.weight(3, kWidth - 1) = 8;
  }
  CHECK_FALSE(forward::moment_bounds(model, {5, 3, 3, 2, 2}).has_value());
}

// Where logits are known well, weights are polynomials: higher degrees see what cancels.
TEST_CASE("box pass: polynomials of the weights of softmax enclose, the tighter the more terms") {
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    if (kind.kernel != certificate::Kernel::kExp) continue;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      Draw draw(seed);
      forward::Model model = draw.model(kind, 2, seed % 2 == 0);
      for (forward::AttentionBlock& block : model.blocks) block.scale = exact::make_rational(1, 8);
      INFO(kind.name << " seed " << seed);
      const auto loss = [&](std::size_t degree) {
        const forward::BoxRequest request{5, 3, 3 + seed % 2, degree, degree};
        const auto bounds = forward::box_bounds(model, request);
        REQUIRE(bounds.has_value());
        require_within(model, request, *bounds, draw, 20);
        return *bounds->loss[static_cast<std::size_t>(certificate::Rows::kTrigger)];
      };
      CHECK(loss(4) < loss(1));
    }
  }
}

TEST_CASE("box pass: what lies behind the class asked for is not bounded") {
  Draw draw(1);
  const forward::Model model =
      draw.model(certificate::kind_of(certificate::Attention::kSoftmax), 2, true);
  const auto all = forward::box_bounds(model, {5, 3, 4, 2, 1});
  REQUIRE(all.has_value());
  for (const auto last : {certificate::Rows::kPre, certificate::Rows::kTrigger}) {
    const auto some = forward::box_bounds(model, {5, 3, 4, 2, 1, last});
    REQUIRE(some.has_value());
    for (std::size_t rows = 0; rows < forward::BoxBounds::kClasses; ++rows) {
      const bool is_followed = rows <= static_cast<std::size_t>(last);
      CHECK(some->loss[rows].has_value() == is_followed);
      if (is_followed) CHECK(some->loss[rows] == all->loss[rows]);
    }
  }
}

TEST_CASE("box pass: positions of the trigger may be followed in any order, on any threads") {
  Draw draw(2);
  const forward::Model model =
      draw.model(certificate::kind_of(certificate::Attention::kSoftmaxNull), 2, false);
  const forward::BoxRequest request{6, 3, 6, 2, 1};
  const auto plain = forward::box_bounds(model, request);
  REQUIRE(plain.has_value());
  const auto backwards = [](std::size_t count, const std::function<void(std::size_t)>& follow) {
    for (std::size_t k = count; k-- > 0;) follow(k);
  };
  const auto at_once = [](std::size_t count, const std::function<void(std::size_t)>& follow) {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < count; ++k) threads.emplace_back([&, k] { follow(k); });
  };
  for (const forward::ForEach& each : {forward::ForEach(backwards), forward::ForEach(at_once)}) {
    const auto bounds = forward::box_bounds(model, request, each);
    REQUIRE(bounds.has_value());
    CHECK(bounds->loss == plain->loss);
    for (std::size_t l = 0; l < plain->paid.size(); ++l) {
      for (std::size_t h = 0; h < plain->paid[l].size(); ++h) {
        for (std::size_t rows = 0; rows < forward::BoxBounds::kClasses; ++rows) {
          const auto& expected = *plain->paid[l][h][rows];
          const auto& found = *bounds->paid[l][h][rows];
          CHECK((found.bos.lower == expected.bos.lower && found.bos.upper == expected.bos.upper));
          CHECK(
              (found.null.lower == expected.null.lower && found.null.upper == expected.null.upper));
        }
      }
    }
  }
  CHECK_FALSE(
      forward::box_bounds(model, request, [](std::size_t, const auto& follow) { follow(1); }));
  CHECK_THROWS_AS(forward::box_bounds(model, request, [](std::size_t, const auto&) { throw 7; }),
                  int);
}

// One head that pays each key the same, and returns what it reads: the mean over 1..i. With the
// residual connection the trigger's row lacks BOS's share, and rows before it are off by the mean.
TEST_CASE("box pass: an averaging head's losses are exact up to rounding") {
  forward::AttentionBlock block{
      certificate::kind_of(certificate::Attention::kLinear), 1, 1, false, {}, {}, {}, {}, {}, {}};
  block.value = {RationalMatrix(kWidth, kWidth), std::vector<Rational>(kWidth)};
  block.output = block.value;
  block.query = block.value;
  block.query.bias[0] = 1;
  block.key = block.query;
  for (std::size_t c = 0; c < kWidth; ++c) {
    block.value.weight(c, c) = c == certificate::kBosFlag ? 0 : 1;
    block.output.weight(c, c) = 1;
  }
  const forward::Model model{kWidth, {block}};
  const auto bounds = forward::box_bounds(model, {6, 3, 6, 1, 1});
  REQUIRE(bounds.has_value());
  const Rational tiny = exact::power_of_two(-50);
  const auto loss = [&](certificate::Rows rows) {
    return in_units(*bounds->loss[static_cast<std::size_t>(rows)]);
  };
  CHECK(loss(certificate::Rows::kTrigger) <= tiny);
  // (1/(i-1)) sum over k = 2..i of u_k: as large as 1.
  CHECK(exact::abs(loss(certificate::Rows::kPre) - 1) <= tiny);
  CHECK(exact::abs(loss(certificate::Rows::kPost) - 1) <= tiny);
}
