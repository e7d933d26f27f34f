#include "attention/rules.hpp"
#include "certificate/rule.hpp"

namespace sinkproof::check {

std::vector<Positives> for_sides(const json::Value& parameters, const std::string& name,
                                 const Head& head, const Entries& entries) {
  const json::Value& value = parameters[name];
  require(value.is_array() && value.size() == 2 * head.width, name,
          "must have one entry for each coordinate and sign");
  const std::string count = entries.least == entries.most ? std::to_string(entries.most)
                                                          : std::to_string(entries.least) + " to " +
                                                                std::to_string(entries.most);
  std::vector<Positives> result;
  for (const json::Value& entry : value) {
    require(entry.is_array() && entries.least <= entry.size() && entry.size() <= entries.most, name,
            "an entry must have " + count + " numbers");
    Positives& numbers = result.emplace_back();
    for (const json::Value& one : entry) {
      auto& number = numbers.emplace_back();
      if (entries.may_be_null && one.is_null()) continue;
      require(one.is_string(), name, "must hold rational strings");
      number = value_of(exact::parse_rational(one.get_ref<const std::string&>()));
      require(*number > 0, name, "must be positive");
    }
  }
  return result;
}

}  // namespace sinkproof::check
