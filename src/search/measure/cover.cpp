#include "measure/cover.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "certificate/strict.hpp"
#include "exact/whole.hpp"
#include "forward/elementary.hpp"
#include "language/cover.hpp"
#include "language/cover_form.hpp"
#include "language/cover_product.hpp"
#include "measure/cover_forms.hpp"
#include "measure/cover_products.hpp"
#include "measure/digits.hpp"
#include "rounded/decimal.hpp"
#include "write/write.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Cover;
using certificate::CoverFigure;
using certificate::CoverNode;
using certificate::CoverStatement;
using certificate::CoverVerdict;
using certificate::IdSet;
using certificate::TokenIds;
using exact::Integer;
using exact::Rational;
using forward::Range;
using language::CoverSequence;

using Clock = std::chrono::steady_clock;
using Figures = std::vector<std::vector<Range>>;

// Of a number: bits after the point, with which numbers below 2^10 fill a word, and those that the
// first sequences' figures must be known to.
constexpr unsigned kFirstPrecision = 52;
constexpr unsigned kKnown = 24;
// Of forms: a product's figures are not known to more.
constexpr unsigned kKnownForms = 12;

// Verdicts of the first sequences in their order; the others are undecided.
using Verdicts = std::vector<CoverVerdict>;

// The tree of these verdicts: a position that makes no difference does not split, and ids that lead
// to the same go together.
class Tree {
 public:
  Tree(const Cover& cover, const Verdicts& verdicts)
      : verdicts_(verdicts), ids_(cover.free_sets()) {
    for (std::size_t i = 0; i < cover.positions.size(); ++i) {
      if (!cover.positions[i].repeats) positions_.push_back(i + 1);
    }
    below_.assign(ids_.size() + 1, 1);
    for (std::size_t f = ids_.size(); f > 0; --f) {
      below_[f - 1] = below_[f] * certificate::size_of(ids_[f - 1]);
    }
  }

  // What lies below more splits than a certificate may have is undecided where the budget has
  // `ended`, else refused.
  exact::Result<CoverNode> root(bool ended) {
    std::size_t top = node(0, 0);
    if (height_of(top) > certificate::kMostSplits) {
      if (!ended) {
        return exact::fail("SP2011", "cover",
                           "right and wrong sequences are mixed so that the certificate would need "
                           "a depth of " +
                               std::to_string(height_of(top)) + " splits, and the most is " +
                               std::to_string(certificate::kMostSplits) +
                               "; ask about fewer inputs at a time");
      }
      top = cut(top, certificate::kMostSplits);
    }
    if (size_of(top) > certificate::kMostCoverNodes) {
      return exact::fail("SP2011", "cover",
                         "right and wrong sequences are mixed so that the certificate would need "
                         "over 1048576 nodes; ask about fewer inputs at a time");
    }
    return expanded(top);
  }

 private:
  static constexpr std::size_t kLeaves = 3;  // nodes 0 .. 2 are the verdicts

  struct Split {
    std::size_t level;
    std::vector<std::size_t> children;  // by id
    bool operator<(const Split& other) const {
      return std::tie(level, children) < std::tie(other.level, other.children);
    }
  };

  // Of the sequences `at` .. that differ from free position `level` on.
  std::size_t node(std::size_t level, const Integer& at) {
    if (at >= verdicts_.size()) return static_cast<std::size_t>(CoverVerdict::kUndecided);
    if (level == ids_.size())
      return static_cast<std::size_t>(verdicts_[at.convert_to<std::size_t>()]);
    Split split{level, {}};
    const std::uint64_t size = certificate::size_of(ids_[level]);
    for (std::uint64_t i = 0; i < size; ++i) {
      split.children.push_back(node(level + 1, at + i * below_[level + 1]));
    }
    return number_of(std::move(split));
  }

