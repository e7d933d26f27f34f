#include "tokenizer/byte_pair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// A symbol of a word, linked to those that are still its neighbours.
struct Symbol {
  Id id = 0;
  std::size_t before = kNone;
  std::size_t after = kNone;
  bool gone = false;
};

// A pair that was in the list when it was seen; the smallest rank comes first, then the leftmost.
struct Candidate {
  std::size_t rank = 0;
  std::size_t at = 0;
  Id left = 0;
  Id right = 0;

  bool operator>(const Candidate& other) const {
    return std::tie(rank, at) > std::tie(other.rank, other.at);
  }
};

exact::Result<void> refuse_settings(const Value& model, const std::string& where) {
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const Value& value = field_or_null(model, key);
    if (!value.is_null() && value != Value("")) {
      return exact::fail("SP2203", where,
                         std::string(key) + " is not supported; give token ids instead of text");
    }
  }
  const Value& dropout = field_or_null(model, "dropout");
  if (!dropout.is_null() && dropout != Value(0)) {
    return exact::fail("SP2203", where,
                       "dropout is not supported, because it leaves merges out at random; give "
                       "token ids instead of text");
  }
  return {};
}

// "a b" or ["a", "b"].
std::optional<std::pair<std::string, std::string>> halves(const Value& merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return std::pair{merge[0].get<std::string>(), merge[1].get<std::string>()};
  }
  if (!merge.is_string()) return std::nullopt;
  const auto& text = merge.get_ref<const std::string&>();
  const std::size_t space = text.find(' ');
  if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
    return std::nullopt;
  }
  return std::pair{text.substr(0, space), text.substr(space + 1)};
}

}  // namespace

exact::Result<BytePair> BytePair::read(const Value& model, const std::string& where) {
  constexpr std::string_view kFields =
      "type vocab merges unk_token fuse_unk byte_fallback ignore_merges dropout "
      "continuing_subword_prefix end_of_word_suffix";
  if (const auto known = refuse_other_fields(model, kFields, where); !known) {
    return tl::make_unexpected(known.error());
  }
  if (const auto known = refuse_settings(model, where); !known) {
    return tl::make_unexpected(known.error());
  }
  auto vocabulary = Vocabulary::read(field_or_null(model, "vocab"), where + ".vocab");
  if (!vocabulary) return tl::make_unexpected(vocabulary.error());
  BytePair made;
  made.where_ = where;
  made.vocabulary_ = std::move(*vocabulary);
  if (const auto read = made.read_settings(model, where); !read) {
    return tl::make_unexpected(read.error());
  }
  const auto read = made.read_merges(field_or_null(model, "merges"), where + ".merges");
  if (!read) return tl::make_unexpected(read.error());
  return made;
}

exact::Result<void> BytePair::read_settings(const Value& model, const std::string& where) {
  const auto fuse = optional_flag_field(model, "fuse_unk", where);
  const auto fallback = optional_flag_field(model, "byte_fallback", where);
  const auto ignore = optional_flag_field(model, "ignore_merges", where);
  for (const auto* flag : {&fuse, &fallback, &ignore}) {
    if (!*flag) return tl::make_unexpected(flag->error());
  }
  const auto unknown = optional_text_field(model, "unk_token", where);
  if (!unknown) return tl::make_unexpected(unknown.error());
  fuse_unknown_ = fuse->value_or(false);
  ignore_merges_ = ignore->value_or(false);
  if (*unknown) unknown_ = vocabulary_.id_of(**unknown);
  for (unsigned byte = 0; fallback->value_or(false) && byte < 256; ++byte) {
    bytes_.at(byte) = vocabulary_.id_of(fmt::format("<0x{:02X}>", byte));
  }
  return {};
}

exact::Result<BytePair::Merge> BytePair::read_merge(const Value& merge,
                                                    const std::string& where) const {
  const auto parts = halves(merge);
  if (!parts) return exact::fail("SP2205", where, "must be \"a b\" or [\"a\", \"b\"]");
  const auto left = vocabulary_.id_of(parts->first);
  const auto right = vocabulary_.id_of(parts->second);
  const auto joined = vocabulary_.id_of(parts->first + parts->second);
  if (!left || !right || !joined) {
    return exact::fail("SP2205", where,
                       "its halves and their concatenation must be tokens of the vocabulary");
  }
  return Merge{*left, *right, *joined, 0};
}

