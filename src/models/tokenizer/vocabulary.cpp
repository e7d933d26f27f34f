#include "tokenizer/vocabulary.hpp"

#include <algorithm>
#include <numeric>

namespace sinkproof::tokenizer {
namespace {

tl::unexpected<exact::Error> twice(const std::string& where, const std::string& what) {
  return exact::fail("SP2204", where, what + " is repeated");
}

}  // namespace

exact::Result<Id> read_id(const Value& value, const std::string& where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMaxId) {
    return exact::fail("SP2204", where, "an id must be a whole number from 0 to 2147483647");
  }
  return value.get<Id>();
}

exact::Result<Vocabulary> Vocabulary::of(std::vector<Token> tokens, const std::string& where) {
  Vocabulary made;
  std::sort(tokens.begin(), tokens.end(),
            [](const Token& a, const Token& b) { return a.content < b.content; });
  if (!tokens.empty() && tokens.front().content.empty()) {
    return exact::fail("SP2204", where, "a token is empty");
  }
  const auto same_content =
      std::adjacent_find(tokens.begin(), tokens.end(),
                         [](const Token& a, const Token& b) { return a.content == b.content; });
  if (same_content != tokens.end()) return twice(where, "\"" + same_content->content + "\"");
  made.tokens_ = std::move(tokens);
  made.by_id_.resize(made.tokens_.size());
  std::iota(made.by_id_.begin(), made.by_id_.end(), std::size_t{0});
  const auto id = [&made](std::size_t i) { return made.tokens_[i].id; };
  std::sort(made.by_id_.begin(), made.by_id_.end(),
            [&id](std::size_t a, std::size_t b) { return id(a) < id(b); });
  const auto same_id =
      std::adjacent_find(made.by_id_.begin(), made.by_id_.end(),
                         [&id](std::size_t a, std::size_t b) { return id(a) == id(b); });
  if (same_id != made.by_id_.end()) return twice(where, "id " + std::to_string(id(*same_id)));
  return made;
}

exact::Result<Vocabulary> Vocabulary::read(const Value& vocab, const std::string& where) {
  if (!vocab.is_object() || vocab.empty()) {
    return exact::fail("SP2202", where, "field \"vocab\" must be an object of tokens and ids");
  }
  std::vector<Token> tokens;
  tokens.reserve(vocab.size());
  for (const auto& [content, value] : vocab.items()) {
    const auto id = read_id(value, where + ": \"" + content.substr(0, 80) + "\"");
    if (!id) return tl::make_unexpected(id.error());
    tokens.push_back({content, *id});
  }
  return of(std::move(tokens), where);
}

std::optional<Id> Vocabulary::id_of(std::string_view content) const {
  const auto place = std::lower_bound(
      tokens_.begin(), tokens_.end(), content,
      [](const Token& token, std::string_view wanted) { return token.content < wanted; });
  if (place == tokens_.end() || place->content != content) return std::nullopt;
  return place->id;
}

const Token* Vocabulary::longest_at(std::string_view text, std::size_t least) const {
  const auto place =
      longest_beginning(tokens_.begin(), tokens_.end(), text, least,
                        [](const Token& token) -> const std::string& { return token.content; });
  return place == tokens_.end() ? nullptr : &*place;
}

const std::string* Vocabulary::content_of(Id id) const {
  const auto place =
      std::lower_bound(by_id_.begin(), by_id_.end(), id,
                       [this](std::size_t i, Id wanted) { return tokens_[i].id < wanted; });
  return place == by_id_.end() || tokens_[*place].id != id ? nullptr : &tokens_[*place].content;
}

}  // namespace sinkproof::tokenizer
