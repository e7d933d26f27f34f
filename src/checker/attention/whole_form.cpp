#include "attention/whole_form.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::make_rational;
using exact::Rational;

// The least common denominator so far, and numbers over it.
class Denominator {
 public:
  void include(const Rational& value, const Integer& beside = 1) {
    if (value == 0) return;
    const Integer own = boost::multiprecision::denominator(value) * beside;
    common_ = boost::multiprecision::lcm(common_, own);
  }
  void include(const AffineForm& form) {
    include(form.constant);
    for (const auto& part : form.parts) include(part.factor, *part.row.denominator);
  }

  // value / beside. Precondition: they were included.
  [[nodiscard]] Integer scaled(const Rational& value, const Integer& beside = 1) const {
    if (value == 0) return 0;
    const Integer own = boost::multiprecision::denominator(value) * beside;
    return boost::multiprecision::numerator(value) * Integer(common_ / own);
  }
  [[nodiscard]] WholeForm::Affine scaled(const AffineForm& form, std::size_t dimension) const {
    WholeForm::Affine result{scaled(form.constant), std::vector<Integer>(dimension)};
    for (const auto& part : form.parts) {
      const Integer factor = scaled(part.factor, *part.row.denominator);
      for (std::size_t k = 0; k < dimension && factor != 0; ++k) {
        add_product(result.linear[k], factor, part.row.entries[k]);
      }
    }
    return result;
  }

  [[nodiscard]] const Integer& common() const { return common_; }

 private:
  Integer common_ = 1;
};

}  // namespace

WholeForm::WholeForm(const SignForm& form) : coupling(form.coupling) {
  const Integer unit = coupling == nullptr ? Integer(1) : coupling->denominator();
  const auto of_values = [](const SignForm::OfKeys& family) {
    return family.values.entries == nullptr ? Rational(0) : family.weight;
  };
  Denominator common;
  common.include(form.sum);
  common.include(form.own, unit);
  for (const AffineForm& one : form.absolute) common.include(one);
  for (const auto& family : form.of_keys) {
    common.include(family.scale, unit);
    if (of_values(family) != 0) common.include(family.weight, *family.values.denominator);
  }

  denominator = common.common();
  sum = common.scaled(form.sum, form.dimension);
  own = common.scaled(form.own, unit);
  for (const AffineForm& one : form.absolute) {
    absolute.push_back(common.scaled(one, form.dimension));
  }
  for (const auto& family : form.of_keys) {
    const bool valued = of_values(family) != 0;
    const Integer weight =
        valued ? common.scaled(family.weight, *family.values.denominator) : Integer(0);
    const Integer& scale = scales.emplace_back(common.scaled(family.scale, unit));
    for (std::size_t l = family.first; l < family.last; ++l) {
      if (l == family.without) continue;
      Integer& offset = keys.emplace_back(Key{l, scales.size() - 1, 0}).offset;
      if (valued) offset = weight * family.values.entries[l];
      if (family.start != nullptr) add_product(offset, scale, family.start[l]);
    }
  }
}

void WholeForm::add_reach(Integer& total, const Key& key) const {
  add_magnitude(total, key.offset);
  // key_sum is not negative.
  const Integer& scale = scales[key.family];
  const auto add = scale < 0 ? &mpz_submul : &mpz_addmul;
  add(total.backend().data(), scale.backend().data(), coupling->key_sum(key.l).backend().data());
}

void WholeForm::add_reach(Integer& total, const Affine& affine) {
  add_magnitude(total, affine.constant);
  for (const Integer& entry : affine.linear) add_magnitude(total, entry);
}

Rational WholeForm::root_bound() const {
  Integer total = sum.constant;
  for (const Integer& entry : sum.linear) add_magnitude(total, entry);
  if (own != 0) add_product(total, boost::multiprecision::abs(own), coupling->own_sum());
  for (const Key& key : keys) add_reach(total, key);
  for (const Affine& one : absolute) add_reach(total, one);
  return make_rational(total, denominator);
}

Rational swing_of(const AffineForm& form, std::size_t dimension) {
  Denominator common;
  common.include({0, form.parts});
  Integer total = 0;
  WholeForm::add_reach(total, common.scaled({0, form.parts}, dimension));
  return make_rational(total, common.common());
}

}  // namespace sinkproof::check
