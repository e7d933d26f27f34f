#include "certificate/numbers.hpp"

namespace sinkproof::certificate {

void describe_whole(Fields& io, const Key& key, exact::Integer& of, std::size_t max_characters) {
  std::string digits = of.str();
  io.text(key, digits);
  if (!io.reads()) return;
  const bool fits = digits.size() <= max_characters && digits.find('/') == std::string::npos;
  const auto parsed = exact::parse_rational(fits ? digits : "");
  io.require_of(
      key, parsed.has_value(),
      "must be a whole number of at most " + std::to_string(max_characters) + " characters",
      "SP0503");
  of = numerator(*parsed);
}

void require_short(const Fields& io, exact::Integer& common, const exact::Rational& x) {
  if (!io.reads()) return;
  static const exact::Integer limit = pow(exact::Integer(10), 400);
  common = lcm(common, denominator(x));
  io.require(common < limit && -limit < numerator(x) && numerator(x) < limit,
             "numbers of more than 400 digits");
}

void describe_matrix(Fields& io, const Key& key, exact::RationalMatrix& of, std::size_t rows,
                     std::size_t columns, exact::Integer& common, const std::string& what) {
  const Entries row{columns, columns, "must be " + std::to_string(columns) + " numbers"};
  if (io.reads()) of = exact::RationalMatrix(rows, columns);
  io.array(key, rows, {rows, rows, what}, [&](Fields& list, std::size_t) {
    for (std::size_t i = 0; i < rows; ++i) {
      list.array(i, columns, row, [&](Fields& entries, std::size_t) {
        for (std::size_t c = 0; c < columns; ++c) {
          entries.number(c, of(i, c));
          require_short(entries, common, of(i, c));
        }
      });
    }
  });
}

}  // namespace sinkproof::certificate
