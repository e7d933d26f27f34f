// Enclosures of what a language model computes on given token ids, and their certificate
// (LANGUAGE_RULES.md). The numbers come from the trusted pass itself (language/), at a precision
// that a pass over a few tokens chooses; what is added here is room for other checkers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/folder.hpp"

namespace sinkproof::measure {

struct LanguageRequest {
  const language::Folder& folder;
  std::vector<certificate::TokenIds> sequences;
  std::vector<certificate::LanguageQuestion> questions;
  std::string claim_hash;  // of proofs/language
  unsigned jobs = 1;       // threads
};

// SP2006: a sequence or question that does not fit the model. SP2007: 2048 bits
// are not enough for this model. SP2008: a value-ratio is not defined. Errors of non-finite weights
// (SP0405). `progress` is told the share that is done.
exact::Result<certificate::Language> enclosed(const LanguageRequest& request,
                                              const std::function<void(double)>& progress = {});

}  // namespace sinkproof::measure
