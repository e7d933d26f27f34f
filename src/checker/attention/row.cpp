#include "attention/row.hpp"

#include <algorithm>

#include "attention/kernel.hpp"
#include "attention/logit_forms.hpp"
#include "attention/rules.hpp"
#include "attention/shapes.hpp"
#include "attention/whole_form.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using certificate::Kernel;
using exact::Integer;
using exact::make_rational;
using exact::Rational;

constexpr unsigned kMultiplierBits = 20;  // of lambda and sigma
constexpr unsigned kShareBits = 32;       // of the negative classes' shares, and of slopes

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

// A share t at -1 and p of the trigger, at +1.
Mixture mixture(const Rational& plus, const Rational& p, const Point& at) {
  const auto& [t, w] = at;
  const Rational own = plus == 0 ? Rational(1 - 3 * t + 2 * w) : Rational(p * (1 - 2 * t));
  return {{plus, plus - 2 * t * (1 - p) + 2 * w}, {t, t - 2 * w}, {p, own}, 1};
}

// Keys of a row that share flag and coordinate, and s times their value less theta / gate.
struct KeyClass {
  Key key;
  enum class Noise { kNone, kOwn, kQuery } noise;
  Share share;
  Rational value;
};

// What a class adds to the sum that must not be positive is at most weight exp(form), or if it
// is negative at most -weight exp(-form).
struct Term {
  Rational weight;
  SignForm form;
};
struct Terms {
  std::vector<Term> positive;
  std::vector<Term> negative;
};

// How far the coordinate that is split may move the logits of a class: absolute |q| + linear q.
struct Own {
  Rational absolute = 0;
  Rational linear = 0;
};

// What all mixtures of a side have in common.
struct SideParts {
  Side side;
  std::size_t own;  // of the noise, the coordinate that is split, or none
  Rational split;   // what it adds to a value
  Rational radius;  // X[r][r]
  Rational margin;  // eta
  NoiseRow noise;   // s V[r][N_l], 0 where split
  Own of_content = {1, 0};
  Own of_others = {};
};

class Row {
 public:
  Row(const Layer& layer, const certificate::Bound& bound, const certificate::ByRow& by,
      Obligations& proof)
      : layer_(layer),
        head_(layer.heads.front()),
        rows_(*bound.rows),
        query_(is_trigger() ? kTriggerFlag : head_.content_flag()),
        upper_(bound.upper),
        by_(by),
        proof_(proof) {
    if (layer.kind.gated) set_gate(layer.gates.front());
    if (!layer.kind.is_relative()) {
      const auto classes = classes_of(layer.ranges.at(0), rows_);
      for (const Key key : {kContentKey, kTriggerKey, kBosKey}) {
        kernels_[key] = kernels_of(layer.kind.kernel, classes[key]);
      }
    }
    const auto set_reference = [&](Key key, const Rational& reference) {
      references_[key] = reference;
      weights_[key] = exp_down(reference);
    };
    set_reference(kTriggerKey, by.trigger);
    set_reference(kBosKey, by.bos);
    if (layer.kind.null_slot) set_reference(kNullSlot, by.null.value());
  }

  void prove() {
    if (is_trigger()) return prove_trigger_rows();
    const Mixture longest = longest_mixture(head_);
    for_each_side(head_.width, [&](const Side& side) {
      if (rows_ == Rows::kPre) require_first_row(side);
      prove(parts_of(side, false), longest);
    });
  }

 private:
  [[nodiscard]] bool is_trigger() const { return rows_ == Rows::kTrigger; }

  void prove_trigger_rows() {
    const auto& [rows, cells] = by_.apart.value();
    const Rowing of{rows, cells, head_.length};
    const std::vector<Mixture> noise = noise_mixtures(of);
    for_each_side(head_.width, [&](const Side& side) {
      const bool splits = head_.is_noise(side.r);
      const SideParts parts = parts_of(side, splits);
      const auto mixtures = splits ? noise : flag_mixtures(of, head_, side);
      for (const Mixture& at : mixtures) prove(parts, at);
    });
  }

  void set_gate(const Gate& gate) {
    const Rational middle = gate.bias + gate.weight(0, query_);
    const Rational swing = noise_weights(gate).sum();
    gate_least_ += exp_down(-middle - swing);
    gate_most_ += exp_up(swing - middle);
  }

