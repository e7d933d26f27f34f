#include "report/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "accept/accept.hpp"
#include "report/attention_map.hpp"
#include "report/bound_text.hpp"
#include "report/chart/colour_scale.hpp"
#include "report/chart/heat_map.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/checkpoint_reading.hpp"
#include "report/checkpoint_section.hpp"
#include "report/names.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using exact::Result;
using text::escape;
using text::file_name;

struct Finding {
  const Input* input;
  std::string name;
  std::string card;
  Checkpoint head;
  Bound bound;
  std::optional<Theorem> theorem;
};

// The certified floor that a theorem's entry speaks of.
const Bound* floor_of(const Theorem& theorem, const Checkpoint& head) {
  const auto found = std::find_if(head.bounds.begin(), head.bounds.end(), [&](const Bound& bound) {
    return bound.is_floor && bound.paid == theorem.paid && bound.lower == theorem.certified;
  });
  return found == head.bounds.end() ? nullptr : &*found;
}

// What is forced most of this model; of none, its loss.
std::optional<std::pair<Bound, std::optional<Theorem>>> telling(const Checkpoint& head) {
  std::optional<std::pair<Bound, std::optional<Theorem>>> best;
  for (const Theorem& theorem : head.theorems) {
    const Bound* floor = theorem.implied && !theorem.sampling ? floor_of(theorem, head) : nullptr;
    if (floor != nullptr && (!best || *theorem.implied > *best->second->implied)) {
      best = {*floor, theorem};
    }
  }
  for (const Bound& bound : head.bounds) {
    if (!best && bound.is_loss) best = {bound, std::nullopt};
  }
  return best;
}

// More is forced of the one than of the other.
bool stronger(const Finding& one, const Finding& other) {
  if (!one.theorem || !other.theorem) return one.theorem && !other.theorem;
  return *one.theorem->implied > *other.theorem->implied;
}

Result<std::optional<Finding>> strongest(const std::vector<const Input*>& checkpoints) {
  std::optional<Finding> best;
  const std::vector<std::string> names = names_of(checkpoints);
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    const Input& input = *checkpoints[i];
    if (accept::standing_of(input.outcome) != accept::Standing::kAccepted) continue;
    auto head = read_checkpoint(input.certificate, file_name(input.path));
    if (!head) return tl::unexpected(head.error());
    auto told = telling(*head);
    if (!told) continue;
    Finding found{&input,           names[i],    card_anchor(i + 1),
                  std::move(*head), told->first, told->second};
    if (!best || stronger(found, *best)) best = std::move(found);
  }
  return best;
}

std::string rows_words(const std::string& name) {
  if (name.find(".pre") != std::string::npos) return "in every row before the trigger";
  if (name.find(".trigger") != std::string::npos) return "in the trigger’s row";
  if (name.find(".post") != std::string::npos) return "in every row after the trigger";
  return "in every row";
}

std::string headline(const Finding& found) {
  if (!found.theorem) {
    return fmt::format("“{}” is wrong by at most {} {}, whatever the input", escape(found.name),
                       up(found.bound.upper), rows_words(found.bound.name));
  }
  return fmt::format("“{}” gives BOS at least {} of its attention {}, whatever the input",
                     escape(found.name), down(found.bound.lower), rows_words(found.bound.name));
}

std::string scope(const Finding& found) {
  return fmt::format(
      "<p>Proved for every input of the trigger task at length {}{}; an exact input attains {}. "
      "<a href=\"#{}\">All of its bounds</a>.</p>\n",
      found.head.length, found.head.box.empty() ? "" : ", noise in " + escape(found.head.box),
      found.bound.is_floor ? up(found.bound.upper) : down(found.bound.lower), found.card);
}

std::string forced(const Finding& found) {
  if (!found.theorem) {
    return "<p>No theorem on this page forces a sink on it.</p>\n";
  }
  const Theorem& theorem = *found.theorem;
  return fmt::format(
      "<p><strong>What the theorem forces.</strong> Its loss is at most {}, and so small a loss "
      "forces at least {} by {}, which has a certificate of its own.</p>\n",
      up(theorem.eta), down(*theorem.implied), escape(theorem.claim));
}

std::string plot(const Finding& found) {
  std::vector<Theorem> theorems;
  if (found.theorem) theorems.push_back(*found.theorem);
  return found.bound.is_loss ? loss_plot({found.bound})
                             : paid_plot(found.bound.paid, {found.bound}, theorems);
}

// The layer and head the bound speaks of; of all, the first.
std::string picture(const Finding& found) {
  if (!found.input->model || !found.bound.witness) return "";
  const auto stack = load_stack(*found.input->model, found.head);
  if (!stack) return "";
  const auto maps = attention_maps(*stack, *found.bound.witness);
  if (!maps || maps->empty()) return "";
  const std::size_t at =
      found.bound.layer.value_or(0) * found.head.num_heads + found.bound.head.value_or(0);
  std::vector<NamedMap> shown{{found.bound.name, maps->at(at)}};
  const ColourScale scale = scale_of(shown);
  return "<div class=\"picture\">\n" + legends(scale, has_negative(shown)) +
         heat_map(shown.front().map, scale, found.bound.name) + "</div>\n";
}

}  // namespace

Result<std::string> finding(const std::vector<const Input*>& checkpoints) {
  const auto found = strongest(checkpoints);
  if (!found) return tl::unexpected(found.error());
  if (!*found) return "";
  const Finding& best = **found;
  return "<div class=\"finding\">\n<div>\n<h1>" + headline(best) + "</h1>\n" + scope(best) +
         forced(best) + plot(best) + plot_key(best.theorem.has_value()) + "</div>\n" +
         picture(best) + "</div>\n";
}

}  // namespace sinkproof::report
