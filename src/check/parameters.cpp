#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {

std::vector<std::vector<exact::Rational>> for_sides(const json::Value& value, const Head& head,
                                                    std::size_t count, const std::string& where) {
  require(value.is_array() && value.size() == 2 * head.width, where,
          "must have one entry for each coordinate and sign");
  std::vector<std::vector<exact::Rational>> result;
  for (const json::Value& entry : value) {
    result.push_back(certificate::rationals(entry, count, where));
  }
  return result;
}

}  // namespace sinkproof::check
