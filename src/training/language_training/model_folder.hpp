// A trained decoder as others read it: a folder with config.json and model.safetensors in the
// layout of Hugging Face's GPT-2 (model_type "gpt2"; Conv1D weights [in, out]; the biases GPT-2 has
// and ours lacks are zeros). What GPT-2 has not is stated by keys of our own, which are there only
// when needed, but for the first:
//   sinkproof_attention  a name of attention_kind.hpp; "softmax" where only the bias of values is
//                        learned, which GPT-2 has
//   sinkproof_window, sinkproof_prefix   Decoder::window and prefix
//   sinkproof_positions  "relative", "alibi" or "rotary" of positions.hpp, with a wpe of zeros;
//                        other positions are GPT-2's, with the fixed rows or zeros in wpe
//   sinkproof_mlp        "swiglu", "geglu" or "reglu" of mlp_kind.hpp; mlp.c_fc then has the gate's
//                        columns first
//   sinkproof_norm       "rms" of norm_kind.hpp; norms then have no biases
//   sinkproof_norm_place "post" of norm_kind.hpp; ln_f is not there
//   bos_token_id         kBos
// and by tensors h.N.attn.sinks [heads], h.N.attn.bias_k and bias_v [width] (the slot's key and
// value, learned or fixed, heads side by side), h.N.attn.gate.weight [heads, width] and .bias
// [heads], h.N.attn.kernel_in.weight and kernel_out.weight [head width, head width],
// relative_attention_bias.weight [32 buckets, heads].
#pragma once

#include <filesystem>

#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

json::Value model_config(const Decoder& decoder);

// `weights` as Layout has them. SP0203.
exact::Result<void> write_model(const Decoder& decoder, const float* weights,
                                const std::filesystem::path& folder);

}  // namespace sinkproof::language_training
