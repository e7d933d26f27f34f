#define PCRE2_CODE_UNIT_WIDTH 8
#include "tokenizer/regex.hpp"

#include <pcre2.h>

#include <array>
#include <optional>
#include <utility>

#include "tokenizer/pattern.hpp"
#include "tokenizer/settled.hpp"
#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr std::size_t kFirstWindow = 64;  // bytes
constexpr std::uint32_t kFirstSteps = 32;
constexpr std::uint32_t kMaxHeap = 65536;  // KiB

// One text's matching.
class Matching {
 public:
  Matching(const pcre2_code* code, std::string_view text, Work& work, const std::string& where)
      : code_(code),
        text_(text),
        work_(work),
        where_(where),
        data_(pcre2_match_data_create(1, nullptr), &pcre2_match_data_free),
        context_(pcre2_match_context_create(nullptr), &pcre2_match_context_free) {
    pcre2_set_heap_limit(context_.get(), kMaxHeap);
  }

  // The match that begins at `start`.
  exact::Result<std::optional<Span>> at(std::size_t start) {
    std::size_t window = kFirstWindow;
    std::uint32_t steps = kFirstSteps;
    while (true) {
      const std::size_t end = end_of(start, window);
      const std::uint64_t cost = steps * std::uint64_t{end - start + 1};
      if (cost > work_.left) return too_much();
      work_.left -= cost;
      pcre2_set_match_limit(context_.get(), steps);
      const int result = pcre2_match(
          code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), end, start,
          PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK | (end < text_.size() ? PCRE2_PARTIAL_HARD : 0U),
          data_.get(), context_.get());
      if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
      if (result >= 0) {
        const PCRE2_SIZE* const ends = pcre2_get_ovector_pointer(data_.get());
        return Span{ends[0], ends[1]};
      }
      if (result == PCRE2_ERROR_PARTIAL) {
        window *= 2;
      } else if (result == PCRE2_ERROR_MATCHLIMIT) {
        steps *= 2;
      } else {
        return too_much();
      }
    }
  }

 private:
  [[nodiscard]] std::size_t end_of(std::size_t start, std::size_t window) const {
    if (window >= text_.size() - start) return text_.size();
    return next_character(text_, start + window - 1);
  }
  [[nodiscard]] tl::unexpected<exact::Error> too_much() const {
    return exact::fail("SP2207", where_,
                       "the regular expression needs more steps on this text than the limit "
                       "allows; encode the text in parts");
  }

  const pcre2_code* code_;
  std::string_view text_;
  Work& work_;
  const std::string& where_;
  std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data_;
  std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> context_;
};

}  // namespace

exact::Result<Regex> Regex::compile(const std::string& pattern, const std::string& where) {
  const auto translated = to_pcre2(pattern, where);
  if (!translated) return tl::make_unexpected(translated.error());
  int error = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* const code = pcre2_compile(
      reinterpret_cast<PCRE2_SPTR>(translated->data()), translated->size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &offset, nullptr);
  if (code == nullptr) {
    std::array<PCRE2_UCHAR, 256> words{};
    pcre2_get_error_message(error, words.data(), words.size());
    return exact::fail("SP2206", where,
                       "the regular expression is malformed: " +
                           std::string(reinterpret_cast<char*>(words.data())));
  }
  Regex regex;
  regex.code_ = std::shared_ptr<const pcre2_code>(
      code, [](const pcre2_code* owned) { pcre2_code_free(const_cast<pcre2_code*>(owned)); });
  regex.where_ = where;
  for (const char* category : {"{S", "{C", "{^S", "{^C"}) {
    regex.symbols_ = regex.symbols_ || pattern.find(category) != std::string::npos;
  }
  return regex;
}

exact::Result<std::vector<Span>> Regex::matches(std::string_view text, Work& work) const {
  const auto tables = symbols_ ? Tables::kNewWithSymbols : Tables::kNew;
  const auto settled = refuse_unsettled(text, tables, where_);
  if (!settled) return tl::make_unexpected(settled.error());
  std::vector<Span> found;
  Matching matching(code_.get(), text, work, where_);
  for (std::size_t start = 0; start <= text.size();) {
    const auto match = matching.at(start);
    if (!match) return tl::make_unexpected(match.error());
    const bool again =
        *match && (*match)->end == start && !found.empty() && found.back().end == start;
    if (!*match || again) {
      start = next_character(text, start);
      continue;
    }
    found.push_back(**match);
    start = (*match)->end;
  }
  return found;
}

}  // namespace sinkproof::tokenizer
