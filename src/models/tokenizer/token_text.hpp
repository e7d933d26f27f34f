// What token ids of a folder stand for, to show beside them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "exact/error.hpp"

namespace sinkproof::tokenizer {

// Whether train-lm wrote the folder, and its tokens are bytes, perhaps with one more that begins
// texts: no tokenizer.json, and config.json has such a `vocab_size` and the `tokenizer_class`
// SinkproofBytes.
bool reads_bytes(const std::filesystem::path& folder);

// The text of an id (Tokenizer::text_of); of a byte beyond ASCII "<0xE5>", and of the token that
// begins texts "<s>".
using TokenText = std::function<exact::Result<std::string>(std::size_t id)>;
TokenText byte_text();

// Of the folder's tokenizer.json, or of bytes; nothing where it has neither, or one that is not
// read.
std::optional<TokenText> token_text(const std::filesystem::path& folder);

}  // namespace sinkproof::tokenizer
