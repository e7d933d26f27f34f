#include "measure/property.hpp"

#include <algorithm>

namespace sinkproof::measure {
namespace {

json::Value input_entry(const certificate::VectorSource& source) {
  json::Value head = nullptr;
  if (source.head) {
    head = {{"sha256", source.head->sha256},
            {"prefix", source.head->prefix},
            {"num_heads", source.head->num_heads},
            {"head", source.head->head}};
  }
  return {{"sha256", source.sha256}, {"tensor", source.tensor}, {"head", std::move(head)}};
}

}  // namespace

json::Value vector_certificate(const certificate::VectorSource& source,
                               const std::string& claim_hash,
                               const std::vector<const Property*>& properties) {
  json::Value list = json::Value::array();
  for (const Property* property : properties) {
    const auto same = [&](const json::Value& other) {
      return other["statement"] == property->statement;
    };
    if (std::none_of(list.begin(), list.end(), same)) {
      list.push_back({{"statement", property->statement}, {"evidence", property->evidence}});
    }
  }
  if (list.empty()) return nullptr;
  return {{"format", 1},
          {"kind", "vectors"},
          {"claim", "vectors"},
          {"claim_sha256", claim_hash},
          {"input", input_entry(source)},
          {"properties", std::move(list)}};
}

json::Value sparse_json(const Combination<exact::Integer>& combination) {
  json::Value list = json::Value::array();
  for (std::size_t s = 0; s < combination.support.size(); ++s) {
    if (combination.weights[s] == 0) continue;
    list.push_back({combination.support[s], combination.weights[s].str()});
  }
  return list;
}

}  // namespace sinkproof::measure
