#include "certificate/identity.hpp"

#include "certificate/expression.hpp"
#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

Identity read_identity(const json::Value& entry, const std::vector<std::string>& variables,
                       Work& work, const std::string& where) {
  keys(entry, {"left", "name", "right"}, where);
  std::string name = text(entry, "name", where);
  require(is_variable_name(name), where, "name is no name", "SP0503");
  require(entry["left"] != entry["right"], where, "both sides are the same text: this says nothing",
          "SP0503");
  return {std::move(name), read_expression(entry["left"], variables, work, where + ".left"),
          read_expression(entry["right"], variables, work, where + ".right")};
}

}  // namespace

std::vector<Identity> read_identities(const json::Value& value, Work& work,
                                      const std::string& where) {
  keys(value, {"identities", "scope", "variables"}, where);
  const std::vector<std::string> variables = read_variables(value, where);
  const json::Value& entries = list(value, "identities", where);
  require(!entries.empty(), where, "no identities: nothing is claimed", "SP0503");
  std::vector<Identity> identities;
  for (const json::Value& entry : entries) {
    Identity identity = read_identity(entry, variables, work, where + ".identities");
    require(identities.empty() || identities.back().name < identity.name, where,
            "identity names must be distinct and sorted", "SP0503");
    identities.push_back(std::move(identity));
  }
  return identities;
}

}  // namespace sinkproof::certificate
