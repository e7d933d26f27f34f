#include "forward/moment_pass.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "forward/tilted_head.hpp"

namespace sinkproof::forward {
namespace {

using certificate::Rows;
using exact::Integer;
using exact::Rational;

constexpr unsigned kFine = kBoxPrecision;
constexpr Word kScale = 256;
// Numbers of letters of keys, over all layers.
constexpr std::size_t kMostNumbers = 120;
// A head whose share of keys but BOS is at most this gives its keys no letters.
constexpr Word kSmallShare = kOne >> 7U;
// Remainders above this become letters.
constexpr Word kLargeRemainder = kOne >> 10U;

Word half_up(Word n) { return (n + 1) >> 1U; }
Word size_of(Word n) { return n < 0 ? -n : n; }
Integer fine(Word n) { return Integer(n) << (kFine - kSeriesBits); }

// Between which numbers the share of keys but BOS lies, of content rows at positions 2, 3, ..
struct Shares {
  std::vector<Word> least;
  std::vector<Word> most;
  Word trigger = 0;  // that of the trigger, at most
};

class MomentPass {
 public:
  MomentPass(const Model& model, const BoxRequest& request) : model_(model), request_(request) {
    n_ = model.width;
    noise_ = n_ - 3;
    lay_out_letters();
    for (const AttentionBlock& block : model.blocks) {
      bounds_.paid.emplace_back(block.heads);
      std::vector<FixedHead> heads;
      const BoxLayer layer(block);
      for (const BoxLayer::Maps& maps : layer.maps()) {
        heads.push_back({fixed_map(maps.query), fixed_map(maps.value)});
      }
      heads_.push_back(std::move(heads));
      FixedMap bias{exact::Matrix<Word>(0, 0), {}};
      for (const Rational& b : block.output.bias) bias.bias.push_back(floor_word(b));
      biases_.push_back(constant(bias.bias, std::vector<Word>(n_, 1)));
    }
    follow_bos();
  }

  BoxBounds run(const ForEach& each) {
    const std::size_t first = request_.first_trigger;
    const std::size_t before = request_.last_trigger - 2;  // rows 2 .. last_trigger - 1
    const std::size_t triggers =
        request_.rows == Rows::kPre ? 0 : request_.last_trigger - first + 1;
    note_loss(sum(bos_.back(), model_.blocks.front().residual ? bos_.front() : Series(n_), -1),
              Rows::kPre);
    share_out(each, before + triggers, [&](MomentPass& part, std::size_t k) {
      k < before ? part.follow_row(Rows::kPre, k + 2)
                 : part.follow_row(Rows::kTrigger, first + k - before);
    });
    if (request_.rows == Rows::kPost) {
      bounds_.loss[index(Rows::kPost)] = 0;
      name_trigger();
      const std::size_t after = request_.length - first;  // rows first + 1 .. length
      share_out(each, after, [&](MomentPass& part, std::size_t k) {
        part.follow_row(Rows::kPost, first + 1 + k);
      });
    }
    return std::move(bounds_);
  }

 private:
  static std::size_t index(Rows rows) { return static_cast<std::size_t>(rows); }

  // What the parts find, each in a copy of this.
  void share_out(const ForEach& each, std::size_t count,
                 const std::function<void(MomentPass&, std::size_t)>& follow) {
    std::vector<std::optional<MomentPass>> parts(count);
    each(count, [&](std::size_t k) {
      MomentPass part(*this);
      try {
        follow(part, k);
        parts[k].emplace(std::move(part));
      } catch (const TooCoarse&) {
        parts[k].reset();
      }
    });
    for (const auto& part : parts) {
      if (!part) throw TooCoarse();
      include(bounds_, part->bounds_);
      for (std::size_t l = 0; l < part->reached_.size(); ++l) {
        if (reached_.size() <= l) reached_.push_back(part->reached_[l]);
        for (std::size_t c = 0; c < n_; ++c) {
          reached_[l][c].lower = std::min(reached_[l][c].lower, part->reached_[l][c].lower);
          reached_[l][c].upper = std::max(reached_[l][c].upper, part->reached_[l][c].upper);
        }
      }
    }
  }

