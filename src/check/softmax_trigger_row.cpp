// CHECKPOINT_RULES.md, 4.14.
#include "check/exp_bound.hpp"
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;

struct Spread {
  Rational rho;   // range of the logits relative to a content key of zero noise
  Rational beta;  // most BOS attention
  Rational pi;    // most share of the trigger
  Rational low;   // least share of the trigger
};

// sum_l |q(T)_l|
void add_norm(SignForm& form, const Head& head) {
  for (std::size_t l = 0; l < head.noise; ++l) add_absolute_q(form, head, kTriggerFlag, l, 0, 1);
}

// The trigger's own logit relative to a content key of zero noise, times `factor`.
void add_own_logit(SignForm& form, const Head& head, const Rational& factor) {
  add_base(form, head, kTriggerFlag, kTriggerFlag, factor);
  add_base(form, head, kTriggerFlag, head.content_flag(), -factor);
  add_self(form, head, kTriggerFlag, factor);
}

Spread read_spread(const Head& head, Obligations& proof) {
  const json::Value& object = proof.parameters()["spread"];
  keys(object,
       {"bos_content", "bos_share", "bos_trigger", "content", "trigger_high", "trigger_least",
        "trigger_low", "trigger_most"},
       "spread");
  const auto proved = [&](const std::string& name, const SignForm& form) {
    Rational bound = number(object, name, "spread");
    proof.at_most(form, bound, "spread." + name);
    return bound;
  };
  SignForm content_form(head.noise);
  add_norm(content_form, head);
  SignForm high_form(head.noise);
  add_own_logit(high_form, head, 1);
  SignForm low_form(head.noise);
  add_own_logit(low_form, head, -1);
  SignForm bos_content_form(head.noise);
  add_base(bos_content_form, head, kTriggerFlag, kBosFlag, 1);
  add_base(bos_content_form, head, kTriggerFlag, head.content_flag(), -1);
  add_norm(bos_content_form, head);
  SignForm bos_trigger_form(head.noise);
  add_base(bos_trigger_form, head, kTriggerFlag, kBosFlag, 1);
  add_base(bos_trigger_form, head, kTriggerFlag, kTriggerFlag, -1);
  add_self(bos_trigger_form, head, kTriggerFlag, -1);

  const Rational content = proved("content", content_form);
  const Rational high = proved("trigger_high", high_form);
  const Rational low = proved("trigger_low", low_form);
  const Rational bos_content = proved("bos_content", bos_content_form);
  const Rational bos_trigger = proved("bos_trigger", bos_trigger_form);

  Spread spread;
  spread.rho = exact::max(content, high) + exact::max(content, low);
  spread.beta = number(object, "bos_share", "spread");
  spread.pi = number(object, "trigger_most", "spread");
  spread.low = number(object, "trigger_least", "spread");
  require(0 <= spread.beta && spread.beta < 1, "spread.bos_share", "must be in [0, 1)");
  require(0 <= spread.low && spread.low <= spread.pi && spread.pi <= 1, "spread",
          "needs 0 <= trigger_least <= trigger_most <= 1");
  require(spread.beta * (1 + exp_down(-bos_content) + exp_down(-bos_trigger)) >= 1,
          "spread.bos_share", "BOS attention may be larger");
  require(spread.pi * (1 + exp_down(-exact::max(0, high + content))) >= 1, "spread.trigger_most",
          "the trigger's share may be larger");
  const Rational others = Rational(head.length - 2) * exp_up(exact::max(0, content + low));
  require(spread.low * (1 + others) <= 1, "spread.trigger_least",
          "the trigger's share may be smaller");
  return spread;
}

struct Point {
  Rational t;
  Rational w;  // stands for t^2
};

// The points of the list `name` of `cells`, which must run from `first` to `last`.
std::vector<Point> read_points(const json::Value& cells, const std::string& name,
                               const Rational& first, const Rational& last) {
  const std::string where = "cells." + name;
  std::vector<Rational> t;
  for (const std::string& entry : certificate::texts(cells, name, "cells")) {
    t.push_back(value_of(exact::parse_rational(entry)));
  }
  require(t.size() >= 2 && t.front() == first && t.back() == last, where, "wrong ends");
  const bool single = first == last && t.size() == 2;
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    require(single || t[i] < t[i + 1], where, "must increase");
  }
  std::vector<Point> points = {{first, first * first}};
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    points.push_back({(t[i] + t[i + 1]) / 2, t[i] * t[i + 1]});
  }
  points.push_back({last, last * last});
  return points;
}

struct Mixture {
  Rational plus;         // A
  Rational minus;        // b
  Rational share;        // p
  Rational plus_gap;     // A'
  Rational minus_gap;    // b'
  Rational trigger_gap;  // p'
  Rational tau;
  int side;
};

struct Curves {
  std::vector<Mixture> mixtures;
  std::vector<Point> flag;
};

// The mixtures with the trigger's share fixed, and all other weight on content keys.
void add_fixed_share(std::vector<Mixture>& mixtures, const std::vector<Point>& points,
                     const Rational& share) {
  for (const auto& [t, w] : points) {
    mixtures.push_back({1 - share - t, t, share, 2 * (t * (1 - share) - w), 2 * (t - w),
                        2 * share * t, 1 - 2 * t, 1});
  }
}

