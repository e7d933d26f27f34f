// A head of softmax attention at one row, over the whole box: the share of BOS as a polynomial of
// the row's logits, and what the other keys have on average, tilted by their logits, to first
// order. MOMENT_RULES.md.
#pragma once

#include <optional>
#include <vector>

#include "forward/ball.hpp"
#include "forward/series.hpp"

namespace sinkproof::forward {

// Letters of keys are scaled by multiples of 1/256.
inline constexpr Word kScale = 256;

// Content keys at a layer: centre + columns z, within remainder, z in [-1, 1]^M a key's letters.
// Columns are multiples of 2^8 units.
struct ContentKeys {
  std::vector<Word> centre;
  exact::Matrix<Word> columns;       // [n, M]
  std::vector<Word> remainder;       // [n]
  std::vector<std::size_t> numbers;  // [M]: of letters, among those of all layers
};

// So many of them as one row sees. The mean over them of z_a is at most mean[a] / 256 in absolute
// value, that of z_a^2 at most (spread[a] / 256)^2.
struct SeenKeys {
  const ContentKeys* keys;
  std::size_t count = 0;
  std::vector<Word> mean;
  std::vector<Word> spread;
};

// The maps of one head.
struct FixedHead {
  FixedMap query;  // the logit of x is the inner product with (x, 1)
  FixedMap value;
};

struct TiltedHead {
  Series mean;                   // of all keys but BOS, less BOS
  std::optional<Series> others;  // their share, one coordinate; none: BOS is one of them
  Range bos;                     // BOS's, in units of 2^-64
};

// Letters of keys: `mean` + number stands for a mean, `key` + number for one key's.
struct KeyLetters {
  Letter mean;
  Letter key;
};

// `row` sees BOS, these keys (none: count 0), the trigger's (null: it does not) and itself.
TiltedHead tilted(const FixedHead& head, const Series& row, const Series& bos, const SeenKeys& seen,
                  const Series* trigger, const KeyLetters& letters, std::size_t degree,
                  const Alphabet& alphabet);

// part / whole in 256ths, from above, at most 256. Precondition: part >= 0, whole > 0.
Word part_of_scale(Word part, Word whole);
// Appends what so many keys, one for each of these scales in 256ths, say of a letter.
void add_letter(SeenKeys& seen, const std::vector<Word>& scales);
// Columns times scales / 256.
exact::Matrix<Word> scaled_columns(const exact::Matrix<Word>& columns,
                                   const std::vector<Word>& scales);

// The mean of the keys a row sees.
Series mean_of(const SeenKeys& seen, const KeyLetters& letters);
// One key.
Series one_of(const ContentKeys& keys, const KeyLetters& letters);
// The mean over the keys of what is affine in the letters of one.
Series mean_over(const Series& of_one, const SeenKeys& seen, const KeyLetters& letters);

}  // namespace sinkproof::forward
