#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "accept/accept.hpp"
#include "report/attention_section.hpp"
#include "report/card.hpp"
#include "report/chart/colour_scale.hpp"
#include "report/checkpoint_section.hpp"
#include "report/claim_words.hpp"
#include "report/content_policy.hpp"
#include "report/cover_section.hpp"
#include "report/experiment_section.hpp"
#include "report/finding.hpp"
#include "report/language_heads.hpp"
#include "report/language_section.hpp"
#include "report/map_section.hpp"
#include "report/names.hpp"
#include "report/overview.hpp"
#include "report/status.hpp"
#include "report/style.hpp"
#include "report/theory_section.hpp"
#include "report/variant_section.hpp"
#include "report/vector_section.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using accept::Standing;
using accept::standing_of;
using exact::fail;
using exact::Result;
using text::escape;
using text::file_name;
using text::shell_word;

// The inputs by what they are. `unknown` holds what is of no kind, which no checker accepts.
struct Kinds {
  std::vector<const Input*> theory;
  std::vector<const Input*> checkpoint;
  std::vector<const Input*> vectors;
  std::vector<const Input*> language;
  std::vector<const Input*> covers;
  std::vector<const Input*> estimates;
  std::vector<const Input*> unknown;

  // Besides estimates: what a checker looked at.
  [[nodiscard]] bool any_certificate() const {
    return !theory.empty() || !checkpoint.empty() || !vectors.empty() || !language.empty() ||
           !covers.empty() || !unknown.empty();
  }
};

// Claims of one family by their numbers, families in the order of their first claims.
void put_in_order(std::vector<const Input*>& theory) {
  std::map<std::string, std::size_t> families;
  const auto key = [&](const Input* input) {
    const auto id = claim_id(input->certificate);
    if (!id) return std::tuple(theory.size(), std::size_t{0}, std::string());
    const auto family = families.emplace(id->substr(0, id->find('-')), families.size()).first;
    return std::tuple(family->second, id->size(), *id);
  };
  for (const Input* input : theory) key(input);
  std::stable_sort(theory.begin(), theory.end(),
                   [&](const Input* a, const Input* b) { return key(a) < key(b); });
}

Kinds sort_by_kind(const std::vector<Input>& inputs) {
  Kinds kinds;
  for (const Input& input : inputs) {
    const std::string kind = kind_of(input);
    (input.estimate         ? kinds.estimates
     : kind == "theory"     ? kinds.theory
     : kind == "checkpoint" ? kinds.checkpoint
     : kind == "vectors"    ? kinds.vectors
     : kind == "language"   ? kinds.language
     : kind == "cover"      ? kinds.covers
                            : kinds.unknown)
        .push_back(&input);
  }
  put_in_order(kinds.theory);
  return kinds;
}

