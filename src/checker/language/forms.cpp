#include "language/forms.hpp"

#include <gmp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "exact/whole.hpp"

namespace sinkproof::language {
namespace {

// In place of a second symbol where values depend on one. No symbol reaches it.
constexpr std::size_t kAlone = std::numeric_limits<std::size_t>::max();

using exact::Integer;
using forward::Balls;
using forward::Range;

Balls part_of_rows(const Balls& rows, std::size_t begin, std::size_t width) {
  Balls part(rows.rows(), width);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < width; ++j) part.centre(i, j) = rows.centre(i, begin + j);
    part.radius[i] = rows.radius[i];
  }
  return part;
}

void put_rows(Balls& rows, std::size_t begin, const Balls& part) {
  for (std::size_t i = 0; i < part.rows(); ++i) {
    for (std::size_t j = 0; j < part.columns(); ++j) {
      rows.centre(i, begin + j) = part.centre(i, j);
    }
    rows.radius[i] = std::max(rows.radius[i], part.radius[i]);
  }
}

// A number below 2^62 in size as a word; false for others.
bool to_word(const Integer& n, std::int64_t& word) {
  if (mpz_size(raw(n)) > 1) return false;
  const mp_limb_t size = mpz_getlimbn(raw(n), 0);
  if (size >> 62U != 0) return false;
  word = mpz_sgn(raw(n)) < 0 ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
  return true;
}

__extension__ using Wide = __int128;

// Sums of products of words, high and low parts apart: fewer than 2^63 of them.
bool inner_words(const Balls& a, std::size_t i, const Balls& b, std::size_t k, Integer& sum) {
  Wide high = 0;
  Wide low = 0;
  for (std::size_t c = 0; c < a.columns(); ++c) {
    std::int64_t x = 0;
    std::int64_t y = 0;
    if (!to_word(a.centre(i, c), x) || !to_word(b.centre(k, c), y)) return false;
    const Wide product = static_cast<Wide>(x) * y;
    high += product >> 64;
    low += static_cast<std::uint64_t>(product);
  }
  high += low >> 64;
  // With many columns `high` does not fit a word either.
  sum = static_cast<std::int64_t>(high >> 64);
  sum <<= 64;
  sum += static_cast<std::uint64_t>(high);
  sum <<= 64;
  sum += static_cast<std::uint64_t>(low);
  return true;
}

Integer inner_rows(const Balls& a, std::size_t i, const Balls& b, std::size_t k) {
  Integer sum = 0;
  if (inner_words(a, i, b, k, sum)) return sum;
  sum = 0;
  for (std::size_t c = 0; c < a.columns(); ++c) add_product(sum, a.centre(i, c), b.centre(k, c));
  return sum;
}

Integer largest_of(const Balls& rows) {
  Integer largest = 0;
  for (const Integer& entry : rows.centre.values()) largest = std::max(largest, magnitude(entry));
  return largest;
}

Integer largest_radius(const Balls& rows) {
  return *std::max_element(rows.radius.begin(), rows.radius.end());
}

// Of a form, whatever is chosen: the sum of its radii, and of its centres' absolute values.
struct Size {
  Integer radius;
  Integer sum;

  explicit Size(const Form& form) {
    add(form.centre);
    for (const Term& term : form.terms) add(term.rows);
  }

  void add(const Balls& rows) {
    Integer most = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      Integer own = 0;
      for (std::size_t c = 0; c < rows.columns(); ++c) add_magnitude(own, rows.centre(i, c));
      most = std::max(most, own);
    }
    sum += most;
    radius += largest_radius(rows);
  }
};

void shift(Balls& rows, std::size_t i, unsigned p) {
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    rows.centre(i, c) = floor_shift(std::move(rows.centre(i, c)), p);
  }
  rows.radius[i] = ceil_shift(std::move(rows.radius[i]), p) + 1;
}

void shift(Balls& rows, unsigned p) {
  for (std::size_t i = 0; i < rows.rows(); ++i) shift(rows, i, p);
}

// to += factor * rows, and their radii.
void add_times(Balls& to, const Integer& factor, const Balls& rows) {
  const Integer size = magnitude(factor);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t c = 0; c < rows.columns(); ++c) {
      add_product(to.centre(i, c), factor, rows.centre(i, c));
    }
    add_product(to.radius[i], size, rows.radius[i]);
  }
}

