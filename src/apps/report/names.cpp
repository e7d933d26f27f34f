#include "report/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "report/claim_words.hpp"
#include "report/status.hpp"

namespace sinkproof::report {
namespace {

std::string plain(const Input& input, std::size_t) {
  if (!input.label.empty()) return input.label;
  const auto id = kind_of(input) == "theory" ? claim_id(input.certificate) : std::nullopt;
  return id ? *id : input.path.stem().string();
}

std::string with_width(const Input& input, std::size_t) {
  const json::Value::json_pointer width("/model/d_model");
  const bool has = input.certificate.is_object() && input.certificate.contains(width) &&
                   input.certificate[width].is_number_integer();
  return plain(input, 0) +
         (has ? fmt::format(" (d {})", input.certificate[width].get<std::int64_t>()) : "");
}

// A language model's: its certificates tend to be called the same.
std::string with_folder(const Input& input, std::size_t) {
  const std::string kind = kind_of(input);
  const bool has =
      (kind == "language" || kind == "cover") && input.model && input.model->has_parent_path();
  const std::string folder = has ? input.model->parent_path().filename().string() : "";
  return plain(input, 0) + (folder.empty() || folder == "." ? "" : " (" + folder + ")");
}

std::string with_hash(const Input& input, std::size_t) {
  const bool has = input.certificate.is_object() && input.certificate.contains("claim_sha256") &&
                   input.certificate["claim_sha256"].is_string();
  return plain(input, 0) +
         (has ? fmt::format(" ({:.8})", input.certificate["claim_sha256"].get<std::string>()) : "");
}

std::string with_number(const Input& input, std::size_t number) {
  return fmt::format("{} (number {})", plain(input, 0), number);
}

}  // namespace

Names names_of(const std::vector<const Input*>& inputs) {
  std::vector<std::string> names(inputs.size());
  std::set<std::string> shared;
  for (const auto naming : {plain, with_width, with_folder, with_hash, with_number}) {
    // A name once told apart stays; the others try the next way together.
    std::vector<std::string> tried = names;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (names[i].empty()) tried[i] = naming(*inputs[i], i + 1);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool taken = std::count(tried.begin(), tried.end(), tried[i]) > 1 ||
                         (names[i].empty() && shared.contains(tried[i]));
      if (taken) shared.insert(tried[i]);
      if (!taken) names[i] = tried[i];
    }
  }
  Names result;
  for (std::size_t i = 0; i < inputs.size(); ++i) result[inputs[i]] = names[i];
  return result;
}

}  // namespace sinkproof::report
