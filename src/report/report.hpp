// One self-contained page, report.html, from certificates: what each claims, what the checker said
// of it, the bounds, and the attention matrices of the exact inputs that attain them. Nothing on
// the page comes from a network, nothing depends on time, host or folders: equal inputs give equal
// bytes. The page is only as good as the outcomes handed in; the caller gets them from the trusted
// checker, and a bound the checker did not accept is not shown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::report {

// What the trusted checker said of one certificate.
using check::Outcome;

// What was asked of a checkpoint beyond its bounds, and what the accepted bounds decide of it.
// Thresholds are not in a certificate: whoever makes the page brings them.
struct Threshold {
  std::string required;  // as written: "sup-loss<=0.02"
  std::string verdict;   // "proved", "refuted" or "unknown"
  std::string found;     // "sup-loss in [0.0159, 0.0164]"
};

struct Input {
  std::filesystem::path path;  // only its file name is shown
  json::Value certificate;     // null when the file could not be parsed
  Outcome outcome;
  // The file the certificate is about: a checkpoint, for the heat maps; the vectors, for what only
  // they tell.
  std::optional<std::filesystem::path> model;
  std::vector<Threshold> thresholds{};  // of a checkpoint certificate the checker accepted
};

struct Options {
  // The folder of claim folders (proofs/): the words of theory claims. They are shown only where
  // the folder's hash is the one the certificate names.
  std::optional<std::filesystem::path> claims;
  // Where the page finds that folder, as a URL without a trailing '/': "../proofs". Absent: no
  // links into the proofs (proof_links.hpp).
  std::optional<std::string> proof_base{};
  // What the checker was told to take on trust, in order: "smt", "coq", "statistical".
  std::vector<std::string> accept{};
};

// The page, sections in the order of `inputs`. A model that is missing, unreadable or another than
// the certificate's, or a claim folder like that, is said on the page and is no error.
// SP1201: no certificates. SP1202: an outcome says accepted (exit 0 or 3), but the certificate is
// not of a form the checker accepts (the field is named): the two do not belong together.
exact::Result<std::string> html(const std::vector<Input>& inputs, const Options& options);

}  // namespace sinkproof::report
