// A small random model of any architecture: the tensors that its table names.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "json/strict.hpp"
#include "language/model.hpp"

namespace sinkproof {

// 8 wide, 2 layers of 2 heads, 11 tokens, 6 positions where these are learned.
inline constexpr std::size_t kTinyWidth = 8;
inline constexpr std::size_t kTinyTokens = 11;
inline constexpr std::size_t kTinyPositions = 6;

struct TinyModel {
  json::Value config;
  std::map<std::string, safetensors::Tensor> kept;

  // The files' model, or why it is none. What it reads stays here.
  [[nodiscard]] exact::Result<language::Config> read_config() const;
  exact::Result<language::Model> read();

 private:
  language::Tensors views_;
};

// `keys` go into config.json beside what every model says.
TinyModel tiny_model(const std::string& model_type, const json::Value& keys, std::uint64_t seed);

}  // namespace sinkproof
