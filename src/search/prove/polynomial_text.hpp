// A polynomial as a person writes it, for messages that say by how much two formulas differ.
#pragma once

#include <string>
#include <vector>

#include "exact/polynomial.hpp"

namespace sinkproof::prove {

// "2*eta^2 - 1/3*b + 1": the terms of highest degree first, at most eight of them and then how many
// more there are; "0" for zero. `names` has one name for each variable.
std::string polynomial_text(const exact::Polynomial& polynomial,
                            const std::vector<std::string>& names);

}  // namespace sinkproof::prove
