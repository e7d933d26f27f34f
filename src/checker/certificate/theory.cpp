#include "certificate/theory.hpp"

#include <algorithm>

#include "certificate/claim_hash.hpp"
#include "certificate/coq_statement.hpp"
#include "certificate/step.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::string_view kMutantEnd = ".mutant.smt2";
constexpr std::string_view kLemmaEnd = ".smt2";

struct RuleRow {
  Rule rule;
  std::string_view name;
  std::string_view end;  // of its files' names; of statement files: is_statement_file
  bool may_be_said;
};

// In the order of Rule.
constexpr RuleRow kRules[] = {
    {Rule::kImplication, Implication::kName, ".implication.json", true},
    {Rule::kIdentity, Identities::kName, ".identity.json", true},
    {Rule::kConstruction, Construction::kName, ".construction.json", true},
    {Rule::kVectors, GivenVectors::kName, ".vectors.json", false},
    {Rule::kSmt, Lemma::kName, kLemmaEnd, true},
    {Rule::kCoq, Theorems::kName, ".v", false},
    {Rule::kProse, Prose::kName, ".prose.md", true},
    {Rule::kStatement, Sentences::kName, {}, false}};

// `path` ends with `end`, which is not empty, and has a name before it.
bool is_named(std::string_view path, std::string_view end) {
  return !end.empty() && path.ends_with(end) && path.size() > end.size() &&
         path[path.size() - end.size() - 1] != '/';
}

}  // namespace

bool is_path_within(std::string_view path) {
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == ".." || !is_plain_name(part)) return false;
    if (end == path.size()) return true;
    path.remove_prefix(end + 1);
  }
}

std::optional<Rule> rule_of_file(std::string_view path) {
  if (path.ends_with(kMutantEnd)) return std::nullopt;
  if (is_statement_file(path)) return Rule::kStatement;
  for (const RuleRow& row : kRules) {
    if (is_named(path, row.end)) return row.rule;
  }
  return std::nullopt;
}

std::string rule_name(Rule rule) { return std::string(kRules[static_cast<int>(rule)].name); }

bool may_be_said(Rule rule) { return kRules[static_cast<int>(rule)].may_be_said; }

std::string mutant_of(std::string_view lemma) {
  return std::string(lemma.substr(0, lemma.size() - kLemmaEnd.size())) + std::string(kMutantEnd);
}

const std::vector<std::string>& allowed_coq_axioms() {
  static const std::vector<std::string> names = {
      "ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec",
      "Classical_Prop.classic", "FunctionalExtensionality.functional_extensionality_dep"};
  return names;
}

std::vector<std::string> coq_theorems(std::string_view text) {
  constexpr std::string_view begin = "Print Assumptions ";
  std::vector<std::string> names;
  while (true) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    const std::string_view line = text.substr(text.rfind('\n') + 1);
    if (!line.starts_with(begin) || !line.ends_with('.')) break;
    const std::string_view name = line.substr(begin.size(), line.size() - begin.size() - 1);
    if (!is_coq_identifier(name)) break;
    names.emplace_back(name);
    text.remove_suffix(line.size());
  }
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace sinkproof::certificate
