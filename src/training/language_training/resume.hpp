// What an unfinished run leaves in its folder, in one file that is replaced whole: weights, AdamW's
// moments, the log up to here, and what the run is.
#pragma once

#include <filesystem>
#include <vector>

#include "language_training/run.hpp"
#include "language_training/step.hpp"

namespace sinkproof::language_training {

struct Unfinished {
  Weights weights;
  std::vector<Measured> log;
};

std::filesystem::path resume_path(const std::filesystem::path& folder);

// SP0203.
exact::Result<void> write_unfinished(const std::filesystem::path& folder, const Decoder& decoder,
                                     const json::Value& run, const Unfinished& unfinished);

// SP2303: of another run than `run`; SP2304: not of its form.
exact::Result<Unfinished> read_unfinished(const std::filesystem::path& folder,
                                          const Decoder& decoder, const json::Value& run);

// SP2303, saying the first key in which they differ.
exact::Result<void> require_same_run(const json::Value& had, const json::Value& has,
                                     const std::string& where);

}  // namespace sinkproof::language_training
