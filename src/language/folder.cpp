#include "language/folder.hpp"

#include <set>
#include <system_error>
#include <utility>

#include "certificate/sha256.hpp"
#include "certificate/strict.hpp"
#include "json/strict.hpp"

namespace sinkproof::language {
namespace {

namespace fs = std::filesystem;
using certificate::require;
using certificate::value_of;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kWrong = "SP2005";
constexpr std::uint64_t kMostConfig = std::uint64_t{4} << 20U;
constexpr std::uint64_t kMostIndex = std::uint64_t{64} << 20U;

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
  require(index.is_object() && index.contains("weight_map") && index["weight_map"].is_object(),
          where, "must be an object with an object weight_map", kWrong);
  std::map<std::string, std::set<std::string>> shards;
  for (const auto& [tensor, shard] : index["weight_map"].items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : "";
    require(!name.empty() && fs::path(name).filename() == name && name.ends_with(".safetensors"),
            where, "tensor " + tensor + ": must be in a .safetensors file of the same folder",
            kWrong);
    shards[name].insert(tensor);
  }
  return shards;
}

// Opens the files one after the other.
class Opening {
 public:
  Opening(const fs::path& path, std::vector<file::Mapped>& mapped, Tensors& tensors,
          std::map<std::string, std::string>& files)
      : path_(path), mapped_(mapped), tensors_(tensors), files_(files) {}

  std::string small_file(const std::string& name, std::uint64_t most) {
    std::string bytes = value_of(file::read(path_ / name, most));
    files_[name] = certificate::sha256_hex(bytes);
    return bytes;
  }

  // All of the file's tensors, or exactly these.
  void weights(const std::string& name, const std::set<std::string>* named) {
    const std::string where = (path_ / name).string();
    mapped_.push_back(value_of(file::map(path_ / name)));
    const std::string_view bytes = mapped_.back().bytes();
    auto views = value_of(safetensors::parse_views(bytes, where));
    files_[name] = certificate::sha256_hex(bytes);
    if (named != nullptr) check_names(views, *named, where);
    for (auto& [tensor, view] : views.tensors) {
      require(tensors_.emplace(tensor, std::move(view)).second, where,
              "tensor " + tensor + " is in two shards", kWrong);
    }
  }

 private:
  static void check_names(const safetensors::Views& views, const std::set<std::string>& named,
                          const std::string& where) {
    for (const std::string& tensor : named) {
      require(views.tensors.contains(tensor), where,
              "tensor " + tensor + " is in the index and not in the shard", kWrong);
    }
    for (const auto& [tensor, view] : views.tensors) {
      require(named.contains(tensor), where,
              "tensor " + tensor + " is in the shard and not in the index", kWrong);
    }
  }

  const fs::path& path_;
  std::vector<file::Mapped>& mapped_;
  Tensors& tensors_;
  std::map<std::string, std::string>& files_;
};

}  // namespace

std::uint64_t Folder::weight_bytes() const {
  std::uint64_t bytes = 0;
  for (const file::Mapped& file : mapped_) bytes += file.bytes().size();
  return bytes;
}

exact::Result<std::unique_ptr<Folder>> open_folder(const fs::path& path) {
  return certificate::result_of([&] {
    std::error_code error;
    const bool single = fs::exists(path / kWeights, error);
    const bool sharded = fs::exists(path / kIndex, error);
    require(fs::exists(path / kConfig, error) && (single || sharded), path.string(),
            "must hold config.json and model.safetensors, or model.safetensors.index.json and its "
            "shards; it holds " +
                what_is_in(path),
            "SP2004");
    std::unique_ptr<Folder> folder(new Folder);
    Opening opening(path, folder->mapped_, folder->tensors_, folder->files_);
    const Config config =
        read_config(opening.small_file(kConfig, kMostConfig), (path / kConfig).string());
    if (single) {
      opening.weights(kWeights, nullptr);
    } else {
      const auto shards =
          read_index(opening.small_file(kIndex, kMostIndex), (path / kIndex).string());
      for (const auto& [name, tensors] : shards) opening.weights(name, &tensors);
    }
    folder->model_ = read_model(config, folder->tensors_, path.string());
    return folder;
  });
}

}  // namespace sinkproof::language