  // The trigger's row as a key at each layer, at whatever position: in its own noise, then in a
  // letter for each coordinate.
  void name_trigger() {
    const ContentKeys first = token_keys(certificate::kTriggerFlag);
    trigger_ = {
        sum(constant(first.centre, first.remainder), linear(first.columns, trigger_letter_))};
    // Other numbers at each layer.
    const auto letters_at = [&](std::size_t layer) {
      return static_cast<Letter>(trigger_letter_ + layer * n_);
    };
    for (const std::vector<WordRange>& at : reached_) {
      std::vector<Word> centre;
      exact::Matrix<Word> columns(n_, n_);
      for (std::size_t c = 0; c < n_; ++c) {
        centre.push_back(at[c].lower + (at[c].upper - at[c].lower) / 2);
        columns(c, c) = std::max(at[c].upper - centre[c], centre[c] - at[c].lower);
      }
      trigger_.push_back(sum(constant(centre, std::vector<Word>(n_)),
                             linear(columns, letters_at(trigger_.size()))));
    }
  }

  void lay_out_letters() {
    const std::size_t layers = model_.blocks.size();
    alphabet_.walked = std::min(noise_, kMostWalkedLetters);
    alphabet_.means = noise_;
    alphabet_.columns = kMostNumbers;
    std::size_t next = noise_ + 1;
    fresh_ = static_cast<Letter>(next);
    next += layers * model_.blocks.front().heads * n_;
    own_ = static_cast<Letter>(next);
    next += kMostNumbers;
    trigger_letter_ = static_cast<Letter>(next);
    next += layers * n_;
    letters_.mean = alphabet_.mean = static_cast<Letter>(next);
    next += kMostNumbers;
    letters_.key = static_cast<Letter>(next);
    next += kMostNumbers;
    alphabet_.spread = static_cast<Letter>(next);
    next += kMostNumbers * kMostNumbers;
    if (next > UINT16_MAX || noise_ > kMostNumbers) throw TooCoarse();
  }

  void follow_bos() {
    std::vector<Word> token(n_);
    token[certificate::kBosFlag] = kOne;
    bos_ = {constant(token, std::vector<Word>(n_))};
    for (std::size_t l = 0; l < heads_.size(); ++l) {
      Series out = biases_[l];
      if (model_.blocks[l].residual) out = sum(out, bos_[l]);
      for (const FixedHead& head : heads_[l]) out = sum(out, apply(head.value, bos_[l]));
      bos_.push_back(std::move(out));
    }
  }

  // A token in its own noise, which has letters `first`, ..
  [[nodiscard]] Series token(std::size_t flag) const {
    Series result(n_);
    const ContentKeys keys = token_keys(flag);
    result = constant(keys.centre, keys.remainder);
    return sum(result, linear(keys.columns, 1));
  }
  [[nodiscard]] ContentKeys token_keys(std::size_t flag) const {
    ContentKeys keys{
        std::vector<Word>(n_), exact::Matrix<Word>(n_, noise_), std::vector<Word>(n_), {}};
    keys.centre[flag] = kOne;
    for (std::size_t a = 0; a < noise_; ++a) {
      const std::size_t c = certificate::kNoise + a;
      const Rational centre = request_.box.centre(a);
      const Rational radius = request_.box.radius(a);
      keys.centre[c] = floor_word(centre);
      keys.columns(c, a) = floor_word(radius) / kScale * kScale;
      if (centre * unit(kSeriesBits) != keys.centre[c]) ++keys.remainder[c];
      if (radius * unit(kSeriesBits) != keys.columns(c, a)) keys.remainder[c] += kScale;
      keys.numbers.push_back(a);
    }
    return keys;
  }

