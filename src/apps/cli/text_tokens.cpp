#include "cli/text_tokens.hpp"

#include <algorithm>
#include <utility>

#include "file/file.hpp"

namespace sinkproof::cli {
namespace {

using exact::Result;
using Ids = std::vector<tokenizer::Id>;

// The ids after what begins a text, `length` at a time; all of them where it is 0.
std::vector<Ids> sequences_of(const Ids& begin, const Ids& body, std::size_t length) {
  const std::size_t room = length == 0 ? body.size() : length - begin.size();
  std::vector<Ids> sequences;
  for (std::size_t at = 0; at + room <= body.size() && room != 0; at += room) {
    Ids ids = begin;
    const auto first = body.begin() + static_cast<std::ptrdiff_t>(at);
    ids.insert(ids.end(), first, first + static_cast<std::ptrdiff_t>(room));
    sequences.push_back(std::move(ids));
  }
  return sequences;
}

Result<std::vector<std::string>> texts_of(const tokenizer::Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> texts;
  for (const tokenizer::Id id : ids) {
    auto text = tokenizer.text_of(id);
    if (!text) return tl::unexpected(text.error());
    texts.push_back(*std::move(text));
  }
  return texts;
}

}  // namespace

Result<TextTokens> text_tokens(const std::filesystem::path& folder,
                               const std::filesystem::path& file, tokenizer::Bos bos,
                               std::size_t length) {
  auto text = file::read(file, tokenizer::kMaxInput);
  if (!text) return tl::unexpected(text.error());
  auto tokenizer = tokenizer::Tokenizer::read(folder);
  if (!tokenizer) return tl::unexpected(tokenizer.error());
  auto body = tokenizer->encode(*text, tokenizer::Bos::kWithout);
  if (!body) return tl::unexpected(body.error());
  Ids begin;
  if (bos == tokenizer::Bos::kWith) {
    auto with = tokenizer->encode("", bos);
    if (!with) return tl::unexpected(with.error());
    begin = *std::move(with);
  }
  TextTokens result;
  const bool fits = length == 0 || length > begin.size();
  for (const Ids& ids : fits ? sequences_of(begin, *body, length) : std::vector<Ids>()) {
    auto texts = texts_of(*tokenizer, ids);
    if (!texts) return tl::unexpected(texts.error());
    result.sequences.emplace_back(ids.begin(), ids.end());
    result.texts.push_back(*std::move(texts));
  }
  if (!result.sequences.empty()) return result;
  return exact::fail("SP1508", "--text " + file.string(),
                     "makes only " + std::to_string(body->size()) +
                         " tokens, fewer than one sequence; give a smaller --length");
}

}  // namespace sinkproof::cli
