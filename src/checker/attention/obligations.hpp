// The one loop over proofs by trees: a rule names its obligations one after the other, each is
// walked over the next tree of the proof. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "attention/sign_form.hpp"
#include "certificate/proof.hpp"

namespace sinkproof::check {

class Obligations {
 public:
  // `proof` must outlive it.
  explicit Obligations(const certificate::Trees& proof) : proof_(proof) {}

  // The next tree proves form <= bound. Throws Rejected otherwise.
  void at_most(const SignForm& form, const exact::Rational& bound, const std::string& where);
  // `leaf` holds at every leaf of the next tree.
  void at_leaves(const std::vector<SignForm>& forms, const std::string& where,
                 const LeafCheck& leaf);
  // Every tree was used.
  void finish() const;

 private:
  const std::string& next_tree(const std::string& where);
  const PointImage& image(const Coupling* coupling, std::size_t point);

  const certificate::Trees& proof_;
  std::size_t next_ = 0;
  std::map<std::pair<const Coupling*, std::size_t>, PointImage> images_;
};

}  // namespace sinkproof::check
