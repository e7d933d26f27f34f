#include "forward/content_rows.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"

namespace sinkproof::forward {
namespace {

using exact::Integer;

// a b, rounded down; the error grows by a unit.
Word product(Word a, Word b, Wide& error) {
  ++error;
  return narrow((Wide{a} * b) >> kSeriesBits);
}

// In 256ths of the whole, from above.
std::vector<Word> scales_of(const std::vector<Word>& sizes, Word whole) {
  std::vector<Word> result;
  for (const Word size : sizes) {
    result.push_back(part_of_scale(size, whole));
  }
  return result;
}

Range kernel(Word logit) { return exponential({fine(logit), fine(logit)}, kFineBits); }

// The logistic function of top + ln(sum), the sum in units of 2^-kFineBits.
Range share_of(Word top, const Range& sum) {
  const auto at = [&](const Integer& end) {
    const Range log = logarithm(exact::make_rational(end, unit(kFineBits)), kFineBits);
    return logistic({log.lower + fine(top), log.upper + fine(top)}, kFineBits);
  };
  return {at(sum.lower).lower, at(sum.upper).upper};
}

}  // namespace

// The rows after a layer: each head adds a number q times what a mean of keys has more than BOS.
class ContentRows::Next {
 public:
  Next(ContentRows& rows, std::size_t layer)
      : rows_(rows),
        at_(layer),
        layer_(rows.model_.layers[layer]),
        keys_(rows.keys_[layer]),
        n_(rows.model_.width),
        remainder_(n_),
        centre_(layer_.begin(constant(keys_.centre, keys_.remainder))) {
    if (!layer_.residual) return;
    numbers_ = keys_.numbers;
    for (std::size_t a = 0; a < numbers_.size(); ++a) {
      columns_.emplace_back();
      for (std::size_t r = 0; r < n_; ++r) columns_.back().push_back(keys_.columns(r, a));
    }
  }

  void add_head(const FixedHead& head) {
    const Shares shares = rows_.shares_of(at_, head);
    const FixedMap linear_part = without_bias(head.value);
    const Series from = constant(keys_.centre, std::vector<Word>(n_));
    Wide all = 0;
    for (std::size_t k = 0; k < shares.most.size(); ++k) {
      all += Wide{shares.least[k]} + shares.most[k];
    }
    const Word middle = static_cast<Word>(all / static_cast<Wide>(2 * shares.most.size()));
    std::vector<Word> apart;
    for (std::size_t k = 0; k < shares.most.size(); ++k) {
      apart.push_back(std::max(shares.most[k] - middle, middle - shares.least[k]));
    }
    const Word radius = std::max<Word>(1, *std::max_element(apart.begin(), apart.end()));
    const Word most = std::max<Word>(1, *std::max_element(shares.most.begin(), shares.most.end()));
    const bool is_small = most <= kSmallShare;

    const Series more = apply(linear_part, sum(from, layer_.bos, -1));
    centre_ = sum(centre_, sum(apply(head.value, layer_.bos), times(more, middle)));
    add(scaled_column(constants(more), radius), scales_of(apart, radius), is_small);
    for (std::size_t r = 0; r < n_; ++r) {
      remainder_[r] += more.remainder[r];  // times r s
      for (std::size_t s = 0; s < n_; ++s) {
        remainder_[r] +=
            Wide{ceil_shift(Wide{size_of(head.value.weight(r, s)) + 1} * keys_.remainder[s])};
      }
    }
    for (std::size_t a = 0; a < keys_.numbers.size(); ++a) {
      add(scaled_column(mapped(linear_part, a), most), scales_of(shares.most, most), is_small);
    }
    if (rows_.trigger_ != nullptr) {
      add_trigger(apply(linear_part, sum((*rows_.trigger_)[at_], from, -1)),
                  half_up(shares.trigger));
    }
  }

  [[nodiscard]] ContentKeys keys() const {
    ContentKeys next;
    next.numbers = numbers_;
    next.columns = exact::Matrix<Word>(n_, columns_.size());
    for (std::size_t r = 0; r < n_; ++r) {
      next.centre.push_back(centre_.constant(r));
      next.remainder.push_back(narrow(remainder_[r] + centre_.remainder[r]));
      for (std::size_t a = 0; a < columns_.size(); ++a) next.columns(r, a) = columns_[a][r];
    }
    return next;
  }

 private:
  static std::vector<Word> constants(const Series& x) {
    std::vector<Word> result;
    for (std::size_t c = 0; c < x.size; ++c) result.push_back(x.constant(c));
    return result;
  }

  // Column a of the keys, mapped.
  std::vector<Word> mapped(const FixedMap& map, std::size_t a) {
    std::vector<Word> result;
    for (std::size_t r = 0; r < n_; ++r) {
      Wide exact = 0;
      Wide width = 0;
      for (std::size_t s = 0; s < n_; ++s) {
        exact += Wide{map.weight(r, s)} * keys_.columns(s, a);
        width += size_of(keys_.columns(s, a));
      }
      remainder_[r] += Wide{ceil_shift(width)} + 1;  // of the map's entries, and rounding
      result.push_back(narrow(exact >> kSeriesBits));
    }
    return result;
  }

