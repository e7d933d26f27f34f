#include "report/language_reading.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "certificate/sha256.hpp"
#include "certificate/strict.hpp"
#include "estimate/summary.hpp"
#include "file/file.hpp"
#include "report/bound_text.hpp"
#include "report/card.hpp"
#include "text/html.hpp"
#include "text/printable.hpp"
#include "tokenizer/token_text.hpp"

namespace sinkproof::report {
namespace {

using certificate::LanguageQuestion;
using certificate::LanguageStatement;
using exact::Enclosure;
using exact::fail;
using exact::Rational;
using exact::Result;

// The first statement of a figure for each sequence.
std::map<std::size_t, const LanguageStatement*> statements_of(const LanguageAudit& audit,
                                                              LanguageReadout readout,
                                                              std::size_t position = 1) {
  std::map<std::size_t, const LanguageStatement*> found;
  for (const LanguageStatement& statement : audit.stated.statements) {
    const LanguageQuestion& question = statement.question;
    if (question.readout != readout) continue;
    if (question.row().has_position && question.position != position) continue;
    found.emplace(question.sequence, &statement);
  }
  return found;
}

Enclosure number(const LanguageStatement& statement, std::size_t place) {
  return {statement.lower[place], statement.upper[place]};
}

std::vector<const Enclosure*> pointers(const std::vector<Enclosure>& numbers) {
  std::vector<const Enclosure*> each;
  each.reserve(numbers.size());
  for (const Enclosure& one : numbers) each.push_back(&one);
  return each;
}

// Place by place, what is kept of lists that are equally long.
std::vector<Enclosure> together(const std::map<std::size_t, const LanguageStatement*>& statements,
                                Kept what) {
  std::vector<Enclosure> all;
  for (std::size_t i = 0; i < statements.begin()->second->lower.size(); ++i) {
    std::vector<Enclosure> numbers;
    numbers.reserve(statements.size());
    for (const auto& [_, statement] : statements) numbers.push_back(number(*statement, i));
    all.push_back(kept(what, pointers(numbers)));
  }
  return all;
}

// Whether there are logits only the weights tell: an architecture's head may be missing.
bool has_logits(const LanguageAudit& audit) {
  const auto& all = audit.stated.statements;
  return !audit.config.architecture->head.empty() &&
         std::any_of(all.begin(), all.end(), [&](const LanguageStatement& statement) {
           return statement.question.readout == LanguageReadout::kMoved &&
                  statement.lower.size() == audit.config.layers + 2;
         });
}

std::size_t size_of(const LanguageAudit& audit, const LanguageQuestion& question) {
  const language::Config& config = audit.config;
  const std::size_t length = audit.stated.sequences.at(question.sequence).size();
  switch (question.readout) {
    case LanguageReadout::kHiddenNorm:
      return (config.layers + 1) * length;
    case LanguageReadout::kQueryNorm:
      return config.layers * config.heads * length;
    case LanguageReadout::kKeyNorm:
    case LanguageReadout::kValueNorm:
      return config.layers * config.key_heads * length;
    case LanguageReadout::kMeanCosine:
      return config.layers + 1;
    case LanguageReadout::kMoved:
      return config.layers + (has_logits(audit) ? 2 : 1);
    case LanguageReadout::kSinkShare:
    case LanguageReadout::kValueSinkShare:
      return 1;
    default:
      return config.layers * config.heads;
  }
}

Result<void> check_sizes(const LanguageAudit& audit, const std::string& where) {
  for (std::size_t s = 0; s < audit.stated.statements.size(); ++s) {
    const LanguageStatement& statement = audit.stated.statements[s];
    const LanguageQuestion& question = statement.question;
    if (question.sequence >= audit.stated.sequences.size() ||
        statement.lower.size() != size_of(audit, question) ||
        !has_heads(audit.config, question.intervention)) {
      return fail("SP1202", where + ": statements[" + std::to_string(s) + "]",
                  "is not of the model's sizes");
    }
  }
  return {};
}

Result<language::Config> read_config_of(const Input& input, const certificate::Language& stated,
                                        const std::string& where) {
  if (!input.model) return fail("SP1203", where, "its config.json is not at hand");
  const auto bytes = file::read(*input.model);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto hash = stated.files.find("config.json");
  if (hash == stated.files.end() || certificate::sha256_hex(*bytes) != hash->second) {
    return fail("SP1203", where, "the config.json at hand is another model's");
  }
  return certificate::result_of([&] {
    return language::read_config(*bytes, text::file_name(*input.model), stated.assumed_neutral);
  });
}

// Of a figure over positions: how many rows of layers, and how many groups (heads) in each.
std::pair<std::size_t, std::size_t> rows_and_groups(const LanguageAudit& audit,
                                                    LanguageReadout readout) {
  const language::Config& config = audit.config;
  if (readout == LanguageReadout::kHiddenNorm) return {config.layers + 1, 1};
  return {config.layers, readout == LanguageReadout::kQueryNorm ? config.heads : config.key_heads};
}

// A distance is never negative, whatever an enclosure of it says.
Enclosure distance(const Enclosure& enclosure) {
  return {exact::max(Rational(0), enclosure.lower), exact::max(Rational(0), enclosure.upper)};
}

Moved moved_by(const LanguageAudit& audit, const certificate::Intervention& intervention) {
  std::map<std::size_t, const LanguageStatement*> statements;
  for (const LanguageStatement& statement : audit.stated.statements) {
    const LanguageQuestion& question = statement.question;
    if (question.readout == LanguageReadout::kMoved && question.intervention == intervention) {
      statements.emplace(question.sequence, &statement);
    }
  }
  Moved moved{intervention, statements.size(), together(statements, Kept::kLargest), {}};
  for (Enclosure& one : moved.rows) one = distance(one);
  if (has_logits(audit)) {
    moved.logits = moved.rows.back();
    moved.rows.pop_back();
  }
  return moved;
}

// By the tokenizer beside the config.json; nothing where it does not tell each.
std::vector<std::vector<std::string>> texts_beside(
    const std::filesystem::path& config, const std::vector<certificate::TokenIds>& sequences) {
  const auto text_of = tokenizer::token_text(config.parent_path());
  if (!text_of) return {};
  std::vector<std::vector<std::string>> all;
  for (const auto& ids : sequences) {
    all.emplace_back();
    for (const std::uint32_t id : ids) {
      auto text = (*text_of)(id);
      if (!text) return {};
      all.back().push_back(text::one_line(*text, kMostText));
    }
  }
  return all;
}

constexpr const char* kEstimateTag = "<span class=\"tag\">estimate, not proved</span>";

std::size_t total(const std::vector<std::size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

// The position that was asked for, and those that enough queries see.
std::vector<SinkShare> estimated_shares(const LanguageAudit& audit) {
  const Estimated& estimated = *audit.estimated;
  const std::size_t all = estimated.sequences * audit.config.layers * audit.config.heads;
  const auto share = [&](std::size_t above) {
    const Rational part = exact::make_rational(above, all);
    return Enclosure{part, part};
  };
  std::vector<SinkShare> shares;
  for (std::size_t position = 1; position <= estimated.longest; ++position) {
    const bool asked = position == estimated.position;
    if (position > estimated.shares.size() && !asked) continue;
    SinkShare one{position, estimated.epsilon, {}, {}};
    one.share = share(asked ? total(estimated.above.at(LanguageReadout::kAlpha))
                            : estimated.shares[position - 1]);
    if (asked) one.value_weighted = share(total(estimated.above.at(LanguageReadout::kValueAlpha)));
    shares.push_back(std::move(one));
  }
  return shares;
}

}  // namespace

std::size_t LanguageAudit::sequences() const {
  return estimated ? estimated->sequences : stated.sequences.size();
}

std::size_t LanguageAudit::shortest() const {
  if (estimated) return estimated->shortest;
  std::size_t least = longest();
  for (const auto& sequence : stated.sequences) least = std::min(least, sequence.size());
  return least;
}

std::size_t LanguageAudit::longest() const {
  if (estimated) return estimated->longest;
  std::size_t most = 0;
  for (const auto& sequence : stated.sequences) most = std::max(most, sequence.size());
  return most;
}

bool has_heads(const language::Config& config, const certificate::Intervention& intervention) {
  return std::all_of(
      intervention.ablated.begin(), intervention.ablated.end(),
      [&](const auto& one) { return one.first < config.layers && one.second < config.heads; });
}

std::size_t queries_at(const LanguageAudit& audit, std::size_t position) {
  const std::size_t length = audit.shortest();
  if (audit.config.architecture->bidirectional) return length;
  return length + 1 - std::min(position, length + 1);
}

std::string number_text(const LanguageAudit& audit, const Enclosure& number) {
  return audit.estimated ? estimate_text(number.lower) : certain_text(number);
}

std::string evidence_tag(const LanguageAudit& audit) {
  return std::string(" ") + (audit.estimated ? kEstimateTag : kProvedTag);
}

Result<LanguageAudit> read_audit(const Input& input) {
  const std::string where = text::file_name(input.path);
  auto stated =
      certificate::result_of([&] { return certificate::read_language(input.certificate); });
  if (!stated) return fail("SP1202", where + ": " + stated.error().where, stated.error().what);
  auto config = read_config_of(input, *stated, where);
  if (!config) return tl::unexpected(config.error());
  LanguageAudit audit{std::move(*stated), std::move(*config)};
  if (const auto right = check_sizes(audit, where); !right) return tl::unexpected(right.error());
  audit.texts = texts_beside(*input.model, audit.stated.sequences);
  return audit;
}

std::optional<EnclosureField> by_head(const LanguageAudit& audit, LanguageReadout readout,
                                      std::size_t position) {
  if (audit.estimated) {
    const auto found = audit.estimated->heads.find(readout);
    const bool there = found != audit.estimated->heads.end();
    return there && position == audit.estimated->position ? std::optional(found->second)
                                                          : std::nullopt;
  }
  const auto statements = statements_of(audit, readout, position);
  if (statements.empty()) return std::nullopt;
  return EnclosureField{audit.config.layers, audit.config.heads, together(statements, Kept::kMean)};
}

std::optional<EnclosureField> by_position(const LanguageAudit& audit, LanguageReadout readout,
                                          Kept what) {
  if (audit.estimated) {
    const auto found = audit.estimated->positions.find({readout, what});
    return found == audit.estimated->positions.end() ? std::nullopt : std::optional(found->second);
  }
  const auto statements = statements_of(audit, readout);
  if (statements.empty()) return std::nullopt;
  const auto [rows, groups] = rows_and_groups(audit, readout);
  std::size_t columns = 0;
  for (const auto& [sequence, _] : statements) {
    columns = std::max(columns, audit.stated.sequences[sequence].size());
  }
  EnclosureField field{rows, columns, {}};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<Enclosure> numbers;
      for (const auto& [sequence, statement] : statements) {
        const std::size_t length = audit.stated.sequences[sequence].size();
        if (column >= length) continue;
        for (std::size_t g = 0; g < groups; ++g) {
          numbers.push_back(number(*statement, (row * groups + g) * length + column));
        }
      }
      field.cells.push_back(kept(what, pointers(numbers)));
    }
  }
  return field;
}

