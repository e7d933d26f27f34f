#include "model/saved_folder.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "file/file.hpp"
#include "json/visible.hpp"
#include "model/foreign_file.hpp"

namespace sinkproof::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxConfig = std::uint64_t{1} << 20U;

// Its families have three names for it. JSON as anybody writes it, with fractions.
std::optional<std::size_t> heads_of(const fs::path& config) {
  const auto text = file::read(config, kMaxConfig);
  if (!text) return std::nullopt;
  const auto value = nlohmann::json::parse(*text, nullptr, false);
  for (const char* key : {"num_attention_heads", "n_head", "num_heads"}) {
    if (value.is_object() && value.contains(key) && value[key].is_number_unsigned()) {
      return value[key].get<std::size_t>();
    }
  }
  return std::nullopt;
}

std::string how_to_make_one(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "model.safetensors.index.json", ignored)) {
    return "the model is split into several files; save it as one in Python: "
           "AutoModel.from_pretrained(\"" +
           json::visible(folder.string()) +
           "\").save_pretrained(\"one-file\", max_shard_size=\"1TB\")";
  }
  if (const auto file = torch_file_in(folder)) return torch_save_words(*file);
  return "name the model's file, or a folder written by save_pretrained";
}

}  // namespace

exact::Result<SavedModel> find_saved_model(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return SavedModel{path, std::nullopt};
  if (fs::exists(path / "model.safetensors", ignored)) {
    return SavedModel{path / "model.safetensors", heads_of(path / "config.json")};
  }
  return exact::fail_with_lines("SP1115", path.string(),
                                "holds no model.safetensors: " + how_to_make_one(path));
}

}  // namespace sinkproof::model
