#include "check/obligations.hpp"

#include "check/rejected.hpp"

namespace sinkproof::check {

using certificate::sum_of;

const std::string& Obligations::next_tree(std::uint64_t forms, bool has_exp,
                                          const std::string& where) {
  require(next_ < proof_.trees.size(), where, "there is no tree for it");
  const std::string& tree = proof_.trees[next_++];
  const std::uint64_t words =
      certificate::words_of(sum_of({2 * cost_.bits, 8 * cost_.longest, 64}));
  work_.spend({forms, cost_.width, sum_of({20 * cost_.width, 2 * tree.size()}), words}, "tree");
  if (has_exp) work_.spend({500, forms, tree.size()}, "tree");
  return tree;
}

void Obligations::at_most(const SignForm& form, const exact::Rational& bound,
                          const std::string& where) {
  walk_tree({form}, proof_.order, next_tree(1, false, where), where,
            [&](const std::vector<exact::Rational>& bounds) {
              require(bounds[0] <= bound, where, "a leaf's bound exceeds what is claimed");
            });
}

void Obligations::at_leaves(std::uint64_t counted,
                            const std::function<const std::vector<SignForm>&()>& forms,
                            const std::string& where, const LeafCheck& leaf) {
  const std::string& tree = next_tree(counted, false, where);
  walk_tree(forms(), proof_.order, tree, where, leaf);
}

void Obligations::at_leaves_with_exp(const std::vector<SignForm>& forms, std::uint64_t counted,
                                     const std::string& where, const LeafCheck& leaf) {
  walk_tree(forms, proof_.order, next_tree(counted, true, where), where, leaf);
}

void Obligations::finish() const {
  require(next_ == proof_.trees.size(), "proof.trees", "more trees than the rule asks for");
}

}  // namespace sinkproof::check
