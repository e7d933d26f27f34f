#include "certify/row_problem.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "certify/attack.hpp"
#include "certify/attained.hpp"
#include "model/forward_model.hpp"
#include "random_model.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;
using test::random_model;

namespace {

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
      CHECK(result.value == Approx(rounded::to_double_estimate(enclosure->lower)));
      CHECK(enclosure->upper - enclosure->lower <= exact::power_of_two(-72));
    }
  }
}