std::optional<EnclosureField> by_layer(const LanguageAudit& audit, LanguageReadout readout) {
  if (audit.estimated) {
    return readout == LanguageReadout::kMeanCosine ? std::optional(audit.estimated->cosines)
                                                   : std::nullopt;
  }
  const auto statements = statements_of(audit, readout);
  if (statements.empty()) return std::nullopt;
  return EnclosureField{1, audit.config.layers + 1, together(statements, Kept::kMean)};
}

std::size_t sequences_with(const LanguageAudit& audit, LanguageReadout readout,
                           std::size_t position) {
  if (audit.estimated) return audit.estimated->sequences;
  return statements_of(audit, readout, position).size();
}

std::vector<Sinking> sinking(const LanguageAudit& audit, LanguageReadout readout,
                             std::size_t position, const Rational& epsilon) {
  if (audit.estimated) {
    std::vector<Sinking> all;
    for (const std::size_t above : audit.estimated->above.at(readout)) {
      all.push_back({above, 0, audit.estimated->sequences});
    }
    return all;
  }
  const auto statements = statements_of(audit, readout, position);
  if (statements.empty()) return {};
  std::vector<Sinking> all(audit.config.layers * audit.config.heads);
  for (const auto& [_, statement] : statements) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      ++all[i].sequences;
      if (statement->lower[i] > epsilon) {
        ++all[i].certain;
      } else if (statement->upper[i] > epsilon) {
        ++all[i].undecided;
      }
    }
  }
  return all;
}

