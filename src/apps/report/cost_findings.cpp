#include "report/cost_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "text/words.hpp"

namespace sinkproof::report {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::Enclosure;
using exact::fail;
using exact::Result;

bool within(const Pattern& pattern, std::size_t count) {
  const auto all = [&](const std::vector<std::size_t>& numbers) {
    for (const std::size_t number : numbers) {
      if (number >= count) return false;
    }
    return true;
  };
  for (const auto& group : pattern.groups) {
    if (!all(group)) return false;
  }
  return pattern.bos < count && all(pattern.copies);
}

model::SinkAndDiagonalSearch search(const Pattern& pattern, const Vectors& vectors,
                                    const VectorFile* file) {
  if (pattern.kind == PatternKind::kMargins) return {{}, "its constraints are listed one by one"};
  if (vectors.source.head) return {{}, "the vectors are a head’s values, not embeddings"};
  if (file == nullptr) return {{}, "the vectors’ file was not given"};
  if (!has_copies(pattern)) return {{}, "there is not one copy token for each group"};
  if (model::named_tokens(pattern) > model::kMaxSearchedTokens) {
    return {{}, "it is not looked for in more than 128 tokens"};
  }
  if (!within(pattern, file->count)) return {{}, "the roles name other tokens"};
  return model::find_sink_and_diagonal(file->tokens, pattern);
}

}  // namespace

Result<std::vector<CostFinding>> find_costs(const Vectors& vectors, const VectorFile* file,
                                            const std::string& where) {
  std::vector<CostFinding> findings;
  for (const VectorProperty& property : vectors.properties) {
    const Cost* cost = std::get_if<Cost>(&property);
    if (cost == nullptr) continue;
    CostFinding finding{*cost, {}, {}, ""};
    const bool known =
        !findings.empty() && model::same_roles(findings[0].cost.pattern, cost->pattern);
    const auto found =
        known ? model::SinkAndDiagonalSearch{findings[0].structure, findings[0].why_not}
              : search(cost->pattern, vectors, file);
    finding.structure = found.found;
    finding.why_not = found.why_not;
    if (finding.structure) {
      finding.closed =
          model::closed_form_cost(*finding.structure, cost->pattern.kind, cost->pattern.margin);
      if (model::contradicts(*finding.closed, cost->cost.lower, cost->cost.upper)) {
        return fail("SP1205", where,
                    "the certified cost of the " + pattern_name(cost->pattern.kind) +
                        " pattern contradicts its closed form (co-1 to co-4)");
      }
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

Comparison compare_costs(const Enclosure& sink, const Enclosure& diagonal) {
  Comparison result;
  result.difference = {diagonal.lower - sink.upper, diagonal.upper - sink.lower};
  if (sink.lower > 0) {
    result.ratio = Enclosure{diagonal.lower / sink.upper, diagonal.upper / sink.lower};
  }
  if (result.difference.lower > 0) result.cheaper = Cheaper::kSink;
  if (result.difference.upper < 0) result.cheaper = Cheaper::kDiagonal;
  return result;
}

std::string sizes_in_words(const std::vector<std::size_t>& sizes) {
  const bool equal =
      std::adjacent_find(sizes.begin(), sizes.end(), std::not_equal_to<>()) == sizes.end();
  if (equal && sizes.size() > 1) {
    return text::counted(sizes.size(), "group") + " of " + text::counted(sizes[0], "token");
  }
  std::string list;
  for (const std::size_t size : sizes) {
    list += (list.empty() ? "" : ", ") + std::to_string(size);
  }
  return (equal ? "one group of " : "groups of ") + list + " tokens";
}

bool is_sink(PatternKind kind) {
  return kind == PatternKind::kSinkA || kind == PatternKind::kSinkB;
}

}  // namespace sinkproof::report
