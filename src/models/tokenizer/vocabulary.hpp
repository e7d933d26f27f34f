// Which id a token has, and which token an id. Sorted lists, so that no choice of tokens makes a
// look-up slow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"

namespace sinkproof::tokenizer {

using Id = std::uint32_t;

inline constexpr Id kMaxId = 0x7FFFFFFF;

// SP2204: not a whole number of 0 ... 2^31 - 1.
exact::Result<Id> read_id(const Value& value, const std::string& where);

struct Token {
  std::string content;
  Id id = 0;
};

// The last of `sorted`, ordered by content, that `text` begins with and that has more than `least`
// bytes; of equal contents the first. Narrows the list by a byte at a time.
template <typename Iterator, typename Content>
Iterator longest_beginning(Iterator begin, Iterator end, std::string_view text, std::size_t least,
                           Content content) {
  Iterator first = begin;
  Iterator last = end;
  Iterator longest = end;
  for (std::size_t length = 0; first != last && length < text.size();) {
    const auto byte = static_cast<unsigned char>(text[length]);
    first = std::partition_point(first, last, [&](const auto& one) {
      return content(one).size() <= length ||
             static_cast<unsigned char>(content(one)[length]) < byte;
    });
    last = std::partition_point(first, last, [&](const auto& one) {
      return static_cast<unsigned char>(content(one)[length]) == byte;
    });
    ++length;
    if (first != last && content(*first).size() == length && length > least) longest = first;
  }
  return longest;
}

class Vocabulary {
 public:
  // SP2204: a content or an id twice, a content without a byte.
  static exact::Result<Vocabulary> of(std::vector<Token> tokens, const std::string& where);

  // The field "vocab" of a model, an object of tokens and their ids. SP2202: another form; SP2204.
  static exact::Result<Vocabulary> read(const Value& vocab, const std::string& where);

  [[nodiscard]] std::optional<Id> id_of(std::string_view content) const;
  // The longest token of more than `least` bytes that `text` begins with; null: none.
  [[nodiscard]] const Token* longest_at(std::string_view text, std::size_t least) const;
  [[nodiscard]] const std::string* content_of(Id id) const;                   // null: no such id
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }  // by content

 private:
  std::vector<Token> tokens_;
  std::vector<std::size_t> by_id_;
};

}  // namespace sinkproof::tokenizer
