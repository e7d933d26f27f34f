#include "certify/sign_form.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "certify/point.hpp"

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

std::string label_of(const std::vector<Point>& points) {
  std::string label;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) label += kBetweenForms;
    for (std::size_t s = 0; s < points[i].size(); ++s) {
      if (s > 0) label += kBetweenStrings;
      label += points[i][s];
    }
  }
  return label;
}

// The forms of one obligation as points see them; a form without multipliers has no point.
class Labels {
 public:
  explicit Labels(std::span<const SignForm> forms) {
    for (const SignForm& form : forms) {
      const bool coupled = form.coupling != nullptr && form.coupling->multipliers() != nullptr;
      any_ = any_ || coupled;
      forms_.push_back(coupled ? std::optional<PointForm>(form) : std::nullopt);
    }
  }
  [[nodiscard]] bool any() const { return any_; }

  [[nodiscard]] std::vector<PointForm::Bound> bounds_at(const std::vector<Point>& points) const {
    std::vector<PointForm::Bound> bounds;
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      bounds.push_back(forms_[i] ? forms_[i]->bound_at(points[i]) : PointForm::Bound{HUGE_VAL, {}});
    }
    return bounds;
  }
  [[nodiscard]] std::vector<Point> best() const {
    std::vector<Point> points;
    for (const auto& form : forms_) points.push_back(form ? form->best_point() : Point());
    return points;
  }
  // Whether the points are of as many forms, of the same dimension.
  [[nodiscard]] bool fits(const std::vector<Point>& points, std::size_t dimension) const {
    if (points.size() != forms_.size()) return false;
    return std::all_of(points.begin(), points.end(), [&](const Point& point) {
      return point.empty() || point.front().size() == dimension;
    });
  }

 private:
  std::vector<std::optional<PointForm>> forms_;
  bool any_ = false;
};

// One label, what it bounds each form by, and how much fixing a coordinate takes off.
struct Labelled {
  Label label;
  std::vector<PointForm::Bound> bounds;
};

// Takes one of the nodes left; none is left after the deadline.
bool is_spent(std::size_t& nodes, const Budget& budget) {
  constexpr std::size_t kBetweenLooks = 1024;
  if (nodes % kBetweenLooks == 0 && budget.is_over()) nodes = 0;
  return nodes == 0 || nodes-- == 0;
}

class Search {
 public:
  Search(std::span<const SignForm> forms, std::span<const std::size_t> order,
         const LeafTest& passes, const Budget& budget, const Labelled* labelled)
      : order_(order),
        passes_(passes),
        budget_(budget),
        nodes_(budget.nodes),
        labelled_(labelled),
        bounds_(forms.size()) {
    walkers_.reserve(forms.size());
    for (const SignForm& form : forms) walkers_.emplace_back(form, order);
    for (std::size_t i = 0; labelled != nullptr && i < forms.size(); ++i) {
      at_label_.push_back(labelled->bounds[i].value);
    }
  }

  TreeSearch run() {
    result_.complete = visit(0);
    return std::move(result_);
  }

 private:
  bool visit(std::size_t level) {
    if (is_spent(nodes_, budget_)) return false;
    for (std::size_t i = 0; i < walkers_.size(); ++i) bounds_[i] = walkers_[i].bound(level);
    if (passes_(bounds_)) {
      result_.tree += '0';
      return true;
    }
    for (std::size_t i = 0; i < at_label_.size(); ++i) {
      bounds_[i] = std::min(bounds_[i], at_label_[i]);
    }
    if (!at_label_.empty() && passes_(bounds_)) {
      result_.tree += '[' + labelled_->label + "]0";
      return true;
    }
    if (level == order_.size()) return false;
    result_.tree += '1';
    for (const double sign : {-1.0, 1.0}) {
      for (Walker& walker : walkers_) walker.fix(level, sign);
      fix_at_label(order_[level], sign, 1);
      if (!visit(level + 1)) return false;
      fix_at_label(order_[level], sign, -1);
    }
    return true;
  }

  void fix_at_label(std::size_t k, double sign, double times) {
    for (std::size_t i = 0; i < at_label_.size(); ++i) {
      const std::vector<double>& h = labelled_->bounds[i].h;
      if (!h.empty()) at_label_[i] -= times * (std::fabs(h[k]) - sign * h[k]);
    }
  }

  std::span<const std::size_t> order_;
  const LeafTest& passes_;
  const Budget& budget_;
  std::size_t nodes_;
  const Labelled* labelled_;
  std::vector<double> bounds_;
  std::vector<double> at_label_;
  std::vector<Walker> walkers_;
  TreeSearch result_;
};

// What is tried on the whole box before it is split: nothing, points that helped before, the forms'
// own. What is left for a tree is the best label.
class WholeBox {
 public:
  WholeBox(std::span<const SignForm> forms, const LeafTest& passes, const Budget& budget)
      : labels_(forms), passes_(passes), budget_(budget), dimension_(forms.front().dimension()) {
    for (const SignForm& form : forms) roots_.push_back(root_bound(form));
  }

  std::optional<std::string> tree() {
    if (passes_(roots_)) return "0";
    if (!labels_.any()) return std::nullopt;
    const std::size_t known = budget_.labels ? budget_.labels->size() : 0;
    for (std::size_t i = 0; i < std::min(known, kLabelsTried); ++i) {
      const Label& label = (*budget_.labels)[known - 1 - i];
      const std::vector<Point> points = points_of(label);
      if (labels_.fits(points, dimension_) && try_points(label, points)) return closed();
    }
    const std::vector<Point> own =
        budget_.is_over() ? std::vector<Point>(roots_.size()) : labels_.best();
    const Label label = label_of(own);
    if (!try_points(label, own)) return std::nullopt;
    if (budget_.labels) budget_.labels->push_back(label);
    return closed();
  }

