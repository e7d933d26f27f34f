// Rows that depend on choices: a centre, and for each symbol one summand of several, so that what
// two rows owe to the same choice stays the same. FORM_RULES.md. Numbers are balls
// (forward/ball.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "forward/ball.hpp"

namespace sinkproof::language {

// Symbols from here on are numbers between -1 and 1; those below choose a row.
inline constexpr std::size_t kFirstNumber = std::size_t{1} << 32U;

struct Term {
  std::size_t symbol = 0;
  forward::Balls rows;  // one for each choice; of a number one, which is multiplied by it

  [[nodiscard]] bool is_number() const { return symbol >= kFirstNumber; }
};

// A row: the centre plus, of each term, the row that is chosen. No two terms have one symbol.
struct Form {
  forward::Balls centre;  // one row
  std::vector<Term> terms;

  explicit Form(std::size_t columns) : centre(1, columns) {}
  [[nodiscard]] std::size_t columns() const { return centre.columns(); }
  // That of this symbol, zero where it is new.
  Term& term(std::size_t symbol, std::size_t choices);
};

using Forms = std::vector<Form>;

// Columns begin .. begin + width - 1.
Form part_of(const Form& form, std::size_t begin, std::size_t width);
// `part` becomes the columns from `begin` on.
void put(Form& form, std::size_t begin, const Form& part);
void add(Form& form, const Form& other);

// Of an entry, whatever is chosen.
forward::Range entry_of(const Form& form, std::size_t column);

// The inner product of two rows, by what is chosen.
class Products {
 public:
  Products(const Form& a, const Form& b);

  // Whatever is chosen, in units of 2^-2p; and less the inner product of the same row a with
  // another.
  [[nodiscard]] forward::Range range() const;
  [[nodiscard]] forward::Range range_less(const Products& other) const;

 private:
  // By the choice of one symbol, or of two.
  struct Values {
    std::size_t symbol;
    std::size_t other;
    bool is_number;  // a number multiplies them
    std::vector<exact::Integer> values;
  };
  [[nodiscard]] const Values* find(const Values& like) const;
  static void add_choice(forward::Range& sum, const Values& own, const Values* less, int sign);
  Values& values_of(std::size_t symbol, std::size_t other, std::size_t count, bool is_number);

  exact::Integer middle_;
  exact::Integer error_;
  std::vector<Values> values_;
};

// The sum of weights[k] times row k, of as many rows as weights; `one`: the weights' sum is 1. A
// weight that is not known exactly is one more number, from `next` on.
Form combination(const std::vector<forward::Range>& weights, const Forms& rows, bool one,
                 std::size_t& next, unsigned p);

// The form without terms of one choice, and without those that move no entry by `small` or more:
// they become part of the centre. Of the others that choose, the entries of each column lie around
// 0.
void condense(Form& form, const exact::Integer& small);

// Where a form has one term, which chooses: its rows, one for each choice.
bool is_table(const Form& form);
forward::Balls table_of(const Form& form);
Form of_table(std::size_t symbol, forward::Balls rows);

}  // namespace sinkproof::language
