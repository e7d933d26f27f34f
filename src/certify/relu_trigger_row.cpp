#include "certify/relu_trigger_row.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "certify/logit_forms.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using exact::to_double_estimate;

// |score - centre| <= deviation for every key of one kind in every trigger row.
struct Scores {
  Rational centre;
  Rational deviation = 1;
  std::string above;  // tree for score - centre <= deviation; empty where none was found
  std::string below;  // tree for centre - score <= deviation; the same

  [[nodiscard]] bool proved_positive() const {
    return deviation <= centre && to_double_estimate(centre) > kLeastEstimate && !above.empty() &&
           !below.empty();
  }
  [[nodiscard]] json::Value entry() const {
    return {{"centre", exact::to_string(centre)}, {"deviation", exact::to_string(deviation)}};
  }
};

// sign * score of a content key, or of the trigger as its own key.
SignForm score_form(const Head& head, bool content, double sign) {
  SignForm form(head.noise);
  add_base(form, head, kTriggerFlag, content ? head.content_flag() : kTriggerFlag, sign);
  if (content) {
    add_query_norm(form, head, kTriggerFlag);
  } else {
    add_self(form, head, kTriggerFlag, sign);
  }
  return form;
}

SignForm shifted(SignForm form, double shift) {
  form.constant += shift;
  return form;
}

Scores find_scores(const Head& head, bool content, std::span<const std::size_t> order,
                   const Effort& effort) {
  const double high = maximise(score_form(head, content, 1), order, 0, effort.nodes).value;
  const double low = -maximise(score_form(head, content, -1), order, 0, effort.nodes).value;
  Scores scores;
  if (!std::isfinite(high) || !std::isfinite(low)) return scores;
  scores.centre = short_dyadic((high + low) / 2);
  const double centre = to_double_estimate(scores.centre);
  const double size = std::fabs(high) + std::fabs(low);
  const auto deviation = bound_above(std::max(high - centre, centre - low) + 1e-6 * size);
  if (!deviation) return scores;
  scores.deviation = *deviation;
  const double target = to_double_estimate(scores.deviation) - effort.margin * size;
  const LeafTest passes = [&](std::span<const double> bounds) { return bounds[0] <= target; };
  const SignForm above = shifted(score_form(head, content, 1), -centre);
  const SignForm below = shifted(score_form(head, content, -1), centre);
  TreeSearch over = search_tree(std::span(&above, 1), order, passes, 4 * effort.nodes);
  TreeSearch under = search_tree(std::span(&below, 1), order, passes, 4 * effort.nodes);
  if (over.complete) scores.above = std::move(over.tree);
  if (under.complete) scores.below = std::move(under.tree);
  return scores;
}

// Row r of V, times the sign of the side to prove.
struct ValueRow {
  double content = 0;
  double trigger = 0;
  double bos = 0;
  double own = 0;             // coefficient of the token's own coordinate r, for noise r
  std::vector<double> other;  // the other noise coefficients, 0 at r
  double norm = 0;            // sum of |other|
  bool noise = false;
  double content_target = 0;  // sign * coordinate r of a content token, for flag r
  double trigger_target = 0;
};

ValueRow value_row(const Head& head, std::size_t r, int sign) {
  ValueRow row;
  row.content = sign * head.value_float(r, head.content_flag());
  row.trigger = sign * head.value_float(r, kTriggerFlag);
  row.bos = sign * head.value_float(r, kBosFlag);
  row.noise = r >= kFirstNoise && r < head.content_flag();
  row.other.resize(head.noise);
  for (std::size_t l = 0; l < head.noise; ++l) {
    const double value = sign * head.value_float(r, kFirstNoise + l);
    if (r == kFirstNoise + l) {
      row.own = value;
    } else {
      row.other[l] = value;
      row.norm += std::fabs(value);
    }
  }
  row.content_target = r == head.content_flag() ? sign : 0;
  row.trigger_target = r == kTriggerFlag ? sign : 0;
  return row;
}

// share * phi with the content key's own coordinate at z (-1, 0 or 1; 0 for flag coordinates).
void add_content(SignForm& form, const Head& head, std::size_t r, int sign, const ValueRow& row,
                 const Scores& scores, int z, double share) {
  const double main = row.content + row.own * z;
  const double centre = to_double_estimate(scores.centre);
  add_base(form, head, kTriggerFlag, head.content_flag(), share * main);
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (row.noise && r == kFirstNoise + l) {
      if (z == 0) {
        add_absolute_query(form, head, kTriggerFlag, l, 0, share * std::fabs(row.own));
      } else {
        add_query(form, head, kTriggerFlag, l, share * main * z);
      }
    } else {
      add_absolute_query(form, head, kTriggerFlag, l, share * centre * row.other[l], share * main);
    }
  }
  const double target = row.noise ? sign * z : row.content_target;
  form.constant += share * (to_double_estimate(scores.deviation) * row.norm - target);
}

