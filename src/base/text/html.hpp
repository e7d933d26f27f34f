// Text on its way into HTML or XML. Everything that comes from a file or a file's name passes
// through escape(), so that nothing a certificate, a claim or a model says can become markup.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace sinkproof::text {

// Safe as element content and inside a quoted attribute: & < > " ' become entities; bytes that are
// no UTF-8, control characters (but line feed and tab) and the characters that reverse the reading
// direction become U+FFFD.
std::string escape(std::string_view text);

// The last component of `path`, not escaped.
std::string file_name(const std::filesystem::path& path);

// `text` with each path in it cut down to its last component: the page says nothing about where
// files lie. A quotient of whole numbers or single letters ("p/q") stays.
std::string without_folders(std::string_view text);

// `name` as one word of a POSIX shell: as it is where that is safe, else quoted; a leading '-' is
// kept from being read as an option.
std::string shell_word(const std::string& name);

}  // namespace sinkproof::text
