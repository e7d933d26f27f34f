#include "measure/cover_forms.hpp"

#include <gmp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <queue>
#include <utility>

#include "exact/whole.hpp"
#include "language/cover_form.hpp"
#include "measure/side_by_side.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Cover;
using certificate::CoverNode;
using certificate::CoverProof;
using certificate::CoverVerdict;
using certificate::TokenIds;
using language::Form;
using language::IdProduct;
using language::ModelForms;
using language::Term;

using Clock = std::chrono::steady_clock;

// A margin counts where it is this far from 0, in bits after the point: so that both checkers find
// its sign.
constexpr unsigned kFormRoom = 8;
constexpr std::size_t kMostFormNodes = certificate::kMostCoverNodes - 65536;
// A gap between values that is this share of their spread is where to split; else in the middle.
constexpr double kWideGap = 0.3;
// Weights known better than this are not worth a split.
constexpr double kKnownWeight = 0x1p-9;

// Nodes of every round, for each thread.
constexpr std::size_t kRound = 4;

struct FormNode {
  IdProduct product;
  std::size_t splits =
      0;  // on the way to its parts: of one position, below each other, they are one
  std::optional<std::size_t> above;  // free position that the node above splits
  double count = 0;                  // sequences
  std::optional<language::FormFigures> found;
  CoverVerdict verdict = CoverVerdict::kUndecided;
  // What to split, and in what parts.
  std::optional<std::size_t> free;
  std::vector<TokenIds> parts;
  std::vector<std::unique_ptr<FormNode>> children;
};

// Of a head's logits: which choice moves them most where its weights are not known.
class Advice {
 public:
  explicit Advice(unsigned p) : p_(p) {}

  void look(const forward::HeadRows<ModelForms>& rows) {
    const std::size_t first = rows.queries.size() - rows.weights.size();
    for (std::size_t n = 0; n < rows.weights.size(); ++n) {
      for (std::size_t k = 0; k < rows.keys.size(); ++k) {
        const forward::Range& weight = rows.weights[n][k];
        const double open = number(weight.upper - weight.lower);
        if (open >= kKnownWeight) look(rows.queries[first + n], rows.keys[k], open);
      }
    }
  }

  // Where no weight is open: what moves the last rows most.
  void look(const language::Forms& rows) {
    for (const Form& form : rows) {
      for (const Term& term : form.terms) {
        if (term.is_number()) continue;
        for (std::size_t c = 0; c < form.columns(); ++c) {
          std::vector<double> values;
          for (std::size_t t = 0; t < term.rows.rows(); ++t) {
            values.push_back(number(term.rows.centre(t, c)));
          }
          offer(term.symbol, std::move(values), kKnownWeight / 64);
        }
      }
    }
  }

  [[nodiscard]] bool is_empty() const { return values_.empty(); }
  [[nodiscard]] std::size_t symbol() const { return symbol_; }
  // Of each choice of the symbol.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  [[nodiscard]] double number(const exact::Integer& n) const {
    return std::ldexp(mpz_get_d(raw(n)), -static_cast<int>(p_));
  }

  [[nodiscard]] double inner(const forward::Balls& a, std::size_t i, const forward::Balls& b,
                             std::size_t k) const {
    double sum = 0;
    for (std::size_t c = 0; c < a.columns(); ++c) {
      sum += number(a.centre(i, c)) * number(b.centre(k, c));
    }
    return sum;
  }

  void look(const Form& query, const Form& key, double open) {
    for (const Form* form : {&query, &key}) {
      const Form& other = form == &query ? key : query;
      for (const Term& term : form->terms) {
        if (term.is_number()) continue;
        std::vector<double> values;
        for (std::size_t t = 0; t < term.rows.rows(); ++t) {
          values.push_back(inner(term.rows, t, other.centre, 0));
        }
        offer(term.symbol, std::move(values), open);
      }
    }
  }

  void offer(std::size_t symbol, std::vector<double> values, double open) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double moves = open * (*most - *least);
    if (moves <= most_) return;
    most_ = moves;
    symbol_ = symbol;
    values_ = std::move(values);
  }

  unsigned p_;
  double most_ = 0;
  std::size_t symbol_ = 0;
  std::vector<double> values_;
};

