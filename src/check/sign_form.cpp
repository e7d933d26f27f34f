#include "check/sign_form.hpp"

#include "check/point_bound.hpp"
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
      for (const auto& term : form.absolute) column_[k].push_back(scaled(entry(form, term, k)));
    }
    cross_.assign(form.own == 0 ? 0 : d, std::vector<Integer>(d));
    for (std::size_t k = 0; k < cross_.size(); ++k) {
      for (std::size_t l = 0; l < d; ++l) {
        cross_[k][l] = scaled(form.own * form.coupling->own(k, l));
      }
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

  static Rational entry(const SignForm& form, const SignForm::Absolute& term, std::size_t k) {
    return term.key ? term.scale * form.coupling->noise(k, *term.key) : term.row[k];
  }

  static Integer common_denominator(const SignForm& form) {
    Integer scale = 1;
    const auto include = [&scale](const Rational& value) {
      scale = boost::multiprecision::lcm(scale, Integer(boost::multiprecision::denominator(value)));
    };
    include(form.constant);
    const Integer coupling = form.coupling == nullptr ? Integer(1) : form.coupling->denominator();
    include(form.own / coupling);
    for (const Rational& a : form.linear) include(a);
    for (const auto& term : form.absolute) {
      include(term.offset);
      include(term.scale / coupling);
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

// The leaf bound with nothing fixed.
Rational root_bound(const SignForm& form) {
  Rational total = form.constant;
  for (const Rational& a : form.linear) total += exact::abs(a);
  if (form.own != 0) total += exact::abs(form.own) * form.coupling->own_sum();
  for (const auto& term : form.absolute) total += reach(form, term);
  return total;
}

class Walk {
 public:
  Walk(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
       const Images& images, const std::string& where, const LeafCheck& leaf)
      : forms_(forms),
        order_(order),
        tree_(tree),
        images_(images),
        where_(where),
        leaf_(leaf),
        signs_(order.size()),
        bounds_(forms.size()) {
    for (const SignForm& form : forms) {
      require(form.dimension() == order.size(), where, "form and order have different dimensions");
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
    if (mark == '[' || mark == '0') {
      for (std::size_t i = 0; i < forms_.size(); ++i) {
        bounds_[i] = level == 0 ? root_bound(forms_[i]) : states_[i].bound(level);
      }
      if (mark == '[') lower_by_points();
      leaf_(bounds_);
      return;
    }
    require(mark == '1', where_, "a tree is written with 0 and 1");
    require(level < order_.size(), where_, "tree splits with no coordinate left");
    if (level == 0) {
      for (const SignForm& form : forms_) states_.emplace_back(form, order_);
    }
    for (const int sign : {-1, 1}) {
      signs_[order_[level]] = sign;
      for (FormState& state : states_) state.fix(level, sign > 0);
      visit(level + 1);
      for (FormState& state : states_) state.fix(level, sign < 0);
    }
    signs_[order_[level]] = 0;
  }

  // A leaf "[e]0", behind its bracket.
  void lower_by_points() {
    constexpr std::size_t kMaxDigits = 9;
    const std::size_t end = tree_.find(']', next_);
    require(end != std::string::npos && end - next_ <= kMaxDigits, where_,
            "a leaf's number does not end");
    const std::string digits = tree_.substr(next_, end - next_);
    require(!digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos &&
                (digits == "0" || digits.front() != '0'),
            where_, "a leaf's number must be a decimal integer");
    next_ = end + 1;
    require(next_ < tree_.size() && tree_[next_++] == '0', where_, "a number without a leaf");
    const std::size_t first = std::stoul(digits);
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      const PointImage& image = images_(forms_[i].coupling, first + i);
      bounds_[i] = exact::min(bounds_[i], point_bound(forms_[i], image, signs_));
    }
  }

  const std::vector<SignForm>& forms_;
  const Order& order_;
  const std::string& tree_;
  const Images& images_;
  const std::string& where_;
  const LeafCheck& leaf_;
  std::vector<int> signs_;         // of the coordinates fixed so far, else 0
  std::vector<FormState> states_;  // once the tree splits
  std::vector<Rational> bounds_;
  std::size_t next_ = 0;
};

}  // namespace

Rational reach(const SignForm& form, const SignForm::Absolute& term) {
  Rational total = exact::abs(term.offset);
  if (term.key) return total + exact::abs(term.scale) * form.coupling->key_sum(*term.key);
  for (const Rational& entry : term.row) total += exact::abs(entry);
  return total;
}

void walk_tree(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
               const Images& images, const std::string& where, const LeafCheck& leaf) {
  Walk(forms, order, tree, images, where, leaf).run();
}

}  // namespace sinkproof::check
