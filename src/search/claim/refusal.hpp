// What a command says when the trusted checker does not take the certificate its search made: no
// bound is printed then, in `certify`, `cost` and `measure` alike.
#pragma once

#include <string>

#include "exact/error.hpp"

namespace sinkproof::claim {

// The error at `where` for a refusal with the checker's own code and words: SP0905 when the
// check found no memory, SP1304 when the checker found a contradiction or failed
// (SP0902, SP0999), else SP1303.
exact::Error refusal(const std::string& where, const exact::Error& reason);

// The exit code (docs/DESIGN.md) of a command that ended with this error: 5 for SP1304 and for
// SP1205, a certified figure against a theorem; 3 where a search or a check ended without an answer
// or is beyond its time or memory: SP0905, SP1303, SP1413; else 2.
int exit_code_of(const exact::Error& error);

}  // namespace sinkproof::claim
