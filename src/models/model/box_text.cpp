#include "model/box_text.hpp"

#include <algorithm>
#include <optional>

#include "certificate/schema.hpp"
#include "exact/decimal.hpp"
#include "json/strict.hpp"

namespace sinkproof::model {
namespace {

using certificate::Box;
using exact::Rational;

std::optional<Rational> number(const std::string& text) {
  if (const auto decimal = exact::parse_decimal(text)) return *decimal;
  if (const auto ratio = exact::parse_rational(text)) return *ratio;
  return std::nullopt;
}

// "r" or "a..b" as a pair of canonical strings; null for anything else.
json::Value interval(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto most = number(dots == std::string::npos ? text : text.substr(dots + 2));
  const auto least = dots == std::string::npos ? (most ? std::optional(-*most) : most)
                                               : number(text.substr(0, dots));
  if (!least || !most) return nullptr;
  return {exact::to_string(*least), exact::to_string(*most)};
}

json::Value list(const std::string& text) {
  json::Value entry = json::Value::array();
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    entry.push_back(interval(text.substr(first, end - first)));
    first = end + 1;
  }
  return entry;
}

std::string to_string(const certificate::Interval& interval) {
  return "[" + exact::to_string(interval.least) + "," + exact::to_string(interval.greatest) + "]";
}

Box read_box(const json::Value& entry, std::size_t noise) {
  const json::Value whole = {{"box", entry}};
  certificate::Fields fields(whole, "certificate");
  Box box;
  describe_box(fields, "box", box, noise);
  return box;
}

}  // namespace

exact::Result<Box> parse_box(const std::string& text, std::size_t noise, const std::string& where) {
  exact::Result<json::Value> entry = list(text);
  if (text.starts_with('[')) entry = json::parse_strict(text, where);
  exact::Result<Box> box = entry ? certificate::result_of([&] { return read_box(*entry, noise); })
                                 : tl::unexpected(entry.error());
  if (box) return box;
  constexpr std::size_t kShown = 40;
  return exact::fail("SP1108", where + " " + text.substr(0, kShown),
                     box.error().what + "; write 0.5 for [-0.5,0.5], -1..0.25, a list of " +
                         std::to_string(noise) +
                         " such values with commas, or a JSON list of pairs");
}

std::string to_string(const Box& box, std::size_t noise) {
  if (box.intervals.size() == 1) {
    return to_string(box.intervals.front()) + "^" + std::to_string(noise);
  }
  std::string text;
  for (const certificate::Interval& interval : box.intervals) {
    text += (text.empty() ? "" : " x ") + to_string(interval);
  }
  return text;
}

}  // namespace sinkproof::model
