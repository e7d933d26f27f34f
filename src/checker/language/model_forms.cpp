#include "language/model_forms.hpp"

#include <algorithm>

#include "exact/whole.hpp"
#include "language/product.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Balls;
using forward::fitting;
using forward::Range;

constexpr unsigned kSmall = 10;           // bits: 2^-10
constexpr std::size_t kMostNumbers = 64;  // of an activated row

// Every ball of a form, with what is to be done to it; the function is told if it is the centre.
template <typename Function>
void for_each_balls(Form& form, const Function& function) {
  function(form.centre, true);
  for (Term& term : form.terms) function(term.rows, false);
}

// Each column times a number: of all rows.
void times_columns(Balls& rows, const std::vector<Integer>& factors, unsigned p) {
  Integer most = 0;
  for (const Integer& factor : factors) most = std::max(most, magnitude(factor));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      rows.centre(i, c) = floor_shift(factors[c] * rows.centre(i, c), p);
    }
    rows.radius[i] = ceil_shift(most * rows.radius[i], p) + 1;
  }
}

Form columns_times(Form form, const std::vector<Integer>& factors, unsigned p) {
  for_each_balls(form, [&](Balls& rows, bool) { times_columns(rows, factors, p); });
  return form;
}

// Each column times its weight, and its bias.
void weigh_columns(Balls& rows, const std::vector<Range>& weight, const std::vector<Range>* bias,
                   unsigned p) {
  Balls result(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      Range entry = forward::times(forward::entry_of(rows, i, c), weight[c], p);
      if (bias != nullptr) entry = entry + (*bias)[c];
      result.centre(i, c) = floor_shift(entry.lower + entry.upper, 1);
      result.radius[i] = std::max(result.radius[i], Integer(entry.upper - result.centre(i, c)));
    }
  }
  rows = std::move(result);
}

// n times the distance from the mean, of each entry.
void less_mean(Balls& rows) {
  const Integer n = rows.columns();
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    Integer total = 0;
    for (std::size_t c = 0; c < rows.columns(); ++c) total += rows.centre(i, c);
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      rows.centre(i, c) = n * rows.centre(i, c) - total;
    }
    rows.radius[i] *= 2 * n;
  }
}

std::vector<Range> elements(const safetensors::View* tensor, std::size_t n, int otherwise,
                            unsigned p) {
  std::vector<Range> result(n, forward::range_of(otherwise, p));
  for (std::size_t j = 0; tensor != nullptr && j < n; ++j) result[j] = element(*tensor, j, p);
  return result;
}

}  // namespace

ModelForms::ModelForms(const Config& config, std::size_t positions,
                       const std::vector<certificate::TokenIds>& choices, unsigned p)
    : config_(config),
      choices_(choices),
      p_(p),
      balls_(config, positions, p, in_turn),
      constants_(p),
      small_(unit(p - kSmall)) {}

void ModelForms::fit(Rows& rows) const {
  for (Form& form : rows) {
    condense(form, small_);
    for_each_balls(form, [&](Balls& balls, bool) { balls = fitting(std::move(balls), p_); });
  }
}

void ModelForms::add_row(const safetensors::View& table, const Choice& choice, Rows& x,
                         std::size_t to, const char* name) const {
  const certificate::TokenIds& ids = choices_[choice.symbol];
  Balls& rows = x[to].term(choice.symbol, ids.size()).rows;
  for (std::size_t t = 0; t < ids.size(); ++t) balls_.add_row(table, ids[t], rows, t, name);
}

void ModelForms::add_row(const safetensors::View& table, std::size_t row, Rows& x, std::size_t to,
                         const char* name) const {
  balls_.add_row(table, row, x[to].centre, 0, name);
}

