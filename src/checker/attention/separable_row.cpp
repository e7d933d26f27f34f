#include "attention/separable_row.hpp"

#include "attention/kernel.hpp"
#include "attention/logit_forms.hpp"
#include "attention/whole_form.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using certificate::Kernel;
using certificate::KernelClass;
using exact::Rational;

constexpr unsigned kChordBits = 64;

// How far a kernel may lie below its chord.
Rational sag(Kernel kernel, const KernelClass& range) {
  const auto& [low, high, values] = range;
  const Rational square = (high - low) * (high - low) / 8;
  if (kernel == Kernel::kRelu && low < 0 && high > 0) return -low * high / (high - low);
  if (kernel == Kernel::kElu1 && low < 0) return exact::min(1, values.greatest) * square;
  if (kernel != Kernel::kSigmoid) return 0;
  const Rational tail = exact::min(values.greatest, 1 - values.least);
  return exact::min(exact::make_rational(1, 10), tail) * square;
}

// E; R, R', .. with a balance, as places in the list of forms.
struct Term {
  std::size_t main;
  std::vector<std::size_t> roots;
  Rational balance;

  [[nodiscard]] Rational bound(const std::vector<Rational>& bounds) const {
    Rational root = 0;
    for (const std::size_t i : roots) root = exact::max(root, bounds[i]);
    return bounds[main] + root * root / (4 * balance);
  }
};
using Terms = std::vector<Term>;  // one for each z

Rational largest(const Terms& terms, const std::vector<Rational>& bounds) {
  Rational value = terms.front().bound(bounds);
  for (const Term& term : terms) value = exact::max(value, term.bound(bounds));
  return value;
}

Rational least(const std::vector<Terms>& balances, const std::vector<Rational>& bounds) {
  Rational value = largest(balances.front(), bounds);
  for (const Terms& terms : balances) value = exact::min(value, largest(terms, bounds));
  return value;
}

// One side of one class of rows: its forms, and the terms made of them.
class SideTerms {
 public:
  // By `product` where there are no chords. The head must outlive it.
  SideTerms(const Head& head, const ByKey<Chord>* chords, Rows rows, const Side& side)
      : head_(head),
        chords_(chords == nullptr ? ByKey<Chord>() : *chords),
        side_(side),
        trigger_row_(rows == Rows::kTrigger),
        product_(chords == nullptr),
        split_(trigger_row_ && head_.is_noise(side.r) ? side.r - kNoise : head_.noise),
        query_(trigger_row_ ? kTriggerFlag : head_.content_flag()),
        rest_(noise_values(head, side, split_)),
        values_(noise_values(head, side)),
        radius_(noise_radius(head, side.r)) {}
  SideTerms(const SideTerms&) = delete;  // its forms have its rows

  [[nodiscard]] const std::vector<SignForm>& forms() const { return forms_; }

  std::size_t bos() {
    SignForm form(head_.noise);
    const Rational value = flag_value(head_, side_, kBosFlag);
    if (product_) {
      add_base(form, head_, query_, kBosFlag, exact::max(0, value));
    } else {
      form.sum.constant =
          chords_[kBosKey].alpha * value + chords_[kBosKey].epsilon * exact::abs(value);
      add_base(form, head_, query_, kBosFlag, chords_[kBosKey].beta * value);
    }
    return add(std::move(form));
  }

  // Of a key with noise of its own, for each balance.
  std::vector<Terms> free_key(std::size_t flag, const Positives& balances) {
    std::vector<Terms> result(balances.size());
    for (const int z : splits(!product_)) {
      const std::size_t main = add(free_main(flag, z));
      for (std::size_t i = 0; i < balances.size(); ++i) {
        result[i].push_back({main, {add(free_root(flag, z, *balances[i]))}, *balances[i]});
      }
    }
    return result;
  }

  // Of the query as a key of its own row.
  Terms own_key(const Rational& balance) {
    std::vector<std::size_t> roots = {add(own_root(balance, 1))};
    if (!product_) roots.push_back(add(own_root(balance, -1)));
    Terms result;
    for (const int z : product_ ? std::vector<int>{0} : splits(false)) {
      result.push_back({add(own_main(z)), roots, balance});
    }
    return result;
  }

 private:
  std::size_t add(SignForm form) {
    forms_.push_back(std::move(form));
    return forms_.size() - 1;
  }

