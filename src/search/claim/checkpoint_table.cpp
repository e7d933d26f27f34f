#include "claim/checkpoint_table.hpp"

#include <algorithm>

#include "certificate/attention.hpp"
#include "claim/fields.hpp"

namespace sinkproof::claim {
namespace {

using exact::Result;

constexpr std::size_t kHashDigits = 64;
constexpr std::int64_t kLeastLength = 3;
constexpr std::int64_t kGreatest = 1000000;

tl::unexpected<exact::Error> wrong(const std::string& where, const std::string& field,
                                   const std::string& what) {
  return exact::fail("SP0609", where, "field \"" + field + "\" " + what);
}

bool is_sha256(const std::string& text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<void> check_values(const CheckpointClaim& claim, const std::string& where) {
  if (claim.model.is_absolute()) {
    return wrong(where, "model", "must be a path relative to the folder claim.toml is in");
  }
  if (!claim.sha256.empty() && !is_sha256(claim.sha256)) {
    return wrong(where, "sha256", "must be 64 lower-case hexadecimal digits, or \"any\"");
  }
  if (!claim.attention.empty() && certificate::find_attention(claim.attention) == nullptr) {
    return wrong(where, "attention", "is not an attention kind of sinkproof");
  }
  return {};
}

// A size the claim may say; none when the field is absent.
Result<std::optional<std::size_t>> size_from(std::int64_t least, Fields& fields,
                                             const std::string& key, const std::string& where) {
  const auto number = fields.integer(key);
  if (!number) return std::nullopt;
  if (*number >= least && *number <= kGreatest) return static_cast<std::size_t>(*number);
  return wrong(where, key,
               "must be from " + std::to_string(least) + " to " + std::to_string(kGreatest));
}

// What the claim says against the checkpoint's metadata.
Result<void> read_overrides(Fields& fields, const std::string& where, CheckpointClaim& claim) {
  const auto length = size_from(kLeastLength, fields, "length", where);
  const auto heads = size_from(1, fields, "num_heads", where);
  const auto layers = size_from(1, fields, "num_layers", where);
  claim.attention = fields.text("attention", false);
  claim.residual = fields.boolean("residual");
  claim.scale = fields.text("scale", false);
  claim.box = fields.text("box", false);
  for (const auto* size : {&length, &heads, &layers}) {
    if (!*size) return tl::unexpected(size->error());
  }
  claim.length = *length;
  claim.num_heads = *heads;
  claim.num_layers = *layers;
  return {};
}

}  // namespace

Result<CheckpointClaim> read_checkpoint_claim(const toml::table& table, const std::string& where,
                                              const std::filesystem::path& folder) {
  Fields fields(table, where);
  CheckpointClaim claim;
  claim.model = fields.text("model");
  claim.sha256 = fields.text("sha256", false);
  claim.any_model = claim.sha256 == "any";
  if (claim.any_model) claim.sha256.clear();
  const auto overrides = read_overrides(fields, where, claim);
  const auto texts = fields.texts("require");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  if (!overrides) return tl::unexpected(overrides.error());
  if (auto good = check_values(claim, where); !good) return tl::unexpected(good.error());
  if (texts.empty()) return wrong(where, "require", "must name at least one threshold");
  for (const std::string& text : texts) {
    auto requirement = parse_requirement(text, where + ": field \"require\"");
    if (!requirement) return tl::unexpected(requirement.error());
    claim.require.push_back(std::move(*requirement));
  }
  claim.model = (folder / claim.model).lexically_normal();
  return claim;
}

}  // namespace sinkproof::claim
