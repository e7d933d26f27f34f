#include "check/obligations.hpp"

#include <algorithm>

#include "check/rejected.hpp"

namespace sinkproof::check {

using certificate::sum_of;

Obligations::Obligations(const certificate::Proof& proof, const TreeCost& cost,
                         certificate::Work& work)
    : proof_(proof), cost_(cost), work_(work) {
  std::uint64_t strings = 0;
  for (const certificate::Point& point : proof.points) strings += point.size();
  const std::uint64_t words = certificate::words_of(sum_of({2 * cost.bits, 64}));
  work_.spend({4, cost.heads, strings, cost.width, cost.width, words}, "points");
}

// Where nothing is coupled, only that the point is there matters.
const PointImage& Obligations::image(const Coupling* coupling, std::size_t point) {
  require(point < proof_.points.size(), "proof.points", "there is no point of that number");
  const auto [found, is_new] = images_.try_emplace({coupling, point});
  if (is_new && coupling != nullptr) {
    require(coupling->multipliers() != nullptr, "multipliers", "points need them");
    found->second = coupling->image(proof_.points[point]);
  }
  return found->second;
}

const std::string& Obligations::next_tree(std::uint64_t forms, bool has_exp,
                                          const std::string& where) {
  require(next_ < proof_.trees.size(), where, "there is no tree for it");
  const std::string& tree = proof_.trees[next_++];
  const std::uint64_t words =
      certificate::words_of(sum_of({2 * cost_.bits, 8 * cost_.longest, 64}));
  const bool splits = tree.starts_with('1');
  const auto points = static_cast<std::uint64_t>(std::count(tree.begin(), tree.end(), '['));
  const std::uint64_t visits =
      sum_of({20 * (splits ? cost_.width : 1), 2 * tree.size(), 20 * points});
  work_.spend({forms, cost_.width, visits, words}, "tree");
  if (has_exp) work_.spend({500, forms, tree.size()}, "tree");
  return tree;
}

void Obligations::at_most(const SignForm& form, const exact::Rational& bound,
                          const std::string& where) {
  walk({form}, next_tree(1, false, where), where, [&](const std::vector<exact::Rational>& bounds) {
    require(bounds[0] <= bound, where, "a leaf's bound exceeds what is claimed");
  });
}

void Obligations::at_leaves(std::uint64_t counted,
                            const std::function<const std::vector<SignForm>&()>& forms,
                            const std::string& where, const LeafCheck& leaf) {
  const std::string& tree = next_tree(counted, false, where);
  walk(forms(), tree, where, leaf);
}

void Obligations::at_leaves_with_exp(const std::vector<SignForm>& forms, std::uint64_t counted,
                                     const std::string& where, const LeafCheck& leaf) {
  walk(forms, next_tree(counted, true, where), where, leaf);
}

void Obligations::walk(const std::vector<SignForm>& forms, const std::string& tree,
                       const std::string& where, const LeafCheck& leaf) {
  const Images images = [this](const Coupling* coupling, std::size_t point) -> const PointImage& {
    return image(coupling, point);
  };
  walk_tree(forms, proof_.order, tree, images, where, leaf);
}

void Obligations::finish() const {
  require(next_ == proof_.trees.size(), "proof.trees", "more trees than the rule asks for");
}

}  // namespace sinkproof::check
