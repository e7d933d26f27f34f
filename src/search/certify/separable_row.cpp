#include "certify/separable_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "certify/logit_forms.hpp"
#include "certify/separable_terms.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;
using rounded::to_double_estimate;

constexpr int kBalances = 24;  // balances are tried up to 2^(kBalances / 2) times the typical one
constexpr std::size_t kMostBalances = 7;  // and one more

// Of one side: what its terms need, as places in the grid of balances. Without an own one, the
// bound of a free content key stands for the query's.
struct Choice {
  std::vector<std::size_t> content;
  std::vector<std::size_t> trigger;
  std::array<std::optional<std::size_t>, 2> own;
};

// The class of rows: how many keys beside BOS there are at least and at most, in double or exactly.
struct Counts {
  std::array<std::size_t, 2> keys;
  std::size_t triggers;  // that are not the query

  Counts(RowClass rows, std::size_t length)
      : keys(rows == RowClass::kPre       ? std::array<std::size_t, 2>{1, length - 2}
             : rows == RowClass::kTrigger ? std::array<std::size_t, 2>{2, length - 1}
                                          : std::array<std::size_t, 2>{3, length - 1}),
        triggers(rows == RowClass::kPost ? 1 : 0) {}
};

// The bound on row i of 2 from what its keys add at most.
double row_bound(const Counts& counts, std::size_t i, double bos, double own, double content,
                 double trigger) {
  const auto count = [](std::size_t number) { return static_cast<double>(number); };
  const double total = bos + own + count(counts.triggers) * trigger +
                       count(counts.keys[i] - 1 - counts.triggers) * content;
  return total / count(counts.keys[i]);
}

// The bound on one side by chosen balances, as a function of the forms' bounds.
class SideBound {
 public:
  SideBound(const Head& head, RowClass rows, std::size_t r, int sign, const Chords* chords,
            double constant, const Choice& choice, std::span<const double> grid)
      : counts_(rows, head.length),
        constant_(sign * constant),
        clips_bos_(chords == nullptr),
        terms_(head, rows, r, sign, chords),
        bos_(terms_.bos()) {
    const auto picked = [&](const std::vector<std::size_t>& places) {
      std::vector<double> balances;
      balances.reserve(places.size());
      for (const std::size_t place : places) balances.push_back(grid[place]);
      return balances;
    };
    content_ = terms_.free_key(head.content_flag(), picked(choice.content));
    if (counts_.triggers > 0) {
      trigger_ = terms_.free_key(kTriggerFlag, picked(choice.trigger));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      if (choice.own[i]) own_[i] = terms_.own_key(grid[*choice.own[i]]);
    }
  }

  [[nodiscard]] const std::vector<SignForm>& forms() const { return terms_.forms(); }

  [[nodiscard]] double value(std::span<const double> bounds) const {
    const double content = least(content_, bounds);
    const double trigger = trigger_.empty() ? 0.0 : least(trigger_, bounds);
    const double bos = clips_bos_ ? std::max(0.0, bounds[bos_]) : bounds[bos_];
    const auto row = [&](std::size_t i) {
      const double own = own_[i].empty() ? content : largest(own_[i], bounds);
      return row_bound(counts_, i, bos, own, content, trigger);
    };
    return constant_ + std::max(row(0), row(1));
  }

 private:
  static double least(const std::vector<SeparableTerms>& balances, std::span<const double> bounds) {
    double value = largest(balances.front(), bounds);
    for (const auto& terms : balances) value = std::min(value, largest(terms, bounds));
    return value;
  }

  Counts counts_;
  double constant_;
  bool clips_bos_;
  SideTerms terms_;
  std::size_t bos_;
  std::vector<SeparableTerms> content_;
  std::vector<SeparableTerms> trigger_;
  std::array<SeparableTerms, 2> own_;
};

// What the keys add at one corner, for each balance of the grid.
struct Corner {
  double bos = 0;
  std::vector<double> content;
  std::vector<double> trigger;
  std::vector<double> own;
};

