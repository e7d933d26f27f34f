// A stack of attention layers in doubles, forward and backward, for a batch of sequences of one
// shape: a number to push up at their last row, and its gradient by the tokens' noise. What comes
// out is a candidate witness, which attained.hpp then evaluates exactly.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "certify/row_problem.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::certify {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The weights of a stack, biases folded in: rows have a 1 after their m coordinates, the token's n
// and, where it is asked for, the rollout: 1 of BOS and 0 of other tokens, which every layer's
// values keep and no logit reads.
struct StackWeights {
  struct Head {
    Rows logit;            // [m+1, m+1]: a query x and a key y have the logit x^T logit y
    Rows value;            // [m, m+1]
    Eigen::VectorXd gate;  // [m+1] where the kind is gated
  };
  struct Layer {
    std::vector<Head> heads;
    Eigen::RowVectorXd constant;  // [m], added to every output
  };

  model::Attention attention = model::Attention::kSoftmax;
  bool residual = false;
  Eigen::Index tokens = 0;  // n
  Eigen::Index width = 0;   // m
  // Of the box: a token's noise is centre + radius * its unit token's. [n-3]
  Eigen::RowVectorXd centre;
  Eigen::RowVectorXd radius;
  std::vector<Layer> layers;

  // Precondition of rollouts: one head a layer, no gate.
  explicit StackWeights(const model::AttentionModel& model, bool rollout = false);
  [[nodiscard]] Eigen::Index noise() const { return tokens - 3; }
  [[nodiscard]] const certificate::AttentionKind& kind() const {
    return certificate::kind_of(attention);
  }
};

// A row's scores, of keys 1 and following, become weights; `slopes`, as many, those of the kernels
// over what they are divided by.
void weigh(model::Attention attention, std::span<double> scores, double* slopes);

// Tokens 1 to `row` of a sequence, its trigger among them or after them; positions from 1.
struct SequenceShape {
  Eigen::Index row = 1;
  Eigen::Index trigger = 3;
};

// Sign times one of these, at the last token.
struct StackGoal {
  enum class Kind {
    kLoss,    // out_r - target_r
    kLogit,   // of a key (0: BOS) in one head
    kLogOdds  // of the attention of one head on the slot; only where weights are normalised
  };
  Kind kind = Kind::kLoss;
  double sign = 1;
  Eigen::Index coordinate = 0;  // r
  std::size_t layer = 0;        // from 0, of a logit or of log-odds
  std::size_t head = 0;
  Eigen::Index key = 0;
  Slot slot = Slot::kBos;
};

class StackPass {
 public:
  // `weights` must outlive it.
  StackPass(const StackWeights& weights, const SequenceShape& shape);

  // Of each sequence: the noise of unit tokens 2 to `row`, position after position.
  [[nodiscard]] Eigen::Index variables() const { return (shape_.row - 1) * weights_.noise(); }

  // One sequence for each row of `noise` [B, variables], with its goal: all of one kind and, but
  // for losses, of one layer. Minus infinity where doubles do not say. Fills `gradient`, of the
  // shape of `noise`, if there is one.
  std::vector<double> values(const Rows& noise, std::span<const StackGoal> goals,
                             Rows* gradient = nullptr);

 private:
  // What a layer keeps for its gradient. R rows of each sequence are computed: all, or the last.
  struct HeadTrace {
    Rows queries;         // [B R, n+1]: logit^T x
    Rows weights;         // [B R, T], scores before they are weighed
    Rows slopes;          // [B R, T]: of the kernels, over what they are divided by
    Rows pooled;          // [B R, n+1]: weighted sums of keys
    Eigen::ArrayXd open;  // [B R]: the gate
  };
  struct Trace {
    Eigen::Index rows = 0;  // R
    Rows input;             // [B T, n+1]
    std::vector<HeadTrace> heads;
  };

  [[nodiscard]] auto computed_rows(const Trace& trace) const;
  void fill_tokens(const Rows& noise);
  void compute_scores(std::size_t layer);
  void pool(std::size_t layer);
  Rows output(std::size_t layer) const;
  void run_layers(std::size_t count);

  std::vector<double> losses(std::span<const StackGoal> goals, Rows* by_token);
  std::vector<double> scores(std::span<const StackGoal> goals, Rows* by_token);
  double log_odds(const double* scores, Slot slot, double* slopes) const;
  double subtract_target(Eigen::Index sequence, const StackGoal& goal, Rows* by_token) const;

  // From the gradient by a layer's outputs (a head's logits) to that by its inputs.
  Rows layer_backward(std::size_t layer, const Rows& by_output) const;
  void head_backward(std::size_t layer, std::size_t head, const Rows& by_output,
                     Rows& by_input) const;
  void scores_backward(std::size_t layer, std::size_t head, const Rows& by_score,
                       Rows& by_input) const;
  void add_to_computed(const Trace& trace, const Rows& gradient, Rows& by_input) const;

  const StackWeights& weights_;
  SequenceShape shape_;
  Eigen::Index batch_ = 0;  // B
  std::vector<Trace> traces_;
};

}  // namespace sinkproof::certify
