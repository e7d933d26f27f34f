#include "tokenizer/metaspace.hpp"

#include "tokenizer/unicode.hpp"

namespace sinkproof::tokenizer {

exact::Result<Metaspace> read_metaspace(const Value& object, const std::string& where) {
  Metaspace made;
  const auto sign = text_field(object, "replacement", where);
  if (!sign) return tl::make_unexpected(sign.error());
  const auto scheme = optional_text_field(object, "prepend_scheme", where);
  if (!scheme) return tl::make_unexpected(scheme.error());
  const auto legacy = optional_flag_field(object, "add_prefix_space", where);
  if (!legacy) return tl::make_unexpected(legacy.error());
  const auto split = optional_flag_field(object, "split", where);
  if (!split) return tl::make_unexpected(split.error());
  if (sign->empty() || character_at(*sign, 0).bytes != sign->size()) {
    return exact::fail("SP2202", where, "\"replacement\" must be a single character");
  }
  made.sign = *sign;
  made.split = split->value_or(true);
  const std::string name = scheme->value_or("always");
  if (name == "first") {
    made.scheme = PrependScheme::kFirst;
  } else if (name == "never") {
    made.scheme = PrependScheme::kNever;
  } else if (name != "always") {
    return exact::fail("SP2202", where, "\"" + name.substr(0, 40) + "\" is not a prepend_scheme");
  }
  if (!legacy->value_or(true) && made.scheme != PrependScheme::kNever) {
    return exact::fail("SP2202", where,
                       "add_prefix_space is false, but prepend_scheme is \"" + name +
                           "\": set prepend_scheme to \"never\" or add_prefix_space to true");
  }
  return made;
}

}  // namespace sinkproof::tokenizer
