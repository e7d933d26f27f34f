#include "estimate/interventions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

namespace sinkproof::estimate {
namespace {

constexpr std::string_view kEvict = "evict ";
constexpr std::string_view kAblate = "ablate ";

// "4,60,renumbered" at its commas.
std::vector<std::string_view> parts_of(std::string_view text, char separator = ',') {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> number_of(std::string_view text) {
  constexpr std::size_t kMost = 1U << 20U;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kMost) return {};
  return number;
}

}  // namespace

std::optional<certificate::Intervention> eviction_of(std::string_view text) {
  const auto parts = parts_of(text);
  const auto kept = number_of(parts.front());
  const auto window = parts.size() > 1 ? number_of(parts[1]) : std::nullopt;
  const bool renumbered = parts.size() == 3 && parts[2] == "renumbered";
  if (!kept || !window || *window == 0 || (parts.size() > 2 && !renumbered)) return {};
  return certificate::Intervention{.eviction = {{*kept, *window, renumbered}}, .ablated = {}};
}

std::optional<certificate::Intervention> ablation_of(std::string_view text) {
  certificate::Intervention taken;
  for (const std::string_view one : parts_of(text, '+')) {
    const auto parts = parts_of(one);
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
