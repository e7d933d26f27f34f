// The one loop over proofs by trees: a rule names its obligations one after the other, each is
// walked over the next tree of the proof. CHECKPOINT_RULES.md, 4.5.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "certificate/checkpoint.hpp"
#include "certificate/work.hpp"
#include "check/sign_form.hpp"

namespace sinkproof::check {

// What a tree costs beside its own length: FORMAT.md, section 7.
struct TreeCost {
  std::uint64_t heads;    // H
  std::uint64_t width;    // n
  std::uint64_t bits;     // B
  std::uint64_t longest;  // D'
};

class Obligations {
 public:
  // All three must outlive it.
  Obligations(const certificate::Proof& proof, const TreeCost& cost, certificate::Work& work);

  // The next tree proves form <= bound. Throws Rejected otherwise.
  void at_most(const SignForm& form, const exact::Rational& bound, const std::string& where);
  // `leaf` holds at every leaf of the next tree, which is counted as one for `counted` forms,
  // before they are made.
  void at_leaves(std::uint64_t counted, const std::function<const std::vector<SignForm>&()>& forms,
                 const std::string& where, const LeafCheck& leaf);
  // The same for a `leaf` that takes exp of every leaf bound.
  void at_leaves_with_exp(const std::vector<SignForm>& forms, std::uint64_t counted,
                          const std::string& where, const LeafCheck& leaf);
  // Every tree was used.
  void finish() const;

  [[nodiscard]] const json::Value& parameters() const { return proof_.parameters; }

 private:
  const std::string& next_tree(std::uint64_t forms, bool has_exp, const std::string& where);
  void walk(const std::vector<SignForm>& forms, const std::string& tree, const std::string& where,
            const LeafCheck& leaf);
  const PointImage& image(const Coupling* coupling, std::size_t point);

  const certificate::Proof& proof_;
  const TreeCost& cost_;
  certificate::Work& work_;
  std::size_t next_ = 0;
  std::map<std::pair<const Coupling*, std::size_t>, PointImage> images_;
};

}  // namespace sinkproof::check
