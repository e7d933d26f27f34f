// In which files a claim is stated, byte for byte: its statement files and the definitions they
// rest on (FORMAT.md, 3.6). A claim whose files differ from those a person accepted is another
// claim.
#pragma once

#include <map>
#include <string>

#include "json/strict.hpp"

namespace sinkproof::claim {

// SHA-256 by path: "statement.v", "theory/definitions/task.v".
using Said = std::map<std::string, std::string>;

// What the record of a theory certificate says; empty for a claim that Coq says nothing of, and for
// what is not a theory certificate.
Said said_in(const json::Value& certificate);

// The paths that one has and the other has not, or has with another hash, joined by ", ".
std::string what_changed(const Said& before, const Said& after);

}  // namespace sinkproof::claim
