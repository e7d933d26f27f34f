// Does a language model smooth its tokens, and why? The measurements of arXiv:2605.08453 on
// anybody's Hugging Face folders: average cosine similarity by layer, model, text and length,
// beside what mean and spread make of it, and what each head does to it
// (estimate/smoothing_readouts.hpp). Every figure is an estimate in doubles.
//
// For each MODEL, TEXT and LENGTH the folder gets data/MODEL.TEXT.LENGTH.json, which is not made
// again while model, text and request are the same; and layers.csv, heads.csv, first-token.csv and
// figures/*.svg, put together each time of what is there.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "estimate/readouts.hpp"
#include "estimate/tokens.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/model.hpp"
#include "reproduce/run_folder.hpp"
#include "reproduce/smoothing_cost.hpp"

namespace sinkproof::reproduce {

// Names are of files, unlike any other of their kind.
struct NamedPath {
  std::string name;
  std::string path;
};

struct TextTokens {
  estimate::OpenSequences open;
  json::Value origin;  // what they are from
};

struct SmoothingOptions : RunOptions {
  std::vector<NamedPath> models;  // Hugging Face folders
  std::vector<NamedPath> texts;
  std::vector<std::size_t> lengths;       // tokens of a sequence, each at least 2
  std::size_t sequences = 8;              // at most so many of each text and length
  std::size_t cost_rows = 0;              // of the costs of patterns (smoothing_cost.hpp); 0: none
  double cost_seconds = 60;               // budget of each pattern's search
  std::set<std::string> assumed_neutral;  // keys of config.json
  std::function<exact::Result<TextTokens>(const NamedPath& model, const language::Model&,
                                          const NamedPath& text, std::size_t length)>
      tokens;
};

// A head's weights on the first positions of the first sequence, as magnitudes.
struct Pattern {
  std::string kind;  // "sink", "diagonal" or "mixed"
  std::size_t layer = 0;
  std::size_t head = 0;
  std::vector<std::vector<double>> weights;  // causal: row i has i + 1
};

struct SmoothingMeasurement {
  std::string model, text;
  std::size_t length = 0;
  std::size_t sequences = 0;
  std::string remarks;            // what makes it another model than is usual
  estimate::Readouts means;       // over the sequences
  estimate::Readouts errors;      // standard errors; none of one sequence
  std::vector<Pattern> patterns;  // none of an encoder
  std::vector<LayerCost> costs;   // where they are asked for: proved, of the rows as stored

  [[nodiscard]] std::string file() const;   // "MODEL.TEXT.LENGTH"
  [[nodiscard]] std::string label() const;  // for the key of a chart
};

struct SmoothingRun : Done {
  std::vector<SmoothingMeasurement> measurements;
};

// SP2102: a text has no sequence of some length. SP0203: the folder cannot be written. Otherwise
// errors of the folders, of `tokens` and of estimate::smoothing_readouts. No measurement begins
// after `seconds`, but one is always made; then the result is as if interrupted.
exact::Result<SmoothingRun> smoothing(const SmoothingOptions& options);

// {"schema":1,"kind":"smoothing","estimates":{...}}: estimates as decimals in strings. `of` is what
// they are of; nothing is read that is of something else.
json::Value smoothing_json(const SmoothingMeasurement& measurement, const json::Value& of);
std::optional<SmoothingMeasurement> read_smoothing(const json::Value& value, const json::Value& of);

// A line for each layer (for each layer and head; for each layer and position) of each measurement:
// means, and standard errors under names that end in _se.
std::string layers_csv(const std::vector<SmoothingMeasurement>& all);
std::string heads_csv(const std::vector<SmoothingMeasurement>& all);
std::string costs_csv(const std::vector<SmoothingMeasurement>& all);  // bounds, rounded outward
std::string first_token_csv(const std::vector<SmoothingMeasurement>& all);

}  // namespace sinkproof::reproduce
