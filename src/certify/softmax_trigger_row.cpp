#include "certify/softmax_trigger_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "certify/kernel.hpp"
#include "certify/logit_forms.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using exact::to_double_estimate;

constexpr double kLargestExponent = 650;  // exp of it, and of minus it, in doubles with room

struct Bounded {
  Rational bound;
  std::string tree;

  [[nodiscard]] double value() const { return to_double_estimate(bound); }
};

// What is true of every trigger row, whatever the coordinate.
struct Spread {
  std::vector<std::size_t> order;
  Bounded content;         // sup sum_l |q_l(u)|: content logits lie within +- this
  Bounded trigger_high;    // sup of the trigger key's relative logit
  Bounded trigger_low;     // sup of minus that
  Bounded bos_content;     // sup of BOS logit - content logit
  Bounded bos_trigger;     // sup of BOS logit - trigger key's logit
  Rational bos_share;      // >= BOS attention
  Rational trigger_most;   // >= share of the trigger under any p^xi
  Rational trigger_least;  // <= the same

  // Range of the relative logits.
  [[nodiscard]] double range() const {
    return std::max(content.value(), trigger_high.value()) +
           std::max(content.value(), trigger_low.value());
  }
};

std::optional<Bounded> bounded(const SignForm& form, std::span<const std::size_t> order,
                               const Effort& effort) {
  Maximum maximum = maximise(form, order, effort.margin, effort.nodes);
  // Up by a hair over the tree's own target, in a short form, and over what underflows.
  const auto bound = bound_above(maximum.value + 1e-12 * std::fabs(maximum.value) + kLeastEstimate);
  if (!bound) return std::nullopt;
  return Bounded{*bound, std::move(maximum.tree)};
}

SignForm trigger_key_form(const Head& head, double scale) {
  SignForm form(head.noise);
  add_base(form, head, kTriggerFlag, kTriggerFlag, scale);
  add_base(form, head, kTriggerFlag, head.content_flag(), -scale);
  add_self(form, head, kTriggerFlag, scale);
  return form;
}

// At least what BOS gets of a row when two other keys' logits are `content` and `trigger` above its
// own, to six digits of its share or of the rest, whichever is less. Nothing where doubles do not
// tell it from everything.
std::optional<Rational> most_bos_share(double content, double trigger, double margin) {
  // Cut off, so that nothing overflows: a smaller exp is a larger share.
  const auto weight = [](double logit) { return std::exp(std::min(logit, kLargestExponent)); };
  const double others = weight(content) + weight(trigger);
  const double share = 1 / (1 + others);
  if (share < 0.5) return bound_above(share * (1 + margin));
  constexpr double kLeast = 1e-9;  // doubles divide by the rest
  const auto rest = bound_below(others * share * (1 - margin));
  if (!rest || others < kLeast) return std::nullopt;
  return 1 - *rest;
}

// Nothing where the rule does not reach: BOS may take the whole row, or logits lie so far apart
// that the checker has no exp for them.
std::optional<Spread> find_spread(const Head& head, const Effort& effort) {
  SignForm content(head.noise);
  add_query_norm(content, head, kTriggerFlag);
  SignForm bos_content(head.noise);
  add_base(bos_content, head, kTriggerFlag, kBosFlag, 1);
  add_base(bos_content, head, kTriggerFlag, head.content_flag(), -1);
  add_query_norm(bos_content, head, kTriggerFlag);
  SignForm bos_trigger(head.noise);
  add_base(bos_trigger, head, kTriggerFlag, kBosFlag, 1);
  add_base(bos_trigger, head, kTriggerFlag, kTriggerFlag, -1);
  add_self(bos_trigger, head, kTriggerFlag, -1);

  const std::vector<std::size_t> order = influence_order(std::span(&content, 1));
  auto content_bound = bounded(content, order, effort);
  auto high_bound = bounded(trigger_key_form(head, 1), order, effort);
  auto low_bound = bounded(trigger_key_form(head, -1), order, effort);
  auto bos_content_bound = bounded(bos_content, order, effort);
  auto bos_trigger_bound = bounded(bos_trigger, order, effort);
  if (!content_bound || !high_bound || !low_bound || !bos_content_bound || !bos_trigger_bound) {
    return std::nullopt;
  }
  const double low = std::max(0.0, low_bound->value() + content_bound->value());
  const auto share =
      most_bos_share(-bos_content_bound->value(), -bos_trigger_bound->value(), effort.margin);
  if (!share || low > kMostExpArgument) return std::nullopt;
  const double high = std::max(0.0, high_bound->value() + content_bound->value());
  const double most = 1 / (1 + std::exp(-high));
  const double least =
      low < kLargestExponent ? 1 / (1 + static_cast<double>(head.length - 2) * std::exp(low)) : 0;
  const Rational trigger_most = bound_above(most * (1 + effort.margin)).value_or(1);
  return Spread{order,
                *std::move(content_bound),
                *std::move(high_bound),
                *std::move(low_bound),
                *std::move(bos_content_bound),
                *std::move(bos_trigger_bound),
                *share,
                std::min(trigger_most, Rational(1)),
                bound_below(least * (1 - effort.margin)).value_or(0)};
}

