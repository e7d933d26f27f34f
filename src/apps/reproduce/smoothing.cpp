#include "reproduce/smoothing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "estimate/smoothing_readouts.hpp"
#include "estimate/summary.hpp"
#include "language/folder.hpp"
#include "reproduce/smoothing_chart.hpp"
#include "text/words.hpp"

namespace sinkproof::reproduce {
namespace {

using estimate::Array;
using estimate::Readouts;
using estimate::Tokens;
using exact::fail;
using exact::Result;

constexpr std::size_t kBatchRows = 2048;  // that go through a layer together
constexpr std::size_t kPatternRows = 32;  // of a pattern that is drawn

// The first `most` sequences of `length` tokens; shorter ones are left out.
Result<std::vector<Tokens>> sequences_of(const language::Model& model, const TextTokens& tokens,
                                         const std::string& text, std::size_t length,
                                         std::size_t most) {
  auto next = tokens.open();
  if (!next) return tl::unexpected(next.error());
  std::vector<Tokens> all;
  std::size_t longest = 0;
  while (all.size() < most) {
    auto one = (*next)();
    if (!one) return tl::unexpected(one.error());
    if (!*one) break;
    longest = std::max(longest, (*one)->ids.size());
    if ((*one)->ids.size() < length) continue;
    if (auto fits = estimate::check_tokens(model, **one); !fits)
      return tl::unexpected(fits.error());
    all.push_back(std::move((*one)->ids));
  }
  if (!all.empty()) return all;
  return fail("SP2102", text,
              fmt::format("has no sequence of {}; its longest has {}. Give a longer text or a "
                          "smaller --length",
                          text::counted(length, "token"), longest));
}

// What is kept of a measurement while its sequences are read.
class Means {
 public:
  void add(const Readouts& readouts) {
    for (const auto& [name, array] : readouts) moments_[name].add(array);
  }
  void give(SmoothingMeasurement& to) const {
    for (const auto& [name, moments] : moments_) {
      to.means[name] = moments.mean();
      if (moments.count() > 1) to.errors[name] = moments.standard_error();
    }
  }

 private:
  std::map<std::string, estimate::Moments> moments_;
};

// The head of each kind with the greatest mean weight: on the first key, on the query's own, or on
// the lesser of both.
class Patterns {
 public:
  void see(const estimate::HeadRows& head) {
    double first = 0;
    double own = 0;
    for (std::size_t i = 1; i < head.weights.rows; ++i) {
      first += std::abs(head.weights.row(i)[0]);
      own += std::abs(head.weights.row(i)[i]);
    }
    offer(0, first, head);
    offer(1, own, head);
    offer(2, std::min(first, own), head);
  }
  [[nodiscard]] std::vector<Pattern> best() const {
    std::vector<Pattern> all;
    for (const Best& one : best_) all.push_back(one.pattern);
    return all;
  }

 private:
  struct Best {
    double score = -1;
    Pattern pattern;
  };

  void offer(std::size_t kind, double score, const estimate::HeadRows& head) {
    // Heads of a layer come in any order: of equal ones the first is kept.
    Best& best = best_[kind];
    const auto place = std::pair(head.layer, head.head);
    const bool is_earlier = place < std::pair(best.pattern.layer, best.pattern.head);
    if (score < best.score || (score == best.score && !is_earlier)) return;
    best.score = score;
    best.pattern.layer = head.layer;
    best.pattern.head = head.head;
    best.pattern.weights.clear();
    for (std::size_t i = 0; i < std::min(kPatternRows, head.weights.rows); ++i) {
      auto& row = best.pattern.weights.emplace_back();
      for (std::size_t k = 0; k <= i; ++k) row.push_back(std::abs(head.weights.row(i)[k]));
    }
  }

  Best best_[3] = {
      {-1, {"sink", 0, 0, {}}}, {-1, {"diagonal", 0, 0, {}}}, {-1, {"mixed", 0, 0, {}}}};
};

class Measuring {
 public:
  explicit Measuring(const SmoothingOptions& options) : options_(options) {}

