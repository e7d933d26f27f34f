// A language certificate (src/checker/certificate/LANGUAGE_RULES.md), or what an audit estimates,
// as the page needs it: figures as fields over layers, heads and positions, put together over
// sequences. A certificate was accepted by the checker before, so anything unexpected means that it
// is not the one the outcome is about.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "certificate/language.hpp"
#include "exact/error.hpp"
#include "language/config.hpp"
#include "report/enclosure_field.hpp"
#include "report/input.hpp"

namespace sinkproof::report {

using certificate::LanguageReadout;

// How far an intervention moves the input of each layer and the last one's output, and the logits
// of a model that has any: the most in any sequence that states it.
struct Moved {
  certificate::Intervention intervention;
  std::size_t sequences = 0;
  std::vector<exact::Enclosure> rows;  // [layers + 1]
  std::optional<exact::Enclosure> logits;
  // Estimated: what it adds to the next-token loss, in nats per token.
  std::optional<exact::Rational> loss_change{};
};

// What an audit estimates over its sequences: doubles, each an interval of one number.
struct Estimated {
  std::size_t sequences = 0;
  std::size_t shortest = 0;
  std::size_t longest = 0;
  std::size_t position = 1;
  exact::Rational epsilon;
  std::map<LanguageReadout, EnclosureField> heads;  // means
  // By layer, then head; nothing for one sequence.
  std::map<LanguageReadout, std::vector<std::optional<exact::Rational>>> errors;
  std::map<LanguageReadout, std::vector<std::size_t>> above;  // epsilon: sequences
  std::map<std::pair<LanguageReadout, Kept>, EnclosureField> positions;
  EnclosureField cosines;
  std::vector<std::size_t> shares;  // by position: (sequence, layer, head) above epsilon
  std::vector<Moved> moved;
  std::optional<exact::Rational> loss;  // next-token, in nats per token; mean over sequences
  std::string remarks;
};

inline constexpr std::size_t kMostText = 60;  // bytes that are shown of a token

struct LanguageAudit {
  certificate::Language stated;  // of estimates the architecture, files and sequences alone
  language::Config config;       // of estimates the sizes and kinds alone
  std::optional<Estimated> estimated{};
  // What each token of a sequence stands for, where a tokenizer tells; else empty.
  std::vector<std::vector<std::string>> texts{};

  [[nodiscard]] std::size_t sequences() const;
  [[nodiscard]] std::size_t shortest() const;  // of them, in tokens
  [[nodiscard]] std::size_t longest() const;
};

// Whether the model has every head that is ablated.
bool has_heads(const language::Config& config, const certificate::Intervention& intervention);

// How many queries see the position in every sequence.
std::size_t queries_at(const LanguageAudit& audit, std::size_t position);

// A number as text: the digits of it that are certain, or an estimate.
std::string number_text(const LanguageAudit& audit, const exact::Enclosure& number);

// Markup for a heading: whether what is below it is an estimate or proved.
std::string evidence_tag(const LanguageAudit& audit);

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

// The share of (sequence, layer, head) that sinks, by positions, then epsilons. A position that
// fewer than estimate::kFewestQueries queries see is left out, unless its alphas are stated.
struct SinkShare {
  std::size_t position = 1;
  exact::Rational epsilon;
  std::optional<exact::Enclosure> share;
  std::optional<exact::Enclosure> value_weighted;
};
std::vector<SinkShare> sink_shares(const LanguageAudit& audit);

// In the certificate's order.
std::vector<Moved> moves(const LanguageAudit& audit);

// The positions whose alphas are stated, in order.
std::vector<std::size_t> positions_of(const LanguageAudit& audit);

// Of these the one with the largest certified sink share (the first of equals); nothing if there
// are none.
std::optional<std::size_t> sink_position(const LanguageAudit& audit);

}  // namespace sinkproof::report
