#include "report/theory_section.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "certificate/fields.hpp"
#include "report/claim_words.hpp"
#include "report/html_text.hpp"
#include "report/status.hpp"

namespace sinkproof::report {
namespace {

using exact::fail;
using exact::Result;
using json::Value;

// How many steps the checkers re-verify, and those they take on somebody's word, by kind.
struct Steps {
  std::size_t reverified = 0;
  std::size_t trusted = 0;
  std::map<std::string, std::string> lists;  // kind -> what, as markup
};

// The name an axiom has within its module.
std::string short_name(const std::string& axiom) { return axiom.substr(axiom.rfind('.') + 1); }

Result<std::string> coq_text(const Value& step, const std::string& file) {
  const auto theorems = certificate::array_field(step, "theorems", file);
  if (!theorems) return tl::unexpected(theorems.error());
  std::set<std::string> axioms;
  std::string names;
  for (const Value& theorem : **theorems) {
    const auto name = certificate::string_field(theorem, "name", file);
    if (!name) return tl::unexpected(name.error());
    const auto list = certificate::strings_field(theorem, "assumptions", file);
    if (!list) return tl::unexpected(list.error());
    for (const std::string& axiom : *list) axioms.insert(short_name(axiom));
    names += fmt::format("{}<code>{}</code>", names.empty() ? "" : ", ", escape(*name));
  }
  std::string text = fmt::format("<code>{}</code> with {}; ", escape(file), names);
  if (axioms.empty()) return text + "no axioms";
  text += "axioms used: ";
  for (const std::string& axiom : axioms) {
    text += (axiom == *axioms.begin() ? "" : ", ") + escape(axiom);
  }
  return text;
}

Result<void> read_step(const Value& step, Steps& steps) {
  const auto file = certificate::string_field(step, "file", "steps");
  if (!file) return tl::unexpected(file.error());
  const auto rule = certificate::string_field(step, "rule", *file);
  if (!rule) return tl::unexpected(rule.error());
  std::string text = fmt::format("<code>{}</code>", escape(*file));
  std::string kind = "Assumed";
  if (*rule == "implication" || *rule == "polynomial-identity" || *rule == "construction") {
    ++steps.reverified;
    return {};
  }
  if (*rule == "smt") kind = "SMT";
  if (*rule == "coq-theorem") {
    kind = "Coq";
    auto theorems = coq_text(step, *file);
    if (!theorems) return tl::unexpected(theorems.error());
    text = std::move(*theorems);
  }
  ++steps.trusted;
  std::string& list = steps.lists[kind];
  list += (list.empty() ? "" : ", ") + text;
  return {};
}

Result<Steps> read_steps(const Value& certificate) {
  const auto list = certificate::array_field(certificate, "steps", "certificate");
  if (!list) return tl::unexpected(list.error());
  if ((*list)->empty()) return fail("SP1202", "steps", "there are none");
  Steps steps;
  for (const Value& step : **list) {
    if (const auto read = read_step(step, steps); !read) return tl::unexpected(read.error());
  }
  return steps;
}

std::string trust_counts(const Steps& steps) {
  return fmt::format("<td class=\"num\">{} re-verified<br>{} not re-verified</td>",
                     steps.reverified, steps.trusted);
}

std::string trust_lists(const Steps& steps) {
  if (steps.lists.empty()) return "";
  std::string text = R"(<p class="rests">Not re-verified by the checkers:</p><ul>)";
  for (const auto& [kind, list] : steps.lists) {
    text += fmt::format("<li>{}: {}</li>", kind, list);
  }
  return text + "</ul>";
}

std::string words_text(const claim::Claim& words) {
  std::string text = fmt::format("<p>{}</p>", escape(words.statement));
  if (!words.formula.empty()) {
    text += fmt::format(R"(<p class="formula">{}</p>)", escape(words.formula));
  }
  if (!words.hypotheses.empty()) {
    text += R"(<ul class="hypotheses">)";
    for (const std::string& hypothesis : words.hypotheses) {
      text += fmt::format("<li>{}</li>", escape(hypothesis));
    }
    text += "</ul>";
  }
  return text + fmt::format(R"(<p class="quiet">Source: {}</p>)", escape(words.source));
}

// What to say where there are no words: the certificate itself holds formulas only.
std::string no_words(const Options& options) {
  const char* why = options.claims ? "The claim folder given is not the one this certificate names "
                                     "(by SHA-256), so its words are not shown."
                                   : "The claim's words are in its folder, which was not given.";
  return fmt::format(R"(<p class="quiet">{}</p>)", why);
}

std::string claim_cell(const Input& input) {
  const auto id = claim_id(input.certificate);
  std::string cell =
      fmt::format(R"(<th scope="row"><span class="id">{}</span>)", id ? escape(*id) : "(no id)");
  return cell + fmt::format(R"(<span class="file">{}</span></th>)", escape(file_name(input.path)));
}

// Why a claim that holds in part does so; "unknown" needs no words beside the list of steps.
std::string remark(const Outcome& outcome) {
  const std::string reasons = reasons_text(outcome);
  const bool said = outcome.verdict == "proved" || outcome.verdict == "unknown";
  return said || reasons.empty() ? "" : fmt::format("<p>Checker: {}.</p>", reasons);
}

// The row below the summary: the words, what the claim rests on, where its proof is.
std::string words_row(const Input& input, const std::optional<claim::Claim>& words,
                      const Options& options, const std::string& rests_on) {
  const auto id = claim_id(input.certificate);
  std::string row = R"(<tr class="words"><td colspan="5">)";
  row += words ? words_text(*words) : no_words(options);
  row += rests_on;
  if (id) {
    row += fmt::format(
        R"(<p class="quiet">Proof and how to read it: <code>proofs/{}/README.md</code></p>)",
        escape(*id));
  }
  return row + "</td></tr>";
}

std::string summary_row(const Input& input, const std::optional<claim::Claim>& words,
                        const std::string& evidence, const std::string& steps) {
  return "<tr>" + claim_cell(input) +
         fmt::format("<td>{}</td><td>{}</td><td>{}</td>{}</tr>", words ? escape(words->title) : "—",
                     verdict_badge(input.outcome), evidence, steps);
}

Result<std::string> claim_rows(const Input& input, const Options& options) {
  const auto words = words_of(input.certificate, options);
  if (!shows_bounds(status_of(input.outcome))) {
    const std::string why =
        fmt::format("<p>Not accepted by the checker. {}</p>", reasons_text(input.outcome));
    return "<tbody>" + summary_row(input, words, "none", "<td>—</td>") +
           words_row(input, words, options, why) + "</tbody>\n";
  }
  const auto steps = read_steps(input.certificate);
  if (!steps) {
    return fail("SP1202", file_name(input.path) + ": " + steps.error().where, steps.error().what);
  }
  return "<tbody>" +
         summary_row(input, words, escape(input.outcome.evidence), trust_counts(*steps)) +
         words_row(input, words, options, remark(input.outcome) + trust_lists(*steps)) +
         "</tbody>\n";
}

}  // namespace

Result<std::string> theory_section(const std::vector<const Input*>& inputs,
                                   const Options& options) {
  if (inputs.empty()) return "";
  std::string section =
      "<section id=\"theory\"><h2>Theory claims</h2>\n"
      "<p>True of a whole class of models, or not: what each claim rests on is said beside "
      "it.</p>\n"
      "<div class=\"scroll\"><table class=\"claims\"><thead><tr><th scope=\"col\">Claim</th>"
      "<th scope=\"col\">Title</th><th scope=\"col\">Verdict</th><th scope=\"col\">Evidence</th>"
      "<th scope=\"col\">Steps</th></tr></thead>\n";
  for (const Input* input : inputs) {
    const auto rows = claim_rows(*input, options);
    if (!rows) return tl::unexpected(rows.error());
    section += *rows;
  }
  return section + "</table></div></section>\n";
}

}  // namespace sinkproof::report
