#include "report/theory_section.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "accept/accept.hpp"
#include "certificate/schema.hpp"
#include "claim/definitions.hpp"
#include "claim/stated.hpp"
#include "report/claim_words.hpp"
#include "report/facts.hpp"
#include "report/overview.hpp"
#include "report/proof_links.hpp"
#include "report/status.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using exact::fail;
using exact::Result;
using json::Value;
using text::escape;
using text::file_name;

// How many steps the checkers re-verify, and what they take on somebody's word, by kind: of a step
// they re-verify that is the solvers' second opinion.
struct Steps {
  std::size_t reverified = 0;
  std::size_t trusted = 0;
  std::map<std::string, std::string> lists;    // kind -> what, as markup
  std::map<std::string, std::size_t> kinds{};  // kind -> how many
};

// The folder of a certificate's claim, as far as it is there: its words, and links into it.
struct Proofs {
  const Options& options;
  std::optional<std::string> id;
  std::optional<claim::Claim> words;  // absent: the folder is not the one the certificate names

  [[nodiscard]] std::string link(const std::string& file) const {
    const std::string label = fmt::format("<code>{}</code>", escape(file));
    return id ? proof_link(options, *id, file, words.has_value(), label) : label;
  }
};

// The name an axiom has within its module.
std::string short_name(const std::string& axiom) { return axiom.substr(axiom.rfind('.') + 1); }

std::string coq_text(certificate::Fields& step, const std::string& file, const Proofs& proofs) {
  std::vector<std::string> assumptions;
  std::vector<std::string> theorems;
  step.texts("assumptions", assumptions);
  step.texts("theorems", theorems);
  std::set<std::string> axioms;
  for (const std::string& axiom : assumptions) axioms.insert(short_name(axiom));
  std::string names;
  for (const std::string& name : theorems) {
    names += fmt::format("{}<code>{}</code>", names.empty() ? "" : ", ", escape(name));
  }
  std::string text = fmt::format("{} with {}; ", proofs.link(file), names);
  if (axioms.empty()) return text + "no axioms";
  text += "axioms used: ";
  for (const std::string& axiom : axioms) {
    text += (axiom == *axioms.begin() ? "" : ", ") + escape(axiom);
  }
  return text;
}

void read_step(certificate::Fields& step, const Proofs& proofs, Steps& steps) {
  std::string file;
  std::string rule;
  step.text("file", file);
  step.text("rule", rule);
  std::string text = proofs.link(file);
  std::string kind = "Assumed";
  if (rule == "implication" || rule == "polynomial-identity" || rule == "construction" ||
      rule == "vectors") {
    ++steps.reverified;
    if (!step.has("solvers", false)) return;
    kind = "SMT as a second opinion";
  }
  if (rule == "coq-statement") return;  // what is claimed, not why it holds
  if (rule == "smt") kind = "SMT";
  if (rule == "coq-theorem") {
    kind = "Coq";
    text = coq_text(step, file, proofs);
  }
  ++steps.trusted;
  ++steps.kinds[kind];
  std::string& list = steps.lists[kind];
  list += (list.empty() ? "" : kind == "Coq" ? "; " : ", ") + text;
}

Result<Steps> read_steps(const Value& certificate, const Proofs& proofs) {
  return certificate::result_of([&] {
    Steps steps;
    certificate::Fields(certificate, "certificate")
        .array("steps", 0, {1, SIZE_MAX, "there are none"},
               [&](certificate::Fields& list, std::size_t count) {
                 for (std::size_t i = 0; i < count; ++i) {
                   certificate::Fields step(certificate["steps"][i], list.path_of(i));
                   read_step(step, proofs, steps);
                 }
               });
    return steps;
  });
}

std::string trust_lists(const Steps& steps) {
  if (steps.lists.empty()) return "";
  std::string text = R"(<p class="rests">Not verified by the checkers:</p><ul>)";
  for (const auto& [kind, list] : steps.lists) {
    text += fmt::format("<li>{}: {}</li>", kind, list);
  }
  return text + "</ul>";
}

// The author's words: nothing compares them with what is stated.
std::string informal(const std::string& words) {
  return fmt::format(
      R"(<p class="informal"><span class="quiet">Informal description:</span> {}</p>)",
      escape(words));
}

// What a sentence states to a machine, and under it the words that describe it.
std::string sentence_text(const claim::Sentence& sentence, const claim::Claim& words) {
  std::string text;
  for (const std::string& name : sentence.says) {
    if (const auto stated = claim::stated(words, name)) {
      text += fmt::format("<pre>{}</pre>", escape(*stated));
    }
  }
  return fmt::format("<div class=\"sentence\">{}{}</div>", text, informal(sentence.text));
}

