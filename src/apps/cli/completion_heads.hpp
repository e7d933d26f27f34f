// What each shell's completion begins with, whatever the commands are: completion/head.*.
#pragma once

#include <string_view>

namespace sinkproof::cli {

extern const std::string_view kBashHead;
extern const std::string_view kZshHead;
extern const std::string_view kFishHead;

}  // namespace sinkproof::cli
