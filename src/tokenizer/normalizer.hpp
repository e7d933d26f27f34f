// What a tokenizer does to text before it looks for words: NFC, NFD, NFKC, NFKD, Lowercase,
// Prepend, Replace, Strip and Sequences of these.
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

  // UTF-8 to UTF-8. SP2207; SP2208: longer than kMaxText.
  exact::Result<std::string> apply(std::string text, Work& work) const;

  using Step = std::function<exact::Result<std::string>(std::string, Work&)>;

 private:
  std::vector<Step> steps_;
};

}  // namespace sinkproof::tokenizer
