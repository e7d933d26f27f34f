#include "report/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/attention.hpp"
#include "report/attention_map.hpp"
#include "report/bound_text.hpp"
#include "report/chart/colour_scale.hpp"
#include "report/chart/heat_map.hpp"
#include "report/chart/interval_plot.hpp"
#include "report/checkpoint_reading.hpp"
#include "report/checkpoint_section.hpp"
#include "text/html.hpp"

namespace sinkproof::report {
namespace {

using exact::Result;
using text::escape;
using text::file_name;

struct Candidate {
  const Input* input;
  std::string name;
  std::string card;
  Checkpoint head;
  Bound bound;
  std::optional<Theorem> theorem;  // that is about the bound
  bool is_forced;                  // by it, and its certificate is accepted
  std::size_t kind;                // of its attention, in the table of them
};

// The certified floor that a theorem's entry is about.
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

std::size_t kind_number(const std::string& attention) {
  const certificate::AttentionKind* kind = certificate::find_attention(attention);
  return kind == nullptr ? std::size(certificate::kAttentionKinds)
                         : static_cast<std::size_t>(kind->attention);
}

// As the header says.
Result<std::vector<Candidate>> in_order(const std::vector<const Input*>& checkpoints,
                                        const AcceptedClaims& claims, const Names& names) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < checkpoints.size(); ++i) {
    const Input& input = *checkpoints[i];
    if (accept::standing_of(input.outcome) != accept::Standing::kAccepted) continue;
    auto head = read_checkpoint(input.certificate, file_name(input.path));
    if (!head) return tl::unexpected(head.error());
    auto told = telling(*head);
    if (!told) continue;
    const bool forced = told->second && claims.contains(told->second->claim);
    const std::size_t kind = kind_number(head->attention);
    all.push_back({&input, names.at(&input), card_anchor(i + 1), std::move(*head), told->first,
                   told->second, forced, kind});
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& one, const Candidate& other) {
    const auto rank = [](const Candidate& it) {
      return std::tuple(!it.is_forced, it.kind, it.head.num_layers * it.head.num_heads);
    };
    return rank(one) < rank(other);
  });
  return all;
}

std::string rows_words(const std::string& name) {
  if (name.find(".pre") != std::string::npos) return "in every row before the trigger";
  if (name.find(".trigger") != std::string::npos) return "in the trigger’s row";
  if (name.find(".post") != std::string::npos) return "in every row after the trigger";
  return "in every row";
}

// Text: of which inputs a checkpoint's bounds are.
std::string inputs_words(const Checkpoint& head) {
  return fmt::format("for every input{}{}", head.restrictions.empty() ? "" : " with ",
                     fmt::join(head.restrictions, " and "));
}

// Text.
std::string headline(const Candidate& found) {
  const std::string rows = rows_words(found.bound.name);
  const std::string inputs = inputs_words(found.head);
  if (found.bound.is_loss) {
    return fmt::format("“{}” has an error of at most {} {}, {}", found.name, up(found.bound.upper),
                       rows, inputs);
  }
  return fmt::format("“{}” puts {}at least {}{} on BOS {}, {}", found.name,
                     found.head.normalised ? "" : "a weight of ", down(found.bound.lower),
                     found.head.normalised ? " of its attention" : "", rows, inputs);
}

std::string scope(const Candidate& found) {
  return fmt::format(
      "<p>Proved for every input of the trigger task at length {}, the trigger at {} to {}{}; an "
      "exact input attains {}. <a href=\"#{}\">All of its bounds</a>.</p>\n",
      found.head.length, found.head.triggers.first, found.head.triggers.second,
      found.head.box.empty() ? "" : ", noise in " + text::escape(found.head.box),
      found.bound.is_floor ? up(found.bound.upper) : down(found.bound.lower), found.card);
}

// Text. Precondition: is_forced.
std::string forced_words(const Candidate& found) {
  const Theorem& theorem = *found.theorem;
  return fmt::format(
      "Its loss is at most {}. By {}, which has its own certificate, so small a loss implies at "
      "least {} of attention on BOS.",
      up(theorem.eta), theorem.claim, down(*theorem.implied));
}

std::string forced(const Candidate& found) {
  if (found.is_forced) {
    return "<p><strong>What the theorem implies.</strong> " + escape(forced_words(found)) +
           "</p>\n";
  }
  if (!found.theorem) return "<p>No theorem on this page implies a sink for it.</p>\n";
  return fmt::format(
      "<p>To see the floor that {} implies, add the certificate of {} to the report: none on this "
      "page is accepted in full.</p>\n",
      escape(found.theorem->claim), escape(found.theorem->claim));
}

// What a model pays BOS at most in these rows (".pre"); null where it is not certified.
const Bound* ceiling_of(const Checkpoint& head, const std::string& rows) {
  const auto found = std::find_if(head.bounds.begin(), head.bounds.end(), [&](const Bound& bound) {
    return bound.name == "bos-ceiling" + rows;
  });
  return found == head.bounds.end() ? nullptr : &*found;
}

// Text: in the rows that `best` is about, the least BOS attention of a model of which no theorem
// says anything; "" for none.
std::string unforced_words(const Candidate& best, const std::vector<Candidate>& all) {
  const std::string rows =
      best.bound.name.substr(std::min(best.bound.name.find('.'), best.bound.name.size()));
  const Candidate* least = nullptr;
  for (const Candidate& one : all) {
    const Bound* here = one.theorem ? nullptr : ceiling_of(one.head, rows);
    if (here == nullptr) continue;
    if (least == nullptr || here->upper < ceiling_of(least->head, rows)->upper) least = &one;
  }
  if (least == nullptr) return "";
  return fmt::format(
      "No theorem on the page implies a sink for “{}”: {}, its {} BOS is at most {} {} and its "
      "error "
      "at most {} {}.",
      least->name, inputs_words(least->head),
      least->head.normalised ? "share of attention on" : "weight on",
      up(ceiling_of(least->head, rows)->upper), rows_words(rows), up(least->bound.upper),
      rows_words(least->bound.name));
}

std::string plot(const Candidate& found) {
  std::vector<Theorem> theorems;
  if (found.is_forced) theorems.push_back(*found.theorem);
  return found.bound.is_loss ? loss_plot({found.bound})
                             : paid_plot(found.bound.paid, {found.bound}, theorems);
}

// The layer and head the bound is about; of all, the first.
std::string picture(const Candidate& found) {
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

Result<Finding> finding(const std::vector<const Input*>& checkpoints, const AcceptedClaims& claims,
                        const Names& names) {
  const auto all = in_order(checkpoints, claims, names);
  if (!all) return tl::unexpected(all.error());
  if (all->empty()) return Finding{};
  const Candidate& best = all->front();
  Finding found;
  found.markup = "<div class=\"finding\">\n<div>\n<h1>" + escape(headline(best)) + "</h1>\n" +
                 scope(best) + forced(best) + plot(best) + plot_key(best.is_forced) + "</div>\n" +
                 picture(best) + "</div>\n";
  found.sentences.push_back(headline(best) + ".");
  if (best.is_forced) found.sentences.push_back(forced_words(best));
  if (auto beside = unforced_words(best, *all); best.theorem && !beside.empty()) {
    found.sentences.push_back(std::move(beside));
  }
  return found;
}

}  // namespace sinkproof::report
