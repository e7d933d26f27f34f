// CHECKPOINT_RULES.md, 4.14.
#include <array>

#include "check/exp_bound.hpp"
#include "check/kernel.hpp"
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {
namespace {

using certificate::Kernel;
using certificate::QueryRanges;
using exact::Integer;
using exact::make_rational;
using exact::Rational;

constexpr unsigned kMultiplierBits = 20;  // of lambda and sigma
constexpr unsigned kShareBits = 32;       // of the negative classes' shares, and of slopes

// Shares of a row's keys beside BOS, each with its product with tau.
struct Share {
  Rational weight;
  Rational product;
};
struct Mixture {
  Share plus;  // content keys at +1; of a flag all content keys
  Share minus;
  Share trigger;
  int side;  // the trigger's own coordinate; of a flag 0
};

// (t, t^2) for t in an interval lies in the hull of its points.
struct Point {
  Rational t;
  Rational w;
};

std::vector<Point> points(const Rational& first, const Rational& last, std::size_t cells) {
  const auto at = [&](std::size_t i) -> Rational {
    return first + (last - first) * make_rational(i, cells);
  };
  std::vector<Point> result = {{first, first * first}};
  for (std::size_t i = 0; i < cells; ++i) {
    result.push_back({(at(i) + at(i + 1)) / 2, at(i) * at(i + 1)});
  }
  result.push_back({last, last * last});
  return result;
}

// Which rows are looked at one by one, and how finely the longer ones.
struct Rowing {
  std::size_t rows;
  std::size_t cells;
  std::size_t length;

  [[nodiscard]] bool has_longer() const { return rows + 1 < length; }
  [[nodiscard]] Rational low() const { return make_rational(1, length - 1); }
  [[nodiscard]] Rational high() const { return make_rational(1, rows + 1); }
};

Mixture mixture(const Rational& plus, const Rational& p, const Point& at) {
  const auto& [t, w] = at;
  const Rational own = plus == 0 ? Rational(1 - 3 * t + 2 * w) : Rational(p * (1 - 2 * t));
  return {{plus, plus - 2 * t * (1 - p) + 2 * w}, {t, t - 2 * w}, {p, own}, 1};
}

std::vector<Mixture> noise_mixtures(const Rowing& of) {
  std::vector<Mixture> result;
  for (std::size_t n = 2; n <= of.rows; ++n) {
    const Rational p = make_rational(1, n);
    for (std::size_t i = 0; i < n; ++i) {
      result.push_back(mixture(1 - p - p * i, p, {p * i, p * p * i * i}));
    }
  }
  if (of.has_longer()) {
    for (const auto& [p, cells] :
         {std::pair(of.low(), 2 * of.cells), std::pair(of.high(), of.cells)}) {
      for (const Point& at : points(0, 1 - p, cells)) {
        result.push_back(mixture(1 - p - at.t, p, at));
      }
    }
    for (const Point& at : points(1 - of.high(), 1 - of.low(), of.cells)) {
      result.push_back(mixture(0, 1 - at.t, at));
    }
  }
  for (std::size_t i = 0, sided = result.size(); i < sided; ++i) {
    const Mixture& one = result[i];
    result.push_back({{one.minus.weight, -one.minus.product},
                      {one.plus.weight, -one.plus.product},
                      {one.trigger.weight, -one.trigger.product},
                      -one.side});
  }
  return result;
}

std::vector<Mixture> flag_mixtures(const Rowing& of, const Head& head, const Side& side) {
  std::vector<Point> all;
  for (std::size_t n = 2; n <= of.rows; ++n) {
    all.push_back({make_rational(1, n), make_rational(1, n * n)});
  }
  if (of.has_longer()) {
    for (const Point& at : points(of.low(), of.high(), of.cells)) all.push_back(at);
  }
  std::vector<Mixture> result;
  for (const auto& [t, w] : all) {
    Mixture one{{1 - t, 0}, {0, 0}, {t, 0}, 0};
    if (side.r == head.content_flag()) {
      one.plus.product = side.s * (1 - 2 * t + w);
      one.trigger.product = side.s * (t - w);
    } else if (side.r == kTriggerFlag) {
      one.plus.product = side.s * (t - w);
      one.trigger.product = side.s * w;
    }
    result.push_back(std::move(one));
  }
  return result;
}

// constant + linear . u
struct Affine {
  Rational constant = 0;
  std::vector<Rational> linear;
};

// 1/gate, from below and from above.
struct InverseGate {
  Affine below;
  Affine above;
  Rational most = 1;
};

InverseGate inverse_gate(const Layer& layer) {
  const std::size_t d = layer.noise();
  InverseGate result{{1, std::vector<Rational>(d)}, {1, std::vector<Rational>(d)}};
  if (!layer.kind.gated) return result;
  const Gate& gate = layer.gates.front();
  const Rational middle = gate.weight(0, kTriggerFlag) + gate.bias;
  Rational swing = 0;
  for (std::size_t l = 0; l < d; ++l) swing += exact::abs(gate.weight(0, kNoise + l));
  const Rational tangent = exp_down(-middle);
  const Rational most = exp_up(swing - middle);
  const Rational least = exp_up(-swing - middle);
  result.below.constant += tangent;
  result.most += most;
  result.above.constant += (most + least) / 2;
  for (std::size_t l = 0; swing > 0 && l < d; ++l) {
    result.below.linear[l] = -tangent * gate.weight(0, kNoise + l);
    result.above.linear[l] = (least - most) / (2 * swing) * gate.weight(0, kNoise + l);
  }
  return result;
}

// How far coordinate r of keys may move the logits of a class: absolute |q_r| + linear q_r.
struct Own {
  Rational absolute = 0;
  Rational linear = 0;
};

// The kernel of a class of keys lies between down exp(slope_down (x - start)) and the same with up.
struct Kernels {
  Rational start = 0;
  Rational up = 1;
  Rational down = 1;
  Rational slope_up = 1;
  Rational slope_down = 1;
};

Kernels kernels(Kernel kernel, const Rational& low, const Rational& high) {
  Kernels of{low, kernel_up(kernel, low), kernel_down(kernel, low)};
  const Rational slope =
      kernel == Kernel::kSigmoid ? Rational(1 - of.down) : Rational(1 / (1 + exact::max(0, low)));
  of.slope_up = exact::round_up(slope, kShareBits);
  of.slope_down = 0;
  if (high > low) {
    const Rational growth = exact::max(1, kernel_down(kernel, high) / of.up);
    of.slope_down = exact::round_down(2 * (growth - 1) / ((growth + 1) * (high - low)), kShareBits);
  }
  return of;
}

enum Key { kContent, kTrigger, kBos, kNull, kKeys };

// The keys of a row at one mixture that share flag and coordinate r.
struct KeyClass {
  Key key;
  Share share;
  std::size_t own;              // of the noise, coordinate r; else none of them
  Rational value;               // of V x_k; and its slopes
  std::vector<Rational> noise;  // by the key's own noise
  std::vector<Rational> query;  // by the query's noise
};

// What a class adds to the sum that must not be positive is at most weight exp(form), or if it
// is negative at most -weight exp(-form).
struct Term {
  bool positive;
  Rational weight;
  SignForm form;
};

void add(SignForm& sum, const SignForm& form, const Rational& factor) {
  sum.constant += factor * form.constant;
  for (std::size_t k = 0; k < sum.dimension(); ++k) sum.linear[k] += factor * form.linear[k];
  sum.own += factor * form.own;
  if (form.coupling != nullptr) sum.coupling = form.coupling;
  for (SignForm::Absolute term : form.absolute) {
    term.offset *= factor;
    term.scale *= factor;
    for (Rational& entry : term.row) entry *= factor;
    sum.absolute.push_back(std::move(term));
  }
}

class TriggerRow {
 public:
  TriggerRow(const Layer& layer, const QueryRanges* ranges, const Rational& upper,
             Obligations& proof)
      : layer_(layer),
        head_(layer.heads.front()),
        upper_(upper),
        proof_(proof),
        gate_(inverse_gate(layer)) {
    if (!layer.kind.is_relative()) {
      kernels_[kContent] = kernels(layer.kind.kernel, ranges->content.low, ranges->content.high);
      kernels_[kTrigger] = kernels(layer.kind.kernel, ranges->trigger.low, ranges->trigger.high);
      kernels_[kBos] = kernels(layer.kind.kernel, ranges->bos.low, ranges->bos.high);
    }
    const json::Value& references = proof.parameters()["references"];
    keys(references, {"bos", "null", "trigger"}, "references");
    references_[kTrigger] = number(references, "trigger", "references");
    references_[kBos] = number(references, "bos", "references");
    if (layer.kind.null_slot) references_[kNull] = number(references, "null", "references");
    require(layer.kind.null_slot || references["null"].is_null(), "references.null",
            "there is no null slot");
  }

  void prove(const Side& side, const Mixture& at) {
    std::vector<Term> positive;
    std::vector<Term> negative;
    Rational total = 0;
    const Owns own = owns(side);
    for (const KeyClass& of : classes(side, at)) {
      if (of.share.weight == 0) continue;
      std::optional<Term> term = term_of(of, side, of.key == kContent ? own.content : own.other);
      if (!term) continue;
      if (!term->positive) total += term->weight;
      (term->positive ? positive : negative).push_back(*std::move(term));
    }
    require(positive.empty() || total > 0, side.text(), "nothing outweighs the positive classes");
    Rational most = total;
    if (total > 0) most *= share_negative(positive, negative, total);
    std::vector<SignForm> forms;
    for (Term& term : positive) forms.push_back(std::move(term.form));
    // The negative classes are worked on once, too.
    proof_.at_leaves_with_exp(forms, forms.size() + 1, side.text(),
                              [&](const std::vector<Rational>& f) {
                                Rational sum = 0;
                                for (std::size_t i = 0; i < f.size(); ++i)
                                  sum += positive[i].weight * exp_up(f[i]);
                                require(exact::power_of_two(kShareBits) * sum <= most, side.text(),
                                        "a leaf does not close");
                              });
  }

 private:
  struct Owns {
    Own content;
    Own other;
  };

  std::vector<KeyClass> classes(const Side& side, const Mixture& at) const {
    const std::size_t d = head_.noise;
    const std::size_t o = head_.is_noise(side.r) ? side.r - kNoise : d;
    std::vector<Rational> other(d);
    Rational own = 0;
    for (std::size_t l = 0; l < d; ++l) {
      if (l == o) {
        own = head_.value(side.r, side.r);
      } else {
        other[l] = noise_value(head_, side, l);
      }
    }
    const std::vector<Rational> none(d);
    const Rational content = flag_value(head_, side, head_.content_flag());
    std::vector<KeyClass> result = {
        {kContent, at.plus, o, content + own, other, none},
        {kContent, at.minus, o, content - own, other, none},
        {kTrigger, at.trigger, o, flag_value(head_, side, kTriggerFlag) + at.side * own, none,
         other},
        {kBos, at.trigger, o, flag_value(head_, side, kBosFlag), none, none}};
    if (layer_.kind.null_slot) result.push_back({kNull, at.trigger, o, 0, none, none});
    return result;
  }

  [[nodiscard]] Owns owns(const Side& side) const {
    if (!head_.is_noise(side.r)) return {};
    const Rational& radius = head_.token(side.r, side.r);
    const Rational gate = radius * gate_.below.constant;
    if (gate == 0) return {{1, 0}, {0, 0}};
    const Rational eta = margin(side);
    Rational rest =
        exact::abs(flag_value(head_, side, head_.content_flag()) - gate_.below.constant * eta);
    for (std::size_t l = 0; l < head_.noise; ++l) {
      if (side.r != kNoise + l) rest += exact::abs(head_.value(side.r, kNoise + l));
    }
    const Rational eps = exact::abs(head_.value(side.r, side.r) / gate - 1) + rest / gate +
                         (1 + exact::abs(eta) / radius) * (gate_.most / gate_.below.constant - 1);
    const bool shifts = layer_.kind.is_relative() && 2 * eps <= 1;
    const Rational content = shifts ? eps : Rational(1);
    const Rational other = shifts ? 1 : 0;
    return {{(1 + content) / 2, side.s * (1 - content) / 2}, {other / 2, -side.s * other / 2}};
  }

  // What the output may reach beyond the part of the target that comes from noise.
  [[nodiscard]] Rational margin(const Side& side) const {
    Rational eta = upper_ - side.s * layer_.constant[side.r];
    if (head_.is_noise(side.r)) eta += token_value(head_, side, head_.content_flag());
    return eta;
  }

  // None if the class adds nothing above 0.
  std::optional<Term> term_of(KeyClass of, const Side& side, const Own& own) const {
    const Rational theta =
        head_.token(side.r, side.r) * of.share.product / of.share.weight + margin(side);
    const Affine& gate = theta >= 0 ? gate_.below : gate_.above;
    of.value -= theta * gate.constant;
    Rational top = of.value;
    for (std::size_t l = 0; l < head_.noise; ++l) {
      of.query[l] -= theta * gate.linear[l];
      top += exact::abs(of.noise[l]) + exact::abs(of.query[l]);
    }
    const Kernels& kernel = kernels_[of.key];
    const Rational unit = exact::power_of_two(kMultiplierBits);
    if (top > 0) {
      const Rational lambda = exact::ceil(unit / top) / unit;
      SignForm form = exponent(of, kernel.slope_up, lambda);
      add_own(form, side, own, kernel.slope_up);
      form.constant -= kernel.slope_up * kernel.start + 1;
      return Term{true, of.share.weight * kernel.up / lambda, std::move(form)};
    }
    if (top == 0) return std::nullopt;
    const Rational sigma = exact::floor(unit / -of.value) / unit;
    const Rational& reference = references_[of.key];
    SignForm form = exponent(of, -kernel.slope_down, sigma);
    add_own(form, side, own, kernel.slope_down);
    form.constant += kernel.slope_down * kernel.start - sigma * top + reference;
    return Term{false, of.share.weight * kernel.down * -top * exp_down(reference), std::move(form)};
  }

  void add_own(SignForm& form, const Side& side, const Own& own, const Rational& slope) const {
    if (!head_.is_noise(side.r)) return;
    add_absolute_q(form, head_, kTriggerFlag, side.r - kNoise, 0, slope * own.absolute);
    add_q(form, head_, kTriggerFlag, side.r - kNoise, slope * own.linear);
  }

  // The largest of slope * logit + multiplier * Q over the key's other noise.
  SignForm exponent(const KeyClass& of, const Rational& slope, const Rational& multiplier) const {
    static constexpr std::array kFlags = {std::size_t{0}, kTriggerFlag, kBosFlag};
    SignForm form(head_.noise);
    form.constant = multiplier * of.value;
    for (std::size_t l = 0; l < head_.noise; ++l) {
      form.linear[l] = multiplier * of.query[l];
      if (of.key == kContent && l != of.own) {
        add_absolute_q(form, head_, kTriggerFlag, l, multiplier * of.noise[l], slope);
      }
    }
    const std::size_t content = head_.content_flag();
    if (of.key != kNull) {
      const std::size_t flag = of.key == kContent ? content : kFlags[of.key];
      add_base(form, head_, kTriggerFlag, flag, slope);
    }
    if (layer_.kind.is_relative()) add_base(form, head_, kTriggerFlag, content, -slope);
    if (of.key == kTrigger) add_self(form, head_, kTriggerFlag, slope);
    return form;
  }

  // Adds the mean of the negative classes' forms, by whole shares of `total`, to the positive
  // ones; the sum of the shares.
  static Integer share_negative(std::vector<Term>& positive, const std::vector<Term>& negative,
                                const Rational& total) {
    std::vector<Integer> shares;
    Integer sum = 0;
    for (const Term& term : negative) {
      shares.push_back(exact::floor(exact::power_of_two(kShareBits) * term.weight / total));
      sum += shares.back();
    }
    for (Term& term : positive) {
      for (std::size_t j = 0; j < negative.size(); ++j) {
        add(term.form, negative[j].form, make_rational(shares[j], sum));
      }
    }
    return sum;
  }

  const Layer& layer_;
  const Head& head_;
  const Rational& upper_;
  Obligations& proof_;
  InverseGate gate_;
  std::array<Kernels, kKeys> kernels_;
  std::array<Rational, kKeys> references_;
};

}  // namespace

void rule_trigger_row(const Layer& layer, const QueryRanges* ranges, const Rational& upper,
                      Obligations& proof) {
  constexpr std::size_t kMost = 64;  // of rows one by one, and of cells
  const json::Value& parameters = proof.parameters();
  keys(parameters, {"cells", "references", "rows"}, "parameters");
  const std::size_t length = layer.length();
  const Rowing rowing{
      certificate::count(parameters, "rows", 1, std::min(kMost, length - 1), "parameters"),
      certificate::count(parameters, "cells", 1, kMost, "parameters"), length};
  require(rowing.rows + 2 != length, "parameters.rows", "leaves one row: it can be L - 1");
  TriggerRow row(layer, ranges, upper, proof);
  const std::vector<Mixture> noise = noise_mixtures(rowing);
  const Head& head = layer.heads.front();
  for_each_side(head.width, [&](const Side& side) {
    const auto mixtures = head.is_noise(side.r) ? noise : flag_mixtures(rowing, head, side);
    for (const Mixture& at : mixtures) row.prove(side, at);
  });
}

}  // namespace sinkproof::check
