#include "report/variant_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "accept/accept.hpp"
#include "certificate/beside_bounds.hpp"
#include "claim/claim.hpp"
#include "report/chart/svg_text.hpp"
#include "report/checkpoint_reading.hpp"
#include "report/checkpoint_section.hpp"
#include "report/claim_words.hpp"
#include "report/overview.hpp"
#include "report/proof_links.hpp"
#include "report/status.hpp"
#include "report/trained_bounds.hpp"
#include "rounded/double.hpp"
#include "text/html.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

using accept::Standing;
using accept::standing_of;
using claim::Sink;
using claim::Variant;
using exact::Rational;
using exact::Result;
using text::escape;
using text::file_name;

constexpr unsigned kVariantDigits = 5;

// A chip says what the claim says; it is not a verdict and does not look like one (status.hpp).
// Each has a shape of its own.
std::string sink_chip(Sink sink) {
  std::string_view css = "limit";
  std::string_view icon = R"(<path d="M2 3c1 8 4 10 12 10"/><path d="M2 15h12" class="dash"/>)";
  if (sink == Sink::kNecessary) {
    css = "necessary";
    icon = R"(<path d="M8 2v10M4 8l4 4 4-4M2 15h12"/>)";
  } else if (sink == Sink::kAvoidableExactly) {
    css = "exactly";
    icon = R"(<path d="M2 8h12M2 15h12"/>)";
  }
  return fmt::format(
      R"(<span class="chip {}"><svg viewBox="0 0 16 16" aria-hidden="true">{}</svg>{}</span>)", css,
      icon, escape(claim::to_string(sink)));
}

// An accepted checkpoint certificate, and the number of its card.
struct Trained {
  std::string stem;
  std::size_t card = 0;
  Checkpoint checkpoint;
};

Result<std::vector<Trained>> accepted_checkpoints(const std::vector<const Input*>& inputs) {
  std::vector<Trained> accepted;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Input& input = *inputs[i];
    if (standing_of(input.outcome) != Standing::kAccepted) continue;
    auto checkpoint = read_checkpoint(input.certificate, file_name(input.path));
    if (!checkpoint) return tl::unexpected(checkpoint.error());
    accepted.push_back({input.path.stem().string(), i + 1, std::move(*checkpoint)});
  }
  return accepted;
}

// ---- the drawn interval, on an axis from 0 to 1 that all rows share

constexpr double kLeft = 14;
constexpr double kRight = 206;
constexpr double kMiddle = 12;

// Further off the axis than a pixel shows.
bool is_off(const Rational& value) {
  constexpr double kPixel = 1 / (kRight - kLeft);
  const double x = rounded::to_double_estimate(value);
  return x < -kPixel || x > 1 + kPixel;
}

double place(const Rational& value) {
  return kLeft + rounded::to_double_estimate(value) * (kRight - kLeft);
}

std::string axis_lines() {
  std::string lines;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double x = kLeft + share * (kRight - kLeft);
    const bool labelled = share == 0.0 || share == 0.5 || share == 1.0;
    lines += fmt::format(R"(<path class="grid" d="M{} 3V21"/>)", x);
    if (!labelled) continue;
    lines += fmt::format(R"(<text x="{}" y="34" text-anchor="middle">{}</text>)", x, share);
  }
  return lines;
}

// One end of the interval: a bracket at the certified value, an arrow where that is off the axis,
// nothing but the dashed line's end where nothing is certified.
std::string end_mark(const std::optional<Rational>& value, int outward) {
  if (!value) return "";
  if (is_off(*value)) {
    const double x = *value < 0 ? kLeft : kRight;
    const int to = *value < 0 ? -1 : 1;
    return fmt::format(R"(<path class="proved" d="M{} {}l{} 5 {} 5"/>)", x + 5 * to, kMiddle - 5,
                       5 * to, -5 * to);
  }
  return fmt::format(R"(<path class="proved" d="M{0:.1f} {1}h{2}v14h{3}"/>)",
                     std::clamp(place(*value), kLeft, kRight) - 4 * outward, kMiddle - 7,
                     4 * outward, -4 * outward);
}

std::string interval_line(const TrainedBounds& bounds) {
  const auto clamped = [](const Rational& value) {
    const double beyond = is_off(value) ? 9 : 0;
    return std::clamp(place(value), kLeft - beyond, kRight + beyond);
  };
  const double from = bounds.floor ? clamped(*bounds.floor) : kLeft;
  const double to = bounds.ceiling ? clamped(*bounds.ceiling) : kRight;
  const bool both = bounds.floor && bounds.ceiling;
  return fmt::format(R"(<path class="{}" d="M{:.1f} {}H{:.1f}"/>)", both ? "span" : "span half",
                     from, kMiddle, to);
}

// What an end that is off the axis or open means, for anyone who does not see the drawing.
std::string spoken(const TrainedBounds& bounds) {
  std::string text =
      "Certified BOS attention before the trigger " +
      range_text(bounds.floor, bounds.ceiling, kVariantDigits, "at least", "at most");
  if (!bounds.ceiling) text += "; no upper bound certified";
  if (!bounds.floor) text += "; no lower bound certified";
  const bool off = (bounds.floor && *bounds.floor < 0) || (bounds.ceiling && *bounds.ceiling > 1);
  return text + (off ? "; reaches beyond the axis from 0 to 1" : "; axis from 0 to 1");
}

