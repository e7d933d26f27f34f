// `sinkproof measure DIR`: what a language model's folder does on token ids, in doubles.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/measure_options.hpp"
#include "estimate/estimates.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/model.hpp"

namespace sinkproof::cli {

// What is shown: a model's estimates and what they are of.
struct LanguageMeasurement {
  const language::Model& model;
  const std::map<std::string, std::string>& files;  // SHA-256 by name
  json::Value tokens;                               // where they are from
  estimate::Request request;
  exact::Rational epsilon;
  estimate::Estimates estimates;
  std::vector<std::vector<std::string>> texts;  // what each id stands for, where a text was read
};

// Measures, writes what is to be saved and prints. SP1508: an option that is not for folders, or
// no tokens; SP1509: one that is not of its form; errors of the folder, of the tokens, of
// estimate::estimate and of writing.
exact::Result<int> measure_language(const MeasureArguments& arguments);

json::Value language_json(const LanguageMeasurement& measurement);
void print_language(const LanguageMeasurement& measurement);

}  // namespace sinkproof::cli