// The search on one side.
class SideSearch {
 public:
  SideSearch(const Layer& layer, RowClass rows, std::size_t r, int sign, const Chords* chords,
             std::span<const std::size_t> order, const Effort& effort)
      : layer_(layer),
        head_(layer.heads.front()),
        rows_(rows),
        r_(r),
        sign_(sign),
        chords_(chords),
        order_(order),
        effort_(effort),
        counts_(rows, head_.length),
        all_(std::in_place, head_, rows, r, sign, chords) {
    const double typical = std::clamp(all_->typical_balance(), 1e-12, 1e12);
    for (int k = -kBalances; k <= kBalances; ++k) {
      exact_grid_.push_back(short_dyadic(typical * std::exp2(0.5 * k)));
      grid_.push_back(to_double_estimate(exact_grid_.back()));
    }
    bos_ = all_->bos();
    content_ = all_->free_key(head_.content_flag(), std::span<const double>(grid_));
    if (counts_.triggers > 0) {
      trigger_ = all_->free_key(kTriggerFlag, std::span<const double>(grid_));
    }
    for (const double balance : grid_) own_.push_back(all_->own_key(balance));
    std::vector<double> roots;
    for (const SignForm& form : all_->forms()) roots.push_back(root_bound(form));
    add_corner(roots);
    choose();
    at_root_ = choice_;
  }

  // The vertex of the largest bound above `floor`, with the balances chosen so far.
  [[nodiscard]] std::optional<std::vector<double>> worst_vertex(double floor,
                                                                const Budget& budget) const {
    const SideBound bound = chosen();
    const auto slack = slacks(bound.forms());
    const auto value = [&](std::span<const double> bounds) {
      return bound.value(raised(bounds, slack));
    };
    return vertex_above(bound.forms(), order_, value, floor, budget);
  }

  // Adds corners until a search finds none above `target` with the balances chosen then; `target`
  // becomes what balances of the grid cannot do better than. Stops where it is at least `most`.
  void settle(double& target, double most, const Budget& budget) {
    constexpr int kRounds = 60;
    for (int round = 0; round < kRounds && target < most && !budget.is_over(); ++round) {
      const auto vertex = worst_vertex(target, budget);
      if (!vertex) break;
      if (round == 0) corners_.clear();  // of the root, which said where to start
      std::vector<double> values;
      for (const SignForm& form : all_->forms()) values.push_back(value_at(form, *vertex));
      add_corner(values);
      target = std::max(target, choose());
    }
    // What is good where nothing is fixed yet closes branches early.
    include(choice_.content, at_root_.content.front());
    if (counts_.triggers > 0) include(choice_.trigger, at_root_.trigger.front());
  }

  // Of a wide head: balances for the tree that is a leaf with points, which are not those of the
  // vertices. The bound they give. Precondition: settled.
  double settle_at_points() {
    constexpr std::size_t kAround = 5;
    std::vector<double> bounds(all_->forms().size(), HUGE_VAL);
    const auto bound = [&](std::size_t form) {
      if (bounds[form] == HUGE_VAL) bounds[form] = bound_on_box(all_->forms()[form]);
    };
    const auto around = [&](const std::vector<SeparableTerms>& balances,
                            const std::vector<std::size_t>& places) {
      const auto [least, most] = std::minmax_element(places.begin(), places.end());
      for (std::size_t place = 0; !places.empty() && place < balances.size(); ++place) {
        if (place + kAround < *least || place > *most + kAround) continue;
        for (const SeparableTerm& term : balances[place]) {
          bound(term.main);
          for (const std::size_t root : term.roots) bound(root);
        }
      }
    };
    bound(bos_);
    around(content_, choice_.content);
    around(trigger_, choice_.trigger);
    std::vector<std::size_t> own;
    for (const auto& place : choice_.own) {
      if (place) own.push_back(*place);
    }
    around(own_, own);
    corners_.clear();
    add_corner(bounds);
    const Choice at_vertices = std::exchange(choice_, {});
    const double reached = choose();
    for (const std::size_t place : at_vertices.content) include(choice_.content, place);
    for (const std::size_t place : at_vertices.trigger) include(choice_.trigger, place);
    return reached;
  }

  // Ends settling: the forms of all balances of a wide head take much room.
  void forget() { all_.reset(); }

  // A tree for the bound `limit` with the balances chosen, if it has room.
  TreeSearch tree(double limit) {
    const SideBound bound = chosen();
    const auto slack = slacks(bound.forms());
    const LeafTest passes = [&](std::span<const double> bounds) {
      return bound.value(raised(bounds, slack)) <= limit;
    };
    return search_tree(bound.forms(), order_, passes, effort_.nodes);
  }

