// The WordPiece model (BERT): a word is the longest token that begins it, then the longest
// continuing token ("##ing") at each further place, or one unknown token where that does not reach
// its end. Wu et al., arXiv:1609.08144, section 4.1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/vocabulary.hpp"

namespace sinkproof::tokenizer {

class WordPiece {
 public:
  // The field "model" of a tokenizer.json. SP2202; SP2203: another field, or words of more than
  // 500 characters, which would take long; SP2204 as Vocabulary.
  static exact::Result<WordPiece> read(const Value& model, const std::string& where);

  // Appends the ids of `word`, UTF-8. SP2209: it is unknown, and unk_token is not in the
  // vocabulary.
  exact::Result<void> encode(std::string_view word, std::vector<Id>& ids) const;

  [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  bool append_pieces(std::string_view word, std::vector<Id>& ids) const;

  Vocabulary vocabulary_;
  std::optional<Id> unknown_;
  std::string prefix_;          // of continuing tokens
  std::size_t max_length_ = 0;  // characters; a longer word is unknown
  std::string where_;
};

}  // namespace sinkproof::tokenizer
