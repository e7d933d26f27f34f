#include "text/html.hpp"

#include <algorithm>
#include <cstddef>

#include "text/printable.hpp"

namespace sinkproof::text {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

// A number's digits, or one letter that stands for them.
bool is_term(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.size() == 1 && letter(text[0])) return true;
  return !text.empty() && std::all_of(text.begin(), text.end(), digit);
}

bool is_quotient(std::string_view word) {
  if (!word.empty() && word.front() == '-') word.remove_prefix(1);
  const std::size_t slash = word.find('/');
  return slash != std::string_view::npos && is_term(word.substr(0, slash)) &&
         is_term(word.substr(slash + 1));
}

std::string_view last_component(std::string_view word) {
  while (!word.empty() && word.back() == '/') word.remove_suffix(1);
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

bool ends_word(char c) {
  return std::string_view(" \t\n,;:\"'()<>[]{}=").find(c) != std::string_view::npos;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    const std::string_view name = entity(c);
    if (name.empty()) {
      safe += c;
    } else {
      safe += name;
    }
  }
  return safe;
}

std::string file_name(const std::filesystem::path& path) { return path.filename().string(); }

std::string without_folders(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && !ends_word(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    result += is_quotient(word) ? word : last_component(word);
    if (end < text.size()) result += text[end++];
    at = end;
  }
  return result;
}

std::string shell_word(const std::string& name) {
  const auto safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/';
  };
  std::string word = name.starts_with('-') ? "./" + name : name;
  if (!word.empty() && std::all_of(word.begin(), word.end(), safe)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace sinkproof::text