  [[nodiscard]] double root_value() const {
    const SideBound bound = chosen();
    std::vector<double> roots;
    for (const SignForm& form : bound.forms()) roots.push_back(root_bound(form));
    return bound.value(raised(roots, slacks(bound.forms())));
  }

  // The parameters of this side, added to the lists.
  void add_to(certificate::BySeparableRow& by) const {
    using Positives = certificate::BySeparableRow::Positives;
    const auto entry = [&](const std::vector<std::size_t>& places) {
      Positives list;
      for (const std::size_t place : places) list.emplace_back(exact_grid_[place]);
      return list;
    };
    by.content.push_back(entry(choice_.content));
    if (counts_.triggers > 0) by.trigger.push_back(entry(choice_.trigger));
    Positives& own = by.own.emplace_back();
    for (const auto& place : choice_.own) {
      own.push_back(place ? std::optional(exact_grid_[*place]) : std::nullopt);
    }
  }

  // Exactly, with the tree that is a leaf. Only of `product`.
  [[nodiscard]] Rational exact_root_value() const {
    const auto balance = [&](std::size_t place) { return exact_grid_[place]; };
    check::Balances balances;
    for (const std::size_t place : choice_.content) balances.content.emplace_back(balance(place));
    for (const std::size_t place : choice_.trigger) balances.trigger.emplace_back(balance(place));
    for (const auto& place : choice_.own) {
      balances.own.push_back(place ? std::optional(balance(*place)) : std::nullopt);
    }
    return check::separable_root_bound(layer_.exact, rows_, {r_, sign_}, nullptr, balances);
  }

 private:
  [[nodiscard]] SideBound chosen() const {
    return {head_,   rows_,
            r_,      sign_,
            chords_, layer_.constant_float[r_],
            choice_, std::span<const double>(grid_)};
  }

  // Room for the difference between doubles and exact numbers, of each form.
  [[nodiscard]] std::vector<double> slacks(const std::vector<SignForm>& forms) const {
    std::vector<double> result;
    result.reserve(forms.size());
    for (const SignForm& form : forms) {
      result.push_back(effort_.margin *
                       (root_bound(form) - form.constant + std::fabs(form.constant)));
    }
    return result;
  }

  static std::vector<double> raised(std::span<const double> bounds,
                                    const std::vector<double>& slack) {
    std::vector<double> result(bounds.begin(), bounds.end());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += slack[i];
    return result;
  }

  static void include(std::vector<std::size_t>& places, std::size_t more) {
    if (places.size() > kMostBalances ||
        std::find(places.begin(), places.end(), more) != places.end()) {
      return;
    }
    places.push_back(more);
  }

  void add_corner(const std::vector<double>& bounds) {
    Corner corner;
    corner.bos = chords_ == nullptr ? std::max(0.0, bounds[bos_]) : bounds[bos_];
    const auto of = [&](const std::vector<SeparableTerms>& balances) {
      std::vector<double> values;
      values.reserve(balances.size());
      for (const auto& terms : balances) {
        values.push_back(largest(terms, bounds));
      }
      return values;
    };
    corner.content = of(content_);
    corner.trigger = of(trigger_);
    corner.own = of(own_);
    corners_.push_back(std::move(corner));
  }

  static double least(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
  }

  static double least(const std::vector<double>& values, const std::vector<std::size_t>& places) {
    double result = values.empty() ? 0 : HUGE_VAL;
    if (values.empty()) return result;
    for (const std::size_t place : places) result = std::min(result, values[place]);
    return result;
  }

