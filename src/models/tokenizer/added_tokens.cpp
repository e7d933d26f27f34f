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
  if (!object.is_object()) return exact::fail("SP2202", where, "an added token must be an object");
  constexpr std::string_view kFields = "id content special normalized single_word lstrip rstrip";
  if (const auto known = refuse_other_fields(object, kFields, where); !known) {
    return tl::make_unexpected(known.error());
  }
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  if (content->size() > kMaxContent) {
    return exact::fail("SP2204", where, "an added token has more than 4096 bytes");
  }
  const auto id = read_id(field_or_null(object, "id"), where);
  if (!id) return tl::make_unexpected(id.error());
  made.token = {*content, *id};
  const std::array<std::pair<const char*, bool AddedToken::*>, 5> flags = {{
      {"special", &AddedToken::special},
      {"normalized", &AddedToken::normalized},
      {"single_word", &AddedToken::single_word},
      {"lstrip", &AddedToken::lstrip},
      {"rstrip", &AddedToken::rstrip},
  }};
  for (const auto& [key, member] : flags) {
    const auto flag = flag_field(object, key, where);
    if (!flag) return tl::make_unexpected(flag.error());
    made.*member = *flag;
  }
  return made;
}

// The tokenizers library numbers added tokens itself, whatever "id" says: a token of the model
// keeps the model's id, another one gets the next id after the model's count of tokens and those
// before.
class Numbering {
 public:
  explicit Numbering(const Vocabulary& model)
      : model_(model), next_(static_cast<Id>(model.tokens().size())) {}

  exact::Result<void> check(const Token& token, const std::string& where) {
    const Id id = model_.id_of(token.content).value_or(next_);
    const std::string* const other = model_.content_of(token.id);
    const bool same = id == token.id && (other == nullptr || *other == token.content);
    if (id >= next_) next_ = id + 1;
    if (same) return {};
    return exact::fail(
        "SP2204", where,
        "\"" + token.content.substr(0, 80) + "\" has the id " + std::to_string(token.id) +
            ", but the tokenizers library gives this token the id " + std::to_string(id) +
            ": list added tokens in the order of their ids, without a gap after "
            "the model's vocabulary");
  }

 private:
  const Vocabulary& model_;
  Id next_;
};

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
  if (!list.is_array() && !list.is_null()) return exact::fail("SP2202", where, "must be a list");
  std::vector<Token> contents;
  Work work;
  Numbering numbering(model);
  for (const Value& object : list) {
    auto token = read_token(object, where);
    if (!token) return tl::make_unexpected(token.error());
    const auto agrees = numbering.check(token->token, where);
    if (!agrees) return tl::make_unexpected(agrees.error());
    auto content = token->normalized ? normalizer.apply(token->token.content, work)
                                     : exact::Result<std::string>(token->token.content);
    if (!content) return tl::make_unexpected(content.error());
    // What normalizing leaves nothing of can stand nowhere.
    if (!content->empty()) {
      (token->normalized ? made.normalized_ : made.raw_).push_back({*content, made.tokens_.size()});
    }
    made.single_words_ = made.single_words_ || token->single_word;
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

std::vector<Segment> AddedTokens::segments(std::string_view text, bool normalized) const {
  const std::vector<Sought>& sought = normalized ? normalized_ : raw_;
  std::vector<Segment> segments;
  std::size_t done = 0;
  std::size_t space_ends = 0;  // of the white space that was last looked through
  for (std::size_t at = 0; at < text.size();) {
    const auto found =
        longest_beginning(sought.begin(), sought.end(), text.substr(at), 0,
                          [](const Sought& one) -> const std::string& { return one.content; });
    if (found == sought.end()) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[found->token];
    Span span = {at, at + found->content.size()};
    at = span.end;
    if (token.single_word && !stands_alone(text, span)) continue;
    if (token.lstrip) span.begin = std::max(done, white_space_before(text, span.begin, done));
    if (token.rstrip) {
      if (span.end >= space_ends) space_ends = white_space_after(text, span.end);
      span.end = space_ends;
    }
    if (done < span.begin) segments.push_back({std::nullopt, {done, span.begin}});
    // Nothing is left of a token within white space that the one before it took.
    if (span.begin < span.end) segments.push_back({token.token.id, span});
    done = span.end;
  }
  if (done < text.size()) segments.push_back({std::nullopt, {done, text.size()}});
  return segments;
}

}  // namespace sinkproof::tokenizer
