// `sinkproof gate`: everything sinkproof.toml asks for, decided in one run. What it says rests on
// the trusted checker; what is stale is made anew beside the committed files, never over them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "ci/summary.hpp"
#include "gate/lock.hpp"

namespace sinkproof::gate {

struct Options {
  std::filesystem::path config;  // sinkproof.toml
  std::string only_changed;      // a git revision; "": everything is decided
  bool update = false;           // what is asked now is accepted where it holds
  bool locked = false;           // stale evidence is a failure, whatever sinkproof.toml says
  std::filesystem::path output;  // "": as sinkproof.toml says
  std::optional<std::uint64_t> seconds;  // in place of sinkproof.toml's; and
  std::optional<std::uint64_t> memory;   // likewise
  bool sandbox = false;                  // run Coq without network, writing to its own folder only
  unsigned jobs = 1;
  std::function<void(const std::string& doing, double share_done)> progress;
};

// A certificate made in this run whose claim holds, and the committed file it is to replace.
struct Renewal {
  std::filesystem::path made;
  std::filesystem::path committed;
};

struct Run {
  std::optional<Lock> lock;       // what `update` asks to write; none when nothing was decided
  std::filesystem::path lock_at;  // sinkproof.lock
  ci::Summary summary;            // never without a finding: an error of sinkproof.toml is one
  std::filesystem::path output;   // the folder for what the gate writes; "": it may write nowhere
  std::vector<Renewal> renewals;  // empty unless something was stale
};

// Errors of any input become findings; nothing escapes. Certificates made anew are written to
// <output>/renewed/, at the committed files' paths relative to sinkproof.toml.
Run run(const Options& options);

}  // namespace sinkproof::gate
