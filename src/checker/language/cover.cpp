#include "language/cover.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "certificate/strict.hpp"
#include "language/model_pass.hpp"
#include "language/pass.hpp"

namespace sinkproof::language {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverPosition;
using certificate::CoverStatement;
using certificate::IdSet;
using certificate::TargetRule;
using certificate::TokenIds;
using exact::Integer;
using forward::Balls;
using forward::Range;

constexpr std::uint64_t kMostBatch = 128;
constexpr std::uint64_t kBatchWords = std::uint64_t{1} << 26U;

// Of a sequence: its pass, its logits and its figures. COVER_RULES.md.
std::uint64_t words_of(const Cover& cover, const Model& model) {
  const std::uint64_t numbers = model.vocabulary() + 2 * cover.statements.size();
  return pass_words(model, cover.positions.size(), cover.precision, false) +
         (cover.precision / 64 + 4) * numbers;
}

exact::Result<void> refuse(const std::string& where, const std::string& what) {
  return exact::fail("SP2006", where, what);
}

exact::Result<void> check_ids(const IdSet& ids, const Model& model, const std::string& where) {
  if (ids.back().last < model.vocabulary()) return {};
  return refuse(where, "id " + std::to_string(ids.back().last) + " is beyond the vocabulary of " +
                           std::to_string(model.vocabulary()));
}

// Where a sequence stands in the order, from 0. Precondition: there are at most 2^20.
std::size_t place_of(const Cover& cover, const TokenIds& tokens) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const CoverPosition& position = cover.positions[i];
    if (position.repeats) continue;
    std::size_t rank = 0;
    for (const auto& [first, last] : position.ids) {
      if (first > tokens[i]) break;
      rank += std::min(last, tokens[i]) - first + 1;
    }
    place = place * certificate::size_of(position.ids) + rank - 1;
  }
  return place;
}

std::uint32_t by_rule(const Cover& cover, const TokenIds& tokens) {
  const certificate::CoverTarget& target = cover.target;
  std::uint64_t sum = 0;
  std::uint32_t largest = 0;
  for (const std::size_t position : target.of) {
    sum += tokens[position - 1];
    largest = std::max(largest, tokens[position - 1]);
  }
  switch (target.rule) {
    case TargetRule::kSum:
      return static_cast<std::uint32_t>(sum % target.modulo);
    case TargetRule::kTable:
      return target.table[place_of(cover, tokens)];
    case TargetRule::kMaximum:
    case TargetRule::kCopy:  // the largest of one
      break;
  }
  return largest;
}

// The target's logit less the largest of another answer, of one row.
Range margin_of(const Balls& logits, std::size_t row, std::uint32_t target, const IdSet& answers) {
  const Integer* best = nullptr;
  for (const auto& [first, last] : answers) {
    for (std::uint32_t id = first; id <= last; ++id) {
      if (id == target) continue;
      const Integer& logit = logits.centre(row, id);
      if (best == nullptr || logit > *best) best = &logit;
    }
  }
  const Integer middle = logits.centre(row, target) - *best;
  const Integer both = 2 * logits.radius[row];
  return {middle - both, middle + both};
}

}  // namespace

void Extremes::add(const Range& figure) {
  least.lower = std::min(least.lower, figure.lower);
  least.upper = std::min(least.upper, figure.upper);
  greatest.lower = std::max(greatest.lower, figure.lower);
  greatest.upper = std::max(greatest.upper, figure.upper);
}

SequenceOrder::SequenceOrder(const Cover& cover, const std::vector<IdSet>& sets)
    : from_(cover.free_numbers()), at_(sets.size()) {
  for (const IdSet& ids : sets) ids_.push_back(certificate::listed(ids));
}

bool SequenceOrder::next(TokenIds& tokens) {
  if (done_) return false;
  tokens.resize(from_.size());
  for (std::size_t i = 0; i < from_.size(); ++i) tokens[i] = ids_[from_[i]][at_[from_[i]]];
  std::size_t f = at_.size();
  while (f > 0 && ++at_[f - 1] == ids_[f - 1].size()) at_[--f] = 0;
  done_ = f == 0;
  return true;
}

