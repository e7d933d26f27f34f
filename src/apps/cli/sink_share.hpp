// `sinkproof measure MODEL --property sink-share`: the sink metric of docs/THEORY.md, em-1,
// enclosed on given or random sequences, with a certificate.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/console.hpp"
#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "measure/token_rows.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::cli {

struct SinkShareRequest {
  model::AttentionModel model;
  measure::TokenSource source;
  std::string epsilon;       // decimal or rational text; "0.3" in [G]
  std::size_t position = 1;  // of the key, from 1
  std::string bytes;         // the model file's
  std::string output;        // the certificate's, or ""
  std::optional<std::filesystem::path> claims;
};

// The number --epsilon says; SP1509: it says none, or one that is not above 0 and at most 1.
exact::Result<exact::Rational> sink_threshold(const std::string& text);

// Prints text or JSON. SP1509: epsilon is not a number; otherwise errors as
// measure::read_token_rows and measure::certified_share.
exact::Result<void> print_sink_share(const SinkShareRequest& request, const Common& common);

}  // namespace sinkproof::cli
