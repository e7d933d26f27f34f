#include "certify/stack_attack.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "certificate/checkpoint.hpp"
#include "certify/attained.hpp"
#include "certify/stack_pass.hpp"
#include "model/forward_model.hpp"
#include "random_model.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;
using test::random_model;

namespace {

using Kind = StackGoal::Kind;

constexpr SequenceShape kShapes[] = {{1, 4}, {2, 4}, {4, 4}, {5, 3}};
constexpr AttackEffort kLittle = {.seed = 3, .restarts = 12, .steps = 12};
constexpr RowClass kClasses[] = {RowClass::kPre, RowClass::kTrigger, RowClass::kPost};

// What can be asked of a row of a stack of this kind.
std::vector<StackGoal> goals_of(const StackWeights& weights, const SequenceShape& shape) {
  const std::size_t last = weights.layers.size() - 1;
  std::vector<StackGoal> goals = {{.sign = -1, .coordinate = 0},
                                  {.sign = 1, .coordinate = 2},
                                  {.sign = -1, .coordinate = weights.width - 1},
                                  {.kind = Kind::kLogit, .sign = -1, .layer = last, .head = 1},
                                  {.kind = Kind::kLogit, .layer = last, .key = shape.row - 1}};
  if (!weights.kind().normalised) return goals;
  goals.push_back({.kind = Kind::kLogOdds, .sign = -1, .layer = last, .head = 1});
  if (weights.kind().null_slot) {
    goals.push_back({.kind = Kind::kLogOdds, .layer = last / 2, .slot = Slot::kNull});
  }
  return goals;
}

void check_gradient(StackPass& pass, const StackGoal& goal, const Rows& noise) {
  constexpr double kStep = 1e-6;
  const std::vector<StackGoal> goals(noise.rows(), goal);
  Rows gradient;
  const auto values = pass.values(noise, goals, &gradient);
  CHECK(values == pass.values(noise, goals));
  for (Eigen::Index b = 0; b < noise.rows(); ++b) {
    for (Eigen::Index i = 0; i < noise.cols(); ++i) {
      Rows up = noise;
      Rows down = noise;
      up(b, i) += kStep;
      down(b, i) -= kStep;
      const double slope = (pass.values(up, goals)[b] - pass.values(down, goals)[b]) / (2 * kStep);
      CHECK(gradient(b, i) == Approx(slope).epsilon(1e-4).margin(1e-6));
    }
  }
}

void require_task_sequence(const Witness& witness, RowClass rows, const TriggerRange& triggers) {
  REQUIRE(witness.trigger >= triggers.first);
  REQUIRE(witness.trigger <= triggers.last);
  CHECK((rows == RowClass::kPre) == (witness.row < witness.trigger));
  CHECK((rows == RowClass::kPost) == (witness.row > witness.trigger));
  const std::size_t n = witness.tokens.front().size();
  exact::RationalMatrix tokens(witness.tokens.size(), n);
  for (std::size_t i = 0; i < tokens.rows(); ++i) {
    for (std::size_t c = 0; c < n; ++c) tokens(i, c) = witness.tokens[i][c];
    CHECK(certificate::is_task_token(tokens, i + 1, witness.trigger, {}));
  }
}

// The largest value over all vertices and rows of the class, one after the other.
double best_vertex(const StackWeights& weights, const std::vector<SequenceShape>& shapes,
                   const std::vector<StackGoal>& goals) {
  double best = -HUGE_VAL;
  for (const SequenceShape& shape : shapes) {
    StackPass pass(weights, shape);
    Rows noise(std::size_t{1} << pass.variables(), pass.variables());
    for (Eigen::Index b = 0; b < noise.rows(); ++b) {
      for (Eigen::Index i = 0; i < noise.cols(); ++i) noise(b, i) = (b >> i & 1) != 0 ? 1 : -1;
    }
    for (const StackGoal& goal : goals) {
      for (const double value : pass.values(noise, std::vector<StackGoal>(noise.rows(), goal))) {
        best = std::max(best, value);
      }
    }
  }
  return best;
}

std::vector<SequenceShape> shapes_of(RowClass rows, Eigen::Index length, Eigen::Index last_trigger,
                                     Eigen::Index least_row) {
  std::vector<SequenceShape> shapes;
  for (Eigen::Index j = 3; j <= last_trigger; ++j) {
    for (Eigen::Index i = least_row; i <= length; ++i) {
      const RowClass here = i < j ? RowClass::kPre : i == j ? RowClass::kTrigger : RowClass::kPost;
      if (here == rows) shapes.push_back({i, j});
    }
  }
  return shapes;
}

}  // namespace

