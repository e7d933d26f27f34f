#include "check/sign_form.hpp"

#include "check/rejected.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

constexpr std::size_t kMaxTree = 4'194'304;

Integer magnitude(const Integer& value) { return value < 0 ? Integer(-value) : value; }

// One form in integers (times a common denominator), with the first coordinates of the order fixed.
class FormState {
 public:
  FormState(const SignForm& form, const Order& order)
      : order_(order), scale_(common_denominator(form)) {
    const std::size_t d = order.size();
    constant_ = scaled(form.constant);
    for (const Rational& a : form.linear) linear_.push_back(scaled(a));
    for (const auto& term : form.absolute) inside_.push_back(scaled(term.offset));

    column_.assign(d, {});
    for (std::size_t k = 0; k < d; ++k) {
      for (const auto& term : form.absolute) column_[k].push_back(scaled(term.row[k]));
    }
    cross_.assign(form.cross.empty() ? 0 : d, std::vector<Integer>(d));
    for (std::size_t k = 0; k < cross_.size(); ++k) {
      for (std::size_t l = 0; l < d; ++l) cross_[k][l] = scaled(form.cross[k][l]);
    }
    // Everything the free coordinates of a level can add through cross terms and absolute values.
    free_.assign(d + 1, Integer(0));
    for (std::size_t level = d; level-- > 0;) {
      const std::size_t k = order[level];
      Integer reach = free_[level + 1];
      for (const Integer& entry : column_[k]) reach += magnitude(entry);
      if (!cross_.empty()) {
        for (std::size_t m = level + 1; m < d; ++m) reach += magnitude(cross_[k][order[m]]);
      }
      free_[level] = reach;
    }
  }

  // Fixes coordinate order[level], the first `level` being fixed, at +1 or -1; the same call with
  // the other sign takes it back.
  void fix(std::size_t level, bool positive) {
    const std::size_t k = order_[level];
    add(constant_, linear_[k], positive);
    if (!cross_.empty()) {
      for (std::size_t m = level + 1; m < order_.size(); ++m) {
        add(linear_[order_[m]], cross_[k][order_[m]], positive);
      }
    }
    for (std::size_t i = 0; i < inside_.size(); ++i) add(inside_[i], column_[k][i], positive);
  }

  // The leaf bound with the first `level` coordinates fixed.
  [[nodiscard]] Rational bound(std::size_t level) const {
    Integer total = constant_ + free_[level];
    for (std::size_t m = level; m < order_.size(); ++m) total += magnitude(linear_[order_[m]]);
    for (const Integer& inside : inside_) total += magnitude(inside);
    return exact::make_rational(total, scale_);
  }

 private:
  static void add(Integer& sum, const Integer& term, bool positive) {
    if (positive) {
      sum += term;
    } else {
      sum -= term;
    }
  }

  static Integer common_denominator(const SignForm& form) {
    Integer scale = 1;
    const auto include = [&scale](const Rational& value) {
      scale = boost::multiprecision::lcm(scale, Integer(boost::multiprecision::denominator(value)));
    };
    include(form.constant);
    for (const Rational& a : form.linear) include(a);
    for (const auto& row : form.cross) {
      for (const Rational& c : row) include(c);
    }
    for (const auto& term : form.absolute) {
      include(term.offset);
      for (const Rational& b : term.row) include(b);
    }
    return scale;
  }

  [[nodiscard]] Integer scaled(const Rational& value) const {
    return boost::multiprecision::numerator(value) *
           Integer(scale_ / boost::multiprecision::denominator(value));
  }

  const Order& order_;
  Integer scale_;
  Integer constant_;
  std::vector<Integer> linear_;
  std::vector<Integer> inside_;
  std::vector<std::vector<Integer>>
      column_;  // column_[k][i]: coefficient of u_k in absolute value i
  std::vector<std::vector<Integer>> cross_;
  std::vector<Integer> free_;
};

class Walk {
 public:
  Walk(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
       const std::string& where, const LeafCheck& leaf)
      : order_(order), tree_(tree), where_(where), leaf_(leaf), bounds_(forms.size()) {
    for (const SignForm& form : forms) {
      require(form.dimension() == order.size(), where, "form and order have different dimensions");
      states_.emplace_back(form, order);
    }
  }

  void run() {
    require(tree_.size() <= kMaxTree, where_, "tree too large");
    visit(0);
    require(next_ == tree_.size(), where_, "tree goes on after its end");
  }

 private:
  void visit(std::size_t level) {
    require(next_ < tree_.size(), where_, "tree ends too early");
    const char mark = tree_[next_++];
    if (mark == '0') {
      for (std::size_t i = 0; i < states_.size(); ++i) bounds_[i] = states_[i].bound(level);
      leaf_(bounds_);
      return;
    }
    require(mark == '1', where_, "a tree is written with 0 and 1");
    require(level < order_.size(), where_, "tree splits with no coordinate left");
    for (const bool positive : {false, true}) {
      for (FormState& state : states_) state.fix(level, positive);
      visit(level + 1);
      for (FormState& state : states_) state.fix(level, !positive);
    }
  }

  const Order& order_;
  const std::string& tree_;
  const std::string& where_;
  const LeafCheck& leaf_;
  std::vector<FormState> states_;
  std::vector<Rational> bounds_;
  std::size_t next_ = 0;
};

}  // namespace

void SignForm::add_cross(std::size_t k, std::size_t l, const Rational& value) {
  if (cross.empty()) cross.assign(dimension(), std::vector<Rational>(dimension()));
  cross[k][l] += value;
  cross[l][k] += value;
}

void walk_tree(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
               const std::string& where, const LeafCheck& leaf) {
  Walk(forms, order, tree, where, leaf).run();
}

}  // namespace sinkproof::check
