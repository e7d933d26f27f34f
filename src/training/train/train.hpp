// Trains stacks of attention layers on the trigger-conditional task (docs/THEORY.md section 0):
// each layer makes out_i = W_O concat_h(sum_k a^h_ik (W_V^h x_k + b_V^h)) + b_O of its inputs x,
// plus x_i with residual connections; logits (W_Q^h x_i + b_Q^h).(W_K^h x_k + b_K^h), the weights
// a^h by the kind of attention (attention.hpp, tc-8); a gated head's row i times sigma(W_G[h].x_i +
// b_G[h]). Mean squared error, AdamW, a fresh random batch a step, until the L-inf error of a batch
// falls below a threshold.
//
// Same options and instruction set (Result::target), same bytes, whatever `jobs` is and however
// often the run was interrupted and resumed.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "train/initial.hpp"
#include "train/task.hpp"

namespace sinkproof::train {

struct Progress {
  std::uint64_t step = 0;   // updates made so far
  double loss = 0;          // of this step's batch
  double linf = 0;          // of this step's batch
  double seconds = 0;       // since train() was called
  double seconds_left = 0;  // to the step limit at this pace; the stop criterion may come first
};

// What is usual: for one layer the defaults, for several the slower training of arXiv:2603.11487.
struct Pace {
  double lr = 1e-3;
  std::uint64_t max_steps = 20000;
};
constexpr Pace usual_pace(const Shape& shape) {
  return shape.layers == 1 ? Pace{} : Pace{1e-4, 100000};
}

// Limits: d_model 4..512, layers 1..8, heads 1..16, heads times d_model up to 1024, layers times
// heads times d_model^2 up to 2^19, length 3..1024, of several layers layers times heads times
// length^2 up to 2^20, batch 1..65536, jobs 1..256, finite lr > 0, weight_decay in [0, 1/lr),
// finite stop_linf, bos_penalty and initial_deviation >= 0, `initial` read for this shape,
// max_steps >= 1, checkpoint_every >= 1, progress_every >= 1.
struct Options {
  Shape shape;
  std::uint64_t max_steps = Pace().max_steps;
  double lr = Pace().lr;
  double weight_decay = 0;  // decoupled (AdamW): each step takes lr * weight_decay off every weight
  double stop_linf = 5e-3;
  // Added to the loss whose gradient is followed: this times the mean over samples, layers, heads
  // and rows 2..L of the squared weight on BOS. Losses reported and the stop criterion are without.
  double bos_penalty = 0;
  double initial_deviation = 0.02;  // standard deviation of the initial weights, >= 0
  std::optional<Initial> initial;   // what they deviate from; none: 0
  std::uint64_t seed = 0;
  std::uint32_t batch = 128;
  unsigned jobs = 1;
  std::filesystem::path output;           // the checkpoint; empty: nothing is written
  bool resume = false;                    // go on from `output`.resume
  std::uint64_t checkpoint_every = 5000;  // steps between checkpoints of an unfinished run
  std::uint64_t progress_every = 100;
  std::function<void(const Progress&)> progress;   // may be empty
  const std::atomic<bool>* interrupted = nullptr;  // looked at every step; may be null
};

// How a run ended. kInterrupted leaves `output` and `output`.resume, the others only `output`.
enum class Outcome { kConverged, kStepLimit, kInterrupted };

struct Result {
  Outcome outcome = Outcome::kStepLimit;
  std::uint64_t steps = 0;  // updates made, those before a resume included
  double loss = 0;          // of the weights below on a fresh batch
  double linf = 0;
  std::string target;  // instruction set, as Highway names it
  double seconds = 0;
  std::map<std::string, std::vector<float>> tensors;  // names and layouts of parameters.hpp
};

// SP1001: an option outside its limits. SP1002: the loss became NaN or infinite; files stay as the
// last good checkpoint left them. SP1003: resume asked, but there is no `output`.resume. SP1004: it
// belongs to a run with other options or another instruction set. SP1005: it is malformed. SP1006:
// the output's folder does not exist. SP1007: `output`.resume cannot be removed. SP0203: cannot
// write.
exact::Result<Result> train(const Options& options);

// Where the optimiser's state of an unfinished run lies: `output` with ".resume" appended.
std::filesystem::path resume_path(const std::filesystem::path& output);

}  // namespace sinkproof::train
