// CHECKPOINT_RULES.md, 4.14.
#include "check/kernel.hpp"
#include "check/logit_forms.hpp"
#include "check/rejected.hpp"
#include "check/rules.hpp"
#include "check/shapes.hpp"
#include "check/whole_form.hpp"

namespace sinkproof::check {
namespace {

using certificate::Kernel;
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

// constant + slope * (the gate's weights) . u
struct Line {
  Rational constant = 1;
  Rational slope = 0;
};

// 1/gate, from below and from above.
struct InverseGate {
  Line below;
  Line above;
  Rational most = 1;
};

InverseGate inverse_gate(const Layer& layer, const Rational& swing) {
  InverseGate result;
  if (!layer.kind.gated) return result;
  const Gate& gate = layer.gates.front();
  const Rational middle = gate.weight(0, kTriggerFlag) + gate.bias;
  const Rational tangent = exp_down(-middle);
  const Rational most = exp_up(swing - middle);
  const Rational least = exp_up(-swing - middle);
  result.below.constant += tangent;
  result.below.slope = -tangent;
  result.most += most;
  result.above.constant += (most + least) / 2;
  if (swing > 0) result.above.slope = (least - most) / (2 * swing);
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

// The keys of a row at one mixture that share flag and coordinate r, and s times their value less
// theta / gate; content keys have the noise of their own beside.
struct KeyClass {
  Key key;
  Share share;
  AffineForm value;
};

// What all mixtures of a side have in common.
struct SideParts {
  Side side;
  std::size_t own;  // of the noise, coordinate r; else none
  NoiseRow noise;   // s V[r][N_l], 0 at `own`
  Rational own_value;
  Rational margin;  // eta
  Own of_content, of_others;
};

// What a class adds to the sum that must not be positive is at most weight exp(form), or if it
// is negative at most -weight exp(-form).
struct Term {
  bool positive;
  Rational weight;
  SignForm form;
};

class TriggerRow {
 public:
  TriggerRow(const Layer& layer, const Rational& upper, Obligations& proof)
      : layer_(layer),
        head_(layer.heads.front()),
        upper_(upper),
        proof_(proof),
        gate_row_(layer.kind.gated ? noise_weights(layer.gates.front()) : NoiseRow({})),
        gate_(inverse_gate(layer, gate_row_.sum())) {
    if (!layer.kind.is_relative()) {
      const auto classes = classes_of(layer.ranges.at(0), Rows::kTrigger);
      for (const Key key : {kContentKey, kTriggerKey, kBosKey}) {
        kernels_[key] = kernels(layer.kind.kernel, classes[key].low, classes[key].high);
      }
    }
    const json::Value& references = proof.parameters()["references"];
    keys(references, {"bos", "null", "trigger"}, "references");
    const auto set_reference = [&](Key key, const char* name) {
      references_[key] = number(references, name, "references");
      weights_[key] = exp_down(references_[key]);
    };
    set_reference(kTriggerKey, "trigger");
    set_reference(kBosKey, "bos");
    if (layer.kind.null_slot) set_reference(kNullSlot, "null");
    require(layer.kind.null_slot || references["null"].is_null(), "references.null",
            "there is no null slot");
  }

  [[nodiscard]] SideParts parts_of(const Side& side) const {
    const bool is_noise = head_.is_noise(side.r);
    const std::size_t own = is_noise ? side.r - kNoise : kNone;
    // What the output may reach beyond the part of the target that comes from noise.
    Rational margin = upper_ - side.s * layer_.constant[side.r];
    if (is_noise) margin += token_value(head_, side, head_.content_flag());
    SideParts parts{side, own, noise_values(head_, side, own), 0, margin, {}, {}};
    if (!is_noise) return parts;
    parts.own_value = head_.value(side.r, side.r);
    set_owns(parts);
    return parts;
  }

  void prove(const SideParts& parts, const Mixture& at) {
    const std::string where = parts.side.text();
    std::vector<Term> positive;
    std::vector<Term> negative;
    Rational total = 0;
    for (KeyClass& of : classes(parts, at)) {
      if (of.share.weight == 0) continue;
      std::optional<Term> term = term_of(std::move(of), parts);
      if (!term) continue;
      if (!term->positive) total += term->weight;
      (term->positive ? positive : negative).push_back(*std::move(term));
    }
    require(positive.empty() || total > 0, where, "nothing outweighs the positive classes");
    Rational most = total;
    if (total > 0) most *= share_negative(positive, negative, total);
    std::vector<SignForm> forms;
    forms.reserve(positive.size());
    for (Term& term : positive) forms.push_back(std::move(term.form));
    // The negative classes are worked on once, too.
    proof_.at_leaves(forms, where, [&](const std::vector<Rational>& f) {
      Rational sum = 0;
      for (std::size_t i = 0; i < f.size(); ++i) sum += positive[i].weight * exp_up(f[i]);
      require(exact::power_of_two(kShareBits) * sum <= most, where, "a leaf does not close");
    });
  }

 private:
  std::vector<KeyClass> classes(const SideParts& parts, const Mixture& at) const {
    const auto of_flag = [&](Key key, const Share& share, int own) {
      const Rational value = flag_value(head_, parts.side, flag_of(head_, key));
      return KeyClass{key, share, {value + own * parts.own_value, {}}};
    };
    std::vector<KeyClass> result = {
        of_flag(kContentKey, at.plus, 1), of_flag(kContentKey, at.minus, -1),
        of_flag(kTriggerKey, at.trigger, at.side), of_flag(kBosKey, at.trigger, 0)};
    result[2].value.add(1, parts.noise.row());
    if (layer_.kind.null_slot) result.push_back({kNullSlot, at.trigger, {}});
    return result;
  }

  void set_owns(SideParts& parts) const {
    const int s = parts.side.s;
    const Rational& radius = head_.token(parts.side.r, parts.side.r);
    const Rational gate = radius * gate_.below.constant;
    if (gate == 0) {
      parts.of_content.absolute = 1;
      return;
    }
    const Rational& eta = parts.margin;
    const Rational rest = exact::abs(flag_value(head_, parts.side, head_.content_flag()) -
                                     gate_.below.constant * eta) +
                          parts.noise.sum();
    const Rational eps = exact::abs(parts.own_value / gate - 1) + rest / gate +
                         (1 + exact::abs(eta) / radius) * (gate_.most / gate_.below.constant - 1);
    const bool shifts = layer_.kind.is_relative() && 2 * eps <= 1;
    const Rational content = shifts ? eps : Rational(1);
    const Rational other = shifts ? 1 : 0;
    parts.of_content = {(1 + content) / 2, s * (1 - content) / 2};
    parts.of_others = {other / 2, -s * other / 2};
  }

  // None if the class adds nothing above 0.
  std::optional<Term> term_of(KeyClass of, const SideParts& parts) const {
    const Rational theta =
        head_.token(parts.side.r, parts.side.r) * of.share.product / of.share.weight + parts.margin;
    const Line& gate = theta >= 0 ? gate_.below : gate_.above;
    of.value.constant -= theta * gate.constant;
    if (gate.slope != 0) of.value.add(-theta * gate.slope, gate_row_.row());
    Rational top = of.value.constant + swing_of(of.value, head_.noise);
    if (of.key == kContentKey) top += parts.noise.sum();
    const Kernels& kernel = kernels_[of.key];
    if (top > 0) {
      const Rational lambda = exact::round_up(1 / top, kMultiplierBits);
      SignForm form = exponent(of, parts, kernel.slope_up, lambda);
      form.sum.constant -= kernel.slope_up * kernel.start + 1;
      return Term{true, of.share.weight * kernel.up / lambda, std::move(form)};
    }
    if (top == 0) return std::nullopt;
    const Rational sigma = exact::round_down(-1 / of.value.constant, kMultiplierBits);
    SignForm form = exponent(of, parts, -kernel.slope_down, sigma);
    form.sum.constant += kernel.slope_down * kernel.start - sigma * top + references_[of.key];
    return Term{false, of.share.weight * kernel.down * -top * weights_[of.key], std::move(form)};
  }

  // The largest of slope * logit + multiplier * value over the key's noise.
  SignForm exponent(const KeyClass& of, const SideParts& parts, const Rational& slope,
                    const Rational& multiplier) const {
    const bool is_content = of.key == kContentKey;
    SignForm form(head_.noise);
    form.sum.constant = multiplier * of.value.constant;
    for (const auto& part : of.value.parts) form.sum.add(multiplier * part.factor, part.row);
    if (is_content) {
      add_absolute_qs(form, head_, kTriggerFlag, multiplier, parts.noise.row(), slope, parts.own);
    }
    if (of.key != kNullSlot) add_base(form, head_, kTriggerFlag, flag_of(head_, of.key), slope);
    if (layer_.kind.is_relative()) {
      add_base(form, head_, kTriggerFlag, head_.content_flag(), -slope);
    }
    if (of.key == kTriggerKey) add_self(form, head_, kTriggerFlag, slope);
    if (parts.own == kNone) return form;
    const Own& own = is_content ? parts.of_content : parts.of_others;
    const Rational size = exact::abs(slope);
    add_absolute_q(form, head_, kTriggerFlag, parts.own, size * own.absolute);
    add_q(form, head_, kTriggerFlag, parts.own, size * own.linear);
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
        term.form.add(negative[j].form, make_rational(shares[j], sum));
      }
    }
    return sum;
  }

