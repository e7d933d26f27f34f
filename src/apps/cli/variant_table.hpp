// What `explain` prints for a claim that is a map of variants.
#pragma once

#include <string>
#include <vector>

#include "json/strict.hpp"
#include "report/variant_rows.hpp"

namespace sinkproof::cli {

// The rows as one table with aligned columns, a line for each piece of evidence and each bound.
std::string variant_table(const std::vector<report::VariantRow>& rows);

json::Value variant_json(const std::vector<report::VariantRow>& rows);

}  // namespace sinkproof::cli