// One point of a lifted curve: weights of content keys at +1 (plus) and at -1 (minus), the share of
// the trigger, and the products of those with 1 - tau, 1 + tau and s - tau (tau the mean of
// coordinate r).
struct Mixture {
  double plus;
  double minus;
  double share;
  double plus_gap;     // plus * (1 - tau)
  double minus_gap;    // minus * (1 + tau)
  double trigger_gap;  // share * (s - tau)
  double tau;
  double side;  // s

  [[nodiscard]] Mixture mirrored() const {
    return {minus, plus, share, minus_gap, plus_gap, -trigger_gap, -tau, -side};
  }
};

// (t, t^2) on [first, last] lies in the hull of these points: the ends and, for each cell, the
// intersection of the tangents at its ends.
std::vector<std::array<double, 2>> enclose_parabola(const std::vector<double>& cells) {
  std::vector<std::array<double, 2>> points = {{cells.front(), cells.front() * cells.front()}};
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    points.push_back({(cells[i] + cells[i + 1]) / 2, cells[i] * cells[i + 1]});
  }
  points.push_back({cells.back(), cells.back() * cells.back()});
  return points;
}

struct Cells {
  std::vector<Rational>
      least;  // of the minus weight b in [0, 1 - trigger_least], least trigger share
  std::vector<Rational> most;  // b in [0, 1 - trigger_most], the trigger's share at its most
  std::vector<Rational> all;   // b in between, all other weight on the trigger
  std::vector<Rational> flag;  // of the trigger's share
};

std::vector<Rational> even_cells(const Rational& first, const Rational& last, int count) {
  std::vector<Rational> cells;
  for (int i = 0; i <= count; ++i) {
    cells.push_back(first + (last - first) * exact::make_rational(i, count));
  }
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  if (cells.size() == 1) cells.push_back(cells.front());
  return cells;
}

Cells choose_cells(const Spread& spread) {
  const Rational least_rest = 1 - spread.trigger_least;
  const Rational most_rest = 1 - spread.trigger_most;
  return {even_cells(0, least_rest, 10), even_cells(0, most_rest, 5),
          even_cells(most_rest, least_rest, 5),
          even_cells(spread.trigger_least, spread.trigger_most, 4)};
}

std::vector<double> estimates(const std::vector<Rational>& values) {
  std::vector<double> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), to_double_estimate);
  return result;
}

void add_fixed_share(std::vector<Mixture>& mixtures, const std::vector<Rational>& cells,
                     double share) {
  for (const auto& [b, square] : enclose_parabola(estimates(cells))) {
    mixtures.push_back({1 - share - b, b, share, 2 * (b * (1 - share) - square), 2 * (b - square),
                        2 * share * b, 1 - 2 * b, 1});
  }
}

// All mixtures for a noise coordinate, in the certificate's order: least, most, all (s = +1), then
// the same mirrored (s = -1).
std::vector<Mixture> mixtures(const Cells& cells, const Spread& spread) {
  std::vector<Mixture> sided;
  add_fixed_share(sided, cells.least, to_double_estimate(spread.trigger_least));
  add_fixed_share(sided, cells.most, to_double_estimate(spread.trigger_most));
  for (const auto& [b, square] : enclose_parabola(estimates(cells.all))) {
    sided.push_back({0, b, 1 - b, 0, 2 * (b - square), 2 * (b - square), 1 - 2 * b, 1});
  }
  std::vector<Mixture> result = sided;
  for (const Mixture& mixture : sided) result.push_back(mixture.mirrored());
  return result;
}

