#include "measure/closed_form.hpp"

#include <numeric>

namespace sinkproof::measure {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::fail;
using exact::Result;
using model::Hypothesis;

// Beyond it the exact eigenvalue bound of co-2 would take long.
constexpr std::size_t kMostNamed = 128;

std::size_t named(const Pattern& pattern) {
  return std::accumulate(pattern.groups.begin(), pattern.groups.end(), 1 + pattern.copies.size(),
                         [](std::size_t sum, const auto& group) { return sum + group.size(); });
}

std::string code_of(Hypothesis violated) {
  switch (violated) {
    case Hypothesis::kRoles:
      return "SP1616";
    case Hypothesis::kFrame:
      return "SP1617";
    case Hypothesis::kLambda:
      return "SP1618";
    case Hypothesis::kNoise:
      return "SP1619";
  }
  return {};
}

exact::RationalMatrix rationals(const DyadicMatrix& rows) {
  exact::RationalMatrix result(rows.rows(), rows.columns());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) result(i, j) = rows.at(i, j);
  }
  return result;
}

}  // namespace

Result<model::ClosedForm> closed_form(const DyadicMatrix& rows, const Pattern& pattern) {
  const std::string where = "closed forms of " + to_string(pattern.kind);
  if (pattern.kind == PatternKind::kMargins) {
    return fail("SP1616", where, "the constraints are listed one by one, not given by roles");
  }
  if (named(pattern) > kMostNamed) {
    return fail("SP1620", where, "are not looked for in more than 128 tokens");
  }
  const auto search = model::find_sink_and_diagonal(rationals(rows), pattern);
  if (!search.found) return fail(code_of(*search.violated), where, search.why_not);
  return model::closed_form_cost(*search.found, pattern.kind, pattern.margin);
}

bool contradicts(const model::ClosedForm& closed, const exact::Rational& lower,
                 const exact::Rational& upper) {
  return upper < closed.lower.lower || closed.upper.upper < lower;
}

}  // namespace sinkproof::measure