  // Few balances of one kind of key, the best ones added one after the other, with which no corner
  // is much above what all together allow. bound(corner, value): the row's for a value of the key.
  template <typename Values, typename Bound>
  std::vector<std::size_t> pick(const Values& values, const Bound& bound) const {
    double ideal = -HUGE_VAL;
    for (const Corner& corner : corners_) {
      ideal = std::max(ideal, bound(corner, least(values(corner))));
    }
    std::vector<std::size_t> picked;
    std::vector<double> now(corners_.size(), HUGE_VAL);
    double reached = HUGE_VAL;
    constexpr double kEnough = 1.0005;
    while (picked.size() < kMostBalances && reached > ideal * kEnough) {
      std::pair<double, std::size_t> best = {HUGE_VAL, 0};
      for (std::size_t place = 0; place < grid_.size(); ++place) {
        double most = -HUGE_VAL;
        for (std::size_t i = 0; i < corners_.size(); ++i) {
          most = std::max(most, bound(corners_[i], std::min(now[i], values(corners_[i])[place])));
        }
        best = std::min(best, {most, place});
      }
      if (!picked.empty() && best.first >= reached) break;
      reached = best.first;
      picked.push_back(best.second);
      for (std::size_t i = 0; i < corners_.size(); ++i) {
        now[i] = std::min(now[i], values(corners_[i])[best.second]);
      }
    }
    return picked;
  }

  // The balances that are best at the corners so far; the bound they give there.
  double choose() {
    const auto row = [&](const Corner& corner, std::size_t i, double own, double content,
                         double trigger) {
      return sign_ * layer_.constant_float[r_] +
             row_bound(counts_, i, corner.bos, own, content, trigger);
    };
    const bool optional = rows_ != RowClass::kTrigger;
    const auto freest = [&](const Corner& corner, double content, double trigger) {
      const double own = optional ? std::min(least(corner.own), content) : least(corner.own);
      return std::max(row(corner, 0, own, content, trigger), row(corner, 1, own, content, trigger));
    };
    choice_.content = pick(
        [](const Corner& corner) -> const auto& { return corner.content; },
        [&](const Corner& corner, double value) {
          return freest(corner, value, least(corner.trigger));
        });
    if (counts_.triggers > 0) {
      choice_.trigger = pick(
          [](const Corner& corner) -> const auto& { return corner.trigger; },
          [&](const Corner& corner, double value) {
            return freest(corner, least(corner.content, choice_.content), value);
          });
    }
    double reached = -HUGE_VAL;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto most = [&](std::optional<std::size_t> place) {
        double value = -HUGE_VAL;
        for (const Corner& corner : corners_) {
          const double content = least(corner.content, choice_.content);
          value = std::max(value, row(corner, i, place ? corner.own[*place] : content, content,
                                      least(corner.trigger, choice_.trigger)));
        }
        return value;
      };
      double best = optional ? most(std::nullopt) : HUGE_VAL;
      choice_.own[i].reset();
      for (std::size_t place = 0; place < grid_.size(); ++place) {
        const double value = most(place);
        if (value >= best) continue;
        best = value;
        choice_.own[i] = place;
      }
      reached = std::max(reached, best);
    }
    return reached;
  }

  const Layer& layer_;
  const Head& head_;
  RowClass rows_;
  std::size_t r_;
  int sign_;
  const Chords* chords_;
  std::span<const std::size_t> order_;
  Effort effort_;
  Counts counts_;
  std::optional<SideTerms> all_;  // with every balance of the grid
  std::vector<Rational> exact_grid_;
  std::vector<double> grid_;
  std::size_t bos_ = 0;
  std::vector<SeparableTerms> content_, trigger_, own_;
  std::vector<Corner> corners_;
  Choice at_root_;
  Choice choice_;
};

std::vector<std::size_t> order_of(const Head& head, RowClass rows) {
  SignForm scores(head.noise);
  const std::size_t query = rows == RowClass::kTrigger ? kTriggerFlag : head.content_flag();
  add_base(scores, head, query, head.content_flag(), 1);
  add_query_norm(scores, head, query);
  return influence_order(std::span(&scores, 1));
}

class RowSearch {
 public:
  RowSearch(const Layer& layer, const LayerRanges& ranges, RowClass rows, bool product,
            const Effort& effort)
      : layer_(layer), rows_(rows), order_(order_of(layer.heads.front(), rows)), effort_(effort) {
    // All trees together have to fit a certificate.
    constexpr std::size_t kNodes = std::size_t{1} << 20U;
    effort_.nodes.nodes = std::min(effort.nodes.nodes, kNodes / (2 * layer.width()));
    if (!product) chords_ = estimated(check::chords_of(ranges.layer, rows));
    if (rows == RowClass::kPre) first_ = check::first_row_bound(ranges.layer);
    using Kernels = certificate::BySeparableRow::Kernels;
    by_.bound = product ? Kernels::kProduct : Kernels::kChord;
  }

