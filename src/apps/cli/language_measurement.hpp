// `sinkproof audit DIR`: what a language model's folder does on token ids, in doubles.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "cli/audit_options.hpp"
#include "cli/console.hpp"
#include "estimate/estimates.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/folder.hpp"
#include "language/model.hpp"

namespace sinkproof::cli {

// What is shown: a model's estimates and what they are of.
struct LanguageMeasurement {
  std::string name;  // of the folder
  const language::Model& model;
  const std::map<std::string, std::string>& files;  // SHA-256 by name
  json::Value tokens;                               // where they are from
  estimate::Request request;
  estimate::Estimates estimates;
  // What each id of the sequences that are kept stands for, or of the first one; where a text was
  // read.
  std::vector<std::vector<std::string>> texts;
  std::string remarks;  // what makes it another model, or a longer input, than is usual; "" nothing
};

// Of the model in a folder, and enclosures of it where they are asked for.
struct LanguageAudit {
  std::unique_ptr<language::Folder> folder;
  LanguageMeasurement measurement;
  std::optional<certificate::Language> enclosed;
};

// Measures and writes what is to be saved, once check_combination() has found that the options go
// together. SP1508: an option this model cannot follow; SP1509: one that is not of its form; errors
// of the folder, of the tokens, of estimate::estimate and of writing.
exact::Result<LanguageAudit> audit_language(const AuditArguments& arguments);

json::Value audit_json(const LanguageAudit& audit);
void print_audit(const LanguageAudit& audit);

// audit_language of one folder, printed.
exact::Result<int> measure_language(const AuditArguments& arguments);

json::Value language_json(const LanguageMeasurement& measurement);
void print_language(const LanguageMeasurement& measurement);

// Means and standard errors as tables of heads and of interventions, and as arrays
// (docs/MANY_SEQUENCES.md).
std::string language_csv(const LanguageMeasurement& measurement);
std::string interventions_csv(const LanguageMeasurement& measurement);
std::string language_npz(const LanguageMeasurement& measurement);

}  // namespace sinkproof::cli
