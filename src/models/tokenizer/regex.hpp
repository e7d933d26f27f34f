// A regular expression with bounded work. Backtracking can take exponential time, and a pattern
// comes with an untrusted tokenizer: PCRE2 is given a window of the text and a number of steps,
// both small, that grow where they do not suffice, and the product of both is charged each time.
// The charges of one encoding end at a fixed budget, whatever the pattern; the same text is refused
// on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/split.hpp"

struct pcre2_real_code_8;

namespace sinkproof::tokenizer {

struct Work {
  std::uint64_t left = std::uint64_t{1} << 33U;  // steps times bytes
};

class Regex {
 public:
  // `pattern` as Oniguruma reads it. SP2206: it is malformed, or not taken over by to_pcre2.
  static exact::Result<Regex> compile(const std::string& pattern, const std::string& where);

  // Where it matches in `text` (UTF-8), from left to right; an empty match not where the last one
  // ended. SP2207: beyond the budget;
  // SP2212.
  exact::Result<std::vector<Span>> matches(std::string_view text, Work& work) const;

 private:
  std::shared_ptr<const pcre2_real_code_8> code_;
  std::string where_;
  bool symbols_ = false;  // whether it asks for categories that emoji of later versions have
};

}  // namespace sinkproof::tokenizer
