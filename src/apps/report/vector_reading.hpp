// A vector certificate (src/checker/certificate/vectors.hpp) as the page takes it, and the words
// for its patterns. The certificate was accepted by the checker before, so anything unexpected
// means that it is not the one the outcome is about.
#pragma once

#include <string>

#include "certificate/vectors.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::report {

using certificate::Cost;
using certificate::HullDistance;
using certificate::Infeasible;
using certificate::Representable;
using certificate::Smoothing;
using certificate::Switch;
using certificate::VectorProperty;
using certificate::Vectors;

// SP1202 naming the field when the certificate is not of the form the checker accepts, whatever the
// number of its vectors.
exact::Result<Vectors> read_vectors(const json::Value& certificate, const std::string& where);

// "sink, reading A", "sink, reading B", "diagonal", "margins".
std::string pattern_name(certificate::PatternKind kind);

// "token 0 is BOS; 4 groups of 2; 4 copies", "12 constraints".
std::string roles_in_words(const certificate::Pattern& pattern);

// Whether there is one copy token for each group.
bool has_copies(const certificate::Pattern& pattern);

}  // namespace sinkproof::report
