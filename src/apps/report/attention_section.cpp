#include "report/attention_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "language/config.hpp"
#include "report/chart/enclosure_map.hpp"
#include "report/overview.hpp"
#include "rounded/double.hpp"

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

// Alike are maps no weight of which differs by as much as a level of the colour bar.
std::vector<Drawn> drawn_once(const std::vector<HeadAttention>& heads) {
  const double level = largest(heads) / kLevels;
  std::vector<Drawn> drawn;
  for (const HeadAttention& head : heads) {
    const auto same = std::find_if(drawn.begin(), drawn.end(), [&](const Drawn& one) {
      return difference(*one.head, head) < level;
    });
    if (same != drawn.end()) {
      same->alike.push_back(&head);
    } else if (drawn.size() < kMostMaps) {
      drawn.push_back({&head, {}});
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

EnclosureMap map_of(const Drawn& drawn) {
  const HeadAttention& head = *drawn.head;
  const std::size_t side = head.places.size();
  EnclosureField field{side, side, {}};
  for (const double weight : head.weights) {
    const exact::Rational number = rounded::from_double(weight);
    field.cells.push_back({number, number});
  }
  std::vector<std::string> labels;
  for (const Stretch& place : head.places) labels.push_back(stretch_name(place, 1));
  return {fmt::format("attention-{}-{}", head.layer, head.head),
          name_of(head),
          "a ≈",
          alike_words(drawn),
          {"row", labels},
          {"key", labels},
          std::move(field),
          {},
          true};
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
  std::vector<HeadAttention> all;
  for (std::size_t l = 0; l < weights.shape[dimensions - 4]; ++l) {
    for (std::size_t h = 0; h < heads; ++h) {
      auto kept = shortened(weights, (l * heads + h) * side * side, side, places);
      if (kept.empty()) return fail("SP2109", where, "a weight is not finite");
      all.push_back({l, h, places, std::move(kept)});
    }
  }
  return all;
}

std::string attention_section(const std::vector<HeadAttention>& heads) {
  if (heads.empty()) return "";
  const auto drawn = drawn_once(heads);
  std::size_t shown = 0;
  std::vector<EnclosureMap> maps;
  for (const Drawn& one : drawn) {
    maps.push_back(map_of(one));
    shown += 1 + one.alike.size();
  }
  std::vector<const EnclosureField*> fields;
  fields.reserve(maps.size());
  for (const EnclosureMap& map : maps) fields.push_back(&map.field);
  Shades shades = shades_of(fields);
  shades.decades_only = false;  // small weights always span decades: both scales are to be had
  std::string text =
      "<section id=\"attention-maps\">" + section_heading("Attention, estimated") +
      "<p>The attention of heads on one sequence, from the file given with --attention: estimates "
      "in double precision that no certificate covers. Row i attends to key k; where several keys "
      "share a cell, the largest weight is shown." +
      (shown < heads.size() ? fmt::format(" The page shows {} of {} heads.", shown, heads.size())
                            : "") +
      "</p>\n<p class=\"scale\"><button type=\"button\" aria-pressed=\"false\">"
      "Logarithmic colours</button></p>\n" +
      shade_bars(shades, "attention weights") + "<div class=\"maps\">\n";
  for (const EnclosureMap& map : maps) text += enclosure_map(map, shades);
  return text + "</div>\n</section>\n";
}

}  // namespace sinkproof::report
