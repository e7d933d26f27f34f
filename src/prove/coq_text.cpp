#include "prove/coq_text.hpp"

#include <algorithm>
#include <set>

namespace sinkproof::prove {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'';
}

const std::set<std::string, std::less<>>& forbidden_words() {
  static const std::set<std::string, std::less<>> words = {
      "Axiom", "Axioms",  "Parameter",    "Parameters", "Conjecture", "Conjectures", "Admitted",
      "admit", "give_up", "bypass_check", "Checking",   "Redirect",   "Load",        "Declare"};
  return words;
}

// What ends a sentence: a point before white space. No word of Coq's is a point.
constexpr std::string_view kEnd = ".";

// The words outside comments, with kEnd where a sentence ends.
std::vector<std::string> words_of(std::string_view text) {
  const std::string kept = without_coq_comments(text) + " ";
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (is_word_character(kept[i])) {
      word += kept[i];
      continue;
    }
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
    if (kept[i] == '.' && std::string_view(" \t\r\n").find(kept[i + 1]) != std::string_view::npos) {
      words.emplace_back(kEnd);
    }
  }
  return words;
}

}  // namespace

std::string without_coq_comments(std::string_view text) {
  std::string kept;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view pair = text.substr(i, 2);
    if (text[i] == '"') in_string = !in_string;
    if (!in_string && pair == "(*") {
      ++depth;
      ++i;
    } else if (!in_string && depth > 0 && pair == "*)") {
      --depth;
      ++i;
      kept += ' ';
    } else if (depth == 0) {
      kept += text[i];
    }
  }
  return kept;
}

std::optional<std::string> forbidden_coq_word(std::string_view text) {
  for (const std::string& word : words_of(text)) {
    if (forbidden_words().contains(word)) return word;
  }
  return std::nullopt;
}

std::set<std::string> coq_required_words(std::string_view text) {
  std::set<std::string> required;
  std::vector<std::string> sentence;
  for (std::string& word : words_of(text)) {
    if (word != kEnd) {
      sentence.push_back(std::move(word));
      continue;
    }
    if (std::find(sentence.begin(), sentence.end(), "Require") != sentence.end()) {
      required.insert(sentence.begin(), sentence.end());
    }
    sentence.clear();
  }
  return required;
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
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.empty() || line[0] == ' ') continue;  // the type of the axiom above
    const std::string_view name(line.begin(), std::find(line.begin(), line.end(), ' '));
    if (!std::all_of(name.begin(), name.end(),
                     [](char c) { return is_word_character(c) || c == '.'; })) {
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
