#include "measure/cover_products.hpp"

#include <gmp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "exact/whole.hpp"
#include "language/cover_product.hpp"
#include "measure/side_by_side.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Cover;
using certificate::CoverNode;
using certificate::CoverProof;
using certificate::CoverVerdict;
using certificate::TokenIds;
using forward::Range;
using language::CoverProduct;
using language::IdProduct;

using Clock = std::chrono::steady_clock;

// A margin counts where doubles find it this far from 0, so that both checkers will.
constexpr double kRoom = 0x1p-20;
// How much more than the least average a head's c may be, and how often it is improved.
constexpr double kClose = 0x1p-32;
constexpr int kMostRounds = 64;
// What is still begun then takes fewer nodes than are left.
constexpr std::size_t kMostNodes = certificate::kMostCoverNodes - 65536;

double to_double(const Range& range, unsigned bits) {
  long exponent = 0;
  const exact::Integer twice = range.lower + range.upper;
  const double mantissa = mpz_get_d_2exp(&exponent, raw(twice));
  return std::ldexp(mantissa, static_cast<int>(exponent) - static_cast<int>(bits) - 1);
}

CoverNode leaf_of(CoverVerdict verdict) {
  CoverNode leaf;
  leaf.verdict = verdict;
  if (verdict != CoverVerdict::kUndecided) leaf.by = CoverProof::kProduct;
  return leaf;
}

bool is_same(const CoverNode& a, const CoverNode& b) {
  return a.verdict == b.verdict && (a.verdict || a.position == b.position) &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                    [](const CoverNode::Part& x, const CoverNode::Part& y) {
                      return x.ids == y.ids && is_same(x.node, y.node);
                    });
}

// The tables of CoverProduct, in doubles.
struct Tables {
  std::vector<std::vector<std::vector<double>>> values;  // by head, answer, row

  Tables(const CoverProduct& product, const TokenIds& answers, std::size_t rows, unsigned p) {
    values.resize(product.heads());
    for (std::size_t h = 0; h < values.size(); ++h) {
      for (const std::uint32_t answer : answers) {
        std::vector<double> column(rows);
        for (std::size_t row = 0; row < rows; ++row) {
          column[row] = to_double(product.value(h, row, answer), p);
        }
        values[h].push_back(std::move(column));
      }
    }
  }
};

// All about the sequences with one last id.
class LastId {
 public:
  LastId(const Cover& cover, const CoverProduct& product, const Tables& tables,
         const TokenIds& answers, const CoverProduct::Last& last, double until)
      : cover_(cover),
        product_(product),
        tables_(tables),
        answers_(answers),
        last_(last),
        until_(until) {
    for (std::size_t h = 0; h < last.weights.size(); ++h) {
      std::vector<double> weights;
      for (const Range& weight : last.weights[h]) {
        weights.push_back(to_double(weight, last.bits[h]));
      }
      weights_.push_back(std::move(weights));
    }
    for (const std::uint32_t answer : answers) {
      own_.push_back(to_double(product.own(last.id, answer), cover.precision));
    }
  }

  // Seconds from the beginning at which its search ends; 0: never.
  [[nodiscard]] double until() const { return until_; }

  // What is found about the sequences of a product.
  struct Finding {
    bool right = true;
    bool wrong = true;
    // By free position and place of an id in its set: about the sequences with that id.
    std::vector<std::vector<char>> is_right, is_wrong;
  };

  [[nodiscard]] Finding look(const IdProduct& whole) const {
    Finding finding;
    for (const TokenIds& ids : whole) {
      finding.is_right.emplace_back(ids.size(), 1);
      finding.is_wrong.emplace_back(ids.size(), 1);
    }
    language::by_target(cover_, whole, [&](const IdProduct& part, std::uint32_t target) {
      add(whole, part, target, finding);
      return true;
    });
    return finding;
  }

