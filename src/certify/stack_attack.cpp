#include "certify/stack_attack.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "certify/kernel.hpp"
#include "certify/stack_pass.hpp"

namespace sinkproof::certify {
namespace {

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

std::span<double> row_of(Rows& rows, std::size_t b) {
  return {rows.row(b).data(), static_cast<std::size_t>(rows.cols())};
}

// True in `eighths` of 8 cases.
bool chance(Random& random, unsigned eighths) { return random() % 8 < eighths; }

class StackSearch {
 public:
  StackSearch(const model::AttentionModel& model, RowClass rows, const TriggerRange& triggers,
              std::size_t least_row, const AttackEffort& effort)
      : weights_(model),
        length_(model.length),
        rows_(rows),
        triggers_(triggers),
        least_row_(least_row),
        effort_(effort),
        random_(effort.seed) {}

  // The best of these goals over all rows of the class.
  Arm run(const std::vector<StackGoal>& goals) {
    std::vector<Arm> arms;
    for (const SequenceShape& shape : screened_shapes()) screen(shape, goals, arms);
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
    const double keys = static_cast<double>(std::max<std::size_t>(1, arm.shape.row - 1));
    const double sign = arm.goal.sign;
    return sign * kernel(weights_.attention, sign * arm.best.value, 0).value / keys;
  }

  [[nodiscard]] const StackWeights& weights() const { return weights_; }

