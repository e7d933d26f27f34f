#include "prove/coq_statement.hpp"

#include <algorithm>

#include "certificate/coq_statement.hpp"
#include "certificate/split.hpp"
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
  const auto lines = certificate::split(command, "\n");
  return std::count_if(lines.begin(), lines.end(), [](std::string_view line) {
    return line.find_first_not_of(' ') != std::string_view::npos;
  });
}

}  // namespace

// A reader is shown a definition up to a blank line, a sentence up to a point that ends its line:
// neither may stand within one, not even in a comment.
Result<void> is_shown_whole(std::string_view text, const std::string& where) {
  for (const auto& [begin, end] : claim::coq_command_ranges(text)) {
    const std::string_view command = text.substr(begin, end - begin);
    if (command.find("\n\n") == std::string_view::npos &&
        command.find("(*") == std::string_view::npos) {
      continue;
    }
    return exact::fail(
        "SP0719", where,
        "a command holds a blank line or a comment: " + std::string(command.substr(0, 60)));
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