  // Whether the checker shows the verdicts of a tree of the product.
  [[nodiscard]] bool shows(const CoverNode& node, const IdProduct& whole) const {
    if (node.verdict)
      return node.by != CoverProof::kProduct || product_.shows(*node.verdict, last_, whole);
    IdProduct part = whole;
    TokenIds& ids = part[cover_.free_numbers()[node.position - 1]];
    return std::all_of(node.parts.begin(), node.parts.end(), [&](const CoverNode::Part& one) {
      ids = certificate::listed(one.ids);
      return shows(one.node, part);
    });
  }

 private:
  struct Sum {
    double least = 0;
    double weights = 0;
  };
  // By free position and place in its set, and the least of each.
  struct Terms {
    std::vector<std::vector<double>> terms;
    std::vector<double> least;
  };

  // As CoverProduct::least.
  Sum sum_of(const IdProduct& part, std::size_t h, std::size_t a, std::size_t b, double c,
             Terms* terms) const {
    const std::vector<double>& weights = weights_[h];
    const std::vector<double>& first = tables_.values[h][a];
    const std::vector<double>& second = tables_.values[h][b];
    Sum sum;
    for (std::size_t free = 0; free < part.size(); ++free) {
      Sum best{std::numeric_limits<double>::infinity(), 0};
      if (terms != nullptr) terms->terms.emplace_back();
      for (const std::uint32_t id : part[free]) {
        Sum own;
        for (const std::size_t row : product_.rows_of(free, id)) {
          own.least += weights[row] * (first[row] - second[row] - c);
          own.weights += weights[row];
        }
        if (own.least < best.least) best = own;
        if (terms != nullptr) terms->terms.back().push_back(own.least);
      }
      if (terms != nullptr) terms->least.push_back(best.least);
      sum.least += best.least;
      sum.weights += best.weights;
    }
    return sum;
  }

  // As CoverProduct::exceeds, of answers by their place.
  bool exceeds(const IdProduct& part, std::size_t a, std::size_t b, Terms* terms) const {
    double missing = own_[b] - own_[a] + kRoom;
    const std::size_t heads = weights_.size();
    for (std::size_t h = 0; h + 1 < heads; ++h) {
      double c = 0;
      for (int round = 0; round < kMostRounds; ++round) {
        const Sum sum = sum_of(part, h, a, b, c, nullptr);
        if (round > 0 && sum.least >= 0) break;
        c += sum.least / sum.weights - kClose;
      }
      missing -= c;
    }
    return sum_of(part, heads - 1, a, b, missing, terms).least > 0;
  }

  // Whether the terms are more than 0 together where the id at one place is given.
  static std::vector<char> singles(const Terms& of, std::size_t free) {
    double others = 0;
    for (std::size_t f = 0; f < of.least.size(); ++f) others += f == free ? 0 : of.least[f];
    std::vector<char> found;
    for (const double term : of.terms[free]) found.push_back(term + others > 0 ? 1 : 0);
    return found;
  }

  void add(const IdProduct& whole, const IdProduct& part, std::uint32_t target,
           Finding& finding) const {
    const auto at = static_cast<std::size_t>(
        std::lower_bound(answers_.begin(), answers_.end(), target) - answers_.begin());
    bool wrong = false;
    std::vector<std::vector<char>> right_singles, wrong_singles;
    for (const TokenIds& ids : part) {
      right_singles.emplace_back(ids.size(), 1);
      wrong_singles.emplace_back(ids.size(), 0);
    }
    for (std::size_t other = 0; other < answers_.size(); ++other) {
      if (other == at || exceeds(part, at, other, nullptr)) continue;
      finding.right = false;
      Terms up, down;
      exceeds(part, at, other, &up);
      wrong = exceeds(part, other, at, &down) || wrong;
      for (std::size_t f = 0; f < part.size(); ++f) {
        const std::vector<char> over = singles(up, f);
        const std::vector<char> under = singles(down, f);
        for (std::size_t i = 0; i < part[f].size(); ++i) {
          right_singles[f][i] &= over[i];
          wrong_singles[f][i] |= under[i];
        }
      }
    }
    finding.wrong = finding.wrong && wrong;
    for (std::size_t f = 0; f < part.size(); ++f) {
      std::size_t to = 0;
      for (std::size_t i = 0; i < part[f].size(); ++i) {
        while (whole[f][to] != part[f][i]) ++to;
        finding.is_right[f][to] &= right_singles[f][i];
        finding.is_wrong[f][to] &= wrong_singles[f][i];
      }
    }
  }