// share * psi with the trigger's own coordinate at z (-1 or 1; 0 for flag coordinates).
void add_trigger(SignForm& form, const Head& head, int sign, const ValueRow& row,
                 const Scores& scores, int z, double share) {
  const double main = row.trigger + row.own * z;
  const double centre = to_double_estimate(scores.centre);
  add_base(form, head, kTriggerFlag, kTriggerFlag, share * main);
  add_self(form, head, kTriggerFlag, share * main);
  for (std::size_t k = 0; k < head.noise; ++k) form.linear[k] += share * centre * row.other[k];
  const double target = row.noise ? sign * z : row.trigger_target;
  form.constant += share * (to_double_estimate(scores.deviation) * row.norm - target);
}

// share * relu(BOS score) * v: (score + |score|) / 2 for v >= 0, and at most score * v for v < 0.
void add_bos(SignForm& form, const Head& head, double value, double share) {
  const double scale = share * (value >= 0 ? value / 2 : value);
  add_base(form, head, kTriggerFlag, kBosFlag, scale);
  if (value <= 0) return;
  std::vector<double> row(head.noise);
  for (std::size_t k = 0; k < head.noise; ++k) {
    row[k] = scale * head.logit_float(kFirstNoise + k, kBosFlag);
  }
  form.add_absolute(scale * head.logit_float(kTriggerFlag, kBosFlag), row);
}

std::vector<double> shares(const Head& head) {
  return {0.5, 1 / static_cast<double>(head.length - 1)};
}

std::vector<SignForm> cases(const Head& head, std::size_t r, int sign, const Scores& content,
                            const Scores& trigger) {
  const ValueRow row = value_row(head, r, sign);
  std::vector<SignForm> forms;
  const std::vector<int> content_ends =
      row.noise ? std::vector<int>{-1, 0, 1} : std::vector<int>{0};
  const std::vector<int> trigger_ends = row.noise ? std::vector<int>{-1, 1} : std::vector<int>{0};
  for (const double share : shares(head)) {
    for (const int z : content_ends) {
      for (const int trigger_z : trigger_ends) {
        SignForm form(head.noise);
        add_content(form, head, r, sign, row, content, z, 1 - share);
        add_trigger(form, head, sign, row, trigger, trigger_z, share);
        add_bos(form, head, row.bos, share);
        forms.push_back(std::move(form));
      }
    }
  }
  return forms;
}

}  // namespace

std::optional<Proof> bound_relu_trigger_loss(const Head& head, double attained,
                                             const Effort& effort) {
  if (effort.roots_only) return std::nullopt;
  const SignForm norms = score_form(head, true, 1);
  const auto order = influence_order(std::span(&norms, 1));
  const Scores content = find_scores(head, true, order, effort);
  const Scores trigger = find_scores(head, false, order, effort);
  std::optional<Rational> eta = bound_above(std::max(attained * 1.002, 1e-300));
  if (!content.proved_positive() || !trigger.proved_positive() || !eta) return std::nullopt;
  double step = 0.004;
  std::vector<std::string> trees = {content.above, content.below, trigger.above, trigger.below};
  for (std::size_t r = 0; r < head.width; ++r) {
    for (const int sign : {1, -1}) {
      for (const SignForm& form : cases(head, r, sign, content, trigger)) {
        while (true) {
          const double limit =
              to_double_estimate(*eta) - effort.margin * (1 + to_double_estimate(*eta));
          const LeafTest passes = [&](std::span<const double> bounds) {
            return bounds[0] <= limit;
          };
          TreeSearch search = search_tree(std::span(&form, 1), order, passes, effort.nodes);
          if (search.complete) {
            trees.push_back(std::move(search.tree));
            break;
          }
          eta = bound_above(std::max(search.worst * 1.003, to_double_estimate(*eta) * (1 + step)));
          if (!eta) return std::nullopt;
          step *= 1.2;
        }
      }
    }
  }
  const json::Value parameters = {{"content", content.entry()}, {"trigger", trigger.entry()}};
  return Proof{*eta, tree_proof("relu-trigger-row", order, parameters, trees)};
}

}  // namespace sinkproof::certify
