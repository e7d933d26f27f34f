#include "tokenizer/normalizer.hpp"

#include <utility>

#include "tokenizer/matcher.hpp"
#include "tokenizer/steps.hpp"
#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

using Step = Normalizer::Step;

template <NormalForm form>
exact::Result<Step> read_form(const Value& /*object*/, const std::string& /*where*/) {
  return [](const std::string& text, Work&) { return normal_form(text, form); };
}

exact::Result<Step> read_lowercase(const Value& /*object*/, const std::string& /*where*/) {
  return [](const std::string& text, Work&) { return lower_case(text); };
}

exact::Result<Step> read_prepend(const Value& object, const std::string& where) {
  const auto prefix = text_field(object, "prepend", where);
  if (!prefix) return tl::make_unexpected(prefix.error());
  return [prefix = *prefix](std::string text, Work&) {
    return text.empty() ? std::move(text) : prefix + text;
  };
}

exact::Result<Step> read_replace(const Value& object, const std::string& where) {
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  auto matcher = read_matcher(object, where);
  if (!matcher) return tl::make_unexpected(matcher.error());
  return [matcher = std::move(*matcher), content = *content, where](
             const std::string& text, Work& work) -> exact::Result<std::string> {
    const auto matches = matcher(text, work);
    if (!matches) return tl::make_unexpected(matches.error());
    return replaced(text, *matches, content, where);
  };
}

std::string stripped(std::string_view text, bool left, bool right) {
  std::size_t begin = text.size();
  std::size_t end = 0;  // after the last character that stays
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (!is_white_space(character.value)) {
      if (begin == text.size()) begin = at;
      end = at + character.bytes;
    }
    at += character.bytes;
  }
  if (!left) begin = 0;
  if (!right) end = text.size();
  return std::string(begin < end ? text.substr(begin, end - begin) : std::string_view());
}

exact::Result<Step> read_strip(const Value& object, const std::string& where) {
  const auto left = flag_field(object, "strip_left", true, where);
  if (!left) return tl::make_unexpected(left.error());
  const auto right = flag_field(object, "strip_right", true, where);
  if (!right) return tl::make_unexpected(right.error());
  return [left = *left, right = *right](const std::string& text, Work&) {
    return stripped(text, left, right);
  };
}

constexpr std::array<StepReader<Step>, 8> kReaders = {{
    {"NFC", read_form<NormalForm::kNfc>},
    {"NFD", read_form<NormalForm::kNfd>},
    {"NFKC", read_form<NormalForm::kNfkc>},
    {"NFKD", read_form<NormalForm::kNfkd>},
    {"Lowercase", read_lowercase},
    {"Prepend", read_prepend},
    {"Replace", read_replace},
    {"Strip", read_strip},
}};

}  // namespace

exact::Result<Normalizer> Normalizer::read(const Value& value, const std::string& where) {
  Normalizer made;
  const auto read = read_steps(value, where, "normalizers", kReaders, made.steps_);
  if (!read) return tl::make_unexpected(read.error());
  return made;
}

exact::Result<std::string> Normalizer::apply(std::string text, Work& work) const {
  for (const Step& step : steps_) {
    auto next = step(std::move(text), work);
    if (!next) return next;
    text = std::move(*next);
    if (text.size() > kMaxText) {
      return exact::fail("SP2208", "normalizer", "the text becomes longer than 64 MiB");
    }
  }
  return text;
}

}  // namespace sinkproof::tokenizer
