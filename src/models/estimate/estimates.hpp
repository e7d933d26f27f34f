// All readouts of a language model on given sequences, and how far interventions move its rows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "estimate/readouts.hpp"
#include "estimate/tokens.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "language/model.hpp"

namespace sinkproof::estimate {

// Something taken away from a run; beside it stands the run as it is.
struct Intervention {
  std::string name;  // as it was asked for
  certificate::Intervention taken;
};

struct Request {
  std::vector<Tokens> sequences;
  std::size_t position = 1;
  std::vector<Intervention> interventions;
  bool keep_attention = false;
  bool keep_logits = false;
  unsigned threads = 1;
  std::function<void(double share)> progress;
};

struct Estimates {
  std::vector<Readouts> readouts;  // by sequence
  // By intervention and sequence: entry l = 0 .. D is the most a row of h^l moves, in norm; entry
  // D + 1, which an encoder lacks, the most a logit does.
  std::vector<std::vector<Array>> moved;
  Array attention;  // [sequence, layer, head, query, key], where it is kept
  Array logits;     // [sequence, T, vocabulary]
};

// SP2106: the position is not in every sequence, or an ablation names no head of the model. SP2107:
// sequences of several lengths do not make one array to keep. SP2108: that array, all readouts or
// one matrix of a pass would be over 2 GiB. Errors of check_tokens and of pass(). `where` says
// where the sequences are from.
exact::Result<Estimates> estimate(const language::Model& model, const Request& request,
                                  const std::string& where);

// Pairs (sequence, layer, head) whose figure is above epsilon, and all of them.
struct Share {
  std::size_t above = 0;
  std::size_t total = 0;
  [[nodiscard]] double value() const {
    return static_cast<double>(above) / static_cast<double>(total);
  }
};
Share share_above(const std::vector<Readouts>& readouts, const std::string& name,
                  const exact::Rational& epsilon);

}  // namespace sinkproof::estimate
