#include "prove/coq_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <sstream>

#include "certificate/split.hpp"
#include "claim/coq_text.hpp"

namespace sinkproof::prove {

std::set<std::string> coq_required_words(std::string_view text) {
  std::set<std::string> required;
  for (const std::string& command : claim::coq_commands(text)) {
    const std::vector<std::string> words = claim::coq_words(command);
    if (std::find(words.begin(), words.end(), "Require") == words.end()) continue;
    required.insert(words.begin(), words.end());
  }
  return required;
}

std::vector<std::string> words_at_blanks(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

std::size_t coq_complaint_line(const std::string& complaint) {
  constexpr std::string_view mark = "line ";
  const std::size_t at = complaint.find(mark);
  if (at == std::string::npos) return 0;
  return std::strtoul(complaint.c_str() + at + mark.size(), nullptr, 10);
}

std::string without_coq_questions(std::string_view text, std::size_t count) {
  for (; count > 0; --count) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    text = text.substr(0, text.rfind('\n') + 1);
  }
  return std::string(text);
}

exact::Result<std::vector<std::string>> parse_assumptions(std::string_view output,
                                                          const std::string& where) {
  constexpr std::string_view closed = "Closed under the global context\n";
  constexpr std::string_view header = "Axioms:\n";
  if (output == closed) return std::vector<std::string>{};
  const auto refuse = [&] {
    return exact::fail("SP0712", where, "cannot read what Print Assumptions printed");
  };
  if (!output.starts_with(header)) return refuse();
  output.remove_prefix(header.size());
  std::vector<std::string> names;
  for (const std::string_view line : certificate::split(output, "\n")) {
    if (line.empty() || line[0] == ' ') continue;  // the type of the axiom above
    const std::string_view name(line.begin(), std::find(line.begin(), line.end(), ' '));
    if (!std::all_of(name.begin(), name.end(),
                     [](char c) { return claim::is_coq_word_character(c) || c == '.'; })) {
      return refuse();
    }
    names.emplace_back(name);
  }
  if (names.empty()) return refuse();
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace sinkproof::prove
