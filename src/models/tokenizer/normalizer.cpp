#include "tokenizer/normalizer.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tokenizer/matcher.hpp"
#include "tokenizer/settled.hpp"
#include "tokenizer/steps.hpp"
#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

using Step = Normalizer::Step;

// `change` after the text was seen to have no character whose class depends on Unicode's version.
template <typename Change>
Step settled_step(Tables tables, const std::string& where, bool keeps_start, Change change) {
  return {[=](const std::string& text, Work&) -> exact::Result<std::string> {
            auto settled = refuse_unsettled(text, tables, where);
            if (!settled) return tl::make_unexpected(settled.error());
            return change(text);
          },
          keeps_start};
}

// What `append(character, made)` makes of each character.
template <typename Append>
std::string each_character(std::string_view text, Append append) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    append(character.value, made);
    at += character.bytes;
  }
  return made;
}

std::string without_category(std::string_view text, std::string_view category) {
  return each_character(text, [category](char32_t value, std::string& made) {
    if (!category_of(value).starts_with(category)) append_character(made, value);
  });
}

template <NormalForm form>
exact::Result<Step> read_form(const Value& /*object*/, const std::string& where) {
  return settled_step(Tables::kOld, where, true,
                      [](const std::string& text) { return normal_form(text, form); });
}

exact::Result<Step> read_lowercase(const Value& /*object*/, const std::string& where) {
  return settled_step(Tables::kNew, where, true, lower_case);
}

exact::Result<Step> read_strip_accents(const Value& /*object*/, const std::string& where) {
  return settled_step(Tables::kOld, where, false,
                      [](const std::string& text) { return without_category(text, "M"); });
}

bool is_ideograph(char32_t value) {
  constexpr std::array<std::pair<char32_t, char32_t>, 7> kRanges = {{{0x3400, 0x4DBF},
                                                                     {0x4E00, 0x9FFF},
                                                                     {0xF900, 0xFAFF},
                                                                     {0x20000, 0x2A6DF},
                                                                     {0x2A700, 0x2B81F},
                                                                     {0x2B920, 0x2CEAF},
                                                                     {0x2F800, 0x2FA1F}}};
  return std::any_of(kRanges.begin(), kRanges.end(), [value](const auto& range) {
    return value >= range.first && value <= range.second;
  });
}

void append_clean(char32_t value, std::string& made) {
  const std::string_view category = category_of(value);
  const bool space = value == '\t' || value == '\n' || value == '\r' || category[0] == 'Z';
  if (space) {
    made += ' ';
  } else if (value != 0xFFFD && category != "Cc" && category != "Cf" && category != "Co") {
    append_character(made, value);
  }
}

void append_ideograph_apart(char32_t value, std::string& made) {
  const std::string_view space = is_ideograph(value) ? " " : "";
  made += space;
  append_character(made, value);
  made += space;
}

exact::Result<Step> read_bert(const Value& object, const std::string& where) {
  const auto clean = flag_field(object, "clean_text", where);
  if (!clean) return tl::make_unexpected(clean.error());
  const auto apart = flag_field(object, "handle_chinese_chars", where);
  if (!apart) return tl::make_unexpected(apart.error());
  const auto lower = flag_field(object, "lowercase", where);
  if (!lower) return tl::make_unexpected(lower.error());
  const auto strip = optional_flag_field(object, "strip_accents", where);
  if (!strip) return tl::make_unexpected(strip.error());
  const auto change = [clean = *clean, apart = *apart, lower = *lower,
                       strip = strip->value_or(*lower)](std::string text) {
    if (clean) text = each_character(text, append_clean);
    if (apart) text = each_character(text, append_ideograph_apart);
    if (strip) text = without_category(normal_form(text, NormalForm::kNfd), "Mn");
    return lower ? lower_case(text) : text;
  };
  Step old = settled_step(Tables::kOld, where, false, change);
  return settled_step(Tables::kNew, where, false, [old](const std::string& text) {
    Work none;
    return old.apply(text, none);
  });
}

exact::Result<Step> read_prepend(const Value& object, const std::string& where) {
  const auto prefix = text_field(object, "prepend", where);
  if (!prefix) return tl::make_unexpected(prefix.error());
  return Step{[prefix = *prefix](std::string text, Work&) {
    return text.empty() ? std::move(text) : prefix + text;
  }};
}

// One character that becomes others leaves what begins a text where it is.
bool replaces_one_character(const Value& object, const std::string& content) {
  const Value& literal = field_or_null(field_or_null(object, "pattern"), "String");
  if (!literal.is_string() || content.empty()) return false;
  const auto& text = literal.get_ref<const std::string&>();
  return character_at(text, 0).bytes == text.size();
}

exact::Result<Step> read_replace(const Value& object, const std::string& where) {
  const auto content = text_field(object, "content", where);
  if (!content) return tl::make_unexpected(content.error());
  auto matcher = read_matcher(object, where);
  if (!matcher) return tl::make_unexpected(matcher.error());
  return Step{[matcher = std::move(*matcher), content = *content, where](
                  const std::string& text, Work& work) -> exact::Result<std::string> {
                const auto matches = matcher(text, work);
                if (!matches) return tl::make_unexpected(matches.error());
                return replaced(text, *matches, content, where);
              },
              replaces_one_character(object, *content)};
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
  const auto left = flag_field(object, "strip_left", where);
  if (!left) return tl::make_unexpected(left.error());
  const auto right = flag_field(object, "strip_right", where);
  if (!right) return tl::make_unexpected(right.error());
  return Step{[left = *left, right = *right](const std::string& text, Work&) {
                return stripped(text, left, right);
              },
              !*left};
}

constexpr std::array<StepReader<Step>, 10> kReaders = {{
    {"BertNormalizer", "clean_text handle_chinese_chars strip_accents lowercase", read_bert},
    {"Lowercase", "", read_lowercase},
    {"NFC", "", read_form<NormalForm::kNfc>},
    {"NFD", "", read_form<NormalForm::kNfd>},
    {"NFKC", "", read_form<NormalForm::kNfkc>},
    {"NFKD", "", read_form<NormalForm::kNfkd>},
    {"Prepend", "prepend", read_prepend},
    {"Replace", "pattern content", read_replace},
    {"Strip", "strip_left strip_right", read_strip},
    {"StripAccents", "", read_strip_accents},
}};

}  // namespace

exact::Result<Normalizer> Normalizer::read(const Value& value, const std::string& where) {
  Normalizer made;
  const auto read = read_steps(value, where, "normalizers", kReaders, made.steps_);
  if (!read) return tl::make_unexpected(read.error());
  for (const Step& step : made.steps_) made.keeps_start_ = made.keeps_start_ && step.keeps_start;
  return made;
}

exact::Result<std::string> Normalizer::apply(std::string text, Work& work) const {
  for (const Step& step : steps_) {
    auto next = step.apply(std::move(text), work);
    if (!next) return next;
    text = std::move(*next);
    if (text.size() > kMaxText) {
      return exact::fail("SP2208", "normalizer",
                         "makes the text longer than 64 MiB; encode it in parts");
    }
  }
  return text;
}

}  // namespace sinkproof::tokenizer
