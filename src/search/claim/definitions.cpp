#include "claim/definitions.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "certificate/claim_hash.hpp"
#include "certificate/coq_statement.hpp"
#include "claim/coq_text.hpp"

namespace sinkproof::claim {
namespace {

using Files = std::map<std::string, std::string>;

// The definitions of a text, each with the comments above it.
std::vector<Definition> definitions_in(const std::string& file, const std::string& text) {
  const std::string plain = without_coq_comments(text);
  std::vector<Definition> found;
  std::size_t behind = 0;  // the command before
  for (const auto& [begin, end] : coq_command_ranges(text)) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", behind);
    behind = std::min(end + 1, text.size());
    if (!defines_something(coq_words(plain.substr(begin, end - begin)))) continue;
    const std::string whole = text.substr(first, behind - first);
    found.push_back({file, coq_introduced(whole), whole});
  }
  return found;
}

// Names by which a definition may be mentioned: of a type all its words, because constructors and
// fields have many forms, and what Coq adds to them.
std::set<std::string> names_of(const Definition& one) {
  std::set<std::string> names(one.names.begin(), one.names.end());
  const auto words = coq_words(without_coq_comments(one.text));
  if (words.front() != "Record" && words.front() != "Inductive") return names;
  names.insert(words.begin(), words.end());
  names.insert("Build_" + words[1]);
  for (const char* ending : {"_ind", "_rec", "_rect", "_sind"}) names.insert(words[1] + ending);
  return names;
}

// The definition files that a text's imports name.
std::vector<std::string> required_definitions(const std::string& text) {
  std::vector<std::string> files;
  for (const std::string& command : coq_commands(text)) {
    const auto words = coq_words(command);
    if (words.size() < 4 || words[0] != "From" || words[1] != "Sinkproof") continue;
    for (std::size_t i = 4; i < words.size(); ++i) {
      files.push_back("definitions/" + words[i] + ".v");
    }
  }
  return files;
}

// The definition files a text asks for, each after those it asks for itself.
void append_definitions(const std::string& text, const Files& theory, std::set<std::string>& seen,
                        std::vector<Definition>& all) {
  for (const std::string& path : required_definitions(text)) {
    const auto file = theory.find(path);
    if (file == theory.end() || !seen.insert(path).second) continue;
    append_definitions(file->second, theory, seen, all);
    for (Definition& one : definitions_in("theory/" + path, file->second)) {
      all.push_back(std::move(one));
    }
  }
}

std::set<std::string> words_of(const std::string& text) {
  const auto words = coq_words(without_coq_comments(text));
  return {words.begin(), words.end()};
}

}  // namespace

std::vector<Definition> definitions_of(const Claim& claim) {
  const auto theory = certificate::claim_files(claim.folder.parent_path() / "theory");
  const auto files = certificate::claim_files(claim.folder);
  if (!theory || !files) return {};
  std::vector<Definition> all;
  std::set<std::string> seen;
  std::set<std::string> mentioned;
  std::set<std::string> sentences;
  for (const auto& [path, text] : *files) {
    if (!certificate::is_statement_file(path)) continue;
    append_definitions(text, *theory, seen, all);
    for (std::string& name : certificate::coq_sentences(text)) sentences.insert(std::move(name));
  }
  for (const auto& [path, text] : *files) {
    if (!certificate::is_statement_file(path)) continue;
    for (Definition& one : definitions_in(path, text)) {
      const bool is_sentence =
          std::any_of(one.names.begin(), one.names.end(),
                      [&](const auto& name) { return sentences.contains(name); });
      if (is_sentence) {
        mentioned.merge(words_of(one.text));
      } else {
        all.push_back(std::move(one));
      }
    }
  }
  // From the last to the first: what rests on a definition stands behind it. A statement file's own
  // are all shown.
  std::vector<Definition> needed;
  std::reverse(all.begin(), all.end());
  for (Definition& one : all) {
    const std::set<std::string> names = names_of(one);
    const bool is_mentioned = std::any_of(
        names.begin(), names.end(), [&](const auto& name) { return mentioned.contains(name); });
    if (!is_mentioned && files->find(one.file) == files->end()) continue;
    mentioned.merge(words_of(one.text));
    needed.push_back(std::move(one));
  }
  std::reverse(needed.begin(), needed.end());
  const auto show_preamble = [&](const std::string& path, const std::string& text) {
    const std::string preamble = coq_preamble(text);
    if (preamble.empty()) return;
    needed.push_back({path, {}, preamble.substr(0, preamble.size() - 1)});
  };
  for (const std::string& path : seen) show_preamble("theory/" + path, theory->at(path));
  for (const auto& [path, text] : *files) {
    if (certificate::is_statement_file(path)) show_preamble(path, text);
  }
  return needed;
}

}  // namespace sinkproof::claim
