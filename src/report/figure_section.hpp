// Figures handed to the page: drawings of estimates that belong to no certificate.
#pragma once

#include <string>
#include <vector>

#include "report/input.hpp"

namespace sinkproof::report {

// The section with id "figures", "" for none.
std::string figure_section(const std::vector<Figure>& figures);

}  // namespace sinkproof::report
