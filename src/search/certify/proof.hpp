// What a bound's search hands over: the bound, and what the checker re-derives it from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "certificate/proof.hpp"
#include "certify/sign_form.hpp"
#include "exact/rational.hpp"

namespace sinkproof::certify {

struct Proof {
  exact::Rational bound;  // the upper bound (lower, for a floor) that it proves
  certificate::Proof by;
};

// `trees` as a certificate has them, with points if leaves have labels, which become the points'
// numbers.
certificate::Trees stated_trees(std::span<const std::size_t> order,
                                const std::vector<std::string>& trees);

struct PieceSharing;

// How hard to try and how much room to leave for the difference between doubles and exact numbers.
struct Effort {
  Budget nodes = 200'000;  // of one tree
  double margin = 1e-10;   // relative
  // No search, and no double in a proof: every tree is its root, evaluated exactly. Coarse, and the
  // checker accepts it whatever the weights.
  bool roots_only = false;
  // What rule `stack` may take for one layer, as StackEffort. It ends before half of the time left
  // does, so that what is found depends on the model alone. 0: it is not tried.
  std::uint64_t pass_units = std::uint64_t{1} << 25U;
  // random.* stay unknown: the checker did not count samples as doubles do.
  bool without_samples = false;
  // Of what a certificate states: significant digits and decimal places, at most. 900 leave room in
  // its 2000 characters for what a theorem implies, whose parts are twice as long. 1 to 1000.
  unsigned places = 900;
  const PieceSharing* sharing = nullptr;  // who helps (pieces.hpp); null: nobody
};

// About the least number, above a positive one at which it does not, at which `holds`; infinite if
// that is `most` or more, or `number` is not positive. The last number at which it was found to
// hold is the one returned.
double least_above(double number, double most, const std::function<bool(double)>& holds);

// A rational close above (below) `value`, short enough to read: 6 significant digits. Nothing for
// an infinity or NaN.
std::optional<exact::Rational> bound_above(double value);
std::optional<exact::Rational> bound_below(double value);
exact::Rational bound_above(const exact::Rational& value);

// The nearest number below (above) `value` of `places` decimal places and significant digits at
// most: what a certificate states of an exact or tiny bound, whose own text may be of any length.
exact::Rational stated_below(const exact::Rational& value, unsigned places);
exact::Rational stated_above(const exact::Rational& value, unsigned places);

// A dyadic rational near `value` with 16 significant bits, for multipliers. Precondition: finite.
exact::Rational short_dyadic(double value);

}  // namespace sinkproof::certify
