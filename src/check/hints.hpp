// Reading the parts of a `proof` object that several rules share. Each throws Rejected.
#pragma once

#include <string>
#include <vector>

#include "check/head.hpp"
#include "check/sign_form.hpp"
#include "json/strict.hpp"

namespace sinkproof::check {

exact::Rational number(const json::Value& object, const std::string& key, const std::string& where);
std::string text(const json::Value& object, const std::string& key, const std::string& where);
void keys(const json::Value& object, const std::vector<std::string>& expected,
          const std::string& where);

// `order` of a proof: a permutation of 0..d-1.
Order read_order(const json::Value& proof, const Head& head);

// `trees` of a coordinate object: exactly `count` of them.
std::vector<std::string> read_trees(const json::Value& object, std::size_t count,
                                    const std::string& where);

// One element of `coordinates`: which coordinate and side it is for, and where it stands.
struct Side {
  std::size_t r;
  int s;
  std::string where;  // "coordinate 3, sign -1"
};

// The 2n objects of `coordinates`, each with exactly `extra` keys beside coordinate and sign, in
// their order; `visit` is called for each.
template <typename Visit>
void for_each_side(const json::Value& proof, const Head& head, std::vector<std::string> extra,
                   const Visit& visit);

// Implementation of the loop's checks: the object at `index` and what it must be for.
Side read_side(const json::Value& list, std::size_t index,
               const std::vector<std::string>& expected);
const json::Value& side_list(const json::Value& proof, const Head& head);

template <typename Visit>
void for_each_side(const json::Value& proof, const Head& head, std::vector<std::string> extra,
                   const Visit& visit) {
  extra.emplace_back("coordinate");
  extra.emplace_back("sign");
  const json::Value& list = side_list(proof, head);
  for (std::size_t index = 0; index < list.size(); ++index) {
    visit(read_side(list, index, extra), list[index]);
  }
}

// s * V[r][flag], and s * V[r][noise l].
exact::Rational flag_value(const Head& head, const Side& side, std::size_t flag);
exact::Rational noise_value(const Head& head, const Side& side, std::size_t l);

}  // namespace sinkproof::check