  // Nothing where the bound is at least `most`.
  std::optional<Proof> run(double attained, double most) {
    double target = std::max(attained, to_double_estimate(first_));
    constexpr std::size_t kShares = 3;  // of the time, one for balances
    const Budget settling = effort_.nodes.part(kShares);
    std::size_t left = 2 * layer_.width();
    for (std::size_t r = 0; r < layer_.width(); ++r) {
      for (const int s : {1, -1}) {
        sides_.emplace_back(layer_, rows_, r, s, chords_ ? &*chords_ : nullptr, order_, effort_);
        known_.push_back(HUGE_VAL);
        if (!effort_.roots_only) {
          sides_.back().settle(target, most, settling.part(left--));
          if (order_.size() > kNarrow && !effort_.nodes.is_over()) {
            known_.back() = sides_.back().settle_at_points();
          }
        }
        sides_.back().forget();
        if (effort_.nodes.has_ended()) return std::nullopt;
      }
    }
    if (effort_.roots_only) return by_roots();
    if (target >= most) return std::nullopt;
    constexpr double kRoom = 1.002;
    target *= kRoom;
    if (!std::isfinite(target) || (target != 0 && target < kLeastEstimate)) return by_roots();
    constexpr double kLeastShare = 1e-4;  // of what needs no tree: where there is no telling
    constexpr double kAboveKnown = 1.00001;
    std::vector<std::string> trees;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      SideSearch& side = sides_[i];
      std::string tree;
      const auto holds = [&](double bound) {
        if (effort_.nodes.has_ended()) return false;
        TreeSearch search = side.tree(bound);
        if (search.complete) tree = std::move(search.tree);
        return search.complete;
      };
      if (!holds(target)) {
        if (!std::isfinite(side.root_value())) return by_roots();
        const double from = std::max(target, kLeastShare * side.root_value());
        if (!(from > 0)) return by_roots();
        const double known = std::max(from, known_[i] * kAboveKnown);
        target = known < most ? least_above(from, known, holds) : HUGE_VAL;
        if (std::isinf(target)) target = least_above(from, most, holds);
        if (std::isinf(target)) return std::nullopt;
      }
      trees.push_back(std::move(tree));
    }
    const auto bound = target == 0 ? std::optional<Rational>(0) : bound_above(target);
    if (!bound) return by_roots();
    return proof(exact::max(*bound, first_), trees);
  }

 private:
  std::optional<Proof> by_roots() {
    if (chords_) return std::nullopt;
    Rational bound = first_;
    for (const SideSearch& side : sides_) bound = exact::max(bound, side.exact_root_value());
    return proof(bound_above(bound), std::vector<std::string>(sides_.size(), "0"));
  }

  Proof proof(const Rational& bound, const std::vector<std::string>& trees) {
    static_cast<certificate::Trees&>(by_) = stated_trees(order_, trees);
    for (const SideSearch& side : sides_) side.add_to(by_);
    return {bound, by_};
  }

  const Layer& layer_;
  RowClass rows_;
  std::vector<std::size_t> order_;
  Effort effort_;
  std::optional<Chords> chords_;
  Rational first_ = 0;
  std::vector<SideSearch> sides_;
  std::vector<double> known_;  // bounds on the sides that points close, if that was looked at
  certificate::BySeparableRow by_;
};

}  // namespace

std::optional<Proof> bound_separable_row_loss(const Layer& layer, const LayerRanges& ranges,
                                              RowClass rows, double attained,
                                              std::optional<Rational> most, const Effort& effort) {
  std::optional<Proof> best;
  for (const bool product : {false, true}) {
    if (product && layer.attention != model::Attention::kRelu) continue;
    const double limit = most ? estimate(*most) : HUGE_VAL;
    Effort share = effort;
    if (!product && layer.attention == model::Attention::kRelu) share.nodes = effort.nodes.part(2);
    auto proof = RowSearch(layer, ranges, rows, product, share).run(attained, limit);
    if (!proof || (most && proof->bound >= *most)) continue;
    most = proof->bound;
    best = std::move(proof);
  }
  return best;
}

}  // namespace sinkproof::certify
