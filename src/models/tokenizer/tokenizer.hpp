// Text to token ids, by the tokenizer of a Hugging Face folder: byte-level BPE (GPT-2,
// GPT-NeoX, OPT, Llama 3, Qwen, GPT-OSS), SentencePiece-style BPE (Llama 1 and 2, Mistral, Gemma)
// and WordPiece (BERT), read from tokenizer.json. Ids are those of the tokenizers library 0.23.2;
// what it reads and this does not (Unigram, WordLevel, any unknown field) is refused, SP2203. The
// folder may be untrusted: memory and work are bounded by its size and that of the text. The
// template of a chat is left to the caller.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/added_tokens.hpp"
#include "tokenizer/decoder.hpp"
#include "tokenizer/model.hpp"
#include "tokenizer/normalizer.hpp"
#include "tokenizer/pre_tokenizer.hpp"
#include "tokenizer/settings.hpp"
#include "tokenizer/vocabulary.hpp"

namespace sinkproof::tokenizer {

// Whether a row of ids begins with the token that begins texts. It is what attention sinks stand
// on, so nobody decides it for the caller.
enum class Bos { kWith, kWithout };

inline constexpr std::size_t kMaxInput = std::size_t{8} << 20U;

class Tokenizer {
 public:
  // Of tokenizer.json in `folder`, and tokenizer_config.json and config.json where it adds nothing
  // before a text. SP0201, SP0202; SP2201 to SP2206 and SP2213 as documented at the parts of it;
  // SP2203: also truncation, padding to a length, another field or version, and prepend_scheme
  // "first" where the normalizer may take away what begins a text.
  static exact::Result<Tokenizer> read(const std::filesystem::path& folder);

  // The ids of `text`, UTF-8. Special tokens that `text` spells are those tokens. Bos::kWith puts
  // before them what the post-processor does or, where that adds nothing, the bos_token of
  // tokenizer_config.json or special_tokens_map.json, or else the bos_token_id of config.json. What
  // a post-processor adds after a text is left out. SP2207, SP2209, SP2212; SP2213: the text holds
  // what transformers reads otherwise. SP2208: no UTF-8, or longer than kMaxInput; SP2210: with
  // BOS, and the folder has none, two, or one that is not a token.
  exact::Result<std::vector<Id>> encode(std::string_view text, Bos bos) const;

  // What to show beside an id: the text it stands for within a text (" the"), UTF-8; a byte that is
  // only part of a character as <0xE5>. Control characters stand as they are (text::one_line).
  // SP2211.
  exact::Result<std::string> text_of(Id id) const;

 private:
  [[nodiscard]] const std::string* content_of(Id id) const;
  exact::Result<std::vector<Id>> known(std::vector<Id> ids, const std::string& where) const;
  exact::Result<std::vector<Id>> find_bos(const std::filesystem::path& folder) const;

  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  Model model_;
  AddedTokens added_;
  Decoder decoder_;
  exact::Result<std::vector<Id>> bos_;
  Barred barred_;
};

}  // namespace sinkproof::tokenizer
