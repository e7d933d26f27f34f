#include "report/checkpoint_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/attention.hpp"
#include "certificate/beside_bounds.hpp"
#include "report/attention_map.hpp"
#include "report/bound_tables.hpp"
#include "report/bound_text.hpp"
#include "report/card.hpp"
#include "report/chart/colour_scale.hpp"
#include "report/chart/heat_map.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/checkpoint_reading.hpp"
#include "report/checkpoint_table.hpp"
#include "report/facts.hpp"
#include "report/overview.hpp"
#include "report/status.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using accept::shows_bounds;
using exact::Result;
using text::escape;
using text::file_name;
using text::without_folders;

// CHECKPOINT_RULES.md, 4.2: the weight of key k in row i.
std::string weights_in_words(const std::string& attention) {
  static constexpr std::array<std::string_view, 5> kKernels = {"exp", "logistic", "elu + 1", "ReLU",
                                                               "the logit"};
  const certificate::AttentionKind* kind = certificate::find_attention(attention);
  if (kind == nullptr) return "";
  return fmt::format("{} over {}{}", kKernels[static_cast<std::size_t>(kind->kernel)],
                     kind->sinks        ? "its sum plus exp of a learned logit (null slot)"
                     : kind->null_slot  ? "1 plus its sum (null slot)"
                     : kind->normalised ? "its sum"
                                        : "i − 1",
                     kind->gated ? ", the output times a gate" : "");
}

std::string facts(const Checkpoint& head, const Input& input) {
  std::string overrides;
  for (const std::string& key : head.overrides) {
    overrides += (overrides.empty() ? "" : ", ") + escape(key);
  }
  std::string list = R"(<dl class="facts">)";
  list += fact("attention", fmt::format(R"({}<span class="file">{}</span>)", escape(head.attention),
                                        weights_in_words(head.attention)));
  if (head.num_layers > 1 || head.residual) {
    list += fact("layers", fmt::format("{}{}", head.num_layers, head.residual ? ", residual" : ""));
  }
  list += fact("logits", certificate::scale_text(head.scale).substr(std::string("logits ").size()));
  list += fact("heads", fmt::format("{}", head.num_heads));
  list += fact("d<sub>model</sub>", fmt::format("{}", head.d_model));
  list += fact("length L", fmt::format("{}", head.length));
  const auto [first, last] = head.triggers;
  if (first > 3 || (last != 0 && last < head.length)) {
    list += fact("triggers", fmt::format("{} to {}", first, last));
  }
  if (!head.box.empty()) list += fact("noise", escape(head.box));
  list += fact("semantics", escape(head.semantics));
  list += fact("certificate", fmt::format("<code>{}</code>", escape(file_name(input.path))));
  list += fact("evidence", escape(input.outcome.evidence));
  list += fact("model SHA-256", hash_text(head.sha256));
  if (!overrides.empty()) list += fact("overrides the file’s metadata", overrides);
  return list + "</dl>\n";
}

std::string plots(const Checkpoint& head) {
  std::string text;
  const auto add = [&](const char* heading, const std::string& plot) {
    if (!plot.empty()) text += fmt::format("<div><h4>{}</h4>\n{}</div>\n", heading, plot);
  };
  add("Loss", loss_plot(head.bounds));
  add("BOS attention", paid_plot(Paid::kBos, head.bounds, head.theorems));
  add("Null slot", paid_plot(Paid::kNull, head.bounds, head.theorems));
  add("Rollout on BOS", paid_plot(Paid::kRollout, head.bounds, head.theorems));
  if (text.empty()) return text;
  text = "<div class=\"pair\">\n" + text + "</div>\n";
  const bool implied =
      std::any_of(head.theorems.begin(), head.theorems.end(),
                  [](const Theorem& theorem) { return theorem.implied && !theorem.sampling; });
  return text + plot_key(implied);
}

// A map to draw, and those that look like it.
struct DrawnMap {
  NamedMap shown;
  std::vector<NamedMap> alike;
};

