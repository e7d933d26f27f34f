#include "output/paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace sinkproof::output {
namespace {

namespace fs = std::filesystem;
using exact::fail;
using exact::Result;

// Device, inode, and the name of a file that is not there yet in the folder of that inode.
using Identity = std::tuple<dev_t, ino_t, std::string>;

struct Found {
  int error = 0;  // errno; ENOENT: there is nothing of this name
  struct stat status = {};

  explicit Found(const fs::path& path) {
    if (::stat(path.c_str(), &status) != 0) error = errno;
  }
  [[nodiscard]] bool is_folder() const { return error == 0 && S_ISDIR(status.st_mode); }
  [[nodiscard]] bool is_file() const { return error == 0 && S_ISREG(status.st_mode); }
  [[nodiscard]] Identity identity(std::string name = {}) const {
    return {status.st_dev, status.st_ino, std::move(name)};
  }
};

struct Input {
  std::string option;
  fs::path path;
};
using Inputs = std::map<Identity, Input>;

Inputs& inputs() {
  static Inputs all;
  return all;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// Files of a model: checkpoints and shards, and what Hugging Face folders have beside them.
bool is_of_model(const fs::path& path) {
  constexpr std::string_view kNames[] = {"config.json",
                                         "generation_config.json",
                                         "tokenizer.json",
                                         "tokenizer_config.json",
                                         "special_tokens_map.json",
                                         "added_tokens.json",
                                         "vocab.json",
                                         "merges.txt",
                                         "model.safetensors.index.json"};
  return path.extension() == ".safetensors" ||
         std::find(std::begin(kNames), std::end(kNames), path.filename().string()) !=
             std::end(kNames);
}

// Files below a folder: of models, in it and in its folders, or all of them.
void add_folder(const UsedPath& used, const fs::path& folder, bool all, Inputs& found) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!all && entry.depth() > 0) entry.disable_recursion_pending();
    if (!all && !is_of_model(entry->path())) continue;
    const Found file(entry->path());
    if (file.is_file()) found.try_emplace(file.identity(), Input{used.option, entry->path()});
  }
}

// `walked`: folders of certificates whose models are found already.
void add_input(const UsedPath& used, std::set<fs::path>& walked, Inputs& found) {
  const Found file(used.path);
  if (file.is_file()) found.insert_or_assign(file.identity(), Input{used.option, used.path});
  if (file.is_folder()) add_folder(used, used.path, used.use == Use::kReadsAll, found);
  if (used.use == Use::kReadsCertificate && walked.insert(folder_of(used.path)).second) {
    add_folder(used, folder_of(used.path), false, found);
  }
}

Result<void> check_folder(const UsedPath& used, const fs::path& folder) {
  const Found found(folder);
  if (found.is_folder() && ::access(folder.c_str(), W_OK | X_OK) == 0) return {};
  const std::string where = used.option + " " + used.path.string();
  if (found.is_folder()) {
    return fail("SP0203", where,
                "cannot be written: " + std::string(std::strerror(errno)) + " in the folder " +
                    folder.string() + ". Name a file in a folder that you may write to");
  }
  if (found.error == ENOENT) {
    return fail("SP0203", where,
                "cannot be written: the folder " + folder.string() +
                    " does not exist. Make it with: mkdir -p '" + folder.string() + "'");
  }
  const std::string why = found.error == 0 ? "is not a folder" : std::strerror(found.error);
  return fail("SP0203", where,
              "cannot be written: " + folder.string() + ": " + why +
                  ". Name a file in a folder that exists");
}

Result<void> is_input(const UsedPath& used, const Input& input) {
  return fail("SP0204", used.option + " " + used.path.string(),
              "is " + input.path.string() + ", which " + input.option +
                  " reads. Give the output another name");
}

Result<void> is_second(const UsedPath& used, const UsedPath& other) {
  return fail(
      "SP0204", used.option + " " + used.path.string(),
      "writes the file of " + other.option + " as well. Give the two outputs different names");
}

