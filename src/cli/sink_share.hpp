// `sinkproof measure MODEL --property sink-share`: the sink metric of docs/THEORY.md, em-1,
// enclosed on given or random sequences. It writes no certificate, and says so.
#pragma once

#include <cstddef>
#include <string>

#include "cli/console.hpp"
#include "exact/error.hpp"
#include "measure/token_rows.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::cli {

struct SinkShareRequest {
  model::AttentionModel model;
  measure::TokenSource source;
  std::string epsilon;       // decimal or rational text; "0.3" in [G]
  std::size_t position = 1;  // of the key, from 1
};

// Prints text or JSON. SP1509: epsilon is not a number; otherwise errors as
// measure::read_token_rows and measure::sink_share.
exact::Result<void> print_sink_share(const SinkShareRequest& request, const Common& common);

}  // namespace sinkproof::cli
