// What a block does to rows beside maps and attention: norms, activations, products by coordinate,
// rotations. Rows are balls, results enclose. LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>
#include <vector>

#include "forward/ball.hpp"
#include "forward/elementary.hpp"
#include "language/model.hpp"
#include "language/product.hpp"

namespace sinkproof::language {

// Constants at one precision.
struct Constants {
  explicit Constants(unsigned p);
  unsigned p;
  forward::Range density;  // 1/sqrt(2 pi), in units of 2^-(2p + 64)
  forward::Range tanh;     // 2 sqrt(2/pi)
};

// Coordinates begin .. begin + width - 1 of each row normalised and weighted, for each begin = 0,
// width, ..: of a head's queries, or of whole rows. Throws TooCoarse where a row's radius reaches
// its deviation. Precondition: width divides the columns and is that of the weights.
forward::Balls normalised(const forward::Balls& x, const NormWeights& weights, Norm norm,
                          const exact::Rational& epsilon, std::size_t width, unsigned p);

forward::Balls activated(const forward::Balls& x, Activation activation, const Constants& constants,
                         const ForEach& each);

// A line beside an activation: for all x of a range, the activation less slope times x lies in
// `rest`. FORM_RULES.md.
struct Line {
  exact::Integer slope;  // in units of 2^-p
  forward::Range rest;
};
Line line_beside(const forward::Range& x, Activation activation, const Constants& constants);

// Coordinate by coordinate. Precondition: equal shapes.
forward::Balls product(const forward::Balls& a, const forward::Balls& b, unsigned p);
forward::Balls scaled(const forward::Balls& x, const forward::Range& factor, unsigned p);

// Coordinates j and j + n/2 of the first n of each head, turned by these n/2 angles, of one row.
using Angles = std::vector<forward::CosineSine>;
void rotate(forward::Balls& x, std::size_t row, std::size_t head_width, const Angles& angles,
            unsigned p);

}  // namespace sinkproof::language
