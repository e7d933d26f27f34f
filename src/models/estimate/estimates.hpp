// All readouts of a language model on given sequences, and how far interventions move its rows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "estimate/readouts.hpp"
#include "estimate/summary.hpp"
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
  OpenSequences sequences;
  std::size_t position = 1;
  exact::Rational epsilon;
  std::vector<Intervention> interventions;
  bool loss = false;  // next-token cross-entropy; a model without logits has none
  bool keep = false;  // each sequence's ids and figures; attention and logits need no `keep`
  bool keep_attention = false;
  bool keep_logits = false;
  unsigned threads = 1;
  std::function<void(double share)> progress;
};

struct Estimates {
  Summary summary;
  Tokens first;                   // sequence
  std::vector<Tokens> sequences;  // where they are kept, as are the next two
  std::vector<Readouts> readouts;
  // By intervention and sequence: entry l = 0 .. D is the most a row of h^l moves, in norm; entry
  // D + 1, which an encoder lacks, the most a logit does.
  std::vector<std::vector<Array>> moved;
  // By sequence: its loss in nats per token, as it is and with each intervention; NaN of one token.
  std::vector<Array> losses;
  Array attention;  // [sequence, layer, head, query, key], where it is kept
  Array logits;     // [sequence, T, vocabulary]
};

// Reads the sequences twice: all are checked before the first pass. SP2106: the position is not in
// every sequence, or an ablation names no head of the model. SP2107: sequences of several lengths
// do not make one array to keep. SP2102: more than kMostTokens ids are to be kept. SP2108: an array
// to keep, all readouts or one matrix of a pass would be over 2 GiB. Errors of extent_of() and of
// pass(). `where` says where the sequences are from.
exact::Result<Estimates> estimate(const language::Model& model, const Request& request,
                                  const std::string& where);

}  // namespace sinkproof::estimate
