#include "claim/requirement.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

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

constexpr std::string_view kTheorem = "theorem.";

bool is_known(const std::string& name, const std::vector<std::string>& known) {
  return !name.starts_with(kTheorem) && std::find(known.begin(), known.end(), name) != known.end();
}

// The endings that together are all rows of sequences of this length.
std::vector<std::string> all_rows(std::size_t length) {
  std::vector<std::string> rows = {".pre", ".trigger"};
  if (length >= 4) rows.emplace_back(".post");
  return rows;
}

// The properties that what is asked of `name` from below and from above is asked of, where it is
// none itself: "margin.least" and "margin.greatest" of "margin", "bos-floor.pre" and
// "bos-ceiling.pre" of "bos-attention.pre".
struct Sides {
  std::string below, above;
};

std::optional<Sides> sides_of(const std::string& name, const std::vector<std::string>& known) {
  if (is_known(name + ".least", known)) return Sides{name + ".least", name + ".greatest"};
  constexpr std::string_view kEnd = "-attention";
  const std::string head = name.substr(0, name.find('.'));
  if (!head.ends_with(kEnd)) return std::nullopt;
  const std::string first = head.substr(0, head.size() - kEnd.size() + 1);
  const std::string rows = name.substr(head.size());
  return Sides{first + "floor" + rows, first + "ceiling" + rows};
}

tl::unexpected<exact::Error> no_property(const Requirement& requirement, const std::string& name,
                                         const std::vector<std::string>& known,
                                         const std::string& where) {
  std::string names;
  for (const std::string& property : known) {
    if (!property.starts_with(kTheorem)) names += (names.empty() ? "" : ", ") + property;
  }
  constexpr std::size_t kShown = 80;
  return exact::fail("SP1302", where + " \"" + requirement.text.substr(0, kShown) + "\"",
                     "this model has no property " + name.substr(0, kShown) +
                         " with a lower and an upper bound; it has " + names);
}

// `requirement` asked of `name`, or of it at all rows; never at some of them only.
exact::Result<std::vector<Requirement>> on_parts(const Requirement& requirement,
                                                 const std::string& name,
                                                 const std::vector<std::string>& known,
                                                 std::size_t length, const std::string& where) {
  const auto with_name = [&](const std::string& property) {
    Requirement part = requirement;
    part.property = property;
    return part;
  };
  if (is_known(name, known)) return std::vector{with_name(name)};
  std::vector<Requirement> parts;
  std::string missing;
  for (const std::string& rows : all_rows(length)) {
    if (is_known(name + rows, known)) {
      parts.push_back(with_name(name + rows));
    } else {
      missing = name + rows;
    }
  }
  if (parts.empty()) return no_property(requirement, name, known, where);
  if (missing.empty()) return parts;
  auto error = no_property(requirement, missing, known, where);
  error.value().code = "SP1314";
  error.value().what = name + " without an ending covers all rows, but " + error.value().what;
  return error;
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

exact::Result<std::vector<Requirement>> expand(const Requirement& requirement,
                                               const std::vector<std::string>& known,
                                               std::size_t length, const std::string& where) {
  const auto sides = sides_of(requirement.property, known);
  if (!sides) return on_parts(requirement, requirement.property, known, length, where);
  std::vector<Requirement> all;
  Requirement below = requirement;  // asked of the floor
  below.at_most.reset();
  Requirement above = requirement;
  above.at_least.reset();
  for (const auto& [side, name] :
       {std::pair(below, sides->below), std::pair(above, sides->above)}) {
    if (!side.at_least && !side.at_most) continue;
    const auto parts = on_parts(side, name, known, length, where);
    if (!parts) return tl::unexpected(parts.error());
    all.insert(all.end(), parts->begin(), parts->end());
  }
  return all;
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

bool refuted_from_below(const Requirement& requirement,
                        const std::optional<exact::Rational>& lower) {
  return requirement.at_most && lower && *lower > *requirement.at_most;
}

bool is_attained(const std::string& property, bool lower) {
  const bool is_floor =
      !property.starts_with("largest-box.") && property.find("-floor") != std::string::npos;
  return lower != is_floor;
}

std::string attained_words(const std::string& property, std::size_t row, std::size_t coordinate,
                           std::size_t trigger) {
  const bool of_loss = property.starts_with("sup-loss");
  return "attained in row " + std::to_string(row) + ", " +
         (of_loss ? "coordinate " + std::to_string(coordinate) + ", " : "") +
         "trigger at position " + std::to_string(trigger);
}

}  // namespace sinkproof::claim
