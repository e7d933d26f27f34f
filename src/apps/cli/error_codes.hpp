// What docs/ERRORS_*.md says of each error code; the program carries its text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sinkproof::cli {

extern const std::string_view kErrorCodes;  // docs/ERRORS_*.md

struct ErrorCode {
  std::string meaning;
  std::string remedy;
};

// Nothing where there is no such code.
std::optional<ErrorCode> error_code(std::string_view code);

}  // namespace sinkproof::cli