// All centres by the map, and the rows of all terms by it without its bias.
void ModelForms::map(const Map& map, const Rows& x, std::size_t first, Rows& y, const char*) const {
  std::size_t count = 0;
  for (std::size_t i = first; i < x.size(); ++i) {
    for (const Term& term : x[i].terms) count += term.rows.rows();
  }
  Balls centres(x.size() - first, map.in);
  Balls rows(count, map.in);
  std::size_t to = 0;
  const auto copy = [&](const Balls& from, std::size_t k, Balls& all, std::size_t at) {
    for (std::size_t c = 0; c < map.in; ++c) all.centre(at, c) = from.centre(k, c);
    all.radius[at] = from.radius[k];
  };
  for (std::size_t i = first; i < x.size(); ++i) {
    copy(x[i].centre, 0, centres, i - first);
    for (const Term& term : x[i].terms) {
      for (std::size_t t = 0; t < term.rows.rows(); ++t) copy(term.rows, t, rows, to++);
    }
  }
  centres = apply(map, centres, p_, in_turn);
  if (count > 0) {
    Map linear = map;
    linear.bias = nullptr;
    rows = apply(linear, rows, p_, in_turn);
  }
  Forms result(x.size(), Form(map.out));
  std::size_t from = 0;
  const auto take = [&](const Balls& all, std::size_t at, Balls& own, std::size_t k) {
    for (std::size_t c = 0; c < map.out; ++c) own.centre(k, c) = all.centre(at, c);
    own.radius[k] = all.radius[at];
  };
  for (std::size_t i = first; i < x.size(); ++i) {
    take(centres, i - first, result[i].centre, 0);
    for (const Term& term : x[i].terms) {
      Term image{term.symbol, Balls(term.rows.rows(), map.out)};
      for (std::size_t t = 0; t < term.rows.rows(); ++t) take(rows, from++, image.rows, t);
      result[i].terms.push_back(std::move(image));
    }
  }
  fit(result);
  y = std::move(result);
}

void ModelForms::add_mapped(const Map& map, const Rows& x, std::size_t first, Rows& y,
                            const char* name) const {
  Forms image;
  this->map(map, x, first, image, name);
  for (std::size_t i = first; i < y.size(); ++i) add(y[i], image[i]);
  fit(y);
}

void ModelForms::normalise(const NormWeights& weights, const Rows& x, std::size_t width, Rows& y,
                           const char*) {
  if (config_.architecture->norm == Norm::kNone) {
    if (&y != &x) y = x;
    return;
  }
  Forms result;
  for (const Form& form : x) {
    Form row(form.columns());
    for (std::size_t begin = 0; begin < form.columns(); begin += width) {
      put(row, begin, normalised_part(weights, part_of(form, begin, width)));
    }
    result.push_back(std::move(row));
  }
  fit(result);
  y = std::move(result);
}

// The distances from the mean, times a range of 1 over the deviation, weighted. Of a table, and of
// a form without terms, each row alone.
Form ModelForms::normalised_part(const NormWeights& weights, const Form& x) {
  const std::size_t n = x.columns();
  const Norm norm = config_.architecture->norm;
  const auto rows_of = [&](const Balls& rows) {
    return normalised(rows, weights, norm, config_.epsilon, n, p_);
  };
  if (x.terms.empty()) {
    Form row(n);
    row.centre = rows_of(x.centre);
    return row;
  }
  if (is_table(x)) return of_table(x.terms.front().symbol, rows_of(table_of(x)));
  Form away = x;
  const Integer by = norm == Norm::kLayer ? Integer(n) : Integer(1);
  if (norm == Norm::kLayer) {
    for_each_balls(away, [](Balls& rows, bool) { less_mean(rows); });
  }
  Range squares = Products(away, away).range();
  squares.lower = std::max<Integer>(0, squares.lower);
  const Range mean = forward::divided({squares.lower << (2 * p_), squares.upper << (2 * p_)}, n);
  const exact::Rational extra = exact::Rational(by * by) * config_.epsilon;
  const Range size = forward::root_of(mean + forward::range_of(extra, 4 * p_), 0);
  if (size.lower <= 0) throw forward::TooCoarse();
  const Range factor{floor_div(unit(3 * p_), size.upper), ceil_div(unit(3 * p_), size.lower)};
  Form row = combination({factor}, {away}, false, next_, p_);
  const std::vector<Range> weight = elements(weights.weight, n, 1, p_);
  const std::vector<Range> bias = elements(weights.bias, n, 0, p_);
  for_each_balls(row, [&](Balls& rows, bool is_centre) {
    weigh_columns(rows, weight, is_centre ? &bias : nullptr, p_);
  });
  return row;
}

void ModelForms::activate(Rows& x) {
  for (Form& form : x) {
    if (form.terms.empty()) {
      form.centre = activated(form.centre, config_.activation, constants_, in_turn);
    } else if (is_table(form)) {
      form = of_table(form.terms.front().symbol,
                      activated(table_of(form), config_.activation, constants_, in_turn));
    } else {
      form = activated_row(form);
    }
  }
  fit(x);
}