  // So many content rows, from position 2 on. Behind the trigger one of these positions is the
  // trigger's, and any of them may see it.
  void follow_keys(std::size_t count, bool may_see_trigger) {
    count_ = count;
    sees_trigger_ = may_see_trigger;
    keys_.assign(1, token_keys(n_ - 1));
    scales_.assign(noise_, std::vector<Word>(count, kScale));
    if (count == 0) return;
    for (std::size_t l = 0; l + 1 < heads_.size(); ++l) keys_.push_back(next_keys(l));
  }

  // Content rows after layer l: each head adds a number q times what a mean of keys has more than
  // BOS.
  ContentKeys next_keys(std::size_t l) {
    const ContentKeys& keys = keys_[l];
    const bool residual = model_.blocks[l].residual;
    ContentKeys next;
    Series centre = sum(biases_[l], constant(std::vector<Word>(n_), std::vector<Word>(n_)));
    if (residual) centre = sum(centre, constant(keys.centre, keys.remainder));
    std::vector<std::vector<Word>> columns;
    std::vector<Wide> remainder(n_);
    if (residual) {
      for (std::size_t a = 0; a < keys.numbers.size(); ++a) {
        next.numbers.push_back(keys.numbers[a]);
        columns.emplace_back();
        for (std::size_t r = 0; r < n_; ++r) columns.back().push_back(keys.columns(r, a));
      }
    }
    const auto add_column = [&](const std::vector<Word>& column, const std::vector<Word>& scales) {
      columns.emplace_back();
      for (std::size_t r = 0; r < n_; ++r) {
        columns.back().push_back(column[r] / kScale * kScale);
        remainder[r] += kScale;
      }
      next.numbers.push_back(scales_.size());
      if (scales_.size() >= kMostNumbers) throw TooCoarse();
      scales_.push_back(scales);
    };
    for (std::size_t h = 0; h < heads_[l].size(); ++h) {
      const Shares shares = shares_of(l, heads_[l][h]);
      const std::size_t positions = shares.most.size();
      Wide all = 0;
      for (std::size_t k = 0; k < positions; ++k) all += Wide{shares.least[k]} + shares.most[k];
      const Word middle = static_cast<Word>(all / static_cast<Wide>(2 * positions));
      Word radius = 1;
      std::vector<Word> apart;
      for (std::size_t k = 0; k < positions; ++k) {
        apart.push_back(std::max(shares.most[k] - middle, middle - shares.least[k]));
        radius = std::max(radius, apart.back());
      }
      const Word most =
          std::max<Word>(1, *std::max_element(shares.most.begin(), shares.most.end()));
      // V times what the centre has more than BOS, and times the columns.
      const FixedMap linear_part{heads_[l][h].value.weight, std::vector<Word>(n_)};
      const Series more =
          apply(linear_part, sum(constant(keys.centre, std::vector<Word>(n_)), bos_[l], -1));
      centre = sum(centre, apply(heads_[l][h].value, bos_[l]));
      centre = sum(centre, times(more, middle));
      std::vector<Word> step;
      for (std::size_t r = 0; r < n_; ++r)
        step.push_back(product(more.constant(r), radius, remainder[r]));
      const bool is_small = most <= kSmallShare;
      const auto add = [&](const std::vector<Word>& column, const std::vector<Word>& sizes,
                           Word whole) {
        if (!is_small) return add_column(column, scales_of(sizes, whole));
        for (std::size_t r = 0; r < n_; ++r) remainder[r] += size_of(column[r]);
      };
      add(step, apart, radius);
      if (sees_trigger_) {
        // A share a of the trigger's adds a V (its row less the centre), 0 <= a <= most.
        const Series away =
            apply(linear_part, sum(trigger_[l], constant(keys.centre, std::vector<Word>(n_)), -1));
        const Word half = half_up(shares.trigger);
        centre = sum(centre, times(constant_part(away), half));
        std::vector<Word> column;
        for (std::size_t r = 0; r < n_; ++r) {
          column.push_back(product(away.constant(r), half, remainder[r]));
          // Its noise, at first, is one of those that the mean is of.
          Wide around = away.remainder[r];
          if (l > 0) around = Wide{reach(away, r)} - size_of(away.constant(r));
          remainder[r] += ceil_shift(narrow(around) * Wide{2 * half});
        }
        if (2 * half > kSmallShare) {
          add_column(column, std::vector<Word>(count_, kScale));
        } else {
          for (std::size_t r = 0; r < n_; ++r) remainder[r] += size_of(column[r]);
        }
      }
      for (std::size_t r = 0; r < n_; ++r) {
        remainder[r] += more.remainder[r];  // times the share, which is at most 1
        for (std::size_t s = 0; s < n_; ++s) {
          remainder[r] +=
              Wide{ceil_shift(Wide{size_of(linear_part.weight(r, s)) + 1} * keys.remainder[s])};
        }
      }
      for (std::size_t a = 0; a < keys.numbers.size(); ++a) {
        std::vector<Word> column;
        for (std::size_t r = 0; r < n_; ++r) {
          Wide exact = 0;
          Wide width = 0;
          for (std::size_t s = 0; s < n_; ++s) {
            exact += Wide{linear_part.weight(r, s)} * keys.columns(s, a);
            width += size_of(keys.columns(s, a));
          }
          remainder[r] += Wide{ceil_shift(width)} + 1;
          column.push_back(product(narrow(exact >> kSeriesBits), most, remainder[r]));
        }
        add(column, shares.most, most);
      }
    }
    for (std::size_t r = 0; r < n_; ++r) {
      next.centre.push_back(centre.constant(r));
      next.remainder.push_back(narrow(remainder[r] + centre.remainder[r]));
    }
    next.columns = exact::Matrix<Word>(n_, columns.size());
    for (std::size_t a = 0; a < columns.size(); ++a) {
      for (std::size_t r = 0; r < n_; ++r) next.columns(r, a) = columns[a][r];
    }
    return next;
  }

