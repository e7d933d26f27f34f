// Which of the four steps of proofs/README.md an error belongs to. Somebody who adds a claim meets
// errors of many parts of the program; this is the one place that says where in their work each one
// sends them back to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exact/error.hpp"

namespace sinkproof::claim {

enum class AuthoringStep {
  kSay = 1,  // claim.toml
  kShow,     // the files of evidence, or the checkpoint
  kClose,    // what states the claim itself
  kRun,      // the run: programs, folders, certificates
};

// "step 2 of proofs/README.md, Show it"
std::string to_string(AuthoringStep step);

// The step for an error's code; nothing for a code that a claim's author cannot meet.
std::optional<AuthoringStep> authoring_step(std::string_view code);

// The error with its step at the end of `what`: "...: add a [[step]] (step 1 of proofs/README.md,
// Say it)". Unchanged when its code belongs to none.
exact::Error with_authoring_step(exact::Error error);

}  // namespace sinkproof::claim
