#include "certify/stack_attack.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "certify/kernel.hpp"
#include "certify/stack_pass.hpp"

namespace sinkproof::certify {
namespace {

using Eigen::Index;
using Random = std::mt19937_64;

struct Candidate {
  double value = -HUGE_VAL;
  std::vector<double> noise;
};

// Where and what to push up, and the best found so far.
struct Arm {
  SequenceShape shape;
  StackGoal goal;
  Candidate best;
};

// The first is kept whatever its value.
void keep(Candidate& best, double value, std::span<const double> noise) {
  if (value <= best.value && best.noise.size() == noise.size()) return;
  best = {value, {noise.begin(), noise.end()}};
}

std::span<double> row_of(Rows& rows, Index b) {
  return {rows.row(b).data(), static_cast<std::size_t>(rows.cols())};
}

// True in `eighths` of 8 cases.
bool chance(Random& random, unsigned eighths) { return random() % 8 < eighths; }

class StackAttack {
 public:
  StackAttack(const model::AttentionModel& model, RowClass rows, const TriggerRange& triggers,
              Index least_row, const AttackEffort& effort, bool rollout = false)
      : weights_(model, rollout),
        box_(model.box),
        length_(static_cast<Index>(model.length)),
        rows_(rows),
        first_(static_cast<Index>(triggers.first)),
        last_(static_cast<Index>(triggers.last)),
        least_row_(least_row),
        effort_(effort),
        random_(effort.seed) {}

  // The best of these goals over all rows of the class.
  Arm run(const std::vector<StackGoal>& goals) {
    std::vector<Arm> arms;
    for (const SequenceShape& shape : screened_shapes()) {
      if (!arms.empty() && effort_.is_over()) break;
      screen(shape, goals, arms);
    }
    constexpr std::size_t kArms = 24;
    keep_best_of_each(arms, goals.size(), kArms / goals.size() + 1);
    keep_best(arms, kArms);
    for (Arm& arm : arms) restart(arm, effort_.restarts);
    keep_best(arms, 6);
    for (Arm& arm : arms) {
      restart(arm, 3 * effort_.restarts);
      flip(arm);
    }
    keep_best(arms, 2);
    for (Arm& arm : arms) move_to_neighbours(arm);
    keep_best(arms, 1);
    return std::move(arms.front());
  }

  // What compares rows of different lengths.
  [[nodiscard]] double worth(const Arm& arm) const {
    if (arm.goal.kind != StackGoal::Kind::kLogit) return arm.best.value;
    const double keys = static_cast<double>(std::max<Index>(1, arm.shape.row - 1));
    const double sign = arm.goal.sign;
    return sign * kernel(weights_.attention, sign * arm.best.value, 0).value / keys;
  }

  [[nodiscard]] Witness witness(const Arm& arm) const {
    Witness result = witness_at(weights_.tokens, box_, length_, arm.shape.trigger, arm.shape.row,
                                arm.best.noise);
    result.coordinate = arm.goal.coordinate;
    result.sign = arm.goal.sign > 0 ? 1 : -1;
    return result;
  }

 private:
  void keep_best(std::vector<Arm>& arms, std::size_t count) const {
    std::stable_sort(arms.begin(), arms.end(),
                     [&](const Arm& a, const Arm& b) { return worth(a) > worth(b); });
    arms.resize(std::min(arms.size(), count));
  }

  // So many rows of each goal: a goal that is hard to start on is not crowded out by the rows of
  // others. Precondition: goals repeat in their order.
  void keep_best_of_each(std::vector<Arm>& arms, std::size_t goals, std::size_t rows) const {
    std::vector<Arm> kept;
    for (std::size_t g = 0; g < goals; ++g) {
      std::vector<Arm> same;
      for (std::size_t i = g; i < arms.size(); i += goals) same.push_back(std::move(arms[i]));
      keep_best(same, rows);
      std::move(same.begin(), same.end(), std::back_inserter(kept));
    }
    arms = std::move(kept);
  }