struct Maps {
  std::vector<DrawnMap> maps;
  ColourScale scale;
  bool negative = false;
  std::size_t shown = 0;  // those alike counted, too
  std::size_t left_out = 0;
};

// Beyond these a card would become heavy: cells in all of its maps, and maps; and cells that each
// carry a title.
constexpr std::size_t kMapCells = 60'000;
constexpr std::size_t kMaps = 32;
constexpr std::size_t kTitledCells = 4'000;

std::size_t cells(const AttentionMap& map) {
  return map.positions.size() * (map.positions.size() + 1) / 2;
}

std::string name_of(const Checkpoint& model, std::size_t layer, std::size_t head) {
  if (model.num_layers > 1) return fmt::format(", layer {}, head {}", layer, head);
  return model.num_heads > 1 ? fmt::format(", head {}", head) : "";
}

struct Witnessed {
  std::vector<NamedMap> maps;
  std::size_t left_out = 0;
};

// Of each witness the maps of all heads, or of the one its bound is about; the first ones that
// there is room for.
Result<Witnessed> witnessed(const Checkpoint& model, const std::filesystem::path& path) {
  const auto stack = load_stack(path, model);
  if (!stack) return tl::unexpected(stack.error());
  Witnessed all;
  std::size_t drawn = 0;
  for (const Bound& bound : model.bounds) {
    if (!bound.witness) continue;
    auto maps = attention_maps(*stack, *bound.witness);
    if (!maps) return tl::unexpected(maps.error());
    for (std::size_t at = 0; at < maps->size(); ++at) {
      const std::size_t layer = at / model.num_heads;
      const std::size_t head = at % model.num_heads;
      if (bound.head && (head != *bound.head || layer != bound.layer.value_or(0))) continue;
      drawn += cells((*maps)[at]);
      if (!all.maps.empty() && (all.maps.size() == kMaps || drawn > kMapCells)) {
        ++all.left_out;
      } else {
        const std::string name = bound.head ? "" : name_of(model, layer, head);
        all.maps.push_back({bound.name + name, std::move((*maps)[at])});
      }
    }
  }
  return all;
}

// Maps whose weights differ by less than a level of the colours are drawn once.
Result<Maps> maps_of(const Checkpoint& model, const std::filesystem::path& path) {
  auto all = witnessed(model, path);
  if (!all) return tl::unexpected(all.error());
  Maps drawn{{}, scale_of(all->maps), has_negative(all->maps), all->maps.size(), all->left_out};
  for (NamedMap& named : all->maps) {
    const auto same = std::find_if(drawn.maps.begin(), drawn.maps.end(), [&](const DrawnMap& one) {
      return difference(one.shown.map, named.map) < drawn.scale.largest / kLevels;
    });
    if (same == drawn.maps.end()) {
      drawn.maps.push_back({std::move(named), {}});
    } else {
      same->alike.push_back(std::move(named));
    }
  }
  return drawn;
}

std::string without_maps(const std::string& why) {
  return fmt::format(
      "<h4>Attention on the witnesses</h4>\n<p class=\"quiet\">No heat maps: {}.</p>\n", why);
}

std::string drawn_maps(const Maps& maps) {
  std::string text =
      "<p class=\"scale\"><button type=\"button\" aria-pressed=\"false\">Logarithmic colours"
      "</button></p>\n" +
      legends(maps.scale, maps.negative);
  text += R"(<p class="key"><span><i class="box sink"></i>sink column (BOS)</span>)"
          R"(<span><i class="box trigger"></i>trigger row and column</span>)"
          "<span>▸ witness row</span></p>\n<div class=\"maps\">\n";
  std::size_t drawn = 0;
  for (const DrawnMap& one : maps.maps) drawn += cells(one.shown.map);
  const Titles titles = drawn > kTitledCells ? Titles::kRows : Titles::kCells;
  for (const auto& [shown, alike] : maps.maps) {
    text += heat_map(shown.map, maps.scale, shown.name, titles, alike);
  }
  return text + "</div>\n";
}

