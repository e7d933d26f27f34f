// A trained decoder as others read it: a folder with config.json and model.safetensors of
// format.hpp, as transformers writes them. Biases that the architecture has and the decoder lacks
// are zeros, and so are learned positions where the decoder has none; sinusoids are stored as
// learned ones.
//
// What no architecture computes has model_type "sinkproof_decoder": keys of config.json are then
// the settings of a run, by their names in log.json, and tensors are those of decoder.hpp, with
//   wpe.weight      [length, width]: the sinusoids, where positions are absolute
//   h.N.attn.bias_v [width]: the fixed value of a slot, heads side by side
// `sinkproof_nearest` says which architecture computes the most of it, and what it does not.
#pragma once

#include <filesystem>

#include "exact/error.hpp"
#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

// `weights` as Layout has them. SP0203.
exact::Result<void> write_model(const Decoder& decoder, const float* weights,
                                const std::filesystem::path& folder);

}  // namespace sinkproof::language_training
