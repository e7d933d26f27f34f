#include "measure/weigh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "claim/refusal.hpp"
#include "measure/closed_form.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::fail;
using exact::Result;

constexpr unsigned kShown = 10;
constexpr std::size_t kMostTokens = 256;  // VECTOR_RULES.md, 6.3
constexpr std::size_t kNamedCoefficients = 8;

Result<std::vector<Pattern>> read_patterns(const WeighRequest& request, const NamedFile& file,
                                           std::size_t count) {
  const auto margin = margin_of(request.pattern);
  if (!margin) return tl::unexpected(margin.error());
  std::vector<Pattern> patterns;
  const auto kinds = kinds_of(request.pattern, {PatternKind::kSinkA, PatternKind::kDiagonal});
  if (!kinds.empty()) {
    auto roles = roles_of(request.pattern, file, count);
    if (!roles) return tl::unexpected(roles.error());
    if (!*roles && count < 2) {
      return fail("SP1604", file.path, "holds no token besides token 0, BOS");
    }
    if (!*roles) *roles = default_roles(count);
    for (const PatternKind kind : kinds) {
      patterns.push_back(pattern_of(kind, **roles, *margin));
    }
  }
  auto constraints = constraints_of(request.pattern, count, *margin);
  if (!constraints) return tl::unexpected(constraints.error());
  if (*constraints) patterns.push_back(std::move(**constraints));
  return patterns;
}

// "3/2 of token 4", "-1 of token 0"; a coefficient of very many digits between two decimals.
std::string in_words(const Share& share) {
  constexpr std::size_t kMostCharacters = 60;
  std::string factor = exact::to_string(share.factor);
  if (factor.size() > kMostCharacters) {
    factor = fmt::format("{} .. {}", rounded::decimal_down(share.factor, kShown),
                         rounded::decimal_up(share.factor, kShown));
  }
  return fmt::format("{} of token {}", factor, share.row);
}

std::string in_words(const std::vector<Share>& combination) {
  std::string text;
  for (std::size_t k = 0; k < std::min(combination.size(), kNamedCoefficients); ++k) {
    text += (k == 0 ? "" : ", ") + in_words(combination[k]);
  }
  if (combination.size() > kNamedCoefficients) {
    text += fmt::format(" and of {} more", combination.size() - kNamedCoefficients);
  }
  return text;
}

// Zero and repeated tokens, and ranks below what the shape allows, are mistakes more often than
// not: they are told exactly, before any search.
Result<Rank> checked_rank(const Tokens& tokens, const DyadicMatrix& gram,
                          const std::vector<std::size_t>& named, bool allow_dependent,
                          const std::string& where) {
  for (const std::size_t k : named) {
    if (gram.entries(k, k) == 0) {
      return fail("SP1608", where,
                  "token " + std::to_string(k) + " is the zero vector; leave it out");
    }
    for (const std::size_t l : named) {
      const exact::Integer apart = gram.entries(k, k) - 2 * gram.entries(k, l) + gram.entries(l, l);
      if (l < k && apart == 0) {
        return fail(
            "SP1609", where,
            fmt::format(
                "tokens {} and {} are equal, so no score separates them; leave one of them out", l,
                k));
      }
    }
  }
  Rank rank = exact_rank(gram.entries, named);
  const std::size_t full = std::min(named.size(), tokens.rows.columns());
  if (rank.rank < full && !allow_dependent) {
    return fail("SP1610", where,
                fmt::format("has rank {} of at most {}: token {} is exactly the sum of {}; leave "
                            "it out, or give --allow-dependent",
                            rank.rank, full, *rank.dependent, in_words(rank.combination)));
  }
  return rank;
}

// The closed forms of each pattern; with --closed-forms the first hypothesis that fails.
Result<std::vector<Result<model::ClosedForm>>> closed_forms(const std::vector<Pattern>& patterns,
                                                            const Tokens& tokens,
                                                            const WeighRequest& request) {
  auto closed = closed_forms(tokens.rows, patterns);
  for (const auto& one : closed) {
    if (one || !request.closed_forms) continue;
    return fail(one.error().code, request.file + ": " + one.error().where, one.error().what);
  }
  return closed;
}

Result<Answer> answer_for(const Pattern& pattern, const Result<model::ClosedForm>& closed,
                          const Tokens& tokens, const DyadicMatrix& gram,
                          const WeighRequest& request, const WeighProgress& progress) {
  const auto system = margin_system(pattern);
  if (!system) return tl::unexpected(system.error());
  const auto named = system->named();
  const auto rank = checked_rank(tokens, gram, named, request.allow_dependent, request.file);
  if (!rank) return tl::unexpected(rank.error());
  Answer answer{pattern.kind, name_of(pattern.kind),      "enclosed", closed, {},
                {},           system->constraints.size(), ""};
  // Over independent tokens every table of scores is attained, so a pattern can be satisfied.
  const bool certain = rank->rank == named.size() && pattern.kind != PatternKind::kMargins;
  if (!certain || request.representable) {
    auto found = representable(gram, pattern, *system);
    if (!found && found.error().code != "SP1611") return tl::unexpected(found.error());
    if (found) answer.representable = std::move(*found);
    if (answer.representable && !answer.representable->representable) {
      answer.verdict = "refuted";
      return answer;
    }
  }
  CostOptions options{request.gap, request.seconds, {}};
  options.progress = [&](double gap) { progress(answer.name, gap); };
  auto cost = certified_cost(tokens.rows, gram, pattern, *system, rank->pivots, options);
  if (cost) {
    answer.cost = std::move(*cost);
  } else {
    answer.verdict = "unknown";
    answer.reason = cost.error().code + " " + cost.error().what;
  }
  return answer;
}

