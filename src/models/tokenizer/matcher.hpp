// A "pattern" of tokenizer.json, {"String": text} or {"Regex": text}, and replacing what it
// matches.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/regex.hpp"
#include "tokenizer/split.hpp"

namespace sinkproof::tokenizer {

// No text grows beyond this, whatever a tokenizer does to it.
inline constexpr std::size_t kMaxText = std::size_t{64} << 20U;

using Matcher = std::function<exact::Result<std::vector<Span>>(std::string_view, Work&)>;

// Of the field "pattern". SP2202: another form, an empty text; SP2206 as Regex.
exact::Result<Matcher> read_matcher(const Value& object, const std::string& where);

// Of a text that is not empty: each place where it stands.
Matcher literal_matcher(std::string wanted);

// SP2208: longer than kMaxText.
exact::Result<std::string> replaced(std::string_view text, const std::vector<Span>& matches,
                                    const std::string& content, const std::string& where);

}  // namespace sinkproof::tokenizer
