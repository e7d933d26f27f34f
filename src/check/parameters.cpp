#include "check/rejected.hpp"
#include "check/rules.hpp"

namespace sinkproof::check {

std::vector<std::vector<exact::Rational>> for_sides(const json::Value& value, const Head& head,
                                                    std::size_t count, const std::string& where) {
  require(value.is_array() && value.size() == 2 * head.width, where,
          "must have one entry for each coordinate and sign");
  std::vector<std::vector<exact::Rational>> result;
  for (const json::Value& entry : value) {
    require(entry.is_array() && entry.size() == count, where,
            "an entry must have " + std::to_string(count) + " numbers");
    std::vector<exact::Rational>& numbers = result.emplace_back();
    for (const json::Value& one : entry) {
      require(one.is_string(), where, "must hold rational strings");
      numbers.push_back(value_of(exact::parse_rational(one.get_ref<const std::string&>())));
    }
  }
  return result;
}

}  // namespace sinkproof::check
