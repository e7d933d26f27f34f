#include "check/point_bound.hpp"

namespace sinkproof::check {
namespace {

using exact::Rational;
using Numbers = std::vector<Rational>;
using Group = std::vector<const SignForm::Absolute*>;

constexpr std::size_t kMaxGroups = 7;

// The n-th absolute value of a key coordinate is in group n; those with (next to) no factor are of
// none.
std::vector<Group> groups_of(const SignForm& form) {
  std::vector<Group> groups;
  std::vector<std::size_t> seen(form.dimension());
  Rational least = 0;
  for (const SignForm::Absolute& term : form.absolute) {
    least = exact::max(least, exact::abs(term.scale));
  }
  least *= exact::power_of_two(-20);
  for (const SignForm::Absolute& term : form.absolute) {
    const bool has_key = term.key && exact::abs(term.scale) > least;
    const std::size_t g = has_key ? seen[*term.key]++ : kMaxGroups;
    if (g >= groups.size()) groups.resize(g + 1);
    groups[g].push_back(&term);
  }
  return groups;
}

// Sums up h, and everything that does not depend on it.
class PointBound {
 public:
  PointBound(const SignForm& form, const PointImage& image)
      : form_(form), image_(image), h_(form.linear), total_(form.constant) {}

  Rational at(const std::vector<int>& signs) {
    if (form_.own != 0) add_own();
    const std::vector<Group> groups = groups_of(form_);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (g < kMaxGroups && groups[g].size() > 1) {
        add_group(groups[g], g < image_.groups.size() ? &image_.groups[g] : nullptr);
      } else {
        for (const auto* term : groups[g]) total_ += reach(form_, *term);
      }
    }
    for (std::size_t k = 0; k < h_.size(); ++k) {
      total_ += signs[k] == 0 ? exact::abs(h_[k]) : signs[k] * h_[k];
    }
    return total_;
  }

 private:
  // factor * multiplier_k (1 + y_k^2), and its share of h.
  void add_squares(const Rational& factor, const Numbers& multiplier) {
    Rational sum = 0;
    for (std::size_t k = 0; k < h_.size(); ++k) {
      const Rational slope = multiplier[k] * image_.y[k];
      h_[k] -= 2 * factor * slope;
      sum += multiplier[k] + slope * image_.y[k];
    }
    total_ += factor * sum;
  }

  void add_own() {
    add_squares(exact::abs(form_.own), form_.coupling->multipliers()->own);
    Rational product = 0;
    for (std::size_t k = 0; k < h_.size(); ++k) {
      h_[k] += form_.own * image_.own[k];
      product += image_.y[k] * image_.own[k];
    }
    total_ -= form_.own * product / 2;
  }

  void add_group(const Group& group, const PointImage::Group* at) {
    const certificate::Multipliers& multipliers = *form_.coupling->multipliers();
    Rational mean = 0;
    for (const auto* term : group) mean += exact::abs(term->scale);
    mean /= group.size();
    add_squares(mean, multipliers.queries);
    if (at != nullptr) add_products(group, *at);
    Rational squares = 0;
    Rational products = 0;
    for (const auto* term : group) {
      const std::size_t l = *term->key;
      const Rational x = at == nullptr ? Rational(0) : at->x[l];
      const Rational alpha = term->scale * term->scale * multipliers.keys[l];
      const Rational key = term->scale * image_.keys[l];
      squares += alpha * (1 + x * x);
      products += x * key;
      total_ += exact::abs(term->offset + key - 2 * alpha * x / mean);
    }
    total_ += squares / mean - products;
  }

  // sum_i z_i N_kl x_l to each h_k: most z_i are one number, for which the product is known.
  void add_products(const Group& group, const PointImage::Group& at) {
    Numbers scale(h_.size());
    for (const auto* term : group) scale[*term->key] = term->scale;
    const Rational& usual = group.front()->scale;
    for (std::size_t k = 0; k < h_.size(); ++k) h_[k] += usual * at.product[k];
    for (std::size_t l = 0; l < h_.size(); ++l) {
      const Rational other = (scale[l] - usual) * at.x[l];
      if (other == 0) continue;
      for (std::size_t k = 0; k < h_.size(); ++k) h_[k] += other * form_.coupling->noise(k, l);
    }
  }

  const SignForm& form_;
  const PointImage& image_;
  Numbers h_;
  Rational total_;
};

}  // namespace

Rational point_bound(const SignForm& form, const PointImage& image, const std::vector<int>& signs) {
  return PointBound(form, image).at(signs);
}

}  // namespace sinkproof::check