TEST_CASE("gradients of a stack agree with finite differences") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-0.9, 0.9);
  for (const auto attention : model::kAttentions) {
    for (const std::size_t depth : {1, 2, 3}) {
      for (const bool residual : {false, true}) {
        const StackWeights weights(random_model(random, 6, 6, attention, 2, depth, residual, 60));
        for (const SequenceShape& shape : kShapes) {
          StackPass pass(weights, shape);
          Rows noise(2, pass.variables());
          for (double& u : noise.reshaped()) u = uniform(random);
          for (const StackGoal& goal : goals_of(weights, shape)) check_gradient(pass, goal, noise);
        }
      }
    }
  }
}

TEST_CASE("what a stack's witness attains is what the attack says", "[seconds]") {
  std::mt19937_64 random(12);
  const TriggerRange triggers = {3, 5};
  for (const auto attention : model::kAttentions) {
    for (const RowClass rows : kClasses) {
      const std::size_t depth = 1 + random() % 3;
      const auto model = random_model(random, 6, 6, attention, 2, depth, random() % 2 == 0, 60);
      const forward::Model exact_model = model::forward_model(model);
      const forward::Prepared prepared(exact_model);
      const AttackResult loss = attack_stack_loss(model, rows, triggers, kLittle);
      require_task_sequence(loss.witness, rows, triggers);
      const auto attained = attained_loss(prepared, loss.witness);
      REQUIRE(attained.has_value());
      CHECK(loss.value == Approx(rounded::to_double_estimate(attained->lower)));
      for (const Slot slot : {Slot::kBos, Slot::kNull}) {
        if (slot == Slot::kNull && !certificate::kind_of(attention).null_slot) continue;
        const StackAttentionGoal goal = {slot, random() % depth, random() % 2, random() % 2 == 0};
        const AttackResult weight = attack_stack_attention(model, rows, triggers, goal, kLittle);
        require_task_sequence(weight.witness, rows, triggers);
        CHECK(weight.witness.row >= 2);
        const auto paid = attained_attention(prepared, weight.witness, slot, goal.head, goal.layer);
        REQUIRE(paid.has_value());
        CHECK(weight.value == Approx(rounded::to_double_estimate(paid->lower)));
      }
    }
  }
}

TEST_CASE("an attack on a stack without time left still brings an input of the task") {
  std::mt19937_64 random(16);
  const auto model = random_model(random, 12, 12, model::Attention::kSoftmax, 2, 2, true);
  const forward::Model exact_model = model::forward_model(model);
  const AttackEffort effort{.restarts = 1U << 20U, .deadline = std::chrono::steady_clock::now()};
  for (const RowClass rows : kClasses) {
    const AttackResult found = attack_stack_loss(model, rows, {3, 12}, effort);
    require_task_sequence(found.witness, rows, {3, 12});
    const auto attained = attained_loss(forward::Prepared(exact_model), found.witness);
    REQUIRE(attained.has_value());
    CHECK(found.value == Approx(rounded::to_double_estimate(attained->lower)));
  }
}

TEST_CASE("no single flip improves what the attack on a stack finds") {
  std::mt19937_64 random(15);
  const AttackEffort least = {.restarts = 0, .steps = 0};
  const auto model = random_model(random, 12, 12, model::Attention::kRelu, 2, 2, true);
  const StackWeights weights(model);
  for (const RowClass rows : kClasses) {
    const AttackResult found = attack_stack_loss(model, rows, {3, 12}, least);
    const Witness& witness = found.witness;
    StackPass pass(weights, {static_cast<Eigen::Index>(witness.row),
                             static_cast<Eigen::Index>(witness.trigger)});
    Rows noise(1, pass.variables());
    for (Eigen::Index i = 0; i < pass.variables(); ++i) {
      noise(0, i) = rounded::to_double_estimate(witness.tokens[1 + i / 9][2 + i % 9]);
    }
    const StackGoal goal = {.sign = static_cast<double>(witness.sign),
                            .coordinate = static_cast<Eigen::Index>(witness.coordinate)};
    CHECK(pass.values(noise, {&goal, 1}).front() == Approx(found.value));
    for (double& u : noise.reshaped()) {
      u = -u;
      CHECK(pass.values(noise, {&goal, 1}).front() <= found.value + 1e-12);
      u = -u;
    }
  }
}

