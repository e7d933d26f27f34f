#include "attention/obligations.hpp"

#include "certificate/rule.hpp"

namespace sinkproof::check {

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

const std::string& Obligations::next_tree(const std::string& where) {
  require(next_ < proof_.trees.size(), where, "there is no tree for it");
  return proof_.trees[next_++];
}

void Obligations::at_most(const SignForm& form, const exact::Rational& bound,
                          const std::string& where) {
  at_leaves({form}, where, [&](const std::vector<exact::Rational>& bounds) {
    require(bounds[0] <= bound, where, "a leaf's bound exceeds what is claimed");
  });
}

void Obligations::at_leaves(const std::vector<SignForm>& forms, const std::string& where,
                            const LeafCheck& leaf) {
  const std::string& tree = next_tree(where);
  const Images images = [this](const Coupling* coupling, std::size_t point) -> const PointImage& {
    return image(coupling, point);
  };
  walk_tree(forms, proof_.order, tree, images, where, leaf);
}

void Obligations::finish() const {
  require(next_ == proof_.trees.size(), "proof.trees", "more trees than the rule asks for");
}

}  // namespace sinkproof::check
