#include "tokenizer/decoder.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tokenizer/byte_alphabet.hpp"
#include "tokenizer/matcher.hpp"
#include "tokenizer/metaspace.hpp"
#include "tokenizer/steps.hpp"
#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

using Step = Decoder::Step;

// A token outside the byte alphabet, such as an added one, stands for itself.
exact::Result<Step> read_byte_level(const Value& /*object*/, const std::string& /*where*/) {
  return [](const std::string& token) { return from_byte_alphabet(token).value_or(token); };
}

exact::Result<Step> read_fuse(const Value& /*object*/, const std::string& /*where*/) {
  return Step();
}

// The byte of a token <0xE5>.
std::optional<char> named_byte(const std::string& token) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>') ||
      token.find_first_not_of(kDigits, 3) != 5) {
    return std::nullopt;
  }
  return static_cast<char>(std::stoi(token.substr(3, 2), nullptr, 16));
}

exact::Result<Step> read_byte_fallback(const Value& /*object*/, const std::string& /*where*/) {
  return [](const std::string& token) {
    const auto byte = named_byte(token);
    return byte ? std::string(1, *byte) : token;
  };
}

// The sign as a space.
exact::Result<Step> read_metaspace_step(const Value& object, const std::string& where) {
  const auto settings = read_metaspace(object, where);
  if (!settings) return tl::make_unexpected(settings.error());
  return [signs = literal_matcher(settings->sign), where](const std::string& token) {
    Work work;
    return replaced(token, *signs(token, work), " ", where);
  };
}

exact::Result<std::string> without_spaces_before_signs(std::string text, const std::string& where) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kRules = {{
      {" .", "."},
      {" ?", "?"},
      {" !", "!"},
      {" ,", ","},
      {" ' ", "'"},
      {" n't", "n't"},
      {" 'm", "'m"},
      {" do not", " don't"},
      {" 's", "'s"},
      {" 've", "'ve"},
      {" 're", "'re"},
  }};
  Work work;
  for (const auto& [from, to] : kRules) {
    const auto places = literal_matcher(std::string(from))(text, work);
    auto next = replaced(text, *places, std::string(to), where);
    if (!next) return next;
    text = std::move(*next);
  }
  return text;
}

// A token that continues a word loses its prefix; before another one stands a space.
exact::Result<Step> read_word_piece(const Value& object, const std::string& where) {
  const auto prefix = text_field(object, "prefix", where);
  if (!prefix) return tl::make_unexpected(prefix.error());
  const auto cleanup = flag_field(object, "cleanup", where);
  if (!cleanup) return tl::make_unexpected(cleanup.error());
  return [prefix = *prefix, cleanup = *cleanup,
          where](const std::string& token) -> exact::Result<std::string> {
    std::string text = token.starts_with(prefix) ? token.substr(prefix.size()) : " " + token;
    return cleanup ? without_spaces_before_signs(std::move(text), where) : text;
  };
}

exact::Result<Step> read_replace(const Value& object, const std::string& where) {
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  auto matcher = read_matcher(object, where);
  if (!matcher) return tl::make_unexpected(matcher.error());
  return [matcher = std::move(*matcher), content = *content,
          where](const std::string& token) -> exact::Result<std::string> {
    Work work;
    const auto matches = matcher(token, work);
    if (!matches) return tl::make_unexpected(matches.error());
    return replaced(token, *matches, content, where);
  };
}

// What it takes off the ends of a text stays within one.
exact::Result<Step> read_strip(const Value& object, const std::string& where) {
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  if (content->empty() || character_at(*content, 0).bytes != content->size()) {
    return exact::fail("SP2202", where, "\"content\" must be a single character");
  }
  for (const char* count : {"start", "stop"}) {
    if (const auto read = count_field(object, count, where); !read) {
      return tl::make_unexpected(read.error());
    }
  }
  return Step();
}

constexpr std::array<StepReader<Step>, 7> kReaders = {{
    {"ByteFallback", "", read_byte_fallback},
    {"ByteLevel", "add_prefix_space trim_offsets use_regex", read_byte_level},
    {"Fuse", "", read_fuse},
    {"Metaspace", kMetaspaceFields, read_metaspace_step},
    {"Replace", "pattern content", read_replace},
    {"Strip", "content start stop", read_strip},
    {"WordPiece", "prefix cleanup", read_word_piece},
}};

}  // namespace

exact::Result<Decoder> Decoder::read(const Value& value, const std::string& where) {
  Decoder made;
  const auto read = read_steps(value, where, "decoders", kReaders, made.steps_);
  if (!read) return tl::make_unexpected(read.error());
  return made;
}

exact::Result<std::string> Decoder::bytes_of(std::string token) const {
  for (const Step& step : steps_) {
    if (!step) continue;
    auto text = step(token);
    if (!text) return text;
    token = std::move(*text);
  }
  return token;
}

}  // namespace sinkproof::tokenizer
