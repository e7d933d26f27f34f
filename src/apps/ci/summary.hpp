// What `sinkproof gate` found, as data: the four files a CI reads (JUnit XML, SARIF, Markdown,
// JSON) and the annotations are written from this and from nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sinkproof::ci {

// A place in a file of the repository the gate runs in.
struct Location {
  std::string file;        // relative to the repository's root, '/' between its parts
  std::size_t line = 1;    // from 1
  std::size_t column = 1;  // from 1
};

// How a finding counts. A finding of level kError turns the build red.
enum class Level {
  kPass,       // what was asked holds
  kWarning,    // it holds, but somebody should act: the committed certificate is stale
  kError,      // refuted, rejected, not decided, stale where that is not allowed, ...
  kUnchanged,  // not decided: nothing it depends on changed since the base (--only-changed)
};

// What a claim says: its author's words, and beside them what the evidence states.
struct Sentence {
  std::string text;
  std::vector<std::string> stated;  // Coq's sentence, an implication, a threshold; as it stands
};

// One thing asked and what came of it: a theory claim, or one requirement on one checkpoint.
struct Finding {
  Level level = Level::kError;
  std::string suite;       // "theory", "claims", "checkpoints", "models": where it belongs
  std::string subject;     // the claim's id or the checkpoint's name, as in sinkproof.toml
  std::string asked;       // in words: "proved", "sup-loss<=0.02"
  std::size_t length = 0;  // of a checkpoint's sequences; 0 when not known, and for claims
  std::string box;         // of its noise coordinates, "[-1,1]^5"; "" likewise
  std::string verdict;     // docs/DESIGN.md: "proved", "refuted", "unknown", ...; "" when unchanged
  std::string evidence;    // "exact", "exact+smt+coq"; "" when there is none
  std::string rule;  // the stable code of the outcome, SP1711 ... (docs/ERRORS.md); "" for a pass
  std::string code;  // the code of what went wrong beneath, such as SP0801; may be ""
  std::string message;  // one sentence, never empty: what holds, or what is wrong and what to do
  std::string lower;    // certified bounds of the property, decimal text rounded outward; may be ""
  std::string upper;
  std::vector<std::string> assumptions;  // what it rests on: "Coq's word: necessity.v", "tc-1"; ...
  std::vector<Sentence> sentences;       // of a claim; empty for a checkpoint of sinkproof.toml
  std::vector<std::string>
      overrides;  // the model's metadata keys read otherwise than its file says
  Location location;
  std::string certificate;  // path of the evidence relative to the root; "" when there is none
  std::string certificate_sha256;  // of that file's bytes; "" when there is none
  std::string subject_sha256;      // the claim folder's or the model's hash; "" when not known
  bool proved_checker = false;     // sinkproof-check-verified proves it, where that is demanded
  bool proved_again = false;       // the evidence was stale or missing and made anew in this run
  int exit_code = 5;               // docs/DESIGN.md
  double seconds = 0;
};

struct Summary {
  std::string config;             // sinkproof.toml, relative to the root
  std::string base;               // --only-changed BASE; "" when everything was decided
  std::vector<Finding> findings;  // never empty, in the order of sinkproof.toml
  int exit_code = 5;              // the first of 5, 4, 1, 2, 3, 0 among the findings'
  double seconds = 0;             // wall time
};

}  // namespace sinkproof::ci
