#include "check/vector_property.hpp"

#include <string>

#include "certificate/fields.hpp"
#include "check/cost.hpp"
#include "check/hull.hpp"
#include "check/rejected.hpp"

namespace sinkproof::check {

std::string property_of(const json::Value& statement) {
  return value_of(certificate::string_field(statement, "property", "statement"));
}

void verify_vector_property(const json::Value& statement, const json::Value& evidence,
                            const ScaledMatrix& gram, const PropertyWork& work) {
  const std::string property = property_of(statement);
  const std::uint64_t count = gram.rows();
  const bool of_hull = property == "hull-distance" || property == "switch";
  const std::uint64_t bits = (of_hull ? 2 : 6) * work.bits + 8 * work.longest + 64;
  const std::uint64_t products = of_hull ? count * count : 4 * count * count * count;
  value_of(work.work.spend({products, certificate::cost_of(bits)}, property));
  if (property == "cost") return verify_cost(statement, evidence, gram, work.work);
  if (property == "infeasible") return verify_infeasible(statement, evidence, gram);
  if (property == "representable") return verify_representable(statement, evidence, gram);
  if (property == "hull-distance") return verify_hull_distance(statement, evidence, gram);
  if (property == "switch") return verify_switch(statement, evidence, gram);
  throw Rejected{{"SP0901", "property", "is none of the properties of given vectors"}};
}

}  // namespace sinkproof::check