exact::Result<void> BytePair::read_merges(const Value& merges, const std::string& where) {
  if (!merges.is_array()) return exact::fail("SP2202", where, "must be a list");
  merges_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto merge = read_merge(merges[rank], where);
    if (!merge) {
      return exact::fail(merge.error().code, where + "[" + std::to_string(rank) + "]",
                         merge.error().what);
    }
    merges_.push_back(*merge);
    merges_.back().rank = rank;
  }
  std::sort(merges_.begin(), merges_.end(), [](const Merge& a, const Merge& b) {
    return std::tie(a.left, a.right, a.rank) < std::tie(b.left, b.right, b.rank);
  });
  const auto twice = std::adjacent_find(
      merges_.begin(), merges_.end(),
      [](const Merge& a, const Merge& b) { return a.left == b.left && a.right == b.right; });
  if (twice == merges_.end()) return {};
  return exact::fail("SP2205", where + "[" + std::to_string(std::next(twice)->rank) + "]",
                     "is repeated");
}

const BytePair::Merge* BytePair::merge_of(Id left, Id right) const {
  const auto place = std::lower_bound(merges_.begin(), merges_.end(), std::pair{left, right},
                                      [](const Merge& merge, const std::pair<Id, Id>& wanted) {
                                        return std::tie(merge.left, merge.right) <
                                               std::tie(wanted.first, wanted.second);
                                      });
  const bool found = place != merges_.end() && place->left == left && place->right == right;
  return found ? &*place : nullptr;
}

// Appends the byte tokens of `character`, or nothing where one of them is missing.
bool BytePair::append_bytes(std::string_view character, std::vector<Id>& symbols) const {
  std::vector<Id> ids;
  for (const char byte : character) {
    const auto& id = bytes_.at(static_cast<unsigned char>(byte));
    if (!id) return false;
    ids.push_back(*id);
  }
  symbols.insert(symbols.end(), ids.begin(), ids.end());
  return true;
}

// As the published tokenizers do, the unknown token of a character comes when the next character
// with a token does, the next unknown one, or the end: byte tokens in between stand before it.
exact::Result<std::vector<Id>> BytePair::characters(std::string_view word) const {
  std::vector<Id> symbols;
  bool waiting = false;
  for (std::size_t at = 0; at < word.size();) {
    const std::string_view character = word.substr(at, character_at(word, at).bytes);
    at += character.size();
    const auto id = vocabulary_.id_of(character);
    if (!id && append_bytes(character, symbols)) continue;
    if (!id && !unknown_) {
      return exact::fail(
          "SP2209", where_,
          "there is no token for \"" + std::string(character) +
              "\", and the model has no unk_token; leave the character out of the text");
    }
    if (waiting && (id || !fuse_unknown_)) symbols.push_back(*unknown_);
    waiting = !id;
    if (id) symbols.push_back(*id);
  }
  if (waiting) symbols.push_back(*unknown_);
  return symbols;
}

void BytePair::merge_all(const std::vector<Id>& symbols, std::vector<Id>& ids) const {
  std::vector<Symbol> word(symbols.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    word[i] = {symbols[i], i == 0 ? kNone : i - 1, i + 1 == word.size() ? kNone : i + 1, false};
  }
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto consider = [&](std::size_t at) {
    if (at == kNone || word[at].after == kNone) return;
    const Id right = word[word[at].after].id;
    if (const Merge* merge = merge_of(word[at].id, right)) {
      candidates.push({merge->rank, at, word[at].id, right});
    }
  };
  for (std::size_t i = 0; i < word.size(); ++i) consider(i);
  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
    Symbol& left = word[best.at];
    if (left.gone || left.after == kNone) continue;
    Symbol& right = word[left.after];
    if (left.id != best.left || right.id != best.right) continue;
    left.id = merge_of(best.left, best.right)->joined;
    right.gone = true;
    left.after = right.after;
    if (left.after != kNone) word[left.after].before = best.at;
    consider(left.before);
    consider(best.at);
  }
  for (const Symbol& symbol : word) {
    if (!symbol.gone) ids.push_back(symbol.id);
  }
}

exact::Result<void> BytePair::encode(std::string_view word, std::vector<Id>& ids) const {
  if (ignore_merges_) {
    if (const auto whole = vocabulary_.id_of(word)) {
      ids.push_back(*whole);
      return {};
    }
  }
  const auto symbols = characters(word);
  if (!symbols) return tl::make_unexpected(symbols.error());
  merge_all(*symbols, ids);
  return {};
}

}  // namespace sinkproof::tokenizer
