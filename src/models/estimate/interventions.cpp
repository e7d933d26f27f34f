#include "estimate/interventions.hpp"

#include <charconv>
#include <cstddef>
#include <vector>

namespace sinkproof::estimate {
namespace {

constexpr std::string_view kEvict = "evict ";
constexpr std::string_view kAblate = "ablate ";

// "4,60,renumbered" at its commas.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
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
  const auto parts = parts_of(text);
  const auto layer = number_of(parts.front());
  const auto head = parts.size() == 2 ? number_of(parts[1]) : std::nullopt;
  if (!layer || !head) return {};
  return certificate::Intervention{.eviction = {}, .ablated = {{*layer, *head}}};
}

std::optional<certificate::Intervention> intervention_of(std::string_view name) {
  if (name.starts_with(kEvict)) return eviction_of(name.substr(kEvict.size()));
  if (name.starts_with(kAblate)) return ablation_of(name.substr(kAblate.size()));
  return {};
}

}  // namespace sinkproof::estimate
