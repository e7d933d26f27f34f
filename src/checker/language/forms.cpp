#include "language/forms.hpp"

#include <algorithm>
#include <utility>

#include "exact/whole.hpp"

namespace sinkproof::language {
namespace {

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

Integer inner_rows(const Balls& a, std::size_t i, const Balls& b, std::size_t k) {
  Integer sum = 0;
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

// Adds to `sum` what lies between the least and the largest of a term's values.
void add_choice(Range& sum, const std::vector<Integer>& values, bool is_number) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (is_number) {
    const Integer size = std::max(magnitude(*least), magnitude(*most));
    sum = sum + Range{-size, size};
  } else {
    sum = sum + Range{*least, *most};
  }
}

const Term* find(const Form& form, std::size_t symbol) {
  for (const Term& term : form.terms) {
    if (term.symbol == symbol) return &term;
  }
  return nullptr;
}

// Products of a term's rows with what the other form has of the same symbol, and with its centre.
void add_linear(Range& sum, const Form& a, const Form& b, const Term& term, const Term* other) {
  std::vector<Integer> values;
  for (std::size_t t = 0; t < term.rows.rows(); ++t) {
    Integer value = inner_rows(term.rows, t, b.centre, 0);
    if (other != nullptr) {
      value += inner_rows(other->rows, t, a.centre, 0);
      if (!term.is_number()) value += inner_rows(term.rows, t, other->rows, t);
    }
    values.push_back(std::move(value));
  }
  add_choice(sum, values, term.is_number());
}

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

void add(Form& form, const Form& other, int sign) {
  forward::add(form.centre, other.centre, sign);
  for (const Term& term : other.terms) {
    forward::add(form.term(term.symbol, term.rows.rows()).rows, term.rows, sign);
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

Range inner(const Form& a, const Form& b) {
  const Integer middle = inner_rows(a.centre, 0, b.centre, 0);
  Range sum{middle, middle};
  for (const Term& term : a.terms) add_linear(sum, a, b, term, find(b, term.symbol));
  for (const Term& term : b.terms) {
    if (find(a, term.symbol) == nullptr) add_linear(sum, b, a, term, nullptr);
  }
  for (const Term& one : a.terms) {
    for (const Term& other : b.terms) {
      const bool is_number = one.is_number() || other.is_number();
      if (one.symbol == other.symbol && !is_number) continue;
      std::vector<Integer> values;
      for (std::size_t t = 0; t < one.rows.rows(); ++t) {
        for (std::size_t s = 0; s < other.rows.rows(); ++s) {
          values.push_back(inner_rows(one.rows, t, other.rows, s));
        }
      }
      add_choice(sum, values, is_number);
    }
  }
  const Size of_a(a), of_b(b);
  const Integer error = of_a.radius * of_b.sum + of_b.radius * of_a.sum +
                        of_a.radius * of_b.radius * Integer(a.columns());
  return {sum.lower - error, sum.upper + error};
}

// With m_k the middle of weight k and any row A: the sum of m_k x_k, of (1 - sum of m_k) A where the
// weights sum to 1 (else A is 0), and of (weight - m_k) (x_k - A).
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
      Range all{term.rows.centre(0, c), term.rows.centre(0, c)};
      if (term.is_number()) all = {-magnitude(all.upper), magnitude(all.upper)};
      for (std::size_t t = 1; t < choices; ++t) {
        all = forward::hull(all, {term.rows.centre(t, c), term.rows.centre(t, c)});
      }
      middle.centre(0, c) = floor_shift(all.lower + all.upper, 1);
      middle.radius[0] = std::max(middle.radius[0], Integer(all.upper - middle.centre(0, c)));
    }
    middle.radius[0] += largest_radius(term.rows);
    if (middle.radius[0] < small) {
      forward::add(form.centre, middle, 1);
    } else {
      kept.push_back(std::move(term));
    }
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