// The values less the identity, times the sign of the side to prove.
struct Residual {
  std::vector<double> noise;  // sign * (V - I)_rl, l = 0..d-1
  double content;             // sign * (V_r,content - target's share)
  double trigger;
  double bos;        // sign * V_r,bos
  double range = 0;  // of (v - x)_r over all keys
  double norm = 0;   // sum of |noise|
};

Residual residual(const Head& head, std::size_t r, int sign) {
  const double content_target = r == head.content_flag() ? 1 : 0;
  const double trigger_target = r == kTriggerFlag ? 1 : 0;
  Residual result{std::vector<double>(head.noise),
                  sign * (head.value_float(r, head.content_flag()) - content_target),
                  sign * (head.value_float(r, kTriggerFlag) - trigger_target),
                  sign * head.value_float(r, kBosFlag)};
  for (std::size_t l = 0; l < head.noise; ++l) {
    const double identity = r == kFirstNoise + l ? 1 : 0;
    result.noise[l] = sign * (head.value_float(r, kFirstNoise + l) - identity);
    result.norm += std::fabs(result.noise[l]);
  }
  result.range = std::fabs(result.content - result.trigger) + 2 * result.norm;
  return result;
}

SignForm noise_form(const Head& head, std::size_t r, int sign, const Residual& rest,
                    const Mixture& at) {
  const std::size_t own = r - kFirstNoise;
  SignForm form(head.noise);
  form.constant = (at.plus + at.minus) * rest.content + rest.noise[own] * (at.plus - at.minus) +
                  at.share * (rest.trigger + rest.noise[own] * at.side);
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (l == own) continue;
    form.linear[l] += at.share * rest.noise[l];
    add_absolute_query(form, head, kTriggerFlag, l, at.plus * rest.noise[l], sign * at.plus_gap);
    add_absolute_query(form, head, kTriggerFlag, l, at.minus * rest.noise[l], -sign * at.minus_gap);
  }
  // max(0, s q_r) (plus_gap + minus_gap) + max(0, -s q_r) share / 4.
  const double with = (at.plus_gap + at.minus_gap) / 2;
  const double against = at.share / 8;
  add_query(form, head, kTriggerFlag, own, sign * (with - against));
  add_absolute_query(form, head, kTriggerFlag, own, 0, with + against);
  const double scale = sign * at.trigger_gap;
  if (scale != 0) {
    add_base(form, head, kTriggerFlag, kTriggerFlag, scale);
    add_base(form, head, kTriggerFlag, head.content_flag(), -scale);
    add_self(form, head, kTriggerFlag, scale);
  }
  return form;
}

// For a flag coordinate, at trigger share pi with `square` standing for pi^2.
SignForm flag_form(const Head& head, std::size_t r, int sign, const Residual& rest, double share,
                   double square) {
  double kappa = 0;
  if (r == head.content_flag()) kappa = sign * (share - square);
  if (r == kTriggerFlag) kappa = -sign * (share - square);
  SignForm form(head.noise);
  form.constant = (1 - share) * rest.content + share * rest.trigger;
  for (std::size_t l = 0; l < head.noise; ++l) {
    form.linear[l] += share * rest.noise[l];
    add_absolute_query(form, head, kTriggerFlag, l, (1 - share) * rest.noise[l], kappa);
  }
  if (kappa != 0) {
    add_base(form, head, kTriggerFlag, kTriggerFlag, -kappa);
    add_base(form, head, kTriggerFlag, head.content_flag(), kappa);
    add_self(form, head, kTriggerFlag, -kappa);
  }
  return form;
}

// A form and the two other numbers its threshold needs.
struct Case {
  SignForm form;
  double target;  // sign * (mean of coordinate r under the mixture)
};

std::vector<Case> cases(const Head& head, std::size_t r, int sign, const Spread& spread,
                        const Cells& cells, const Residual& rest) {
  std::vector<Case> result;
  if (r >= kFirstNoise && r < head.content_flag()) {
    for (const Mixture& at : mixtures(cells, spread)) {
      result.push_back({noise_form(head, r, sign, rest, at), sign * at.tau});
    }
    return result;
  }
  for (const auto& [share, square] : enclose_parabola(estimates(cells.flag))) {
    double tau = 0;
    if (r == head.content_flag()) tau = 1 - share;
    if (r == kTriggerFlag) tau = share;
    result.push_back({flag_form(head, r, sign, rest, share, square), sign * tau});
  }
  return result;
}