  [[nodiscard]] Witness witness(const Arm& arm) const {
    Witness result =
        witness_at(weights_.width, length_, arm.shape.trigger, arm.shape.row, arm.best.noise);
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
  static std::vector<std::size_t> some(std::size_t first, std::size_t last) {
    const std::size_t span = last - first;
    std::vector<std::size_t> result = {
        first, first + 1, first + span / 4, first + span / 2, last - std::min<std::size_t>(span, 1),
        last};
    std::erase_if(result, [&](std::size_t x) { return x > last; });
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  [[nodiscard]] std::vector<SequenceShape> screened_shapes() const {
    std::vector<SequenceShape> shapes;
    if (rows_ == RowClass::kPre) {
      for (const std::size_t i : some(least_row_, triggers_.last - 1)) {
        shapes.push_back({i, triggers_.last});
      }
      return shapes;
    }
    const std::size_t last = rows_ == RowClass::kPost ? length_ - 1 : length_;
    for (const std::size_t j : some(triggers_.first, std::min(triggers_.last, last))) {
      if (rows_ == RowClass::kTrigger) {
        shapes.push_back({j, j});
        continue;
      }
      for (const std::size_t i : some(j + 1, length_)) shapes.push_back({i, j});
    }
    return shapes;
  }

  [[nodiscard]] bool is_in_class(const SequenceShape& shape) const {
    const auto [i, j] = shape;
    if (i < least_row_ || i > length_ || j < triggers_.first || j > triggers_.last) return false;
    if (rows_ == RowClass::kTrigger) return i == j;
    return rows_ == RowClass::kPre ? i < j : i > j;
  }

  [[nodiscard]] std::size_t batch(const SequenceShape& shape) const {
    constexpr std::size_t kTokens =
        128;  // at a time: what a layer keeps of them stays in the cache
    return std::max<std::size_t>(1, kTokens / shape.row);
  }

  Rows random_vertices(std::size_t sequences, std::size_t variables) {
    Rows noise(sequences, variables);
    for (std::size_t b = 0; b < sequences; ++b) {
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
      for (std::size_t b = 0; b < values.size(); ++b) {
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
    for (std::size_t b = 0; b < values.size(); ++b) keep(best[b], values[b], row_of(noise, b));
  }

  // Vertices to start from. Half of them after a few steps towards a large logit of some key: where
  // kernels vanish below 0 the goal itself has no slope at most vertices. Half of them with that
  // key's noise at all tokens but the last: rows are often worst when their keys are alike.
  Rows starts(StackPass& pass, const Arm& arm, std::size_t sequences) {
    constexpr std::size_t kSteps = 3;
    const std::size_t d = weights_.noise();
    Rows noise = random_vertices(sequences, pass.variables());
    const Rows cold = noise;
    StackGoal goal;
    goal.kind = StackGoal::Kind::kLogit;
    const bool loss = arm.goal.kind == StackGoal::Kind::kLoss;
    goal.layer = random_() % (loss ? weights_.layers.size() : arm.goal.layer + 1);
    std::vector<StackGoal> goals;
    for (std::size_t b = 0; b < sequences; ++b) {
      goal.head = random_() % weights_.layers.front().heads.size();
      goal.key = random_() % arm.shape.row;
      goals.push_back(goal);
    }
    climb(pass, goals, noise, kSteps, {});
    for (std::size_t b = 0; b < sequences; ++b) {
      if (chance(random_, 4)) noise.row(b) = cold.row(b);
      if (goals[b].key == 0 || chance(random_, 4)) continue;
      const Eigen::RowVectorXd alike = noise.row(b).segment((goals[b].key - 1) * d, d);
      for (std::size_t k = 0; k + 2 < arm.shape.row; ++k) noise.row(b).segment(k * d, d) = alike;
    }
    return noise;
  }

  // A quick look at every goal, to spend the rest of the effort where it pays.
  void screen(const SequenceShape& shape, const std::vector<StackGoal>& goals,
              std::vector<Arm>& arms) {
    constexpr std::size_t kSteps = 5;
    // Over all goals, and two for each.
    const std::size_t starts_each = std::max<std::size_t>(2, 8 * effort_.restarts / goals.size());
    const std::size_t first = arms.size();
    for (const StackGoal& goal : goals) arms.push_back({shape, goal, {}});
    StackPass pass(weights_, shape);
    for (std::size_t start = 0; start < starts_each; ++start) {
      for (std::size_t done = 0; done < goals.size(); done += batch(shape)) {
        const std::size_t count = std::min(batch(shape), goals.size() - done);
        std::vector<Candidate> best(count);
        const std::span<const StackGoal> part(goals.data() + done, count);
        Rows noise = starts(pass, arms[first], count);
        climb(pass, part, noise, kSteps, best);
        for (std::size_t b = 0; b < count; ++b) {
          keep(arms[first + done + b].best, best[b].value, best[b].noise);
        }
      }
    }
  }

  // What was found with an eighth of its signs flipped, or some tokens' noise given to others.
  void vary(const std::vector<double>& found, std::span<double> noise) {
    const std::size_t d = weights_.noise();
    const bool flips = chance(random_, 4);
    for (std::size_t i = 0; i < noise.size(); ++i) {
      noise[i] = found[i] * (flips && chance(random_, 1) ? -1 : 1);
    }
    for (std::size_t i = 0; !flips && i < noise.size(); i += d) {
      if (!chance(random_, 2)) continue;
      const std::size_t source = random_() % (noise.size() / d) * d;
      std::copy_n(found.begin() + source, d, noise.begin() + i);
    }
  }

  // More starts, every other from what was found with some of it flipped.
  void restart(Arm& arm, std::size_t restarts) {
    StackPass pass(weights_, arm.shape);
    const std::size_t count = std::min(batch(arm.shape), restarts);
    const std::vector<StackGoal> goals(count, arm.goal);
    for (std::size_t start = 0; start < restarts; start += count) {
      Rows noise = starts(pass, arm, count);
      for (std::size_t b = 0; b < count; b += 2) {
        vary(arm.best.noise, row_of(noise, b));
      }
      std::vector<Candidate> best(count);
      climb(pass, goals, noise, effort_.steps / 2, best);
      for (const Candidate& found : best) keep(arm.best, found.value, found.noise);
    }
  }

  // Flips single coordinates, those of the least slope first, until none of them gains.
  void flip(Arm& arm) {
    constexpr std::size_t kMost = 512;
    if (arm.best.noise.empty()) return;
    StackPass pass(weights_, arm.shape);
    const std::size_t count = std::min(batch(arm.shape), arm.best.noise.size());
    const std::vector<StackGoal> goals(count, arm.goal);
    for (bool gained = true; gained;) {
      gained = false;
      const auto order = by_slope(pass, arm);
      const std::size_t most = std::min(order.size(), kMost);
      for (std::size_t done = 0; done < most; done += count) {
        const double before = arm.best.value;
        Rows noise(std::min(count, order.size() - done), order.size());
        for (Eigen::Index b = 0; b < noise.rows(); ++b) {
          std::copy(arm.best.noise.begin(), arm.best.noise.end(), noise.row(b).data());
          noise(b, order[done + b]) *= -1;
        }
        const auto values = pass.values(noise, std::span(goals).first(noise.rows()));
        for (Eigen::Index b = 0; b < noise.rows(); ++b) {
          keep(arm.best, values[b], row_of(noise, b));
        }
        gained = gained || arm.best.value > before;
      }
    }
  }

  std::vector<std::size_t> by_slope(StackPass& pass, const Arm& arm) const {
    const Rows noise = Eigen::Map<const Rows>(arm.best.noise.data(), 1, arm.best.noise.size());
    Rows gradient;
    pass.values(noise, std::span(&arm.goal, 1), &gradient);
    std::vector<std::size_t> order(arm.best.noise.size());
    std::iota(order.begin(), order.end(), 0);
    const auto loss_of_flip = [&](std::size_t i) { return gradient(0, i) * noise(0, i); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return loss_of_flip(a) < loss_of_flip(b);
    });
    return order;
  }

  // Rows one longer or shorter and the longest, the trigger moved by one, or first, or not.
  [[nodiscard]] std::vector<SequenceShape> neighbours(const SequenceShape& shape) const {
    const auto [row, trigger] = shape;
    const std::size_t longest = rows_ == RowClass::kPre ? triggers_.last - 1 : length_;
    std::vector<SequenceShape> result;
    for (const std::size_t i : {row - 1, row, row + 1, longest}) {
      for (const std::size_t j : {trigger - 1, trigger, trigger + 1, triggers_.first}) {
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
    const std::size_t d = weights_.noise();
    StackPass pass(weights_, moved.shape);
    Rows noise = random_vertices(1, pass.variables());
    for (std::size_t position = 2; arm.shape.row > 1 && position <= moved.shape.row; ++position) {
      std::size_t source = 2 + (position - 2) % std::max<std::size_t>(1, arm.shape.row - 2);
      if (position == moved.shape.trigger) source = arm.shape.trigger;
      if (position == moved.shape.row) source = arm.shape.row;
      std::copy_n(arm.best.noise.data() + (source - 2) * d, d,
                  noise.row(0).data() + (position - 2) * d);
    }
    const auto value = pass.values(noise, std::span(&moved.goal, 1));
    keep(moved.best, value.front(), row_of(noise, 0));
  }

  StackWeights weights_;
  std::size_t length_;
  RowClass rows_;
  TriggerRange triggers_;
  std::size_t least_row_;
  AttackEffort effort_;
  Random random_;
};

}  // namespace

AttackResult attack_stack_loss(const model::AttentionModel& model, RowClass rows,
                               const TriggerRange& triggers, const AttackEffort& effort) {
  StackSearch search(model, rows, triggers, 1, effort);
  std::vector<StackGoal> goals;
  for (std::size_t r = 0; r < model.d_model; ++r) {
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
  StackSearch search(model, rows, triggers, 2, effort);
  const bool normalised = model::is_normalised(model.attention);
  // Weights that are no shares of a sum rise with BOS's logit.
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

}  // namespace sinkproof::certify
