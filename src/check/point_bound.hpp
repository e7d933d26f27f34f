// The bound of a form at a leaf with a point. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include "check/sign_form.hpp"

namespace sinkproof::check {

// `signs` are 0 for free coordinates, else 1 or -1. Precondition: the form's coupling has
// multipliers, and made the image.
exact::Rational point_bound(const SignForm& form, const PointImage& image,
                            const std::vector<int>& signs);

}  // namespace sinkproof::check
