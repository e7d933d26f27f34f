#include "certify/attack.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "certify/kernel.hpp"

namespace sinkproof::certify {
namespace {

using Noise = std::vector<double>;

struct Candidate {
  double value = -HUGE_VAL;
  Noise noise;
};

// The first is kept whatever its value.
void keep(Candidate& best, double value, const Noise& noise) {
  if (value > best.value || best.noise.empty()) best = {value, noise};
}

Noise random_vertex(std::size_t size, std::mt19937_64& random) {
  Noise noise(size);
  for (double& u : noise) u = (random() & 1U) != 0 ? 1 : -1;
  return noise;
}

// Sets (some of) the coordinates to the sign of their derivative, again and again.
void climb(RowProblem& problem, Candidate& best, Noise noise, std::size_t steps,
           std::mt19937_64& random) {
  Noise gradient(noise.size());
  for (std::size_t step = 0; step < steps; ++step) {
    keep(best, problem.value(noise, gradient), noise);
    const bool all = step % 3 == 0;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      if (all || random() % 10 < 3) noise[i] = gradient[i] >= 0 ? 1 : -1;
    }
  }
  keep(best, problem.value(noise), noise);
}

// Moves one coordinate at a time to the best of -1, 0, 1 until nothing gains.
void flip(RowProblem& problem, Candidate& best) {
  for (int round = 0; round < 6; ++round) {
    const double before = best.value;
    for (std::size_t i = 0; i < best.noise.size(); ++i) {
      Noise noise = best.noise;
      for (const double choice : {-1.0, 0.0, 1.0}) {
        noise[i] = choice;
        keep(best, problem.value(noise), noise);
      }
    }
    if (best.value <= before) return;
  }
}

// A projected gradient with a step that adapts, on a grid of 2^-10 so that witnesses stay short.
void refine(RowProblem& problem, Candidate& best) {
  constexpr double kGrid = 1024;
  double step = 0.25;
  Noise gradient(best.noise.size());
  for (int round = 0; round < 60 && step > 1 / kGrid; ++round) {
    problem.value(best.noise, gradient);
    double top = 0;
    bool finite = true;
    for (const double g : gradient) {
      top = std::max(top, std::fabs(g));
      finite = finite && std::isfinite(g);
    }
    if (top == 0 || !finite) return;
    Noise noise = best.noise;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const double moved = std::clamp(noise[i] + step * gradient[i] / top, -1.0, 1.0);
      noise[i] = std::round(moved * kGrid) / kGrid;
    }
    const double before = best.value;
    keep(best, problem.value(noise), noise);
    step *= best.value > before ? 1.5 : 0.5;
  }
}

void search(RowProblem& problem, Candidate& best, std::size_t restarts, std::size_t steps,
            std::mt19937_64& random) {
  for (std::size_t start = 0; start < restarts; ++start) {
    climb(problem, best, random_vertex(problem.variables(), random), steps, random);
  }
}

// Keys follow their gradient while the query's noise stays as given, then everything may flip.
void climb_from_query(RowProblem& problem, Candidate& best, const std::vector<double>& query,
                      std::mt19937_64& random) {
  constexpr int kRounds = 8;
  Noise noise = random_vertex(problem.variables(), random);
  const std::size_t free = noise.size() - query.size();
  std::copy(query.begin(), query.end(), noise.begin() + static_cast<std::ptrdiff_t>(free));
  Noise gradient(noise.size());
  Candidate local;
  for (int round = 0; round < kRounds; ++round) {
    keep(local, problem.value(noise, gradient), noise);
    for (std::size_t i = 0; i < free; ++i) {
      if (round % 2 == 0 || random() % 2 == 0) noise[i] = gradient[i] >= 0 ? 1 : -1;
    }
  }
  keep(local, problem.value(noise), noise);
  if (local.value > 0.95 * best.value) flip(problem, local);
  keep(best, local.value, local.noise);
}

// The noise found for one row as a start for a row of another length: keys repeat or drop out, the
// query stays last.
Noise stretch(const Noise& noise, std::size_t d, std::size_t keys) {
  const std::size_t from = noise.size() / d;
  Noise result(keys * d);
  for (std::size_t i = 0; i < keys; ++i) {
    const std::size_t source = i + 1 == keys ? from - 1 : (from > 1 ? i % (from - 1) : 0);
    std::copy_n(noise.begin() + static_cast<std::ptrdiff_t>(source * d), d,
                result.begin() + static_cast<std::ptrdiff_t>(i * d));
  }
  return result;
}

