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

// n of "1/sqrt(n)"; 0 where the text is not of this form.
Rational square_in(const std::string& text) {
  const auto square = text.size() <= kMaxScale ? under_the_root(text) : exact::parse_rational("");
  return square && *square > 0 ? *square : Rational(0);
}

}  // namespace

std::optional<Rational> irrational_square(const std::string& text) {
  const Rational square = square_in(text);
  const auto root = rounded::square_root(square);
  if (root.lower == root.upper) return std::nullopt;
  return square;
}

Result<Rational> parse_scale(const std::string& text, const std::string& where) {
  const std::string shown = "\"" + text.substr(0, 40) + "\"";
  if (irrational_square(text)) {
    return fail("SP1109", where,
                shown +
                    " is irrational, and a checkpoint needs a rational scale; `sinkproof convert "
                    "MODEL -o converted.safetensors --scale '" +
                    text + "'` folds it into W_Q, rounded");
  }
  if (const Rational square = square_in(text); square > 0) {
    return Rational(1 / rounded::square_root(square).lower);
  }
  auto scale = exact::parse_rational(text);
  if (!scale) scale = exact::parse_decimal(text);
  if (scale && *scale > 0 && exact::to_string(*scale).size() <= kMaxScale) return scale;
  return fail("SP1109", where,
              shown +
                  " is not a scale of logits; give a positive number such as 1/4, 0.25 or "
                  "1/sqrt(16), of at most 100 characters in lowest terms");
}

}  // namespace sinkproof::model
