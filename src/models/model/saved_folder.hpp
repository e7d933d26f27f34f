// A model as Hugging Face's save_pretrained leaves it: a folder with config.json and
// model.safetensors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "exact/error.hpp"

namespace sinkproof::model {

struct SavedModel {
  std::filesystem::path file;
  std::optional<std::size_t> num_heads;  // as config.json has it
};

// A folder that audit reads: config.json beside model.safetensors or the index of its shards.
bool is_language_model(const std::filesystem::path& folder);

// config.json's max_position_embeddings, the length that a model is made for; nothing where it has
// none. Learned positions end there; rotary ones go on.
std::optional<std::size_t> positions_of(const std::filesystem::path& folder);

// `path` itself where it is not a folder. SP1115: a folder without one model.safetensors; the
// message says what it holds instead and how to make one.
exact::Result<SavedModel> find_saved_model(const std::filesystem::path& path);

}  // namespace sinkproof::model