Curves read_curves(const json::Value& cells, const Spread& spread) {
  keys(cells, {"all", "flag", "least", "most"}, "cells");
  std::vector<Mixture> sided;
  add_fixed_share(sided, read_points(cells, "least", 0, 1 - spread.low), spread.low);
  add_fixed_share(sided, read_points(cells, "most", 0, 1 - spread.pi), spread.pi);
  for (const auto& [t, w] : read_points(cells, "all", 1 - spread.pi, 1 - spread.low)) {
    sided.push_back({0, t, 1 - t, 0, 2 * (t - w), 2 * (t - w), 1 - 2 * t, 1});
  }
  Curves curves;
  curves.mixtures = sided;
  for (const Mixture& at : sided) {
    curves.mixtures.push_back({at.minus, at.plus, at.share, at.minus_gap, at.plus_gap,
                               -at.trigger_gap, -at.tau, -at.side});
  }
  curves.flag = read_points(cells, "flag", spread.low, spread.pi);
  return curves;
}

// D_l, D_C, D_T and D of one side.
struct Residual {
  std::vector<Rational> noise;
  Rational content;
  Rational trigger;
  Rational norm;
};

Residual residual(const Head& head, const Side& side) {
  Residual rest;
  rest.content =
      flag_value(head, side, head.content_flag()) - token_value(head, side, head.content_flag());
  rest.trigger = flag_value(head, side, kTriggerFlag) - token_value(head, side, kTriggerFlag);
  for (std::size_t l = 0; l < head.noise; ++l) {
    rest.noise.push_back(noise_value(head, side, l) - token_value(head, side, kNoise + l));
    rest.norm += exact::abs(rest.noise.back());
  }
  return rest;
}

SignForm mixture_form(const Head& head, const Side& side, const Residual& rest, const Mixture& at) {
  const std::size_t own = side.r - kNoise;
  const Rational z = head.token(side.r, side.r);
  const Rational sz = side.s * z;
  SignForm form(head.noise);
  form.constant = (at.plus + at.minus) * rest.content + rest.noise[own] * (at.plus - at.minus) +
                  at.share * (rest.trigger + at.side * rest.noise[own]);
  for (std::size_t l = 0; l < head.noise; ++l) {
    if (l == own) continue;
    form.linear[l] += at.share * rest.noise[l];
    add_absolute_q(form, head, kTriggerFlag, l, at.plus * rest.noise[l], sz * at.plus_gap);
    add_absolute_q(form, head, kTriggerFlag, l, at.minus * rest.noise[l], -sz * at.minus_gap);
  }
  const Rational half = (at.plus_gap + at.minus_gap) / 2;
  add_q(form, head, kTriggerFlag, own, sz * (half - at.share / 8));
  add_absolute_q(form, head, kTriggerFlag, own, 0, z * (half + at.share / 8));
  add_own_logit(form, head, sz * at.trigger_gap);
  return form;
}

SignForm flag_form(const Head& head, const Side& side, const Residual& rest, const Point& at) {
  Rational kappa = 0;
  if (side.r == head.content_flag()) kappa = side.s * (at.t - at.w);
  if (side.r == kTriggerFlag) kappa = -side.s * (at.t - at.w);
  SignForm form(head.noise);
  form.constant = (1 - at.t) * rest.content + at.t * rest.trigger;
  for (std::size_t l = 0; l < head.noise; ++l) {
    form.linear[l] += at.t * rest.noise[l];
    add_absolute_q(form, head, kTriggerFlag, l, (1 - at.t) * rest.noise[l], kappa);
  }
  add_own_logit(form, head, -kappa);
  return form;
}

// A form and m = s * (mean of coordinate r).
struct Case {
  SignForm form;
  Rational mean;
};

std::size_t case_count(const Head& head, const Side& side, const Curves& curves) {
  return head.is_noise(side.r) ? curves.mixtures.size() : curves.flag.size();
}

Case case_at(const Head& head, const Side& side, const Curves& curves, const Residual& rest,
             std::size_t index) {
  if (head.is_noise(side.r)) {
    const Mixture& at = curves.mixtures[index];
    return {mixture_form(head, side, rest, at), token_value(head, side, head.content_flag()) +
                                                    at.tau * token_value(head, side, side.r)};
  }
  const Point& at = curves.flag[index];
  Rational mean = 0;
  if (side.r == head.content_flag()) mean = side.s * (1 - at.t);
  if (side.r == kTriggerFlag) mean = side.s * at.t;
  return {flag_form(head, side, rest, at), mean};
}

}  // namespace

void rule_softmax_trigger_row(const Head& head, const Rational& upper, Obligations& proof) {
  keys(proof.parameters(), {"cells", "spread"}, "parameters");
  const Spread spread = read_spread(head, proof);
  const Curves curves = read_curves(proof.parameters()["cells"], spread);
  for_each_side(head.width, [&](const Side& side) {
    const Residual rest = residual(head, side);
    const Rational range = head.is_noise(side.r) ? Rational(2 * head.token(side.r, side.r))
                           : side.r == kBosFlag  ? Rational(0)
                                                 : Rational(1);
    const Rational remainder =
        spread.rho * (exact::abs(rest.content - rest.trigger) + 2 * rest.norm) / 4;
    for (std::size_t i = 0; i < case_count(head, side, curves); ++i) {
      const Case one = case_at(head, side, curves, rest, i);
      const Rational bos = flag_value(head, side, kBosFlag) - one.mean + spread.rho * range / 4;
      const Rational with_bos = (upper - spread.beta * bos) / (1 - spread.beta);
      proof.at_most(one.form, exact::min(upper, with_bos) - remainder,
                    side.text() + ", case " + std::to_string(i));
    }
  });
}

}  // namespace sinkproof::check
