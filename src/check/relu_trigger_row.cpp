// CHECKPOINT_RULES.md, 4.16.
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

struct Scores {
  Rational centre;
  Rational deviation;
};

// factor * (score of a content key, maximised over its noise; or of the trigger on itself).
SignForm score_form(const Head& head, bool content, int factor) {
  SignForm form(head.noise);
  add_base(form, head, kTriggerFlag, content ? head.content_flag() : kTriggerFlag, factor);
  if (content) {
    for (std::size_t l = 0; l < head.noise; ++l) add_absolute_q(form, head, kTriggerFlag, l, 0, 1);
  } else {
    add_self(form, head, kTriggerFlag, factor);
  }
  return form;
}

Scores read_scores(const Head& head, const std::string& name, Obligations& proof) {
  const json::Value& object = proof.parameters()[name];
  keys(object, {"centre", "deviation"}, name);
  Scores scores{number(object, "centre", name), number(object, "deviation", name)};
  require(0 <= scores.deviation && scores.deviation <= scores.centre, name,
          "scores are not certainly positive");
  const bool content = name == "content";
  proof.at_most(score_form(head, content, 1), scores.centre + scores.deviation, name + " above");
  proof.at_most(score_form(head, content, -1), scores.deviation - scores.centre, name + " below");
  return scores;
}

// w, n_l and n of one side, and its targets.
struct ValueRow {
  Rational own = 0;
  std::vector<Rational> other;
  Rational norm = 0;
};

ValueRow value_row(const Head& head, const Side& side) {
  ValueRow row;
  row.other.resize(head.noise);
  for (std::size_t l = 0; l < head.noise; ++l) {
    const Rational value = noise_value(head, side, l);
    if (side.r == kNoise + l) {
      row.own = value;
    } else {
      row.other[l] = value;
      row.norm += exact::abs(value);
    }
  }
  return row;
}

// s times coordinate r of a token whose own coordinate r is z (of flags: 0).
Rational target(const Head& head, const Side& side, std::size_t flag, int z) {
  return token_value(head, side, flag) + z * token_value(head, side, side.r);
}

void add_content(SignForm& form, const Head& head, const Side& side, const ValueRow& row,
                 const Scores& scores, int z, const Rational& weight) {
  const bool noise = head.is_noise(side.r);
  const Rational mu = flag_value(head, side, head.content_flag()) + row.own * z;
  add_base(form, head, kTriggerFlag, head.content_flag(), weight * mu);
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (noise && side.r == kNoise + l) continue;
    add_absolute_q(form, head, kTriggerFlag, l, weight * scores.centre * row.other[l], weight * mu);
  }
  if (noise && z != 0) add_q(form, head, kTriggerFlag, side.r - kNoise, weight * mu * z);
  if (noise && z == 0) {
    add_absolute_q(form, head, kTriggerFlag, side.r - kNoise, 0, weight * exact::abs(row.own));
  }
  form.constant +=
      weight * (scores.deviation * row.norm - target(head, side, head.content_flag(), z));
}

void add_trigger(SignForm& form, const Head& head, const Side& side, const ValueRow& row,
                 const Scores& scores, int y, const Rational& weight) {
  const Rational nu = flag_value(head, side, kTriggerFlag) + row.own * y;
  add_base(form, head, kTriggerFlag, kTriggerFlag, weight * nu);
  add_self(form, head, kTriggerFlag, weight * nu);
  for (std::size_t l = 0; l < head.noise; ++l) {
    form.linear[l] += weight * scores.centre * row.other[l];
  }
  form.constant += weight * (scores.deviation * row.norm - target(head, side, kTriggerFlag, y));
}

void add_bos(SignForm& form, const Head& head, const Side& side, const Rational& weight) {
  const Rational value = flag_value(head, side, kBosFlag);
  if (value < 0) {
    add_base(form, head, kTriggerFlag, kBosFlag, weight * value);
    return;
  }
  add_base(form, head, kTriggerFlag, kBosFlag, weight * value / 2);
  add_absolute_base(form, head, kTriggerFlag, kBosFlag, weight * value / 2);
}

}  // namespace

void rule_relu_trigger_row(const Head& head, const Rational& upper, Obligations& proof) {
  keys(proof.parameters(), {"content", "trigger"}, "parameters");
  const Scores content = read_scores(head, "content", proof);
  const Scores trigger = read_scores(head, "trigger", proof);
  const Rational shares[] = {exact::make_rational(1, 2), exact::make_rational(1, head.length - 1)};
  for_each_side(head.width, [&](const Side& side) {
    const bool noise = head.is_noise(side.r);
    const std::vector<int> content_ends = noise ? std::vector<int>{-1, 0, 1} : std::vector<int>{0};
    const std::vector<int> trigger_ends = noise ? std::vector<int>{-1, 1} : std::vector<int>{0};
    const ValueRow row = value_row(head, side);
    for (const Rational& share : shares) {
      for (const int z : content_ends) {
        for (const int y : trigger_ends) {
          SignForm form(head.noise);
          add_content(form, head, side, row, content, z, 1 - share);
          add_trigger(form, head, side, row, trigger, y, share);
          add_bos(form, head, side, share);
          proof.at_most(form, upper, side.text());
        }
      }
    }
  });
}

}  // namespace sinkproof::check
