#include "certify/sign_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sinkproof::certify {

namespace {

double cross_entry(const SignForm& form, std::size_t a, std::size_t b) {
  if (form.cross.empty()) return 0;
  return form.cross[std::min(a, b) * form.dimension() + std::max(a, b)];
}

// A form while signs are being fixed in order[0], order[1], ...: level m holds the state with the
// first m of them fixed. All levels are kept, so going back up costs nothing.
class Walker {
 public:
  Walker(const SignForm& form, std::span<const std::size_t> order)
      : form_(form),
        order_(order),
        d_(form.dimension()),
        n_(form.offset.size()),
        constant_(d_ + 1),
        linear_((d_ + 1) * d_),
        inside_((d_ + 1) * n_),
        radius_(d_ + 1) {
    constant_[0] = form.constant;
    std::copy(form.linear.begin(), form.linear.end(), linear_.begin());
    std::copy(form.offset.begin(), form.offset.end(), inside_.begin());
    columns_.resize(d_ * n_);
    for (std::size_t k = 0; k < d_; ++k) {
      for (std::size_t i = 0; i < n_; ++i) columns_[k * n_ + i] = form.rows[i * d_ + k];
    }
    for (std::size_t level = d_; level-- > 0;) radius_[level] = radius_[level + 1] + reach(level);
  }

  // Fixes coordinate order[level] to `sign`; fills level + 1.
  void fix(std::size_t level, double sign) {
    const std::size_t k = order_[level];
    constant_[level + 1] = constant_[level] + sign * linear_[level * d_ + k];
    for (std::size_t m = level + 1; m < d_; ++m) {
      const std::size_t l = order_[m];
      linear_[(level + 1) * d_ + l] = linear_[level * d_ + l] + sign * cross_entry(form_, k, l);
    }
    const double* from = inside_.data() + level * n_;
    double* to = inside_.data() + (level + 1) * n_;
    const double* column = columns_.data() + k * n_;
    for (std::size_t i = 0; i < n_; ++i) to[i] = from[i] + sign * column[i];
  }

  [[nodiscard]] double bound(std::size_t level) const {
    double total = constant_[level] + radius_[level];
    for (std::size_t m = level; m < d_; ++m) total += std::fabs(linear_[level * d_ + order_[m]]);
    const double* inside = inside_.data() + level * n_;
    for (std::size_t i = 0; i < n_; ++i) total += std::fabs(inside[i]);
    return total;
  }

 private:
  // What coordinate order[level] can still move while it and all later ones are free, beside its
  // linear term: its column in the absolute values and its cross terms with later coordinates.
  [[nodiscard]] double reach(std::size_t level) const {
    const std::size_t k = order_[level];
    double total = 0;
    for (std::size_t i = 0; i < n_; ++i) total += std::fabs(columns_[k * n_ + i]);
    for (std::size_t m = level + 1; m < d_; ++m) {
      total += std::fabs(cross_entry(form_, k, order_[m]));
    }
    return total;
  }

  const SignForm& form_;
  std::span<const std::size_t> order_;
  std::size_t d_;
  std::size_t n_;
  std::vector<double> constant_;
  std::vector<double> linear_;
  std::vector<double> inside_;
  std::vector<double> radius_;
  std::vector<double> columns_;
};

class Search {
 public:
  Search(std::span<const SignForm> forms, std::span<const std::size_t> order,
         const LeafTest& passes, std::size_t budget)
      : depth_(order.size()), passes_(passes), budget_(budget), bounds_(forms.size()) {
    walkers_.reserve(forms.size());
    for (const SignForm& form : forms) walkers_.emplace_back(form, order);
  }

  TreeSearch run() {
    result_.complete = visit(0);
    return std::move(result_);
  }

 private:
  bool visit(std::size_t level) {
    if (budget_ == 0) return false;
    --budget_;
    for (std::size_t i = 0; i < walkers_.size(); ++i) bounds_[i] = walkers_[i].bound(level);
    if (passes_(bounds_)) {
      result_.tree += '0';
      return true;
    }
    if (level == depth_) {
      result_.worst = bounds_.front();
      return false;
    }
    result_.tree += '1';
    for (const double sign : {-1.0, 1.0}) {
      for (Walker& walker : walkers_) walker.fix(level, sign);
      if (!visit(level + 1)) return false;
    }
    return true;
  }