TEST_CASE("the attack on a stack finds the best vertex of all", "[seconds]") {
  std::mt19937_64 random(13);
  const TriggerRange triggers = {3, 4};
  for (const auto attention : model::kAttentions) {
    for (const Eigen::Index d : {1, 2}) {
      const auto model = random_model(random, d + 3, 5, attention, 2, 2, true, 80);
      const StackWeights weights(model);
      std::vector<StackGoal> losses;
      for (Eigen::Index r = 0; r < d + 3; ++r) {
        for (const double sign : {1.0, -1.0}) losses.push_back({.sign = sign, .coordinate = r});
      }
      for (const RowClass rows : kClasses) {
        const double found = attack_stack_loss(model, rows, triggers, kLittle).value;
        const double best = best_vertex(weights, shapes_of(rows, 5, 4, 1), losses);
        CHECK(found == Approx(best).epsilon(1e-12));
        if (!weights.kind().normalised) continue;
        const double share =
            attack_stack_attention(model, rows, triggers, {Slot::kBos, 1, 1, false}, kLittle).value;
        const double odds =
            best_vertex(weights, shapes_of(rows, 5, 4, 2),
                        {{.kind = Kind::kLogOdds, .sign = -1, .layer = 1, .head = 1}});
        CHECK(share == Approx(1 / (1 + std::exp(odds))).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("the attack on a rollout finds the best vertex of all, and what its witness attains") {
  std::mt19937_64 random(16);
  const TriggerRange triggers = {3, 4};
  for (const auto attention : model::kAttentions) {
    if (!certificate::kind_of(attention).averages()) continue;
    for (const std::size_t depth : {1, 2, 3}) {
      const auto model = random_model(random, 4, 5, attention, 1, depth, false, 80);
      const forward::Model exact_model = model::forward_model(model);
      const forward::Prepared prepared(exact_model);
      for (const RowClass rows : kClasses) {
        for (const bool greatest : {false, true}) {
          const double sign = greatest ? 1 : -1;
          const AttackResult found = attack_stack_rollout(model, rows, triggers, greatest, kLittle);
          require_task_sequence(found.witness, rows, triggers);
          CHECK(found.witness.row >= 2);
          const double best = best_vertex(StackWeights(model, true), shapes_of(rows, 5, 4, 2),
                                          {{.sign = sign, .coordinate = 4}});
          CHECK(found.value == Approx(sign * best).epsilon(1e-12));
          const auto attained = attained_rollout(prepared, found.witness);
          REQUIRE(attained.has_value());
          CHECK(found.value == Approx(rounded::to_double_estimate(attained->lower)));
        }
      }
    }
  }
}

TEST_CASE("the attack on a stack depends on its seed alone") {
  std::mt19937_64 random(14);
  const auto model = random_model(random, 12, 8, model::Attention::kRelu, 2, 2, true);
  const auto tokens = [&](std::uint64_t seed) {
    const AttackEffort least = {.seed = seed, .restarts = 0, .steps = 0};
    return attack_stack_loss(model, RowClass::kPost, {3, 6}, least).witness.tokens;
  };
  CHECK(tokens(1) == tokens(1));
  CHECK(tokens(1) != tokens(2));
}

namespace {

// Row r of a matrix (or column r) times 2^exponent.
void scale_row(exact::RationalMatrix& matrix, std::size_t r, long exponent) {
  for (std::size_t j = 0; j < matrix.columns(); ++j) matrix(r, j) *= exact::power_of_two(exponent);
}
void scale_column(exact::RationalMatrix& matrix, std::size_t c, long exponent) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) matrix(i, c) *= exact::power_of_two(exponent);
}

// The same functions: each inner coordinate's query and key, and its value and output, share
// 2^exponent otherwise.
model::AttentionModel rescaled(model::AttentionModel model, long exponent, bool alternating) {
  for (model::Layer& layer : model.layers) {
    for (std::size_t r = 0; r < layer.query.rows(); ++r) {
      const long e = alternating && r % 2 == 1 ? -exponent : exponent;
      scale_row(layer.query, r, e);
      layer.query_bias[r] *= exact::power_of_two(e);
      scale_row(layer.key, r, -e);
      layer.key_bias[r] *= exact::power_of_two(-e);
      scale_row(layer.value, r, -e);
      layer.value_bias[r] *= exact::power_of_two(-e);
      scale_column(layer.output, r, e);
    }
  }
  return model;
}

}  // namespace

TEST_CASE("the search does not depend on how two factors share a power of two") {
  std::mt19937_64 random(15);
  for (const model::Attention attention : model::kAttentions) {
    const auto model = random_model(random, 6, 5, attention, 2, 2, true);
    const StackWeights plain(model);
    for (const long exponent : {1, 40, 200, 502, 1000, -1000}) {
      const StackWeights scaled(rescaled(model, exponent, exponent % 4 == 0));
      for (std::size_t l = 0; l < plain.layers.size(); ++l) {
        for (std::size_t h = 0; h < 2; ++h) {
          CHECK(plain.layers[l].heads[h].logit == scaled.layers[l].heads[h].logit);
          CHECK(plain.layers[l].heads[h].value == scaled.layers[l].heads[h].value);
        }
      }
    }
  }
}