  // Some of the numbers from first to last: the ends, what is next to them, and two between.
  static std::vector<Index> some(Index first, Index last) {
    const Index span = last - first;
    std::vector<Index> result = {
        first, first + 1, first + span / 4, first + span / 2, last - std::min<Index>(span, 1),
        last};
    std::erase_if(result, [&](Index x) { return x > last; });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  [[nodiscard]] std::vector<SequenceShape> screened_shapes() const {
    std::vector<SequenceShape> shapes;
    if (rows_ == RowClass::kPre) {
      for (const Index i : some(least_row_, last_ - 1)) {
        shapes.push_back({i, last_});
      }
      return shapes;
    }
    const Index last = rows_ == RowClass::kPost ? length_ - 1 : length_;
    for (const Index j : some(first_, std::min(last_, last))) {
      if (rows_ == RowClass::kTrigger) {
        shapes.push_back({j, j});
        continue;
      }
      for (const Index i : some(j + 1, length_)) shapes.push_back({i, j});
    }
    return shapes;
  }

  [[nodiscard]] bool is_in_class(const SequenceShape& shape) const {
    const auto [i, j] = shape;
    if (i < least_row_ || i > length_ || j < first_ || j > last_) return false;
    if (rows_ == RowClass::kTrigger) return i == j;
    return rows_ == RowClass::kPre ? i < j : i > j;
  }

  [[nodiscard]] Index batch(const SequenceShape& shape) const {
    constexpr Index kTokens = 128;  // at a time: what a layer keeps of them stays in the cache
    return std::max<Index>(1, kTokens / shape.row);
  }

  Rows random_vertices(Index sequences, Index variables) {
    Rows noise(sequences, variables);
    for (Index b = 0; b < sequences; ++b) {
      for (double& u : row_of(noise, b)) u = (random_() & 1U) != 0 ? 1 : -1;
    }
    return noise;
  }

  // Sets coordinates to the sign of their derivative, again and again, a share of them at a time:
  // all at once they would go to and fro, or out of where a kernel is above 0.
  void climb(StackPass& pass, std::span<const StackGoal> goals, Rows& noise, std::size_t steps,
             std::span<Candidate> best) {
    Rows gradient;
    for (std::size_t step = 0; step < steps; ++step) {
      const auto values = pass.values(noise, goals, &gradient);
      for (Index b = 0; b < noise.rows(); ++b) {
        if (!best.empty()) keep(best[b], values[b], row_of(noise, b));
        const auto share = static_cast<unsigned>(1 + random_() % 6);
        const auto slopes = row_of(gradient, b);
        const auto own = row_of(noise, b);
        for (std::size_t i = 0; i < own.size(); ++i) {
          if (slopes[i] != 0 && chance(random_, share)) own[i] = slopes[i] > 0 ? 1 : -1;
        }
      }
    }
    if (best.empty()) return;
    const auto values = pass.values(noise, goals);
    for (Index b = 0; b < noise.rows(); ++b) keep(best[b], values[b], row_of(noise, b));
  }

  // Vertices to start from. Half of them after a few steps towards a large logit of some key: where
  // kernels vanish below 0 the goal itself has no slope at most vertices. Half of them with that
  // key's noise at all tokens but the last: rows are often worst when their keys are alike.
  Rows starts(StackPass& pass, const Arm& arm, Index sequences) {
    constexpr std::size_t kSteps = 3;
    const Index d = weights_.noise();
    Rows noise = random_vertices(sequences, pass.variables());
    const Rows cold = noise;
    StackGoal goal;
    goal.kind = StackGoal::Kind::kLogit;
    const bool loss = arm.goal.kind == StackGoal::Kind::kLoss;
    goal.layer = random_() % (loss ? weights_.layers.size() : arm.goal.layer + 1);
    std::vector<StackGoal> goals;
    for (Index b = 0; b < sequences; ++b) {
      goal.head = random_() % weights_.layers.front().heads.size();
      goal.key = static_cast<Index>(random_() % arm.shape.row);
      goals.push_back(goal);
    }
    climb(pass, goals, noise, kSteps, {});
    for (Index b = 0; b < sequences; ++b) {
      if (chance(random_, 4)) noise.row(b) = cold.row(b);
      if (goals[b].key == 0 || chance(random_, 4)) continue;
      const Eigen::RowVectorXd alike = noise.row(b).segment((goals[b].key - 1) * d, d);
      for (Index k = 0; k + 2 < arm.shape.row; ++k) noise.row(b).segment(k * d, d) = alike;
    }
    return noise;
  }

  // A quick look at every goal, to spend the rest of the effort where it pays.
  void screen(const SequenceShape& shape, const std::vector<StackGoal>& goals,
              std::vector<Arm>& arms) {
    constexpr std::size_t kSteps = 5;
    // Shared by all goals.
    const std::size_t starts_each =
        std::clamp<std::size_t>(8 * effort_.restarts / goals.size(), 2, 32);
    const std::size_t first = arms.size();
    const auto all = static_cast<Index>(goals.size());
    for (const StackGoal& goal : goals) arms.push_back({shape, goal, {}});
    StackPass pass(weights_, shape);
    for (std::size_t start = 0; start < starts_each; ++start) {
      if (start > 0 && effort_.is_over()) return;
      for (Index done = 0; done < all; done += batch(shape)) {
        const Index count = std::min(batch(shape), all - done);
        std::vector<Candidate> best(count);
        const std::span<const StackGoal> part(goals.data() + done, count);
        Rows noise = starts(pass, arms[first], count);
        climb(pass, part, noise, kSteps, best);
        for (Index b = 0; b < count; ++b) {
          keep(arms[first + done + b].best, best[b].value, best[b].noise);
        }
      }
    }
  }

  // What was found with an eighth of its signs flipped, or some tokens' noise given to others.
  void vary(const std::vector<double>& found, std::span<double> noise) {
    const Index d = weights_.noise();
    const auto size = static_cast<Index>(noise.size());
    const bool flips = chance(random_, 4);
    for (Index i = 0; i < size; ++i) {
      noise[i] = found[i] * (flips && chance(random_, 1) ? -1 : 1);
    }
    for (Index i = 0; !flips && i < size; i += d) {
      if (!chance(random_, 2)) continue;
      const Index source = static_cast<Index>(random_() % (size / d)) * d;
      std::copy_n(found.begin() + source, d, noise.begin() + i);
    }
  }

  // More starts, every other from what was found with some of it flipped.
  void restart(Arm& arm, std::size_t restarts) {
    StackPass pass(weights_, arm.shape);
    const Index count = std::min(batch(arm.shape), static_cast<Index>(restarts));
    const std::vector<StackGoal> goals(count, arm.goal);
    for (std::size_t start = 0; start < restarts && !effort_.is_over(); start += count) {
      Rows noise = starts(pass, arm, count);
      for (Index b = 0; b < count; b += 2) {
        vary(arm.best.noise, row_of(noise, b));
      }
      std::vector<Candidate> best(count);
      climb(pass, goals, noise, effort_.steps / 2, best);
      for (const Candidate& found : best) keep(arm.best, found.value, found.noise);
    }
  }

  // Flips single coordinates, those of the least slope first, until none of them gains.
  void flip(Arm& arm) {
    constexpr Index kMost = 512;
    if (arm.best.noise.empty()) return;
    StackPass pass(weights_, arm.shape);
    const Index count = std::min(batch(arm.shape), pass.variables());
    const std::vector<StackGoal> goals(count, arm.goal);
    for (bool gained = true; gained;) {
      gained = false;
      const auto order = by_slope(pass, arm);
      const Index most = std::min(pass.variables(), kMost);
      for (Index done = 0; done < most && !effort_.is_over(); done += count) {
        const double before = arm.best.value;
        Rows noise(std::min(count, pass.variables() - done), pass.variables());
        for (Index b = 0; b < noise.rows(); ++b) {
          std::copy(arm.best.noise.begin(), arm.best.noise.end(), noise.row(b).data());
          noise(b, order[done + b]) *= -1;
        }
        const auto values = pass.values(noise, std::span(goals).first(noise.rows()));
        for (Index b = 0; b < noise.rows(); ++b) {
          keep(arm.best, values[b], row_of(noise, b));
        }
        gained = gained || arm.best.value > before;
      }
    }
  }

  std::vector<Index> by_slope(StackPass& pass, const Arm& arm) const {
    const Rows noise = Eigen::Map<const Rows>(arm.best.noise.data(), 1, pass.variables());
    Rows gradient;
    pass.values(noise, std::span(&arm.goal, 1), &gradient);
    std::vector<Index> order(arm.best.noise.size());
    std::iota(order.begin(), order.end(), 0);
    const auto loss_of_flip = [&](Index i) { return gradient(0, i) * noise(0, i); };
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return loss_of_flip(a) < loss_of_flip(b); });
    return order;
  }

