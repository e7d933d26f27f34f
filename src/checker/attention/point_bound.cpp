#include "attention/point_bound.hpp"

namespace sinkproof::check {
namespace {

using boost::multiprecision::abs;
using exact::Integer;
using exact::make_rational;
using exact::Rational;

constexpr std::size_t kMaxGroups = 7;
constexpr int kSteps = 16;  // of a point's numbers, to one

// Absolute values of key coordinates that share a string of the point, with the sum of their
// |scales|.
struct Group {
  std::vector<const WholeForm::Key*> keys;
  Integer sum = 0;
};

// Sums up what does not depend on signs, and what h is the sum of: numbers times rows. Beside the
// form's denominator and the multipliers', h is in parts of `parts_`.
class PointSums {
 public:
  PointSums(const WholeForm& form, const PointImage& image)
      : form_(form),
        image_(image),
        multipliers_(*form.coupling->multipliers()),
        total_(make_rational(form.sum.constant, form.denominator)) {}

  // h over `denominator`; what does not depend on signs.
  Rational sum_up(std::vector<Integer>& h, Integer& denominator) {
    make_groups();
    const Integer scale = kSteps * parts_ * multipliers_.denominator;
    rows_.emplace_back(scale, form_.sum.linear.data());
    if (form_.own != 0) add_own();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].keys.empty()) add_group(g);
    }
    rows_.emplace_back(query_slope_, image_.query_slopes.data());
    h.resize(form_.dimension());
    for (const auto& [factor, row] : rows_) {
      for (std::size_t k = 0; k < h.size(); ++k) add_product(h[k], factor, row[k]);
    }
    denominator = form_.denominator * scale;
    return total_;
  }

 private:
  // A number over the form's denominator and another one.
  [[nodiscard]] Rational over(const Integer& number, const Integer& beside) const {
    return make_rational(number, form_.denominator * beside);
  }

  // The n-th absolute value of a key coordinate is in group n; those with (next to) no factor, and
  // those that would be by themselves, are of none.
  void make_groups() {
    Integer largest = 0;
    for (const Integer& scale : form_.scales) largest = std::max(largest, Integer(abs(scale)));
    std::vector<bool> has_key;
    for (const Integer& scale : form_.scales) has_key.push_back((abs(scale) << 20U) > largest);
    std::vector<std::size_t> seen(form_.dimension());
    Integer alone = 0;
    for (const auto& key : form_.keys) {
      const std::size_t g = has_key[key.family] ? seen[key.l]++ : kMaxGroups;
      if (g >= kMaxGroups) {
        form_.add_reach(alone, key);
        continue;
      }
      if (g >= groups_.size()) groups_.resize(g + 1);
      groups_[g].keys.push_back(&key);
    }
    for (Group& group : groups_) {
      if (group.keys.size() == 1) {
        form_.add_reach(alone, *group.keys.front());
        group.keys.clear();
      }
      if (group.keys.empty()) continue;
      for (const auto* key : group.keys) add_magnitude(group.sum, form_.scales[key->family]);
      parts_ = boost::multiprecision::lcm(parts_, Integer(group.keys.size()));
    }
    for (const auto& one : form_.absolute) WholeForm::add_reach(alone, one);
    total_ += make_rational(alone, form_.denominator);
  }

  void add_own() {
    const Integer size = abs(form_.own);
    rows_.emplace_back(parts_ * multipliers_.denominator * form_.own, image_.own.data());
    rows_.emplace_back(-2 * parts_ * size, image_.own_slopes.data());
    total_ += over(size * image_.own_squares, kSteps * kSteps * multipliers_.denominator);
    total_ -= over(form_.own * image_.own_product, 2 * kSteps * kSteps);
  }

  void add_group(std::size_t g) {
    const Group& group = groups_[g];
    const Integer count = group.keys.size();
    const PointImage::Group* at = g < image_.groups.size() ? &image_.groups[g] : nullptr;
    query_slope_ -= 2 * Integer(parts_ / count) * group.sum;
    total_ +=
        over(group.sum * image_.query_squares, kSteps * kSteps * count * multipliers_.denominator);
    if (at != nullptr) add_products(group, *at);
    add_insides(group, at);
  }

  // sum_i z_i N_kl x_l to each h_k: most z_i are one number, for which the product is known.
  void add_products(const Group& group, const PointImage::Group& at) {
    const Integer zero = 0;
    std::vector<const Integer*> scale(form_.dimension(), &zero);
    for (const auto* key : group.keys) scale[key->l] = &form_.scales[key->family];
    const Integer unit = parts_ * multipliers_.denominator;
    const Integer& usual = form_.scales[group.keys.front()->family];
    rows_.emplace_back(unit * usual, at.product.data());
    for (std::size_t l = 0; l < scale.size(); ++l) {
      if (at.x[l] == 0 || scale[l] == &usual || *scale[l] == usual) continue;
      rows_.emplace_back(unit * at.x[l] * (*scale[l] - usual),
                         form_.coupling->of_key(certificate::kNoise + l).entries);
    }
  }

  // z^2 / Z for each family of a group, in whole numbers over `parts`.
  [[nodiscard]] std::vector<Integer> shares(const Group& group, Integer& parts) const {
    std::vector<Rational> numbers(form_.scales.size());
    for (const auto* key : group.keys) {
      if (numbers[key->family] != 0) continue;
      const Integer& scale = form_.scales[key->family];
      numbers[key->family] = make_rational(scale * scale * group.keys.size(), group.sum);
    }
    const exact::ScaledMatrix whole = exact::scaled({1, numbers.size(), numbers});
    parts = whole.denominator;
    return {&whole.entries(0, 0), &whole.entries(0, 0) + numbers.size()};
  }

  // sum_i |w_i|, and what goes with it.
  void add_insides(const Group& group, const PointImage::Group* at) {
    Integer parts;
    const std::vector<Integer> share = shares(group, parts);
    const Integer unit = parts * multipliers_.denominator;
    const Integer offset = kSteps * unit;
    Integer squares = 0, products = 0, insides = 0;
    Integer square, product, inside;
    for (const auto* key : group.keys) {
      const int x = at == nullptr ? 0 : at->x[key->l];
      square = product = inside = 0;
      add_product(square, share[key->family], multipliers_.keys[key->l]);
      add_product(product, form_.scales[key->family], image_.keys[key->l]);
      add_product(squares, square, kSteps * kSteps + x * x);
      add_product(products, product, x);
      add_product(inside, offset, key->offset);
      add_product(inside, unit, product);
      add_product(inside, square, -2 * x);
      add_magnitude(insides, inside);
    }
    total_ += over(insides, offset) + over(squares, kSteps * kSteps * unit) -
              over(products, kSteps * kSteps);
  }

  const WholeForm& form_;
  const PointImage& image_;
  const ShownMultipliers& multipliers_;
  std::vector<Group> groups_;
  std::vector<std::pair<Integer, const Integer*>> rows_;
  Integer query_slope_ = 0;
  Integer parts_ = 1;
  Rational total_;
};

}  // namespace

PointBound::PointBound(const WholeForm& form, const PointImage& image)
    : total_(PointSums(form, image).sum_up(h_, denominator_)) {}

Rational PointBound::at(const std::vector<int>& signs) const {
  Integer sum = 0;
  for (std::size_t k = 0; k < h_.size(); ++k) {
    if (signs[k] == 0) {
      add_magnitude(sum, h_[k]);
    } else {
      add_product(sum, h_[k], signs[k]);
    }
  }
  return total_ + make_rational(sum, denominator_);
}

}  // namespace sinkproof::check
