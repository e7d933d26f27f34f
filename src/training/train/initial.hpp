// Given weights for a run to start from: a checkpoint's, or a construction's.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

struct Initial {
  std::string sha256;                                 // of the file they are from
  std::map<std::string, std::vector<float>> tensors;  // names and layouts of parameters.hpp
};

// A checkpoint's weights, each the float next to what the file says. SP02xx, SP0401 to SP0405 as
// reading files and safetensors say; SP1008: it has not the tensors of this shape, or a value is
// beyond the range of floats.
exact::Result<Initial> read_initial(const std::filesystem::path& path, const Shape& shape);

}  // namespace sinkproof::train
