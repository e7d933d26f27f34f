// Task sequences drawn again from digests, so that nobody chooses them: trigger position uniform on
// 3..L, noise coordinates independent and uniform on the 65536 points (2 v + 1 - 65536)/65536.
// CHECKPOINT_RULES.md, 4.17 and 4.18.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "exact/matrix.hpp"

namespace sinkproof::forward {

// The 16-bit words of the digests of `key` followed by 0, 1, ... and a line feed.
class DigestWords {
 public:
  explicit DigestWords(std::string key) : key_(std::move(key)) {}
  std::uint32_t operator()();

 private:
  std::string key_;
  std::string digest_;
  std::size_t used_ = 0;
  std::uint64_t block_ = 0;
};

struct DrawnSequence {
  std::size_t trigger = 0;       // j, from 1
  exact::RationalMatrix tokens;  // [L, n], or [j, n]
};

// The sequence whose digests are of `key` followed by a block number and a line feed; only tokens 1
// to j where `up_to_trigger`. Precondition: length >= 3, width >= 4.
DrawnSequence drawn_sequence(const std::string& key, std::size_t length, std::size_t width,
                             bool up_to_trigger);

// `key` of sequence `index` of rule forward.
std::string given_key(const std::string& model_sha256, std::size_t length, std::uint64_t seed,
                      std::size_t index);

}  // namespace sinkproof::forward
