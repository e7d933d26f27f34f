#include "language/readouts.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "language/head_readouts.hpp"
#include "language/rows.hpp"

namespace sinkproof::language {
namespace {

using exact::Integer;
using forward::Balls;
using forward::Range;
using Question = LanguageQuestion;
using Readout = LanguageReadout;

// What a readout is read off, beside inputs of layers and interventions: one number of a head and a
// key, or the norms of a head's rows.
struct HeadReadout {
  Readout readout;
  Range (*of_key)(const MeasuredHead&, std::size_t) = nullptr;
  forward::Block HeadRows::*rows = nullptr;

  // Key heads have keys and values.
  [[nodiscard]] std::size_t heads(const Config& config) const {
    return rows == nullptr || rows == &HeadRows::queries ? config.heads : config.key_heads;
  }
};
constexpr HeadReadout kHeadReadouts[] = {{Readout::kAlpha, alpha},
                                         {Readout::kValueAlpha, value_alpha},
                                         {Readout::kNormProduct, norm_product},
                                         {Readout::kCosine, cosine},
                                         {Readout::kValueRatio, value_ratio},
                                         {Readout::kBroadcastShare, broadcast_share},
                                         {Readout::kSinkShare, alpha},
                                         {Readout::kValueSinkShare, value_alpha},
                                         {Readout::kQueryNorm, nullptr, &HeadRows::queries},
                                         {Readout::kKeyNorm, nullptr, &HeadRows::keys},
                                         {Readout::kValueNorm, nullptr, &HeadRows::values}};

const HeadReadout* of_head(Readout readout) {
  const auto* found = std::find_if(std::begin(kHeadReadouts), std::end(kHeadReadouts),
                                   [&](const auto& row) { return row.readout == readout; });
  return found == std::end(kHeadReadouts) ? nullptr : found;
}

bool asks_of(const Question& question, std::size_t sequence) {
  return question.row().is_share || question.sequence == sequence;
}

Range mean_cosine(const Balls& rows, unsigned p) {
  const forward::Block all = forward::block(rows);
  const std::vector<Range> norms = norms_of(rows);
  Range sum{0, 0};
  std::size_t pairs = 0;
  for (std::size_t j = 1; j < rows.rows(); ++j) {
    for (std::size_t i = 0; i < j; ++i, ++pairs) {
      sum = sum + cosine_of(all, i, norms[i], all, j, norms[j], p);
    }
  }
  return pairs == 0 ? sum : divided(sum, pairs);
}

Range larger(const Range& a, const Range& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Balls difference(Balls a, const Balls& b) {
  forward::add(a, b, -1);
  return a;
}

// How far two passes' logits are apart at most: their map, without its bias, of the difference.
Range largest_logit(Map head, const Balls& rows, unsigned p, const ForEach& each) {
  head.bias = nullptr;
  constexpr std::size_t kTogether = 4096;
  Range most{0, 0};
  for (std::size_t first = 0; first < head.out; first += kTogether) {
    const std::size_t count = std::min(kTogether, head.out - first);
    const Balls logits = apply(head, first, count, rows, p, each);
    for (std::size_t t = 0; t < logits.rows(); ++t) {
      Integer size = 0;
      for (std::size_t o = 0; o < count; ++o) {
        size = std::max(size, magnitude(logits.centre(t, o)));
      }
      most = larger(most, {size - logits.radius[t], size + logits.radius[t]});
    }
  }
  return most;
}

// One sequence: its pass, and one more for each intervention.
class OneSequence {
 public:
  OneSequence(const Model& model, const TokenIds& tokens, std::size_t sequence,
              const std::vector<Question>& questions, unsigned p, const ForEach& each,
              std::vector<Numbers>& numbers, const std::function<void()>& layer_done)
      : model_(model),
        tokens_(tokens),
        p_(p),
        each_(each),
        numbers_(numbers),
        layer_done_(layer_done) {
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (!asks_of(questions[q], sequence)) continue;
      asked_.emplace_back(&questions[q], q);
      keeps_ = keeps_ || questions[q].readout == Readout::kMoved;
      if (!questions[q].row().is_share) {
        numbers_[q].assign(numbers_of(questions[q], model, tokens.size()), Range{0, 0});
      }
    }
  }

  bool run() {
    certificate::require(pass_words(model_, tokens_.size(), p_, keeps_) <= kMostWords, "tokens",
                         "a pass over so many would hold too many numbers at once", "SP2006");
    const Observer observer{[&](std::size_t l, const Balls& hidden) { see_hidden(l, hidden); },
                            {},
                            [&](const HeadRows& rows) { see_head(rows); }};
    auto last = pass(model_, tokens_, {}, p_, observer, each_);
    if (!last) return false;
    for (const auto& [question, q] : asked_) {
      if (question->readout != Readout::kMoved) continue;
      if (!run_moved(question->intervention, *last, numbers_[q])) return false;
    }
    return true;
  }

 private:
  void see_hidden(std::size_t layer, const Balls& hidden) {
    layer_done_();
    if (keeps_) kept_.push_back(hidden);
    for (const auto& [question, q] : asked_) {
      if (question->readout == Readout::kMeanCosine) {
        numbers_[q][layer] = mean_cosine(hidden, p_);
      } else if (question->readout == Readout::kHiddenNorm) {
        put_row(numbers_[q], layer, norms_of(hidden));
      }
    }
  }

  void put_row(Numbers& numbers, std::size_t row, const std::vector<Range>& norms) const {
    std::copy(norms.begin(), norms.end(),
              numbers.begin() + static_cast<std::ptrdiff_t>(row * tokens_.size()));
  }

  void see_head(const HeadRows& rows) {
    const Config& config = model_.config;
    const MeasuredHead head = measured(rows, config.architecture->bidirectional, p_);
    for (const auto& [question, q] : asked_) {
      const HeadReadout* readout = of_head(question->readout);
      if (readout == nullptr) continue;
      const std::size_t heads = readout->heads(config);
      const std::size_t at =
          rows.layer * heads + (heads == config.heads ? rows.head : rows.key_head);
      if (readout->rows != nullptr) {
        put_row(numbers_[q], at, norms_of(rows.*readout->rows));
        continue;
      }
      const Range value = readout->of_key(head, question->position - 1);
      if (question->row().is_share) {
        count(*question, value, numbers_[q]);
      } else {
        numbers_[q][at] = value;
      }
    }
  }

  // A share's numbers: heads above epsilon for certain, those that may be, all.
  void count(const Question& question, const Range& value, Numbers& counts) const {
    const Range epsilon = forward::range_of(question.epsilon, p_);
    counts[0].lower += value.lower > epsilon.upper ? 1 : 0;
    counts[0].upper += value.upper > epsilon.lower ? 1 : 0;
    counts[1].lower += 1;
  }

  bool run_moved(const Intervention& intervention, const Balls& last, Numbers& numbers) {
    const Observer observer{[&](std::size_t l, const Balls& hidden) {
                              layer_done_();
                              for (const Range& norm : norms_of(difference(kept_[l], hidden))) {
                                numbers[l] = larger(numbers[l], norm);
                              }
                            },
                            {},
                            {}};
    const auto moved = pass(model_, tokens_, intervention, p_, observer, each_);
    if (!moved) return false;
    if (model_.head) {
      numbers.back() = largest_logit(*model_.head, difference(last, *moved), p_, each_);
    }
    return true;
  }

  const Model& model_;
  const TokenIds& tokens_;
  unsigned p_;
  const ForEach& each_;
  std::vector<Numbers>& numbers_;
  const std::function<void()>& layer_done_;
  std::vector<std::pair<const Question*, std::size_t>> asked_;
  bool keeps_ = false;
  std::vector<Balls> kept_;
};

// Counts become a share.
Range share_of(const Numbers& counts, unsigned p) {
  return forward::divided({counts[0].lower << p, counts[0].upper << p}, counts[1].lower);
}

}  // namespace

std::size_t numbers_of(const LanguageQuestion& question, const Model& model, std::size_t length) {
  if (question.row().is_share) return 1;
  const Config& config = model.config;
  if (const HeadReadout* of = of_head(question.readout)) {
    return config.layers * of->heads(config) * (of->rows == nullptr ? 1 : length);
  }
  if (question.readout == Readout::kHiddenNorm) return (config.layers + 1) * length;
  const bool logits = question.readout == Readout::kMoved && model.head;
  return config.layers + 1 + (logits ? 1 : 0);
}

exact::Result<void> check_question(const LanguageQuestion& question, const Model& model,
                                   const std::vector<TokenIds>& sequences) {
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (!asks_of(question, s)) continue;
    if (question.row().has_position && question.position > sequences[s].size()) {
      return exact::fail("SP2006", "sequence " + std::to_string(s),
                         "position " + std::to_string(question.position) + " is beyond its end");
    }
    auto fits = check_request(model, sequences[s], question.intervention);
    if (!fits) return fits;
  }
  return {};
}

