// Which way a head smooths (VECTOR_RULES.md 6.7): the certified signs, what sm-2 concludes from
// them, and the norms and cosines sm-1 predicts under its assumptions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "exact/exp_enclosure.hpp"
#include "report/input.hpp"
#include "report/vector_reading.hpp"

namespace sinkproof::report {

// What sm-2 says of the cosine of two rows as attention goes from the diagonal (lambda = 0) to
// uniform (lambda = 1).
enum class SmoothingCase {
  kIncreases,   // (a) s >= 0, t > 0
  kDecreases,   // (b) s + t < 0: wherever the numerator is >= 0
  kBalanced,    // (c) s + t = 0, t > 0, N0 > 0: decreases
  kTurns,       // (d) -t < s < 0: the norms turn at 1 + s/t
  kConstant,    // t = 0: the head adds nothing that varies
  kNotDecided,  // the intervals leave a sign open
};

SmoothingCase smoothing_case(const Smoothing& smoothing);

// Where the norms turn, 1 + s/t. Precondition: case kTurns.
exact::Enclosure turning_point(const Smoothing& smoothing);

// sm-1's E|Y_i|^2 at row i >= 1, and the cosine of rows i and i + 1; the cosine is absent where the
// intervals do not keep a norm above 0. 0 <= lambda <= 1.
exact::Enclosure predicted_square(const Smoothing& smoothing, std::size_t i,
                                  const exact::Rational& lambda);
std::optional<exact::Enclosure> predicted_cosine(const Smoothing& smoothing, std::size_t i,
                                                 const exact::Rational& lambda);

// The block, "" without such a property. `count` is the number of vectors, 0 when it is not known
// (then nothing is predicted); `id` that of the card. Precondition: the outcome shows bounds.
std::string smoothing_block(const Vectors& vectors, std::size_t count, const std::string& id,
                            const Outcome& outcome);

}  // namespace sinkproof::report