// A certified statement and a theorem about the same tokens cannot disagree: one of them would be
// wrong.
Result<void> agree_with_closed_forms(const std::vector<Answer>& answers, const std::string& where) {
  for (const Answer& answer : answers) {
    if (!answer.closed) continue;
    const bool wrong =
        answer.cost ? model::contradicts(*answer.closed, answer.cost->lower, answer.cost->upper)
                    : answer.verdict == "refuted";
    if (!wrong) continue;
    return fail("SP1205", where,
                "what was certified of " + answer.name +
                    " contradicts its closed forms (co-1 to co-4); nothing is printed");
  }
  return {};
}

std::vector<const Property*> properties_of(const std::vector<Answer>& answers) {
  std::vector<const Property*> properties;
  for (const Answer& answer : answers) {
    if (answer.representable) properties.push_back(&answer.representable->property);
    if (answer.cost) properties.push_back(&answer.cost->property);
  }
  return properties;
}

Result<std::vector<SavedMap>> save_maps(const std::vector<Answer>& answers,
                                        const std::vector<Pattern>& patterns, const Tokens& tokens,
                                        const std::string& prefix) {
  std::vector<SavedMap> saved;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (prefix.empty() || !answers[i].cost) continue;
    const auto system = margin_system(patterns[i]);
    if (!system) return tl::unexpected(system.error());
    auto map = save_map(prefix + answers[i].name + ".safetensors", tokens.rows, *system,
                        answers[i].cost->query, answers[i].cost->key);
    if (!map) return tl::unexpected(map.error());
    saved.push_back(std::move(*map));
  }
  return saved;
}

// The answers, no map saved yet.
Result<std::vector<Answer>> answers_for(const std::vector<Pattern>& patterns, const Tokens& tokens,
                                        const WeighRequest& request,
                                        const WeighProgress& progress) {
  const DyadicMatrix gram = exact_gram(tokens.rows);
  const auto closed = closed_forms(patterns, tokens, request);
  if (!closed) return tl::unexpected(closed.error());
  std::vector<Answer> answers;
  for (std::size_t k = 0; k < patterns.size(); ++k) {
    auto answer = answer_for(patterns[k], (*closed)[k], tokens, gram, request, progress);
    if (!answer) return tl::unexpected(answer.error());
    answers.push_back(std::move(*answer));
  }
  return answers;
}

}  // namespace

Result<Weighing> weigh(const WeighRequest& request, const std::string& claim_hash,
                       const Accept& accept, const WeighProgress& progress) {
  auto file = read_file(request.file);
  if (!file) return tl::unexpected(file.error());
  auto tokens = read_tokens(*file, request.tensor);
  if (!tokens) return tl::unexpected(tokens.error());
  const std::size_t count = tokens->rows.rows();
  if (count > kMostTokens) {
    return fail(
        "SP1614", request.file,
        std::to_string(count) + " tokens, but at most 256 can be certified; give a smaller tensor");
  }
  const auto patterns = read_patterns(request, *file, count);
  if (!patterns) return tl::unexpected(patterns.error());
  auto answers = answers_for(*patterns, *tokens, request, progress);
  if (!answers) return tl::unexpected(answers.error());
  json::Value certificate =
      vector_certificate({file->sha256, tokens->tensor, {}}, claim_hash, properties_of(*answers));
  if (!certificate.is_null()) {
    const auto accepted = accept(certificate, {file->bytes});
    if (!accepted) return tl::unexpected(claim::refusal(request.file, accepted.error()));
  }
  if (const auto agreed = agree_with_closed_forms(*answers, request.file); !agreed) {
    return tl::unexpected(agreed.error());
  }
  auto saved = save_maps(*answers, *patterns, *tokens, request.save);
  if (!saved) return tl::unexpected(saved.error());
  return Weighing{std::move(*file), std::move(*tokens), std::move(*answers), std::move(certificate),
                  std::move(*saved)};
}

std::vector<Comparison> comparisons(const std::vector<Answer>& answers) {
  std::vector<Comparison> result;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t j = i + 1; j < answers.size(); ++j) {
      if (!answers[i].cost || !answers[j].cost) continue;
      const Cost& a = *answers[i].cost;
      const Cost& b = *answers[j].cost;
      Comparison c;
      c.first = answers[i].name;
      c.second = answers[j].name;
      if (a.upper < b.lower) c.cheaper = c.first;
      if (b.upper < a.lower) c.cheaper = c.second;
      c.difference_lower = b.lower - a.upper;
      c.difference_upper = b.upper - a.lower;
      c.ratio_lower = b.lower / a.upper;
      if (a.lower > 0) c.ratio_upper = b.upper / a.lower;
      result.push_back(std::move(c));
    }
  }
  return result;
}

}  // namespace sinkproof::measure
