#include "measure/closed_form.hpp"

#include <optional>
#include <utility>

#include "measure/margin_system.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::fail;
using exact::Result;
using model::Hypothesis;

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

// Why nobody needs to look; else nothing.
std::optional<exact::Error> out_of_reach(const Pattern& pattern, const std::string& where) {
  if (pattern.kind == PatternKind::kMargins) {
    return exact::Error{"SP1616", where, "need --roles, but the constraints are listed one by one"};
  }
  if (model::named_tokens(pattern) > model::kMaxSearchedTokens) {
    return exact::Error{"SP1620", where,
                        "are computed for at most 128 tokens; name fewer tokens in --roles"};
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
    const std::string where = "closed forms of " + name_of(pattern.kind);
    if (auto error = out_of_reach(pattern, where)) {
      results.emplace_back(tl::unexpect, *std::move(error));
      continue;
    }
    if (looked_at == nullptr || !model::same_roles(*looked_at, pattern)) {
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

}  // namespace sinkproof::measure
