#include "report/vector_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "accept/accept.hpp"
#include "report/card.hpp"
#include "report/cost_block.hpp"
#include "report/cost_family.hpp"
#include "report/cost_findings.hpp"
#include "report/facts.hpp"
#include "report/margin_block.hpp"
#include "report/overview.hpp"
#include "report/smoothing_block.hpp"
#include "report/switch_block.hpp"
#include "report/vector_file.hpp"
#include "report/vector_reading.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using exact::Result;
using text::escape;
using text::file_name;
using text::without_folders;

// A certificate whose outcome shows bounds, read.
struct Card {
  Vectors vectors;
  std::optional<VectorFile> file;
  std::string no_file;  // why there is none, as markup
  std::vector<CostFinding> costs;
};

void load_file(const Input& input, Card& card) {
  if (!input.model) {
    card.no_file = "the vectors’ file was not given";
    return;
  }
  auto file = load_vectors(*input.model, card.vectors);
  if (file) {
    card.file = std::move(*file);
    return;
  }
  card.no_file = fmt::format("{} ({}: {})", escape(file_name(*input.model)), file.error().code,
                             escape(without_folders(file.error().what)));
}

Result<Card> read_card(const Input& input) {
  const std::string name = file_name(input.path);
  auto vectors = read_vectors(input.certificate, name);
  if (!vectors) return tl::unexpected(vectors.error());
  Card card{std::move(*vectors), {}, "", {}};
  load_file(input, card);
  auto costs = find_costs(card.vectors, card.file ? &*card.file : nullptr, name);
  if (!costs) return tl::unexpected(costs.error());
  card.costs = std::move(*costs);
  return card;
}

std::string head_text(const certificate::HeadSource& head) {
  return fmt::format("{} of {}{}", head.head, head.num_heads,
                     head.prefix.empty() ? "" : ", " + escape(head.prefix));
}

std::string facts(const Card& card, const Input& input) {
  const certificate::VectorSource& vectors = card.vectors.source;
  std::string list = R"(<dl class="facts">)";
  list += fact("tensor", fmt::format("<code>{}</code>", escape(vectors.tensor)));
  if (card.file) {
    list += fact("shape", fmt::format("{} × {}", card.file->count, card.file->width));
  }
  list += fact("vectors", vectors.head ? "values of head " + head_text(*vectors.head)
                                       : std::string("the rows themselves"));
  list += fact("evidence", escape(input.outcome.evidence));
  list += fact("input SHA-256", hash_text(vectors.sha256));
  if (vectors.head) list += fact("head’s SHA-256", hash_text(vectors.head->sha256));
  list += "</dl>\n";
  if (!card.no_file.empty()) {
    list += fmt::format("<p class=\"quiet\">The file was not read: {}.</p>\n", card.no_file);
  }
  if (card.file && !card.file->instance.empty()) {
    list += fmt::format(
        "<p class=\"quiet\">How the file was made, as it states itself (not verified): "
        "<code>{}</code></p>\n",
        escape(card.file->instance));
  }
  return list;
}

std::string card_text(const Card& card, const Input& input, const std::string& name,
                      std::size_t number) {
  std::string text = card_head(input, name, vector_anchor(number + 1)) + facts(card, input);
  text += checker_words(input);
  text += cost_block(card.costs, input.outcome) + margin_block(card.vectors, input.outcome);
  text += switch_block(card.vectors, vector_anchor(number + 1), input.outcome);
  text += smoothing_block(card.vectors, card.file ? card.file->count : 0, vector_anchor(number + 1),
                          input.outcome);
  return text + "</article>\n";
}

std::vector<CostPoint> points_of(const std::vector<std::optional<Card>>& cards,
                                 const std::vector<const Input*>& inputs) {
  std::vector<CostPoint> points;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (!cards[i]) continue;
    for (const CostFinding& finding : cards[i]->costs) {
      points.push_back({&finding, vector_anchor(i + 1), file_name(inputs[i]->path)});
    }
  }
  return points;
}

}  // namespace

std::string vector_anchor(std::size_t number) { return fmt::format("vectors-{}", number); }

Result<std::string> vector_section(const std::vector<const Input*>& inputs, const Names& names) {
  if (inputs.empty()) return "";
  std::vector<std::optional<Card>> cards;
  std::string texts;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    cards.emplace_back();
    if (!shows_bounds(inputs[i]->outcome)) {
      texts += unaccepted_card(*inputs[i], names.at(inputs[i]), vector_anchor(i + 1));
      continue;
    }
    auto card = read_card(*inputs[i]);
    if (!card) return tl::unexpected(card.error());
    texts += card_text(*card, *inputs[i], names.at(inputs[i]), i);
    cards.back() = std::move(*card);
  }
  return "<section id=\"vectors\">" + section_heading("Given vectors") +
         "<p>Exact statements about given vectors: embeddings, the inputs of a layer, or the "
         "values of a head. They hold for the stored numbers and do not cover other inputs.</p>\n" +
         cost_families(points_of(cards, inputs)) + texts + "</section>\n";
}

}  // namespace sinkproof::report
