#include "tokenizer/decoder.hpp"

#include <fmt/format.h>

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
using Tokens = std::vector<std::string>;

std::string joined(const Tokens& tokens, std::string_view between = {}) {
  return fmt::format("{}", fmt::join(tokens, between));
}

// A token outside the byte alphabet, such as an added one, stands for itself.
std::string bytes_of_alphabet(const std::string& token) {
  return from_byte_alphabet(token).value_or(token);
}

exact::Result<Step> read_byte_level(const Value& /*object*/, const std::string& /*where*/) {
  return Step{[](Tokens& tokens) -> exact::Result<void> {
                for (std::string& token : tokens) token = bytes_of_alphabet(token);
                tokens = {with_replacements(joined(tokens))};
                return {};
              },
              bytes_of_alphabet};
}

exact::Result<Step> read_fuse(const Value& /*object*/, const std::string& /*where*/) {
  return Step{[](Tokens& tokens) -> exact::Result<void> {
                tokens = {joined(tokens)};
                return {};
              },
              {}};
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

// Neighbouring bytes are one text, or as many U+FFFD where they are none.
exact::Result<void> read_bytes(Tokens& tokens) {
  Tokens read;
  std::string bytes;
  const auto flush = [&] {
    if (is_utf8(bytes)) {
      if (!bytes.empty()) read.push_back(bytes);
    } else {
      read.insert(read.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = named_byte(token)) {
      bytes += *byte;
    } else {
      flush();
      read.push_back(std::move(token));
    }
  }
  flush();
  tokens = std::move(read);
  return {};
}

exact::Result<Step> read_byte_fallback(const Value& /*object*/, const std::string& /*where*/) {
  return Step{read_bytes, [](const std::string& token) {
                const auto byte = named_byte(token);
                return byte ? std::string(1, *byte) : token;
              }};
}

// `sign` as a space, or as nothing in the first token where a space was put before the text.
exact::Result<Step> read_metaspace_step(const Value& object, const std::string& where) {
  const auto settings = read_metaspace(object, where);
  if (!settings) return tl::make_unexpected(settings.error());
  const auto with = [signs = literal_matcher(settings->sign), where](const std::string& token,
                                                                     const char* content) {
    Work work;
    return replaced(token, *signs(token, work), content, where);
  };
  const bool prefixed = settings->scheme != PrependScheme::kNever;
  return Step{[with, prefixed](Tokens& tokens) -> exact::Result<void> {
                for (std::size_t i = 0; i < tokens.size(); ++i) {
                  auto text = with(tokens[i], i == 0 && prefixed ? "" : " ");
                  if (!text) return tl::make_unexpected(text.error());
                  tokens[i] = std::move(*text);
                }
                return {};
              },
              [with](const std::string& token) { return with(token, " "); }};
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
  const auto within = [prefix = *prefix, cleanup = *cleanup, where](
                          std::string token, bool first) -> exact::Result<std::string> {
    if (!first && token.starts_with(prefix)) {
      token.erase(0, prefix.size());
    } else if (!first) {
      token.insert(0, " ");
    }
    return cleanup ? without_spaces_before_signs(std::move(token), where) : token;
  };
  return Step{[within](Tokens& tokens) -> exact::Result<void> {
                for (std::size_t i = 0; i < tokens.size(); ++i) {
                  auto text = within(std::move(tokens[i]), i == 0);
                  if (!text) return tl::make_unexpected(text.error());
                  tokens[i] = std::move(*text);
                }
                return {};
              },
              [within](const std::string& token) { return within(token, false); }};
}

exact::Result<Step> read_replace(const Value& object, const std::string& where) {
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  auto matcher = read_matcher(object, where);
  if (!matcher) return tl::make_unexpected(matcher.error());
  const auto replace = [matcher = std::move(*matcher), content = *content, where](
                           const std::string& token, Work& work) -> exact::Result<std::string> {
    const auto matches = matcher(token, work);
    if (!matches) return tl::make_unexpected(matches.error());
    return replaced(token, *matches, content, where);
  };
  return Step{[replace, where](Tokens& tokens) -> exact::Result<void> {
                Work work;
                std::size_t size = 0;
                for (std::string& token : tokens) {
                  auto text = replace(token, work);
                  if (!text) return tl::make_unexpected(text.error());
                  token = std::move(*text);
                  size += token.size();
                  if (size > kMaxText) {
                    return exact::fail("SP2208", where, "the text becomes longer than 64 MiB");
                  }
                }
                return {};
              },
              [replace](const std::string& token) {
                Work work;
                return replace(token, work);
              }};
}

// Up to `start` times `content` from the front of each token, `stop` times from its end.
exact::Result<Step> read_strip(const Value& object, const std::string& where) {
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  if (content->empty() || character_at(*content, 0).bytes != content->size()) {
    return exact::fail("SP2202", where, "\"content\" is no single character");
  }
  const auto start = count_field(object, "start", where);
  if (!start) return tl::make_unexpected(start.error());
  const auto stop = count_field(object, "stop", where);
  if (!stop) return tl::make_unexpected(stop.error());
  return Step{
      [content = *content, start = *start, stop = *stop](Tokens& tokens) -> exact::Result<void> {
        for (std::string& token : tokens) {
          std::string_view left = token;
          for (std::size_t i = 0; i < start && left.starts_with(content); ++i) {
            left.remove_prefix(content.size());
          }
          for (std::size_t i = 0; i < stop && left.ends_with(content); ++i) {
            left.remove_suffix(content.size());
          }
          token = std::string(left);
        }
        return {};
      },
      {}};
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

exact::Result<std::string> Decoder::text(std::vector<std::string> tokens) const {
  for (const Step& step : steps_) {
    if (const auto done = step.row(tokens); !done) return tl::make_unexpected(done.error());
  }
  return joined(tokens, steps_.empty() ? " " : "");
}

exact::Result<std::string> Decoder::bytes_of(std::string token) const {
  for (const Step& step : steps_) {
    if (!step.alone) continue;
    auto text = step.alone(token);
    if (!text) return text;
    token = std::move(*text);
  }
  return token;
}

}  // namespace sinkproof::tokenizer