  std::size_t depth_;
  const LeafTest& passes_;
  std::size_t budget_;
  std::vector<double> bounds_;
  std::vector<Walker> walkers_;
  TreeSearch result_;
};

double size_of(const SignForm& form) {
  const auto add = [](double sum, double value) { return sum + std::fabs(value); };
  double size = std::fabs(form.constant);
  for (const auto* part : {&form.linear, &form.cross, &form.offset, &form.rows}) {
    size = std::accumulate(part->begin(), part->end(), size, add);
  }
  return size;
}

// The largest value over the vertices reached within the budget, by following the larger one first;
// a lower bound of the maximum that is usually the maximum itself.
class BestVertex {
 public:
  BestVertex(std::span<const SignForm> forms, std::span<const std::size_t> order,
             const NodeValue& value, double floor, std::size_t budget)
      : order_(order),
        depth_(order.size()),
        value_(value),
        budget_(budget),
        bounds_(forms.size()),
        signs_(depth_, 1.0),
        vertex_(depth_, 1.0),
        best_(floor) {
    walkers_.reserve(forms.size());
    for (const SignForm& form : forms) walkers_.emplace_back(form, order);
  }

  double run() {
    visit(0);
    return best_;
  }
  [[nodiscard]] const std::vector<double>& vertex() const { return vertex_; }

 private:
  double value(std::size_t level) {
    for (std::size_t i = 0; i < walkers_.size(); ++i) bounds_[i] = walkers_[i].bound(level);
    return value_(bounds_);
  }

  void fix(std::size_t level, double sign) {
    for (Walker& walker : walkers_) walker.fix(level, sign);
  }

  void visit(std::size_t level) {
    if (budget_ == 0) return;
    --budget_;
    const double bound = value(level);
    if (bound <= best_) return;
    if (level == depth_) {
      best_ = bound;
      vertex_ = signs_;
      return;
    }
    fix(level, -1);
    const double low = value(level + 1);
    fix(level, 1);
    const double high = value(level + 1);
    const double first = high >= low ? 1.0 : -1.0;
    for (const double sign : {first, -first}) {
      fix(level, sign);
      signs_[order_[level]] = sign;
      visit(level + 1);
    }
  }

  std::vector<Walker> walkers_;
  std::span<const std::size_t> order_;
  std::size_t depth_;
  const NodeValue& value_;
  std::size_t budget_;
  std::vector<double> bounds_;
  std::vector<double> signs_;
  std::vector<double> vertex_;
  double best_;
};

}  // namespace

TreeSearch search_tree(std::span<const SignForm> forms, std::span<const std::size_t> order,
                       const LeafTest& passes, std::size_t budget) {
  return Search(forms, order, passes, budget).run();
}

std::optional<std::vector<double>> vertex_above(std::span<const SignForm> forms,
                                                std::span<const std::size_t> order,
                                                const NodeValue& value, double floor,
                                                std::size_t budget) {
  BestVertex best(forms, order, value, floor, budget);
  if (!(best.run() > floor)) return std::nullopt;
  return best.vertex();
}

double value_at(const SignForm& form, std::span<const double> point) {
  const std::size_t d = form.dimension();
  double value = form.constant;
  for (std::size_t k = 0; k < d; ++k) {
    value += form.linear[k] * point[k];
    for (std::size_t l = k + 1; l < d; ++l) value += cross_entry(form, k, l) * point[k] * point[l];
  }
  for (std::size_t i = 0; i < form.offset.size(); ++i) {
    value += std::fabs(
        std::inner_product(point.begin(), point.end(), form.rows.begin() + i * d, form.offset[i]));
  }
  return value;
}

std::vector<std::size_t> influence_order(std::span<const SignForm> forms) {
  const std::size_t d = forms.front().dimension();
  std::vector<double> influence(d);
  for (const SignForm& form : forms) {
    for (std::size_t k = 0; k < d; ++k) {
      influence[k] += std::fabs(form.linear[k]);
      for (std::size_t i = 0; i < form.offset.size(); ++i) {
        influence[k] += std::fabs(form.rows[i * d + k]);
      }
      for (std::size_t l = 0; l < d; ++l) {
        if (l != k) influence[k] += std::fabs(cross_entry(form, k, l));
      }
    }
  }
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return influence[a] > influence[b]; });
  return order;
}

Maximum maximise(const SignForm& form, std::span<const std::size_t> order, double margin,
                 std::size_t budget) {
  const NodeValue itself = [](std::span<const double> bounds) { return bounds[0]; };
  BestVertex best(std::span(&form, 1), order, itself, -HUGE_VAL, budget);
  const double attained = best.run();
  const double slack = margin * size_of(form);
  const Walker walker(form, order);
  const double trivial = walker.bound(0) + slack;
  // The tree only has to prove a bound a little above the maximum; widen until it fits the budget.
  for (double share = 0.002; attained > -HUGE_VAL && share < 1; share *= 2) {
    const double target = attained + slack + share * std::max(0.0, trivial - attained);
    const LeafTest passes = [&](std::span<const double> bounds) {
      return bounds[0] + slack <= target;
    };
    TreeSearch search = search_tree(std::span(&form, 1), order, passes, budget);
    if (search.complete) return {target, std::move(search.tree), best.vertex()};
  }
  return {trivial, "0", best.vertex()};
}

}  // namespace sinkproof::certify
