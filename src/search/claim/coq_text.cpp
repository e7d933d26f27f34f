#include "claim/coq_text.hpp"

#include <algorithm>
#include <regex>
#include <set>

#include "claim/matches.hpp"

namespace sinkproof::claim {

bool is_coq_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'';
}

std::vector<CoqComment> coq_comments(std::string_view text) {
  std::vector<CoqComment> comments;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view pair = text.substr(i, 2);
    if (text[i] == '"') in_string = !in_string;
    if (in_string) continue;
    if (pair == "(*") {
      if (depth++ == 0) comments.push_back({i, text.size()});
      ++i;
    } else if (depth > 0 && pair == "*)") {
      ++i;
      if (--depth == 0) comments.back().end = i + 1;
    }
  }
  return comments;
}

std::string without_coq_comments(std::string_view text) {
  std::string kept(text);
  for (const auto& [begin, end] : coq_comments(text)) {
    for (std::size_t i = begin; i < end; ++i) {
      if (kept[i] != '\n') kept[i] = ' ';
    }
  }
  return kept;
}

// A point before white space ends a command: no name, number or `..` has one there.
std::vector<CoqRange> coq_command_ranges(std::string_view text) {
  const std::string kept = without_coq_comments(text) + " ";
  constexpr std::string_view blank = " \t\r\n";
  std::vector<CoqRange> ranges;
  std::size_t begin = kept.find_first_not_of(blank);
  for (std::size_t i = begin; begin != std::string::npos && i + 1 < kept.size(); ++i) {
    if (kept[i] != '.' || blank.find(kept[i + 1]) == std::string_view::npos) continue;
    ranges.push_back({begin, i});
    begin = kept.find_first_not_of(blank, i + 1);
    i = begin - 1;
  }
  if (begin != std::string::npos) ranges.push_back({begin, kept.find_last_not_of(blank) + 1});
  return ranges;
}

std::vector<std::string> coq_commands(std::string_view text) {
  const std::string kept = without_coq_comments(text);
  std::vector<std::string> commands;
  for (const auto& [begin, end] : coq_command_ranges(text)) {
    commands.push_back(kept.substr(begin, end - begin));
  }
  return commands;
}

std::vector<std::string> coq_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    if (is_coq_word_character(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

std::string coq_preamble(std::string_view text) {
  std::string preamble;
  for (std::string command : coq_commands(text)) {
    const std::vector<std::string> words = coq_words(command);
    if (words.empty() || (words[0] != "From" && words[0] != "Open")) continue;
    std::replace(command.begin(), command.end(), '\n', ' ');
    preamble += command + ".\n";
  }
  return preamble;
}

bool defines_something(const std::vector<std::string>& words) {
  static const std::set<std::string> kinds = {"Definition", "Fixpoint", "Record", "Inductive"};
  return words.size() > 1 && kinds.contains(words[0]);
}

std::vector<std::string> coq_introduced(std::string_view text) {
  static const std::regex field(R"([{;]\s*([A-Za-z_][\w']*)\s*:[^=])");
  static const std::regex builder(R"(:=\s*([A-Za-z_][\w']*)\s*\{)");
  static const std::regex constructor(R"([|=]\s*([A-Za-z_][\w']*)\s*(?=[:|.]))");
  std::vector<std::string> names;
  for (const std::string& command : coq_commands(text)) {
    const std::vector<std::string> words = coq_words(command);
    if (!defines_something(words)) continue;
    names.push_back(words[1]);
    std::vector<std::regex> patterns;
    if (words[0] == "Record") patterns = {field, builder};
    if (words[0] == "Inductive") patterns = {constructor};
    for (const std::regex& pattern : patterns) {
      for (std::string& name : matches(command + ".", pattern)) names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace sinkproof::claim
