// tokenizer.json describes a normalizer, a pre-tokenizer, a post-processor and a decoder in one
// way: null, or an object with its "type", among them a Sequence of such.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exact/error.hpp"
#include "tokenizer/document.hpp"

namespace sinkproof::tokenizer {

inline constexpr std::size_t kMaxSteps = 64;

template <typename Step>
struct StepReader {
  std::string_view type;
  std::string_view fields;  // what an object of this type may hold beside "type"
  exact::Result<Step> (*read)(const Value& object, const std::string& where);
};

// Appends the steps of `value`, those of a Sequence (its field `list`) one after the other;
// parse_document bounds how deep these nest. SP2202: not of that form, more than kMaxSteps; SP2203:
// a type that no reader has, a field that its reader does not know; what readers return.
template <typename Step, std::size_t N>
exact::Result<void> read_steps(const Value& value, const std::string& where, const char* list,
                               const std::array<StepReader<Step>, N>& readers,
                               std::vector<Step>& steps) {
  if (value.is_null()) return {};
  const auto type = text_field(value, "type", where);
  if (!type) return tl::make_unexpected(type.error());
  if (*type == "Sequence") {
    const Value& children = field_or_null(value, list);
    if (!children.is_array())
      return exact::fail("SP2202", where, "a Sequence must have its list of steps");
    if (auto known = refuse_other_fields(value, "type " + std::string(list), where); !known) {
      return known;
    }
    for (const Value& child : children) {
      const auto read = read_steps(child, where, list, readers, steps);
      if (!read) return read;
    }
    return {};
  }
  for (const auto& reader : readers) {
    if (reader.type != *type) continue;
    const std::string part = where + ": " + *type;
    if (auto known = refuse_other_fields(value, "type " + std::string(reader.fields), part);
        !known) {
      return known;
    }
    auto step = reader.read(value, part);
    if (!step) return tl::make_unexpected(step.error());
    steps.push_back(std::move(*step));
    if (steps.size() <= kMaxSteps) return {};
    return exact::fail(
        "SP2202", where,
        "has more than 64 steps, the most that is supported; give token ids instead of text");
  }
  return exact::fail(
      "SP2203", where,
      "\"" + type->substr(0, 40) + "\" is not supported; give token ids instead of text");
}

}  // namespace sinkproof::tokenizer
