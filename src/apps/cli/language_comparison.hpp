// `sinkproof audit DIR DIR ...`: several language models on the same question, side by side.
#pragma once

#include "cli/audit_options.hpp"
#include "exact/error.hpp"

namespace sinkproof::cli {

// Measures one after the other and prints them and a table. Into the folder `arguments.output`,
// where one is named, goes a certificate for each, under the folder's name, and report.html, the
// page of what the trusted checker accepts of them. A model that cannot be measured is told on
// stderr and the others go on; the exit code is the worst. SP1508: what is not a folder, an option
// that keeps one file; errors of writing the page.
exact::Result<int> compare_language_models(const AuditArguments& arguments);

}  // namespace sinkproof::cli