// What a term's rows have in common belongs to the centre.
void move_middle(Balls& centre, const Balls& middle, Balls& rows) {
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    centre.centre(0, c) += middle.centre(0, c);
    for (std::size_t t = 0; t < rows.rows(); ++t) rows.centre(t, c) -= middle.centre(0, c);
  }
}

}  // namespace

Term& Form::term(std::size_t symbol, std::size_t choices) {
  for (Term& term : terms) {
    if (term.symbol == symbol) return term;
  }
  terms.push_back({symbol, Balls(choices, columns())});
  return terms.back();
}

Form part_of(const Form& form, std::size_t begin, std::size_t width) {
  Form part(0);
  part.centre = part_of_rows(form.centre, begin, width);
  for (const Term& term : form.terms) {
    part.terms.push_back({term.symbol, part_of_rows(term.rows, begin, width)});
  }
  return part;
}

void put(Form& form, std::size_t begin, const Form& part) {
  put_rows(form.centre, begin, part.centre);
  for (const Term& term : part.terms) {
    put_rows(form.term(term.symbol, term.rows.rows()).rows, begin, term.rows);
  }
}

void add(Form& form, const Form& other) {
  forward::add(form.centre, other.centre, 1);
  for (const Term& term : other.terms) {
    forward::add(form.term(term.symbol, term.rows.rows()).rows, term.rows, 1);
  }
}

Range entry_of(const Form& form, std::size_t column) {
  Range sum = forward::entry_of(form.centre, 0, column);
  for (const Term& term : form.terms) {
    Range own = forward::entry_of(term.rows, 0, column);
    for (std::size_t t = 1; t < term.rows.rows(); ++t) {
      own = forward::hull(own, forward::entry_of(term.rows, t, column));
    }
    sum = sum + (term.is_number() ? forward::hull(own, -own) : own);
  }
  return sum;
}

Products::Products(const Form& a, const Form& b) : middle_(inner_rows(a.centre, 0, b.centre, 0)) {
  const auto add_single = [&](const Term& term, const Form& other) {
    Values& own = values_of(term.symbol, kAlone, term.rows.rows(), term.is_number());
    for (std::size_t t = 0; t < term.rows.rows(); ++t) {
      own.values[t] += inner_rows(term.rows, t, other.centre, 0);
    }
  };
  for (const Term& term : a.terms) add_single(term, b);
  for (const Term& term : b.terms) add_single(term, a);
  for (const Term& one : a.terms) {
    for (const Term& other : b.terms) {
      const bool is_number = one.is_number() || other.is_number();
      const std::size_t choices = other.rows.rows();
      if (one.symbol == other.symbol && !is_number) {
        Values& own = values_of(one.symbol, kAlone, choices, false);
        for (std::size_t t = 0; t < choices; ++t) {
          own.values[t] += inner_rows(one.rows, t, other.rows, t);
        }
        continue;
      }
      Values& own = values_of(one.symbol, other.symbol, one.rows.rows() * choices, is_number);
      for (std::size_t n = 0; n < own.values.size(); ++n) {
        own.values[n] = inner_rows(one.rows, n / choices, other.rows, n % choices);
      }
    }
  }
  const Size of_a(a), of_b(b);
  error_ = of_a.radius * of_b.sum + of_b.radius * of_a.sum +
           of_a.radius * of_b.radius * Integer(a.columns());
}

// Of one symbol, or of two; zeros where they are new.
Products::Values& Products::values_of(std::size_t symbol, std::size_t other, std::size_t count,
                                      bool is_number) {
  for (Values& own : values_) {
    if (own.symbol == symbol && own.other == other) return own;
  }
  values_.push_back({symbol, other, is_number, std::vector<Integer>(count)});
  return values_.back();
}

const Products::Values* Products::find(const Values& like) const {
  for (const Values& own : values_) {
    if (own.symbol == like.symbol && own.other == like.other) return &own;
  }
  return nullptr;
}

// Adds `sign` times these values, less others where there are such, to the sum.
void Products::add_choice(Range& sum, const Values& own, const Values* less, int sign) {
  Integer least, most, value;
  for (std::size_t n = 0; n < own.values.size(); ++n) {
    if (less == nullptr) {
      value = own.values[n];
    } else {
      mpz_sub(raw(value), raw(own.values[n]), raw(less->values[n]));
    }
    if (n == 0 || value < least) least = value;
    if (n == 0 || value > most) most = value;
  }
  if (own.is_number) {
    const Integer size = std::max(magnitude(least), magnitude(most));
    sum = sum + Range{-size, size};
  } else {
    const Range range{least, most};
    sum = sign > 0 ? sum + range : sum - range;
  }
}

