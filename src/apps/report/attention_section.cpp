#include "report/attention_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/config.hpp"
#include "report/chart/enclosure_map.hpp"
#include "report/overview.hpp"
#include "rounded/double.hpp"
#include "text/html.hpp"
#include "text/printable.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::fail;
using exact::Result;

constexpr std::size_t kMostBytes = std::size_t{2} << 30U;

// Of a head's weights [side, side] that begin at `start`: the largest in size of each stretch.
std::vector<double> shortened(const npy::Float64View& weights, std::size_t start, std::size_t side,
                              const std::vector<Stretch>& places) {
  std::vector<double> all(places.size() * places.size());
  for (std::size_t r = 0; r < places.size(); ++r) {
    for (std::size_t c = 0; c < places.size(); ++c) {
      double& most = all[r * places.size() + c];
      for (std::size_t q = places[r].first; q <= places[r].last; ++q) {
        for (std::size_t k = places[c].first; k <= places[c].last; ++k) {
          const double weight = weights[start + q * side + k];
          if (!std::isfinite(weight)) return {};
          if (std::abs(weight) > std::abs(most)) most = weight;
        }
      }
    }
  }
  return all;
}

// A map to draw, and the heads whose maps look like it.
struct Drawn {
  const HeadAttention* head;
  std::vector<const HeadAttention*> alike;
};

double difference(const HeadAttention& one, const HeadAttention& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.weights.size(); ++i) {
    most = std::max(most, std::abs(one.weights[i] - other.weights[i]));
  }
  return most;
}

double largest(const std::vector<HeadAttention>& heads) {
  double most = 0;
  for (const HeadAttention& head : heads) {
    for (const double weight : head.weights) most = std::max(most, std::abs(weight));
  }
  return most;
}

bool nearer(const HeadAttention& one, const HeadAttention& other, double level) {
  if (one.sequence != other.sequence || one.weights.size() != other.weights.size()) return false;
  return std::equal(one.weights.begin(), one.weights.end(), other.weights.begin(),
                    [&](double a, double b) { return std::abs(a - b) < level; });
}

// Alike are maps no weight of which differs by as much as a level of the colour bar.
std::vector<Drawn> drawn_once(const std::vector<HeadAttention>& heads) {
  const double level = largest(heads) / kLevels;
  std::vector<Drawn> drawn;
  std::size_t cells = 0;
  for (const HeadAttention& head : heads) {
    const auto same = std::find_if(drawn.begin(), drawn.end(), [&](const Drawn& one) {
      return nearer(*one.head, head, level);
    });
    if (same != drawn.end()) {
      same->alike.push_back(&head);
    } else if (cells == 0 || cells + head.weights.size() <= kMostCells) {
      drawn.push_back({&head, {}});
      cells += head.weights.size();
    }
  }
  return drawn;
}

std::string name_of(const HeadAttention& head) {
  return fmt::format("layer {}, head {}", head.layer, head.head);
}

std::string alike_words(const Drawn& drawn) {
  if (drawn.alike.empty()) return "";
  double most = 0;
  std::string names;
  for (const HeadAttention* other : drawn.alike) {
    names += (names.empty() ? "" : "; ") + name_of(*other);
    most = std::max(most, difference(*drawn.head, *other));
  }
  return fmt::format("similar to {}: no weight differs by more than ≈ {:.1g}", names, most);
}

// "0/3/5": what the page's script knows it by.
std::string place_of(const HeadAttention& head) {
  return fmt::format("{}/{}/{}", head.sequence, head.layer, head.head);
}

// Tokens where they are known, else positions.
Axis axis_of(const std::string& name, const HeadAttention& head,
             const std::vector<std::vector<std::string>>& texts) {
  Axis axis{name, {}};
  const bool known = head.sequence < texts.size() && !texts[head.sequence].empty();
  for (const Stretch& place : head.places) {
    const std::string number = stretch_name(place, 1);
    if (!known || place.first != place.last) {
      axis.labels.push_back(number);
      axis.spoken.push_back(number);
      continue;
    }
    const std::string& text = texts[head.sequence][place.first];
    axis.labels.push_back(text);
    axis.spoken.push_back(fmt::format("{} “{}”", number, text));
  }
  axis.words = known;
  return axis;
}

EnclosureMap map_of(const Drawn& drawn, const std::vector<std::vector<std::string>>& texts) {
  const HeadAttention& head = *drawn.head;
  const std::size_t side = head.places.size();
  EnclosureField field{side, side, {}};
  for (const double weight : head.weights) {
    const exact::Rational number = rounded::from_double(weight);
    field.cells.push_back({number, number});
  }
  std::string stands_for = place_of(head);
  for (const HeadAttention* const other : drawn.alike) stands_for += " " + place_of(*other);
  return {fmt::format("attention-{}{}-{}",
                      head.sequence == 0 ? "" : fmt::format("sequence-{}-", head.sequence),
                      head.layer, head.head),
          name_of(head),
          "a ≈",
          alike_words(drawn),
          axis_of("query", head, texts),
          axis_of("key", head, texts),
          std::move(field),
          {},
          true,
          std::move(stands_for)};
}

