// The attention layer a checkpoint certificate speaks of, read from the model file by the checker
// itself, biases folded in. LAYER_RULES.md section 5.1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/head.hpp"
#include "check/kernel.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

struct Gate {
  std::vector<exact::Rational> weight;  // n
  exact::Rational bias;
};

struct Layer {
  Attention attention;
  std::vector<Head> heads;                // M_h, V_h; at least one
  std::vector<Gate> gates;                // one for each head if gated, else none
  std::vector<exact::Rational> constant;  // o, n

  [[nodiscard]] std::size_t width() const { return heads.front().width; }
  [[nodiscard]] std::size_t noise() const { return heads.front().noise; }
  [[nodiscard]] std::size_t length() const { return heads.front().length; }
  // Section 4 is about these: one softmax head, or one ReLU head without a constant.
  [[nodiscard]] bool is_one_head() const;
};

// The layer in `model_bytes` (whose SHA-256 is known to match) as the certificate describes it,
// when the certificate is within its budget (FORMAT.md section 7). Throws Rejected.
Layer read_layer(const json::Value& certificate, std::string_view model_bytes);

// The SHA-256 the certificate's `model` object names. Throws Rejected.
std::string model_sha256(const json::Value& certificate);

}  // namespace sinkproof::check
