#include "tokenizer/added_tokens.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr std::size_t kMaxContent = 4096;

exact::Result<AddedToken> read_token(const Value& object, const std::string& where) {
  AddedToken made;
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  if (content->size() > kMaxContent) {
    return exact::fail("SP2204", where, "an added token of more than 4096 bytes");
  }
  const auto id = read_id(field_or_null(object, "id"), where);
  if (!id) return tl::make_unexpected(id.error());
  made.token = {*content, *id};
  const auto special = flag_field(object, "special", false, where);
  if (!special) return tl::make_unexpected(special.error());
  made.special = *special;
  const std::array<std::pair<const char*, bool AddedToken::*>, 4> flags = {{
      {"normalized", &AddedToken::normalized},
      {"single_word", &AddedToken::single_word},
      {"lstrip", &AddedToken::lstrip},
      {"rstrip", &AddedToken::rstrip},
  }};
  for (const auto& [key, member] : flags) {
    const bool otherwise = member == &AddedToken::normalized && !made.special;
    const auto flag = flag_field(object, key, otherwise, where);
    if (!flag) return tl::make_unexpected(flag.error());
    made.*member = *flag;
  }
  return made;
}

exact::Result<void> refuse_contradiction(const Token& token, const Vocabulary& model,
                                         const std::string& where) {
  const auto id = model.id_of(token.content);
  const std::string* const content = model.content_of(token.id);
  if (id.value_or(token.id) == token.id && (content == nullptr || *content == token.content)) {
    return {};
  }
  return exact::fail("SP2204", where,
                     "\"" + token.content.substr(0, 80) + "\" with id " + std::to_string(token.id) +
                         " contradicts the model's vocabulary");
}

bool stands_alone(std::string_view text, const Span& span) {
  const auto is_word = [&text](std::size_t at) {
    return is_word_character(character_at(text, at).value);
  };
  return (span.begin == 0 || !is_word(previous_character(text, span.begin))) &&
         (span.end == text.size() || !is_word(span.end));
}

// The beginning of the white space before `at`, no further than `from`; the end of that after it.
std::size_t white_space_before(std::string_view text, std::size_t at, std::size_t from) {
  while (at > from) {
    const std::size_t before = previous_character(text, at);
    if (!is_white_space(character_at(text, before).value)) break;
    at = before;
  }
  return at;
}

std::size_t white_space_after(std::string_view text, std::size_t at) {
  while (at < text.size() && is_white_space(character_at(text, at).value)) {
    at = next_character(text, at);
  }
  return at;
}

}  // namespace

exact::Result<AddedTokens> AddedTokens::read(const Value& list, const Vocabulary& model,
                                             const Normalizer& normalizer,
                                             const std::string& where) {
  AddedTokens made;
  if (!list.is_array() && !list.is_null()) return exact::fail("SP2202", where, "is no list");
  std::vector<Token> contents;
  Work work;
  for (const Value& object : list) {
    auto token = read_token(object, where);
    if (!token) return tl::make_unexpected(token.error());
    const auto agrees = refuse_contradiction(token->token, model, where);
    if (!agrees) return tl::make_unexpected(agrees.error());
    auto content = token->normalized ? normalizer.apply(token->token.content, work)
                                     : exact::Result<std::string>(token->token.content);
    if (!content) return tl::make_unexpected(content.error());
    // What normalizing leaves nothing of can stand nowhere.
    if (!content->empty()) {
      (token->normalized ? made.normalized_ : made.raw_).push_back({*content, made.tokens_.size()});
    }
    contents.push_back(token->token);
    made.tokens_.push_back(std::move(*token));
  }
  auto vocabulary = Vocabulary::of(std::move(contents), where);
  if (!vocabulary) return tl::make_unexpected(vocabulary.error());
  made.vocabulary_ = std::move(*vocabulary);
  for (auto* sought : {&made.raw_, &made.normalized_}) {
    // Of equal contents the special token comes first, then the one listed first.
    std::stable_sort(sought->begin(), sought->end(), [&made](const Sought& a, const Sought& b) {
      if (a.content != b.content) return a.content < b.content;
      return made.tokens_[a.token].special && !made.tokens_[b.token].special;
    });
  }
  return made;
}

// Narrows the sorted list to those that begin as the text does, a byte at a time.
std::optional<AddedTokens::Found> AddedTokens::longest_at(std::string_view text, std::size_t at,
                                                          const std::vector<Sought>& sought) const {
  std::optional<Found> longest;
  auto first = sought.begin();
  auto last = sought.end();
  for (std::size_t length = 0; first != last && at + length < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at + length]);
    const auto below = [length](const Sought& one, unsigned char wanted) {
      return one.content.size() <= length ||
             static_cast<unsigned char>(one.content[length]) < wanted;
    };
    const auto above = [length](unsigned char wanted, const Sought& one) {
      return one.content.size() > length &&
             static_cast<unsigned char>(one.content[length]) > wanted;
    };
    first = std::lower_bound(first, last, byte, below);
    last = std::upper_bound(first, last, byte, above);
    ++length;
    if (first != last && first->content.size() == length) {
      longest = Found{&tokens_[first->token], {at, at + length}};
    }
  }
  return longest;
}

std::vector<Segment> AddedTokens::segments(std::string_view text, bool normalized) const {
  const std::vector<Sought>& sought = normalized ? normalized_ : raw_;
  std::vector<Segment> segments;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = longest_at(text, at, sought);
    if (!found) {
      ++at;
      continue;
    }
    at = found->span.end;
    Span span = found->span;
    if (found->token->single_word && !stands_alone(text, span)) continue;
    if (found->token->lstrip) span.begin = white_space_before(text, span.begin, done);
    if (found->token->rstrip) span.end = white_space_after(text, span.end);
    if (done < span.begin) segments.push_back({std::nullopt, {done, span.begin}});
    segments.push_back({found->token->token.id, span});
    done = span.end;
  }
  if (done < text.size()) segments.push_back({std::nullopt, {done, text.size()}});
  return segments;
}

}  // namespace sinkproof::tokenizer
