#include "certify/row_ascent.hpp"

#include <hwy/targets.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <utility>

#include "certify/attack.hpp"
#include "random_model.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;
using test::random_model;

namespace {

constexpr RowClass kClasses[] = {RowClass::kPre, RowClass::kTrigger, RowClass::kPost};

void check_slope(RowProblem& problem, const RowAscent& ascent, const RowStart& start) {
  const RowAscent::Slope found = ascent.slope(start);
  REQUIRE(found.at.row == start.row);
  REQUIRE(found.at.noise.size() == problem.variables());
  std::vector<double> gradient(problem.variables());
  const double value = problem.value(found.at.noise, gradient);
  CHECK(found.at.value == Approx(value).epsilon(1e-12).margin(1e-12));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    CHECK(found.gradient[i] == Approx(gradient[i]).epsilon(1e-10).margin(1e-12));
  }
}

// The largest value over the vertices of the box, all rows of the class.
template <typename Aim>
double best_vertex(const Layer& layer, RowClass rows, const Aim& aim) {
  const RowRange range = rows_of(rows, layer.length());
  double best = -HUGE_VAL;
  for (std::size_t row = range.first; row <= range.last; ++row) {
    RowProblem problem(layer, rows, row);
    aim(problem);
    std::vector<double> noise(problem.variables());
    for (std::size_t bits = 0; bits < std::size_t{1} << noise.size(); ++bits) {
      for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = (bits >> i & 1U) != 0 ? 1 : -1;
      best = std::max(best, problem.value(noise));
    }
  }
  return best;
}

double best_vertex_loss(const Layer& layer, RowClass rows) {
  double best = -HUGE_VAL;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    for (const int sign : {1, -1}) {
      best = std::max(best, best_vertex(layer, rows, [&](RowProblem& problem) {
                        problem.aim_at_loss(r, sign);
                      }));
    }
  }
  return best;
}

// Sign-gradient ascent and flips in plain loops, from `restarts` random vertices of each row.
double plain_attack(const Layer& layer, RowClass rows, int restarts, std::mt19937_64& random) {
  const RowRange range = rows_of(rows, layer.length());
  double best = -HUGE_VAL;
  for (std::size_t row = range.first; row <= range.last; ++row) {
    RowProblem problem(layer, rows, row);
    std::vector<double> gradient(problem.variables());
    for (int start = 0; start < restarts; ++start) {
      problem.aim_at_loss(random() % layer.width(), random() % 2 == 0 ? 1 : -1);
      std::vector<double> noise(problem.variables());
      for (double& u : noise) u = random() % 2 == 0 ? 1 : -1;
      for (int step = 0; step < 12; ++step) {
        best = std::max(best, problem.value(noise, gradient));
        for (std::size_t i = 0; i < noise.size(); ++i) {
          if (random() % 2 == 0) noise[i] = gradient[i] >= 0 ? 1 : -1;
        }
      }
      double value = problem.value(noise);
      for (double& u : noise) {
        u = -u;
        const double other = problem.value(noise);
        u = other > value ? u : -u;
        value = std::max(other, value);
      }
      best = std::max(best, value);
    }
  }
  return best;
}

}  // namespace

TEST_CASE("value and gradient in the lanes are those of the row in doubles") {
  std::mt19937_64 random(11);
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : kClasses) {
      const std::size_t heads = 1 + random() % 3;
      const Layer layer = make_layer(random_model(random, 7, 7, attention, heads));
      const RowRange range = rows_of(rows, layer.length());
      for (std::size_t row = range.first; row <= range.last; ++row) {
        INFO(to_string(attention) << " " << to_string(rows) << " " << row);
        RowProblem problem(layer, rows, row);
        const RowStart start{random() % 7, random() % 2 == 0 ? 1 : -1, row, random()};
        problem.aim_at_loss(start.coordinate, start.sign);
        check_slope(problem, RowAscent(layer, rows, 3), start);
        if (!model::is_normalised(attention)) continue;
        for (const Slot slot : {Slot::kBos, Slot::kNull}) {
          if (slot == Slot::kNull && !layer.has_null_slot()) continue;
          problem.aim_at_attention(slot, heads - 1, start.sign);
          check_slope(problem, RowAscent(layer, rows, slot, heads - 1, 3), start);
        }
      }
    }
  }
}

TEST_CASE("a climb ends where it says, whatever stands beside it and on every instruction set") {
  std::mt19937_64 random(12);
  const auto targets = hwy::SupportedAndGeneratedTargets();
  REQUIRE(targets.size() > 1);
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : kClasses) {
      const Layer layer = make_layer(random_model(random, 6, 9, attention, 1 + random() % 2));
      const RowAscent ascent(layer, rows, 5);
      std::vector<RowStart> starts;
      for (std::size_t i = 0; i < 19; ++i) {
        starts.push_back({i % 6, i % 2 == 0 ? 1 : -1, 5 + i % 3, random()});
      }
      const std::vector<RowPeak> peaks = ascent.climb(starts, 1, 9);
      REQUIRE(peaks.size() == starts.size());
      for (const std::int64_t target : targets) {
        hwy::SetSupportedTargetsForTest(target);
        for (std::size_t i = 0; i < starts.size(); ++i) {
          INFO(to_string(attention) << " " << to_string(rows) << " " << i);
          const RowPeak alone = ascent.climb({&starts[i], 1}, 1, 9).front();
          CHECK(alone.value == peaks[i].value);
          CHECK(alone.noise == peaks[i].noise);
          RowProblem problem(layer, rows, alone.row);
          problem.aim_at_loss(starts[i].coordinate, starts[i].sign);
          CHECK(alone.value == Approx(problem.value(alone.noise)).epsilon(1e-12).margin(1e-12));
        }
      }
      hwy::SetSupportedTargetsForTest(0);
    }
  }
}

