// From tokens back to text: ByteLevel, Metaspace, ByteFallback, Fuse, Strip, Replace, WordPiece and
// Sequences of these.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"

namespace sinkproof::tokenizer {

class Decoder {
 public:
  // The field "decoder"; null: tokens are joined by spaces. Errors as read_steps and read_matcher.
  static exact::Result<Decoder> read(const Value& value, const std::string& where);

  // The text of a row of tokens, UTF-8: bytes that make no character become U+FFFD. SP2207; SP2208:
  // longer than kMaxText.
  exact::Result<std::string> text(std::vector<std::string> tokens) const;

  // The bytes a token stands for within a text: nothing is stripped for being first.
  exact::Result<std::string> bytes_of(std::string token) const;

  struct Step {
    std::function<exact::Result<void>(std::vector<std::string>&)> row;
    std::function<exact::Result<std::string>(const std::string&)> alone;  // may be empty: as it is
  };

 private:
  std::vector<Step> steps_;
};

}  // namespace sinkproof::tokenizer
