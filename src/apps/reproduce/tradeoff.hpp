// Is attention to BOS forced by the task, or what training finds first? Models trained with a
// penalty on attention to BOS (train::Options::bos_penalty), a ladder of penalties for each of some
// architectures, from random weights and from given ones, perturbed: their loss against their
// attention to BOS and the size of their values (trade_sample.hpp), estimated on fresh sequences;
// the two ends of each ladder bounded over the box by certificates the trusted checker accepted.
//
// The folder gets NAME.safetensors of each model, NAME.box.json of the ends, figures/, table.json
// and page.html; resumable as run_folder.hpp says.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/exp_enclosure.hpp"
#include "json/strict.hpp"
#include "reproduce/run_folder.hpp"
#include "reproduce/trade_sample.hpp"

namespace sinkproof::reproduce {

// Layers x heads of what is trained from random weights; more than one layer is residual.
inline constexpr std::array<const char*, 4> kTradeSizes = {"1x2", "2x1", "2x2", "4x1"};

struct TradeoffOptions : RunOptions {
  std::vector<std::string> sizes;  // words of kTradeSizes; empty: all
  std::vector<double> penalties = {0, 1e-4, 1e-3, 1e-2, 3e-2, 1e-1, 1};  // increasing
  std::uint64_t seed = 0;  // of the first model of each; also of the sequences
  std::uint64_t seeds = 2;
  std::uint64_t steps = 10000;
  double lr = 3e-3;
  // Checkpoints to start from besides random weights: without biases, at most 4.
  std::vector<std::filesystem::path> starts;
  std::uint32_t sequences = 1000;  // of each estimate
};

// What a certificate bounds on all inputs.
struct TradeBounds {
  exact::Enclosure loss;   // the largest loss
  exact::Enclosure floor;  // the least weight on BOS of rows from 2 on, the trigger's left out, in
                           // any layer and head
  exact::Enclosure ceiling;  // the largest, the trigger's row included
};

struct TradePoint {
  std::string series;  // "2x2-random": layers x heads, and what was started from
  std::string model;   // its file, without .safetensors
  double penalty = 0;
  std::uint64_t seed = 0;
  TradeSample sample;
  std::optional<TradeBounds> box;
};

struct Tradeoff : Done {
  std::vector<TradePoint> points;
};

// SP0203, SP1801 and the errors of training, of read_initial, of models and of the page. SP1802: a
// start that is not such a checkpoint or has another's name, no or disordered penalties, no seeds.
exact::Result<Tradeoff> tradeoff(const TradeoffOptions& options);

// {"schema":1,"points":[...]}: estimates under keys that say so, bounds rounded outward.
json::Value table_json(const std::vector<TradePoint>& points);

}  // namespace sinkproof::reproduce
