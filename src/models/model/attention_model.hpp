// An attention model as data: what a checkpoint says, exactly. Names and layouts are PyTorch's
// (nn.Linear weight [out, in], bias [out]); metadata strings are those of docs/DESIGN.md.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certificate/attention.hpp"
#include "certificate/box.hpp"
#include "exact/error.hpp"
#include "exact/matrix.hpp"

namespace sinkproof::model {

// How the logits of a row become its weights: certificate/attention.hpp has the table.
using certificate::Attention;

inline constexpr auto kAttentions = [] {
  std::array<Attention, std::size(certificate::kAttentionKinds)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = certificate::kAttentionKinds[i].attention;
  return all;
}();

// All names, with commas.
std::string attention_names();
// SP1101 for a name that is not in the table.
exact::Result<Attention> parse_attention(const std::string& name, const std::string& where);
using certificate::to_string;

// True for those whose weights are kernels over their sum, a null slot's included.
inline bool is_normalised(Attention attention) {
  return certificate::kind_of(attention).normalised;
}

// One layer, H heads of width d = d_model each: W_Q times the model's scale, W_K, W_V are [H*d, d],
// W_O is [d, H*d]; biases [H*d] and [d], zero where the file has none; the gate [H, d] and [H],
// empty unless kSoftmaxGated; the null slots' logits [H], empty unless kSoftmaxSink.
struct Layer {
  exact::RationalMatrix query;
  exact::RationalMatrix key;
  exact::RationalMatrix value;
  exact::RationalMatrix output;
  std::vector<exact::Rational> query_bias{};
  std::vector<exact::Rational> key_bias{};
  std::vector<exact::Rational> value_bias{};
  std::vector<exact::Rational> output_bias{};
  exact::RationalMatrix gate{};
  std::vector<exact::Rational> gate_bias{};
  std::vector<exact::Rational> sinks{};
};

struct AttentionModel {
  Attention attention = Attention::kSoftmax;
  std::size_t d_model = 0;
  std::size_t num_heads = 1;
  std::size_t length = 0;     // sequence length L
  certificate::Box box = {};  // of the noise
  bool residual = false;
  std::vector<Layer> layers;
  std::string sha256;                  // of the file
  std::vector<std::string> overrides;  // metadata keys whose file value the caller replaced, sorted
  exact::Rational scale = 1;           // of logits: `query` and `query_bias` hold it already
  std::vector<std::string> unread;     // metadata keys that are not known here, sorted
};

// "metadata keys that are not read: rope_base, notes"; "" where all are known. One printable line.
std::string unread_text(const AttentionModel& model);

// What the command line may say instead of, or against, the file's metadata.
struct Overrides {
  std::optional<std::string> attention;
  std::optional<std::size_t> length;
  std::optional<bool> residual;
  std::optional<std::size_t> num_heads;
  std::optional<std::size_t> num_layers;
  std::optional<std::string> scale;  // model/scale_text.hpp
  std::optional<std::string> box;    // model/box_text.hpp
};

// Reads a checkpoint. Its bytes' own errors (SP04xx), at `where`; SP1101 unknown attention kind;
// SP1102 a metadata value that is missing or not of its form, or a key that misspells one which
// nothing else gives; SP1103 a tensor is missing (its name
// is given); SP1104 a shape does not fit the others; SP1105 length below 3 or d_model below 4: not
// the task of docs/THEORY.md section 0. SP1106: a tensor that is not part of such a layer: reading
// the others alone would be about another model than the file's. SP1107: not as many layers as
// metadata num_layers (or its override) says. SP1108: no such noise box.
// SP1109: no such scale.
exact::Result<AttentionModel> read(std::string_view bytes, const std::string& where,
                                   const Overrides& overrides);
// The same of what convert() made, without suggestions in its errors: these try to convert, too.
exact::Result<AttentionModel> read_converted(std::string_view bytes, const std::string& where,
                                             const Overrides& overrides);

// The same of a file. Also SP02xx.
exact::Result<AttentionModel> load(const std::filesystem::path& path, const Overrides& overrides);

}  // namespace sinkproof::model
