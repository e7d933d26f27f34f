// Text that is safe to show anywhere: whatever a file, a claim's id or a path holds, it becomes
// valid UTF-8 without characters that hide, overwrite or reorder what stands beside them. Every
// writer of report/ and ci/ starts from it and then escapes for its own format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sinkproof::text {

// `text` with bytes that are not UTF-8, hidden characters (json::is_hidden; not line feed and tab)
// and noncharacters replaced by U+FFFD, each by itself. What is left may stand in XML 1.0.
std::string printable(std::string_view text);

// `text` as it is up to `most` bytes; a longer one is cut between characters and ends in "...".
std::string shortened(std::string_view text, std::size_t most);

// printable(text) in one line: line feeds and tabs become spaces; shortened to `most` bytes.
std::string one_line(std::string_view text, std::size_t most = std::string_view::npos);

}  // namespace sinkproof::text
