// sinkproof cost: what a sink and a diagonal cost for given embeddings, certified (claim co-6).
#include "measure/cost.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <set>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "check/find.hpp"
#include "claim/refusal.hpp"
#include "cli/pattern_options.hpp"
#include "cli/verbs.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"
#include "measure/closed_form.hpp"
#include "measure/map_file.hpp"
#include "measure/representable.hpp"

namespace sinkproof::cli {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::fail;
using exact::Rational;
using exact::Result;

constexpr unsigned kShown = 10;
constexpr std::size_t kMostTokens = 256;  // VECTOR_RULES.md, 6.3
constexpr std::size_t kNamedCoefficients = 8;

struct Arguments {
  Common common;
  std::string file;
  std::optional<std::string> tensor;
  PatternOptions pattern;
  bool closed_forms = false;
  bool allow_dependent = false;
  bool representable = false;
  double gap = 0.02;
  double seconds = 300;
  std::string output;
  std::string save;
  std::string claims;
};

struct Answer {
  PatternKind kind;
  std::string name;
  std::string verdict;               // "enclosed", "refuted" (infeasible), "unknown"
  Result<model::ClosedForm> closed;  // or the hypothesis that fails
  std::optional<measure::Cost> cost;
  std::optional<measure::Representability> representable;
  std::size_t constraints = 0;
  std::string reason;
};

Result<std::vector<Pattern>> read_patterns(const Arguments& arguments,
                                           const measure::NamedFile& file, std::size_t count) {
  const auto margin = margin_of(arguments.pattern);
  if (!margin) return tl::unexpected(margin.error());
  std::vector<Pattern> patterns;
  const auto kinds = kinds_of(arguments.pattern, {PatternKind::kSinkA, PatternKind::kDiagonal});
  if (!kinds.empty()) {
    auto roles = roles_of(arguments.pattern, file, count);
    if (!roles) return tl::unexpected(roles.error());
    if (!*roles && count < 2) {
      return fail("SP1604", file.path, "there is no token besides token 0, BOS");
    }
    if (!*roles) *roles = measure::default_roles(count);
    for (const PatternKind kind : kinds) {
      patterns.push_back(measure::pattern_of(kind, **roles, *margin));
    }
  }
  auto constraints = constraints_of(arguments.pattern, count, *margin);
  if (!constraints) return tl::unexpected(constraints.error());
  if (*constraints) patterns.push_back(std::move(**constraints));
  return patterns;
}

// "3/2 of token 4", "-1 of token 0"; a coefficient of very many digits between two decimals.
std::string in_words(const measure::Share& share) {
  constexpr std::size_t kMostCharacters = 60;
  std::string factor = exact::to_string(share.factor);
  if (factor.size() > kMostCharacters) {
    factor = fmt::format("{} .. {}", exact::decimal_down(share.factor, kShown),
                         exact::decimal_up(share.factor, kShown));
  }
  return fmt::format("{} of token {}", factor, share.row);
}

std::string in_words(const std::vector<measure::Share>& combination) {
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
Result<measure::Rank> checked_rank(const measure::Tokens& tokens, const measure::DyadicMatrix& gram,
                                   const std::vector<std::size_t>& named, bool allow_dependent,
                                   const std::string& where) {
  for (const std::size_t k : named) {
    if (gram.entries(k, k) == 0) {
      return fail("SP1608", where, "token " + std::to_string(k) + " is the zero vector");
    }
    for (const std::size_t l : named) {
      const exact::Integer apart = gram.entries(k, k) - 2 * gram.entries(k, l) + gram.entries(l, l);
      if (l < k && apart == 0) {
        return fail("SP1609", where,
                    fmt::format("tokens {} and {} are equal: no score tells them apart", l, k));
      }
    }
  }
  measure::Rank rank = measure::exact_rank(gram.entries, named);
  const std::size_t full = std::min(named.size(), tokens.rows.columns());
  if (rank.rank < full && !allow_dependent) {
    return fail("SP1610", where,
                fmt::format("rank {} of {} possible: token {} is exactly the sum of {}; say "
                            "--allow-dependent to go on",
                            rank.rank, full, *rank.dependent, in_words(rank.combination)));
  }
  return rank;
}

// The closed forms of each pattern; with --closed-forms the first hypothesis that fails.
Result<std::vector<Result<model::ClosedForm>>> closed_forms(const std::vector<Pattern>& patterns,
                                                            const measure::Tokens& tokens,
                                                            const Arguments& arguments) {
  auto closed = measure::closed_forms(tokens.rows, patterns);
  for (const auto& one : closed) {
    if (one || !arguments.closed_forms) continue;
    return fail(one.error().code, arguments.file + ": " + one.error().where, one.error().what);
  }
  return closed;
}

Result<Answer> answer_for(const Pattern& pattern, const Result<model::ClosedForm>& closed,
                          const measure::Tokens& tokens, const measure::DyadicMatrix& gram,
                          const Arguments& arguments) {
  const auto system = measure::margin_system(pattern);
  if (!system) return tl::unexpected(system.error());
  const auto named = system->named();
  const auto rank = checked_rank(tokens, gram, named, arguments.allow_dependent, arguments.file);
  if (!rank) return tl::unexpected(rank.error());
  Answer answer{pattern.kind, to_string(pattern.kind),    "enclosed", closed, {},
                {},           system->constraints.size(), ""};
  // Over independent tokens every table of scores is attained, so a pattern can be satisfied.
  const bool certain = rank->rank == named.size() && pattern.kind != PatternKind::kMargins;
  if (!certain || arguments.representable) {
    auto found = measure::representable(gram, pattern, *system);
    if (!found && found.error().code != "SP1611") return tl::unexpected(found.error());
    if (found) answer.representable = std::move(*found);
    if (answer.representable && !answer.representable->representable) {
      answer.verdict = "refuted";
      return answer;
    }
  }
  ProgressLine line(arguments.common.quiet);
  measure::CostOptions options{arguments.gap, arguments.seconds, {}};
  options.progress = [&](double gap) {
    if (!std::isfinite(gap)) gap = 1;
    line.show(fmt::format("{}: gap {:.2g}", answer.name, gap),
              std::clamp(std::log(std::max(gap, 1e-9)) / std::log(arguments.gap), 0.0, 1.0));
  };
  auto cost = measure::certified_cost(tokens.rows, gram, pattern, *system, rank->pivots, options);
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

json::Value certificate_of(const std::vector<Answer>& answers, const measure::NamedFile& file,
                           const measure::Tokens& tokens, const std::string& claim_hash) {
  json::Value properties = json::Value::array();
  const auto add = [&](const measure::Property& property) {
    properties.push_back({{"statement", property.statement}, {"evidence", property.evidence}});
  };
  for (const Answer& answer : answers) {
    if (answer.representable) add(answer.representable->property);
    if (answer.cost) add(answer.cost->property);
  }
  if (properties.empty()) return nullptr;
  return {{"format", 1},
          {"kind", "vectors"},
          {"claim", "vectors"},
          {"claim_sha256", claim_hash},
          {"input", {{"sha256", file.sha256}, {"tensor", tokens.tensor}, {"head", nullptr}}},
          {"properties", properties}};
}

// Every pair of patterns with costs: which is certainly cheaper.
struct Comparison {
  std::string cheaper;  // "" when the intervals overlap
  std::string first;
  std::string second;
  Rational difference_lower;  // second minus first
  Rational difference_upper;
  std::optional<Rational> ratio_lower;  // second over first
  std::optional<Rational> ratio_upper;
};

std::vector<Comparison> comparisons(const std::vector<Answer>& answers) {
  std::vector<Comparison> result;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    for (std::size_t j = i + 1; j < answers.size(); ++j) {
      if (!answers[i].cost || !answers[j].cost) continue;
      const measure::Cost& a = *answers[i].cost;
      const measure::Cost& b = *answers[j].cost;
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

// The claims that bound the least cost of a pattern from below and from above.
std::pair<const char*, const char*> claims_of(PatternKind kind) {
  if (kind == PatternKind::kDiagonal) return {"co-2", "co-3"};
  return {"co-4", "co-1"};
}

json::Value closed_form_json(const Answer& answer) {
  if (!answer.closed) {
    return {{"verdict", "not-applicable"},
            {"code", answer.closed.error().code},
            {"reason", answer.closed.error().what}};
  }
  const auto [below, above] = claims_of(answer.kind);
  return {{"verdict", "enclosed"},
          {"lower", exact::decimal_down(answer.closed->lower.lower, kShown)},
          {"lower_claim", below},
          {"upper", exact::decimal_up(answer.closed->upper.upper, kShown)},
          {"upper_claim", above}};
}

json::Value answer_json(const Answer& answer) {
  json::Value entry = {
      {"pattern", answer.name}, {"verdict", answer.verdict}, {"constraints", answer.constraints},
      {"lower", nullptr},       {"upper", nullptr},          {"gap", nullptr}};
  if (answer.cost) {
    entry["lower"] = exact::decimal_down(answer.cost->lower, kShown);
    entry["upper"] = exact::decimal_up(answer.cost->upper, kShown);
    entry["gap"] = exact::decimal_up(1 - answer.cost->lower / answer.cost->upper, 3);
  }
  if (answer.representable && answer.representable->representable) {
    entry["squared_margin"] = {exact::decimal_down(answer.representable->lower, kShown),
                               exact::decimal_up(answer.representable->upper, kShown)};
  }
  if (answer.verdict == "refuted") entry["reason"] = "infeasible: no matrix has these margins";
  if (!answer.reason.empty()) entry["reason"] = answer.reason;
  entry["closed_form"] = closed_form_json(answer);
  return entry;
}

void print_json(const std::vector<Answer>& answers, const measure::NamedFile& file,
                const measure::Tokens& tokens, const std::vector<measure::SavedMap>& saved) {
  json::Value patterns = json::Value::array();
  for (const Answer& answer : answers) patterns.push_back(answer_json(answer));
  json::Value compared = json::Value::array();
  for (const Comparison& c : comparisons(answers)) {
    json::Value entry = {
        {"patterns", {c.first, c.second}},
        {"cheaper", c.cheaper.empty() ? json::Value(nullptr) : json::Value(c.cheaper)},
        {"difference",
         {exact::decimal_down(c.difference_lower, 6), exact::decimal_up(c.difference_upper, 6)}},
        {"ratio", nullptr}};
    if (c.ratio_upper) {
      entry["ratio"] = {exact::decimal_down(*c.ratio_lower, 6),
                        exact::decimal_up(*c.ratio_upper, 6)};
    }
    compared.push_back(std::move(entry));
  }
  json::Value maps = json::Value::array();
  for (const auto& map : saved) {
    maps.push_back({{"path", map.path}, {"cost", exact::decimal_up(map.cost, kShown)}});
  }
  std::cout << json::Value({{"schema", 1},
                            {"input",
                             {{"sha256", file.sha256},
                              {"tensor", tokens.tensor},
                              {"tokens", tokens.rows.rows()},
                              {"width", tokens.rows.columns()}}},
                            {"patterns", patterns},
                            {"comparisons", compared},
                            {"maps", maps}})
                   .dump(2)
            << '\n';
}

void print_closed_form(const Answer& answer) {
  if (!answer.closed) {
    fmt::print("  closed forms: not-applicable, {}: {}\n", answer.closed.error().code,
               answer.closed.error().what);
    return;
  }
  const auto [below, above] = claims_of(answer.kind);
  fmt::print("  closed forms: at least {} ({}), at most {} ({})\n",
             exact::decimal_down(answer.closed->lower.lower, kShown), below,
             exact::decimal_up(answer.closed->upper.upper, kShown), above);
}

void print_text(const std::vector<Answer>& answers, const measure::Tokens& tokens,
                const std::vector<measure::SavedMap>& saved) {
  fmt::print("{}: {} tokens of width {}; ||W_Q||_F^2 + ||W_K||_F^2, least, over all W_Q, W_K\n",
             tokens.tensor, tokens.rows.rows(), tokens.rows.columns());
  fmt::print("{:<10} {:<10} {:>12} {:>16} {:>16} {:>10}\n", "pattern", "verdict", "constraints",
             "lower", "upper", "gap");
  for (const Answer& answer : answers) {
    const std::string padding(answer.verdict.size() < 10 ? 10 - answer.verdict.size() : 0, ' ');
    fmt::print("{:<10} {}{} {:>12}", answer.name, shown_verdict(answer.verdict), padding,
               answer.constraints);
    if (answer.cost) {
      fmt::print(" {:>16} {:>16} {:>10}", exact::decimal_down(answer.cost->lower, kShown),
                 exact::decimal_up(answer.cost->upper, kShown),
                 exact::decimal_up(1 - answer.cost->lower / answer.cost->upper, 3));
    }
    fmt::print("\n");
    if (answer.verdict == "refuted") fmt::print("  infeasible: no matrix has these margins\n");
    if (!answer.reason.empty()) fmt::print("  {}\n", answer.reason);
    print_closed_form(answer);
    if (answer.representable && answer.representable->representable) {
      fmt::print("  representable: squared Frobenius margin in [{}, {}]\n",
                 exact::decimal_down(answer.representable->lower, kShown),
                 exact::decimal_up(answer.representable->upper, kShown));
    }
  }
  for (const Comparison& c : comparisons(answers)) {
    if (c.cheaper.empty()) {
      fmt::print("{} and {}: the intervals overlap\n", c.first, c.second);
    } else {
      fmt::print("{} is certainly cheaper", c.cheaper);
    }
    if (!c.cheaper.empty() && c.ratio_upper) {
      fmt::print(": {} - {} in [{}, {}], {} / {} in [{}, {}]\n", c.second, c.first,
                 exact::decimal_down(c.difference_lower, 6),
                 exact::decimal_up(c.difference_upper, 6), c.second, c.first,
                 exact::decimal_down(*c.ratio_lower, 6), exact::decimal_up(*c.ratio_upper, 6));
    } else if (!c.cheaper.empty()) {
      fmt::print("\n");
    }
  }
  for (const auto& map : saved) {
    fmt::print("{}: the margins hold exactly for the stored numbers; cost at most {}\n", map.path,
               exact::decimal_up(map.cost, kShown));
  }
}

Result<std::vector<measure::SavedMap>> save_maps(const std::vector<Answer>& answers,
                                                 const std::vector<Pattern>& patterns,
                                                 const measure::Tokens& tokens,
                                                 const std::string& prefix) {
  std::vector<measure::SavedMap> saved;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (prefix.empty() || !answers[i].cost) continue;
    const auto system = measure::margin_system(patterns[i]);
    if (!system) return tl::unexpected(system.error());
    auto map = measure::save_map(prefix + answers[i].name + ".safetensors", tokens.rows, *system,
                                 answers[i].cost->query, answers[i].cost->key);
    if (!map) return tl::unexpected(map.error());
    saved.push_back(std::move(*map));
  }
  return saved;
}

int exit_code_of(const std::vector<Answer>& answers) {
  std::set<int> codes = {kOk};
  for (const Answer& answer : answers) {
    if (answer.verdict == "refuted") codes.insert(kRefuted);
    if (answer.verdict == "unknown") codes.insert(kUnknown);
  }
  return check::worst_exit_code(codes);
}

Result<std::string> claim_hash(const Arguments& arguments) {
  const auto claims = arguments.claims.empty()
                          ? std::nullopt
                          : std::optional<std::filesystem::path>(arguments.claims);
  const auto folder = check::find_claim("vectors", claims, arguments.output);
  if (!folder) return tl::unexpected(folder.error());
  return certificate::claim_hash(*folder);
}

int run(const Arguments& arguments) {
  const auto file = measure::read_file(arguments.file);
  if (!file) return report_error(file.error());
  const auto tokens = measure::read_tokens(*file, arguments.tensor);
  if (!tokens) return report_error(tokens.error());
  const std::size_t count = tokens->rows.rows();
  if (count > kMostTokens) {
    return report_error({"SP1614", arguments.file,
                         std::to_string(count) + " tokens; at most 256 can be certified"});
  }
  const auto patterns = read_patterns(arguments, *file, count);
  if (!patterns) return report_error(patterns.error());
  const auto hash = claim_hash(arguments);
  if (!hash) return report_error(hash.error());
  const measure::DyadicMatrix gram = measure::exact_gram(tokens->rows);
  const auto closed = closed_forms(*patterns, *tokens, arguments);
  if (!closed) return report_error(closed.error());
  std::vector<Answer> answers;
  for (std::size_t k = 0; k < patterns->size(); ++k) {
    auto answer = answer_for((*patterns)[k], (*closed)[k], *tokens, gram, arguments);
    if (!answer) return report_error(answer.error());
    answers.push_back(std::move(*answer));
  }
  const json::Value certificate = certificate_of(answers, *file, *tokens, *hash);
  if (!certificate.is_null()) {
    const check::Outcome outcome = check::check_vectors(certificate, {file->bytes});
    if (outcome.exit_code != 0) {
      const auto refused = claim::refusal(arguments.file, {outcome.code, "", outcome.reason});
      report_error(refused);
      return claim::exit_code_of(refused);
    }
  }
  if (const auto agreed = agree_with_closed_forms(answers, arguments.file); !agreed) {
    report_error(agreed.error());
    return kInternal;
  }
  const auto saved = save_maps(answers, *patterns, *tokens, arguments.save);
  if (!saved) return report_error(saved.error());
  if (!arguments.output.empty() && !certificate.is_null()) {
    const auto written =
        file::replace(arguments.output, certificate::certificate_bytes(certificate));
    if (!written) return report_error(written.error());
  }
  if (arguments.common.json()) {
    print_json(answers, *file, *tokens, *saved);
  } else if (!arguments.common.quiet) {
    print_text(answers, *tokens, *saved);
  }
  return exit_code_of(answers);
}

}  // namespace

void add_cost(const Command& program, int& exit_code) {
  const Command command = program.add_verb(
      "cost", "Certify what scoring given embeddings in a sink or diagonal pattern costs");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("embeddings", arguments->file, "Embeddings, a tensor [tokens, width]")
      .required()
      .type_name("EMBEDDINGS.safetensors");
  command.add_option("--tensor", arguments->tensor, "Name of the tensor (default: the only one)");
  add_pattern_options(command, arguments->pattern, "sink-A and diagonal");
  command.add_flag("--closed-forms", arguments->closed_forms,
                   "Demand the closed forms co-1 to co-4: an error where a hypothesis of theirs "
                   "fails, instead of a note");
  command.add_flag("--allow-dependent", arguments->allow_dependent,
                   "Go on when tokens are linearly dependent");
  command.add_flag("--representable", arguments->representable,
                   "Certify the Frobenius margin too (ge-1)");
  command.add_option("--gap", arguments->gap, "Relative gap to stop at")
      .between(1e-6, 0.9)
      .capture_default_str();
  command.add_option("--seconds", arguments->seconds, "Time for each pattern's search")
      .between(0.01, 1e6)
      .capture_default_str();
  command.add_option("-o,--output", arguments->output, "Write the certificate here");
  command.add_option("--save-w", arguments->save,
                     "Write PREFIX<pattern>.safetensors with W_Q.weight, W_K.weight and W");
  command.add_option("--claims", arguments->claims,
                     "Folder with the claim folders (default: proofs)");
  add_common(command, arguments->common);
  command.callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace sinkproof::cli
