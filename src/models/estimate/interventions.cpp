#include "estimate/interventions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "certificate/split.hpp"
#include "text/whole.hpp"

namespace sinkproof::estimate {
namespace {

constexpr std::string_view kEvict = "evict ";
constexpr std::string_view kAblate = "ablate ";

using certificate::split;

std::optional<std::size_t> number_of(std::string_view text) {
  return text::whole_number(text, 1U << 20U);
}

}  // namespace

std::optional<certificate::Intervention> eviction_of(std::string_view text) {
  const auto parts = split(text, ",");
  const auto kept = number_of(parts.front());
  const auto window = parts.size() > 1 ? number_of(parts[1]) : std::nullopt;
  const bool renumbered = parts.size() == 3 && parts[2] == "renumbered";
  if (!kept || !window || *window == 0 || (parts.size() > 2 && !renumbered)) return {};
  return certificate::Intervention{.eviction = {{*kept, *window, renumbered}}, .ablated = {}};
}

std::optional<certificate::Intervention> ablation_of(std::string_view text) {
  certificate::Intervention taken;
  for (const std::string_view one : split(text, "+")) {
    const auto parts = split(one, ",");
    const auto layer = number_of(parts.front());
    const auto head = parts.size() == 2 ? number_of(parts[1]) : std::nullopt;
    if (!layer || !head) return {};
    taken.ablated.emplace_back(*layer, *head);
  }
  std::sort(taken.ablated.begin(), taken.ablated.end());
  const bool twice =
      std::adjacent_find(taken.ablated.begin(), taken.ablated.end()) != taken.ablated.end();
  return twice ? std::nullopt : std::optional(std::move(taken));
}

std::optional<certificate::Intervention> intervention_of(std::string_view name) {
  if (name.starts_with(kEvict)) return eviction_of(name.substr(kEvict.size()));
  if (name.starts_with(kAblate)) return ablation_of(name.substr(kAblate.size()));
  return {};
}

std::string name_of(const certificate::Intervention& intervention) {
  if (intervention.eviction) {
    const auto& [first, window, renumbered] = *intervention.eviction;
    return fmt::format("{}{},{}{}", kEvict, first, window, renumbered ? ",renumbered" : "");
  }
  std::string heads;
  for (const auto& [layer, head] : intervention.ablated) {
    heads += fmt::format("{}{},{}", heads.empty() ? "" : "+", layer, head);
  }
  return std::string(kAblate) + heads;
}

}  // namespace sinkproof::estimate
