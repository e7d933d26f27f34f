// A language certificate (src/checker/certificate/LANGUAGE_RULES.md) as the page needs it: its
// figures as fields over layers, heads and positions, put together over sequences. The certificate
// was accepted by the checker before, so anything unexpected means that it is not the one the
// outcome speaks of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "exact/error.hpp"
#include "language/config.hpp"
#include "report/enclosure_field.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

using certificate::LanguageReadout;

struct LanguageAudit {
  certificate::Language stated;
  language::Config config;

  [[nodiscard]] std::size_t longest() const;  // of the sequences, in tokens
};

// SP1202: not of the form the checker accepts, or a list of another length than the model's sizes
// give. SP1203: the config.json is not at hand or not the certificate's.
exact::Result<LanguageAudit> read_audit(const Input& input);

// A figure [layers, heads] about the key at `position`: its mean over the sequences that state it.
std::optional<EnclosureField> by_head(const LanguageAudit& audit, LanguageReadout readout,
                                      std::size_t position);

// A figure over layers and positions, of all sequences that state it; of a position the sequences
// that reach it. Heads are put together, too.
std::optional<EnclosureField> by_position(const LanguageAudit& audit, LanguageReadout readout,
                                          Kept what);

// A figure [layers + 1], its mean over the sequences that state it; one row.
std::optional<EnclosureField> by_layer(const LanguageAudit& audit, LanguageReadout readout);

// How many sequences state the figure.
std::size_t sequences_with(const LanguageAudit& audit, LanguageReadout readout,
                           std::size_t position = 1);

// What the sequences' alphas (or value-alphas) of one head say of a threshold.
struct Sinking {
  std::size_t certain = 0;    // above for certain
  std::size_t undecided = 0;  // neither that nor certainly not
  std::size_t sequences = 0;
};
// By layer, then head; empty where no sequence states it.
std::vector<Sinking> sinking(const LanguageAudit& audit, LanguageReadout readout,
                             std::size_t position, const exact::Rational& epsilon);

// The share of (sequence, layer, head) that sinks, by positions, then epsilons.
struct SinkShare {
  std::size_t position = 1;
  exact::Rational epsilon;
  std::optional<exact::Enclosure> share;
  std::optional<exact::Enclosure> value_weighted;
};
std::vector<SinkShare> sink_shares(const LanguageAudit& audit);

// How far an intervention moves the input of each layer and the last one's output, and the logits
// of a model that has any: the most in any sequence that states it.
struct Moved {
  certificate::Intervention intervention;
  std::size_t sequences = 0;
  std::vector<exact::Enclosure> rows;  // [layers + 1]
  std::optional<exact::Enclosure> logits;
};
// In the certificate's order.
std::vector<Moved> moves(const LanguageAudit& audit);

// The positions whose alphas are stated, in order.
std::vector<std::size_t> positions_of(const LanguageAudit& audit);

// Of these the one with the largest certified sink share (the first of equals); nothing if there
// are none.
std::optional<std::size_t> sink_position(const LanguageAudit& audit);

}  // namespace sinkproof::report