  static Word product(Word a, Word b, Wide& error) {
    ++error;
    return narrow((Wide{a} * b) >> kSeriesBits);
  }
  // In units of 1/256 of the whole, from above.
  static std::vector<Word> scales_of(const std::vector<Word>& sizes, Word whole) {
    std::vector<Word> result;
    for (const Word size : sizes) {
      result.push_back(std::min(kScale, (size * kScale + whole - 1) / whole));
    }
    return result;
  }

  static Series constant_part(const Series& x) {
    std::vector<Word> values;
    for (std::size_t c = 0; c < x.size; ++c) values.push_back(x.constant(c));
    return constant(values, std::vector<Word>(x.size));
  }

  Shares shares_of(std::size_t l, const FixedHead& head) {
    const ContentKeys& keys = keys_[l];
    // A content row: its own noise walked, other letters its own too.
    Series row = constant(keys.centre, keys.remainder);
    for (std::size_t a = 0; a < keys.numbers.size(); ++a) {
      const std::size_t number = keys.numbers[a];
      row.terms.push_back({static_cast<Letter>(number < noise_ ? 1 + number : own_ + number)});
      for (std::size_t r = 0; r < n_; ++r) row.values.push_back(keys.columns(r, a));
    }
    const WordRange other = logit_range(head, row, one_of(keys, letters_), bos_[l]);
    const WordRange self = logit_range(head, row, row, bos_[l]);
    Shares result;
    std::vector<Word> trigger;  // its logit at most, where it may be seen
    if (sees_trigger_) {
      const Word most = logit_range(head, row, trigger_[l], bos_[l]).upper;
      trigger = {most};
      result.trigger = word(exact_ceil(logistic({fine(most), fine(most)}, kFine).upper));
    }
    for (std::size_t i = 2; i < count_ + 2; ++i) {
      const auto share = [&](Word of_other, Word of_self, const std::vector<Word>& more) {
        Word top = std::max(of_other, of_self);
        for (const Word logit : more) top = std::max(top, logit);
        const auto kernel = [&](Word x) {
          return exponential({fine(x - top), fine(x - top)}, kFine);
        };
        Range all = {kernel(of_other).lower * (i - 2) + kernel(of_self).lower,
                     kernel(of_other).upper * (i - 2) + kernel(of_self).upper};
        for (const Word logit : more) all = all + kernel(logit);
        const Range log = {logarithm(exact::make_rational(all.lower, unit(kFine)), kFine).lower,
                           logarithm(exact::make_rational(all.upper, unit(kFine)), kFine).upper};
        return Range{logistic({log.lower + fine(top), log.lower + fine(top)}, kFine).lower,
                     logistic({log.upper + fine(top), log.upper + fine(top)}, kFine).upper};
      };
      result.least.push_back(
          word(floor_shift(share(other.lower, self.lower, {}).lower, kFine - kSeriesBits)));
      result.most.push_back(word(exact_ceil(share(other.upper, self.upper, trigger).upper)));
    }
    return result;
  }
  static Integer exact_ceil(const Integer& n) {
    return sinkproof::ceil_shift(n, kFine - kSeriesBits);
  }