std::string definitions_text(const claim::Claim& words) {
  std::string text;
  for (const claim::Definition& one : claim::definitions_of(words)) {
    text += "\n\n" + escape(one.text);
  }
  if (text.empty()) return "";
  return "<details><summary>The definitions that these sentences use</summary><pre>" +
         text.substr(2) + "</pre></details>";
}

std::string words_text(const claim::Claim& words) {
  std::string text;
  for (const claim::Sentence& sentence : words.sentences) text += sentence_text(sentence, words);
  text += definitions_text(words);
  if (!words.hypotheses.empty()) {
    text += R"(<ul class="hypotheses">)";
    for (const std::string& hypothesis : words.hypotheses) {
      text += fmt::format("<li>{}</li>", informal(hypothesis));
    }
    text += "</ul>";
  }
  return text + fmt::format(R"(<p class="quiet">Source: {}</p>)", escape(words.source));
}

// What to say where there are no words: the certificate itself holds formulas only.
std::string no_words(const Options& options) {
  const char* why = options.claims
                        ? "The claim folder given is not the one this certificate names (by "
                          "SHA-256), so its sentences are not shown."
                        : "The claim’s sentences are in its folder, which was not given.";
  return fmt::format(R"(<p class="quiet">{}</p>)", why);
}

// Why a claim that holds in part does so; "unknown" needs no words beside the list of steps.
std::string remark(const Outcome& outcome) {
  const std::string reasons = reason_text(outcome);
  const bool said = outcome.verdict == "proved" || outcome.verdict == "unknown";
  return said || reasons.empty() ? "" : fmt::format("<p>Checker: {}.</p>", reasons);
}

std::string facts(const Input& input, const Proofs& proofs, const std::optional<Steps>& steps) {
  std::string list = R"(<dl class="facts">)";
  if (steps) {
    list += fact("evidence", escape(input.outcome.evidence));
    list += fact("steps", fmt::format("{} verified, {} accepted without verification",
                                      steps->reverified, steps->trusted));
  }
  if (proofs.id) {
    list += fact("proof",
                 proof_link(proofs.options, *proofs.id, "README.md", proofs.words.has_value(),
                            fmt::format("<code>proofs/{}/README.md</code>", escape(*proofs.id))));
  }
  list += fact("certificate", fmt::format("<code>{}</code>", escape(file_name(input.path))));
  return list + "</dl>\n";
}

std::string heading(const Input& input, const Proofs& proofs) {
  return fmt::format(
      R"(<summary><h3><span class="id">{}</span> <span class="title">{}</span> {}</h3></summary>)"
      "\n",
      proofs.id ? escape(*proofs.id) : "(no id)",
      proofs.words ? R"(<span class="quiet">Informal title:</span> )" + escape(proofs.words->title)
                   : "—",
      verdict_badge(input));
}

Result<std::string> card(const Input& input, const Options& options, std::size_t number) {
  const Proofs proofs{options, claim_id(input.certificate), words_of(input.certificate, options)};
  std::string text =
      fmt::format("<details class=\"card claim\" id=\"{}\">\n", theory_anchor(number));
  text += heading(input, proofs);
  const std::string words = proofs.words ? words_text(*proofs.words) : no_words(options);
  if (!shows_bounds(input.outcome)) {
    return text + facts(input, proofs, std::nullopt) + words +
           fmt::format("<p>Not accepted by the checker. {}</p></details>\n",
                       reason_text(input.outcome));
  }
  const auto steps = read_steps(input.certificate, proofs);
  if (!steps) {
    return fail("SP1202", file_name(input.path) + ": " + steps.error().where, steps.error().what);
  }
  return text + facts(input, proofs, *steps) + words + remark(input.outcome) + trust_lists(*steps) +
         "</details>\n";
}

}  // namespace

std::string theory_anchor(std::size_t number) { return fmt::format("theory-{}", number); }

Trust trust_of(const std::vector<const Input*>& inputs) {
  Trust trust;
  for (const Input* input : inputs) {
    if (!shows_bounds(input->outcome)) continue;
    const auto steps = read_steps(input->certificate, {{}, std::nullopt, std::nullopt});
    if (!steps) continue;  // theory_section says so
    trust.reverified += steps->reverified;
    for (const auto& [kind, count] : steps->kinds) trust.taken[kind] += count;
  }
  return trust;
}

Result<std::string> theory_section(const std::vector<const Input*>& inputs,
                                   const Options& options) {
  if (inputs.empty()) return "";
  std::string section =
      "<section id=\"theory\">" + section_heading("Theory claims") +
      "<p>Claims about whole classes of models. Each card lists the evidence of its claim.</p>\n";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto text = card(*inputs[i], options, i + 1);
    if (!text) return tl::unexpected(text.error());
    section += *text;
  }
  return section + "</section>\n";
}

}  // namespace sinkproof::report