  [[nodiscard]] bool is_split() const { return split_ < head_.noise; }
  [[nodiscard]] std::vector<int> splits(bool zero) const {
    if (!is_split()) return {0};
    return zero ? std::vector<int>{-1, 0, 1} : std::vector<int>{-1, 1};
  }
  [[nodiscard]] const Chord& chord(std::size_t flag) const {
    return chords_[flag == kTriggerFlag ? kTriggerKey : kContentKey];
  }
  [[nodiscard]] Rational split_value() const {
    return is_split() ? noise_value(head_, side_, split_) : Rational(0);
  }
  [[nodiscard]] Rational target(std::size_t flag, int z) const {
    if (!trigger_row_) return 0;
    const Rational own = is_split() ? token_value(head_, side_, side_.r) : Rational(0);
    return token_value(head_, side_, flag) + z * own;
  }
  // epsilon times the largest |value| of a key
  [[nodiscard]] Rational norm(std::size_t flag) const {
    return chord(flag).epsilon * (exact::abs(flag_value(head_, side_, flag)) + values_.sum());
  }

  [[nodiscard]] SignForm free_main(std::size_t flag, int z) const {
    SignForm form(head_.noise);
    form.sum.constant = -target(flag, z);
    if (product_) return form;
    const Chord& k = chord(flag);
    const Rational mu = flag_value(head_, side_, flag) + split_value() * z;
    form.sum.constant += mu * k.alpha + norm(flag);
    add_base(form, head_, query_, flag, mu * k.beta);
    add_absolute_qs(form, head_, query_, k.centre, rest_.row(), mu * k.beta, split_);
    if (is_split() && z != 0) add_q(form, head_, query_, split_, mu * z * k.beta);
    if (is_split() && z == 0) {
      add_absolute_q(form, head_, query_, split_, split_value() * k.beta);
    }
    return form;
  }

  [[nodiscard]] SignForm free_root(std::size_t flag, int z, const Rational& balance) const {
    const Chord& k = chord(flag);
    const Rational slope = balance * k.beta;
    SignForm form(head_.noise);
    form.sum.constant = balance * (k.alpha - k.centre);
    add_base(form, head_, query_, flag, slope);
    if (is_split()) add_q(form, head_, query_, split_, slope * z);
    if (product_) {
      form.sum.constant += flag_value(head_, side_, flag) + split_value() * z;
    } else {
      SignForm absolute(head_.noise);
      absolute.absolute.push_back(std::move(form.sum));
      form = std::move(absolute);
    }
    add_absolute_qs(form, head_, query_, 1, rest_.row(), slope, split_);
    return form;
  }

  [[nodiscard]] SignForm own_main(int z) const {
    SignForm form(head_.noise);
    form.sum.constant = -target(query_, z);
    if (product_) {
      if (is_split()) form.sum.add(-side_.s, radius_.row());
      return form;
    }
    const Chord& k = chord(query_);
    const Rational nu = flag_value(head_, side_, query_) + split_value() * z;
    form.sum.constant += nu * k.alpha + norm(query_);
    add_base(form, head_, query_, query_, nu * k.beta);
    add_self(form, head_, query_, nu * k.beta);
    form.sum.add(k.centre, rest_.row());
    return form;
  }

  [[nodiscard]] SignForm own_root(const Rational& balance, int sign) const {
    const Chord& k = chord(query_);
    SignForm form(head_.noise);
    form.sum.constant = sign * balance * (k.alpha - k.centre);
    add_base(form, head_, query_, query_, sign * balance * k.beta);
    add_self(form, head_, query_, sign * balance * k.beta);
    form.sum.add(sign, product_ ? values_.row() : rest_.row());
    if (product_) form.sum.constant += flag_value(head_, side_, query_);
    return form;
  }

  const Head& head_;
  ByKey<Chord> chords_;
  Side side_;
  bool trigger_row_;
  bool product_;
  std::size_t split_;  // o; d where nothing is split off
  std::size_t query_;
  NoiseRow rest_;    // n_l
  NoiseRow values_;  // v_l
  NoiseRow radius_;  // X[r][r] at coordinate r of the noise
  std::vector<SignForm> forms_;
};

// The forms of one side of one class of rows, and what their bounds say of its loss.
class SideRow {
 public:
  SideRow(const Layer& layer, Rows rows, const Side& side, const ByKey<Chord>* chords,
          const Balances& balances)
      : constant_(side.s * layer.constant[side.r]),
        content_keys_(content_keys(layer, rows)),
        triggers_(rows == Rows::kPre ? 0 : 1),
        product_(chords == nullptr),
        terms_(layer.heads.front(), chords, rows, side),
        bos_(terms_.bos()),
        content_(terms_.free_key(layer.heads.front().content_flag(), balances.content)) {
    if (rows == Rows::kPost) trigger_ = terms_.free_key(kTriggerFlag, balances.trigger);
    for (const auto& balance : balances.own) {
      own_.push_back(balance ? terms_.own_key(*balance) : Terms());
    }
  }

