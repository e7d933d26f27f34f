#include "prove/smt_text.hpp"

#include <algorithm>
#include <set>

#include "prove/plain_text.hpp"

namespace sinkproof::prove {
namespace {

using Tokens = std::vector<std::string>;

bool is_space(char c) { return c == ' ' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits, or digits with one point between them.
bool is_numeral(std::string_view token) {
  if (token.empty() || !is_digit(token.front()) || !is_digit(token.back())) return false;
  return std::count(token.begin(), token.end(), '.') <= 1 &&
         std::all_of(token.begin(), token.end(), [](char c) { return is_digit(c) || c == '.'; });
}

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  std::string atom;
  const auto flush = [&] {
    if (!atom.empty()) tokens.push_back(std::move(atom));
    atom.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ';') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
      flush();
    } else if (is_space(c)) {
      flush();
    } else if (c == '(' || c == ')') {
      flush();
      tokens.emplace_back(1, c);
    } else {
      atom += c;
    }
  }
  flush();
  return tokens;
}

exact::Result<std::vector<Tokens>> commands_of(const Tokens& tokens, const std::string& where) {
  std::vector<Tokens> commands;
  int depth = 0;
  for (const std::string& token : tokens) {
    if (token == "(" && depth++ == 0) {
      commands.emplace_back();
      continue;
    }
    if (token == ")" && --depth == 0) continue;
    if (depth <= 0) return exact::fail("SP0702", where, "unbalanced parentheses");
    commands.back().push_back(token);
  }
  if (depth != 0) return exact::fail("SP0702", where, "unbalanced parentheses");
  return commands;
}

using Symbols = std::set<std::string>;

// What every solver and reader takes for the same. No binder is among them: `let` could give the
// name of a declared constant another meaning.
const Symbols& signs() {
  static const Symbols all = {"(",  ")",   "+",  "-",   "*",  "=",   "<",        "<=",   ">",
                              ">=", "and", "or", "not", "=>", "ite", "distinct", "true", "false"};
  return all;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_constant_name(std::string_view token) {
  return !token.empty() && is_letter(token.front()) && !signs().contains(std::string(token)) &&
         std::all_of(token.begin(), token.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

std::string problem_of_assertion(const Tokens& command, const Symbols& declared) {
  if (command.size() < 2) return "an assertion must state something";
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& token = command[i];
    if (token == "/") return "division is not allowed; multiply out";
    if (signs().contains(token) || declared.contains(token) || is_numeral(token)) continue;
    std::string listed;
    for (const std::string& sign : signs()) listed += " " + sign;
    return "the word " + token +
           " is not allowed in an assertion; write numerals such as 3 or 0.5, (- 3), constants "
           "that are declared before it, and" +
           listed;
  }
  return "";
}

// `declared`: the constants so far.
std::string problem_of(const Tokens& command, bool is_last, Symbols& declared) {
  const std::string name = command.empty() ? "()" : command[0];
  if (name == "assert") return problem_of_assertion(command, declared);
  if (name == "check-sat") {
    return is_last && command.size() == 1 ? "" : "check-sat must come once, at the end";
  }
  if (name == "declare-const") {
    if (command.size() != 3 || command[2] != "Real") return "constants must be declared as Real";
    if (!is_constant_name(command[1])) {
      return "the constant " + command[1] +
             " must have a name of letters, digits and _, a letter first";
    }
    return declared.insert(command[1]).second ? ""
                                              : "the constant " + command[1] + " is declared twice";
  }
  if (name == "set-logic") {
    const bool known = command.size() == 2 && (command[1] == "QF_NRA" || command[1] == "QF_LRA");
    return known ? "" : "the logic must be QF_NRA or QF_LRA";
  }
  return "command " + name + " is not allowed in a lemma";
}

bool is_pin(const Tokens& command, const std::set<std::string>& variables) {
  return command.size() == 6 && command[0] == "assert" && command[1] == "(" && command[2] == "=" &&
         variables.contains(command[3]) && is_numeral(command[4]) && command[5] == ")";
}

}  // namespace

exact::Result<SmtText> parse_smt_text(std::string_view text, const std::string& where) {
  if (!is_plain_text(text)) {
    return exact::fail("SP0702", where,
                       "holds a character that is not plain ASCII, a tab or a carriage return; "
                       "replace it");
  }
  auto commands = commands_of(tokens_of(text), where);
  if (!commands) return tl::unexpected(commands.error());
  SmtText result;
  Symbols declared;
  for (std::size_t i = 0; i < commands->size(); ++i) {
    const std::string problem = problem_of((*commands)[i], i + 1 == commands->size(), declared);
    if (!problem.empty()) return exact::fail("SP0702", where, problem);
    if ((*commands)[i][0] == "assert") ++result.assertions;
  }
  if (commands->empty() || commands->back()[0] != "check-sat") {
    return exact::fail("SP0702", where, "check-sat is missing at the end");
  }
  if (result.assertions < 2) {
    return exact::fail("SP0702", where,
                       "has fewer than two assertions, so there is nothing to decide");
  }
  result.commands = std::move(*commands);
  return result;
}

exact::Result<void> check_mutant(const SmtText& lemma, const SmtText& mutant,
                                 const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    return exact::fail("SP0703", where,
                       "the mutant must be the lemma with one numeral changed in its last "
                       "assertion, the negated conclusion: " +
                           what);
  };
  const std::size_t shared = lemma.commands.size() - 1;  // all but check-sat
  if (mutant.commands.size() <= shared) return refuse("it is shorter");
  std::set<std::string> variables;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < shared; ++i) {
    const Tokens& a = lemma.commands[i];
    const Tokens& b = mutant.commands[i];
    if (a.size() != b.size()) return refuse("command " + std::to_string(i + 1) + " differs");
    if (a[0] == "declare-const") variables.insert(a[1]);
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[k] == b[k]) continue;
      if (!is_numeral(a[k]) || !is_numeral(b[k])) return refuse(a[k] + " became " + b[k]);
      if (i + 1 < shared)
        return refuse("command " + std::to_string(i + 1) + " is not the conclusion");
      ++changes;
    }
  }
  if (changes != 1) return refuse(std::to_string(changes) + " numerals differ");
  for (std::size_t i = shared; i + 1 < mutant.commands.size(); ++i) {
    if (!is_pin(mutant.commands[i], variables)) {
      return refuse("only (assert (= variable numeral)) may follow");
    }
  }
  return {};
}

}  // namespace sinkproof::prove
