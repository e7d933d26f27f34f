// A language model on token ids over any numbers: the rows that tokens become, the layers
// (forward/body.hpp), and what logits are read off. LANGUAGE_RULES.md, 5.3.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "forward/body.hpp"
#include "language/model.hpp"

namespace sinkproof::language {

// Of one layer of such a model.
inline forward::Shape shape_of(const Config& config, std::size_t layer) {
  return {.width = config.width,
          .heads = config.heads,
          .key_heads = config.key_heads,
          .head_width = config.head_width,
          .norm_after = config.norm_after,
          .parallel = config.parallel,
          .bidirectional = config.architecture->bidirectional,
          .rotary = config.rotary.has_value(),
          .window = config.windows[layer]};
}

// A sequence of ids, and what is taken away from the model's heads on it.
template <typename Id>
struct Run {
  std::span<const Id> tokens;
  certificate::Intervention taken = {};
};

template <typename Numbers>
class ModelPass {
 public:
  using Rows = typename Numbers::Rows;

  // Both outlive it.
  ModelPass(Numbers& numbers, const Model& model) : n_(numbers), model_(model) {}

  // What the last layer puts out, of one sequence's rows below those of the one before: rows
  // `first` .. of each, which are equally long where it is not 0.
  template <typename Id>
  Rows hidden(std::span<const Run<Id>> runs, const forward::Observer<Numbers>& observer,
              std::size_t first = 0) {
    std::vector<forward::Sequence> sequences;
    std::size_t rows = 0;
    for (const Run<Id>& run : runs) {
      sequences.push_back({rows, run.tokens.size(), run.taken});
      rows += run.tokens.size();
    }
    Rows x;
    n_.clear(x, rows, model_.config.token_width);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      for (std::size_t i = 0; i < runs[r].tokens.size(); ++i) {
        n_.add_row(*model_.token, runs[r].tokens[i], x, sequences[r].begin + i, "token embeddings");
      }
    }
    if (model_.project_in) map(*model_.project_in, x, "projection of token embeddings");
    for (const forward::Sequence& one : sequences) place(one, x);
    if (model_.embedding_norm) norm(*model_.embedding_norm, x, "embedding norm");
    n_.fit(x);
    forward::Body<Numbers>(n_, model_.layers, sequences, observer).run(x, first);
    return x;
  }

  // From which the head's map makes logits.
  Rows output(Rows x) {
    if (model_.final_norm) norm(*model_.final_norm, x, "final norm");
    if (model_.project_out) map(*model_.project_out, x, "projection of the output");
    return x;
  }

 private:
  void map(const Map& map, Rows& x, const char* name) {
    Rows image;
    n_.map(map, x, 0, image, name);
    x = std::move(image);
  }

  void norm(const NormWeights& weights, Rows& x, const char* name) {
    n_.normalise(weights, x, model_.config.width, x, name);
  }

  // Adds learned positions and the token type.
  void place(const forward::Sequence& one, Rows& x) {
    const std::size_t offset = model_.config.architecture->position_offset;
    for (std::size_t i = 0; i < one.length; ++i) {
      const std::size_t to = one.begin + i;
      if (model_.position != nullptr) {
        n_.add_row(*model_.position, one.place(i) + offset, x, to, "learned positions");
      }
      if (model_.token_type != nullptr) n_.add_row(*model_.token_type, 0, x, to, "token types");
    }
  }

  Numbers& n_;
  const Model& model_;
};

}  // namespace sinkproof::language
