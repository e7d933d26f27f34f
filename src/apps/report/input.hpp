// What the page is made from: certificates, each with what the trusted checker said of it, and what
// the caller adds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "json/strict.hpp"
#include "report/enclosure_field.hpp"

namespace sinkproof::report {

// What the trusted checker said of one certificate.
using check::Outcome;

// What was asked of a checkpoint beyond its bounds, and what the accepted bounds decide of it.
// Thresholds are not in a certificate: the caller gives them.
struct Threshold {
  std::string required;  // as written: "sup-loss<=0.02"
  std::string verdict;   // "proved", "refuted" or "unknown"
  std::string found;     // "sup-loss in [0.0159, 0.0164]"
};

struct LanguageAudit;  // language_reading.hpp

struct Input {
  std::filesystem::path path;  // only its file name is shown
  json::Value certificate;     // null when the file could not be parsed
  Outcome outcome;
  // The file the certificate is about: a checkpoint, for the heat maps; the vectors, for what only
  // they tell; a language model's config.json, for its sizes.
  std::optional<std::filesystem::path> model;
  std::vector<Threshold> thresholds{};  // of a certificate of bounds that the checker accepted
  // In place of a certificate: what an audit estimates (estimate_reading.hpp). No checker saw it.
  std::shared_ptr<const LanguageAudit> estimate{};
  std::string label{};  // what it is called; "": by its file
};

// A drawing of estimates, beside the certificates.
struct Figure {
  std::string name;     // text, not markup: of its file, without .svg
  std::string svg;      // the document (chart/)
  std::string group;    // text: the heading over it and its neighbours
  std::string caption;  // text: what more there is to say of it, "" for nothing
};

// A table beside the certificates. All is text; '\n' in a cell begins a line.
struct ColumnGroup {
  std::string name;
  std::string evidence;  // what its numbers are: "estimate", "certified"
  std::vector<std::string> columns;
};
struct TableRow {
  std::string name;
  std::string part;                // of what the name says
  std::vector<std::string> cells;  // one for each column of all groups
};
struct Table {
  std::string title;
  std::string words;  // how to read it
  std::string names;  // the heading over the rows' names
  std::vector<ColumnGroup> groups;
  std::vector<TableRow> rows;
};

// What a head pays from and to stretches of positions, in doubles: estimates.
struct HeadAttention {
  std::size_t sequence = 0;
  std::size_t layer = 0;
  std::size_t head = 0;
  std::vector<Stretch> places;  // of rows and of keys
  std::vector<double> weights;  // [places, places], row-major, finite
};

struct Options {
  // The folder of claim folders (proofs/): the words of theory claims. They are shown only where
  // the folder's hash is the one the certificate names.
  std::optional<std::filesystem::path> claims;
  // Where the page finds that folder, as a URL without a trailing '/': "../proofs". Absent: no
  // links into the proofs (proof_links.hpp).
  std::optional<std::string> proof_base{};
  // What the checker was told to accept without verification, in order: "smt", "coq",
  // "statistical".
  std::vector<std::string> accept{};
  check::Limits limits = {};  // that it was given
  // What the search for a property took, by the checkpoint's SHA-256 and the property's name as on
  // its card: measurements, shown beside several checkpoints' bounds.
  std::map<std::pair<std::string, std::string>, double> seconds{};
  std::vector<Table> tables{};
  std::vector<Figure> figures{};
  std::vector<HeadAttention> attention{};  // by sequence, layer, head (attention_section.hpp)
  // By training step, ascending: one for each estimate, in their order. Empty: no curves.
  std::vector<std::size_t> steps{};
};

}  // namespace sinkproof::report
