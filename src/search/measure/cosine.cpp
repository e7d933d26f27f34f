#include "measure/cosine.hpp"

#include "rounded/square_root.hpp"

namespace sinkproof::measure {

using exact::Enclosure;
using exact::Rational;

Enclosure cosine(const Rational& dot, const Rational& square_a, const Rational& square_b) {
  Enclosure size = rounded::square_root(dot * dot / (square_a * square_b));
  if (dot >= 0) return size;
  return {-size.upper, -size.lower};
}

}  // namespace sinkproof::measure