exact::Result<void> check_cover(const Cover& cover, const Model& model) {
  if (!model.head) return refuse("model", "has no logits, so it gives no answers");
  for (std::size_t i = 0; i < cover.positions.size(); ++i) {
    if (cover.positions[i].repeats) continue;
    auto fits = check_ids(cover.positions[i].ids, model, "position " + std::to_string(i + 1));
    if (!fits) return fits;
  }
  if (auto fits = check_ids(cover.answers, model, "answers"); !fits) return fits;
  const std::size_t length = cover.positions.size();
  if (length > model.positions().value_or(length)) {
    return refuse("positions", std::to_string(length) + " are more than the model has, " +
                                   std::to_string(*model.positions()));
  }
  for (const CoverStatement& one : cover.statements) {
    if (one.figure == CoverFigure::kAttention &&
        (one.layer >= model.config.layers || one.head >= model.config.heads)) {
      return refuse("attention", "the model has no layer " + std::to_string(one.layer) +
                                     " with a head " + std::to_string(one.head));
    }
    if (one.figure != CoverFigure::kLogit) continue;
    if (auto fits = check_ids({{one.id, one.id}}, model, "logit"); !fits) return fits;
  }
  if (words_of(cover, model) > kMostWords) {
    return exact::fail("SP0901", "precision", "a sequence would hold more than 2^31 words");
  }
  return {};
}

std::size_t batch_of(const Cover& cover, const Model& model) {
  return std::clamp<std::uint64_t>(kBatchWords / words_of(cover, model), 1, kMostBatch);
}

std::uint32_t target_of(const Cover& cover, const TokenIds& tokens) {
  const std::uint32_t target = by_rule(cover, tokens);
  if (certificate::contains(cover.answers, target)) return target;
  std::string sequence;
  for (const std::uint32_t id : tokens) {
    sequence += (sequence.empty() ? "" : " ") + std::to_string(id);
  }
  throw certificate::Rejected{{"SP0901", "target",
                               "of sequence " + sequence + " is " + std::to_string(target) +
                                   ", which is not among the answers"}};
}

std::optional<std::vector<std::vector<Range>>> cover_figures(
    const Cover& cover, const Model& model, const std::vector<CoverSequence>& sequences) try {
  const std::size_t length = cover.positions.size();
  const std::vector<const CoverStatement*> asked = cover.figures();
  std::vector<std::vector<Range>> found(sequences.size(), std::vector<Range>(1 + asked.size()));
  Observer observer;
  observer.head = [&](const HeadRows& rows) {
    for (std::size_t n = 0; n < asked.size(); ++n) {
      const CoverStatement& one = *asked[n];
      if (one.figure != CoverFigure::kAttention || one.layer != rows.layer ||
          one.head != rows.head) {
        continue;
      }
      found[rows.run][1 + n] = rows.weights.back()[one.key - 1];
    }
  };
  std::vector<Run<std::uint32_t>> runs;
  for (const CoverSequence& one : sequences) runs.push_back({one.tokens, {}});
  ModelBalls numbers(model.config, length, cover.precision, in_turn);
  ModelPass<ModelBalls> pass(numbers, model);
  const Balls last = pass.output(pass.hidden<std::uint32_t>(runs, observer, length - 1));
  const Balls logits = apply(*model.head, last, cover.precision, in_turn);
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const Range margin = margin_of(logits, s, sequences[s].target, cover.answers);
    found[s][0] = margin;
    for (std::size_t n = 0; n < asked.size(); ++n) {
      if (asked[n]->figure == CoverFigure::kMargin) found[s][1 + n] = margin;
      if (asked[n]->figure == CoverFigure::kLogit) {
        found[s][1 + n] = forward::entry_of(logits, s, asked[n]->id);
      }
    }
  }
  return found;
} catch (const forward::TooCoarse&) {
  return std::nullopt;
}

}  // namespace sinkproof::language
