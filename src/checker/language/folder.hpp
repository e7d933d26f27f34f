// A Hugging Face folder: config.json and the weights in one model.safetensors or in shards with
// their index, mapped into memory. What a certificate names are the SHA-256 of these files.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "file/file.hpp"
#include "language/model.hpp"

namespace sinkproof::language {

class Folder {
 public:
  [[nodiscard]] const Model& model() const { return model_; }
  // SHA-256 by name: config.json, model.safetensors or the index and the shards it names.
  [[nodiscard]] const std::map<std::string, std::string>& files() const { return files_; }
  // Of the weight files together.
  [[nodiscard]] std::uint64_t weight_bytes() const;

 private:
  friend exact::Result<std::unique_ptr<Folder>> open_folder(
      const std::filesystem::path& path, const std::set<std::string>& assumed_neutral);
  Folder(const std::filesystem::path& path, const std::set<std::string>& assumed_neutral);
  std::string text(const std::filesystem::path& path, std::uint64_t most);
  void map(const std::filesystem::path& path, const std::set<std::string>* named);

  std::vector<file::Mapped> mapped_;
  Tensors tensors_;
  Model model_;
  std::map<std::string, std::string> files_;
};

// SP2004: no config.json, or no weights beside it (what was found is named). SP2005: the index is
// not of its form, names a file outside the folder, one that is not there or a tensor that is not
// in it, or shards hold a tensor twice or one the index does not name. SP0205: one of the files is
// a Git LFS pointer. Errors of the files' own readers, of read_config and of read_model.
exact::Result<std::unique_ptr<Folder>> open_folder(
    const std::filesystem::path& path, const std::set<std::string>& assumed_neutral = {});

}  // namespace sinkproof::language
