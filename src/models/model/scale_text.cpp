#include "model/scale_text.hpp"

#include <algorithm>
#include <string_view>

#include "exact/decimal.hpp"
#include "rounded/square_root.hpp"

namespace sinkproof::model {
namespace {

using exact::fail;
using exact::Rational;
using exact::Result;

constexpr std::size_t kMaxScale = 100;  // characters

// n of "1/sqrt(n)"; an error where the text is not of this form.
Result<Rational> under_the_root(const std::string& text) {
  constexpr std::string_view kBegin = "1/sqrt(";
  const bool is_root = text.starts_with(kBegin) && text.ends_with(')');
  return exact::parse_rational(is_root ? text.substr(kBegin.size(), text.size() - kBegin.size() - 1)
                                       : "");
}

Result<Rational> inverse_root(const Rational& square, const std::string& shown,
                              const std::string& where) {
  const auto root = rounded::square_root(square);
  if (root.lower == root.upper) return Rational(1 / root.lower);
  const std::string n = exact::to_string(square);
  return fail("SP1109", where,
              shown +
                  " is irrational, and a checkpoint needs a rational scale; fold it into W_Q "
                  "before you save the model (divide its " +
                  "weight, and its bias if there is one, by " + n +
                  " ** 0.5), then give --scale 1");
}

}  // namespace

Result<Rational> parse_scale(const std::string& text, const std::string& where) {
  const std::string shown = "\"" + text.substr(0, 40) + "\"";
  const auto square = text.size() <= kMaxScale ? under_the_root(text) : exact::parse_rational("");
  if (square && *square > 0) return inverse_root(*square, shown, where);
  auto scale = exact::parse_rational(text);
  if (!scale) scale = exact::parse_decimal(text);
  if (scale && *scale > 0 && exact::to_string(*scale).size() <= kMaxScale) return scale;
  return fail("SP1109", where,
              shown +
                  " is not a scale of logits; give a positive number such as 1/4, 0.25 or "
                  "1/sqrt(16), of at most 100 characters in lowest terms");
}

}  // namespace sinkproof::model