  // Rows one longer or shorter and the longest, the trigger moved by one, or first, or not.
  [[nodiscard]] std::vector<SequenceShape> neighbours(const SequenceShape& shape) const {
    const auto [row, trigger] = shape;
    const Index longest = rows_ == RowClass::kPre ? last_ - 1 : length_;
    std::vector<SequenceShape> result;
    for (const Index i : {row - 1, row, row + 1, longest}) {
      for (const Index j : {trigger - 1, trigger, trigger + 1, first_}) {
        const bool is_other = i != row || j != trigger;
        if (is_other && is_in_class({i, j})) result.push_back({i, j});
      }
    }
    return result;
  }

  // What was found as a start for other rows, as long as that gains.
  void move_to_neighbours(Arm& arm) {
    for (bool gained = true; gained;) {
      gained = false;
      for (const SequenceShape& shape : neighbours(arm.shape)) {
        if (effort_.is_over()) return;
        Arm moved = {shape, arm.goal, {}};
        start_from(arm, moved);
        restart(moved, effort_.restarts / 4 + 1);
        flip(moved);
        if (worth(moved) <= worth(arm)) continue;
        arm = std::move(moved);
        gained = true;
      }
    }
  }

  // Keys repeat or drop out; the last token and the trigger keep theirs.
  void start_from(const Arm& arm, Arm& moved) {
    const Index d = weights_.noise();
    StackPass pass(weights_, moved.shape);
    Rows noise = random_vertices(1, pass.variables());
    for (Index position = 2; arm.shape.row > 1 && position <= moved.shape.row; ++position) {
      Index source = 2 + (position - 2) % std::max<Index>(1, arm.shape.row - 2);
      if (position == moved.shape.trigger) source = arm.shape.trigger;
      if (position == moved.shape.row) source = arm.shape.row;
      std::copy_n(arm.best.noise.data() + (source - 2) * d, d,
                  noise.row(0).data() + (position - 2) * d);
    }
    const auto value = pass.values(noise, std::span(&moved.goal, 1));
    keep(moved.best, value.front(), row_of(noise, 0));
  }