  [[nodiscard]] WordRange logit_range(const FixedHead& head, const Series& row, const Series& key,
                                      const Series& bos) const {
    Series query = apply(head.query, row);
    Series more = sum(key, bos, -1);
    // Less BOS, so that the constant's part is none.
    Series extended(n_ + 1);
    extended.terms = more.terms;
    for (std::size_t t = 0; t < more.terms.size(); ++t) {
      for (std::size_t r = 0; r < n_; ++r) extended.values.push_back(more.values[t * n_ + r]);
      extended.values.push_back(0);
    }
    std::copy(more.remainder.begin(), more.remainder.end(), extended.remainder.begin());
    return range(inner(query, extended, 2, alphabet_), 0, alphabet_);
  }

  // Row i of a class: before the trigger, or it.
  void follow_row(Rows rows, std::size_t i) {
    const bool is_trigger = rows == Rows::kTrigger;
    const std::size_t degree = is_trigger ? request_.degree : request_.row_degree;
    const Series begin = token(is_trigger ? certificate::kTriggerFlag : n_ - 1);
    const bool is_post = rows == Rows::kPost;
    const std::size_t count = is_post ? i - 3 : i - 2;
    follow_keys(count, is_post);
    Series row = begin;
    for (std::size_t l = 0; l < heads_.size(); ++l) {
      Series out = biases_[l];
      if (model_.blocks[l].residual) out = sum(out, row);
      const SeenKeys seen = seen_keys(l, count);
      for (std::size_t h = 0; h < heads_[l].size(); ++h) {
        const FixedHead& head = heads_[l][h];
        TiltedHead part = tilted(head, row, bos_[l], seen, is_post ? &trigger_[l] : nullptr,
                                 letters_, degree, alphabet_);
        note_share(l, h, rows, part.bos);
        Series moved =
            part.others ? scaled(*part.others, part.mean, degree, alphabet_) : std::move(part.mean);
        name_remainders(moved, l, h);
        out = sum(out, apply(head.value, bos_[l]));
        out = sum(out, apply(FixedMap{head.value.weight, std::vector<Word>(n_)}, moved));
      }
      row = std::move(out);
      if (is_trigger && l + 1 < heads_.size() && request_.rows == Rows::kPost) {
        reached_.emplace_back();
        for (std::size_t c = 0; c < n_; ++c) reached_.back().push_back(range(row, c, alphabet_));
      }
    }
    Series target(n_);
    if (model_.blocks.front().residual) target = begin;
    if (is_trigger) {
      Series all = mean_of(seen_keys(0, count), letters_);  // the trigger is at 3 at least
      all = part_of(all, count, i - 1);
      target = sum(target, sum(all, part_of(begin, 1, i - 1)));
    }
    bounds_.loss[index(rows)] = bounds_.loss[index(rows)].value_or(0);
    note_loss(sum(row, target, -1), rows);
  }

  // part / whole of it.
  static Series part_of(const Series& x, std::size_t part, std::size_t whole) {
    Series result = times(x, static_cast<Word>((Wide{kOne} * part) / whole));
    for (std::size_t c = 0; c < x.size; ++c)
      result.remainder[c] += 1 + (reach(x, c) >> kSeriesBits);
    return result;
  }