TEST_CASE("no flip of the query's noise gains where a climb ends") {
  std::mt19937_64 random(16);
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : kClasses) {
      const Layer layer = make_layer(random_model(random, 8, 9, attention, 1 + random() % 2));
      const std::size_t r = random() % 8;
      for (std::uint64_t stream = 0; stream < 16; ++stream) {
        const RowStart start{r, 1, 6, stream};
        RowPeak peak = RowAscent(layer, rows, 5).climb({&start, 1}, 1, 9).front();
        INFO(to_string(attention) << " " << to_string(rows) << " stream " << stream);
        RowProblem problem(layer, rows, peak.row);
        problem.aim_at_loss(r, 1);
        const double value = problem.value(peak.noise);
        for (std::size_t k = peak.noise.size() - layer.noise(); k < peak.noise.size(); ++k) {
          const double before = std::exchange(peak.noise[k], peak.noise[k] > 0 ? -1 : 1);
          CHECK(problem.value(peak.noise) <= value + 2e-9 * std::fabs(value));
          peak.noise[k] = before;
        }
      }
    }
  }
}

TEST_CASE("a climb leaves the row it starts at where another is worse") {
  // Not normalised, a loss is affine in 1/(i - 1) for a given query and best key; constant where
  // every ReLU is dead.
  std::mt19937_64 random(17);
  for (const auto attention : model::kAttentions) {
    if (model::is_normalised(attention) || attention == model::Attention::kRelu) continue;
    for (const RowClass rows : kClasses) {
      const Layer layer = make_layer(random_model(random, 7, 12, attention, 1));
      const RowRange range = rows_of(rows, layer.length());
      for (std::uint64_t stream = 0; stream < 16; ++stream) {
        const RowStart start{1 + stream % 6, stream < 8 ? 1 : -1, 7, stream};
        const RowPeak peak = RowAscent(layer, rows, 5).climb({&start, 1}, 1, 9).front();
        INFO(to_string(attention) << " " << to_string(rows) << " stream " << stream);
        CHECK((peak.row == range.first || peak.row == range.last));
      }
    }
  }
}

TEST_CASE("no vertex of a tiny layer is worse than what the attack finds") {
  std::mt19937_64 random(13);
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : kClasses) {
      for (const int reach : {60, 250, 1000}) {
        const std::size_t heads = 1 + random() % 2;
        const Layer layer =
            make_layer(random_model(random, 5, 4, attention, heads, 1, false, reach));
        INFO(to_string(attention) << " " << to_string(rows) << " " << heads << " " << reach);
        const double loss = best_vertex_loss(layer, rows);
        CHECK(attack_loss(layer, rows, {}).value >= loss - 1e-9 * std::fabs(loss));
        for (const bool greatest : {false, true}) {
          for (const Slot slot : {Slot::kBos, Slot::kNull}) {
            if (slot == Slot::kNull && !layer.has_null_slot()) continue;
            const double best = best_vertex(layer, rows, [&](RowProblem& problem) {
              problem.aim_at_attention(slot, 0, greatest ? 1 : -1);
            });
            const double found = attack_attention(layer, rows, {slot, 0, greatest}, {}).value;
            CHECK(found >= best - 1e-9 * std::fabs(best));
          }
        }
      }
    }
  }
}

TEST_CASE("the attack is never weaker than sign gradients and flips in plain loops") {
  std::mt19937_64 random(14);
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : kClasses) {
      const Layer layer =
          make_layer(random_model(random, 9, 8, attention, 1 + random() % 2, 1, false, 150));
      INFO(to_string(attention) << " " << to_string(rows));
      const double plain = plain_attack(layer, rows, 40, random);
      CHECK(attack_loss(layer, rows, {}).value >= plain - 1e-9 * std::fabs(plain));
    }
  }
}

TEST_CASE("a row whose logits are nearly all dead is found through its logits") {
  // Of 4096 keys a query sees its own opposite: the logit is -23 - 2 (product of the noise).
  constexpr std::size_t kWidth = 15;
  std::mt19937_64 random(15);
  auto model = random_model(random, kWidth, 6, model::Attention::kRelu, 1);
  model::Layer& source = model.layers.front();
  source.query = exact::RationalMatrix(kWidth, kWidth);
  source.key = exact::RationalMatrix(kWidth, kWidth);
  for (std::size_t k = 2; k < kWidth; ++k) source.query(k, k) = 1;
  for (std::size_t k = 2; k < kWidth - 1; ++k) source.key(k, k) = -2;
  source.key(kWidth - 1, kWidth - 1) = -23;
  source.query_bias = source.key_bias = std::vector<exact::Rational>(kWidth);
  const Layer layer = make_layer(model);
  RowProblem problem(layer, RowClass::kPre, 3);
  const std::size_t d = layer.noise();
  std::vector<double> noise(2 * d);
  double best = -HUGE_VAL;
  for (std::size_t bits = 0; bits < std::size_t{1} << d; ++bits) {
    for (std::size_t k = 0; k < d; ++k) {
      noise[k] = (bits >> k & 1U) != 0 ? 1 : -1;
      noise[d + k] = -noise[k];
    }
    for (std::size_t r = 0; r < kWidth; ++r) {
      problem.aim_at_loss(r, 1);
      best = std::max(best, std::fabs(problem.value(noise)));
    }
  }
  CHECK(attack_loss(layer, RowClass::kPre, {}).value >= best * (1 - 1e-9));
}
