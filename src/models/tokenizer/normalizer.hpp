// What a tokenizer does to text before it looks for words: BertNormalizer, NFC, NFD, NFKC, NFKD,
// Lowercase, Prepend, Replace, Strip, StripAccents and Sequences of these.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/regex.hpp"

namespace sinkproof::tokenizer {

class Normalizer {
 public:
  // The field "normalizer". Errors as read_steps and read_matcher.
  static exact::Result<Normalizer> read(const Value& value, const std::string& where);

  // UTF-8 to UTF-8. SP2207; SP2208: longer than kMaxText; SP2212.
  exact::Result<std::string> apply(std::string text, Work& work) const;

  // Whether what begins its result always comes from what begins the text.
  [[nodiscard]] bool keeps_start() const { return keeps_start_; }

  struct Step {
    std::function<exact::Result<std::string>(std::string, Work&)> apply;
    bool keeps_start = true;
  };

 private:
  std::vector<Step> steps_;
  bool keeps_start_ = true;
};

}  // namespace sinkproof::tokenizer