std::string interval(const TrainedBounds& bounds) {
  if (!bounds.floor && !bounds.ceiling) return "";
  const SvgText text{"Certified BOS attention before the trigger", spoken(bounds)};
  return fmt::format(R"(<svg class="interval" viewBox="0 0 220 38"{}>{}{}{}{}{}</svg>)",
                     svg_role(text), svg_words(text), axis_lines(), interval_line(bounds),
                     end_mark(bounds.floor, -1), end_mark(bounds.ceiling, 1));
}

std::string number_line(const std::string& what, const std::string& range) {
  if (range.empty()) return "";
  return fmt::format(R"(<span class="side">{} <span class="num">{}</span></span>)", what, range);
}

std::string trained_text(const Trained& trained) {
  const TrainedBounds bounds = trained_bounds(trained.checkpoint);
  const auto range = [](const auto& floor, const auto& ceiling) {
    return escape(range_text(floor, ceiling, kVariantDigits, "≥", "≤"));
  };
  std::string text = interval(bounds);
  text += number_line("BOS before the trigger", range(bounds.floor, bounds.ceiling));
  text +=
      number_line("null slot before the trigger", range(bounds.null_floor, bounds.null_ceiling));
  text += number_line("loss", range(std::nullopt, bounds.loss));
  const Checkpoint& model = trained.checkpoint;
  if (const auto reading = certificate::reading_text(model.overrides, model.scale);
      !reading.empty()) {
    text += fmt::format(R"(<span class="side">{}</span>)", escape(reading));
  }
  return text +
         fmt::format(R"(<a class="file" href="#{}">{}: {}d_model {}, L = {}</a>)",
                     card_anchor(trained.card), escape(trained.stem),
                     model.num_heads == 1 ? "" : text::counted(model.num_heads, "head") + ", ",
                     model.d_model, model.length);
}

std::string without_checkpoint(const Variant& variant, const std::string& why) {
  return fmt::format(R"(<span class="file">{}: {}</span>)", escape(variant.trained), why);
}

std::string trained_cell(const Variant& variant, const std::vector<Trained>& accepted) {
  if (variant.trained.empty()) return "—";
  const auto found = std::find_if(accepted.begin(), accepted.end(), [&](const Trained& trained) {
    return trained.stem == variant.trained;
  });
  if (found == accepted.end()) {
    return without_checkpoint(variant, "no accepted certificate of this name on this page");
  }
  const std::string& attention = found->checkpoint.attention;
  if (!variant.attention.empty() && attention != variant.attention) {
    return without_checkpoint(variant, "its attention is " + escape(attention) + ", not this one");
  }
  return trained_text(*found);
}

// ---- the table

std::string evidence_cell(const Variant& variant, const claim::Claim& words,
                          const Options& options) {
  std::string cell;
  for (const std::string& name : variant.says) {
    if (name.find('.') != std::string::npos) continue;  // a step's file, named below
    cell += fmt::format(R"(<span class="side">theorem <code>{}</code></span>)", escape(name));
  }
  for (const claim::Step& step : words.steps) {
    const auto& names = variant.evidence;
    if (std::count(names.begin(), names.end(), step.name) == 0) continue;
    cell += fmt::format(R"(<code class="file">{}</code>)",
                        proof_link(options, words.id, step.file, true, escape(step.file)));
  }
  return cell;
}

std::string variant_row(const Variant& variant, const claim::Claim& words,
                        const std::vector<Trained>& accepted, const Options& options) {
  std::string kind;
  if (!variant.attention.empty()) {
    kind = fmt::format(R"(<code class="file">{}</code>)", escape(variant.attention));
  }
  return fmt::format(
      "<tr><th scope=\"row\">{}{}</th><td data-label=\"A sink is\">{}</td>"
      "<td data-label=\"Bound\">{}</td><td data-label=\"Evidence\">{}</td>"
      "<td data-label=\"Trained and certified\">{}</td></tr>\n",
      escape(variant.name), kind, sink_chip(variant.sink), escape(variant.bound),
      evidence_cell(variant, words, options), trained_cell(variant, accepted));
}

std::string map_table(const claim::Claim& words, const std::vector<Trained>& accepted,
                      const Options& options) {
  std::string table = fmt::format(
      "<h3>{}: {}</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Map of "
      "variants\"><table class=\"variants stack\"><thead><tr>"
      "<th scope=\"col\">Variant</th><th scope=\"col\">A sink is</th><th scope=\"col\">Bound</th>"
      "<th scope=\"col\">Evidence</th><th scope=\"col\">Trained and certified</th></tr></thead>"
      "<tbody>\n",
      escape(words.id), escape(words.title));
  for (const Variant& variant : words.variants) {
    table += variant_row(variant, words, accepted, options);
  }
  return table + "</tbody></table></div>\n";
}

}  // namespace

Result<std::string> variant_section(const std::vector<const Input*>& theory,
                                    const std::vector<const Input*>& checkpoints,
                                    const Options& options) {
  std::string tables;
  const auto accepted = accepted_checkpoints(checkpoints);
  if (!accepted) return tl::unexpected(accepted.error());
  for (const Input* input : theory) {
    if (standing_of(input->outcome) != Standing::kAccepted) continue;
    const auto words = words_of(input->certificate, options);
    if (words && !words->variants.empty()) tables += map_table(*words, *accepted, options);
  }
  if (tables.empty()) return "";
  return "<section id=\"variants\">" + section_heading("Map of variants") +
         "<p>Which kinds of attention need a sink: what is proved for every model of a kind, and "
         "the certified range of BOS attention before the trigger in one trained checkpoint. A "
         "dashed line is certified at one end only.</p>\n" +
         tables + "</section>\n";
}

}  // namespace sinkproof::report
