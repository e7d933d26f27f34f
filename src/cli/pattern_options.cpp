#include "cli/pattern_options.hpp"

#include <algorithm>

#include "exact/decimal.hpp"
#include "file/file.hpp"

namespace sinkproof::cli {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::fail;
using exact::Rational;
using exact::Result;

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20U;
constexpr const char* kUnitMargin = "1";

}  // namespace

bool PatternOptions::any() const {
  return !kinds.empty() || !roles.empty() || !constraints.empty() || margin != kUnitMargin;
}

void add_pattern_options(const Command& command, PatternOptions& options,
                         const std::string& when_none) {
  command
      .add_option("--pattern", options.kinds,
                  "sink-A, sink-B or diagonal (default: " + when_none + ")")
      .one_of({"sink-A", "sink-B", "diagonal"})
      .one_value_each();
  command.add_option("--roles", options.roles,
                     "JSON: {\"bos\": 0, \"groups\": [[1, 2]], \"copies\": [3]} (default: the "
                     "file's metadata `roles`, else token 0 is BOS and the others one group)");
  command.add_option("--constraints", options.constraints,
                     "JSON: margin constraints [[query, above, below], ...] of your own");
  command.add_option("--margin", options.margin, "Margin on x^T W y").capture_default_str();
}

std::vector<PatternKind> kinds_of(const PatternOptions& options,
                                  std::vector<PatternKind> when_none) {
  if (options.kinds.empty() && options.constraints.empty()) return when_none;
  std::vector<PatternKind> kinds;
  for (const PatternKind kind :
       {PatternKind::kSinkA, PatternKind::kSinkB, PatternKind::kDiagonal}) {
    const auto& names = options.kinds;
    if (std::find(names.begin(), names.end(), to_string(kind)) != names.end()) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

Result<Rational> margin_of(const PatternOptions& options) {
  constexpr std::size_t kMostCharacters = 400;  // VECTOR_RULES.md, 6.2
  const auto margin = exact::parse_decimal(options.margin);
  if (margin && *margin > 0 && exact::to_string(*margin).size() <= kMostCharacters) return *margin;
  return fail("SP1607", "--margin " + options.margin.substr(0, 40),
              "must be a positive decimal number");
}

Result<std::optional<measure::Roles>> roles_of(const PatternOptions& options,
                                               const measure::NamedFile& file, std::size_t count) {
  std::string text;
  std::string where = options.roles;
  if (!options.roles.empty()) {
    auto read = file::read(options.roles, kMaxTextBytes);
    if (!read) return tl::unexpected(read.error());
    text = std::move(*read);
  } else {
    const auto stored = file.contents.metadata.find("roles");
    if (stored == file.contents.metadata.end()) return std::nullopt;
    text = stored->second;
    where = file.path + ": metadata roles";
  }
  auto roles = measure::parse_roles(text, count, where);
  if (!roles) return tl::unexpected(roles.error());
  return std::optional<measure::Roles>(std::move(*roles));
}

Result<std::optional<Pattern>> constraints_of(const PatternOptions& options, std::size_t count,
                                              const Rational& margin) {
  if (options.constraints.empty()) return std::nullopt;
  const auto text = file::read(options.constraints, kMaxTextBytes);
  if (!text) return tl::unexpected(text.error());
  auto pattern = measure::parse_constraints(*text, count, margin, options.constraints);
  if (!pattern) return tl::unexpected(pattern.error());
  return std::optional<Pattern>(std::move(*pattern));
}

}  // namespace sinkproof::cli
