#include "report/language_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <utility>

#include "accept/accept.hpp"
#include "report/card.hpp"
#include "report/chart/xy_chart.hpp"
#include "report/facts.hpp"
#include "report/language_heads.hpp"
#include "report/language_maps.hpp"
#include "report/language_moves.hpp"
#include "report/language_reading.hpp"
#include "report/language_table.hpp"
#include "report/names.hpp"
#include "report/overview.hpp"
#include "report/training_curves.hpp"
#include "rounded/double.hpp"
#include "text/html.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using exact::Result;
using text::escape;
using text::file_name;
using text::without_folders;

constexpr std::size_t kMostSequences = 16;  // whose tokens are listed
constexpr std::size_t kMostTokens = 256;    // of each

std::string lengths(const LanguageAudit& audit) {
  const std::size_t most = audit.longest();
  const std::size_t least = audit.shortest();
  return fmt::format("{} of {}{}", audit.sequences(),
                     least == most ? "" : fmt::format("{} to ", least),
                     text::counted(most, "token"));
}

std::string facts(const LanguageAudit& audit, const Input& input) {
  const language::Config& config = audit.config;
  std::string list = "<dl class=\"facts\">";
  list += fact("architecture", escape(audit.stated.architecture));
  list += fact("attention", escape(certificate::to_string(config.attention)));
  list += fact("layers", std::to_string(config.layers));
  list += fact("heads", config.key_heads == config.heads
                            ? std::to_string(config.heads)
                            : fmt::format("{}, {} of keys", config.heads, config.key_heads));
  list += fact("width", std::to_string(config.width));
  if (!input.outcome.remarks.empty()) list += fact("note", escape(input.outcome.remarks));
  list += fact("sequences", lengths(audit));
  if (audit.estimated && audit.estimated->loss) {
    const double loss = rounded::to_double_estimate(*audit.estimated->loss);
    list += fact("next-token loss", fmt::format("{:.4g} nats per token", loss));
    list += fact("perplexity", fmt::format("{:.4g}", std::exp(loss)));
  }
  const std::string file = fmt::format("<code>{}</code>", escape(file_name(input.path)));
  if (audit.estimated) {
    list += fact("arithmetic", "float64");
    list += fact("file", file);
    list += fact("evidence", "none: estimates");
  } else {
    list += fact("semantics", "real");
    list += fact("certificate", file);
    list += fact("evidence", escape(input.outcome.evidence));
  }
  for (const auto& [name, sha256] : audit.stated.files) {
    if (name.ends_with(".json") || audit.stated.files.size() <= 3) {
      list += fact(escape(name), hash_text(sha256));
    }
  }
  return list + "</dl>\n";
}

std::string token_list(const LanguageAudit& audit) {
  const auto& sequences = audit.stated.sequences;
  if (sequences.empty()) return "";
  std::string items;
  for (std::size_t s = 0; s < std::min(sequences.size(), kMostSequences); ++s) {
    const std::span tokens(sequences[s]);
    const std::size_t shown = std::min(tokens.size(), kMostTokens);
    std::string words;
    for (std::size_t i = 0; i < shown && !audit.texts.empty(); ++i) words += audit.texts[s][i];
    items += fmt::format("<li>{}<code>{}</code>{}</li>\n",
                         words.empty() ? "" : "“" + escape(words) + "”: ",
                         fmt::join(tokens.first(shown), " "), tokens.size() > shown ? " …" : "");
  }
  return fmt::format(
      "<details><summary>Token ids{}</summary>\n<ul class=\"quiet\">\n{}</ul>\n</details>\n",
      sequences.size() > kMostSequences
          ? fmt::format(" of the first {} of {} sequences", kMostSequences, sequences.size())
          : "",
      items);
}