  [[nodiscard]] const Labelled* best() const { return best_ ? &*best_ : nullptr; }
  // The least known bound of the first form.
  [[nodiscard]] double bound() const {
    return best_ ? std::min(roots_.front(), best_->bounds.front().value) : roots_.front();
  }

 private:
  bool try_points(const Label& label, const std::vector<Point>& points) {
    Labelled now{label, labels_.bounds_at(points)};
    std::vector<double> bounds = roots_;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      bounds[i] = std::min(bounds[i], now.bounds[i].value);
    }
    const bool closes = passes_(bounds);
    if (closes || !best_ || now.bounds.front().value < best_->bounds.front().value) {
      best_ = std::move(now);
    }
    return closes;
  }
  [[nodiscard]] std::string closed() const { return '[' + best_->label + "]0"; }

  Labels labels_;
  const LeafTest& passes_;
  const Budget& budget_;
  std::size_t dimension_;
  std::vector<double> roots_;
  std::optional<Labelled> best_;
};

// Trees decide narrow heads; of wide ones they are a try beside the points.
std::size_t nodes_for(std::size_t dimension, std::size_t most) {
  constexpr std::size_t kTry = 4000;
  return dimension <= kNarrow ? most : std::min(most, kTry);
}

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
             const NodeValue& value, double floor, const Budget& budget)
      : order_(order),
        depth_(order.size()),
        value_(value),
        budget_(budget),
        nodes_(budget.nodes),
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
    if (is_spent(nodes_, budget_)) return;
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
  const Budget& budget_;
  std::size_t nodes_;
  std::vector<double> bounds_;
  std::vector<double> signs_;
  std::vector<double> vertex_;
  double best_;
};

}  // namespace

std::vector<Point> points_of(const Label& label) {
  std::vector<Point> points(1);
  std::string text;
  const auto end_string = [&] {
    if (!text.empty()) points.back().push_back(std::move(text));
    text.clear();
  };
  for (const char code : label) {
    if (code == kBetweenForms || code == kBetweenStrings) end_string();
    if (code == kBetweenForms) points.emplace_back();
    if (code != kBetweenForms && code != kBetweenStrings) text += code;
  }
  end_string();
  return points;
}

Budget Budget::part(std::size_t parts) const {
  const auto now = Clock::now();
  Budget result = *this;
  for (auto* time : {&result.deadline, &result.end}) {
    if (*time > now) *time = now + (**time - now) / parts;
  }
  return result;
}

TreeSearch search_tree(std::span<const SignForm> forms, std::span<const std::size_t> order,
                       const LeafTest& passes, const Budget& budget) {
  WholeBox whole(forms, passes, budget);
  if (auto tree = whole.tree()) return {true, *std::move(tree)};
  if (budget.is_over()) return {};
  Budget for_tree = budget;
  for_tree.nodes = nodes_for(order.size(), budget.nodes);
  return Search(forms, order, passes, for_tree, whole.best()).run();
}

double bound_on_box(const SignForm& form) {
  const Labels labels(std::span(&form, 1));
  const double root = root_bound(form);
  return labels.any() ? std::min(root, labels.bounds_at(labels.best()).front().value) : root;
}

std::optional<std::vector<double>> vertex_above(std::span<const SignForm> forms,
                                                std::span<const std::size_t> order,
                                                const NodeValue& value, double floor,
                                                const Budget& budget) {
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
        std::inner_product(point.begin(), point.end(), form.rows.data() + i * d, form.offset[i]));
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
                 const Budget& budget) {
  const NodeValue itself = [](std::span<const double> bounds) { return bounds[0]; };
  const std::size_t nodes =
      budget.is_over() ? order.size() + 1 : nodes_for(order.size(), budget.nodes);
  Budget for_vertex = budget;
  for_vertex.nodes = nodes;
  for_vertex.deadline.reset();
  BestVertex best(std::span(&form, 1), order, itself, -HUGE_VAL, for_vertex);
  const double attained = best.run();
  const double slack = margin * size_of(form);
  double target = HUGE_VAL;
  const LeafTest passes = [&](std::span<const double> bounds) {
    return bounds[0] + slack <= target;
  };
  WholeBox whole(std::span(&form, 1), passes, budget);
  target = attained + slack;
  if (auto tree = whole.tree()) return {target, *std::move(tree), best.vertex()};
  const double trivial = whole.bound() + slack;
  // The tree only has to prove a bound a little above the maximum; widen until it fits the budget.
  const bool narrow = nodes == budget.nodes;
  for (double share = narrow ? 0.002 : 0.2; attained > -HUGE_VAL && share < 1; share *= 2) {
    target = attained + slack + share * std::max(0.0, trivial - attained);
    Budget for_tree = budget;
    for_tree.nodes = nodes;
    if (budget.is_over()) break;
    TreeSearch search = Search(std::span(&form, 1), order, passes, for_tree, whole.best()).run();
    if (search.complete) return {target, std::move(search.tree), best.vertex()};
  }
  target = trivial;
  auto tree = whole.tree();
  return {trivial, tree ? *std::move(tree) : "0", best.vertex()};
}

}  // namespace sinkproof::certify
