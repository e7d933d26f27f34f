// The state of a run between two steps and its two files: the checkpoint for the world and the
// sidecar that holds everything needed to go on (weights too, so the pair need not be replaced
// together).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "exact/error.hpp"
#include "train/aligned.hpp"
#include "train/train.hpp"

namespace sinkproof::train {

struct State {
  std::uint64_t steps = 0;  // updates made
  AlignedFloats weights;    // layout of parameters.hpp; so are Adam's moments
  AlignedFloats first;
  AlignedFloats second;
};

// Given weights or 0, plus N(0, initial_deviation^2) by Box-Muller on Philox of the seed; biases as
// given or 0, moments 0.
State initial_state(const Options& options);

// What a checkpoint and its sidecar say of a run as it was asked for.
std::map<std::string, std::string> run_metadata(const Options& options);

exact::Result<void> write_checkpoint(const Options& options, const State& state, double batch_linf);
exact::Result<void> write_sidecar(const Options& options, const State& state);

// SP1003, SP1004, SP1005 as train() documents.
exact::Result<State> read_sidecar(const Options& options);

// Once a run is complete. SP1007.
exact::Result<void> remove_sidecar(const Options& options);

}  // namespace sinkproof::train
