// The average cosine similarity along a language model's layers and what each head does to it: all
// that is read off a pass for `sinkproof smoothing` (docs/SMOOTHING.md), in doubles. T tokens, D
// layers, H heads; h^l the input of layer l, h^D what the last one puts out; z^l the normed input
// that attention reads, h^l itself where a model normalises after its layers.
//
//   mean-cosine           [D+1]     average cosine of h^l (cosines.hpp)
//   predicted-cosine      [D+1]     the same as mean and spread of h^l make it
//   first-cosine          [D+1, T]  cosine of row 1 of h^l with each row
//   normed-cosine         [D]       average cosine of z^l
//   normed-predicted      [D]       the same as mean and spread of z^l make it
//   COMPONENT-measured    [D, H]    head_smoothing.hpp, of its five components
//   COMPONENT-predicted   [D, H]
//   s, s-error, s-plus-t, s-plus-t-error  [D, H]  and the bounds on their rounding errors
//   case-a, case-b, case-d  [D, H]  1 where the signs of s and s + t are those of that case of sm-2
//   first-weight          [D, H]    mean over queries 2 .. T of the weight on key 1
//   own-weight            [D, H]    mean over queries 2 .. T of the weight on the query's own key
//   uniformity            [D, H]    attention_shape.hpp
//   attention-rank, output-rank  [D, H]  rank_holding() of A and of A V, at kRankShare
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "estimate/dense.hpp"
#include "estimate/head_smoothing.hpp"
#include "estimate/pass.hpp"
#include "estimate/readouts.hpp"
#include "exact/error.hpp"

namespace sinkproof::estimate {

inline constexpr double kRankShare = 0.99;

// Of runs of one length T >= 2, in one pass.
class SmoothingReader {
 public:
  // The model outlives it.
  SmoothingReader(const language::Model& model, std::size_t runs, std::size_t length);

  // As an Observer is shown them. Throws Error SP0405: a weight of an output map or norm is a NaN
  // or an infinity.
  void hidden(std::size_t layer, const Rows& rows);
  void head(const HeadRows& head);

  [[nodiscard]] const std::vector<Readouts>& readouts() const { return readouts_; }

 private:
  void enter(std::size_t layer, const Rows& rows);

  const language::Model& model_;
  std::size_t length_;
  std::vector<Readouts> readouts_;  // by run
  // Of the layer that is passed.
  Matrix inputs_;          // of all runs
  Matrix output_;          // its output map, [H w, n]
  Matrix uniform_;         // [T, T]
  Matrix uniform_square_;  // with its transpose
};

// The readouts of each run. Preconditions and errors of pass(); all runs have one length T >= 2.
exact::Result<std::vector<Readouts>> smoothing_readouts(
    const language::Model& model, std::span<const Run> runs, unsigned threads,
    const std::function<void(double share)>& progress,
    const std::function<void(const HeadRows&)>& also = {});

}  // namespace sinkproof::estimate