std::vector<SinkShare> sink_shares(const LanguageAudit& audit) {
  if (audit.estimated) return estimated_shares(audit);
  const auto asked = positions_of(audit);
  std::map<std::pair<std::size_t, Rational>, SinkShare> shares;
  for (const LanguageStatement& statement : audit.stated.statements) {
    const LanguageQuestion& question = statement.question;
    if (!question.row().is_share) continue;
    if (queries_at(audit, question.position) < estimate::kFewestQueries &&
        !std::binary_search(asked.begin(), asked.end(), question.position)) {
      continue;
    }
    SinkShare& share = shares[{question.position, question.epsilon}];
    share.position = question.position;
    share.epsilon = question.epsilon;
    (question.readout == LanguageReadout::kSinkShare ? share.share : share.value_weighted) =
        number(statement, 0);
  }
  std::vector<SinkShare> all;
  all.reserve(shares.size());
  for (auto& [_, share] : shares) all.push_back(std::move(share));
  return all;
}

std::vector<Moved> moves(const LanguageAudit& audit) {
  if (audit.estimated) return audit.estimated->moved;
  std::vector<Moved> all;
  for (const LanguageStatement& statement : audit.stated.statements) {
    const LanguageQuestion& question = statement.question;
    if (question.readout != LanguageReadout::kMoved) continue;
    const bool seen = std::any_of(all.begin(), all.end(), [&](const Moved& moved) {
      return moved.intervention == question.intervention;
    });
    if (!seen) all.push_back(moved_by(audit, question.intervention));
  }
  return all;
}

std::vector<std::size_t> positions_of(const LanguageAudit& audit) {
  if (audit.estimated) return {audit.estimated->position};
  std::set<std::size_t> positions;
  for (const LanguageStatement& statement : audit.stated.statements) {
    if (statement.question.readout == LanguageReadout::kAlpha) {
      positions.insert(statement.question.position);
    }
  }
  return {positions.begin(), positions.end()};
}

std::optional<std::size_t> sink_position(const LanguageAudit& audit) {
  const auto positions = positions_of(audit);
  if (positions.empty()) return std::nullopt;
  std::size_t best = positions.front();
  std::optional<Rational> most;
  for (const SinkShare& one : sink_shares(audit)) {
    const bool drawn = std::binary_search(positions.begin(), positions.end(), one.position);
    if (!drawn || !one.share || (most && one.share->lower <= *most)) continue;
    best = one.position;
    most = one.share->lower;
  }
  return best;
}

}  // namespace sinkproof::report