  std::vector<Word> scaled_column(std::vector<Word> column, Word factor) {
    for (std::size_t r = 0; r < n_; ++r) column[r] = product(column[r], factor, remainder_[r]);
    return column;
  }

  // A column with a new letter or, where it is small, without one.
  void add(const std::vector<Word>& column, std::vector<Word> scales, bool is_small) {
    for (std::size_t r = 0; r < n_; ++r) remainder_[r] += is_small ? size_of(column[r]) : kScale;
    if (is_small) return;
    columns_.emplace_back();
    for (const Word entry : column) columns_.back().push_back(entry / kScale * kScale);
    numbers_.push_back(rows_.scales_.size());
    if (rows_.scales_.size() >= rows_.model_.letters.alphabet.columns) throw TooCoarse();
    rows_.scales_.push_back(std::move(scales));
  }

  // A share a of the trigger's adds a times `away`, what its row has more than the centre, mapped;
  // 0 <= a <= 2 half.
  void add_trigger(const Series& away, Word half) {
    centre_ = sum(centre_, times(constant_part(away), half));
    for (std::size_t r = 0; r < n_; ++r) {
      // Its noise, at first, is one of those that the mean is of.
      Wide around = away.remainder[r];
      if (at_ > 0) around = Wide{reach(away, r)} - size_of(away.constant(r));
      remainder_[r] += ceil_shift(narrow(around) * Wide{2 * half});
    }
    add(scaled_column(constants(away), half), std::vector<Word>(rows_.count_, kScale),
        2 * half <= kSmallShare);
  }

  ContentRows& rows_;
  std::size_t at_;
  const MomentModel::Layer& layer_;
  const ContentKeys& keys_;
  std::size_t n_;
  std::vector<Wide> remainder_;
  Series centre_;
  std::vector<std::size_t> numbers_;
  std::vector<std::vector<Word>> columns_;
};

ContentRows::ContentRows(const MomentModel& model, std::size_t count,
                         const std::vector<Series>* trigger)
    : model_(model),
      count_(count),
      trigger_(trigger),
      keys_{model.content},
      scales_(model.noise, std::vector<Word>(count, kScale)) {
  for (std::size_t l = 0; count > 0 && l + 1 < model.layers.size(); ++l) {
    Next next(*this, l);
    for (const FixedHead& head : model.layers[l].heads) next.add_head(head);
    ContentKeys keys = next.keys();
    keys_.push_back(std::move(keys));
  }
}

SeenKeys ContentRows::seen(std::size_t layer) const {
  SeenKeys seen{nullptr, count_, {}, {}};
  if (count_ == 0) return seen;
  seen.keys = &keys_[layer];
  for (const std::size_t number : seen.keys->numbers) add_letter(seen, scales_[number]);
  return seen;
}

ContentRows::Shares ContentRows::shares_of(std::size_t layer, const FixedHead& head) const {
  const ContentKeys& keys = keys_[layer];
  const Series& bos = model_.layers[layer].bos;
  // A content row: its own noise walked, other letters its own too.
  Series row = constant(keys.centre, keys.remainder);
  for (std::size_t a = 0; a < keys.numbers.size(); ++a) {
    const std::size_t number = keys.numbers[a];
    row.terms.push_back(
        {static_cast<Letter>(number < model_.noise ? 1 + number : model_.letters.own + number)});
    for (std::size_t r = 0; r < model_.width; ++r) row.values.push_back(keys.columns(r, a));
  }
  const WordRange other = logit_range(head, row, one_of(keys, model_.letters.keys), bos);
  const WordRange self = logit_range(head, row, row, bos);
  Shares result;
  std::vector<Word> trigger;  // its logit at most, where it may be seen
  if (trigger_ != nullptr) {
    trigger = {logit_range(head, row, (*trigger_)[layer], bos).upper};
    result.trigger = up(logistic({fine(trigger[0]), fine(trigger[0])}, kFineBits).upper);
  }
  // Of a row that sees so many others, itself and perhaps more, all logits at one end.
  const auto share = [](std::size_t others, Word of_other, Word of_self,
                        const std::vector<Word>& of_more) {
    Word top = others == 0 ? of_self : std::max(of_other, of_self);
    for (const Word logit : of_more) top = std::max(top, logit);
    Range all = kernel(of_self - top);
    if (others > 0) {
      const Range each = kernel(of_other - top);
      all = all + Range{each.lower * others, each.upper * others};
    }
    for (const Word logit : of_more) all = all + kernel(logit - top);
    return share_of(top, all);
  };
  for (std::size_t k = 0; k < count_; ++k) {
    result.least.push_back(down(share(k, other.lower, self.lower, {}).lower));
    result.most.push_back(up(share(k, other.upper, self.upper, trigger).upper));
  }
  return result;
}

WordRange ContentRows::logit_range(const FixedHead& head, const Series& row, const Series& key,
                                   const Series& bos) const {
  const Series query = first_coordinates(apply(head.query, row), model_.width);
  const Alphabet& alphabet = model_.letters.alphabet;
  return range(inner(query, sum(key, bos, -1), 2, alphabet), 0, alphabet);
}

}  // namespace sinkproof::forward
