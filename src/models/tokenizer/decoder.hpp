// From a token back to what it stands for: ByteLevel, Metaspace, ByteFallback, Fuse, Strip,
// Replace, WordPiece and Sequences of these.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"

namespace sinkproof::tokenizer {

class Decoder {
 public:
  // The field "decoder"; null: tokens stand for themselves. Errors as read_steps and read_matcher.
  static exact::Result<Decoder> read(const Value& value, const std::string& where);

  // The bytes a token stands for within a text: nothing is stripped for being first.
  exact::Result<std::string> bytes_of(std::string token) const;

  // Of one token; empty: as it is.
  using Step = std::function<exact::Result<std::string>(const std::string&)>;

 private:
  std::vector<Step> steps_;
};

}  // namespace sinkproof::tokenizer
