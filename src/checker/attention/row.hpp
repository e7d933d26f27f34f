// What rule row makes of rows and kernels before any search. CHECKPOINT_RULES.md, 4.12.
#pragma once

#include <vector>

#include "attention/shapes.hpp"

namespace sinkproof::check {

// How many keys of a class a row has, or what share of its keys; and the same times tau, the mean
// of the coordinate that is split.
struct Share {
  exact::Rational weight = 0;
  exact::Rational product = 0;
};

// The keys of a row, or of rows of all lengths between two.
struct Mixture {
  Share plus;   // content keys that are not the query, at +1 where a coordinate is split
  Share minus;  // at -1
  Share one;    // each of the other keys
  int side;     // the query's own coordinate where it is split, else 0
};

// Trigger rows of up to `rows` keys beside BOS are taken one by one, the longer ones together.
struct Rowing {
  std::size_t rows;
  std::size_t cells;
  std::size_t length;

  [[nodiscard]] bool has_longer() const { return rows + 1 < length; }
  [[nodiscard]] exact::Rational low() const { return exact::make_rational(1, length - 1); }
  [[nodiscard]] exact::Rational high() const { return exact::make_rational(1, rows + 1); }
};

// Of trigger rows, where the keys are split by a coordinate of the noise, and where they are not.
std::vector<Mixture> noise_mixtures(const Rowing& of);
std::vector<Mixture> flag_mixtures(const Rowing& of, const Head& head, const Side& side);
// All rows of another class, by the longest.
Mixture longest_mixture(const Head& head);

// The kernel of a class of keys lies between down exp(slope_down (x - start)) and the same with up.
struct Kernels {
  exact::Rational start = 0;
  exact::Rational up = 1;
  exact::Rational down = 1;
  exact::Rational slope_up = 1;
  exact::Rational slope_down = 1;
};
Kernels kernels_of(certificate::Kernel kernel, const certificate::KernelClass& range);

}  // namespace sinkproof::check
