// The "added_tokens" of a tokenizer.json, found in text before it is cut into words: at each place
// the longest, from left to right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/normalizer.hpp"
#include "tokenizer/split.hpp"
#include "tokenizer/vocabulary.hpp"

namespace sinkproof::tokenizer {

struct AddedToken {
  Token token;
  bool special = false;
  bool normalized = false;   // sought in normalized text, as its content normalized
  bool single_word = false;  // not where a word character stands beside it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;
};

// A part of a text: an added token, or text without one.
struct Segment {
  std::optional<Id> id;
  Span span;
};

class AddedTokens {
 public:
  // The field "added_tokens"; null: none. SP2202; SP2203: another field; SP2204: as Vocabulary, an
  // id that the tokenizers library would not give the token, more than 4096 bytes.
  static exact::Result<AddedTokens> read(const Value& list, const Vocabulary& model,
                                         const Normalizer& normalizer, const std::string& where);

  // Cuts `text` at the tokens sought before it is normalized, or after (`normalized`).
  [[nodiscard]] std::vector<Segment> segments(std::string_view text, bool normalized) const;

  // Whether what stands beside a token decides: classes of characters matter.
  [[nodiscard]] bool has_single_words() const { return single_words_; }

  [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  struct Sought {
    std::string content;
    std::size_t token = 0;
  };

  std::vector<AddedToken> tokens_;
  std::vector<Sought> raw_;         // by content
  std::vector<Sought> normalized_;  // by content
  Vocabulary vocabulary_;
  bool single_words_ = false;
};

}  // namespace sinkproof::tokenizer