// What an output is known by.
Result<Identity> output_identity(const UsedPath& used, const Inputs& read) {
  const std::string where = used.option + " " + used.path.string();
  const Found found(used.path);
  if (found.is_folder()) {
    return fail("SP0203", where,
                "is a folder; expected the name of a file. Name one in it, such as " +
                    (used.path / "NAME").string());
  }
  if (found.error == 0 && !found.is_file()) {
    return fail("SP0203", where,
                "is not a regular file, and sinkproof does not write to devices or pipes. Name a "
                "file in a folder");
  }
  if (found.error != 0 && found.error != ENOENT && found.error != ENOTDIR) {
    return fail(
        "SP0203", where,
        "cannot be written: " + std::string(std::strerror(found.error)) + ". Give it another name");
  }
  if (!used.path.has_filename()) {
    return fail("SP0203", where, "is not a file name. Add the name of a file to the folder");
  }
  const fs::path folder = folder_of(used.path);
  if (auto fits = check_folder(used, folder); !fits) return tl::unexpected(fits.error());
  if (found.error != 0) return Found(folder).identity(used.path.filename().string());
  const auto input = read.find(found.identity());
  if (input == read.end()) return found.identity();
  return tl::unexpected(is_input(used, input->second).error());
}

// Names that begin with a path: none of the files that have such a name may be an input, and none
// of the outputs may get one.
Result<void> check_beginning(const UsedPath& used, const Inputs& read,
                             const std::vector<UsedPath>& paths) {
  const fs::path folder = folder_of(used.path);
  if (auto fits = check_folder(used, folder); !fits) return fits;
  const auto is_name = [&](const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with(used.path.filename().string()) && name.ends_with(".safetensors");
  };
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto input = read.find(Found(entry->path()).identity());
    if (input != read.end() && is_name(entry->path())) return is_input(used, input->second);
  }
  for (const UsedPath& other : paths) {
    const bool same_folder = Found(folder_of(other.path)).identity() == Found(folder).identity();
    if (other.use == Use::kWrites && same_folder && is_name(other.path)) {
      return is_second(used, other);
    }
  }
  return {};
}

// A folder that exists, or whose nearest parent that does may get it.
Result<void> check_output_folder(const UsedPath& used) {
  fs::path folder = used.path;
  while (Found(folder).error == ENOENT && folder_of(folder) != folder) folder = folder_of(folder);
  return check_folder(used, folder);
}

bool is_written(Use use) { return use >= Use::kWrites; }

}  // namespace

Result<void> check_paths(const std::vector<UsedPath>& paths) {
  Inputs read;
  std::set<fs::path> walked;
  for (const UsedPath& used : paths) {
    if (!is_written(used.use)) add_input(used, walked, read);
  }
  inputs() = read;
  for (const UsedPath& used : paths) {  // its own command replaces these files, no other output
    if (used.use == Use::kReadsAndWritesFolder) add_folder(used, used.path, true, read);
  }
  std::map<Identity, UsedPath> outputs;
  for (const UsedPath& used : paths) {
    Result<void> fits;
    if (used.use == Use::kWritesFolder || used.use == Use::kReadsAndWritesFolder) {
      fits = check_output_folder(used);
    } else if (used.use == Use::kWritesBeginning) {
      fits = check_beginning(used, read, paths);
    } else if (used.use == Use::kWrites) {
      const auto identity = output_identity(used, read);
      if (!identity) return tl::unexpected(identity.error());
      const auto [other, is_new] = outputs.try_emplace(*identity, used);
      if (!is_new) fits = is_second(used, other->second);
    }
    if (!fits) return fits;
  }
  return {};
}

Result<void> check_not_read(const fs::path& path) {
  if (inputs().empty()) return {};
  const Found found(path);
  const auto input = found.is_file() ? inputs().find(found.identity()) : inputs().end();
  if (input == inputs().end()) return {};
  return fail("SP0204", path.string(),
              "is " + input->second.path.string() + ", which " + input->second.option +
                  " reads, and is not replaced. Send the output to another folder");
}

}  // namespace sinkproof::output