  // BOS's own row: its value times a number between 0 and 1, or 1.
  void require_first_row(const Side& side) const {
    const Rational value = flag_value(head_, side, kBosFlag);
    const bool averages = layer_.kind.averages();
    require((averages ? value : exact::max(0, value)) + side.s * layer_.constant[side.r] <= upper_,
            side.text(), "row 1 may lose more");
  }

  [[nodiscard]] SideParts parts_of(const Side& side, bool splits) const {
    const std::size_t own = splits ? side.r - kNoise : kNone;
    const Rational split = splits ? head_.value(side.r, side.r) : Rational(0);
    Rational margin = upper_ - side.s * layer_.constant[side.r];
    if (splits) margin += token_value(head_, side, head_.content_flag());
    SideParts parts{
        side, own, split, head_.token(side.r, side.r), margin, noise_values(head_, side, own)};
    if (splits && layer_.kind.is_relative() && !layer_.kind.gated && parts.radius > 0) {
      shift(parts);
    }
    return parts;
  }

  // Keys of value above theta are nearly those above the mean: their logits are taken less its own.
  void shift(SideParts& parts) const {
    const Rational content = flag_value(head_, parts.side, head_.content_flag());
    const Rational eps = exact::abs(parts.split / parts.radius - 1) +
                         (exact::abs(content - parts.margin) + parts.noise.sum()) / parts.radius;
    if (2 * eps > 1) return;
    parts.of_content = {(1 + eps) / 2, parts.side.s * (1 - eps) / 2};
    parts.of_others = {make_rational(1, 2), parts.side.s * make_rational(-1, 2)};
  }

  void prove(const SideParts& parts, const Mixture& at) {
    const std::string where = parts.side.text();
    auto [positive, negative] = terms(parts, at);
    Rational total = 0;
    for (const Term& term : negative) total += term.weight;
    require(positive.empty() || total > 0, where, "nothing outweighs the positive classes");
    Rational most = total;
    if (total > 0) most *= share_negative(positive, negative, total);
    std::vector<SignForm> forms;
    forms.reserve(positive.size());
    for (Term& term : positive) forms.push_back(std::move(term.form));
    // The negative classes are worked on once, too.
    proof_.at_leaves(forms, where, [&, &positive = positive](const std::vector<Rational>& f) {
      Rational sum = 0;
      for (std::size_t i = 0; i < f.size(); ++i) sum += positive[i].weight * exp_up(f[i]);
      require(exact::power_of_two(kShareBits) * sum <= most, where, "a leaf does not close");
    });
  }

  [[nodiscard]] std::vector<KeyClass> classes(const SideParts& parts, const Mixture& at) const {
    using Noise = KeyClass::Noise;
    const auto value = [&](std::size_t flag, int split) -> Rational {
      return flag_value(head_, parts.side, flag) + split * parts.split;
    };
    const std::size_t content = head_.content_flag();
    std::vector<KeyClass> result = {
        {kContentKey, Noise::kOwn, at.plus, value(content, 1)},
        {kContentKey, Noise::kOwn, at.minus, value(content, -1)},
        {is_trigger() ? kTriggerKey : kContentKey, Noise::kQuery, at.one, value(query_, at.side)},
        {kBosKey, Noise::kNone, at.one, value(kBosFlag, 0)}};
    if (rows_ == Rows::kPost) {
      result.push_back({kTriggerKey, Noise::kOwn, at.one, value(kTriggerFlag, 0)});
    }
    if (layer_.kind.null_slot) result.push_back({kNullSlot, Noise::kNone, at.one, 0});
    return result;
  }

  [[nodiscard]] Terms terms(const SideParts& parts, const Mixture& at) const {
    Terms result;
    for (KeyClass& of : classes(parts, at)) {
      const auto& [weight, product] = of.share;
      if (weight == 0) continue;
      const Rational theta = parts.radius * product / weight + parts.margin;
      of.value -= theta * (theta >= 0 ? gate_least_ : gate_most_);
      const bool is_noisy = of.noise != KeyClass::Noise::kNone;
      const Rational top = of.value + (is_noisy ? parts.noise.sum() : Rational(0));
      const Kernels& kernel = kernels_[of.key];
      if (top > 0) {
        const Rational lambda = exact::round_up(1 / top, kMultiplierBits);
        SignForm form = exponent(of, parts, kernel.slope_up, lambda);
        form.sum.constant -= kernel.slope_up * kernel.start + 1;
        result.positive.push_back({weight * kernel.up / lambda, std::move(form)});
      } else if (top < 0 && is_in_every_row(of)) {
        const Rational sigma = exact::round_down(-1 / of.value, kMultiplierBits);
        SignForm form = exponent(of, parts, -kernel.slope_down, sigma);
        form.sum.constant += kernel.slope_down * kernel.start - sigma * top;
        form.sum.constant += references_[of.key];
        result.negative.push_back(
            {weight * kernel.down * -top * weights_[of.key], std::move(form)});
      }
    }
    return result;
  }

