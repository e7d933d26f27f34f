// What cuts text into words, within which tokens lie: BertPreTokenizer, ByteLevel, Digits,
// Metaspace, Punctuation, Split, Whitespace, WhitespaceSplit and Sequences of these.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/regex.hpp"

namespace sinkproof::tokenizer {

struct Piece {
  std::string text;       // not empty
  bool at_start = false;  // nothing stands before it in the whole text
};

class PreTokenizer {
 public:
  // The field "pre_tokenizer". Errors as read_steps and read_matcher.
  static exact::Result<PreTokenizer> read(const Value& value, const std::string& where);

  // The words of `piece`. SP2207; SP2208: all of them longer than kMaxText.
  exact::Result<std::vector<Piece>> apply(Piece piece, Work& work) const;

  // Whether a piece at the start of the text is cut as no other is.
  [[nodiscard]] bool needs_start() const { return needs_start_; }

  struct Step {
    std::function<exact::Result<void>(Piece, std::vector<Piece>&, Work&)> append_pieces;
    bool needs_start = false;
  };

 private:
  std::vector<Step> steps_;
  bool needs_start_ = false;
};

}  // namespace sinkproof::tokenizer