  SeenKeys seen_keys(std::size_t l, std::size_t count) const {
    SeenKeys seen{count == 0 ? nullptr : &keys_[l], count, {}, {}};
    if (count == 0) return seen;
    for (const std::size_t number : keys_[l].numbers) {
      Word all = 0;
      Word squares = 0;
      for (std::size_t k = 0; k < count; ++k) {
        all += scales_[number][k];
        squares += scales_[number][k] * scales_[number][k];
      }
      const auto keys = static_cast<Word>(count);
      seen.mean.push_back((all + keys - 1) / keys);
      Word root = 0;
      while (root * root * keys < squares) ++root;
      seen.spread.push_back(root);
    }
    return seen;
  }

  void name_remainders(Series& x, std::size_t l, std::size_t h) const {
    for (std::size_t c = 0; c < n_; ++c) {
      if (x.remainder[c] <= kLargeRemainder) continue;
      x.terms.push_back({static_cast<Letter>(fresh_ + (l * heads_[l].size() + h) * n_ + c)});
      x.values.resize(x.values.size() + n_);
      x.values[x.values.size() - n_ + c] = std::exchange(x.remainder[c], 0);
    }
  }

  void note_share(std::size_t l, std::size_t h, Rows rows, const Range& bos) {
    auto& paid = bounds_.paid[l][h][index(rows)];
    const BoxBounds::Paid here{bos, {0, 0}};
    paid = paid ? BoxBounds::Paid{hull(paid->bos, bos), paid->null} : here;
  }

  void note_loss(const Series& error, Rows rows) {
    std::optional<Integer>& loss = bounds_.loss[index(rows)];
    if (!loss) loss = 0;
    for (std::size_t c = 0; c < n_; ++c) {
      if (fine(reach(error, c)) <= *loss) continue;
      const WordRange ends = range(error, c, alphabet_);
      loss = std::max(*loss, fine(std::max(size_of(ends.lower), size_of(ends.upper))));
    }
  }

  static void include(BoxBounds& all, const BoxBounds& one) {
    for (std::size_t rows = 0; rows < BoxBounds::kClasses; ++rows) {
      if (one.loss[rows]) all.loss[rows] = std::max(all.loss[rows].value_or(0), *one.loss[rows]);
      for (std::size_t l = 0; l < one.paid.size(); ++l) {
        for (std::size_t h = 0; h < one.paid[l].size(); ++h) {
          const auto& paid = one.paid[l][h][rows];
          auto& sum = all.paid[l][h][rows];
          if (paid) sum = sum ? BoxBounds::Paid{hull(sum->bos, paid->bos), paid->null} : *paid;
        }
      }
    }
  }

  const Model& model_;
  const BoxRequest& request_;
  std::size_t n_ = 0;
  std::size_t noise_ = 0;
  Alphabet alphabet_;
  Letter fresh_ = 0;
  Letter own_ = 0;
  KeyLetters letters_{};
  std::vector<std::vector<FixedHead>> heads_;
  std::vector<Series> biases_;
  std::vector<Series> bos_;                // at the entrance of each layer, and after the last
  std::size_t count_ = 0;                  // of content keys that the row at hand sees
  std::vector<ContentKeys> keys_;          // by layer
  std::vector<std::vector<Word>> scales_;  // by number and position from 2: 256ths
  Letter trigger_letter_ = 0;
  bool sees_trigger_ = false;
  std::vector<std::vector<WordRange>>
      reached_;                  // by the trigger's rows, at the entrance of layers 2 ..
  std::vector<Series> trigger_;  // at the entrance of each layer
  BoxBounds bounds_;
};

}  // namespace

bool has_moments(const Model& model) {
  return std::all_of(model.blocks.begin(), model.blocks.end(), [](const AttentionBlock& block) {
    return block.kind.kernel == certificate::Kernel::kExp && block.kind.averages();
  });
}

std::optional<BoxBounds> moment_bounds(const Model& model, const BoxRequest& request,
                                       const ForEach& each) try {
  return MomentPass(model, request).run(each);
} catch (const TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::forward
