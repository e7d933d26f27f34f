#include "tokenizer/word_piece.hpp"

#include <utility>

#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr std::size_t kMaxLength = 500;

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at = next_character(text, at)) ++count;
  return count;
}

}  // namespace

exact::Result<WordPiece> WordPiece::read(const Value& model, const std::string& where) {
  constexpr std::string_view kFields =
      "type vocab unk_token continuing_subword_prefix max_input_chars_per_word";
  if (const auto known = refuse_other_fields(model, kFields, where); !known) {
    return tl::make_unexpected(known.error());
  }
  auto vocabulary = Vocabulary::read(field_or_null(model, "vocab"), where + ".vocab");
  if (!vocabulary) return tl::make_unexpected(vocabulary.error());
  const auto unknown = text_field(model, "unk_token", where);
  if (!unknown) return tl::make_unexpected(unknown.error());
  auto prefix = text_field(model, "continuing_subword_prefix", where);
  if (!prefix) return tl::make_unexpected(prefix.error());
  const auto length = count_field(model, "max_input_chars_per_word", where);
  if (!length) return tl::make_unexpected(length.error());
  if (*length > kMaxLength) {
    return exact::fail("SP2203", where,
                       "max_input_chars_per_word is larger than 500, the most that is supported; "
                       "give token ids instead of text");
  }
  WordPiece made;
  made.unknown_ = vocabulary->id_of(*unknown);
  made.vocabulary_ = std::move(*vocabulary);
  made.prefix_ = std::move(*prefix);
  made.max_length_ = *length;
  made.where_ = where;
  return made;
}

bool WordPiece::append_pieces(std::string_view word, std::vector<Id>& ids) const {
  for (std::size_t at = 0; at < word.size();) {
    const std::string begun = at == 0 ? std::string() : prefix_;
    const auto longest = vocabulary_.longest_at(begun + std::string(word.substr(at)), begun.size());
    if (!longest) return false;
    ids.push_back(longest->id);
    at += longest->content.size() - begun.size();
  }
  return true;
}

exact::Result<void> WordPiece::encode(std::string_view word, std::vector<Id>& ids) const {
  std::vector<Id> pieces;
  if (characters_in(word) <= max_length_ && append_pieces(word, pieces)) {
    ids.insert(ids.end(), pieces.begin(), pieces.end());
    return {};
  }
  if (!unknown_) {
    return exact::fail("SP2209", where_,
                       "the word \"" + std::string(word.substr(0, 80)) +
                           "\" cannot be split into tokens, and unk_token is not in the "
                           "vocabulary; leave the word out of the text");
  }
  ids.push_back(*unknown_);
  return {};
}

}  // namespace sinkproof::tokenizer
