// What transformers 5 makes of tokenizer classes, whatever tokenizer.json says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/document.hpp"

namespace sinkproof::tokenizer {

struct Class {
  std::string_view name;                // without "Fast"
  std::string_view steps;               // the normalizer's and the pre-tokenizer's, as `described`
  std::optional<bool> adds_space = {};  // where the key add_prefix_space is absent
  // Prepend puts a sign before every piece; the class before the first one alone, and before none
  // that begins with it.
  bool prepends_more = false;
};

// The rows of a class; several where it reads several files alike.
std::vector<const Class*> classes_named(std::string name);

// The steps of tokenizer.json's normalizer and pre_tokenizer, those within Sequences one after the
// other; how deep these nest parse_document bounds.
std::vector<const Value*> steps_in(const Value& document);

// Types of steps, with the fields that make other steps of them where they are not as usual.
std::string described(const std::vector<const Value*>& steps);

}  // namespace sinkproof::tokenizer
