#include "prove/coq_allowed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

#include "claim/coq_text.hpp"
#include "prove/coq_text.hpp"
#include "prove/plain_text.hpp"

namespace sinkproof::prove {
namespace {

using Names = std::set<std::string, std::less<>>;

Names names(std::string_view text) {
  const auto words = words_at_blanks(text);
  return {words.begin(), words.end()};
}

// Commands by their first word.
const Names& definitions() {
  static const Names all = names("From Open Definition Fixpoint Record Inductive");
  return all;
}

const Names& proofs() {
  static const Names all = names(
      "Theorem Lemma Corollary Proposition Fact Remark Example Proof Qed Defined Section End "
      "Variable Variables Hypothesis Hypotheses Context Let Ltac Notation Import Implicit "
      "Arguments "
      "Local");
  return all;
}

// What may follow Local.
const Names& locals() {
  static const Names all = names("Open Definition Notation Ltac");
  return all;
}

// What may be imported from each root; an empty set stands for every file there.
const std::map<std::string, Names, std::less<>>& libraries() {
  static const std::map<std::string, Names, std::less<>> roots = {
      {"Coq",
       names("Arith Bool Classical Compare_dec Field FinFun FunctionalExtensionality Lia List Lra "
             "Morphisms NArith Nat PeanoNat Permutation Psatz QArith Qreals Reals Relations Ring "
             "Setoid Wf_nat ZArith")},
      {"Coquelicot", names("Coquelicot")},
      {"Sinkproof", {}},
      {"Claim", {}}};
  return roots;
}

std::string listed(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), claim::is_coq_word_character);
}

// From ROOT Require Import NAME... : "" where that is allowed. Proof files may import the claim's
// own files besides, and leave Import out or write Export.
std::string problem_of_import(const std::vector<std::string>& parts, CoqFile kind) {
  const bool is_proof = kind == CoqFile::kProofs;
  const std::string form =
      "write From ROOT Require Import NAME, with ROOT one of Coq, Coquelicot, "
      "Sinkproof" +
      std::string(is_proof ? ", Claim" : "");
  if (parts.size() < 4 || parts[2] != "Require") return form;
  const auto root = libraries().find(parts[1]);
  if (root == libraries().end() || (!is_proof && parts[1] == "Claim")) return form;
  const bool has_word = parts[3] == "Import" || (is_proof && parts[3] == "Export");
  if (!has_word && !is_proof) return form;
  const std::size_t first = has_word ? 4 : 3;
  if (first == parts.size()) return form;
  for (std::size_t i = first; i < parts.size(); ++i) {
    if (!is_name(parts[i])) return form;
    if (!root->second.empty() && !root->second.contains(parts[i])) {
      return "the library " + parts[1] + "." + parts[i] +
             " is not one of those allowed: " + listed(root->second);
    }
  }
  return "";
}

// The length of a goal's name that the text begins with, with its colon: "2:", "1, 3-4:",
// "[name]:", "all:", "par:", "!:"; 0 where there is none.
std::size_t selector_length(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return 0;
  const std::string plain =
      fmt::format("{}", fmt::join(words_at_blanks(text.substr(0, colon)), ""));
  const bool is_number =
      !plain.empty() && plain.find_first_not_of("0123456789,-") == std::string::npos;
  const bool is_named = plain.size() > 2 && plain.front() == '[' && plain.back() == ']' &&
                        is_name(std::string_view(plain).substr(1, plain.size() - 2));
  const bool is_word = plain == "all" || plain == "par" || plain == "!";
  return is_number || is_named || is_word ? colon + 1 : 0;
}

// Without what stands before a command or tactic within a proof: bullets, braces, goals.
std::string_view without_focus(std::string_view command) {
  while (!command.empty()) {
    const char first = command.front();
    const bool is_mark = std::isspace(static_cast<unsigned char>(first)) != 0 ||
                         std::string_view("-+*{}").find(first) != std::string_view::npos;
    const std::size_t length = is_mark ? 1 : selector_length(command);
    if (length == 0) break;
    command.remove_prefix(length);
  }
  return command;
}

