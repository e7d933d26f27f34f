#include "attention/sign_form.hpp"

#include <optional>
#include <utility>

#include "attention/point_bound.hpp"
#include "attention/whole_form.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

constexpr std::size_t kMaxTree = 4'194'304;

// A form with the first coordinates of the order fixed.
class FormState {
 public:
  FormState(const WholeForm& form, const Order& order)
      : order_(order),
        denominator_(form.denominator),
        constant_(form.sum.constant),
        linear_(form.sum.linear),
        column_(order.size()) {
    const std::size_t d = order.size();
    for (const auto& key : form.keys) {
      inside_.push_back(key.offset);
      const Integer& scale = form.scales[key.family];
      for (std::size_t k = 0; k < d; ++k) {
        column_[k].push_back(scale * form.coupling->noise(k, key.l));
      }
    }
    for (const auto& one : form.absolute) {
      inside_.push_back(one.constant);
      for (std::size_t k = 0; k < d; ++k) column_[k].push_back(one.linear[k]);
    }
    cross_.assign(form.own == 0 ? 0 : d, std::vector<Integer>(d));
    for (std::size_t k = 0; k < cross_.size(); ++k) {
      for (std::size_t l = 0; l < d; ++l) cross_[k][l] = form.own * form.coupling->own(k, l);
    }
    // Everything the free coordinates of a level can add through cross terms and absolute values.
    free_.assign(d + 1, Integer(0));
    for (std::size_t level = d; level-- > 0;) {
      const std::size_t k = order[level];
      Integer reach = free_[level + 1];
      for (const Integer& entry : column_[k]) add_magnitude(reach, entry);
      if (!cross_.empty()) {
        for (std::size_t m = level + 1; m < d; ++m) add_magnitude(reach, cross_[k][order[m]]);
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
    for (std::size_t m = level; m < order_.size(); ++m) add_magnitude(total, linear_[order_[m]]);
    for (const Integer& inside : inside_) add_magnitude(total, inside);
    return exact::make_rational(total, denominator_);
  }

 private:
  static void add(Integer& sum, const Integer& term, bool positive) {
    if (positive) {
      sum += term;
    } else {
      sum -= term;
    }
  }

  const Order& order_;
  Integer denominator_;
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
       const Images& images, const std::string& where, const LeafCheck& leaf)
      : order_(order),
        tree_(tree),
        images_(images),
        where_(where),
        leaf_(leaf),
        signs_(order.size()),
        at_point_(forms.size()),
        bounds_(forms.size()) {
    for (const SignForm& form : forms) {
      require(form.dimension == order.size(), where, "form and order have different dimensions");
      forms_.emplace_back(form);
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
        bounds_[i] = level == 0 ? forms_[i].root_bound() : states_[i].bound(level);
      }
      if (mark == '[') lower_by_points();
      leaf_(bounds_);
      return;
    }
    require(mark == '1', where_, "a tree is written with 0 and 1");
    require(level < order_.size(), where_, "tree splits with no coordinate left");
    if (level == 0) {
      for (const WholeForm& form : forms_) states_.emplace_back(form, order_);
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
    if (forms_.empty()) images_(nullptr, first);  // the point is there all the same
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      const PointImage& image = images_(forms_[i].coupling, first + i);
      if (forms_[i].coupling == nullptr) continue;  // a point says no more
      // Leaves beside each other mostly name the same point.
      if (!at_point_[i] || at_point_[i]->first != first) {
        at_point_[i].emplace(first, PointBound(forms_[i], image));
      }
      bounds_[i] = exact::min(bounds_[i], at_point_[i]->second.at(signs_));
    }
  }

  std::vector<WholeForm> forms_;
  const Order& order_;
  const std::string& tree_;
  const Images& images_;
  const std::string& where_;
  const LeafCheck& leaf_;
  std::vector<int> signs_;         // of the coordinates fixed so far, else 0
  std::vector<FormState> states_;  // once the tree splits
  // With the number of the first form's point.
  std::vector<std::optional<std::pair<std::size_t, PointBound>>> at_point_;
  std::vector<Rational> bounds_;
  std::size_t next_ = 0;
};

}  // namespace

void AffineForm::add(const Rational& factor, const WholeRow& row) {
  for (Part& part : parts) {
    if (part.row.entries != row.entries) continue;
    part.factor += factor;
    return;
  }
  parts.push_back({factor, row});
}

void SignForm::add(const SignForm& form, const Rational& factor) {
  sum.constant += factor * form.sum.constant;
  for (const auto& part : form.sum.parts) sum.add(factor * part.factor, part.row);
  own += factor * form.own;
  if (form.coupling != nullptr) coupling = form.coupling;
  for (OfKeys family : form.of_keys) {
    family.weight *= factor;
    family.scale *= factor;
    of_keys.push_back(std::move(family));
  }
  for (AffineForm one : form.absolute) {
    one.constant *= factor;
    for (auto& part : one.parts) part.factor *= factor;
    absolute.push_back(std::move(one));
  }
}

void walk_tree(const std::vector<SignForm>& forms, const Order& order, const std::string& tree,
               const Images& images, const std::string& where, const LeafCheck& leaf) {
  Walk(forms, order, tree, images, where, leaf).run();
}

}  // namespace sinkproof::check
