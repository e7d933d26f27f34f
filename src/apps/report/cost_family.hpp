// Costs of many instances of section 5 against one thing that varies: the nuisance rank at one
// margin, or the margin at one rank. As in the source's figure, but each point is a certified
// interval, and the closed forms are drawn beside it. What varies is read off the vectors
// themselves, never off what a file says of itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/cost_findings.hpp"

namespace sinkproof::report {

// A cost with the place of its certificate on the page.
struct CostPoint {
  const CostFinding* finding = nullptr;
  std::string card;  // the id of the certificate's card
  std::string file;  // its name
};

// The charts with a table each; "" when fewer than three values of the rank or the margin are there
// for otherwise equal instances. Points without the structure are left out.
std::string cost_families(const std::vector<CostPoint>& points);

}  // namespace sinkproof::report
