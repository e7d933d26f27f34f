// What a run of `sinkproof measure` is about: the rows of a file, alone or read by the heads of a
// layer, or the inputs of the layers of a model run forward.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exact/error.hpp"
#include "measure/cosine_similarity.hpp"
#include "measure/measure.hpp"
#include "measure/pattern_request.hpp"
#include "measure/token_rows.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::measure {

// What can be said on the command line; errors name its options.
struct RunRequest {
  std::string file;                   // rows, or with `random` or `tokens` a model run forward
  std::optional<std::string> tensor;  // of the rows
  std::string model;                  // holds the heads that read stored rows; "" for rows alone
  std::optional<std::size_t> layer;
  std::optional<std::size_t> head;
  std::optional<std::size_t> heads;  // against the metadata
  std::string beta;                  // rational or decimal; "" for the metadata's residual
  std::string tokens;                // a file
  std::size_t random = 0;
  std::uint64_t seed = 0;
  std::size_t length = 0;               // of the sequences; 0 for the model's, or all rows
  std::string attention;                // against the metadata
  std::string scale;                    // of logits; "" for the metadata's, else 1
  std::vector<std::string> properties;  // names of kinds; empty for all but representable
  std::optional<std::size_t> anchor;
  std::optional<std::vector<std::size_t>> vectors;
  PatternRequest pattern;
  std::string save_inputs;  // the file the rows of a forward pass go to

  [[nodiscard]] bool forward() const { return random != 0 || !tokens.empty(); }
  [[nodiscard]] bool names(const std::string& property) const;
  [[nodiscard]] TokenSource source() const { return {tokens, tensor, random, seed, length}; }
};

// Where a measurement was made; no layer for rows of a file alone.
struct Place {
  std::optional<std::size_t> layer;
  std::optional<std::size_t> head;

  // "layer 1 head 0", "layer 1", "rows".
  [[nodiscard]] std::string text() const;
};

struct Target {
  Place place;
  std::vector<Kind> kinds;
  Subject subject;
};

// The files stay where they are while subjects point to them.
struct Targets {
  std::unique_ptr<NamedFile> input;
  std::unique_ptr<NamedFile> model;
  std::vector<Target> list;
  exact::Rational beta;
  std::optional<exact::Rational> scale;  // of the logits of a model run forward
  std::size_t length = 0;
  std::vector<CosineSimilarity> layers;  // inputs of each layer, then outputs
};

// The model of `file`, whose bytes these are, as the request reads it. The errors of model::read.
exact::Result<model::AttentionModel> read_model(const RunRequest& request, std::string_view bytes);

// The rows to measure, alone or read by the heads of a layer. SP1504, SP1507, SP1509 and the errors
// of the files, of forward() and of read_token_rows.
exact::Result<Targets> read_targets(const RunRequest& request, const std::vector<Kind>& kinds);

}  // namespace sinkproof::measure