  const Cover& cover_;
  const CoverProduct& product_;
  const Tables& tables_;
  const TokenIds& answers_;
  const CoverProduct::Last& last_;
  double until_;
  std::vector<std::vector<double>> weights_;  // by head and row
  std::vector<double> own_;                   // by answer
};

class Search {
 public:
  Search(const Cover& cover, const CoverProduct& product, double seconds,
         const std::function<void(double)>& progress)
      : cover_(cover),
        product_(product),
        answers_(certificate::listed(cover.answers)),
        tables_(product, answers_, product.rows(), cover.precision),
        seconds_(seconds),
        progress_(progress),
        begin_(Clock::now()) {
    for (const certificate::IdSet& set : cover.free_sets()) {
      whole_.push_back(certificate::listed(set));
    }
    for (std::size_t i = 0; i < cover.positions.size(); ++i) {
      if (!cover.positions[i].repeats) positions_.push_back(i + 1);
    }
    found_.resize(whole_[product.last_free()].size());
  }

  // Whether the precision suffices.
  bool run(unsigned jobs) {
    const auto tell = [&](std::size_t done) {
      if (progress_) progress_(static_cast<double>(done) / static_cast<double>(found_.size()));
    };
    side_by_side(
        found_.size(), jobs, [&](std::size_t n) { find(n); }, tell);
    return !too_coarse_;
  }

  [[nodiscard]] bool ended() const { return ended_; }

  // Last ids with equal trees go together: the checker looks at each alone.
  [[nodiscard]] CoverNode root() const {
    const TokenIds& ids = whole_[product_.last_free()];
    std::vector<std::pair<TokenIds, const CoverNode*>> parts;
    for (std::size_t n = 0; n < ids.size(); ++n) {
      const auto equal = std::find_if(parts.begin(), parts.end(), [&](const auto& part) {
        return is_same(*part.second, found_[n]);
      });
      if (equal == parts.end()) {
        parts.push_back({{ids[n]}, &found_[n]});
      } else {
        equal->first.push_back(ids[n]);
      }
    }
    if (parts.size() == 1) return *parts.front().second;
    CoverNode node;
    node.position = positions_[product_.last_free()];
    for (const auto& [of, child] : parts) node.parts.push_back({certificate::id_set(of), *child});
    return node;
  }

 private:
  void find(std::size_t n) {
    if (too_coarse_) return;
    found_[n] = leaf_of(CoverVerdict::kUndecided);
    IdProduct part = whole_;
    part[product_.last_free()] = {whole_[product_.last_free()][n]};
    const auto last = product_.last(part[product_.last_free()].front());
    if (!last) {
      too_coarse_ = true;
      return;
    }
    // Each last id has its share of the time, and what those before it left.
    const double share = static_cast<double>(n + 1) / static_cast<double>(found_.size());
    found_[n] = node({cover_, product_, tables_, answers_, *last, seconds_ * share}, part, 1);
  }

  bool is_over(const LastId& about) {
    const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
    const bool over = (about.until() > 0 && spent >= about.until()) || nodes_ >= kMostNodes;
    if (over) ended_ = true;
    return over;
  }

