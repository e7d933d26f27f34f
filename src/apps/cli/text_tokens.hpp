// A text as the token ids a language model's folder makes of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "estimate/tokens.hpp"
#include "exact/error.hpp"
#include "tokenizer/tokenizer.hpp"

namespace sinkproof::cli {

struct TextTokens {
  std::vector<estimate::Tokens> sequences;
  std::vector<std::vector<std::string>> texts;  // what each id stands for
};

// The text of a file, UTF-8, as one sequence; with a length as sequences of so many tokens, each
// with what the folder's tokenizer begins a text with where `bos` says so; what does not fill a
// sequence is left out. SP1508: the text does not fill one. Errors of reading and of the tokenizer.
exact::Result<TextTokens> text_tokens(const std::filesystem::path& folder,
                                      const std::filesystem::path& file, tokenizer::Bos bos,
                                      std::size_t length);

}  // namespace sinkproof::cli
