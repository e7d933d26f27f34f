#include "language/check.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "certificate/language.hpp"
#include "certificate/rule.hpp"
#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "forward/elementary.hpp"
#include "language/folder.hpp"
#include "language/readouts.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;
using certificate::LanguageStatement;
using exact::Integer;
using exact::Rational;
using Files = std::map<std::string, std::string>;

bool holds(const fs::path& folder, const Files::value_type& file) {
  const auto hash = certificate::sha256_hex_of_file(folder / file.first);
  return hash && *hash == file.second;
}

// All files, and no model.safetensors that goes before shards.
bool holds_all(const fs::path& folder, const Files& files) {
  constexpr const char* kWeights = "model.safetensors";
  std::error_code error;
  return (files.contains(kWeights) || !fs::exists(folder / kWeights, error)) &&
         std::all_of(files.begin(), files.end(),
                     [&](const Files::value_type& file) { return holds(folder, file); });
}

void require_within(const LanguageStatement& statement, const language::Numbers& numbers,
                    unsigned p, const std::string& where) {
  const Rational unit(Integer(1) << p);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool within = statement.lower[i] * unit <= Rational(numbers[i].lower) &&
                        Rational(numbers[i].upper) <= statement.upper[i] * unit;
    require(within, where, "number " + std::to_string(i) + " is not shown to lie within");
  }
}

// What is asked of this model, each with as many numbers as it has.
std::vector<certificate::LanguageQuestion> questions_of(const certificate::Language& stated,
                                                        const language::Model& model) {
  for (const certificate::TokenIds& tokens : stated.sequences) {
    value_of(language::check_request(model, tokens, {}));
  }
  std::vector<certificate::LanguageQuestion> questions;
  for (std::size_t s = 0; s < stated.statements.size(); ++s) {
    const LanguageStatement& statement = stated.statements[s];
    questions.push_back(statement.question);
    value_of(language::check_question(questions.back(), model, stated.sequences));
    const std::size_t numbers = language::numbers_of(
        questions.back(), model, stated.sequences[questions.back().sequence].size());
    require(statement.lower.size() == numbers, "statements[" + std::to_string(s) + "]",
            "must hold " + std::to_string(numbers) + " numbers");
  }
  return questions;
}

// The first folder among the roots and those in them whose files are exactly those stated.
std::unique_ptr<language::Folder> find_language_model(const certificate::Language& stated,
                                                      const std::vector<fs::path>& roots,
                                                      const fs::path& certificate) {
  const Files& files = stated.files;
  std::vector<fs::path> folders;  // and those in each
  std::error_code error;
  for (const fs::path& root : roots) {
    folders.push_back(root);
    for (const fs::path& inside : file::sorted_entries(root)) {
      if (fs::is_directory(inside, error)) folders.push_back(inside);
    }
  }
  std::string searched;
  std::optional<exact::Error> refused;  // these files, and no model
  for (const fs::path& folder : folders) {
    if (searched.size() < 400) searched += (searched.empty() ? "" : ", ") + folder.string();
    // Weights are hashed while the folder is opened.
    if (!holds(folder, *files.find("config.json"))) continue;
    auto opened = language::open_folder(folder, stated.assumed_neutral);
    if (opened && (*opened)->files() == files) return *std::move(opened);
    if (!opened && !refused && holds_all(folder, files)) refused = opened.error();
  }
  if (refused) throw rejected_by(*refused);
  throw Rejected{
      {"SP0903", certificate.string(),
       "no folder with these config.json and weights in " + searched + "; name it with --models"},
      2};
}

}  // namespace

std::string verify_language(const json::Value& certificate, const std::vector<fs::path>& roots,
                            const fs::path& file) {
  const certificate::Language stated = certificate::read_language(certificate);
  const auto folder = find_language_model(stated, roots, file);
  const language::Model& model = folder->model();
  require(stated.architecture == model.config.architecture->model_type, "model.architecture",
          "is not the one config.json names");
  const std::vector<certificate::LanguageQuestion> questions = questions_of(stated, model);
  const auto numbers =
      language::readouts(model, stated.sequences, questions, stated.precision, language::in_turn);
  require(numbers.has_value(), "precision", "is too low for this model");
  for (std::size_t s = 0; s < stated.statements.size(); ++s) {
    require_within(stated.statements[s], (*numbers)[s], stated.precision,
                   "statements[" + std::to_string(s) + "]");
  }
  const std::string remarks = model.remarks();
  const std::string scope = model.scope();
  return remarks + (remarks.empty() || scope.empty() ? "" : "; ") + scope;
}

}  // namespace sinkproof::check