// Ids by their values: in two at the largest gap, or in the middle.
std::vector<TokenIds> halves(const TokenIds& ids, const std::vector<double>& values) {
  std::vector<std::size_t> order(ids.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::size_t cut = 1;
  const auto gap = [&](std::size_t i) { return values[order[i]] - values[order[i - 1]]; };
  for (std::size_t i = 2; i < order.size(); ++i) {
    if (gap(i) > gap(cut)) cut = i;
  }
  if (gap(cut) < kWideGap * (values[order.back()] - values[order.front()])) cut = order.size() / 2;
  std::vector<TokenIds> parts(2);
  for (std::size_t i = 0; i < order.size(); ++i) parts[i < cut ? 0 : 1].push_back(ids[order[i]]);
  for (TokenIds& part : parts) std::sort(part.begin(), part.end());
  return parts;
}

class FormSearch {
 public:
  FormSearch(const Cover& cover, const language::Model& model, double seconds, unsigned jobs,
             const std::function<void(double)>& progress)
      : cover_(cover),
        model_(model),
        seconds_(seconds),
        jobs_(jobs),
        progress_(progress),
        begin_(Clock::now()),
        last_(cover.free_numbers().back()) {
    for (std::size_t i = 0; i < cover.positions.size(); ++i) {
      if (!cover.positions[i].repeats) positions_.push_back(i + 1);
    }
  }

  FormTree run() {
    FormNode root;
    for (const certificate::IdSet& set : cover_.free_sets()) {
      root.product.push_back(certificate::listed(set));
    }
    look(root);
    const double all = root.count;
    double open = root.verdict == CoverVerdict::kUndecided ? all : 0;
    std::size_t nodes = 1;
    offer(root);
    FormTree tree;
    while (!queue_.empty()) {
      if (is_over() || nodes >= kMostFormNodes) {
        tree.ended = true;
        break;
      }
      std::vector<FormNode*> round;
      for (std::size_t n = 0; n < kRound * jobs_ && !queue_.empty(); ++n) {
        round.push_back(queue_.top());
        queue_.pop();
      }
      std::vector<FormNode*> fresh;
      for (FormNode* node : round) {
        split(*node);
        for (const auto& child : node->children) fresh.push_back(child.get());
      }
      nodes += fresh.size();
      side_by_side(fresh.size(), jobs_, [&](std::size_t n) { look(*fresh[n]); });
      for (FormNode* child : fresh) {
        if (child->verdict != CoverVerdict::kUndecided) open -= child->count;
        offer(*child);
      }
      if (progress_) progress_(1 - open / all);
    }
    tree.root = written(root);
    bool known = true;
    gather(root, tree.extremes, known);
    if (!known) tree.extremes.clear();
    return tree;
  }

 private:
  struct Smaller {
    bool operator()(const FormNode* a, const FormNode* b) const { return a->count < b->count; }
  };

  [[nodiscard]] bool is_over() const {
    return seconds_ > 0 && std::chrono::duration<double>(Clock::now() - begin_).count() >= seconds_;
  }

  void offer(FormNode& node) {
    if (node.verdict == CoverVerdict::kUndecided && node.free) queue_.push(&node);
  }

  void split(FormNode& node) const {
    for (const TokenIds& ids : node.parts) {
      auto child = std::make_unique<FormNode>();
      child->product = node.product;
      child->product[*node.free] = ids;
      child->splits = node.splits;
      child->above = node.free;
      node.children.push_back(std::move(child));
    }
  }

  // The verdict and the figures of a node, and how to split it.
  void look(FormNode& node) const {
    node.count = 1;
    for (const TokenIds& ids : node.product) node.count *= static_cast<double>(ids.size());
    Advice advice(cover_.precision);
    language::Forms rows;
    forward::Observer<ModelForms> watch;
    watch.head = [&](const forward::HeadRows<ModelForms>& head) { advice.look(head); };
    watch.hidden = [&](std::size_t layer, const language::Forms& of) {
      if (layer == model_.layers.size()) rows = of;
    };
    node.found = language::form_figures(cover_, model_, node.product, watch);
    const exact::Integer room = unit(cover_.precision - kFormRoom);
    if (node.found && node.found->margin.lower > room) node.verdict = CoverVerdict::kRight;
    if (node.found && node.found->margin.upper < -room) node.verdict = CoverVerdict::kWrong;
    if (node.verdict != CoverVerdict::kUndecided) return;
    advise(node, advice, rows);
  }

  // The last position first, each id alone: its row asks.
  void advise(FormNode& node, Advice& advice, const language::Forms& rows) const {
    const TokenIds& last = node.product[last_];
    if (last.size() > 1) {
      for (const std::uint32_t id : last) node.parts.push_back({id});
      return set_split(node, last_);
    }
    if (advice.is_empty()) advice.look(rows);
    if (!advice.is_empty()) {
      node.parts = halves(node.product[advice.symbol()], advice.values());
      return set_split(node, advice.symbol());
    }
    const auto largest =
        std::max_element(node.product.begin(), node.product.end(),
                         [](const TokenIds& a, const TokenIds& b) { return a.size() < b.size(); });
    if (largest->size() == 1) return;
    node.parts = halves(*largest, std::vector<double>(largest->size()));
    set_split(node, static_cast<std::size_t>(largest - node.product.begin()));
  }

  // Parts of one position, one below the other, become one split.
  void set_split(FormNode& node, std::size_t free) const {
    node.splits += node.above == free ? 0 : 1;
    if (node.splits > certificate::kMostSplits) {
      node.parts.clear();
      return;
    }
    node.free = free;
  }

  [[nodiscard]] CoverNode written(const FormNode& node) const {
    CoverNode result;
    if (node.children.empty()) {
      result.verdict = node.verdict;
      const bool is_open = node.verdict == CoverVerdict::kUndecided;
      if (!is_open || (node.found && !cover_.figures().empty())) result.by = CoverProof::kForm;
      return result;
    }
    result.position = positions_[*node.free];
    for (std::size_t n = 0; n < node.children.size(); ++n) {
      CoverNode child = written(*node.children[n]);
      if (!child.verdict && child.position == result.position) {
        for (CoverNode::Part& part : child.parts) result.parts.push_back(std::move(part));
      } else {
        result.parts.push_back({certificate::id_set(node.parts[n]), std::move(child)});
      }
    }
    return result;
  }

  void gather(const FormNode& node, std::vector<language::Extremes>& extremes, bool& known) const {
    for (const auto& child : node.children) gather(*child, extremes, known);
    if (!node.children.empty()) return;
    known = known && node.found;
    if (!node.found) return;
    for (std::size_t n = 0; n < node.found->figures.size(); ++n) {
      if (extremes.size() == n) extremes.emplace_back(node.found->figures[n]);
      extremes[n].add(node.found->figures[n]);
    }
  }

  const Cover& cover_;
  const language::Model& model_;
  double seconds_;
  unsigned jobs_;
  const std::function<void(double)>& progress_;
  Clock::time_point begin_;
  std::size_t last_;                    // free position of the last row
  std::vector<std::size_t> positions_;  // by free position, from 1
  std::priority_queue<FormNode*, std::vector<FormNode*>, Smaller> queue_;
};

}  // namespace

FormTree form_tree(const Cover& cover, const language::Model& model, double seconds, unsigned jobs,
                   const std::function<void(double)>& progress) {
  return FormSearch(cover, model, seconds, jobs, progress).run();
}

}  // namespace sinkproof::measure
