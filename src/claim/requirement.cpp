#include "claim/requirement.hpp"

#include <string_view>

#include "exact/decimal.hpp"

namespace sinkproof::claim {
namespace {

using exact::Rational;

constexpr std::string_view kSpaces = " \t";

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpaces) - first + 1));
}

std::optional<Rational> decimal(std::string_view text) {
  const auto value = exact::parse_decimal(trimmed(text));
  return value ? std::optional<Rational>(*value) : std::nullopt;
}

// "[a,b]" into the two sides of the requirement.
bool read_interval(const std::string& text, Requirement& requirement) {
  const std::size_t comma = text.find(',');
  if (text.size() < 2 || text.front() != '[' || text.back() != ']' || comma == std::string::npos) {
    return false;
  }
  const std::string_view view = text;
  requirement.at_least = decimal(view.substr(1, comma - 1));
  requirement.at_most = decimal(view.substr(comma + 1, view.size() - comma - 2));
  return requirement.at_least && requirement.at_most &&
         *requirement.at_least <= *requirement.at_most;
}

bool read(const std::string& text, Requirement& requirement) {
  const std::size_t sign = text.find_first_of("<>");
  if (sign != std::string::npos) {
    if (sign + 1 >= text.size() || text[sign + 1] != '=') return false;
    requirement.property = trimmed(std::string_view(text).substr(0, sign));
    auto& side = text[sign] == '<' ? requirement.at_most : requirement.at_least;
    side = decimal(std::string_view(text).substr(sign + 2));
    return side.has_value();
  }
  const std::size_t in = text.find(" in ");
  if (in == std::string::npos) return false;
  requirement.property = trimmed(std::string_view(text).substr(0, in));
  return read_interval(trimmed(std::string_view(text).substr(in + 4)), requirement);
}

}  // namespace

exact::Result<Requirement> parse_requirement(const std::string& text, const std::string& where) {
  constexpr std::size_t kShown = 80;
  Requirement requirement;
  requirement.text = trimmed(text);
  const bool is_read = read(text, requirement);
  if (!is_read || requirement.property.empty() ||
      requirement.property.find_first_of(kSpaces) != std::string::npos) {
    return exact::fail("SP1302", where + " \"" + text.substr(0, kShown) + "\"",
                       "write NAME<=NUMBER, NAME>=NUMBER or NAME in [NUMBER,NUMBER], such as "
                       "sup-loss<=0.02");
  }
  return requirement;
}

Verdict decide(const Requirement& requirement, const std::optional<Rational>& lower,
               const std::optional<Rational>& upper) {
  const auto& least = requirement.at_least;
  const auto& most = requirement.at_most;
  if (least && upper && *upper < *least) return Verdict::kRefuted;
  if (most && lower && *lower > *most) return Verdict::kRefuted;
  const bool above = !least || (lower && *lower >= *least);
  const bool below = !most || (upper && *upper <= *most);
  return above && below ? Verdict::kProved : Verdict::kUnknown;
}

}  // namespace sinkproof::claim
