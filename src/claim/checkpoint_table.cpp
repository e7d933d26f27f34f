#include "claim/checkpoint_table.hpp"

#include <algorithm>

#include "claim/attention_name.hpp"
#include "claim/fields.hpp"

namespace sinkproof::claim {
namespace {

using exact::Result;

constexpr std::size_t kHashDigits = 64;
constexpr std::int64_t kLeastLength = 3;
constexpr std::int64_t kGreatestLength = 1000000;

tl::unexpected<exact::Error> wrong(const std::string& where, const std::string& field,
                                   const std::string& what) {
  return exact::fail("SP0609", where, "field \"" + field + "\" " + what);
}

bool is_sha256(const std::string& text) {
  return text.size() == kHashDigits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Result<void> check_values(const CheckpointClaim& claim, const std::optional<std::int64_t>& length,
                          const std::string& where) {
  if (claim.model.is_absolute()) {
    return wrong(where, "model", "must be a path relative to the folder claim.toml is in");
  }
  if (!claim.sha256.empty() && !is_sha256(claim.sha256)) {
    return wrong(where, "sha256", "must be 64 lower-case hexadecimal digits");
  }
  if (length && (*length < kLeastLength || *length > kGreatestLength)) {
    return wrong(where, "length", "must be from 3 to 1000000");
  }
  if (!claim.attention.empty() && !is_attention_name(claim.attention)) {
    return wrong(where, "attention", "is no kind of attention sinkproof knows");
  }
  return {};
}

}  // namespace

Result<CheckpointClaim> read_checkpoint_claim(const toml::table& table, const std::string& where,
                                              const std::filesystem::path& folder) {
  Fields fields(table, where);
  CheckpointClaim claim;
  claim.model = fields.text("model");
  claim.sha256 = fields.text("sha256", false);
  const auto length = fields.integer("length");
  claim.attention = fields.text("attention", false);
  const auto texts = fields.texts("require");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  if (auto good = check_values(claim, length, where); !good) return tl::unexpected(good.error());
  if (texts.empty()) return wrong(where, "require", "must name a threshold at least");
  for (const std::string& text : texts) {
    auto requirement = parse_requirement(text, where + ": field \"require\"");
    if (!requirement) return tl::unexpected(requirement.error());
    claim.require.push_back(std::move(*requirement));
  }
  if (length) claim.length = static_cast<std::size_t>(*length);
  claim.model = (folder / claim.model).lexically_normal();
  return claim;
}

}  // namespace sinkproof::claim
