// The token ids that an audit reads: of a file or a folder of prompts, one sequence after another,
// or drawn.
#pragma once

#include <functional>
#include <string>

#include "cli/audit_options.hpp"
#include "estimate/tokens.hpp"
#include "exact/error.hpp"
#include "json/strict.hpp"
#include "language/model.hpp"

namespace sinkproof::cli {

struct TokenSource {
  estimate::OpenSequences open;
  json::Value origin;  // what they are from, for whoever repeats the audit
  // What an id stands for, where texts are read, or the folder tells and each sequence is kept;
  // else empty.
  std::function<exact::Result<std::string>(std::size_t id)> text_of;
};

// --tokens reads a .json or .npy file of ids, or a .jsonl file with a list of ids in each line.
// --text reads a text, a .jsonl file with a text, or an object with a "text", in each line, or a
// folder of .txt files in the order of their names. Texts become ids by the folder's
// tokenizer.json, or bytes in a folder that train-lm wrote. --length cuts what is longer into
// sequences of so many tokens, each with what begins a text where --bos says so; what does not fill
// the last one is left out.
//
// SP1508: --bos is needed, or --length has no room for a text. SP2103: a line is of another form.
// Errors of reading and of the tokenizer; those of a line are what `open` and its sequences give.
exact::Result<TokenSource> token_source(const AuditArguments& arguments,
                                        const language::Model& model);

}  // namespace sinkproof::cli
