// What a tokenizer puts before a text: of TemplateProcessing, BertProcessing, RobertaProcessing and
// Sequences of these (ByteLevel adds nothing). What they put after it ends a text, and is left out:
// the rows of a prompt are wanted.
#pragma once

#include <string>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"
#include "tokenizer/vocabulary.hpp"

namespace sinkproof::tokenizer {

// The ids before a text, of the field "post_processor"; none where it adds none. Errors as
// read_steps; SP2202, SP2204: a template that is none.
exact::Result<std::vector<Id>> read_prefix(const Value& value, const std::string& where);

}  // namespace sinkproof::tokenizer
