// The byte-pair model: a word is cut into its characters, then the pair of neighbours that stands
// first in the list of merges is joined, the leftmost of equal ones, until no pair is in the list.
// Sennrich, Haddow, Birch, arXiv:1508.07909. O(n log n) for n characters.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/vocabulary.hpp"

namespace sinkproof::tokenizer {

class BytePair {
 public:
  // The field "model" of a tokenizer.json, merges as texts "a b" or pairs ["a", "b"]. SP2202;
  // SP2203: dropout, prefixes or suffixes of subwords, another field; SP2204 as Vocabulary; SP2205:
  // a merge that is not two tokens, of tokens or into one that the vocabulary has not, or twice.
  static exact::Result<BytePair> read(const Value& model, const std::string& where);

  // Appends the ids of `word`, UTF-8. A character without token is its bytes <0x00> ... <0xFF>
  // (with byte_fallback, where all of them are tokens), else the unknown token, one for neighbours
  // with fuse_unk. SP2209: there is none.
  exact::Result<void> encode(std::string_view word, std::vector<Id>& ids) const;

  [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  struct Merge {
    Id left = 0;
    Id right = 0;
    Id joined = 0;
    std::size_t rank = 0;
  };

  exact::Result<void> read_settings(const Value& model, const std::string& where);
  exact::Result<void> read_merges(const Value& merges, const std::string& where);
  exact::Result<Merge> read_merge(const Value& merge, const std::string& where) const;
  [[nodiscard]] const Merge* merge_of(Id left, Id right) const;
  bool append_bytes(std::string_view character, std::vector<Id>& symbols) const;
  exact::Result<std::vector<Id>> characters(std::string_view word) const;
  void merge_all(const std::vector<Id>& symbols, std::vector<Id>& ids) const;

  Vocabulary vocabulary_;
  std::vector<Merge> merges_;                 // by (left, right)
  std::array<std::optional<Id>, 256> bytes_;  // <0x00> ... <0xFF>, with byte_fallback
  std::optional<Id> unknown_;
  std::string where_;
  bool fuse_unknown_ = false;
  bool ignore_merges_ = false;  // a word that is a token is that token, whatever merges give
};

}  // namespace sinkproof::tokenizer
