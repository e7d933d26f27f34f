#include "language/folder.hpp"

#include <set>
#include <system_error>
#include <utility>

#include "certificate/sha256.hpp"
#include "certificate/strict.hpp"
#include "json/decimals.hpp"
#include "json/visible.hpp"

namespace sinkproof::language {
namespace {

namespace fs = std::filesystem;
using certificate::require;
using certificate::value_of;

constexpr const char* kConfig = "config.json";
constexpr const char* kAdapter = "adapter_config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::uint64_t kMostConfig = std::uint64_t{4} << 20U;
constexpr std::uint64_t kMostIndex = std::uint64_t{64} << 20U;

// Of an index and the shards it names.
void require_shards(bool holds, const std::string& where, const std::string& what) {
  require(holds, where, what + "; copy the index and all shards again from one source", "SP2005");
}

std::string what_is_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.insert(entry->path().filename().string());
  }
  std::string text;
  for (const std::string& name : names) {
    if (text.size() > 200) return text + ", ...";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "nothing" : text;
}

// Tensor names by shard.
std::map<std::string, std::set<std::string>> read_index(const std::string& bytes,
                                                        const std::string& where) {
  const json::Value index = value_of(json::parse_with_decimals(bytes, where));
  require_shards(
      index.is_object() && index.contains("weight_map") && index["weight_map"].is_object(), where,
      "must be an object with an object weight_map");
  std::map<std::string, std::set<std::string>> shards;
  for (const auto& [tensor, shard] : index["weight_map"].items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : "";
    require_shards(
        !name.empty() && fs::path(name).filename() == name && name.ends_with(".safetensors"), where,
        "tensor " + json::shown_key(tensor) +
            ": must be in a .safetensors file of the same folder");
    shards[name].insert(tensor);
  }
  return shards;
}

// Exactly the tensors named are there.
void check_names(const Tensors& views, const std::set<std::string>& named,
                 const std::string& where) {
  for (const std::string& tensor : named) {
    require_shards(views.contains(tensor), where,
                   "tensor " + json::shown_key(tensor) + " is in the index and not in the shard");
  }
  for (const auto& [tensor, view] : views) {
    require_shards(named.contains(tensor), where,
                   "tensor " + json::shown_key(tensor) + " is in the shard and not in the index");
  }
}

}  // namespace

std::uint64_t Folder::weight_bytes() const {
  std::uint64_t bytes = 0;
  for (const file::Mapped& file : mapped_) bytes += file.bytes().size();
  return bytes;
}

std::string Folder::text(const fs::path& path, std::uint64_t most) {
  std::string bytes = value_of(file::read(path, most));
  file::refuse_pointer(bytes, path.string());
  files_[path.filename().string()] = certificate::sha256_hex(bytes);
  return bytes;
}

// All of the file's tensors, or exactly these.
void Folder::map(const fs::path& path, const std::set<std::string>* named) {
  const std::string where = path.string();
  mapped_.push_back(value_of(file::map(path)));
  const std::string_view bytes = mapped_.back().bytes();
  file::refuse_pointer(bytes, where);
  auto views = value_of(safetensors::parse_views(bytes, where));
  files_[path.filename().string()] = certificate::sha256_hex(bytes);
  if (named != nullptr) check_names(views.tensors, *named, where);
  for (auto& [tensor, view] : views.tensors) {
    require_shards(tensors_.emplace(tensor, std::move(view)).second, where,
                   "tensor " + json::shown_key(tensor) + " is in two shards");
  }
}

Folder::Folder(const fs::path& path, const std::set<std::string>& assumed_neutral) {
  std::error_code error;
  require(fs::is_directory(path, error), path.string(),
          "is not a folder; name the one that holds the model's config.json and weights", "SP2004");
  const bool single = fs::exists(path / kWeights, error);
  const bool sharded = fs::exists(path / kIndex, error);
  require(fs::exists(path / kConfig, error) && (single || sharded), path.string(),
          "must hold config.json and model.safetensors, or model.safetensors.index.json and its "
          "shards; it holds " +
              what_is_in(path) + "; copy the model's whole folder",
          "SP2004");
  require(!fs::exists(path / kAdapter, error), path.string(),
          "holds an adapter (adapter_config.json), and adapters are not supported; in Python call "
          "model.merge_and_unload() and save_pretrained(FOLDER), and read FOLDER",
          "SP2004");
  const fs::path config = path / kConfig;
  const Config read = read_config(text(config, kMostConfig), config.string(), assumed_neutral);
  if (single) {
    map(path / kWeights, nullptr);
  } else {
    const fs::path index = path / kIndex;
    for (const auto& [name, tensors] : read_index(text(index, kMostIndex), index.string())) {
      map(path / name, &tensors);
    }
  }
  model_ = read_model(read, tensors_, path.string());
}

exact::Result<std::unique_ptr<Folder>> open_folder(const fs::path& path,
                                                   const std::set<std::string>& assumed_neutral) {
  return certificate::result_of(
      [&] { return std::unique_ptr<Folder>(new Folder(path, assumed_neutral)); });
}

}  // namespace sinkproof::language