  // The node of this split; where all ids lead to the same, that.
  std::size_t number_of(Split split) {
    const auto& all = split.children;
    if (std::all_of(all.begin(), all.end(), [&](std::size_t c) { return c == all.front(); })) {
      return all.front();
    }
    const auto [found, is_new] = numbers_.emplace(split, kLeaves + splits_.size());
    if (is_new) splits_.push_back(std::move(split));
    return found->second;
  }

  // Splits on the longest way down.
  std::size_t height_of(std::size_t number) {
    if (number < kLeaves) return 0;
    const auto known = heights_.find(number);
    if (known != heights_.end()) return known->second;
    std::size_t height = 0;
    for (const std::size_t child : splits_[number - kLeaves].children) {
      height = std::max(height, height_of(child));
    }
    return heights_[number] = height + 1;
  }

  // The node with at most so many splits on a way down: what lies deeper is undecided.
  std::size_t cut(std::size_t number, std::size_t splits) {
    if (height_of(number) <= splits) return number;
    if (splits == 0) return static_cast<std::size_t>(CoverVerdict::kUndecided);
    const auto known = cuts_.find({number, splits});
    if (known != cuts_.end()) return known->second;
    Split split = splits_[number - kLeaves];
    for (std::size_t& child : split.children) child = cut(child, splits - 1);
    return cuts_[{number, splits}] = number_of(std::move(split));
  }

  // By child the ids that lead to it, in the order of the first.
  [[nodiscard]] std::vector<std::pair<std::size_t, TokenIds>> parts_of(const Split& split) const {
    std::vector<std::pair<std::size_t, TokenIds>> parts;
    std::map<std::size_t, std::size_t> place;
    const TokenIds ids = certificate::listed(ids_[split.level]);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto [found, is_new] = place.emplace(split.children[i], parts.size());
      if (is_new) parts.push_back({split.children[i], {}});
      parts[found->second].second.push_back(ids[i]);
    }
    return parts;
  }

  // Nodes of the tree below, at most somewhat more than kMostCoverNodes.
  std::size_t size_of(std::size_t number) {
    if (number < kLeaves) return 1;
    const auto known = sizes_.find(number);
    if (known != sizes_.end()) return known->second;
    std::size_t size = 1;
    for (const auto& [child, ids] : parts_of(splits_[number - kLeaves])) {
      size = std::min(size + size_of(child), 2 * certificate::kMostCoverNodes);
    }
    return sizes_[number] = size;
  }

  [[nodiscard]] CoverNode expanded(std::size_t number) const {
    CoverNode node;
    if (number < kLeaves) {
      node.verdict = static_cast<CoverVerdict>(number);
      return node;
    }
    const Split& split = splits_[number - kLeaves];
    node.position = positions_[split.level];
    for (const auto& [child, ids] : parts_of(split)) {
      node.parts.push_back({certificate::id_set(ids), expanded(child)});
    }
    return node;
  }

  const Verdicts& verdicts_;
  std::vector<std::size_t> positions_;  // by free position, from 1
  std::vector<IdSet> ids_;
  std::vector<Integer> below_;  // sequences that agree up to a free position
  std::vector<Split> splits_;
  std::map<Split, std::size_t> numbers_;
  std::map<std::size_t, std::size_t> sizes_;
  std::map<std::size_t, std::size_t> heights_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> cuts_;  // by node and splits
};

// Adds the sequences of each verdict, of a node of so many.
void count(const CoverNode& node, const Integer& sequences, std::array<Integer, 3>& counts) {
  if (node.verdict) {
    counts[static_cast<std::size_t>(*node.verdict)] += sequences;
    return;
  }
  std::uint64_t ids = 0;
  for (const CoverNode::Part& part : node.parts) ids += certificate::size_of(part.ids);
  for (const CoverNode::Part& part : node.parts) {
    count(part.node, sequences / ids * certificate::size_of(part.ids), counts);
  }
}

