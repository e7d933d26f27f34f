#include "cli/error_codes.hpp"

namespace sinkproof::cli {

// A row is "| CODE | MEANING | REMEDY |".
std::optional<ErrorCode> error_code(std::string_view code) {
  const std::string begin = "| " + std::string(code) + " | ";
  const std::size_t at = kErrorCodes.find("\n" + begin);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view row = kErrorCodes.substr(at + 1 + begin.size());
  row = row.substr(0, row.find('\n'));
  const std::size_t middle = row.find(" | ");
  const std::size_t end = row.rfind(" |");
  return ErrorCode{std::string(row.substr(0, middle)),
                   std::string(row.substr(middle + 3, end - middle - 3))};
}

}  // namespace sinkproof::cli
