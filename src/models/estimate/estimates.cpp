#include "estimate/estimates.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "estimate/next_token.hpp"

namespace sinkproof::estimate {
namespace {

using exact::fail;
using exact::Result;
using language::Model;

// Rows that go through a layer together, where no sequence is longer.
constexpr std::size_t kBatchRows = 2048;
constexpr std::size_t kMostDoubles = (std::size_t{2} << 30U) / sizeof(double);

// SP2108: so many doubles are too many. What the extents' product is need not fit a word.
Result<void> check_size(std::initializer_list<std::size_t> extents, const char* what) {
  std::size_t left = kMostDoubles;
  for (const std::size_t extent : extents) left /= extent;
  if (left != 0) return {};
  return fail("SP2108", what, "would take over 2 GiB; give fewer or shorter sequences");
}

// Zeros of this shape, where they are not too many.
Result<Array> room(std::initializer_list<std::size_t> shape, const char* what) {
  if (auto fits = check_size(shape, what); !fits) return tl::unexpected(fits.error());
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  return Array{shape, std::vector<double>(size)};
}

// Columns of the widest matrix that has a row for each token.
std::size_t widest(const Model& model) {
  std::size_t most = std::max(model.config.width, model.config.heads * model.config.head_width);
  for (const language::Layer& layer : model.layers) {
    if (layer.mlp_in) most = std::max(most, layer.mlp_in->out);
  }
  return most;
}

Result<void> check_memory(const Model& model, const Request& request, const Extent& extent,
                          const std::string& where) {
  const language::Config& config = model.config;
  const std::size_t rows = extent.longest * (request.interventions.size() + 1);
  if (auto fits = check_size({rows, widest(model)}, "a layer's rows"); !fits) return fits;
  if (request.keep && extent.tokens > kMostTokens) {
    return fail("SP2102", where,
                "has " + std::to_string(extent.tokens) + " tokens, but the figures of each " +
                    "sequence are kept for at most " + std::to_string(kMostTokens) +
                    "; add --summary, or give fewer");
  }
  const std::size_t kept = request.keep ? extent.tokens : extent.longest;
  return check_size({kept, config.layers + 1, config.heads + 2 * config.key_heads + 1},
                    "the figures of all heads");
}

Result<void> check(const Model& model, const Request& request, const Extent& extent,
                   const std::string& where) {
  if (request.position == 0 || request.position > extent.shortest) {
    return fail("SP2106", where,
                "position " + std::to_string(request.position) + " is not in a sequence of " +
                    std::to_string(extent.shortest) + " tokens");
  }
  for (const Intervention& one : request.interventions) {
    for (const auto& [layer, head] : one.taken.ablated) {
      if (layer < model.config.layers && head < model.config.heads) continue;
      return fail("SP2106", one.name,
                  "names a head that the model does not have; layers and heads are counted from 0");
    }
  }
  if (extent.shortest != extent.longest && (request.keep_attention || request.keep_logits)) {
    return fail("SP2107", where,
                "sequences of different lengths cannot be saved as one array; give sequences of "
                "one length");
  }
  return check_memory(model, request, extent, where);
}

Result<Estimates> empty(const Model& model, const Request& request, const Extent& extent) {
  const language::Config& config = model.config;
  Estimates estimates;
  if (request.keep) estimates.moved.resize(request.interventions.size());
  if (request.keep_attention) {
    auto kept =
        room({extent.sequences, config.layers, config.heads, extent.longest, extent.longest},
             "saved attention");
    if (!kept) return tl::unexpected(kept.error());
    estimates.attention = *std::move(kept);
  }
  if (request.keep_logits && model.head) {
    auto kept = room({extent.sequences, extent.longest, model.vocabulary()}, "saved logits");
    if (!kept) return tl::unexpected(kept.error());
    estimates.logits = *std::move(kept);
  }
  return estimates;
}

// Where the figures of sequences go.
struct Figures {
  Summing summing;
  Estimates& estimates;
};

// Sequences of which the first is number `first`, each as it is and with each intervention, in one
// pass.
class Batch {
 public:
  Batch(const Model& model, const Request& request, const std::vector<Tokens>& sequences,
        std::size_t first, Figures& figures)
      : model_(model), request_(request), first_(first), figures_(figures) {
    const std::size_t entries = model.config.layers + (model.head ? 2 : 1);
    const Array none{{entries}, std::vector<double>(entries)};
    for (const Tokens& ids : sequences) {
      readouts_.push_back(empty_readouts(model.config, ids.size()));
      moved_.emplace_back(request.interventions.size(), none);
      add({ids, {}});
      for (const Intervention& one : request.interventions) add({ids, one.taken});
    }
  }

  Result<void> run() {
    if (request_.loss && model_.head) next_.emplace(runs_);
    if (auto done = pass_all(); !done) return done;
    for (std::size_t s = 0; s < readouts_.size(); ++s) {
      figures_.summing.add(readouts_[s], moved_[s]);
      const Array losses = losses_of(s);
      if (next_) figures_.summing.add_losses(losses);
      if (!request_.keep) continue;
      Estimates& kept = figures_.estimates;
      if (next_) kept.losses.push_back(losses);
      const auto ids = runs_[s * variants()].tokens;
      kept.sequences.emplace_back(ids.begin(), ids.end());
      kept.readouts.push_back(std::move(readouts_[s]));
      for (std::size_t v = 0; v + 1 < variants(); ++v) kept.moved[v].push_back(moved_[s][v]);
    }
    return {};
  }