double target_range(const Head& head, std::size_t r) {
  if (r == kBosFlag) return 0;
  return r == kTriggerFlag || r == head.content_flag() ? 1 : 2;
}

struct Attempt {
  std::vector<std::string> trees;  // one a case
  double needed =
      0;  // when trees is empty: an eta that the failing case would need; may be infinite
};

Attempt prove_coordinate(const Head& head, std::size_t r, const std::vector<Case>& all, double eta,
                         const Spread& spread, const Residual& rest, const Effort& effort) {
  const double share = to_double_estimate(spread.bos_share);
  const double remainder = spread.range() * rest.range / 4;
  Attempt attempt;
  for (const Case& one : all) {
    const double bos = rest.bos - one.target + spread.range() * target_range(head, r) / 4;
    const double threshold =
        std::min(eta, (eta - share * bos) / (1 - share)) - remainder - effort.margin * (1 + eta);
    const LeafTest passes = [&](std::span<const double> bounds) { return bounds[0] <= threshold; };
    TreeSearch search = search_tree(std::span(&one.form, 1), spread.order, passes, effort.nodes);
    if (!search.complete) return {{}, eta + std::max(search.worst - threshold, 0.0)};
    attempt.trees.push_back(std::move(search.tree));
  }
  return attempt;
}

json::Value texts(const std::vector<Rational>& values) {
  json::Value result = json::Value::array();
  for (const Rational& value : values) result.push_back(exact::to_string(value));
  return result;
}

json::Value spread_entry(const Spread& spread) {
  return {{"bos_content", exact::to_string(spread.bos_content.bound)},
          {"bos_share", exact::to_string(spread.bos_share)},
          {"bos_trigger", exact::to_string(spread.bos_trigger.bound)},
          {"content", exact::to_string(spread.content.bound)},
          {"trigger_high", exact::to_string(spread.trigger_high.bound)},
          {"trigger_least", exact::to_string(spread.trigger_least)},
          {"trigger_low", exact::to_string(spread.trigger_low.bound)},
          {"trigger_most", exact::to_string(spread.trigger_most)}};
}

}  // namespace

Proof bound_softmax_trigger_loss(const Head& head, double attained, const Effort& effort,
                                 Proof otherwise) {
  const auto spread = effort.roots_only ? std::nullopt : find_spread(head, effort);
  std::optional<Rational> eta = bound_above(std::max(attained * 1.002, 1e-300));
  if (!spread || !eta || *eta >= otherwise.bound) return otherwise;
  const Cells cells = choose_cells(*spread);
  double step = 0.004;
  std::vector<std::string> trees = {spread->content.tree, spread->trigger_high.tree,
                                    spread->trigger_low.tree, spread->bos_content.tree,
                                    spread->bos_trigger.tree};
  // A tree proves its case for every larger eta too, so each coordinate is settled once.
  for (std::size_t r = 0; r < head.width; ++r) {
    for (const int sign : {1, -1}) {
      const Residual rest = residual(head, r, sign);
      const std::vector<Case> all = cases(head, r, sign, *spread, cells, rest);
      const auto attempt_at = [&](const Rational& bound) {
        return prove_coordinate(head, r, all, to_double_estimate(bound), *spread, rest, effort);
      };
      Attempt attempt = attempt_at(*eta);
      while (attempt.trees.empty()) {
        eta = bound_above(std::max(attempt.needed * 1.003, to_double_estimate(*eta) * (1 + step)));
        step *= 1.2;
        if (!eta || *eta >= otherwise.bound) return otherwise;
        attempt = attempt_at(*eta);
      }
      for (std::string& tree : attempt.trees) trees.push_back(std::move(tree));
    }
  }
  const json::Value parameters = {{"spread", spread_entry(*spread)},
                                  {"cells",
                                   {{"all", texts(cells.all)},
                                    {"flag", texts(cells.flag)},
                                    {"most", texts(cells.most)},
                                    {"least", texts(cells.least)}}}};
  return {*eta, tree_proof("softmax-trigger-row", spread->order, parameters, trees)};
}

}  // namespace sinkproof::certify
