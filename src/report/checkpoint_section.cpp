#include "report/checkpoint_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/attention_map.hpp"
#include "report/bound_tables.hpp"
#include "report/checkpoint_reading.hpp"
#include "report/colour_scale.hpp"
#include "report/heat_map.hpp"
#include "report/html_text.hpp"
#include "report/interval_plot.hpp"
#include "report/status.hpp"

namespace sinkproof::report {
namespace {

using exact::Result;

std::string fact(const std::string& name, const std::string& markup) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, markup);
}

std::string facts(const Checkpoint& head, const Input& input) {
  std::string overrides;
  for (const std::string& key : head.overrides) {
    overrides += (overrides.empty() ? "" : ", ") + escape(key);
  }
  std::string list = R"(<dl class="facts">)";
  list += fact("attention", escape(head.attention));
  list += fact("d<sub>model</sub>", fmt::format("{}", head.d_model));
  list += fact("length L", fmt::format("{}", head.length));
  list += fact("semantics", escape(head.semantics));
  list += fact("evidence", escape(input.outcome.evidence));
  list +=
      fact("model SHA-256", fmt::format(R"(<code class="hash" tabindex="0" title="{0}">{0}</code>)",
                                        escape(head.sha256)));
  if (!overrides.empty()) list += fact("read against the file’s own", overrides);
  return list + "</dl>\n";
}

std::string plots(const Checkpoint& head) {
  std::string text;
  if (const std::string losses = loss_plot(head.bounds); !losses.empty()) {
    text += "<h4>Loss</h4>\n" + losses;
  }
  if (const std::string bos = bos_plot(head.bounds, head.theorems); !bos.empty()) {
    text += "<h4>BOS attention</h4>\n" + bos;
  }
  if (text.empty()) return text;
  const bool implied =
      std::any_of(head.theorems.begin(), head.theorems.end(),
                  [](const Theorem& theorem) { return theorem.implied.has_value(); });
  text += fmt::format(R"(<p class="key"><span>{}{} attained by an exact input</span>)"
                      "<span>{}{} proved for all inputs</span>",
                      attained_sign(Side::kLower), attained_sign(Side::kUpper),
                      proved_sign(Side::kLower), proved_sign(Side::kUpper));
  if (implied) text += fmt::format("<span>{} floor a theorem implies</span>", implied_sign());
  return text + "</p>\n";
}

struct NamedMap {
  std::string name;
  AttentionMap map;
};

double largest_weight(const std::vector<NamedMap>& maps) {
  double largest = 0;
  for (const NamedMap& named : maps) {
    for (const auto& row : named.map.weights) {
      largest = std::max(largest, *std::max_element(row.begin(), row.end()));
    }
  }
  return largest;
}

Result<std::vector<NamedMap>> attention_maps(const Checkpoint& head,
                                             const std::filesystem::path& model) {
  const auto weights = load_head(model, head);
  if (!weights) return tl::unexpected(weights.error());
  std::vector<NamedMap> maps;
  for (const Bound& bound : head.bounds) {
    if (!bound.witness) continue;
    auto map = attention_map(*weights, *bound.witness);
    if (!map) return tl::unexpected(map.error());
    maps.push_back({bound.name, std::move(*map)});
  }
  return maps;
}

std::string without_maps(const std::string& why) {
  return fmt::format(
      "<h4>Attention on the witnesses</h4>\n<p class=\"quiet\">No heat maps: {}.</p>\n", why);
}

std::string map_grid(const Checkpoint& head, const Input& input) {
  if (!input.model) return without_maps("the model’s file was not given");
  const auto maps = attention_maps(head, *input.model);
  if (!maps) {
    return without_maps(fmt::format("{} ({}: {})", escape(file_name(*input.model)),
                                    maps.error().code, escape(without_folders(maps.error().what))));
  }
  if (maps->empty()) return without_maps("no property has a witness of its own");
  const ColourScale scale = scale_for(largest_weight(*maps));
  std::string text = fmt::format(
      "<h4>Attention on the witnesses</h4>\n<p class=\"quiet\">Row i attends to keys k ≤ i. "
      "Computed in double precision from <code>{}</code>: estimates, not bounds. "
      "<span class=\"enlarge\">Click a map, or press Enter on it, to enlarge it.</span></p>\n",
      escape(file_name(*input.model)));
  text += legend(scale);
  text += R"(<p class="key"><span><i class="box sink"></i>sink column (BOS)</span>)"
          R"(<span><i class="box trigger"></i>trigger row and column</span>)"
          "<span>▸ witness row</span></p>\n<div class=\"maps\">\n";
  for (const NamedMap& named : *maps) text += heat_map(named.map, scale, named.name);
  return text + "</div>\n";
}

std::string title(const Input& input) {
  return fmt::format("<article class=\"card\">\n<h3>{} {}</h3>\n", escape(file_name(input.path)),
                     verdict_badge(input.outcome));
}

std::string unaccepted_card(const Input& input) {
  const std::string reasons = reasons_text(input.outcome);
  return title(input) +
         fmt::format(
             "<p>{}</p>\n<p class=\"quiet\">The checker did not accept this certificate; "
             "its bounds are not shown.</p>\n</article>\n",
             reasons.empty() ? "No reason was given." : reasons);
}

Result<std::string> card(const Input& input) {
  if (!shows_bounds(status_of(input.outcome))) return unaccepted_card(input);
  const auto head = read_checkpoint(input.certificate, file_name(input.path));
  if (!head) return tl::unexpected(head.error());
  std::string text = title(input) + facts(*head, input);
  if (const std::string reasons = reasons_text(input.outcome); !reasons.empty()) {
    text += fmt::format("<p class=\"quiet\">Checker: {}.</p>\n", reasons);
  }
  text += bound_table(*head, input.outcome) + plots(*head);
  text += theorem_table(*head, input.outcome) + map_grid(*head, input);
  return text + "</article>\n";
}

}  // namespace

Result<std::string> checkpoint_section(const std::vector<const Input*>& inputs) {
  if (inputs.empty()) return "";
  std::string section =
      "<section id=\"checkpoints\"><h2>Checkpoints</h2>\n"
      "<p>Bounds for one set of trained weights, for all inputs of the task at the stated length: "
      "one side is proved for every input, the other attained by an exact one.</p>\n";
  for (const Input* input : inputs) {
    const auto text = card(*input);
    if (!text) return tl::unexpected(text.error());
    section += *text;
  }
  return section + "</section>\n";
}

}  // namespace sinkproof::report
