// One training run: what audits of its checkpoints estimate, by step.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/language_reading.hpp"

namespace sinkproof::report {

struct AuditedStep {
  std::size_t step = 0;
  const LanguageAudit* audit = nullptr;  // estimated
};

// Charts and a table over steps: sink shares, the head with the largest mean alpha, and, where all
// have them, the next-token loss and what each intervention adds to it. "" for fewer than two.
// Precondition: steps ascend, and each audit is of the same position and epsilon.
std::string training_curves(const std::vector<AuditedStep>& steps);

}  // namespace sinkproof::report
