// Task sequences drawn again from digests, so that nobody chooses them: trigger position uniform on
// a range, noise coordinates independent and uniform on 65536 points of the box.
// CHECKPOINT_RULES.md, 4.17 and 4.18.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "certificate/box.hpp"
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

// Precondition: 3 <= first_trigger <= last_trigger <= length, at most 65536 of them; width >= 4.
struct GridLaw {
  std::size_t length = 0;  // L
  std::size_t width = 0;   // n
  certificate::Box box = {};
  std::size_t first_trigger = 3;
  std::size_t last_trigger = length;
};

struct DrawnSequence {
  std::size_t trigger = 0;       // j, from 1
  exact::RationalMatrix tokens;  // [L, n], or [j, n]
};

// The sequence whose digests are of `key` followed by a block number and a line feed; only tokens 1
// to j where `up_to_trigger`.
DrawnSequence drawn_sequence(const std::string& key, const GridLaw& law, bool up_to_trigger);

// `key` of all sequences of rule random, before their index and a line feed.
std::string random_key(const std::string& model_sha256, const GridLaw& law);

// `key` of sequence `index` of rule forward.
std::string given_key(const std::string& model_sha256, std::size_t length, std::uint64_t seed,
                      std::size_t index);

}  // namespace sinkproof::forward