std::string select(const std::string& label, std::size_t count, bool all,
                   const std::vector<std::string>& words) {
  std::string options = all ? "<option value=\"\">all</option>" : "";
  for (std::size_t i = 0; i < count; ++i) {
    options += fmt::format("<option value=\"{0}\">{0}{1}</option>", i,
                           i < words.size() ? ": " + text::escape(words[i]) : "");
  }
  return fmt::format("<label>{} <select>{}</select></label>", label, options);
}

// How the sequences begin.
std::vector<std::string> beginnings(const std::vector<std::vector<std::string>>& texts) {
  constexpr std::size_t kShown = 40;  // bytes
  std::vector<std::string> all;
  for (const auto& tokens : texts) {
    std::string begin;
    for (const std::string& token : tokens) {
      if (begin.size() < kShown) begin += token;
    }
    all.push_back(text::one_line(begin, kShown));
  }
  return all;
}

std::string picker(const std::vector<HeadAttention>& heads,
                   const std::vector<std::vector<std::string>>& texts) {
  std::size_t layers = 0;
  std::size_t width = 0;
  for (const HeadAttention& head : heads) {
    layers = std::max(layers, head.layer + 1);
    width = std::max(width, head.head + 1);
  }
  return "<p class=\"picker\">" +
         select("Sequence", heads.back().sequence + 1, false, beginnings(texts)) +
         select("Layer", layers, true, {}) + select("Head", width, true, {}) +
         "</p>\n<p class=\"quiet nothing\" hidden=\"\">The page has no map of this choice: it "
         "draws as "
         "many as fit.</p>\n";
}

// The maps of one layer of one sequence.
struct LayerMaps {
  std::string title;
  std::string maps;
};

std::string group_markup(const LayerMaps& group) {
  return "<div class=\"group\"><h3>" + group.title + "</h3>\n<div class=\"maps multiples\">\n" +
         group.maps + "</div></div>\n";
}

}  // namespace

Result<std::vector<HeadAttention>> read_attention(const npy::Float64View& weights,
                                                  const std::string& where) {
  const std::size_t dimensions = weights.shape.size();
  if (dimensions < 4 || weights.shape[dimensions - 1] != weights.shape[dimensions - 2]) {
    return fail("SP2109", where,
                "is not [layer, head, q, k] or [sequence, layer, head, q, k] with as many q as k");
  }
  if (weights.data.size() > kMostBytes || weights.shape[dimensions - 4] > language::kMostLayers ||
      weights.shape[dimensions - 3] > language::kMostHeads) {
    return fail("SP2109", where, "is over 2 GiB, 512 layers or 1024 heads");
  }
  const std::size_t side = weights.shape.back();
  const std::size_t heads = weights.shape[dimensions - 3];
  const auto places = stretches(side, kMostSide);
  const std::size_t layers = weights.shape[dimensions - 4];
  const std::size_t sequences = dimensions == 4 ? 1 : weights.shape[dimensions - 5];
  std::vector<HeadAttention> all;
  for (std::size_t s = 0; s < sequences && (s == 0 || all.size() + layers * heads <= kMostRead);
       ++s) {
    for (std::size_t i = 0; i < layers * heads; ++i) {
      auto kept = shortened(weights, (s * layers * heads + i) * side * side, side, places);
      if (kept.empty()) return fail("SP2109", where, "a weight is not finite");
      all.push_back({s, i / heads, i % heads, places, std::move(kept)});
    }
  }
  return all;
}

std::string attention_section(const std::vector<HeadAttention>& heads,
                              const std::vector<std::vector<std::string>>& texts) {
  if (heads.empty()) return "";
  const auto drawn = drawn_once(heads);
  std::size_t shown = 0;
  std::vector<EnclosureMap> maps;
  for (const Drawn& one : drawn) {
    maps.push_back(map_of(one, texts));
    shown += 1 + one.alike.size();
  }
  std::vector<const EnclosureField*> fields;
  fields.reserve(maps.size());
  for (const EnclosureMap& map : maps) fields.push_back(&map.field);
  Shades shades = shades_of(fields);
  shades.decades_only = false;  // small weights always span decades: both scales are to be had
  std::string text =
      "<section id=\"attention-maps\">" + section_heading("Attention, estimated") +
      "<p>The attention of heads on given sequences, from the file given with --attention: "
      "estimates in double precision that no certificate covers. A row is a query, a column a key; "
      "where several keys share a cell, the largest weight is shown.<span class=\"enlarge\"> Click "
      "a map to enlarge it.</span>" +
      (shown < heads.size() ? fmt::format(" The page shows {} of {} maps.", shown, heads.size())
                            : "") +
      "</p>\n" + picker(heads, texts) +
      "<p class=\"scale\"><button type=\"button\" aria-pressed=\"false\">"
      "Logarithmic colours</button></p>\n" +
      shade_bars(shades, "attention weights");
  LayerMaps group;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const HeadAttention& head = *drawn[i].head;
    const std::string title =
        (heads.back().sequence > 0 ? fmt::format("Sequence {}, layer ", head.sequence)
                                   : std::string("Layer ")) +
        std::to_string(head.layer);
    if (title != group.title && !group.maps.empty()) text += group_markup(group);
    if (title != group.title) group = {title, ""};
    group.maps += enclosure_map(maps[i], shades);
  }
  return text + group_markup(group) + "</section>\n";
}

}  // namespace sinkproof::report
