#include "check/hints.hpp"

#include "certificate/fields.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {

exact::Rational number(const json::Value& object, const std::string& key,
                       const std::string& where) {
  return value_of(certificate::rational_field(object, key, where));
}

std::string text(const json::Value& object, const std::string& key, const std::string& where) {
  return value_of(certificate::string_field(object, key, where));
}

void keys(const json::Value& object, const std::vector<std::string>& expected,
          const std::string& where) {
  value_of(certificate::only_keys(object, expected, where));
}

Order read_order(const json::Value& proof, const Head& head) {
  const json::Value& list = *value_of(certificate::array_field(proof, "order", "proof"));
  require(list.size() == head.noise, "proof.order", "must be a permutation of 0..d-1");
  std::vector<bool> seen(head.noise, false);
  Order order;
  for (const json::Value& entry : list) {
    require(entry.is_number_unsigned(), "proof.order", "must hold integers");
    const auto k = entry.get<std::uint64_t>();
    require(k < head.noise && !seen[k], "proof.order", "must be a permutation of 0..d-1");
    seen[k] = true;
    order.push_back(k);
  }
  return order;
}

std::vector<std::string> read_trees(const json::Value& object, std::size_t count,
                                    const std::string& where) {
  std::vector<std::string> trees = value_of(certificate::strings_field(object, "trees", where));
  require(trees.size() == count, where, "wrong number of trees");
  return trees;
}

const json::Value& side_list(const json::Value& proof, const Head& head) {
  const json::Value& list = *value_of(certificate::array_field(proof, "coordinates", "proof"));
  require(list.size() == 2 * head.width, "proof.coordinates", "must have two objects a coordinate");
  return list;
}

Side read_side(const json::Value& list, std::size_t index,
               const std::vector<std::string>& expected) {
  const json::Value& object = list[index];
  const auto r = static_cast<std::int64_t>(index / 2);
  const int s = index % 2 == 0 ? 1 : -1;
  const std::string where = "coordinate " + std::to_string(r) + ", sign " + std::to_string(s);
  keys(object, expected, where);
  value_of(certificate::integer_field(object, "coordinate", r, r, where));
  value_of(certificate::integer_field(object, "sign", s, s, where));
  return {static_cast<std::size_t>(r), s, where};
}

exact::Rational flag_value(const Head& head, const Side& side, std::size_t flag) {
  return side.s * head.value(side.r, flag);
}

exact::Rational noise_value(const Head& head, const Side& side, std::size_t l) {
  return side.s * head.value(side.r, kNoise + l);
}

}  // namespace sinkproof::check