std::size_t passes_of(std::size_t sequence, const std::vector<LanguageQuestion>& questions) {
  std::size_t passes = 0;
  for (const LanguageQuestion& question : questions) {
    if (!asks_of(question, sequence)) continue;
    passes = std::max<std::size_t>(passes, 1);
    if (question.readout == Readout::kMoved) ++passes;
  }
  return passes;
}

std::optional<std::vector<Numbers>> readouts(
    const Model& model, const std::vector<TokenIds>& sequences,
    const std::vector<LanguageQuestion>& questions, unsigned p, const ForEach& each,
    const std::function<void(std::size_t, std::size_t)>& finished) {
  std::size_t layers = 0;
  std::vector<Numbers> numbers(questions.size());
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    layers += passes_of(s, questions) * (model.config.layers + 1);
  }
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (questions[q].row().is_share) numbers[q].assign(2, Range{0, 0});
  }
  std::size_t done = 0;
  const std::function<void()> layer_done = [&] {
    if (finished) finished(done, layers);
    ++done;
  };
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    if (passes_of(s, questions) == 0) continue;
    OneSequence one(model, sequences[s], s, questions, p, each, numbers, layer_done);
    if (!one.run()) return std::nullopt;
  }
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (questions[q].row().is_share) numbers[q] = {share_of(numbers[q], p)};
  }
  return numbers;
}

}  // namespace sinkproof::language
