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
                            const ScaledMatrix& gram) {
  const std::string property = property_of(statement);
  if (property == "cost") return verify_cost(statement, evidence, gram);
  if (property == "infeasible") return verify_infeasible(statement, evidence, gram);
  if (property == "representable") return verify_representable(statement, evidence, gram);
  if (property == "hull-distance") return verify_hull_distance(statement, evidence, gram);
  if (property == "switch") return verify_switch(statement, evidence, gram);
  throw Rejected{{"SP0901", "property", "is none of the properties of given vectors"}};
}

}  // namespace sinkproof::check
