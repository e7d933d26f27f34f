#include "prove/coq_statement.hpp"

#include <algorithm>

#include "certificate/coq_statement.hpp"
#include "claim/coq_text.hpp"
#include "prove/coq_allowed.hpp"

namespace sinkproof::prove {
namespace {

using claim::coq_commands;
using claim::coq_words;
using claim::defines_something;
using claim::without_coq_comments;
using exact::Result;
using Words = std::vector<std::string>;

bool is_sentence(const Words& words) {
  return words.size() > 2 && words[0] == "Definition" && words[2] == "Prop";
}

std::size_t lines_of(std::string_view command) {
  std::size_t lines = 0;
  bool blank = true;
  for (const char c : std::string(command) + "\n") {
    if (c == '\n') {
      lines += blank ? 0 : 1;
      blank = true;
    } else {
      blank = blank && std::isspace(static_cast<unsigned char>(c)) != 0;
    }
  }
  return lines;
}

}  // namespace

// A reader is shown a definition up to a blank line, a sentence up to a point that ends its line:
// neither may stand within one, not even in a comment.
Result<void> is_shown_whole(std::string_view text, const std::string& where) {
  const auto fails = [&](const std::string& what) { return exact::fail("SP0719", where, what); };
  // With comments as blanks of their length, commands keep their places.
  const std::string plain = without_coq_comments(text);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != '.' || (i + 1 < plain.size() && plain[i + 1] != '\n' && plain[i + 1] != ' ')) {
      continue;
    }
    begin = plain.find_first_not_of(" \n", begin);
    const std::string_view command = text.substr(begin, i - begin);
    if (command.find("\n\n") != std::string_view::npos ||
        command.find("(*") != std::string_view::npos) {
      return fails("a command holds a blank line or a comment: " +
                   std::string(command.substr(0, 60)));
    }
    begin = i + 1;
  }
  return {};
}

Result<void> only_definitions(std::string_view text, const std::string& where) {
  if (auto allowed = only_allowed_coq(text, CoqFile::kDefinitions, where); !allowed) return allowed;
  bool has_scope = false;  // an import behind it could open another one
  for (const std::string& command : coq_commands(text)) {
    has_scope = has_scope || command.starts_with("Open");
    if (!has_scope || !command.starts_with("From")) continue;
    return exact::fail("SP0719", where, "imports behind Open Scope: put all imports before it");
  }
  return is_shown_whole(text, where);
}

Result<void> is_statement(std::string_view text, const std::string& where) {
  if (auto done = only_definitions(text, where); !done) return done;
  std::vector<std::string> sentences;
  std::size_t own_lines = 0;
  for (const std::string& command : coq_commands(text)) {
    const Words words = coq_words(command);
    if (is_sentence(words)) {
      sentences.push_back(words[1]);
    } else if (defines_something(words)) {
      own_lines += lines_of(command);
    }
  }
  // Without comments too: what a reader finds by its line must be what Coq reads.
  const auto lines = certificate::coq_sentences(text);
  const auto code = certificate::coq_sentences(without_coq_comments(text));
  if (sentences.empty() || sentences != lines || sentences != code) {
    return exact::fail("SP0719", where,
                       "each sentence is a line that begins with \"Definition NAME : Prop :=\", "
                       "outside comments, and there is at least one");
  }
  const auto instance = std::find_if(lines.begin(), lines.end(), [](const std::string& name) {
    return name.ends_with(certificate::kInstance);
  });
  if (instance != lines.end()) {
    return exact::fail("SP0719", where,
                       "the sentence " + *instance + " would pass for the instance of another");
  }
  if (own_lines <= kMaxOwnLines) return {};
  return exact::fail("SP0719", where,
                     std::to_string(own_lines) +
                         " lines of definitions besides its sentences; at most " +
                         std::to_string(kMaxOwnLines) +
                         " may stand here, the others in the shared theory's definitions");
}

}  // namespace sinkproof::prove
