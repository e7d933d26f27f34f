#include "measure/closed_form.hpp"

#include <numeric>
#include <optional>
#include <utility>

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

bool same_roles(const Pattern& a, const Pattern& b) {
  return a.bos == b.bos && a.groups == b.groups && a.copies == b.copies;
}

// Why nobody needs to look; else nothing.
std::optional<exact::Error> out_of_reach(const Pattern& pattern, const std::string& where) {
  if (pattern.kind == PatternKind::kMargins) {
    return exact::Error{"SP1616", where,
                        "the constraints are listed one by one, not given by roles"};
  }
  if (named(pattern) > kMostNamed) {
    return exact::Error{"SP1620", where, "are not looked for in more than 128 tokens"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Result<model::ClosedForm>> closed_forms(const DyadicMatrix& rows,
                                                    const std::vector<Pattern>& patterns) {
  std::vector<Result<model::ClosedForm>> results;
  const Pattern* looked_at = nullptr;
  model::SinkAndDiagonalSearch search;
  for (const Pattern& pattern : patterns) {
    const std::string where = "closed forms of " + to_string(pattern.kind);
    if (auto error = out_of_reach(pattern, where)) {
      results.push_back(tl::unexpected(std::move(*error)));
      continue;
    }
    if (looked_at == nullptr || !same_roles(*looked_at, pattern)) {
      search = model::find_sink_and_diagonal(rationals(rows), pattern);
      looked_at = &pattern;
    }
    if (search.found) {
      results.emplace_back(model::closed_form_cost(*search.found, pattern.kind, pattern.margin));
    } else {
      results.push_back(fail(code_of(*search.violated), where, search.why_not));
    }
  }
  return results;
}

bool contradicts(const model::ClosedForm& closed, const exact::Rational& lower,
                 const exact::Rational& upper) {
  return upper < closed.lower.lower || closed.upper.upper < lower;
}

}  // namespace sinkproof::measure