std::string unlisted(const std::string& word, CoqFile kind) {
  Names allowed = definitions();
  if (kind == CoqFile::kProofs) allowed.insert(proofs().begin(), proofs().end());
  return "the command " + word + " is not one of those allowed here: " + listed(allowed);
}

// "" where the command may stand in any file of that kind.
std::string problem_of_form(const std::vector<std::string>& parts, CoqFile kind) {
  const std::string& word = parts[0];
  const bool is_definition = definitions().contains(word);
  if (!is_definition && !(kind == CoqFile::kProofs && proofs().contains(word))) {
    return unlisted(word, kind);
  }
  if (word == "From") return problem_of_import(parts, kind);
  if (word == "Open" && (parts.size() != 3 || parts[1] != "Scope")) return "write Open Scope NAME";
  if (word == "Import" && !std::all_of(parts.begin(), parts.end(), is_name)) {
    return "write Import NAME";
  }
  if (word == "Local") {
    if (parts.size() < 2 || !locals().contains(parts[1])) {
      return "Local may stand before " + listed(locals()) + " only";
    }
    return problem_of_form({parts.begin() + 1, parts.end()}, kind);
  }
  return "";
}

// Tactics and casts by which Coq's kernel would be told to compute in another way, or not to look.
// The virtual machine is switched off besides (coq_program.cpp).
std::string problem_of_computing(std::string_view command) {
  if (command.find("<:") != std::string_view::npos) return "a cast by the virtual machine, <:";
  for (const std::string& word : claim::coq_words(command)) {
    if (word == "vm_compute" || word == "native_compute" || word.ends_with("_no_check")) {
      return "the tactic " + word + "; use reflexivity, cbv or lia";
    }
  }
  return "";
}

std::string problem_of(const std::string& command, CoqFile kind) {
  if (command.find('"') != std::string::npos) return "a string outside comments";
  if (std::string problem = problem_of_computing(command); !problem.empty()) return problem;
  const std::string_view plain =
      kind == CoqFile::kProofs ? without_focus(command) : std::string_view(command);
  if (plain.empty()) return "";
  const char first = plain.front();
  // A list of tactics begins with [>; any other bracket could name a goal.
  const bool is_tactic =
      first == '(' || plain.starts_with("[>") || first == '_' || (first >= 'a' && first <= 'z');
  if (kind == CoqFile::kProofs && is_tactic) return "";
  const auto parts = words_at_blanks(plain);
  if (std::string problem = problem_of_form(parts, kind); !problem.empty()) return problem;
  if (kind == CoqFile::kProofs) return "";
  if (plain.find(":>") != std::string_view::npos) return "a coercion, :>";
  const auto words = claim::coq_words(plain);
  const bool runs_tactic = std::find(words.begin(), words.end(), "ltac") != words.end();
  return runs_tactic ? "a tactic, ltac:" : "";
}

bool has_touching_comment(std::string_view text) {
  const auto comments = claim::coq_comments(text);
  return std::any_of(comments.begin(), comments.end(), [&](const claim::CoqComment& comment) {
    return comment.begin > 0 &&
           std::string_view(" \t\r\n").find(text[comment.begin - 1]) == std::string_view::npos;
  });
}

}  // namespace

exact::Result<void> only_allowed_coq(std::string_view text, CoqFile kind,
                                     const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    return exact::fail(kind == CoqFile::kDefinitions ? "SP0719" : "SP0711", where, what);
  };
  if (!is_plain_text(text)) {
    return refuse("holds a character that is not plain ASCII, or a tab; replace it");
  }
  if (has_touching_comment(text)) {
    return refuse("holds a comment directly after a character; put a space before it");
  }
  for (const std::string& command : claim::coq_commands(text)) {
    const std::string problem = problem_of(command, kind);
    constexpr std::size_t kShown = 60;
    if (!problem.empty()) return refuse("\"" + command.substr(0, kShown) + "\": " + problem);
  }
  return {};
}

}  // namespace sinkproof::prove
