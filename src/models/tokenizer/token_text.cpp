#include "tokenizer/token_text.hpp"

#include <memory>
#include <string_view>
#include <utility>

#include "file/file.hpp"
#include "json/decimals.hpp"
#include "tokenizer/tokenizer.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr std::size_t kBytes = 256;

// "<0xE5>"
std::string hexadecimal(std::size_t byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
}

}  // namespace

bool reads_bytes(const std::filesystem::path& folder) {
  std::error_code none;
  if (std::filesystem::exists(folder / "tokenizer.json", none)) return false;
  const auto bytes = file::read(folder / "config.json");
  if (!bytes) return false;
  const auto config = json::parse_with_decimals(*bytes, "config.json");
  if (!config || !config->is_object() ||
      config->value("tokenizer_class", json::Value()) != "SinkproofBytes") {
    return false;
  }
  const auto size = config->find("vocab_size");
  return size != config->end() && (*size == kBytes || *size == kBytes + 1);
}

TokenText byte_text() {
  return [](std::size_t id) -> exact::Result<std::string> {
    if (id > kBytes) return exact::fail("SP2211", "id " + std::to_string(id), "is not a byte");
    if (id == kBytes) return "<s>";
    return id < 0x80 ? std::string(1, static_cast<char>(id)) : hexadecimal(id);
  };
}

std::optional<TokenText> token_text(const std::filesystem::path& folder) {
  if (reads_bytes(folder)) return byte_text();
  auto read = Tokenizer::read(folder);
  if (!read) return std::nullopt;
  const auto tokenizer = std::make_shared<Tokenizer>(*std::move(read));
  return [tokenizer](std::size_t id) { return tokenizer->text_of(static_cast<Id>(id)); };
}

}  // namespace sinkproof::tokenizer
