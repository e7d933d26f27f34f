#include "certify/row_problem.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "certify/attained.hpp"
#include "model/forward_model.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;

namespace {

// A layer with biases; gates and sinks if its kind has them.
model::AttentionModel random_model(std::mt19937_64& random, std::size_t n, std::size_t length,
                                   model::Attention attention, std::size_t heads) {
  const auto number = [&] {
    return exact::make_rational(static_cast<int>(random() % 201) - 100, 128);
  };
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    exact::RationalMatrix m(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) m(i, j) = number();
    }
    return m;
  };
  const auto vector = [&](std::size_t size) {
    std::vector<exact::Rational> v(size);
    for (auto& entry : v) entry = number();
    return v;
  };
  const std::size_t wide = heads * n;
  model::AttentionModel result;
  result.attention = attention;
  result.d_model = n;
  result.length = length;
  result.num_heads = heads;
  model::Layer layer{matrix(wide, n), matrix(wide, n), matrix(wide, n), matrix(n, wide)};
  layer.query_bias = vector(wide);
  layer.key_bias = vector(wide);
  layer.value_bias = vector(wide);
  layer.output_bias = vector(n);
  if (attention == model::Attention::kSoftmaxGated) {
    layer.gate = matrix(heads, n);
    layer.gate_bias = vector(heads);
  }
  if (certificate::kind_of(attention).sinks) layer.sinks = vector(heads);
  result.layers.push_back(std::move(layer));
  return result;
}

enum class Goal { kLoss, kBos, kNull };

}  // namespace

TEST_CASE("the gradient of a row agrees with finite differences") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-0.9, 0.9);
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : {RowClass::kPre, RowClass::kTrigger, RowClass::kPost}) {
      for (const Goal goal : {Goal::kLoss, Goal::kBos, Goal::kNull}) {
        if (goal == Goal::kNull && !certificate::kind_of(attention).null_slot) continue;
        const std::size_t heads = 1 + random() % 2;
        const Layer layer = make_layer(random_model(random, 7, 6, attention, heads));
        RowProblem problem(layer, rows, 5);
        if (goal == Goal::kLoss) {
          problem.aim_at_loss(random() % 7, -1);
        } else {
          problem.aim_at_attention(goal == Goal::kBos ? Slot::kBos : Slot::kNull, heads - 1, -1);
        }
        std::vector<double> noise(problem.variables());
        for (double& u : noise) u = uniform(random);
        std::vector<double> gradient(noise.size());
        problem.value(noise, gradient);
        for (std::size_t i = 0; i < noise.size(); ++i) {
          constexpr double kStep = 1e-6;
          std::vector<double> up = noise;
          std::vector<double> down = noise;
          up[i] += kStep;
          down[i] -= kStep;
          const double slope = (problem.value(up) - problem.value(down)) / (2 * kStep);
          CHECK(gradient[i] == Approx(slope).margin(1e-5));
        }
      }
    }
  }
}

TEST_CASE("the attack's estimate is the exact enclosure's value, for every class of rows") {
  std::mt19937_64 random(5);
  AttackEffort effort;
  effort.restarts = 2;
  effort.steps = 6;
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : {RowClass::kPre, RowClass::kTrigger, RowClass::kPost}) {
      const auto model = random_model(random, 6, 5, attention, 1 + random() % 2);
      const AttackResult result = attack_loss(make_layer(model), rows, effort);
      const forward::Model exact_model = model::forward_model(model);
      const auto enclosure = attained_loss(forward::Prepared(exact_model), result.witness);
      REQUIRE(enclosure.has_value());
      CHECK(result.value == Approx(exact::to_double_estimate(enclosure->lower)));
      CHECK(enclosure->upper - enclosure->lower <= exact::power_of_two(-72));
    }
  }
}
