// Reading the fields of a certificate: each function takes the JSON object and the name of a field,
// and gives the value or throws Rejected, SP0503 naming the field where no other code is said.
// Nothing is optional and nothing is ignored: a reader first calls keys, so that a certificate
// cannot carry a field no rule has looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "certificate/strict.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

// Demands an object whose keys are exactly `expected` (in any order).
void keys(const json::Value& object, const std::vector<std::string>& expected,
          const std::string& where);

std::string text(const json::Value& object, const std::string& key, const std::string& where);
std::vector<std::string> texts(const json::Value& object, const std::string& key,
                               const std::string& where);
const json::Value& list(const json::Value& object, const std::string& key,
                        const std::string& where);
// A JSON integer in [least, most].
std::int64_t integer(const json::Value& object, const std::string& key, std::int64_t least,
                     std::int64_t most, const std::string& where);
std::size_t count(const json::Value& object, const std::string& key, std::uint64_t least,
                  std::uint64_t most, const std::string& where);

// A string that exact::parse_rational accepts (otherwise SP0101).
exact::Rational rational(const std::string& digits, const std::string& where);
exact::Rational number(const json::Value& object, const std::string& key, const std::string& where);
// A list of `count` rational strings.
std::vector<exact::Rational> rationals(const json::Value& list, std::size_t count,
                                       const std::string& where,
                                       const std::string& code = "SP0901");

// What `table` has under `name`; throws Rejected with `what` and `code` where it has nothing.
template <typename T>
const T& at(const std::map<std::string, T>& table, const std::string& name,
            const std::string& where, const std::string& what, const std::string& code = "SP0901") {
  const auto found = table.find(name);
  require(found != table.end(), where, what, code);
  return found->second;
}

}  // namespace sinkproof::certificate