 private:
  Result<void> pass_all() {
    Observer observer;
    observer.hidden = [&](std::size_t layer, const Rows& rows) { hidden(layer, rows); };
    observer.head = [&](const HeadRows& rows) { head(rows); };
    if (request_.keep_logits || next_ || !request_.interventions.empty()) {
      observer.logits = [&](std::size_t entry, const Rows& rows) { logits(entry, rows); };
    }
    if (request_.progress) {
      observer.progress = [&](double share) {
        const auto mine = static_cast<double>(readouts_.size());
        request_.progress(static_cast<double>(first_) + share * mine);
      };
    }
    return pass(model_, runs_, observer, request_.threads);
  }

  [[nodiscard]] std::size_t variants() const { return request_.interventions.size() + 1; }

  void add(const Run& run) {
    starts_.push_back(starts_.empty() ? 0 : starts_.back() + runs_.back().tokens.size());
    runs_.push_back(run);
  }

  // What an intervention, 0 for the first, made of these rows: how far from the run as it is?
  template <typename Distance>
  void compare(std::size_t entry, const Rows& rows, Distance distance) {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (r % variants() == 0) continue;
      const std::size_t plain = r - r % variants();
      double& most = moved_[r / variants()][r % variants() - 1].values[entry];
      most = std::max(most, distance(part(rows, plain), part(rows, r)));
    }
  }

  [[nodiscard]] Rows part(const Rows& all, std::size_t r) const {
    return all.from(starts_[r], runs_[r].tokens.size());
  }

  void hidden(std::size_t layer, const Rows& rows) {
    for (std::size_t r = 0; r < runs_.size(); r += variants()) {
      read_hidden(layer, part(rows, r), readouts_[r / variants()]);
    }
    compare(layer, rows, furthest_row);
  }

  void head(const HeadRows& rows) {
    if (rows.run % variants() != 0) return;
    const std::size_t s = rows.run / variants();
    read_head(model_.config, rows, request_.position, readouts_[s]);
    figures_.summing.add_alphas(alphas(model_.config, rows));
    if (!request_.keep_attention) return;
    const language::Config& config = model_.config;
    const std::size_t size = rows.weights.rows * rows.weights.columns;
    const std::size_t number =
        ((first_ + s) * config.layers + rows.layer) * config.heads + rows.head;
    std::copy_n(rows.weights.data, size,
                figures_.estimates.attention.values.data() + number * size);
  }

  // As it is, and with each intervention.
  [[nodiscard]] Array losses_of(std::size_t sequence) const {
    Array losses{{variants()}, {}};
    for (std::size_t v = 0; next_ && v < variants(); ++v) {
      losses.values.push_back(next_->loss(sequence * variants() + v));
    }
    return losses;
  }

  void logits(std::size_t entry, const Rows& rows) {
    if (next_) next_->add(entry, rows);
    compare(model_.config.layers + 1, rows, furthest_coordinate);
    if (!request_.keep_logits) return;
    for (std::size_t r = 0; r < runs_.size(); r += variants()) {
      const Rows some = part(rows, r);
      for (std::size_t i = 0; i < some.rows; ++i) {
        const std::size_t row = (first_ + r / variants()) * some.rows + i;
        std::copy_n(some.row(i), some.columns,
                    figures_.estimates.logits.values.data() + row * model_.vocabulary() + entry);
      }
    }
  }

  const Model& model_;
  const Request& request_;
  std::size_t first_;
  Figures& figures_;
  std::vector<Readouts> readouts_;         // by sequence
  std::vector<std::vector<Array>> moved_;  // by sequence, then intervention
  std::vector<Run> runs_;
  std::vector<std::size_t> starts_;
  std::optional<NextToken> next_;
};

}  // namespace

Result<Estimates> estimate(const Model& model, const Request& request, const std::string& where) {
  const auto extent = extent_of(model, request.sequences, where);
  if (!extent) return tl::unexpected(extent.error());
  if (auto fits = check(model, request, *extent, where); !fits) return tl::unexpected(fits.error());
  auto estimates = empty(model, request, *extent);
  if (!estimates) return estimates;
  auto next = request.sequences();
  if (!next) return tl::unexpected(next.error());
  Request counted = request;
  if (request.progress) {
    counted.progress = [&](double done) {
      request.progress(done / static_cast<double>(extent->sequences));
    };
  }
  Figures figures{{model.config, *extent, request.interventions.size(), request.epsilon},
                  *estimates};
  const std::size_t variants = request.interventions.size() + 1;
  const std::size_t most = std::min(kBatchRows, kMostDoubles / widest(model));
  std::size_t done = 0;
  std::size_t rows = 0;
  std::vector<Tokens> batch;
  const auto run = [&]() -> Result<void> {
    auto passed = Batch(model, counted, batch, done, figures).run();
    done += batch.size();
    rows = 0;
    batch.clear();
    return passed;
  };
  for (std::size_t s = 0; s < extent->sequences; ++s) {
    auto sequence = (*next)();
    if (!sequence) return tl::unexpected(sequence.error());
    if (!*sequence) return fail("SP0201", where, "has changed while it was read; run it again");
    if (auto fits = check_tokens(model, **sequence); !fits) return tl::unexpected(fits.error());
    if ((*sequence)->ids.size() < extent->shortest || (*sequence)->ids.size() > extent->longest) {
      return fail("SP0201", where, "has changed while it was read; run it again");
    }
    if (s == 0) estimates->first = (*sequence)->ids;
    const std::size_t more = (*sequence)->ids.size() * variants;
    if (!batch.empty() && rows + more > most) {
      if (auto passed = run(); !passed) return tl::unexpected(passed.error());
    }
    rows += more;
    batch.push_back(std::move((*sequence)->ids));
  }
  if (auto passed = run(); !passed) return tl::unexpected(passed.error());
  estimates->summary = figures.summing.summary();
  return estimates;
}

}  // namespace sinkproof::estimate
