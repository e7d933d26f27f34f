#include "claim/variants.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "certificate/attention.hpp"
#include "claim/fields.hpp"
#include "claim/sentence.hpp"

namespace sinkproof::claim {
namespace {

using exact::fail;
using exact::Result;

std::optional<Sink> parse_sink(const std::string& word) {
  for (const Sink sink : {Sink::kNecessary, Sink::kAvoidableExactly, Sink::kAvoidableInLimit}) {
    if (word == to_string(sink)) return sink;
  }
  return std::nullopt;
}

// A file's name without its ending: it names a file in a folder the reader chose, and none outside.
bool is_stem(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return name.front() != '.' && name.front() != '-' && std::all_of(name.begin(), name.end(), plain);
}

Result<Variant> read_variant(const toml::table& table, const std::string& where) {
  Fields fields(table, where);
  Variant variant;
  variant.name = fields.text("name");
  variant.attention = fields.text("attention", false);
  const std::string word = fields.text("sink");
  variant.bound = fields.text("bound");
  variant.says = fields.texts("says");
  variant.evidence = fields.texts("evidence");
  variant.trained = fields.text("trained", false);
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  const std::string here = where + " \"" + variant.name + "\"";
  const auto sink = parse_sink(word);
  if (!sink) {
    return fail("SP0603", here,
                "field \"sink\" must be \"necessary\", \"avoidable exactly\" or \"avoidable in "
                "the limit\"");
  }
  variant.sink = *sink;
  if (!variant.attention.empty() && certificate::find_attention(variant.attention) == nullptr) {
    return fail("SP0603", here, "field \"attention\" must be an attention kind");
  }
  if (variant.evidence.empty()) {
    return fail("SP0603", here, "field \"evidence\" is empty; name the step that proves the row");
  }
  if (!variant.trained.empty() && !is_stem(variant.trained)) {
    return fail("SP0603", here,
                "field \"trained\" must be a certificate's file name without folder and .json");
  }
  return variant;
}

Result<void> check_evidence(const Variant& variant, const Claim& claim, const std::string& here) {
  for (const std::string& name : variant.evidence) {
    const auto same = [&](const Step& step) { return step.name == name; };
    if (std::none_of(claim.steps.begin(), claim.steps.end(), same)) {
      return fail("SP0603", here,
                  "field \"evidence\": \"" + name + "\" is not a step of this claim");
    }
  }
  return check_says(variant.says, claim, here);
}

}  // namespace

std::string to_string(Sink sink) {
  switch (sink) {
    case Sink::kNecessary:
      return "necessary";
    case Sink::kAvoidableExactly:
      return "avoidable exactly";
    case Sink::kAvoidableInLimit:
      return "avoidable in the limit";
  }
  return "";
}

Result<std::vector<Variant>> read_variants(const toml::array& tables, const Claim& claim,
                                           const std::string& where) {
  std::vector<Variant> variants;
  std::set<std::string> names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    auto variant =
        read_variant(*tables.get(i)->as_table(), where + ": variant " + std::to_string(i + 1));
    if (!variant) return tl::unexpected(variant.error());
    const std::string here = where + ": variant \"" + variant->name + "\"";
    if (!names.insert(variant->name).second) {
      return fail("SP0603", here, "field \"name\" must differ from that of every other variant");
    }
    if (auto checked = check_evidence(*variant, claim, here); !checked) {
      return tl::unexpected(checked.error());
    }
    variants.push_back(std::move(*variant));
  }
  return variants;
}

}  // namespace sinkproof::claim
