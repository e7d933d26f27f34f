// Several language certificates side by side.
#pragma once

#include <string>
#include <vector>

#include "report/language_reading.hpp"

namespace sinkproof::report {

// A certificate the checker accepted, as its card has it.
struct AuditedModel {
  std::string name;
  std::string card;  // the card's id
  const LanguageAudit* audit = nullptr;
};

// A row for each, the largest certified sink share first, to be sorted otherwise; "" for fewer than
// two.
std::string language_table(const std::vector<AuditedModel>& models);

// Each stated share of sinks as a table and, of several positions, as a chart. "" for none.
// `anchor` begins the chart's id.
std::string share_block(const LanguageAudit& audit, const std::string& anchor);

}  // namespace sinkproof::report
