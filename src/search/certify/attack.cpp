#include "certify/attack.hpp"

#include <algorithm>
#include <cmath>

#include "certify/kernel.hpp"
#include "certify/row_ascent.hpp"

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

// Moves one coordinate at a time to the best of -1, 0, 1 until nothing gains.
void flip(RowProblem& problem, Candidate& best, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    const double before = best.value;
    for (std::size_t i = 0; i < best.noise.size(); ++i) {
      Noise noise = best.noise;
      for (const double choice : {-1.0, 0.0, 1.0}) {
        if (choice == best.noise[i]) continue;
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

// A whole sequence around the row.
Witness sequence_around(const Head& head, RowClass rows, std::size_t row, const Noise& noise) {
  const std::size_t trigger = rows == RowClass::kPre       ? head.length
                              : rows == RowClass::kTrigger ? row
                                                           : 3;
  return witness_at(head.width, head.box, head.length, trigger, row, noise);
}

// A peak of one aim.
struct Found {
  std::size_t coordinate = 0;
  int sign = 1;
  RowPeak peak;
};

void keep_best(std::vector<Found>& found, std::size_t count) {
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.peak.value > b.peak.value; });
  found.resize(std::min(found.size(), count));
}

// Restarts from rows of all lengths, the shortest and the longest more often.
std::vector<RowStart> starts_of(const Found& aim, RowRange range, std::size_t restarts) {
  std::vector<RowStart> starts;
  const std::size_t rows = range.last - range.first + 1;
  for (std::size_t i = 0; i < restarts; ++i) {
    const std::size_t turn = i + i / 8;  // every row goes every way: i's last bits, row_ascent.hpp
    const std::size_t inner = range.first + turn / 3 % rows;
    const std::size_t row = turn % 3 == 0 ? range.first : turn % 3 == 1 ? range.last : inner;
    const std::uint64_t stream = (2 * aim.coordinate + (aim.sign > 0 ? 1 : 0)) << 32U | i;
    starts.push_back({aim.coordinate, aim.sign, row, stream});
  }
  return starts;
}

// The best peak of each aim.
void climb(const RowAscent& ascent, std::vector<Found>& aims, RowRange range, std::size_t restarts,
           std::size_t steps) {
  std::vector<RowStart> starts;
  for (const Found& aim : aims) {
    const auto more = starts_of(aim, range, restarts);
    starts.insert(starts.end(), more.begin(), more.end());
  }
  std::vector<RowPeak> peaks = ascent.climb(starts, restarts, steps);
  for (std::size_t i = 0; i < aims.size(); ++i) aims[i].peak = std::move(peaks[i]);
}

// How many restarts each of so many aims can have, at most those asked for: the work is the same
// for layers of all widths.
std::size_t affordable(const Layer& layer, std::size_t aims, std::size_t restarts) {
  constexpr std::size_t kWork = std::size_t{1} << 25U;
  const std::size_t one = layer.heads.size() * layer.width() * (layer.width() + 32);
  return std::clamp<std::size_t>(kWork / (aims * one), 1, std::max<std::size_t>(restarts, 1));
}

// The same for rounds of flips of a whole row.
std::size_t affordable_rounds(const Layer& layer, std::size_t keys) {
  constexpr std::size_t kRounds = 6;
  constexpr std::size_t kWork = std::size_t{1} << 27U;
  const std::size_t value = layer.heads.size() * layer.width() * (layer.width() + 2 * keys);
  return std::min(kRounds, kWork / (2 * value * keys * layer.noise()));
}

// The best of what was found, all keys on their own, in doubles.
template <typename Aim>
AttackResult polish(const Layer& layer, RowClass rows, const std::vector<Found>& found,
                    const AttackEffort& effort, const Aim& aim) {
  AttackResult best;
  for (const Found& one : found) {
    RowProblem problem(layer, rows, one.peak.row);
    aim(problem, one);
    Candidate candidate;
    keep(candidate, problem.value(one.peak.noise), one.peak.noise);
    if (!effort.is_over()) flip(problem, candidate, affordable_rounds(layer, problem.keys()));
    if (!effort.is_over()) refine(problem, candidate);
    if (candidate.value <= best.value && best.witness.row != 0) continue;
    best.value = candidate.value;
    best.witness = sequence_around(layer.heads.front(), rows, one.peak.row, candidate.noise);
    best.witness.coordinate = one.coordinate;
    best.witness.sign = one.sign;
  }
  return best;
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

// The aims with the largest peaks, best first: a look at every coordinate and sign, then more and
// more restarts for fewer and fewer.
std::vector<Found> search_loss(const Layer& layer, RowClass rows, const AttackEffort& effort) {
  constexpr std::size_t kFewer = 4;  // of the aims, and as many times the restarts
  constexpr std::size_t kRounds = 3;
  constexpr std::size_t kLeast = 4;
  const RowAscent ascent(layer, rows, effort.seed);
  const RowRange range = rows_of(rows, layer.length());
  std::vector<Found> found;
  for (std::size_t r = 0; r < layer.width(); ++r) {
    for (const int sign : {1, -1}) found.push_back({r, sign, {}});
  }
  std::size_t restarts = effort.restarts;
  for (std::size_t round = 0; round < kRounds; ++round, restarts *= kFewer) {
    if (round > 0 && effort.is_over()) break;
    if (round > 0) keep_best(found, std::max(kLeast, found.size() / kFewer));
    climb(ascent, found, range, affordable(layer, found.size(), restarts), effort.steps);
  }
  keep_best(found, kLeast);
  return found;
}

// Where nothing is normalised a slot's weight is its own kernel over the number of keys, and grows
// with the logit, which is linear in the query's noise.
AttackResult extreme_kernel(const Layer& layer, RowClass rows, const AttentionGoal& goal) {
  const Head& head = layer.heads[goal.head];
  const std::size_t flag = rows == RowClass::kTrigger ? kTriggerFlag : head.content_flag();
  double logit = head.logit_float(flag, kBosFlag);
  Noise query(head.noise);
  for (std::size_t k = 0; k < head.noise; ++k) {
    const double slope = head.logit_float(kFirstNoise + k, kBosFlag);
    query[k] = (slope >= 0) == goal.greatest ? 1 : -1;
    logit += query[k] * slope;
  }
  const double extreme = kernel(layer.attention, logit, 0).value;
  const RowRange range = rows_of(rows, head.length);
  const std::size_t row = (extreme >= 0) == goal.greatest ? range.first : range.last;
  Noise noise((row - 1) * head.noise);
  std::copy(query.begin(), query.end(), noise.end() - static_cast<std::ptrdiff_t>(head.noise));
  const double weight = extreme / static_cast<double>(row - 1);
  return {goal.greatest ? weight : -weight, sequence_around(head, rows, row, noise)};
}

}  // namespace

AttackResult attack_loss(const Layer& layer, RowClass rows, const AttackEffort& effort) {
  const auto found = search_loss(layer, rows, effort);
  AttackResult best = polish(layer, rows, found, effort, [](RowProblem& problem, const Found& one) {
    problem.aim_at_loss(one.coordinate, one.sign);
  });
  if (rows == RowClass::kPre) try_first_row(layer, best);
  return best;
}

AttackResult attack_attention(const Layer& layer, RowClass rows, const AttentionGoal& goal,
                              const AttackEffort& effort) {
  if (!model::is_normalised(layer.attention)) return extreme_kernel(layer, rows, goal);
  constexpr std::size_t kRestarts = 16;  // as many times more than a loss's first look
  const RowAscent ascent(layer, rows, goal.slot, goal.head, effort.seed);
  std::vector<Found> found = {{0, goal.greatest ? 1 : -1, {}}};
  climb(ascent, found, rows_of(rows, layer.length()),
        affordable(layer, 1, kRestarts * effort.restarts), effort.steps);
  return polish(layer, rows, found, effort, [&](RowProblem& problem, const Found& one) {
    problem.aim_at_attention(goal.slot, goal.head, one.sign);
  });
}

}  // namespace sinkproof::certify
