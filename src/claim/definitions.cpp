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

// The paragraphs of a text that define something: what stands between blank lines.
std::vector<Definition> paragraphs(const std::string& file, const std::string& text) {
  std::vector<Definition> found;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    const std::string paragraph = text.substr(begin, end - begin);
    auto names = coq_introduced(paragraph);
    if (!names.empty()) found.push_back({file, std::move(names), paragraph});
    begin = text.find_first_not_of('\n', end);
    if (begin == std::string::npos) break;
  }
  return found;
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
    for (Definition& one : paragraphs("theory/" + path, file->second)) {
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
    for (Definition& one : paragraphs(path, text)) {
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
  // From the last to the first: what rests on a definition stands behind it.
  std::vector<Definition> needed;
  std::reverse(all.begin(), all.end());
  for (Definition& one : all) {
    const bool is_mentioned =
        std::any_of(one.names.begin(), one.names.end(),
                    [&](const auto& name) { return mentioned.contains(name); });
    if (!is_mentioned) continue;
    mentioned.merge(words_of(one.text));
    needed.push_back(std::move(one));
  }
  std::reverse(needed.begin(), needed.end());
  for (const auto& [path, text] : *files) {
    const std::string preamble = coq_preamble(text);
    if (!certificate::is_statement_file(path) || preamble.empty()) continue;
    needed.push_back({path, {}, preamble.substr(0, preamble.size() - 1)});
  }
  return needed;
}

}  // namespace sinkproof::claim
