// A folder with a tokenizer.json, for as long as the object lives.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "output/temporary_folder.hpp"
#include "tokenizer/tokenizer.hpp"

namespace sinkproof::test {

class Folder : public output::TemporaryFolder {
 public:
  explicit Folder(const std::string& tokenizer_json);

  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] exact::Result<tokenizer::Tokenizer> read() const;
};

// A byte-level tokenizer: the byte alphabet with ids 0 ... 255 in order of the bytes, no merges,
// "<s>" with id 256.
nlohmann::json byte_tokenizer();

// An entry of "added_tokens": special, and nothing else.
nlohmann::json added_token(const std::string& content, int id);

// "accepted", or the code of what reading it gives.
std::string code_of(const nlohmann::json& tokenizer_json);

}  // namespace sinkproof::test