  StackWeights weights_;
  certificate::Box box_;
  Index length_;
  RowClass rows_;
  Index first_;  // of the trigger's positions
  Index last_;
  Index least_row_;
  AttackEffort effort_;
  Random random_;
};

}  // namespace

AttackResult attack_stack_loss(const model::AttentionModel& model, RowClass rows,
                               const TriggerRange& triggers, const AttackEffort& effort) {
  StackAttack search(model, rows, triggers, 1, effort);
  std::vector<StackGoal> goals;
  for (Index r = 0; r < static_cast<Index>(model.d_model); ++r) {
    for (const double sign : {1.0, -1.0}) {
      goals.push_back({.kind = StackGoal::Kind::kLoss, .sign = sign, .coordinate = r});
    }
  }
  const Arm best = search.run(goals);
  return {best.best.value, search.witness(best)};
}

AttackResult attack_stack_attention(const model::AttentionModel& model, RowClass rows,
                                    const TriggerRange& triggers, const StackAttentionGoal& goal,
                                    const AttackEffort& effort) {
  StackAttack search(model, rows, triggers, 2, effort);
  const bool normalised = model::is_normalised(model.attention);
  // Weights that are not shares of a sum rise with BOS's logit.
  StackGoal pushed;
  pushed.kind = normalised ? StackGoal::Kind::kLogOdds : StackGoal::Kind::kLogit;
  pushed.sign = goal.greatest ? 1 : -1;
  pushed.layer = goal.layer;
  pushed.head = goal.head;
  pushed.slot = goal.slot;
  const Arm best = search.run({pushed});
  const double signed_value = pushed.sign * search.worth(best);
  return {normalised ? logistic(signed_value) : signed_value, search.witness(best)};
}

AttackResult attack_stack_rollout(const model::AttentionModel& model, RowClass rows,
                                  const TriggerRange& triggers, bool greatest,
                                  const AttackEffort& effort) {
  StackAttack search(model, rows, triggers, 2, effort, true);
  const auto rollout = static_cast<Index>(model.d_model);
  StackGoal pushed{
      .kind = StackGoal::Kind::kLoss, .sign = greatest ? 1.0 : -1.0, .coordinate = rollout};
  const Arm best = search.run({pushed});
  AttackResult result{pushed.sign * best.best.value, search.witness(best)};
  result.witness.coordinate = 0;
  return result;
}

}  // namespace sinkproof::certify
