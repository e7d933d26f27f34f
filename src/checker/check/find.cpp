#include "check/find.hpp"

#include <system_error>

#include "certificate/sha256.hpp"
#include "file/file.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

std::vector<fs::path> model_folders(const std::optional<fs::path>& models,
                                    const fs::path& certificate) {
  std::vector<fs::path> folders;
  if (models) folders.push_back(*models);
  folders.push_back(folder_of(certificate));
  return folders;
}

exact::Result<std::string> find_model(const std::string& sha256,
                                      const std::optional<fs::path>& models,
                                      const fs::path& certificate) {
  std::string searched;
  for (const fs::path& folder : model_folders(models, certificate)) {
    for (const fs::path& path : file::sorted_entries(folder)) {
      if (path.extension() != ".safetensors") continue;
      std::error_code error;
      // No model's; to hash a sparse one would take hours.
      if (fs::file_size(path, error) > file::kMaxBytes) continue;
      const auto hash = certificate::sha256_hex_of_file(path);
      if (!hash || *hash != sha256) continue;
      auto bytes = file::read(path);
      // Hashed again: the file may be another by now.
      if (bytes && certificate::sha256_hex(*bytes) == sha256) return std::move(*bytes);
    }
    searched += (searched.empty() ? "" : ", ") + folder.string();
  }
  return exact::fail("SP0903", certificate.string(),
                     "no .safetensors file with SHA-256 " + sha256 + " in " + searched +
                         "; give its folder with --models");
}

exact::Result<fs::path> find_claim(const std::string& claim, const std::optional<fs::path>& claims,
                                   const fs::path& certificate) {
  std::vector<fs::path> roots;
  std::error_code error;
  if (claims) {
    roots.push_back(*claims);
  } else {
    roots.push_back(folder_of(certificate) / ".." / "proofs");
    roots.emplace_back("proofs");
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
      roots.push_back(program.parent_path() / ".." / ".." / "proofs");
      roots.push_back(program.parent_path() / ".." / "share" / "sinkproof" / "proofs");
    }
  }
  std::string searched;
  for (const fs::path& root : roots) {
    // Whatever bears the claim's name, a link that leads nowhere too: what is not a folder is
    // rejected.
    if (fs::exists(fs::symlink_status(root / claim, error))) return root / claim;
    searched += (searched.empty() ? "" : ", ") + root.lexically_normal().string();
  }
  return exact::fail("SP0904", certificate.string(),
                     "no folder " + claim + " of a claim in " + searched +
                         "; give the folder that holds it with --claims");
}

}  // namespace sinkproof::check
