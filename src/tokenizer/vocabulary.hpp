// Which id a token has, and which token an id. Sorted lists, so that no choice of tokens makes a
// look-up slow.
#pragma once

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

class Vocabulary {
 public:
  // SP2204: a content or an id twice, a content without a byte.
  static exact::Result<Vocabulary> of(std::vector<Token> tokens, const std::string& where);

  [[nodiscard]] std::optional<Id> id_of(std::string_view content) const;
  [[nodiscard]] const std::string* content_of(Id id) const;                   // null: no such id
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }  // by content

 private:
  std::vector<Token> tokens_;
  std::vector<std::size_t> by_id_;
};

}  // namespace sinkproof::tokenizer
