// What `certify` and `merge` do with checkpoints and say of checkpoints: a certification as ever
// when one was asked for by its file's name, else a table of all; on stderr what failed and what is
// missing.
#pragma once

#include "cli/console.hpp"
#include "sweep/sweep.hpp"

namespace sinkproof::cli {

// Runs it with progress, says what came of it, returns the exit code. The program is set here.
// `save_witness`: where the input goes that refutes the first threshold of a single checkpoint; ""
// for nowhere.
int run_sweep(const sweep::Plan& plan, sweep::Options options, const Common& common,
              const std::string& save_witness = "");

}  // namespace sinkproof::cli
