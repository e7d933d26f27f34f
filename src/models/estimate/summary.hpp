// What is kept of the figures of many sequences: means, standard errors and counts. Its size does
// not depend on how many sequences there are.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "estimate/readouts.hpp"
#include "estimate/tokens.hpp"
#include "exact/rational.hpp"

namespace sinkproof::estimate {

// Mean and spread of arrays of one shape, one after another (Welford, Technometrics 4, 1962).
class Moments {
 public:
  void add(const Array& array);
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const Array& mean() const { return mean_; }
  // The standard deviation (divisor count - 1) over the root of the count; NaN for one array.
  [[nodiscard]] Array standard_error() const;

 private:
  std::size_t count_ = 0;
  Array mean_;
  Array squares_;  // sums of squared distances from the mean
};

// A sink share is stated only of positions that at least so many queries see: below that, the mean
// attention on a position is that of a query or two on itself and its neighbours.
inline constexpr std::size_t kFewestQueries = 8;

// How many key positions are seen by kFewestQueries queries in every sequence.
std::size_t judged_positions(const language::Config& config, std::size_t shortest);

// The (sequence, layer, head) whose figure is above epsilon, and all of them.
struct Share {
  std::size_t above = 0;
  std::size_t total = 0;
  [[nodiscard]] double value() const {
    return static_cast<double>(above) / static_cast<double>(total);
  }
};

struct Summary {
  Extent extent;
  std::map<std::string, Moments> figures;  // [D, H]; mean-cosine [D + 1]
  // By head, of "alpha" and "value-alpha": the sequences in which it is above epsilon.
  std::map<std::string, std::vector<std::size_t>> above;
  // By position, [D, T] (hidden-norm [D + 1, T]), T the longest sequence's length: means over the
  // heads of the sequences that reach it.
  std::map<std::string, Array> norms;
  Array largest_hidden_norm;         // [D + 1, T]
  std::vector<std::size_t> reached;  // [T]: the sequences that reach a position
  std::vector<Share> shares;         // [judged_positions]: alphas of that position
  // By intervention, [D + 2] (of an encoder [D + 1]).
  std::vector<Moments> moved;
  std::vector<Array> most_moved;
  // Of the sequences of two tokens and more, in nats per token: [1 + interventions], as they are
  // and with each intervention; and [interventions], how much each adds. Empty where no sequence
  // has a loss.
  Moments losses;
  Moments loss_changes;

  [[nodiscard]] Share share(const std::string& figure) const;
};

// Adds up one sequence after another.
class Summing {
 public:
  Summing(const language::Config& config, const Extent& extent, std::size_t interventions,
          const exact::Rational& epsilon);

  // A head's attention on all positions, as alphas() has it.
  void add_alphas(const std::vector<double>& each);
  void add(const Readouts& readouts, const std::vector<Array>& moved);
  // A sequence's losses, [1 + interventions]; NaNs are those of one token, and are left out.
  void add_losses(const Array& losses);
  // Of what has been added.
  [[nodiscard]] Summary summary() const;

 private:
  void add_norms(const std::string& name, const Array& array);

  double epsilon_;  // the largest double that is at most epsilon
  Summary sums_;    // its norms are sums
};

}  // namespace sinkproof::estimate
