#include "language/cover_product.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "language/cover.hpp"
#include "language/model_pass.hpp"
#include "language/pass.hpp"

namespace sinkproof::language {
namespace {

using certificate::Cover;
using certificate::CoverVerdict;
using certificate::IdSet;
using certificate::TargetRule;
using certificate::TokenIds;
using exact::Integer;
using exact::Result;
using forward::Balls;
using forward::Range;

constexpr unsigned kMostSpread = 4096;  // of a head's scores
// Each brings a head's bound closer to the least average, mostly by far.
constexpr int kMostRounds = 64;
// Of c, bits after the point: what is lost by them is far less than a producer leaves as room.
constexpr unsigned kFine = 30;

Result<void> refuse(const std::string& what) {
  return exact::fail(
      "SP2006", "by",
      "a leaf by product needs a model that is one layer of softmax attention to all "
      "earlier positions, with only the unembedding after it, but this one " +
          what);
}

TokenIds ids_of(const Cover& cover) {
  TokenIds all;
  for (const IdSet& set : cover.free_sets()) {
    const TokenIds ids = certificate::listed(set);
    TokenIds both;
    std::set_union(all.begin(), all.end(), ids.begin(), ids.end(), std::back_inserter(both));
    all = std::move(both);
  }
  return all;
}

Integer words_of(const Cover& cover, const Model& model) {
  const Config& config = model.config;
  const std::uint64_t rows = cover.positions.size() * ids_of(cover).size();
  const Integer entries =
      Integer(config.heads) * (model.vocabulary() + 4 * config.head_width) + 4 * config.width;
  return entries * rows * (cover.precision / 64 + 4);
}

// The free positions that the target depends on.
std::vector<std::size_t> target_positions(const Cover& cover) {
  const std::vector<std::size_t> free = cover.free_numbers();
  std::vector<std::size_t> found;
  for (const std::size_t position : cover.target.of) found.push_back(free[position - 1]);
  if (cover.target.rule == TargetRule::kTable) found = free;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// The target of the product's first sequence.
std::uint32_t first_target(const Cover& cover, const IdProduct& product) {
  TokenIds tokens;
  for (const std::size_t free : cover.free_numbers()) tokens.push_back(product[free].front());
  return target_of(cover, tokens);
}

using EachProduct = std::function<bool(const IdProduct&, std::uint32_t)>;

// One id at each of these free positions.
bool by_id(const Cover& cover, const std::vector<std::size_t>& fixed, std::size_t from,
           IdProduct& product, const EachProduct& each) {
  if (from == fixed.size()) return each(product, first_target(cover, product));
  const TokenIds ids = product[fixed[from]];
  bool goes_on = true;
  for (std::size_t n = 0; goes_on && n < ids.size(); ++n) {
    product[fixed[from]] = {ids[n]};
    goes_on = by_id(cover, fixed, from + 1, product, each);
  }
  product[fixed[from]] = ids;
  return goes_on;
}

// By the largest id, and the first of these free positions that has it: those before have ids below
// it, those after have none above.
bool by_largest(const Cover& cover, const std::vector<std::size_t>& of, const IdProduct& whole,
                const EachProduct& each) {
  for (const std::size_t first : of) {
    for (const std::uint32_t largest : whole[first]) {
      IdProduct product = whole;
      bool is_empty = false;
      for (const std::size_t other : of) {
        TokenIds& ids = product[other];
        if (other == first) {
          ids = {largest};
          continue;
        }
        const auto end = other < first ? std::lower_bound(ids.begin(), ids.end(), largest)
                                       : std::upper_bound(ids.begin(), ids.end(), largest);
        ids.erase(end, ids.end());
        is_empty = is_empty || ids.empty();
      }
      if (!is_empty && !each(product, first_target(cover, product))) return false;
    }
  }
  return true;
}

}  // namespace

Result<void> check_product(const Cover& cover, const Model& model) {
  const Config& config = model.config;
  if (config.layers != 1) return refuse("has " + std::to_string(config.layers) + " layers");
  if (config.attention != certificate::Attention::kSoftmax) {
    return refuse("has attention of kind " + certificate::to_string(config.attention));
  }
  if (model.layers.front().mlp_in) return refuse("has an MLP");
  if (config.norm_after || model.final_norm) return refuse("has a norm after attention");
  if (config.windows.front()) return refuse("has a window");
  if (model.project_out) return refuse("has a projection of its output");
  if (words_of(cover, model) > kMostWords) {
    return exact::fail("SP0901", "by",
                       "the tables of a leaf by product would hold over 2^31 words");
  }
  return {};
}

bool by_target(const Cover& cover, const IdProduct& whole, const EachProduct& each) {
  const std::vector<std::size_t> of = target_positions(cover);
  const TargetRule rule = cover.target.rule;
  if (rule == TargetRule::kMaximum || rule == TargetRule::kCopy) {
    return by_largest(cover, of, whole, each);
  }
  IdProduct product = whole;
  return by_id(cover, of, 0, product, each);
}

std::optional<CoverProduct> CoverProduct::of(const Cover& cover, const Model& model) try {
  return CoverProduct(cover, model);
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

CoverProduct::CoverProduct(const Cover& cover, const Model& model)
    : cover_(&cover), free_(cover.free_numbers()), heads_(model.config.heads), ids_(ids_of(cover)) {
  const std::size_t length = cover.positions.size();
  number_.resize(model.vocabulary());
  rows_.assign(cover.free_sets().size(), std::vector<std::vector<std::size_t>>(ids_.size()));
  for (std::size_t n = 0; n < ids_.size(); ++n) {
    number_[ids_[n]] = n;
    for (std::size_t i = 0; i < length; ++i) rows_[free_[i]][n].push_back(i * ids_.size() + n);
  }
  read(model);
}

// A row's query, key and value are those in the sequence that has its id everywhere.
void CoverProduct::read(const Model& model) {
  const std::size_t length = cover_->positions.size();
  const std::size_t count = ids_.size();
  const std::size_t width = model.config.head_width;
  const unsigned p = cover_->precision;
  std::vector<Balls> values(heads_, Balls(length * count, width));
  queries_.assign(heads_, Balls(count, width));
  keys_.assign(heads_, Balls(length * count, width));
  own_ = Balls(count, model.vocabulary());
  const Balls nothing(1, model.config.heads * width);
  const Balls bias = apply(model.layers.front().output, nothing, p, in_turn);
  const auto copy = [width](const forward::Block& from, std::size_t i, Balls& to, std::size_t row) {
    for (std::size_t j = 0; j < width; ++j) to.centre(row, j) = from.centre(i, j);
    to.radius[row] = from.radius(i);
  };
  ModelBalls numbers(model.config, length, p, in_turn);
  ModelPass<ModelBalls> pass(numbers, model);
  for (std::size_t n = 0; n < count; ++n) {
    const TokenIds tokens(length, ids_[n]);
    Balls last(1, model.config.width);
    Observer observer;
    observer.hidden = [&](std::size_t layer, const Balls& rows) {
      if (layer > 0) return;
      for (std::size_t j = 0; j < last.columns(); ++j) {
        last.centre(0, j) = rows.centre(length - 1, j) + bias.centre(0, j);
      }
      last.radius[0] = rows.radius[length - 1] + bias.radius[0];
    };
    observer.head = [&](const HeadRows& rows) {
      copy(rows.queries, length - 1, queries_[rows.head], n);
      for (std::size_t i = 0; i < length; ++i) {
        copy(rows.keys, i, keys_[rows.head], i * count + n);
        copy(rows.values, i, values[rows.head], i * count + n);
      }
    };
    const std::vector<Run<std::uint32_t>> runs = {{tokens, {}}};
    pass.hidden<std::uint32_t>(runs, observer, length - 1);
    const Balls logits = apply(*model.head, pass.output(last), p, in_turn);
    for (std::size_t j = 0; j < logits.columns(); ++j) own_.centre(n, j) = logits.centre(0, j);
    own_.radius[n] = logits.radius[0];
  }
  read_values(model, values);
}

// What a value adds to the logits where the head's weight is all on it: the maps after attention
// are linear, and their biases are in own_.
void CoverProduct::read_values(const Model& model, const std::vector<Balls>& values) {
  const unsigned p = cover_->precision;
  const auto linear = [p](Map map, const Balls& x) {
    map.bias = nullptr;
    return forward::fitting(apply(map, x, p, in_turn), p);
  };
  for (std::size_t h = 0; h < heads_; ++h) {
    const Balls& own = values[h];
    Balls wide(own.rows(), heads_ * own.columns());
    for (std::size_t i = 0; i < own.rows(); ++i) {
      for (std::size_t j = 0; j < own.columns(); ++j) {
        wide.centre(i, h * own.columns() + j) = own.centre(i, j);
      }
      wide.radius[i] = own.radius[i];
    }
    values_.push_back(linear(*model.head, linear(model.layers.front().output, wide)));
  }
}

std::optional<CoverProduct::Last> CoverProduct::last(std::uint32_t id) const try {
  const unsigned p = cover_->precision;
  Last result{id, {}, {}};
  for (std::size_t h = 0; h < heads_; ++h) {
    const forward::Block queries = forward::block(queries_[h]);
    const forward::Block keys = forward::block(keys_[h]);
    std::vector<Range> scores;
    for (std::size_t row = 0; row < keys.rows(); ++row) {
      const Range score = forward::logit(queries, number_[id], keys, row, 1, p);
      scores.push_back(forward::fitting(score, p));
    }
    Integer top = scores.front().upper;
    Integer bottom = scores.front().lower;
    for (const Range& score : scores) {
      top = std::max(top, score.upper);
      bottom = std::min(bottom, score.lower);
    }
    if (top - bottom > Integer(kMostSpread) << p) {
      throw certificate::Rejected{
          {"SP2006", "by",
           "scores of head " + std::to_string(h) + " on the last id " + std::to_string(id) +
               " are over 4096 apart, which a leaf by product does not cover"},
          4};
    }
    // The least weight has p bits, as 1.5 exceeds 1/ln 2.
    const auto more = ceil_shift((top - bottom) * 3, p + 1).convert_to<unsigned>();
    for (Range& score : scores) {
      score = forward::exponential({(score.lower - top) << more, (score.upper - top) << more},
                                   p + more);
    }
    result.bits.push_back(p + more);
    result.weights.push_back(std::move(scores));
  }
  return result;
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

Range CoverProduct::own(std::uint32_t last, std::uint32_t answer) const {
  return forward::entry_of(own_, number_[last], answer);
}

Range CoverProduct::value(std::size_t head, std::size_t row, std::uint32_t answer) const {
  return forward::entry_of(values_[head], row, answer);
}

bool CoverProduct::shows(CoverVerdict verdict, const Last& last, const IdProduct& product) const {
  const TokenIds answers = certificate::listed(cover_->answers);
  const auto is_shown = [&](const IdProduct& part, std::uint32_t target) {
    if (verdict == CoverVerdict::kRight) {
      return std::all_of(answers.begin(), answers.end(), [&](std::uint32_t other) {
        return other == target || exceeds(last, part, target, other);
      });
    }
    return std::any_of(answers.begin(), answers.end(), [&](std::uint32_t other) {
      return other != target && exceeds(last, part, other, target);
    });
  };
  return by_target(*cover_, product, is_shown);
}

// Of a product and a number c: the least sum over positions of weight times (value - c), from
// below, and the weights of ids that have it.
struct CoverProduct::Sum {
  Integer least;
  Integer weights;
};

CoverProduct::Sum CoverProduct::least(const Last& last, const IdProduct& product, std::size_t head,
                                      std::uint32_t answer, std::uint32_t other,
                                      const Integer& c) const {
  const Balls& values = values_[head];
  Sum sum;
  for (std::size_t free = 0; free < product.size(); ++free) {
    std::optional<Sum> best;
    for (const std::uint32_t id : product[free]) {
      Sum own;
      for (const std::size_t row : rows_of(free, id)) {
        const Range& weight = last.weights[head][row];
        const Integer over =
            values.centre(row, answer) - values.centre(row, other) - 2 * values.radius[row] - c;
        add_product(own.least, over < 0 ? weight.upper : weight.lower, over);
        own.weights += weight.lower;
      }
      if (!best || own.least < best->least) best = std::move(own);
    }
    sum.least += best->least;
    sum.weights += best->weights;
  }
  return sum;
}

// Whether the logit of one answer is shown to exceed that of another on the product: every head's
// average of value differences is at least its c, and what the last id adds is more than is
// missing.
bool CoverProduct::exceeds(const Last& last, const IdProduct& product, std::uint32_t answer,
                           std::uint32_t other) const {
  Integer missing = own(last.id, other).upper - own(last.id, answer).lower;
  for (std::size_t h = 0; h + 1 < heads_; ++h) {
    // The average of any sequence is at least the least one: c comes down to that.
    const unsigned coarse = cover_->precision > kFine ? cover_->precision - kFine : 0;
    Integer c = 0;
    Sum sum = least(last, product, h, answer, other, c);
    for (int round = 0; round == 0 || sum.least < 0; ++round) {
      if (round == kMostRounds || sum.weights == 0) return false;
      c += floor_div(sum.least, sum.weights);
      c = (floor_shift(c, coarse) - 1) << coarse;
      sum = least(last, product, h, answer, other, c);
    }
    missing -= c;
  }
  return least(last, product, heads_ - 1, answer, other, missing + 1).least >= 0;
}

}  // namespace sinkproof::language