  // Shares are of rows of every length; beside the trigger's rows a row may have no other content.
  [[nodiscard]] bool is_in_every_row(const KeyClass& of) const {
    return is_trigger() || of.key != kContentKey || of.noise == KeyClass::Noise::kQuery;
  }

  // The largest of slope * logit + multiplier * value over the key's noise.
  [[nodiscard]] SignForm exponent(const KeyClass& of, const SideParts& parts, const Rational& slope,
                                  const Rational& multiplier) const {
    SignForm form(head_.noise);
    form.sum.constant = multiplier * of.value;
    if (of.key != kNullSlot) add_base(form, head_, query_, flag_of(head_, of.key), slope);
    if (layer_.kind.is_relative()) add_base(form, head_, query_, head_.content_flag(), -slope);
    if (of.noise == KeyClass::Noise::kOwn) {
      add_absolute_qs(form, head_, query_, multiplier, parts.noise.row(), slope, parts.own);
    } else if (of.noise == KeyClass::Noise::kQuery) {
      add_self(form, head_, query_, slope);
      form.sum.add(multiplier, parts.noise.row());
    }
    if (parts.own == kNone) return form;
    const Own& own = of.key == kContentKey ? parts.of_content : parts.of_others;
    const Rational size = exact::abs(slope);
    add_absolute_q(form, head_, query_, parts.own, size * own.absolute);
    add_q(form, head_, query_, parts.own, size * own.linear);
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
  Rows rows_;
  std::size_t query_;  // its flag
  const Rational& upper_;
  const certificate::ByRow& by_;
  Obligations& proof_;
  Rational gate_least_ = 1;  // of 1 over the gate
  Rational gate_most_ = 1;
  ByKey<Kernels> kernels_;
  ByKey<Rational> references_;
  ByKey<Rational> weights_{1, 1, 1, 1};  // exp_down of these
};

}  // namespace

std::vector<Mixture> noise_mixtures(const Rowing& of) {
  std::vector<Mixture> result;
  for (std::size_t n = 2; n <= of.rows; ++n) {
    const Rational p = make_rational(1, n);
    for (std::size_t i = 0; i < n; ++i) {
      result.push_back(mixture(1 - p - p * i, p, {p * i, p * p * i * i}));
    }
  }
  if (of.has_longer()) {
    for (const auto& [p, count] :
         {std::pair(of.low(), 2 * of.cells), std::pair(of.high(), of.cells)}) {
      for (const Point& at : points(0, 1 - p, count)) {
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
                      {one.one.weight, -one.one.product},
                      -1});
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
    Mixture one{{1 - t}, {}, {t}, 0};
    if (side.r == head.content_flag()) {
      one.plus.product = side.s * (1 - 2 * t + w);
      one.one.product = side.s * (t - w);
    } else if (side.r == kTriggerFlag) {
      one.plus.product = side.s * (t - w);
      one.one.product = side.s * w;
    }
    result.push_back(std::move(one));
  }
  return result;
}

Mixture longest_mixture(const Head& head) { return {{head.length - 3}, {}, {1}, 0}; }

Kernels kernels_of(Kernel kernel, const certificate::KernelClass& range) {
  const auto& [low, high, values] = range;
  Kernels of{low, kernel_up(kernel, low), kernel_down(kernel, low), 0, 0};
  const Rational slope =
      kernel == Kernel::kSigmoid ? Rational(1 - of.down) : Rational(1 / (1 + exact::max(0, low)));
  of.slope_up = exact::round_up(slope, kShareBits);
  if (high > low) {
    const Rational growth = exact::max(1, kernel_down(kernel, high) / of.up);
    of.slope_down = exact::round_down(2 * (growth - 1) / ((growth + 1) * (high - low)), kShareBits);
  }
  return of;
}

void require_bound(const Layer& layer, const Bound& bound, const certificate::ByRow& by) {
  Obligations proof(by);
  Row(layer, bound, by, proof).prove();
  proof.finish();
}

}  // namespace sinkproof::check