std::string cosine_chart(const LanguageAudit& audit, const std::string& anchor) {
  const auto field = by_layer(audit, LanguageReadout::kMeanCosine);
  if (!field) return "";
  Chart chart;
  chart.id = anchor + "-cosines";
  chart.title = "Mean cosine between the rows of two positions, by layer";
  chart.description =
      std::string(audit.estimated ? "The" : "Bounds on the") +
      " mean cosine of two rows at the input of each layer and, at the right, at the output, "
      "averaged over sequences.";
  chart.evidence = evidence_tag(audit);
  chart.x_label = "layer (last: output)";
  chart.y_label = "mean cosine";
  Curve curve{"mean cosine", Look::kDiagonal, Stroke::kSolid, {}};
  for (std::size_t l = 0; l < field->columns; ++l) {
    curve.points.push_back({exact::Rational(l), field->cells[l].lower, field->cells[l].upper});
  }
  chart.curves.push_back(std::move(curve));
  return "<h4>How similar the rows of positions become" + evidence_tag(audit) + "</h4>\n" +
         xy_chart(chart);
}

std::string unread_card(const Input& input, const std::string& name, std::size_t number,
                        const exact::Error& error) {
  return card_head(input, name, language_anchor(number)) +
         fmt::format(
             "<p class=\"quiet\">The statements of this certificate are not drawn: {} "
             "({}).</p>\n</article>\n",
             escape(without_folders(error.what)), escape(error.code));
}

std::string card(const LanguageAudit& audit, const Input& input, const std::string& name,
                 const std::string& anchor) {
  const std::string headline = language_headline(audit);
  std::string text = card_head(input, name, anchor);
  if (!headline.empty()) {
    text += fmt::format("<p class=\"lead\">{}.{}</p>\n", escape(headline), evidence_tag(audit));
  }
  text += facts(audit, input) + token_list(audit) + checker_words(input);
  return text + sink_maps(audit, anchor) + head_table(audit) + share_block(audit, anchor) +
         norm_maps(audit, anchor) + logit_maps(audit, anchor) + cosine_chart(audit, anchor) +
         move_block(audit, anchor) + "</article>\n";
}

constexpr const char* kScaleButton =
    "<p class=\"scale\"><button type=\"button\" aria-pressed=\"false\">Logarithmic "
    "colours</button></p>\n";

}  // namespace

std::string estimate_anchor(std::size_t number) { return fmt::format("estimate-{}", number); }

std::string estimate_section(const std::vector<const Input*>& inputs, const Names& names,
                             const std::vector<std::size_t>& steps) {
  if (inputs.empty()) return "";
  std::string cards;
  std::vector<AuditedModel> models;
  std::vector<AuditedStep> run;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = names.at(inputs[i]);
    if (i < steps.size()) run.push_back({steps[i], inputs[i]->estimate.get()});
    cards += card(*inputs[i]->estimate, *inputs[i], name, estimate_anchor(i + 1));
    models.push_back({name, estimate_anchor(i + 1), inputs[i]->estimate.get()});
  }
  return "<section id=\"estimates\">" + section_heading("Language models, estimated") +
         "<p>What audits computed in double precision. Nothing in this section is proved, and no "
         "checker saw it. <code>sinkproof audit DIR --rigorous -o CERT.json</code> encloses the "
         "same figures.</p>\n" +
         kScaleButton + training_curves(run) + language_table(models) + cards + "</section>\n";
}

std::string language_anchor(std::size_t number) { return fmt::format("language-{}", number); }

Result<std::string> language_section(const std::vector<const Input*>& inputs, const Names& names) {
  if (inputs.empty()) return "";
  std::string cards;
  std::deque<LanguageAudit> audits;  // the table's rows point into it
  std::vector<AuditedModel> models;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = *inputs[i];
    const std::string& name = names.at(&input);
    if (!shows_bounds(input.outcome)) {
      cards += unaccepted_card(input, name, language_anchor(i + 1));
      continue;
    }
    auto audit = read_audit(input);
    if (!audit && audit.error().code == "SP1202") return tl::unexpected(audit.error());
    if (!audit) {
      cards += unread_card(input, name, i + 1, audit.error());
      continue;
    }
    cards += card(*audit, input, name, language_anchor(i + 1));
    audits.push_back(std::move(*audit));
    models.push_back({name, language_anchor(i + 1), &audits.back()});
  }
  return "<section id=\"language\">" + section_heading("Language models") +
         "<p>What a model computes on the stated tokens, in real arithmetic on its stored weights. "
         "Other texts are not covered, unless the checker says so. All digits of a number "
         "followed by … are certain; a number in brackets lies between the two bounds.</p>\n" +
         kScaleButton + language_table(models) + cards + "</section>\n";
}

}  // namespace sinkproof::report
