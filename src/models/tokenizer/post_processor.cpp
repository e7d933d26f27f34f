#include "tokenizer/post_processor.hpp"

#include "tokenizer/steps.hpp"

namespace sinkproof::tokenizer {
namespace {

using Step = std::vector<Id>;

exact::Result<Step> read_nothing(const Value& /*object*/, const std::string& /*where*/) {
  return Step{};
}

// "cls": ["<s>", 0].
exact::Result<Step> read_cls(const Value& object, const std::string& where) {
  const Value& cls = field_or_null(object, "cls");
  if (!cls.is_array() || cls.size() != 2)
    return exact::fail("SP2202", where, "\"cls\" must be a pair");
  const auto id = read_id(cls[1], where + ": cls");
  if (!id) return tl::make_unexpected(id.error());
  return Step{*id};
}

exact::Result<void> append_special(const Value& special_tokens, const std::string& name,
                                   const std::string& where, Step& prefix) {
  const Value& ids = field_or_null(field_or_null(special_tokens, name.c_str()), "ids");
  if (!ids.is_array()) {
    return exact::fail("SP2202", where,
                       "special_tokens has no ids of \"" + name.substr(0, 80) + "\"");
  }
  for (const Value& value : ids) {
    const auto id = read_id(value, where);
    if (!id) return tl::make_unexpected(id.error());
    prefix.push_back(*id);
  }
  return {};
}

// "single": special tokens, the sequence A, special tokens.
exact::Result<Step> read_template(const Value& object, const std::string& where) {
  Step prefix;
  Step suffix;
  bool after_text = false;
  for (const Value& piece : field_or_null(object, "single")) {
    if (field_or_null(field_or_null(piece, "Sequence"), "id") == Value("A") && !after_text) {
      after_text = true;
      continue;
    }
    const auto name = text_field(field_or_null(piece, "SpecialToken"), "id", where);
    if (!name) return tl::make_unexpected(name.error());
    const auto read = append_special(field_or_null(object, "special_tokens"), *name, where,
                                     after_text ? suffix : prefix);
    if (!read) return tl::make_unexpected(read.error());
  }
  if (after_text) return prefix;
  return exact::fail("SP2202", where, "\"single\" has no sequence A");
}

constexpr std::array<StepReader<Step>, 4> kReaders = {{
    {"BertProcessing", "cls sep", read_cls},
    {"ByteLevel", "add_prefix_space trim_offsets use_regex", read_nothing},
    {"RobertaProcessing", "cls sep trim_offsets add_prefix_space", read_cls},
    {"TemplateProcessing", "single pair special_tokens", read_template},
}};

}  // namespace

exact::Result<std::vector<Id>> read_prefix(const Value& value, const std::string& where) {
  std::vector<Step> steps;
  const auto read = read_steps(value, where, "processors", kReaders, steps);
  if (!read) return tl::make_unexpected(read.error());
  std::vector<Id> prefix;
  for (const Step& step : steps) prefix.insert(prefix.begin(), step.begin(), step.end());
  return prefix;
}

}  // namespace sinkproof::tokenizer
