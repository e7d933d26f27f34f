#include "prove/coq_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "claim/coq_text.hpp"

namespace sinkproof::prove {
namespace {

const std::set<std::string, std::less<>>& forbidden_words() {
  static const std::set<std::string, std::less<>> words = {
      "Axiom",       "Axioms",    "Parameter", "Parameters", "Conjecture",
      "Conjectures", "Admitted",  "admit",     "give_up",    "bypass_check",
      "Checking",    "Redirect",  "Load",      "Declare",    "Extraction",
      "Module",      "Universes", "fix",       "cofix",      "CoFixpoint",
      "CoInductive", "Function",  "Program",   "Equations",  "Ltac2"};
  return words;
}

}  // namespace

std::optional<std::string> forbidden_coq_word(std::string_view text) {
  for (const std::string& word : claim::coq_words(claim::without_coq_comments(text))) {
    if (forbidden_words().contains(word)) return word;
  }
  return std::nullopt;
}

namespace {

// Names, numbers, and every other character but white space by itself.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  bool in_word = false;
  for (const char c : text) {
    const bool is_word = claim::is_coq_word_character(c);
    if (is_word && in_word) {
      tokens.back() += c;
    } else if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      tokens.emplace_back(1, c);
    }
    in_word = is_word;
  }
  return tokens;
}

std::size_t count_of(const std::vector<std::string>& words, std::string_view word) {
  return static_cast<std::size_t>(std::count(words.begin(), words.end(), word));
}

// The place behind the argument that begins at `at`: a name, a number, or what stands in brackets;
// `at` itself when none begins there.
std::size_t behind_argument(const std::vector<std::string>& tokens, std::size_t at) {
  static const std::set<std::string> ends = {"end", "then", "else", "in", "with", "as", "return"};
  if (at == tokens.size() || ends.contains(tokens[at])) return at;
  if (claim::is_coq_word_character(tokens[at].front())) return at + 1;
  if (tokens[at] != "(") return at;
  std::size_t depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i] == "(") ++depth;
    if (tokens[i] == ")" && --depth == 0) return i + 1;
  }
  return at;
}

// A Fixpoint of this simple kind: its name is applied, to arguments that do not hold it.
bool is_plain_fixpoint(const std::string& command) {
  const std::vector<std::string> tokens = tokens_of(command);
  if (tokens.size() < 2) return false;
  // Beside `let` it stands once (and where it is defined), or a name could carry it into an
  // argument.
  if (count_of(tokens, "let") > 0 && count_of(tokens, tokens[1]) > 2) return false;
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    if (tokens[i] != tokens[1]) continue;
    std::size_t end = i + 1;
    for (std::size_t next = behind_argument(tokens, end); next != end;
         next = behind_argument(tokens, end)) {
      if (std::find(tokens.begin() + static_cast<std::ptrdiff_t>(end),
                    tokens.begin() + static_cast<std::ptrdiff_t>(next),
                    tokens[1]) != tokens.begin() + static_cast<std::ptrdiff_t>(next)) {
        return false;
      }
      end = next;
    }
    if (end == i + 1) return false;
  }
  return true;
}

bool has_touching_comment(std::string_view text) {
  const auto comments = claim::coq_comments(text);
  return std::any_of(comments.begin(), comments.end(), [&](const claim::CoqComment& comment) {
    return comment.begin > 0 &&
           std::string_view(" \t\r\n").find(text[comment.begin - 1]) == std::string_view::npos;
  });
}

}  // namespace

std::string forbidden_coq_form(std::string_view text) {
  static const std::set<std::string> stated = {"Theorem", "Lemma",     "Fact",        "Remark",
                                               "Example", "Corollary", "Proposition", "Fixpoint"};
  if (has_touching_comment(text)) return "a comment right behind a character";
  for (const std::string& command : claim::coq_commands(text)) {
    const std::vector<std::string> words = claim::coq_words(command);
    if (words.empty()) continue;
    if (words[0] == "Cd" || words[0] == "Print") return "the command " + words[0];
    // Modifiers and attributes may stand before the word itself.
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const std::string& one) { return stated.contains(one); });
    if (word == words.end()) continue;
    if (count_of(words, "with") > count_of(words, "match")) return "statements joined by with";
    const std::size_t at = command.find("Fixpoint");
    if (*word == "Fixpoint" && !is_plain_fixpoint(command.substr(at))) {
      return "a Fixpoint that holds its own name in an argument, unapplied, or beside let";
    }
  }
  return "";
}

std::set<std::string> coq_required_words(std::string_view text) {
  std::set<std::string> required;
  for (const std::string& command : claim::coq_commands(text)) {
    const std::vector<std::string> words = claim::coq_words(command);
    if (std::find(words.begin(), words.end(), "Require") == words.end()) continue;
    required.insert(words.begin(), words.end());
  }
  return required;
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
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
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
