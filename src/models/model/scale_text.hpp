// The factor of all logits as people write and read it: "1/4", "0.125", or "1/sqrt(64)" as
// PyTorch's scaled_dot_product_attention has it, which is a rational where the root is one.
#pragma once

#include <optional>
#include <string>

#include "exact/error.hpp"
#include "exact/rational.hpp"

namespace sinkproof::model {

// SP1109, at `where`: none of these forms, not positive, over 100 characters in lowest terms (where
// certificates end), or a root that is irrational, which `sinkproof convert` folds into W_Q.
exact::Result<exact::Rational> parse_scale(const std::string& text, const std::string& where);

// n of "1/sqrt(n)" where that is irrational; nothing for any other text.
std::optional<exact::Rational> irrational_square(const std::string& text);

}  // namespace sinkproof::model
