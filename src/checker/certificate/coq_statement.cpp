#include "certificate/coq_statement.hpp"

#include "certificate/sha256.hpp"
#include "certificate/split.hpp"
#include "certificate/strict.hpp"

namespace sinkproof::certificate {
namespace {

constexpr std::string_view kStatement = "statement.v";
constexpr std::string_view kSentence = "Definition ";
constexpr std::string_view kProposition = " : Prop :=";
constexpr std::string_view kTheory = "Sinkproof";
constexpr std::string_view kImport = "From Sinkproof Require Import ";

// The definition files a line asks for; SP0810 if it names the theory and is no such line.
std::vector<std::string> required_by(std::string_view line, const std::string& where) {
  std::vector<std::string> files;
  if (line.find(kTheory) == std::string_view::npos) return files;
  const std::string what =
      "a line with the word Sinkproof is not \"From Sinkproof Require Import NAME ... NAME.\"";
  require(line.starts_with(kImport) && line.ends_with('.'), where, what, "SP0810");
  line.remove_suffix(1);
  for (const std::string_view name : split(line.substr(kImport.size()), " ")) {
    require(is_coq_identifier(name), where, what, "SP0810");
    files.push_back("definitions/" + std::string(name) + ".v");
  }
  return files;
}

}  // namespace

bool is_statement_file(std::string_view path) {
  return path == kStatement ||
         (path.find('/') == std::string_view::npos &&
          path.ends_with("_" + std::string(kStatement)) && path.size() > kStatement.size() + 1);
}

bool is_coq_identifier(std::string_view text) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  return text.find_first_of(letters) == 0 &&
         text.find_first_not_of(letters + "0123456789'") == std::string_view::npos;
}

std::vector<std::string> coq_sentences(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view line : split(text, "\n")) {
    if (!line.starts_with(kSentence)) continue;
    line.remove_prefix(kSentence.size());
    const std::string_view name = line.substr(0, line.find(' '));
    if (is_coq_identifier(name) && line.substr(name.size()).starts_with(kProposition)) {
      names.emplace_back(name);
    }
  }
  return names;
}

std::map<std::string, std::string> coq_definitions(std::string_view text,
                                                   const std::map<std::string, std::string>& theory,
                                                   const std::string& where) {
  std::map<std::string, std::string> found;
  std::vector<std::string_view> unread = {text};
  while (!unread.empty()) {
    const std::string_view next = unread.back();
    unread.pop_back();
    for (const std::string_view line : split(next, "\n")) {
      for (const std::string& name : required_by(line, where)) {
        const auto file = theory.find(name);
        require(file != theory.end(), where, "there is no " + name + " in the shared theory",
                "SP0810");
        if (found.emplace(name, sha256_hex(file->second)).second) unread.push_back(file->second);
      }
    }
  }
  return found;
}

}  // namespace sinkproof::certificate
