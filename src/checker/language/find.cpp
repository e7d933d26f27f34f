#include "language/find.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "certificate/rule.hpp"
#include "certificate/sha256.hpp"
#include "file/file.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;
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

}  // namespace

std::unique_ptr<language::Folder> find_language_model(const certificate::ModelFiles& stated,
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
    if (opened && (*opened)->files() == files) {
      require(stated.architecture == (*opened)->model().config.architecture->model_type,
              "model.architecture", "is not the one config.json names");
      return *std::move(opened);
    }
    if (!opened && !refused && holds_all(folder, files)) refused = opened.error();
  }
  if (refused) throw rejected_by(*refused);
  throw Rejected{
      {"SP0903", certificate.string(),
       "no folder with these config.json and weights in " + searched + "; name it with --models"},
      2};
}

}  // namespace sinkproof::check
