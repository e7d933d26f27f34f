#include "measure/property.hpp"

#include <set>
#include <utility>

#include "write/write.hpp"

namespace sinkproof::measure {
namespace {

std::string statement_text(Property property) {
  json::Value statement = json::Value::object();
  write::Writer writer(statement);
  describe_statement(writer, property, certificate::kMaxVectors);
  return json::canonical(statement);
}

}  // namespace

json::Value vector_certificate(const certificate::VectorSource& source,
                               const std::string& claim_hash,
                               const std::vector<const Property*>& properties) {
  certificate::Vectors vectors{claim_hash, source, {}};
  std::set<std::string> stated;
  for (const Property* property : properties) {
    if (stated.insert(statement_text(*property)).second) vectors.properties.push_back(*property);
  }
  if (vectors.properties.empty()) return nullptr;
  return write::written(std::move(vectors), certificate::kMaxVectors);
}

certificate::Combination terms_of(const Combination<exact::Integer>& combination) {
  certificate::Combination terms;
  for (std::size_t s = 0; s < combination.support.size(); ++s) {
    if (combination.weights[s] == 0) continue;
    terms.push_back({combination.support[s], combination.weights[s]});
  }
  return terms;
}

}  // namespace sinkproof::measure