// In the order of the page.
std::vector<const Input*> all_of(const Kinds& kinds) {
  std::vector<const Input*> all;
  for (const auto* part : {&kinds.theory, &kinds.checkpoint, &kinds.vectors, &kinds.language,
                           &kinds.covers, &kinds.estimates, &kinds.unknown}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

std::string count(std::size_t number, const std::string& what) {
  return fmt::format("<li><strong>{}</strong><span>{}</span></li>", number, what);
}

// What the page rests on, in numbers.
std::string counts(const std::vector<Input>& inputs, const Kinds& kinds, bool trusting) {
  std::multiset<Standing> seen;
  for (const Input& input : inputs) {
    if (!input.estimate) seen.insert(standing_of(input.outcome));
  }
  std::string list = R"(<ul class="counts">)";
  if (!kinds.estimates.empty()) {
    list +=
        count(kinds.estimates.size(), kinds.estimates.size() == 1 ? "model estimated, not proved"
                                                                  : "models estimated, not proved");
  }
  if (!kinds.any_certificate()) return list + "</ul>\n";
  list += count(seen.size(), seen.size() == 1 ? "certificate" : "certificates");
  list += count(seen.count(Standing::kAccepted), "accepted");
  list += count(seen.count(Standing::kPartly), "accepted in part: some steps not re-verified");
  list += count(seen.count(Standing::kRejected), "rejected");
  list += count(seen.count(Standing::kNotChecked), "could not be checked");
  const Trust trust = trust_of(kinds.theory);
  if (!kinds.theory.empty()) list += count(trust.reverified, "steps of theory re-verified");
  for (const auto& [kind, number] : trust.taken) {
    list += count(
        number,
        (trusting ? "steps accepted without verification: " : "steps not re-verified: ") + kind);
  }
  const auto statistical = std::count_if(inputs.begin(), inputs.end(), [](const Input& input) {
    return shows_bounds(input.outcome) &&
           input.outcome.evidence.find("statistical") != std::string::npos;
  });
  if (statistical > 0) {
    list += count(static_cast<std::size_t>(statistical),
                  "statistical, valid if their samples are random");
  }
  return list + "</ul>\n";
}

std::string unknown_anchor(std::size_t number) { return fmt::format("unreadable-{}", number); }

Group group_of(const std::string& anchor, const std::string& title,
               const std::vector<const Input*>& inputs, const Names& names,
               std::string (*card)(std::size_t)) {
  Group group{anchor, title, {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    group.entries.push_back({inputs[i], card(i + 1), names.at(inputs[i])});
  }
  return group;
}

// What the page is made of, "" where there is nothing of it.
struct Parts {
  std::string found;
  std::string map;
  std::string experiments;
  std::string theory;
  std::string variants;
  CheckpointSection checkpoints;
  std::string vectors;
  std::string language;
  std::string covers;
  std::string estimates;
  std::string attention;
  std::string unknown;
};

// The sections that are there, in their order on the page.
std::vector<Group> groups_of(const Kinds& kinds, const Names& names, const Parts& parts) {
  std::vector<Group> groups;
  const auto add = [&](Group group) {
    if (!group.entries.empty()) groups.push_back(std::move(group));
  };
  if (!parts.map.empty()) groups.push_back({"map", "What forces a sink", {}});
  if (!parts.experiments.empty()) groups.push_back({"experiments", "Experiments", {}});
  add(group_of("theory", "Theory claims", kinds.theory, names, theory_anchor));
  if (!parts.variants.empty()) groups.push_back({"variants", "Map of variants", {}});
  add(group_of("checkpoints", "Checkpoints", kinds.checkpoint, names, card_anchor));
  add(group_of("vectors", "Given vectors", kinds.vectors, names, vector_anchor));
  add(group_of("language", "Language models", kinds.language, names, language_anchor));
  add(group_of("covers", "Every sequence of a set", kinds.covers, names, cover_anchor));
  add(group_of("estimates", "Language models, estimated", kinds.estimates, names, estimate_anchor));
  if (!parts.attention.empty()) groups.push_back({"attention-maps", "Attention, estimated", {}});
  add(group_of("unreadable", "Not readable as certificates", kinds.unknown, names, unknown_anchor));
  if (kinds.any_certificate()) groups.push_back({"recheck", "Check it again", {}});
  return groups;
}

constexpr const char* kChecked =
    "<p class=\"quiet\">A small independent checker accepted or rejected each certificate. "
    "This page shows the statements and the results of the checks. Bounds are exact enclosures, "
    "printed as decimals rounded outward; attention matrices and positions in charts are "
    "estimates in double precision.</p>\n";
constexpr const char* kBoth =
    "<p class=\"quiet\">No checker saw what is marked as an estimate.</p>\n";
constexpr const char* kNotChecked =
    "<p class=\"quiet\">Nothing on this page is proved: every figure is an estimate in double "
    "precision, and no checker saw it.</p>\n";

std::string head(const std::vector<Input>& inputs, const Kinds& kinds, const Parts& parts,
                 const std::vector<Group>& groups, const Options& options) {
  const std::string trusted = fmt::format("{}", fmt::join(options.accept, ","));
  static constexpr const char* kTitle = "Attention sinks: verdicts and evidence";
  return "<a class=\"skip\" href=\"#main\">Skip to the certificates</a>\n<header>\n" +
         (parts.found.empty() ? fmt::format("<h1>{}</h1>\n", kTitle)
                              : fmt::format("<p class=\"kicker\">{}</p>\n", kTitle)) +
         parts.found + counts(inputs, kinds, !trusted.empty()) + parts.map +
         parts.checkpoints.side_by_side +
         (trusted.empty() ? ""
                          : "<p>The checker was told to accept without verification: <code>" +
                                escape(trusted) + "</code>.</p>\n") +
         (kinds.any_certificate() ? kChecked : kNotChecked) +
         (kinds.any_certificate() && !kinds.estimates.empty() ? kBoth : "") +
         overview(groups, escape(trusted)) + "</header>\n";
}

// What language models do, where no checkpoint's bound comes first: the headline of the first that
// has one.
const LanguageAudit* first_audit(const Kinds& kinds, std::optional<LanguageAudit>& read) {
  for (const Input* input : kinds.language) {
    if (!shows_bounds(input->outcome)) continue;
    if (auto audit = read_audit(*input)) return &read.emplace(*std::move(audit));
  }
  return kinds.estimates.empty() ? nullptr : kinds.estimates.front()->estimate.get();
}

// Of the one audit on the page whose sequences the attention maps can be of: as many, and as long.
std::vector<std::vector<std::string>> attention_texts(const Kinds& kinds,
                                                      const std::vector<HeadAttention>& heads) {
  if (heads.empty()) return {};
  const std::size_t length = heads.back().places.back().last + 1;
  std::vector<std::vector<std::vector<std::string>>> found;
  const auto add = [&](const LanguageAudit& audit) {
    const bool fits = audit.texts.size() > heads.back().sequence && audit.longest() == length &&
                      audit.shortest() == length;
    if (fits) found.push_back(audit.texts);
  };
  for (const Input* input : kinds.estimates) add(*input->estimate);
  for (const Input* input : kinds.language) {
    if (!shows_bounds(input->outcome)) continue;
    if (const auto audit = read_audit(*input)) add(*audit);
  }
  return found.size() == 1 ? found.front() : std::vector<std::vector<std::string>>{};
}

// "" for an empty headline; `tag` is markup.
std::string headline_block(const std::string& headline, const std::string& tag) {
  if (headline.empty()) return "";
  return "<div class=\"finding\"><div>\n<h1>" + escape(headline) + "</h1>\n<p>" + tag +
         "</p></div></div>\n";
}

std::string language_finding(const Kinds& kinds) {
  std::optional<LanguageAudit> read;
  const LanguageAudit* const audit = first_audit(kinds, read);
  return audit == nullptr ? "" : headline_block(language_headline(*audit), evidence_tag(*audit));
}

// The headline of the first accepted cover that has one.
std::string first_cover(const Kinds& kinds) {
  for (const Input* input : kinds.covers) {
    std::string headline = shows_bounds(input->outcome) ? cover_headline(*input) : "";
    if (!headline.empty()) return headline;
  }
  return "";
}

Result<std::string> unknown_section(const std::vector<const Input*>& inputs) {
  if (inputs.empty()) return "";
  std::string section =
      "<section id=\"unreadable\">" + section_heading("Not readable as certificates");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input* input = inputs[i];
    if (shows_bounds(input->outcome)) {
      return fail("SP1202", file_name(input->path),
                  "is not a certificate, but its outcome is accepted");
    }
    section +=
        fmt::format("<article class=\"card\" id=\"{}\">\n<h3>{} {}</h3>\n<p>{}</p>\n</article>\n",
                    unknown_anchor(i + 1), escape(file_name(input->path)), verdict_badge(*input),
                    reason_text(input->outcome));
  }
  return section + "</section>\n";
}

std::string foot(const std::vector<Input>& inputs, const Options& options) {
  const std::string trusted = fmt::format("{}", fmt::join(options.accept, ","));
  std::string files = trusted.empty() ? "" : " --accept " + escape(trusted);
  const check::Limits usual;
  if (options.limits.seconds > usual.seconds) {
    files += " --seconds " + std::to_string(options.limits.seconds);
  }
  if (options.limits.memory > usual.memory) {
    files += " --memory " + std::to_string(options.limits.memory);
  }
  for (const Input& input : inputs) {
    if (!input.estimate) files += " " + escape(shell_word(file_name(input.path)));
  }
  return fmt::format(
      "<footer id=\"recheck\">\n{1}<p>Two checkers that share no code must agree on every file. "
      "Both look for the models in the folder given as <code>models</code>, by "
      "SHA-256.</p>\n<pre>sinkproof-check --models models{0}</pre>\n<pre>python3 tools/recheck "
      "--models models{0}</pre>\n<p class=\"quiet\">Exit 0: everything was proved. Exit 3: some "
      "steps were verified by SMT solvers or Coq only; <code>--accept smt,coq</code> accepts them, "
      "<code>sinkproof prove --all</code> runs them again. Exit 4: a certificate was "
      "rejected.</p>\n</footer>\n",
      files, section_heading("Check it again"));
}

std::string page(const std::string& top, const std::string& sections, const std::string& bottom) {
  const std::string style = std::string(kStyle) + colour_rules();
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>sinkproof report</title>\n<style>{}</style>\n</head>\n<body>\n{}"
      "<main id=\"main\">\n{}</main>\n{}"
      "<dialog id=\"large\" aria-label=\"Enlarged heat map\"><div></div>"
      "<p class=\"buttons\"><span class=\"scale\"><button type=\"button\" aria-pressed=\"false\">"
      "Logarithmic colours</button></span><button type=\"button\" "
      "class=\"close\">Close</button></p>"
      "</dialog>\n<script>{}</script>\n</body>\n</html>\n",
      content_policy(style, kScript), style, top, sections, bottom, kScript);
}

}  // namespace

