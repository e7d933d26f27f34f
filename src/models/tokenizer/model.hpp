// The model of a tokenizer.json: what makes ids of a word.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/byte_pair.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/vocabulary.hpp"
#include "tokenizer/word_piece.hpp"

namespace sinkproof::tokenizer {

class Model {
 public:
  // The field "model". SP2203: neither BPE nor WordPiece; errors as BytePair and WordPiece.
  static exact::Result<Model> read(const Value& model, const std::string& where);

  // Appends the ids of `word`, UTF-8. SP2209.
  exact::Result<void> encode(std::string_view word, std::vector<Id>& ids) const;

  [[nodiscard]] const Vocabulary& vocabulary() const;

 private:
  std::variant<BytePair, WordPiece> model_;
};

}  // namespace sinkproof::tokenizer