// A line for each column, and what is beside it: the widest as numbers, the others a radius.
Form ModelForms::activated_row(const Form& x) {
  std::vector<Integer> slopes, middles, halves;
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < x.columns(); ++c) {
    const auto [slope, rest] = line_beside(entry_of(x, c), config_.activation, constants_);
    slopes.push_back(slope);
    middles.push_back(floor_shift(rest.lower + rest.upper, 1));
    halves.push_back(rest.upper - middles.back());
    if (halves.back() >= small_) order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return halves[a] > halves[b]; });
  if (order.size() > kMostNumbers) order.resize(kMostNumbers);
  Form row = columns_times(x, slopes, p_);
  for (const std::size_t c : order) {
    Balls number(1, x.columns());
    std::swap(number.centre(0, c), halves[c]);
    row.terms.push_back({kFirstNumber + next_++, std::move(number)});
  }
  for (std::size_t c = 0; c < x.columns(); ++c) row.centre.centre(0, c) += middles[c];
  row.centre.radius[0] += *std::max_element(halves.begin(), halves.end());
  return row;
}

void ModelForms::keep(Rows& x, std::size_t first) const {
  x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(first));
}

// With middles m and halves h of the entries' ranges: x y = m_y x + m_x y - m_x m_y, and at most
// h_x h_y beside it.
void ModelForms::multiply(Rows& x, const Rows& by) const {
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<Integer> of_x, of_y;
    Integer beside = 0;
    for (std::size_t c = 0; c < x[i].columns(); ++c) {
      const Range a = entry_of(x[i], c);
      const Range b = entry_of(by[i], c);
      of_x.push_back(floor_shift(a.lower + a.upper, 1));
      of_y.push_back(floor_shift(b.lower + b.upper, 1));
      beside = std::max<Integer>(beside, (a.upper - of_x.back()) * (b.upper - of_y.back()));
    }
    Form row = columns_times(x[i], of_y, p_);
    add(row, columns_times(by[i], of_x, p_));
    for (std::size_t c = 0; c < row.columns(); ++c) {
      row.centre.centre(0, c) -= floor_shift(of_x[c] * of_y[c], p_);
    }
    row.centre.radius[0] += ceil_shift(beside, p_) + 1;
    x[i] = std::move(row);
  }
  fit(x);
}

void ModelForms::scale(Rows& queries) const {
  for (Form& form : queries) {
    for_each_balls(form, [&](Balls& rows, bool) { balls_.scale(rows); });
  }
}

void ModelForms::turn(Rows& x, std::size_t row, std::size_t position) const {
  for_each_balls(x[row], [&](Balls& rows, bool) {
    for (std::size_t t = 0; t < rows.rows(); ++t) balls_.turn(rows, t, position);
  });
}

Forms ModelForms::part(const Rows& rows, std::size_t begin, std::size_t length, std::size_t column,
                       std::size_t width) const {
  Forms part;
  for (std::size_t i = 0; i < length; ++i) part.push_back(part_of(rows[begin + i], column, width));
  return part;
}

// From the ranges of logits. Where a weight is an exponential over a sum of such, and not known
// well, also from the ranges of the other keys' logits less its own.
std::vector<Range> ModelForms::weights(const Form& query, const Forms& keys,
                                       const std::vector<std::size_t>& seen,
                                       const Range& sink) const {
  const auto logit = [&](const Range& fine) { return fitting(forward::coarser(fine, p_), p_); };
  std::vector<Products> products;
  std::vector<Range> logits;
  for (const std::size_t k : seen) {
    products.emplace_back(query, keys[k]);
    logits.push_back(logit(products.back().range()));
  }
  std::vector<Range> result = balls_.spread(logits, seen, sink, keys.size());
  const certificate::AttentionKind& kind = config_.kind();
  if (!kind.is_relative() || !kind.normalised || kind.null_slot) return result;
  for (std::size_t n = 0; n < seen.size(); ++n) {
    Range& weight = result[seen[n]];
    if (weight.upper - weight.lower < small_) continue;
    for (std::size_t m = 0; m < seen.size(); ++m) {
      logits[m] = m == n ? Range{0, 0} : logit(products[m].range_less(products[n]));
    }
    const Range other = balls_.spread(logits, seen, sink, keys.size())[seen[n]];
    weight = {std::max(weight.lower, other.lower), std::min(weight.upper, other.upper)};
  }
  return result;
}

Form ModelForms::combined(const std::vector<Range>& weights, const Forms& values) {
  const certificate::AttentionKind& kind = config_.kind();
  const bool sees = std::any_of(weights.begin(), weights.end(),
                                [](const Range& weight) { return weight.upper != 0; });
  Form row = combination(weights, values, kind.normalised && !kind.null_slot && sees, next_, p_);
  Forms one{std::move(row)};
  fit(one);
  return std::move(one.front());
}

Form ModelForms::gated(Form row, const Range& gate) {
  Forms one{combination({forward::logistic(gate, p_)}, {std::move(row)}, false, next_, p_)};
  fit(one);
  return std::move(one.front());
}

}  // namespace sinkproof::language