std::string map_grid(const Checkpoint& head, const Input& input) {
  if (!input.model) return without_maps("the model’s file was not given");
  const auto maps = maps_of(head, *input.model);
  if (!maps) {
    return without_maps(fmt::format("{} ({}: {})", escape(file_name(*input.model)),
                                    maps.error().code, escape(without_folders(maps.error().what))));
  }
  if (maps->maps.empty()) return without_maps("no property has a witness of its own");
  std::string text = fmt::format(
      "<h4>Attention on the witnesses</h4>\n<p class=\"quiet\">Row i attends to keys k ≤ i. "
      "Computed in double precision from <code>{}</code>: estimates, not bounds.{} "
      "<span class=\"enlarge\">Point at a cell, or use the arrow keys on a map, to read "
      "its weight; click, or press Enter, to enlarge the map.</span></p>\n",
      escape(file_name(*input.model)),
      maps->left_out > 0 ? fmt::format(" The first {} of {} maps are drawn.", maps->shown,
                                       maps->shown + maps->left_out)
                         : "");
  return text + drawn_maps(*maps);
}

std::string given_table(const std::string& heading, const std::vector<Given>& all) {
  if (all.empty()) return "";
  std::string rows;
  for (const Given& given : all) {
    rows += fmt::format(
        "<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escape(given.name), escape(given.words), down(given.lower),
        given.upper ? up(*given.upper) : "none known");
  }
  return "<h4>" + heading +
         "</h4>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + heading +
         "\"><table>\n<thead><tr><th scope=\"col\">property</th>"
         "<th scope=\"col\">what</th><th scope=\"col\">at least</th>"
         "<th scope=\"col\">at most</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
}

// What samples show of random inputs.
std::string random_table(const Checkpoint& head) {
  if (head.random.empty()) return "";
  std::string rows;
  for (const Random& random : head.random) {
    rows += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td><td>{}</td></tr>\n",
                        escape(random.name), escape(random.words), up(random.delta));
  }
  return "<h4>At random inputs: statistical</h4>\n<div class=\"scroll\" tabindex=\"0\" "
         "role=\"group\" aria-label=\"At random inputs\"><table>\n<thead><tr>"
         "<th scope=\"col\">property</th><th scope=\"col\">event</th>"
         "<th scope=\"col\">probability at most</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
}

std::string card(const Checkpoint& head, const Input& input, const std::string& name,
                 std::size_t number) {
  std::string text = card_head(input, name, card_anchor(number)) + facts(head, input);
  text += checker_words(input);
  text += required(input);
  if (!head.bounds.empty()) text += bound_table(head, input.outcome) + plots(head);
  text += given_table("Largest boxes", head.largest_boxes) + theorem_table(head, input.outcome) +
          given_table("At the given inputs", head.given) + random_table(head);
  if (!head.bounds.empty()) text += map_grid(head, input);
  return text + "</article>\n";
}

}  // namespace

std::string card_anchor(std::size_t number) { return fmt::format("checkpoint-{}", number); }

Result<CheckpointSection> checkpoint_section(const std::vector<const Input*>& inputs,
                                             const Names& names, const Options& options) {
  if (inputs.empty()) return CheckpointSection{};
  std::string section =
      "<section id=\"checkpoints\">" + section_heading("Checkpoints") +
      "<p>Bounds for one set of trained weights and all inputs of the task at the stated length. "
      "One number of each line is proved for all inputs; a concrete input attains the other.</p>\n";
  std::string cards;
  std::vector<Compared> accepted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = *inputs[i];
    if (!shows_bounds(input.outcome)) {
      cards += unaccepted_card(input, names.at(&input), card_anchor(i + 1));
      continue;
    }
    auto head = read_checkpoint(input.certificate, file_name(input.path));
    if (!head) return tl::unexpected(head.error());
    cards += card(*head, input, names.at(&input), i + 1);
    accepted.push_back({names.at(&input), card_anchor(i + 1), &input, std::move(*head)});
  }
  return CheckpointSection{checkpoint_table(accepted, options), section + cards + "</section>\n"};
}

}  // namespace sinkproof::report
