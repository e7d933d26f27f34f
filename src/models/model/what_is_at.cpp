#include "model/what_is_at.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "file/file.hpp"
#include "json/visible.hpp"
#include "model/foreign_file.hpp"
#include "model/saved_folder.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostJson = std::uint64_t{16} << 20U;

bool has(const fs::path& folder, const char* name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

std::string to_audit(const fs::path& folder) {
  return "To audit it run `" + audit_line(folder) + "`.";
}

std::string word(const fs::path& path) { return shell_word(path.string()); }

// A claim is named by its folder, which lies in the folder of claims.
std::string claim_at(const fs::path& folder) {
  std::error_code ignored;
  fs::path whole = fs::absolute(folder, ignored).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  fs::path given = folder.lexically_normal();
  if (!given.has_filename()) given = given.parent_path();
  const bool is_named = given.filename() == whole.filename();  // not "." or ".."
  const fs::path claims = !is_named                     ? whole.parent_path()
                          : given.parent_path().empty() ? fs::path(".")
                                                        : given.parent_path();
  return "It is the folder of a claim. To read the claim run `sinkproof explain " +
         word(whole.filename()) + " --proofs " + word(claims) + "`.";
}

std::string folder_at(const fs::path& folder) {
  if (is_language_model(folder)) {
    return "It is the folder of a language model. " + to_audit(folder);
  }
  if (has(folder, "claim.toml")) return claim_at(folder);
  if (has(folder, "plan.json")) {
    return "It is the journal of `certify --journal`. To make its certificates run `sinkproof "
           "merge " +
           word(folder) + "`.";
  }
  if (has(folder, "sinkproof.toml")) {
    return "It holds a sinkproof.toml. To check what that lists run `sinkproof gate " +
           word(folder / "sinkproof.toml") + "`.";
  }
  const auto entries = file::sorted_entries(folder);
  const auto model = std::find_if(entries.begin(), entries.end(), is_language_model);
  if (model != entries.end()) {
    return "It is a folder with the folder of a language model in it. " + to_audit(*model);
  }
  return entries.empty() ? "It is an empty folder." : "It is a folder; name a file in it.";
}

std::string json_at(const fs::path& path, Expected expected) {
  const auto text = file::read(path, kMostJson);
  if (!text) return "";
  const auto value = nlohmann::json::parse(*text, nullptr, false);
  if (value.is_discarded()) return "";
  if (!value.is_object() || !value.contains("claim_sha256") || !value.contains("kind") ||
      !value["kind"].is_string()) {
    return "It is JSON text, but not a certificate.";
  }
  if (expected == Expected::kCertificate) return "";
  return "It is a certificate of kind " +
         json::visible(value["kind"].get<std::string>().substr(0, 40)) +
         ". To check it run `sinkproof check " + word(path) + "`.";
}

std::string safetensors_at(const fs::path& path, const safetensors::Views& views) {
  if (views.tensors.contains("W_Q.weight") || views.tensors.contains("layers.0.W_Q.weight")) {
    return "It is a checkpoint. To certify it run `sinkproof certify " + word(path) +
           " -o certificate.json`.";
  }
  if (is_language_model(path.parent_path())) {
    return "It holds the weights of a language model. " + to_audit(path.parent_path());
  }
  if (views.tensors.size() == 1 && views.tensors.begin()->second.shape.size() == 2) {
    return "It is a safetensors file with one matrix. To measure its rows run `sinkproof measure " +
           word(path) + "`.";
  }
  return "It is a safetensors file. To make a checkpoint of it give it to sinkproof convert.";
}

}  // namespace

std::string what_is_at(const fs::path& path, Expected expected) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  if (fs::is_directory(status)) return folder_at(path);
  if (!fs::exists(status)) return "Check the path: nothing is there.";
  if (!fs::is_regular_file(status)) return "";
  const auto mapped = file::map(path);
  if (!mapped) return "";
  const std::string_view bytes = mapped->bytes();
  if (bytes.empty()) return "It is an empty file.";
  if (bytes.front() == '{') return json_at(path, expected);
  if (const auto views = safetensors::parse_views(bytes, path.string())) {
    return safetensors_at(path, *views);
  }
  const std::string_view format = foreign_format(bytes);
  if (format.empty()) return "";
  return "It is " + std::string(format) +
         ". For the lines of Python that make a safetensors file of it give it to sinkproof "
         "convert.";
}

}  // namespace sinkproof::model