  Result<SmoothingRun> finish() {
    for (const char* inner : {"data", "figures"}) {
      if (auto made = folder_.make(inner); !made) return tl::unexpected(made.error());
    }
    for (const NamedPath& model : options_.models) {
      if (auto done = add(model); !done) return tl::unexpected(done.error());
      if (result_.interrupted) break;
    }
    if (auto written = write(); !written) return tl::unexpected(written.error());
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  Result<void> add(const NamedPath& model) {
    auto folder = language::open_folder(model.path, options_.assumed_neutral);
    if (!folder) return tl::unexpected(folder.error());
    for (const NamedPath& text : options_.texts) {
      for (const std::size_t length : options_.lengths) {
        if (auto done = add(model, **folder, text, length); !done) return done;
        if (result_.interrupted) return {};
      }
    }
    return {};
  }

  Result<void> add(const NamedPath& named, const language::Folder& folder, const NamedPath& text,
                   std::size_t length) {
    const language::Model& model = folder.model();
    const auto tokens = options_.tokens(named, model, text, length);
    if (!tokens) return tl::unexpected(tokens.error());
    SmoothingMeasurement one;
    one.model = named.name;
    one.text = text.name;
    one.length = length;
    one.remarks = model.remarks();
    json::Value of = {{"files", folder.files()},
                      {"tokens", tokens->origin},
                      {"length", length},
                      {"at_most", options_.sequences}};
    if (!one.remarks.empty()) of["remarks"] = one.remarks;
    const std::string name = "data/" + one.file() + ".json";
    if (auto there = read_smoothing(folder_.stored(name), of)) {
      one = *std::move(there);
    } else {
      if (auto made = make(model, *tokens, text, of, one); !made) return made;
      if (result_.interrupted) return {};
    }
    if (auto done = add_costs(model, *tokens, text, one); !done) return done;
    result_.measurements.push_back(std::move(one));
    return {};
  }

  // Measures and keeps what is not there.
  Result<void> make(const language::Model& model, const TextTokens& tokens, const NamedPath& text,
                    const json::Value& of, SmoothingMeasurement& one) {
    if (is_late() || folder_.interrupted()) {
      result_.interrupted = true;
      return {};
    }
    const auto sequences = sequences_of(model, tokens, text.path, one.length, options_.sequences);
    if (!sequences) return tl::unexpected(sequences.error());
    if (auto measured = measure(model, *sequences, one); !measured) return measured;
    if (result_.interrupted) return {};
    ++measured_;
    return folder_.write("data/" + one.file() + ".json",
                         json::canonical(smoothing_json(one, of)) + "\n");
  }

  Result<void> add_costs(const language::Model& model, const TextTokens& tokens,
                         const NamedPath& text, SmoothingMeasurement& one) {
    if (options_.cost_rows == 0) return {};
    const auto first = sequences_of(model, tokens, text.path, one.length, 1);
    if (!first) return tl::unexpected(first.error());
    auto costs = smoothing_costs(folder_, one.file(), model, first->front(), options_.cost_rows,
                                 options_.cost_seconds);
    if (!costs) return tl::unexpected(costs.error());
    one.costs = *std::move(costs);
    return {};
  }

  Result<void> measure(const language::Model& model, const std::vector<Tokens>& sequences,
                       SmoothingMeasurement& one) {
    Means means;
    Patterns patterns;
    const std::size_t together = std::max<std::size_t>(1, kBatchRows / one.length);
    for (std::size_t first = 0; first < sequences.size(); first += together) {
      if (folder_.interrupted()) return {};
      const std::size_t count = std::min(together, sequences.size() - first);
      std::vector<estimate::Run> runs;
      for (std::size_t s = first; s < first + count; ++s) runs.push_back({sequences[s], {}});
      const auto progress = [&](double share) {
        folder_.tell(one.label(),
                     (static_cast<double>(first) + share * static_cast<double>(count)) /
                         static_cast<double>(sequences.size()));
      };
      const auto found = estimate::smoothing_readouts(model, runs, options_.jobs, progress,
                                                      [&](const estimate::HeadRows& head) {
                                                        if (first == 0 && head.run == 0)
                                                          patterns.see(head);
                                                      });
      if (!found) return tl::unexpected(found.error());
      for (const Readouts& readouts : *found) means.add(readouts);
    }
    one.sequences = sequences.size();
    means.give(one);
    if (!model.config.architecture->bidirectional) one.patterns = patterns.best();
    return {};
  }

  // Whether no measurement is to begin, once one has been made.
  [[nodiscard]] bool is_late() const {
    const std::chrono::duration<double> took = Clock::now() - start_;
    return measured_ > 0 && took.count() > options_.seconds;
  }

  Result<void> write() {
    const auto& all = result_.measurements;
    if (all.empty()) return {};
    for (const auto& [name, bytes] :
         {std::pair("layers.csv", layers_csv(all)), std::pair("heads.csv", heads_csv(all)),
          std::pair("first-token.csv", first_token_csv(all))}) {
      if (auto written = folder_.update(name, bytes); !written) return written;
    }
    if (options_.cost_rows > 0) {
      if (auto written = folder_.update("costs.csv", costs_csv(all)); !written) return written;
    }
    for (const auto& [name, svg] : smoothing_charts(all)) {
      if (auto written = folder_.update("figures/" + name + ".svg", svg); !written) return written;
    }
    return {};
  }

  const SmoothingOptions& options_;
  SmoothingRun result_;
  RunFolder folder_{options_, result_};
  Clock::time_point start_ = Clock::now();
  std::size_t measured_ = 0;
};

}  // namespace

Result<SmoothingRun> smoothing(const SmoothingOptions& options) {
  return Measuring(options).finish();
}

}  // namespace sinkproof::reproduce