Result<std::string> html(const std::vector<Input>& inputs, const Options& options) {
  if (inputs.empty()) return fail("SP1201", "report", "no certificates: name at least one");
  const Kinds kinds = sort_by_kind(inputs);
  const Names names = names_of(all_of(kinds));
  const AcceptedClaims claims = accepted_claims(kinds.theory, options);
  Parts parts;
  std::optional<exact::Error> error;
  const auto set = [&](auto& part, auto made) {
    if (made) {
      part = *std::move(made);
    } else if (!error) {
      error = made.error();
    }
  };
  set(parts.theory, theory_section(kinds.theory, options));
  set(parts.variants, variant_section(kinds.theory, kinds.checkpoint, options));
  set(parts.checkpoints, checkpoint_section(kinds.checkpoint, names, options));
  set(parts.vectors, vector_section(kinds.vectors, names));
  set(parts.language, language_section(kinds.language, names));
  set(parts.covers, cover_section(kinds.covers, names));
  parts.estimates = estimate_section(kinds.estimates, names, options.steps);
  set(parts.unknown, unknown_section(kinds.unknown));
  set(parts.found, finding(kinds.checkpoint, claims, names).map([](const Finding& found) {
    return found.markup;
  }));
  if (error) return tl::unexpected(*error);
  if (parts.found.empty()) parts.found = language_finding(kinds);
  if (parts.found.empty()) parts.found = headline_block(first_cover(kinds), kProvedTag);
  parts.experiments = experiment_section(options);
  parts.attention = attention_section(options.attention, attention_texts(kinds, options.attention));
  parts.map = map_section(claims, options);
  return page(head(inputs, kinds, parts, groups_of(kinds, names, parts), options),
              parts.experiments + parts.theory + parts.variants + parts.checkpoints.cards +
                  parts.vectors + parts.language + parts.covers + parts.estimates +
                  parts.attention + parts.unknown,
              kinds.any_certificate() ? foot(inputs, options) : "");
}

Result<std::vector<std::string>> sentences(const std::vector<Input>& inputs,
                                           const Options& options) {
  const Kinds kinds = sort_by_kind(inputs);
  auto found =
      finding(kinds.checkpoint, accepted_claims(kinds.theory, options), names_of(all_of(kinds)));
  if (!found) return tl::unexpected(found.error());
  std::optional<LanguageAudit> read;
  const LanguageAudit* const audit = first_audit(kinds, read);
  if (found->sentences.empty() && audit != nullptr) {
    const std::string headline = language_headline(*audit);
    if (!headline.empty()) {
      found->sentences.push_back(headline + (audit->estimated ? " (estimate, not proved)." : "."));
    }
  }
  if (const std::string cover = first_cover(kinds); found->sentences.empty() && !cover.empty()) {
    found->sentences.push_back(cover + ".");
  }
  return std::move(found->sentences);
}

}  // namespace sinkproof::report