  // Below so many splits.
  CoverNode node(const LastId& about, const IdProduct& whole, std::size_t splits) {
    ++nodes_;
    if (is_over(about)) return leaf_of(CoverVerdict::kUndecided);
    const LastId::Finding finding = about.look(whole);
    const CoverNode leaf = leaf_of(finding.right   ? CoverVerdict::kRight
                                   : finding.wrong ? CoverVerdict::kWrong
                                                   : CoverVerdict::kUndecided);
    if (leaf.by == CoverProof::kProduct && about.shows(leaf, whole)) return leaf;
    const auto free = best_split(whole, finding);
    if (!free || splits == certificate::kMostSplits) return leaf_of(CoverVerdict::kUndecided);
    return split(about, whole, finding, *free, splits);
  }

  // The position of which the largest share of ids is decided.
  static std::optional<std::size_t> best_split(const IdProduct& whole,
                                               const LastId::Finding& finding) {
    std::optional<std::size_t> best;
    double most = -1;
    for (std::size_t f = 0; f < whole.size(); ++f) {
      if (whole[f].size() == 1) continue;
      std::size_t decided = 0;
      for (std::size_t i = 0; i < whole[f].size(); ++i) {
        if (finding.is_right[f][i] != 0 || finding.is_wrong[f][i] != 0) ++decided;
      }
      const double share = static_cast<double>(decided) / static_cast<double>(whole[f].size());
      if (share <= most) continue;
      most = share;
      best = f;
    }
    return best;
  }

  // Ids that are right alone go together, so do those that are wrong, and each other one is alone;
  // then what has equal trees, where they hold together.
  CoverNode split(const LastId& about, const IdProduct& whole, const LastId::Finding& finding,
                  std::size_t free, std::size_t splits) {
    std::vector<TokenIds> groups(2);
    const TokenIds& ids = whole[free];
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (finding.is_right[free][i] != 0) {
        groups[0].push_back(ids[i]);
      } else if (finding.is_wrong[free][i] != 0) {
        groups[1].push_back(ids[i]);
      } else {
        groups.push_back({ids[i]});
      }
    }
    std::vector<std::pair<TokenIds, CoverNode>> parts;
    IdProduct part = whole;
    const auto add = [&](const TokenIds& own) {
      part[free] = own;
      CoverNode child = node(about, part, splits + 1);
      for (auto& [with, tree] : parts) {
        if (!is_same(tree, child)) continue;
        TokenIds both;
        std::set_union(with.begin(), with.end(), own.begin(), own.end(), std::back_inserter(both));
        part[free] = both;
        const bool is_open = tree.verdict == CoverVerdict::kUndecided;
        if (!is_open && (is_over(about) || !about.shows(tree, part))) continue;
        with = std::move(both);
        return;
      }
      parts.emplace_back(own, std::move(child));
    };
    for (const TokenIds& group : groups) {
      if (group.size() == ids.size()) {
        for (const std::uint32_t id : group) add({id});
      } else if (!group.empty()) {
        add(group);
      }
    }
    if (parts.size() == 1) return std::move(parts.front().second);
    CoverNode result;
    result.position = positions_[free];
    for (auto& [own, tree] : parts) {
      result.parts.push_back({certificate::id_set(own), std::move(tree)});
    }
    return result;
  }

  const Cover& cover_;
  const CoverProduct& product_;
  TokenIds answers_;
  Tables tables_;
  double seconds_;
  const std::function<void(double)>& progress_;
  Clock::time_point begin_;
  IdProduct whole_;
  std::vector<std::size_t> positions_;  // by free position, from 1
  std::vector<CoverNode> found_;        // by last id
  std::atomic<std::size_t> nodes_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> too_coarse_ = false;
};

}  // namespace

std::optional<ProductTree> product_tree(const Cover& cover, const language::Model& model,
                                        double seconds, unsigned jobs,
                                        const std::function<void(double)>& progress) {
  const auto product = CoverProduct::of(cover, model);
  if (!product) return std::nullopt;
  Search search(cover, *product, seconds, progress);
  if (!search.run(jobs)) return std::nullopt;
  return ProductTree{search.root(), search.ended()};
}

}  // namespace sinkproof::measure
