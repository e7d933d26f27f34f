// How `sinkproof cost` shows what it certified, as text and as JSON.
#pragma once

#include "measure/weigh.hpp"

namespace sinkproof::cli {

void print_cost_text(const measure::Weighing& weighing);
void print_cost_json(const measure::Weighing& weighing);

}  // namespace sinkproof::cli