  const Layer& layer_;
  const Head& head_;
  const Rational& upper_;
  Obligations& proof_;
  NoiseRow gate_row_;
  InverseGate gate_;
  ByKey<Kernels> kernels_;
  ByKey<Rational> references_;
  ByKey<Rational> weights_{1, 1, 1, 1};  // exp_down of these
};

}  // namespace

void rule_trigger_row(const Layer& layer, const certificate::Bound& bound, Obligations& proof) {
  constexpr std::size_t kMost = 64;  // of rows one by one, and of cells
  const json::Value& parameters = proof.parameters();
  keys(parameters, {"cells", "references", "rows"}, "parameters");
  const std::size_t length = layer.length();
  const Rowing rowing{
      certificate::count(parameters, "rows", 1, std::min(kMost, length - 1), "parameters"),
      certificate::count(parameters, "cells", 1, kMost, "parameters"), length};
  require(rowing.rows + 2 != length, "parameters.rows", "leaves one row: it can be L - 1");
  TriggerRow row(layer, bound.upper, proof);
  const std::vector<Mixture> noise = noise_mixtures(rowing);
  const Head& head = layer.heads.front();
  for_each_side(head.width, [&](const Side& side) {
    const SideParts parts = row.parts_of(side);
    const auto mixtures = head.is_noise(side.r) ? noise : flag_mixtures(rowing, head, side);
    for (const Mixture& at : mixtures) row.prove(parts, at);
  });
}

}  // namespace sinkproof::check