Range Products::range() const {
  Range sum{middle_ - error_, middle_ + error_};
  for (const Values& own : values_) add_choice(sum, own, nullptr, 1);
  return sum;
}

Range Products::range_less(const Products& other) const {
  const Integer middle = middle_ - other.middle_;
  const Integer error = error_ + other.error_;
  Range sum{middle - error, middle + error};
  for (const Values& own : values_) add_choice(sum, own, other.find(own), 1);
  for (const Values& theirs : other.values_) {
    if (find(theirs) == nullptr) add_choice(sum, theirs, nullptr, -1);
  }
  return sum;
}

// With m_k the middle of weight k and any row A: the sum of m_k x_k, of (1 - sum of m_k) A where
// the weights sum to 1 (else A is 0), and of (weight - m_k) (x_k - A).
Form combination(const std::vector<Range>& weights, const Forms& rows, bool one, std::size_t& next,
                 unsigned p) {
  const std::size_t columns = rows.front().columns();
  Form sum(columns);
  std::vector<Integer> middles;
  Integer rest = unit(p);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    middles.push_back(floor_shift(weights[k].lower + weights[k].upper, 1));
    rest -= middles.back();
    add_times(sum.centre, middles.back(), rows[k].centre);
    if (middles.back() == 0) continue;
    for (const Term& term : rows[k].terms) {
      add_times(sum.term(term.symbol, term.rows.rows()).rows, middles.back(), term.rows);
    }
  }
  Balls anchor(1, columns);
  if (one) {
    anchor.centre = sum.centre.centre;
    shift(anchor, p);
    anchor.radius[0] = 0;  // any row will do
    add_times(sum.centre, rest, anchor);
  }
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Integer half = weights[k].upper - middles[k];
    if (half == 0) continue;
    Balls moved(1, columns);
    add_times(moved, half, rows[k].centre);
    add_times(moved, -half, anchor);
    sum.centre.radius[0] += moved.radius[0];
    moved.radius[0] = 0;
    for (const Term& term : rows[k].terms) {
      sum.centre.radius[0] += half * (largest_of(term.rows) + largest_radius(term.rows));
    }
    sum.terms.push_back({kFirstNumber + next++, std::move(moved)});
  }
  shift(sum.centre, p);
  for (Term& term : sum.terms) shift(term.rows, p);
  return sum;
}

void condense(Form& form, const Integer& small) {
  std::vector<Term> kept;
  for (Term& term : form.terms) {
    const std::size_t choices = term.rows.rows();
    if (choices == 1 && !term.is_number()) {
      forward::add(form.centre, term.rows, 1);
      continue;
    }
    Balls middle(1, form.columns());
    for (std::size_t c = 0; c < form.columns(); ++c) {
      const Integer* least = &term.rows.centre(0, c);
      const Integer* most = least;
      if (term.is_number()) {
        if (mpz_cmpabs(raw(*most), raw(middle.radius[0])) > 0) middle.radius[0] = magnitude(*most);
        continue;
      }
      for (std::size_t t = 1; t < choices; ++t) {
        const Integer& entry = term.rows.centre(t, c);
        if (entry < *least) least = &entry;
        if (entry > *most) most = &entry;
      }
      middle.centre(0, c) = floor_shift(*least + *most, 1);
      middle.radius[0] = std::max(middle.radius[0], Integer(*most - middle.centre(0, c)));
    }
    middle.radius[0] += largest_radius(term.rows);
    if (middle.radius[0] < small) {
      forward::add(form.centre, middle, 1);
      continue;
    }
    if (!term.is_number()) move_middle(form.centre, middle, term.rows);
    kept.push_back(std::move(term));
  }
  form.terms = std::move(kept);
}

bool is_table(const Form& form) {
  return form.terms.size() == 1 && !form.terms.front().is_number();
}

Balls table_of(const Form& form) {
  Balls rows = form.terms.front().rows;
  for (std::size_t t = 0; t < rows.rows(); ++t) {
    for (std::size_t c = 0; c < rows.columns(); ++c) rows.centre(t, c) += form.centre.centre(0, c);
    rows.radius[t] += form.centre.radius[0];
  }
  return rows;
}

Form of_table(std::size_t symbol, Balls rows) {
  Form form(rows.columns());
  form.terms.push_back({symbol, std::move(rows)});
  return form;
}

}  // namespace sinkproof::language
