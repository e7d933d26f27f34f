// Forms: what depends on the same choice or number stays together. FORM_RULES.md.
#include "language/forms.hpp"

#include <catch2/catch.hpp>

namespace {

// Of one column: a centre, and rows of choice 0 and of a number where they are not 0.
sinkproof::language::Form shared_row(int centre, int choice, int number, std::size_t symbol) {
  sinkproof::language::Form form(1);
  form.centre.centre(0, 0) = centre;
  if (choice != 0) {
    form.term(0, 2).rows.centre(0, 0) = choice;
    form.term(0, 2).rows.centre(1, 0) = -choice;
  }
  if (number != 0) form.term(symbol, 1).rows.centre(0, 0) = number;
  return form;
}

}  // namespace

TEST_CASE("inner products of what is chosen and of every number") {
  namespace language = sinkproof::language;
  using language::kFirstNumber;
  for (const std::size_t symbol : {kFirstNumber, kFirstNumber + 1}) {
    CAPTURE(symbol);
    // (2 + 5 s + 3 x) (7 + 11 s + 13 x) for s of -1 and 1 and x from -1 to 1.
    const language::Products products(shared_row(2, 5, 3, symbol), shared_row(7, 11, 13, symbol));
    const sinkproof::forward::Range range = products.range();
    CHECK(range.lower == 14 + 55 - (35 + 22) - (21 + 26) - (5 * 13 + 3 * 11) - 39);
    CHECK(range.upper == 14 + 55 + (35 + 22) + (21 + 26) + (5 * 13 + 3 * 11) + 39);
    // Less the same with 7 + 11 s: 13 x (2 + 5 s + 3 x).
    const language::Products other(shared_row(2, 5, 3, symbol), shared_row(7, 11, 0, symbol));
    CHECK(products.range_less(other).upper == 26 + 5 * 13 + 39);
    CHECK(other.range_less(products).lower == -(26 + 5 * 13 + 39));
  }
}

TEST_CASE("inner products of many large entries") {
  namespace language = sinkproof::language;
  using sinkproof::exact::Integer;
  const Integer word = (Integer(1) << 62) - 1;
  for (const int sign : {1, -1}) {
    for (const std::size_t columns : {2, 9, 100}) {
      language::Form one(columns), other(columns);
      for (std::size_t c = 0; c < columns; ++c) {
        one.centre.centre(0, c) = word;
        other.centre.centre(0, c) = sign * word;
      }
      CHECK(language::Products(one, other).range().upper == sign * word * word * Integer(columns));
    }
  }
}