  [[nodiscard]] const std::vector<SignForm>& forms() const { return terms_.forms(); }

  // The larger one of the shortest and the longest row.
  [[nodiscard]] Rational loss(const std::vector<Rational>& bounds) const {
    const Rational content = least(content_, bounds);
    Rational shared = product_ ? exact::max(0, bounds[bos_]) : bounds[bos_];
    if (!trigger_.empty()) shared += least(trigger_, bounds) - content;
    const auto row = [&](std::size_t i) -> Rational {
      const Rational keys((i == 0 ? content_keys_.least : content_keys_.most) + triggers_);
      const Rational query = own_[i].empty() ? content : largest(own_[i], bounds);
      return (shared + query + (keys - 1) * content) / keys;
    };
    return constant_ + exact::max(row(0), row(1));
  }

 private:
  Rational constant_;
  ContentKeys content_keys_;
  std::size_t triggers_;
  bool product_;
  SideTerms terms_;
  std::size_t bos_;
  std::vector<Terms> content_, trigger_, own_;
};

}  // namespace

Chord chord_of(Kernel kernel, const KernelClass& range) {
  const auto& [low, high, values] = range;
  Chord chord;
  chord.beta = high == low
                   ? Rational(0)
                   : exact::round_down((values.greatest - values.least) / (high - low), kChordBits);
  const Rational at_low = chord.beta * low;
  const Rational at_high = chord.beta * high;
  const Rational below = sag(kernel, range);
  const Rational above = kernel == Kernel::kSigmoid ? below : Rational(0);
  const Rational least =
      exact::min(kernel_down(kernel, low) - at_low, kernel_down(kernel, high) - at_high) - below;
  const Rational greatest =
      exact::max(kernel_up(kernel, low) - at_low, kernel_up(kernel, high) - at_high) + above;
  chord.alpha = exact::round_down((least + greatest) / 2, kChordBits);
  chord.epsilon =
      exact::round_up(exact::max(greatest - chord.alpha, chord.alpha - least), kChordBits);
  chord.centre = exact::round_down(chord.alpha + (at_low + at_high) / 2, kChordBits);
  return chord;
}

ByKey<Chord> chords_of(const Layer& layer, Rows rows) {
  const auto classes = classes_of(layer.ranges.at(0), rows);
  ByKey<Chord> chords;
  for (const Key key : {kBosKey, kContentKey, kTriggerKey}) {
    chords[key] = chord_of(layer.kind.kernel, classes[key]);
  }
  return chords;
}

Rational separable_root_bound(const Layer& layer, Rows rows, const Side& side,
                              const ByKey<Chord>* chords, const Balances& balances) {
  const SideRow row(layer, rows, side, chords, balances);
  std::vector<Rational> bounds;
  for (const SignForm& form : row.forms()) bounds.push_back(WholeForm(form).root_bound());
  return row.loss(bounds);
}

void require_bound(const Layer& layer, const Bound& bound, const certificate::BySeparableRow& by) {
  Obligations proof(by);
  const Rows rows = *bound.rows;
  const bool product = by.bound == certificate::BySeparableRow::Kernels::kProduct;
  require(!product || layer.kind.kernel == Kernel::kRelu, "bound", "no such bound for this kernel");
  const bool post = rows == Rows::kPost;
  if (rows == Rows::kPre) {
    require(first_row_bound(layer) <= bound.upper, "row 1", "may lose more");
  }
  const Head& head = layer.heads.front();
  std::optional<ByKey<Chord>> chords;
  if (!product) chords = chords_of(layer, rows);
  for_each_side(head.width, [&](const Side& side) {
    const std::size_t i = side.index();
    const SideRow row(layer, rows, side, chords ? &*chords : nullptr,
                      {by.content.at(i), post ? by.trigger.at(i) : Positives(), by.own.at(i)});
    proof.at_leaves(row.forms(), side.text(), [&](const std::vector<Rational>& bounds) {
      require(row.loss(bounds) <= bound.upper, side.text(), "a leaf does not close");
    });
  });
  proof.finish();
}

}  // namespace sinkproof::check
