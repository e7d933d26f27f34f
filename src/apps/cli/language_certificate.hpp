// `sinkproof audit DIR --rigorous`: the same figures as enclosures, and their certificate.
#pragma once

#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "cli/language_measurement.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/folder.hpp"

namespace sinkproof::cli {

// What the trusted pass encloses of all that is asked, written to `arguments.output` where one is
// named. Errors of measure::enclosed, of the claim's folder and of writing.
exact::Result<certificate::Language> certify_language(
    const AuditArguments& arguments, const language::Folder& folder,
    const estimate::Request& request, const std::vector<estimate::Tokens>& sequences);

// Lower and upper ends as decimal text rounded outward.
json::Value enclosures_json(const certificate::Language& enclosed);
void print_enclosures(const certificate::Language& enclosed);

}  // namespace sinkproof::cli
