// An attention model as data: what a checkpoint says, exactly. Names and layouts are PyTorch's
// (nn.Linear weight [out, in], no bias); metadata strings are those of docs/DESIGN.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/matrix.hpp"

namespace sinkproof::model {

enum class Attention { kSoftmax, kRelu };

// "softmax" | "relu". SP1101 for anything else.
exact::Result<Attention> parse_attention(const std::string& name, const std::string& where);
std::string to_string(Attention attention);

// One layer, H heads of width d = d_model each: W_Q, W_K, W_V are [H*d, d], W_O is [d, H*d].
struct Layer {
  exact::RationalMatrix query;
  exact::RationalMatrix key;
  exact::RationalMatrix value;
  exact::RationalMatrix output;
};

struct AttentionModel {
  Attention attention = Attention::kSoftmax;
  std::size_t d_model = 0;
  std::size_t num_heads = 1;
  std::size_t length = 0;  // sequence length L
  bool residual = false;
  std::vector<Layer> layers;
  std::string sha256;                  // of the file
  std::vector<std::string> overrides;  // metadata keys whose file value the caller replaced, sorted
};

// What the command line may say instead of, or against, the file's metadata.
struct Overrides {
  std::optional<std::string> attention;
  std::optional<std::size_t> length;
  std::optional<bool> residual;
  std::optional<std::size_t> num_heads;
};

// Reads a checkpoint. The file's own errors (SP02xx, SP04xx); SP1101 unknown attention kind; SP1102
// a metadata value that is missing or not of its form; SP1103 a tensor is missing (its name is
// given); SP1104 a shape does not fit the others; SP1105 length below 3 or d_model below 4: not the
// task of docs/THEORY.md section 0.
// SP1106: a tensor named *.bias.
exact::Result<AttentionModel> load(const std::filesystem::path& path, const Overrides& overrides);

}  // namespace sinkproof::model
