// How a small language model knows the order of its tokens, as a table: the position encodings that
// arXiv:2410.10781 compares. Rows count from 0; a key after its row, which a prefix allows, counts
// as one at distance 0.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace sinkproof::language_training {

// What is added to a token's embedding: nothing, a learned row, or sin(p t_c), cos(p t_c) in turn,
// with t_c = 10000^(-2c / width) (arXiv:1706.03762).
enum class Added { kNothing, kLearned, kSinusoids };

// What is added to a logit, by the distance of the key: nothing; a number learned for each head and
// bucket of distances, the same in all layers (T5, arXiv:1910.10683); or -slope_h times the
// distance (ALiBi, arXiv:2108.12409). Nothing is added to a slot's logit.
enum class LogitBias { kNothing, kRelative, kAlibi };

struct PositionKind {
  std::string_view name;
  Added added = Added::kNothing;
  LogitBias bias = LogitBias::kNothing;
  // Queries and keys, but not a slot's, turn by p 10000^(-2c / head width) in the plane of their
  // coordinates c and c + head width / 2 (arXiv:2104.09864).
  bool rotary = false;
};

inline constexpr std::array<PositionKind, 6> kPositionKinds = {{
    {"learned", Added::kLearned},
    {"none"},
    {"absolute", Added::kSinusoids},
    {"relative", Added::kNothing, LogitBias::kRelative},
    {"alibi", Added::kNothing, LogitBias::kAlibi},
    {"rotary", Added::kNothing, LogitBias::kNothing, true},
}};

inline constexpr std::size_t kBuckets = 32;  // T5's

// T5's bucket of a distance: 0 to 15 have their own, larger ones share by their logarithm up to
// 128.
std::size_t bucket_of(std::size_t distance);

// ALiBi's slope of a head: 2^(-8 (h + 1) / heads), and for a number that is not a power of two
// those of the powers around it, as its authors' program has them.
double alibi_slope(std::size_t head, std::size_t heads);

}  // namespace sinkproof::language_training