CoverVerdict verdict_of(const Range& margin) {
  const Integer room = 2 * (margin.upper - margin.lower);
  if (margin.lower > room) return CoverVerdict::kRight;
  return margin.upper < -room ? CoverVerdict::kWrong : CoverVerdict::kUndecided;
}

// All sequences, on threads, until they or the budget end.
class Evaluation {
 public:
  Evaluation(const CoverRequest& request, const Cover& cover,
             const std::function<void(double)>& progress)
      : request_(request),
        cover_(cover),
        progress_(progress),
        order_(cover, cover.free_sets()),
        all_(cover.count()),
        most_(language::batch_of(cover, request.folder.model())),
        begin_(Clock::now()) {}

  void run() {
    std::vector<std::jthread> others;
    for (unsigned j = 1; j < request_.jobs; ++j) others.emplace_back([this] { work(); });
    work();
    others.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  [[nodiscard]] bool is_too_coarse() const { return too_coarse_; }
  [[nodiscard]] bool has_ended() const { return verdicts_.size() < all_; }
  [[nodiscard]] const Verdicts& verdicts() const { return verdicts_; }
  [[nodiscard]] const std::vector<language::Extremes>& extremes() const { return extremes_; }
  [[nodiscard]] const std::vector<CoverExamples>& examples() const { return examples_; }

 private:
  // Empty where nothing is left to do, or no time to do it. The first batch is taken in any case.
  std::vector<CoverSequence> take(std::size_t& first) {
    const std::lock_guard lock(guard_);
    std::vector<CoverSequence> batch;
    const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
    const bool over = request_.seconds > 0 && spent >= request_.seconds && !verdicts_.empty();
    if (failure_ || too_coarse_ || over) return batch;
    CoverSequence next;
    while (batch.size() < most_ && order_.next(next.tokens)) {
      next.target = language::target_of(cover_, next.tokens);
      batch.push_back(next);
    }
    first = verdicts_.size();
    verdicts_.resize(first + batch.size(), CoverVerdict::kUndecided);
    return batch;
  }

  void work() {
    try {
      std::size_t first = 0;
      for (auto batch = take(first); !batch.empty(); batch = take(first)) {
        const auto found = language::cover_figures(cover_, request_.folder.model(), batch);
        const std::lock_guard lock(guard_);
        if (!found) {
          too_coarse_ = true;
          return;
        }
        keep(first, batch, *found);
      }
    } catch (...) {
      const std::lock_guard lock(guard_);
      failure_ = std::current_exception();
    }
  }

  void keep(std::size_t first, const std::vector<CoverSequence>& batch, const Figures& found) {
    for (std::size_t s = 0; s < batch.size(); ++s) {
      verdicts_[first + s] = verdict_of(found[s].front());
      for (std::size_t n = 0; n + 1 < found[s].size(); ++n) add(n, batch[s], found[s][1 + n]);
    }
    done_ += batch.size();
    if (progress_) progress_(static_cast<double>(done_) / all_.convert_to<double>());
  }

  void add(std::size_t n, const CoverSequence& one, const Range& figure) {
    if (extremes_.size() == n) {
      extremes_.emplace_back(figure);
      examples_.push_back({one.tokens, one.tokens});
    }
    if (figure.lower < extremes_[n].least.lower) examples_[n].least = one.tokens;
    if (figure.upper > extremes_[n].greatest.upper) examples_[n].greatest = one.tokens;
    extremes_[n].add(figure);
  }

  const CoverRequest& request_;
  const Cover& cover_;
  const std::function<void(double)>& progress_;
  language::SequenceOrder order_;
  Integer all_;
  std::size_t most_;  // of a batch
  Clock::time_point begin_;
  std::mutex guard_;
  Verdicts verdicts_;  // of those that were taken
  std::size_t done_ = 0;
  std::vector<language::Extremes> extremes_;  // by figure
  std::vector<CoverExamples> examples_;
  bool too_coarse_ = false;
  std::exception_ptr failure_;
};

// Whether the first sequences' figures are known well enough.
bool is_precise(const Cover& cover, const language::Model& model, unsigned known) {
  language::SequenceOrder order(cover, cover.free_sets());
  std::vector<CoverSequence> batch(1);
  order.next(batch.front().tokens);
  batch.front().target = language::target_of(cover, batch.front().tokens);
  const auto found = language::cover_figures(cover, model, batch);
  if (!found) return false;
  const Integer most = Integer(1) << (cover.precision - known);
  return std::all_of(found->front().begin(), found->front().end(),
                     [&](const Range& figure) { return figure.upper - figure.lower < most; });
}

// Fills all but a few bits of a word more each time.
bool raise(unsigned& p) {
  if (p == forward::kMostPrecision) return false;
  p = std::min(p + 64, forward::kMostPrecision);
  return true;
}

// Between these two numbers, with room for another checker's enclosure, in a few digits. Of forms
// most of a range is what the figure does on a product, and little is rounding.
std::vector<Rational> stated(const Range& range, unsigned p, bool forms) {
  const Rational unit(Integer(1) << p);
  const Rational width = Rational(range.upper - range.lower) / unit;
  const Rational room =
      forms ? width / 64 + exact::power_of_two(-20) : width + exact::power_of_two(-40);
  return {rounded::round_down_decimal(Rational(range.lower) / unit - room, kDigits),
          rounded::round_up_decimal(Rational(range.upper) / unit + room, kDigits)};
}

// What both checkers find of a weight lies there already.
void keep_within(std::vector<Rational>& ends, const certificate::AttentionKind& kind) {
  if (!kind.is_signed()) ends[0] = std::max<Rational>(0, ends[0]);
  if (kind.normalised || kind.kernel == certificate::Kernel::kSigmoid) {
    ends[1] = std::min<Rational>(1, ends[1]);
  }
}

// Fills in what the tree and the figures' extremes say, by figure, and writes the certificate.
// Without extremes it states accuracy alone. `kind` is that of weights that forms enclose.
void state(FoundCover& found, const std::vector<language::Extremes>& extremes,
           const std::vector<CoverExamples>& examples,
           const certificate::AttentionKind* kind = nullptr) {
  Cover& cover = found.cover;
  std::array<Integer, 3> counts;
  count(cover.cover, cover.count(), counts);
  std::vector<CoverStatement> kept;
  std::size_t n = 0;
  for (CoverStatement& one : cover.statements) {
    if (one.figure == CoverFigure::kAccuracy) {
      one.right = counts[0];
      one.wrong = counts[1];
      one.undecided = counts[2];
    } else {
      if (extremes.empty()) continue;
      const bool forms = examples.empty();
      one.least = stated(extremes[n].least, cover.precision, forms);
      one.greatest = stated(extremes[n].greatest, cover.precision, forms);
      if (kind != nullptr && one.figure == CoverFigure::kAttention) {
        keep_within(one.least, *kind);
        keep_within(one.greatest, *kind);
      }
      ++n;
    }
    kept.push_back(one);
    const bool is_figure = one.figure != CoverFigure::kAccuracy && !examples.empty();
    found.examples.push_back(is_figure ? examples[n - 1] : CoverExamples{});
  }
  cover.statements = std::move(kept);
  found.certificate = write::written(cover);
  certificate::read_cover(found.certificate);
}

using Progress = std::function<void(double)>;

// Nothing where the precision is too low.
std::optional<FoundCover> by_products(const CoverRequest& request, const Cover& cover,
                                      const Progress& progress) {
  auto tree = product_tree(cover, request.folder.model(), request.seconds, request.jobs, progress);
  if (!tree) return std::nullopt;
  FoundCover found{cover, tree->ended, {}, {}};
  found.cover.cover = std::move(tree->root);
  state(found, {}, {});
  return found;
}

std::optional<FoundCover> by_sequences(const CoverRequest& request, const Cover& cover,
                                       const Progress& progress) {
  Evaluation evaluation(request, cover, progress);
  evaluation.run();
  if (evaluation.is_too_coarse()) return std::nullopt;
  FoundCover found{cover, evaluation.has_ended(), {}, {}};
  found.cover.cover = certificate::value_of(Tree(cover, evaluation.verdicts()).root(found.ended));
  if (found.ended) {
    state(found, {}, {});
  } else {
    state(found, evaluation.extremes(), evaluation.examples());
  }
  return found;
}

// Always something: where a node's numbers are not known well enough, it is undecided.
std::optional<FoundCover> by_forms(const CoverRequest& request, const Cover& cover,
                                   const Progress& progress) {
  FormTree tree = form_tree(cover, request.folder.model(), request.seconds, request.jobs, progress);
  FoundCover found{cover, tree.ended, {}, {}};
  found.cover.cover = std::move(tree.root);
  state(found, tree.extremes, {}, &request.folder.model().config.kind());
  return found;
}

// What decides products: tables where they do, else forms.
bool has_tables(const CoverRequest& request, const Cover& cover) {
  return cover.figures().empty() && language::check_product(cover, request.folder.model());
}

// Whether a certificate may be about what is asked: its limits, with a tree and numbers of any.
exact::Result<void> check_limits(Cover cover) {
  cover.cover.verdict = CoverVerdict::kUndecided;
  for (CoverStatement& one : cover.statements) one.least = one.greatest = {0, 0};
  return certificate::result_of([&] { certificate::read_cover(write::written(cover)); });
}

exact::Result<void> check(const CoverRequest& request, const Cover& cover) {
  if (auto fits = language::check_cover(cover, request.folder.model()); !fits) return fits;
  if (exact::to_string(Rational(cover.count())).size() > certificate::kMostCoverCharacters) {
    return exact::fail("SP2010", "positions",
                       "there are 10^100 sequences or more, which is more than a certificate can "
                       "count; give fewer ids or fewer positions");
  }
  if (auto fits = check_limits(cover); !fits) return fits;
  if (request.products) {
    if (has_tables(request, cover)) return {};
    auto fits = language::check_form(cover, request.folder.model());
    if (!fits) fits.error().what += "; leave out --products to evaluate each sequence";
    return fits;
  }
  if (request.seconds > 0 || cover.count() <= kMostWithoutBudget) return {};
  return exact::fail("SP2010", "positions",
                     "there are " + exact::to_string(Rational(cover.count())) +
                         " sequences, and one pass for each; give --seconds for those that can be "
                         "decided in that time, or fewer ids, or --products to decide whole "
                         "products of sets at once");
}

}  // namespace

exact::Result<FoundCover> find_cover(const CoverRequest& request,
                                     const std::function<void(double)>& progress) {
  Cover cover = request.asked;
  const language::Model& model = request.folder.model();
  cover.model = {std::string(model.config.architecture->model_type), request.folder.files(),
                 model.config.assumed_neutral};
  cover.precision = kFirstPrecision;
  if (auto fits = check(request, cover); !fits) return tl::unexpected(fits.error());
  return certificate::result_of([&]() -> FoundCover {
    const bool forms = request.products && !has_tables(request, cover);
    while (!is_precise(cover, model, forms ? kKnownForms : kKnown) && raise(cover.precision)) {
    }
    for (;;) {
      const auto by = !request.products ? by_sequences : forms ? by_forms : by_products;
      auto found = by(request, cover, progress);
      if (found) return *std::move(found);
      if (raise(cover.precision)) continue;
      throw certificate::Rejected{{"SP2007", "precision",
                                   "2048 bits do not suffice to enclose this model's numbers on "
                                   "these inputs"}};
    }
  });
}

}  // namespace sinkproof::measure
