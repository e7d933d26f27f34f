// A run that trains a small decoder on text and looks, along its steps, at its loss and at its
// attention to the first token, by the metric of arXiv:2410.10781: of a head on a sequence, alpha_k
// is the mean of the weight on token k over the rows from k on; it has a sink at k if alpha_k >
// 0.3. Of unnormalised kinds the size of a weight is taken over its row's sum of sizes. All figures
// are estimates: floats, on sequences drawn from the text that is held out.
//
// The folder gets config.json and model.safetensors (model_folder.hpp) and log.json; while it
// lasts, resume.safetensors. Same options and instruction set, same bytes, whatever `jobs` is and
// however often the run was ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language_training/corpus.hpp"
#include "language_training/decoder.hpp"

namespace sinkproof::language_training {

inline constexpr double kSinkThreshold = 0.3;

// Of the weights after `step` updates.
struct Measured {
  std::uint64_t step = 0;
  double batch_loss = 0;     // of the batch the step ended with; of step 0 of the first one
  double held_out_loss = 0;  // nats a byte
  double sink_share = 0;     // of (sequence, layer, head): those with a sink at the first token
  double first_weight = 0;   // the mean of alpha_1 over them
  double largest_head = 0;   // the largest mean of alpha_1 of a (layer, head)
  // Of positions 2 to half the length the largest share with a sink, and its position; 0: none.
  double other_share = 0;
  std::uint64_t other_position = 0;
  double slot_share = 0;  // those whose mean weight on the slot is above the threshold
};

// What a run is; nothing else decides its bytes but the text and the instruction set. Limits: width
// 16..1024, a multiple of 16 and of heads; layers 1..16; heads 1..64; length 2..1024; at most 2^26
// parameters and 2^30 floats to work in; window and prefix up to length - 1, not both; a fixed
// position, not with BOS, and random ones up to length; train_bytes 0 or a sequence and more; batch
// 1..4096; steps 1..10^7, at most 10^4 measurements; held_out 1..10^4, times layers, heads and
// length up to 2^27; lr > 0, weight_decay in [0, 1/lr), clip >= 0, finite.
struct Settings {
  Decoder decoder;
  Data data;
  std::uint64_t seed = 0;
  std::uint64_t steps = 4000;
  std::uint32_t batch = 32;
  double lr = 1e-3;  // reached after `warmup` steps, then down a cosine to a tenth
  std::uint64_t warmup = 100;
  double weight_decay = 0.1;          // as Rate has it
  double clip = 1;                    // as Rate has it
  std::uint64_t measure_every = 200;  // steps
  std::uint32_t held_out = 100;       // sequences a measurement looks at, always the same
};

struct Progress {
  std::uint64_t step = 0;
  double loss = 0;  // of this step's batch
  double seconds_left = 0;
};

struct RunOptions {
  Settings settings;
  std::filesystem::path folder;  // made when it is not there
  unsigned jobs = 1;
  std::function<void(const Progress&)> progress;   // may be empty
  const std::atomic<bool>* interrupted = nullptr;  // looked at every step; may be null
};

struct Run {
  std::vector<Measured> log;
  bool interrupted = false;  // the same call goes on
  bool made = false;         // false: it was all there
};

// SP2302: a setting outside its limits; SP2303: the folder holds another run; SP2304: what an ended
// run left cannot be read; SP2305: the loss became NaN or infinite. Also SP0203.
exact::Result<Run> run(const RunOptions& options, const Corpus& corpus);

exact::Result<void> check(const Settings& settings);
// SP2302: more train_bytes than the text has.
exact::Result<void> check_text(const Settings& settings, const Corpus& corpus);
// What decides a run's bytes, as log.json says it.
json::Value run_json(const Settings& settings, const Corpus& corpus);

// Numbers are strings, for what reads JSON strictly.
json::Value log_json(const std::vector<Measured>& log);
std::optional<std::vector<Measured>> read_log(const json::Value& value);

}  // namespace sinkproof::language_training
