#include "certify/row_problem.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "certify/attained.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;

namespace {

model::AttentionModel random_model(std::mt19937_64& random, std::size_t n, std::size_t length,
                                   model::Attention attention) {
  const auto matrix = [&] {
    exact::RationalMatrix m(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        m(i, j) = exact::make_rational(static_cast<int>(random() % 201) - 100, 128);
      }
    }
    return m;
  };
  model::AttentionModel result;
  result.attention = attention;
  result.d_model = n;
  result.length = length;
  result.layers.push_back({matrix(), matrix(), matrix(), matrix()});
  return result;
}

}  // namespace

TEST_CASE("the gradient of a row agrees with finite differences") {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-0.9, 0.9);
  for (const auto attention : {model::Attention::kSoftmax, model::Attention::kRelu}) {
    for (const RowClass rows : {RowClass::kPre, RowClass::kTrigger, RowClass::kPost}) {
      for (const Goal goal : {Goal::kLoss, Goal::kBosAttention}) {
        const Head head = make_head(random_model(random, 7, 6, attention));
        RowProblem problem(head, attention, rows, 5);
        problem.aim(goal, random() % 7, -1);
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
  for (const auto attention : {model::Attention::kSoftmax, model::Attention::kRelu}) {
    for (const RowClass rows : {RowClass::kPre, RowClass::kTrigger, RowClass::kPost}) {
      const Head head = make_head(random_model(random, 6, 5, attention));
      const AttackResult result = attack_loss(head, attention, rows, effort);
      const exact::Interval enclosure = attained_loss(head, attention, result.witness);
      CHECK(result.value == Approx(exact::to_double_estimate(enclosure.lower())));
      // Tight up to the room attained.cpp leaves for the checker's 96-bit exp.
      CHECK(enclosure.upper() - enclosure.lower() <= exact::power_of_two(-72));
    }
  }
}
