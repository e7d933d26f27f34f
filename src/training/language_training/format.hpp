// In which format a decoder is stored: that of the architecture of the checker's tables
// (language/architecture.hpp) that computes what the decoder computes, or where none does, our own
// (model_folder.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/strict.hpp"
#include "language/architecture.hpp"
#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

struct Format {
  const language::Architecture* architecture = nullptr;  // the one with the fewest `changes`
  std::string_view program;                              // transformers' class of it
  std::vector<std::string> changes;  // options with which `train-lm` gives what it computes

  [[nodiscard]] bool is_own() const { return !changes.empty(); }
  // "llama with --positions rotary"; "" if nothing has to change.
  [[nodiscard]] std::string nearest() const;
};

Format format_of(const Decoder& decoder);

// config.json. Every key that transformers would read with another default is there.
json::Value config_of(const Decoder& decoder);

}  // namespace sinkproof::language_training
