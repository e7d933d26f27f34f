#include "model/saved_folder.hpp"

#include <initializer_list>
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

// Under the first of these names that is there. JSON as anybody writes it, with fractions.
std::optional<std::size_t> number_in(const fs::path& config,
                                     std::initializer_list<const char*> names) {
  const auto text = file::read(config, kMaxConfig);
  if (!text) return std::nullopt;
  const auto value = nlohmann::json::parse(*text, nullptr, false);
  for (const char* key : names) {
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

bool is_language_model(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "config.json", ignored) &&
         (fs::exists(folder / "model.safetensors", ignored) ||
          fs::exists(folder / "model.safetensors.index.json", ignored));
}

std::optional<std::size_t> positions_of(const fs::path& folder) {
  return number_in(folder / "config.json", {"max_position_embeddings"});
}

exact::Result<SavedModel> find_saved_model(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return SavedModel{path, std::nullopt};
  if (fs::exists(path / "model.safetensors", ignored)) {
    return SavedModel{
        path / "model.safetensors",
        number_in(path / "config.json", {"num_attention_heads", "n_head", "num_heads"})};
  }
  return exact::fail_with_lines("SP1115", path.string(),
                                "holds no model.safetensors: " + how_to_make_one(path));
}

}  // namespace sinkproof::model
