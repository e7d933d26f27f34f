#include "certificate/whole.hpp"

namespace sinkproof::certificate {

exact::Result<exact::Integer> whole(const json::Value& value, std::size_t max_characters,
                                    const std::string& where) {
  const auto refuse = [&] {
    return exact::fail(
        "SP0503", where,
        "must be a whole number of at most " + std::to_string(max_characters) + " characters");
  };
  if (!value.is_string()) return refuse();
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > max_characters || text.find('/') != std::string::npos) return refuse();
  const auto number = exact::parse_rational(text);
  if (!number) return refuse();
  return boost::multiprecision::numerator(*number);
}

exact::Result<std::size_t> index_of(const json::Value& value, std::size_t count,
                                    const std::string& where) {
  if (!value.is_number_integer() || value < 0 || value >= count) {
    return exact::fail("SP0503", where,
                       "must be an integer from 0 to " + std::to_string(count - 1));
  }
  return value.get<std::size_t>();
}

}  // namespace sinkproof::certificate
