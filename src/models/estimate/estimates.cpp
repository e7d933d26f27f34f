#include "estimate/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "rounded/double.hpp"

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

Result<void> check_memory(const Model& model, const Request& request) {
  const language::Config& config = model.config;
  std::size_t longest = 0;
  std::size_t tokens = 0;
  for (const Tokens& ids : request.sequences) {
    longest = std::max(longest, ids.size());
    tokens += ids.size();
  }
  const std::size_t rows = longest * (request.interventions.size() + 1);
  auto fits = check_size({rows, widest(model)}, "a layer's rows");
  if (!fits) return fits;
  return check_size({tokens, config.layers + 1, config.heads + 2 * config.key_heads + 1},
                    "the figures of all heads");
}

Result<void> check(const Model& model, const Request& request, const std::string& where) {
  if (auto fits = check_tokens(model, request.sequences, where); !fits) return fits;
  const auto shortest =
      std::min_element(request.sequences.begin(), request.sequences.end(),
                       [](const Tokens& a, const Tokens& b) { return a.size() < b.size(); });
  if (request.position == 0 || request.position > shortest->size()) {
    return fail("SP2106", where,
                "position " + std::to_string(request.position) + " is not in a sequence of " +
                    std::to_string(shortest->size()) + " tokens");
  }
  for (const Intervention& one : request.interventions) {
    const auto& ablated = one.taken.ablated;
    if (ablated &&
        (ablated->first >= model.config.layers || ablated->second >= model.config.heads)) {
      return fail("SP2106", one.name,
                  "names a head that the model does not have; layers and heads are counted from 0");
    }
  }
  const bool even = std::all_of(
      request.sequences.begin(), request.sequences.end(),
      [&](const Tokens& ids) { return ids.size() == request.sequences.front().size(); });
  if (!even && (request.keep_attention || request.keep_logits)) {
    return fail("SP2107", where,
                "sequences of different lengths cannot be saved as one array; give sequences of "
                "one length");
  }
  return check_memory(model, request);
}

Result<Estimates> empty(const Model& model, const Request& request) {
  const language::Config& config = model.config;
  const std::size_t length = request.sequences.front().size();
  const std::size_t count = request.sequences.size();
  Estimates estimates;
  for (const Tokens& ids : request.sequences) {
    estimates.readouts.push_back(empty_readouts(config, ids.size()));
  }
  const std::size_t entries = config.layers + (model.head ? 2 : 1);
  const Array none{{entries}, std::vector<double>(entries)};
  estimates.moved.assign(request.interventions.size(), std::vector<Array>(count, none));
  if (request.keep_attention) {
    auto kept = room({count, config.layers, config.heads, length, length}, "saved attention");
    if (!kept) return tl::unexpected(kept.error());
    estimates.attention = *std::move(kept);
  }
  if (request.keep_logits && model.head) {
    auto kept = room({count, length, model.vocabulary()}, "saved logits");
    if (!kept) return tl::unexpected(kept.error());
    estimates.logits = *std::move(kept);
  }
  return estimates;
}

// Sequences first .. last - 1, each as it is and with each intervention, in one pass.
class Batch {
 public:
  Batch(const Model& model, const Request& request, std::size_t first, std::size_t last,
        Estimates& estimates)
      : model_(model), request_(request), first_(first), estimates_(estimates) {
    for (std::size_t s = first; s < last; ++s) {
      add({request.sequences[s], {}});
      for (const Intervention& one : request.interventions) {
        add({request.sequences[s], one.taken});
      }
    }
  }

  Result<void> run() {
    Observer observer;
    observer.hidden = [&](std::size_t layer, const Rows& rows) { hidden(layer, rows); };
    observer.head = [&](const HeadRows& rows) { head(rows); };
    if (request_.keep_logits || !request_.interventions.empty()) {
      observer.logits = [&](std::size_t entry, const Rows& rows) { logits(entry, rows); };
    }
    if (request_.progress) {
      observer.progress = [&](double share) {
        const auto all = static_cast<double>(request_.sequences.size());
        const std::size_t sequences = runs_.size() / variants();
        const auto mine = static_cast<double>(sequences);
        request_.progress((static_cast<double>(first_) + share * mine) / all);
      };
    }
    return pass(model_, runs_, observer, request_.threads);
  }

 private:
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
      double& most = estimates_.moved[r % variants() - 1][first_ + r / variants()].values[entry];
      most = std::max(most, distance(part(rows, plain), part(rows, r)));
    }
  }

  [[nodiscard]] Rows part(const Rows& all, std::size_t r) const {
    return all.from(starts_[r], runs_[r].tokens.size());
  }

  void hidden(std::size_t layer, const Rows& rows) {
    for (std::size_t r = 0; r < runs_.size(); r += variants()) {
      read_hidden(layer, part(rows, r), estimates_.readouts[first_ + r / variants()]);
    }
    compare(layer, rows, furthest_row);
  }

  void head(const HeadRows& rows) {
    if (rows.run % variants() != 0) return;
    const std::size_t s = first_ + rows.run / variants();
    read_head(model_.config, rows, request_.position, estimates_.readouts[s]);
    if (!request_.keep_attention) return;
    const language::Config& config = model_.config;
    const std::size_t size = rows.weights.rows * rows.weights.columns;
    const std::size_t number = (s * config.layers + rows.layer) * config.heads + rows.head;
    std::copy_n(rows.weights.data, size, estimates_.attention.values.data() + number * size);
  }

  void logits(std::size_t entry, const Rows& rows) {
    compare(model_.config.layers + 1, rows, furthest_coordinate);
    if (!request_.keep_logits) return;
    for (std::size_t r = 0; r < runs_.size(); r += variants()) {
      const Rows some = part(rows, r);
      for (std::size_t i = 0; i < some.rows; ++i) {
        const std::size_t row = (first_ + r / variants()) * some.rows + i;
        std::copy_n(some.row(i), some.columns,
                    estimates_.logits.values.data() + row * model_.vocabulary() + entry);
      }
    }
  }

  const Model& model_;
  const Request& request_;
  std::size_t first_;
  Estimates& estimates_;
  std::vector<Run> runs_;
  std::vector<std::size_t> starts_;
};

}  // namespace

Result<Estimates> estimate(const Model& model, const Request& request, const std::string& where) {
  if (auto fits = check(model, request, where); !fits) return tl::unexpected(fits.error());
  auto estimates = empty(model, request);
  if (!estimates) return estimates;
  const std::size_t variants = request.interventions.size() + 1;
  const std::size_t most = std::min(kBatchRows, kMostDoubles / widest(model));
  for (std::size_t first = 0; first < request.sequences.size();) {
    std::size_t last = first;
    std::size_t rows = 0;
    do {
      rows += request.sequences[last++].size() * variants;
    } while (last < request.sequences.size() &&
             rows + request.sequences[last].size() * variants <= most);
    if (auto done = Batch(model, request, first, last, *estimates).run(); !done) {
      return tl::unexpected(done.error());
    }
    first = last;
  }
  return estimates;
}

Share share_above(const std::vector<Readouts>& readouts, const std::string& name,
                  const exact::Rational& epsilon) {
  Share share;
  for (const Readouts& one : readouts) {
    for (const double value : one.at(name).values) {
      share.above += std::isfinite(value) && rounded::from_double(value) > epsilon ? 1 : 0;
      ++share.total;
    }
  }
  return share;
}

}  // namespace sinkproof::estimate
