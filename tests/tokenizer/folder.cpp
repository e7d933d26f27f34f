#include "folder.hpp"

#include <fstream>

#include "tokenizer/byte_alphabet.hpp"

namespace sinkproof::test {

Folder::Folder(const std::string& tokenizer_json) { write("tokenizer.json", tokenizer_json); }

void Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(*this / name, std::ios::binary) << text;
}

exact::Result<tokenizer::Tokenizer> Folder::read() const {
  return tokenizer::Tokenizer::read(path());
}

nlohmann::json byte_tokenizer() {
  nlohmann::json vocab;
  for (int byte = 0; byte < 256; ++byte) {
    vocab[tokenizer::to_byte_alphabet(std::string(1, static_cast<char>(byte)))] = byte;
  }
  const nlohmann::json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  return {{"added_tokens", {added_token("<s>", 256)}},
          {"normalizer", nullptr},
          {"pre_tokenizer", bytes},
          {"post_processor", nullptr},
          {"decoder", bytes},
          {"model", {{"type", "BPE"}, {"vocab", vocab}, {"merges", nlohmann::json::array()}}}};
}

nlohmann::json added_token(const std::string& content, int id) {
  return {{"id", id},
          {"content", content},
          {"special", true},
          {"normalized", false},
          {"single_word", false},
          {"lstrip", false},
          {"rstrip", false}};
}

std::string code_of(const nlohmann::json& tokenizer_json) {
  const auto read = Folder(tokenizer_json.dump()).read();
  return read ? "accepted" : read.error().code;
}

}  // namespace sinkproof::test
