// What a Metaspace says, as a pre-tokenizer or a decoder: the sign that stands for a space, and
// where one is put before a text.
#pragma once

#include <string>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"

namespace sinkproof::tokenizer {

enum class PrependScheme { kAlways, kFirst, kNever };

struct Metaspace {
  std::string sign;  // one character
  PrependScheme scheme = PrependScheme::kAlways;
  bool split = true;
};

inline constexpr const char* kMetaspaceFields =
    "replacement prepend_scheme add_prefix_space split str_rep";

// SP2202: a field of another form; add_prefix_space false with another scheme than "never".
exact::Result<Metaspace> read_metaspace(const Value& object, const std::string& where);

}  // namespace sinkproof::tokenizer
