#include "certificate/identity.hpp"

#include "certificate/expression.hpp"
#include "certificate/fields.hpp"

namespace sinkproof::certificate {
namespace {

exact::Result<Identity> read_identity(const json::Value& entry,
                                      const std::vector<std::string>& variables, Work& work,
                                      const std::string& where) {
  if (auto keys = only_keys(entry, {"left", "name", "right"}, where); !keys) {
    return tl::unexpected(keys.error());
  }
  auto name = string_field(entry, "name", where);
  if (!name) return tl::unexpected(name.error());
  if (!is_variable_name(*name)) return exact::fail("SP0503", where, "name is no name");
  if (entry.at("left") == entry.at("right")) {
    return exact::fail("SP0503", where, "both sides are the same text: this says nothing");
  }
  auto left = read_expression(entry.at("left"), variables, work, where + ".left");
  if (!left) return tl::unexpected(left.error());
  auto right = read_expression(entry.at("right"), variables, work, where + ".right");
  if (!right) return tl::unexpected(right.error());
  return Identity{std::move(*name), std::move(*left), std::move(*right)};
}

}  // namespace

exact::Result<std::vector<Identity>> read_identities(const json::Value& value, Work& work,
                                                     const std::string& where) {
  if (auto keys = only_keys(value, {"identities", "scope", "variables"}, where); !keys) {
    return tl::unexpected(keys.error());
  }
  const auto variables = read_variables(value, where);
  if (!variables) return tl::unexpected(variables.error());
  const auto list = array_field(value, "identities", where);
  if (!list) return tl::unexpected(list.error());
  if ((*list)->empty()) return exact::fail("SP0503", where, "no identities: nothing is claimed");
  std::vector<Identity> identities;
  for (const json::Value& entry : **list) {
    auto identity = read_identity(entry, *variables, work, where + ".identities");
    if (!identity) return tl::unexpected(identity.error());
    if (!identities.empty() && identities.back().name >= identity->name) {
      return exact::fail("SP0503", where, "identity names must be distinct and sorted");
    }
    identities.push_back(std::move(*identity));
  }
  return identities;
}

}  // namespace sinkproof::certificate
