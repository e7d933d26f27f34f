#include "report/input_reading.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "accept/claims_folder.hpp"
#include "certificate/envelope.hpp"
#include "certificate/sha256.hpp"
#include "report/claim_words.hpp"

namespace sinkproof::report {
namespace {

namespace fs = std::filesystem;

// The file with this SHA-256 among the folder's checkpoints, in the order of their names.
std::optional<fs::path> model_in(const fs::path& folder, const std::string& sha256) {
  std::set<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".safetensors") files.insert(entry->path());
  }
  for (const fs::path& path : files) {
    const auto hash = certificate::sha256_hex_of_file(path);
    if (hash && sha256 == *hash) return path;
  }
  return std::nullopt;
}

// The config.json with this SHA-256 in the folder or in one in it, in the order of their names.
std::optional<fs::path> config_in(const fs::path& folder, const std::string& sha256) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    files.push_back(entry->path() / "config.json");
  }
  std::sort(files.begin(), files.end());
  files.insert(files.begin(), folder / "config.json");
  for (const fs::path& path : files) {
    const auto hash = certificate::sha256_hex_of_file(path);
    if (hash && sha256 == *hash) return path;
  }
  return std::nullopt;
}

// A language model's config.json, looked for as the checker looks for the model.
std::optional<fs::path> config_path(const json::Value& certificate, const fs::path& folder,
                                    const std::optional<fs::path>& models) {
  const auto sha256 = text_in(certificate["model"]["files"], "config.json");
  if (!sha256) return std::nullopt;
  if (models) {
    if (auto found = config_in(*models, *sha256)) return found;
  }
  return config_in(folder, *sha256);
}

// The file with the certificate's model or vectors, in `models` if that was given, or beside the
// certificate.
std::optional<fs::path> model_path(const json::Value& certificate, const fs::path& beside,
                                   const std::optional<fs::path>& models) {
  const fs::path folder = beside.has_parent_path() ? beside.parent_path() : fs::path(".");
  const auto files = json::Value::json_pointer("/model/files/config.json");
  if (certificate.contains(files)) return config_path(certificate, folder, models);
  const char* key = certificate.contains("input") ? "input" : "model";
  if (!certificate.contains(key)) return std::nullopt;
  const auto sha256 = text_in(certificate[key], "sha256");
  if (!sha256) return std::nullopt;
  if (models) {
    if (auto found = model_in(*models, *sha256)) return found;
  }
  return model_in(folder, *sha256);
}

}  // namespace

Input read_input(const fs::path& path, check::Options options) {
  auto envelope = certificate::read_envelope(path);
  const bool theory = !envelope || envelope->kind == certificate::Kind::kTheory;
  if (!theory && options.claims) {
    options.claims = accept::claims_folder(*options.claims, envelope->claim);
  }
  Input input;
  input.path = path;
  input.outcome = check::check_file(path, options);
  if (envelope) {
    input.certificate = std::move(envelope->value);
    input.model = model_path(input.certificate, path, options.models);
  }
  return input;
}

}  // namespace sinkproof::report