std::vector<std::size_t> rows_to_try(std::size_t length, RowClass rows) {
  std::vector<std::size_t> result;
  if (rows == RowClass::kPre) result = {2, 3, length - 1};
  if (rows == RowClass::kPost) result = {4, 5, length};
  if (rows == RowClass::kTrigger) {
    const std::size_t stride = std::max<std::size_t>(1, length / 16);
    for (std::size_t j = 3; j <= length; j += j < 8 ? 1 : stride) result.push_back(j);
    result.push_back(length - 1);
    result.push_back(length);
  }
  const std::size_t least = rows == RowClass::kPre ? 2 : rows == RowClass::kTrigger ? 3 : 4;
  const std::size_t most = rows == RowClass::kPre ? length - 1 : length;
  std::erase_if(result, [&](std::size_t row) { return row < least || row > most; });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// A whole sequence around the row.
Witness sequence_around(const Head& head, RowClass rows, std::size_t row, const Noise& noise) {
  const std::size_t trigger = rows == RowClass::kPre       ? head.length
                              : rows == RowClass::kTrigger ? row
                                                           : 3;
  return witness_at(head.width, head.box, head.length, trigger, row, noise);
}

struct Aim {
  std::size_t coordinate;
  int sign;
};

struct Scored {
  double value;
  Aim aim;
  Noise noise;
};

// A quick look at every coordinate and side, to spend the rest of the effort where the loss is
// large.
std::vector<Scored> shortlist(const Layer& layer, RowClass rows, std::size_t row,
                              std::mt19937_64& random) {
  constexpr std::size_t kQuickStarts = 3;
  constexpr std::size_t kQuickSteps = 15;
  constexpr std::size_t kKept = 6;
  RowProblem problem(layer, rows, row);
  std::vector<Scored> scored;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    for (const int sign : {1, -1}) {
      problem.aim_at_loss(r, sign);
      Candidate best;
      search(problem, best, kQuickStarts, kQuickSteps, random);
      scored.push_back({best.value, {r, sign}, std::move(best.noise)});
    }
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.value > b.value; });
  scored.resize(std::min(scored.size(), kKept));
  return scored;
}

// Row 1 sees only BOS: known without a search.
void try_first_row(const Layer& layer, AttackResult& best) {
  std::vector<double> weights;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const double logit = layer.heads[h].logit_float(kBosFlag, kBosFlag);
    double weight = 1;
    if (layer.has_null_slot()) weight = logistic(logit);
    if (!model::is_normalised(layer.attention)) weight = kernel(layer.attention, logit, 0).value;
    if (layer.is_gated()) {
      weight *= logistic(layer.gates[h].bias_float + layer.gates[h].weight_float[kBosFlag]);
    }
    weights.push_back(weight);
  }
  for (std::size_t r = 0; r < layer.width(); ++r) {
    double out = layer.constant_float[r];
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      out += weights[h] * layer.heads[h].value_float(r, kBosFlag);
    }
    if (std::fabs(out) <= best.value) continue;
    best.value = std::fabs(out);
    best.witness = sequence_around(layer.heads.front(), RowClass::kPre, 1, {});
    best.witness.coordinate = r;
    best.witness.sign = out >= 0 ? 1 : -1;
  }
}

}  // namespace

AttackResult attack_loss(const Layer& layer, RowClass rows, const AttackEffort& effort,
                         const QueryStarts& starts) {
  std::mt19937_64 random(effort.seed);
  const auto positions = rows_to_try(layer.length(), rows);
  AttackResult best;
  best.value = -HUGE_VAL;
  for (const std::size_t seed_row : {positions.front(), positions.back()}) {
    for (const Scored& start : shortlist(layer, rows, seed_row, random)) {
      const auto queries = starts ? starts(start.aim.coordinate, start.aim.sign)
                                  : std::vector<std::vector<double>>();
      for (const std::size_t row : positions) {
        RowProblem problem(layer, rows, row);
        problem.aim_at_loss(start.aim.coordinate, start.aim.sign);
        Candidate candidate;
        climb(problem, candidate, stretch(start.noise, layer.noise(), problem.keys()), effort.steps,
              random);
        search(problem, candidate, effort.restarts, effort.steps, random);
        for (const auto& query : queries) climb_from_query(problem, candidate, query, random);
        if (candidate.value > 0.9 * best.value) {
          flip(problem, candidate);
          refine(problem, candidate);
        }
        if (candidate.value <= best.value && best.witness.row != 0) continue;
        best.value = candidate.value;
        best.witness = sequence_around(layer.heads.front(), rows, row, candidate.noise);
        best.witness.coordinate = start.aim.coordinate;
        best.witness.sign = start.aim.sign;
      }
    }
  }
  if (rows == RowClass::kPre) try_first_row(layer, best);
  return best;
}

AttackResult attack_attention(const Layer& layer, RowClass rows, const AttentionGoal& goal,
                              const AttackEffort& effort) {
  std::mt19937_64 random(effort.seed);
  const auto positions = rows_to_try(layer.length(), rows);
  AttackResult best;
  best.value = -HUGE_VAL;
  // What a slot gets moves one way with the number of keys: the shortest or the longest row.
  for (const std::size_t row : {positions.front(), positions.back()}) {
    RowProblem problem(layer, rows, row);
    problem.aim_at_attention(goal.slot, goal.head, goal.greatest ? 1 : -1);
    Candidate candidate;
    search(problem, candidate, 2 * effort.restarts, effort.steps, random);
    flip(problem, candidate);
    refine(problem, candidate);
    if (candidate.value <= best.value && best.witness.row != 0) continue;
    best.value = candidate.value;
    best.witness = sequence_around(layer.heads.front(), rows, row, candidate.noise);
  }
  return best;
}

Witness relu_bos_ceiling_witness(const Head& head, RowClass rows) {
  const std::size_t row = rows == RowClass::kPre ? 2 : rows == RowClass::kTrigger ? 3 : 4;
  Noise noise((row - 1) * head.noise);
  for (std::size_t k = 0; k < head.noise; ++k) {
    noise[(row - 2) * head.noise + k] = head.logit_float(kFirstNoise + k, kBosFlag) >= 0 ? 1 : -1;
  }
  return sequence_around(head, rows, row, noise);
}

}  // namespace sinkproof::certify
