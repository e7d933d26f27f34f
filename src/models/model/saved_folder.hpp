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

// `path` itself where it is not a folder. SP1115: a folder without one model.safetensors; the
// message says what it holds instead and how to make one.
exact::Result<SavedModel> find_saved_model(const std::filesystem::path& path);

}  // namespace sinkproof::model
