// The bound of a form at a leaf with a point. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include "attention/whole_form.hpp"

namespace sinkproof::check {

class PointBound {
 public:
  // Precondition: the form's coupling has multipliers, and made the image.
  PointBound(const WholeForm& form, const PointImage& image);

  // `signs` are 0 for free coordinates, else 1 or -1.
  [[nodiscard]] exact::Rational at(const std::vector<int>& signs) const;

 private:
  std::vector<exact::Integer> h_;  // over `denominator_`
  exact::Integer denominator_;
  exact::Rational total_;  // all that does not depend on signs
};

}  // namespace sinkproof::check
