// tokenizer_config.json, special_tokens_map.json and added_tokens.json beside a tokenizer.json.
// transformers makes parts of the tokenizer again from their keys, so that its ids may be others
// than those of tokenizer.json alone. A key that agrees with tokenizer.json, or changes no id, is
// accepted; any other is refused. docs/MODEL_FOLDERS.md has the table.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/added_tokens.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/vocabulary.hpp"

namespace sinkproof::tokenizer {

// What a text must not hold.
struct Barred {
  std::vector<std::string>
      unlisted;            // tokens that these files name and tokenizer.json does not seek
  bool prepended = false;  // a space before it, and added tokens: Class::prepends_more
};

// `document` is tokenizer.json, `prefix` what its post-processor puts before a text. SP2213: a key
// contradicts tokenizer.json (both values are named), may change ids, or more than 256 tokens are
// unlisted; SP0201, SP0202, SP2201: a file that is there is unreadable or no JSON.
exact::Result<Barred> check_settings(const std::filesystem::path& folder, const Value& document,
                                     const AddedTokens& added, const std::vector<Id>& prefix);

// The bos_token that tokenizer_config.json or special_tokens_map.json names; transformers reads
// both. SP2210: they name two; SP0201, SP0202, SP2201: a file that is there is unreadable or no
// JSON.
exact::Result<std::optional<std::string>> named_bos(const std::filesystem::path& folder);

// SP2213: the text holds such a thing.
exact::Result<void> refuse_barred(std::string_view text, const Barred& barred,
                                  const AddedTokens& added);

}  // namespace sinkproof::tokenizer
