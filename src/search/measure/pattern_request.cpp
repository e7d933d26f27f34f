#include "measure/pattern_request.hpp"

#include <algorithm>

#include "exact/decimal.hpp"
#include "file/file.hpp"

namespace sinkproof::measure {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::fail;
using exact::Rational;
using exact::Result;

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{64} << 20U;
constexpr const char* kUnitMargin = "1";

}  // namespace

bool PatternRequest::any() const {
  return !kinds.empty() || !roles.empty() || !constraints.empty() || margin != kUnitMargin;
}

std::vector<PatternKind> kinds_of(const PatternRequest& request,
                                  std::vector<PatternKind> when_none) {
  if (request.kinds.empty() && request.constraints.empty()) return when_none;
  std::vector<PatternKind> kinds;
  for (const PatternKind kind :
       {PatternKind::kSinkA, PatternKind::kSinkB, PatternKind::kDiagonal}) {
    const auto& names = request.kinds;
    if (std::find(names.begin(), names.end(), name_of(kind)) != names.end()) {
      kinds.push_back(kind);
    }
  }
  return kinds;
}

Result<Rational> margin_of(const PatternRequest& request) {
  constexpr std::size_t kMostCharacters = 400;  // VECTOR_RULES.md, 6.2
  const auto margin = exact::parse_decimal(request.margin);
  if (margin && *margin > 0 && exact::to_string(*margin).size() <= kMostCharacters) return *margin;
  return fail("SP1607", "--margin " + request.margin.substr(0, 40),
              "must be a positive decimal number");
}

Result<std::optional<Roles>> roles_of(const PatternRequest& request, const NamedFile& file,
                                      std::size_t count) {
  std::string text;
  std::string where = request.roles;
  if (!request.roles.empty()) {
    auto read = file::read(request.roles, kMaxTextBytes);
    if (!read) return tl::unexpected(read.error());
    text = std::move(*read);
  } else {
    const auto stored = file.contents.metadata.find("roles");
    if (stored == file.contents.metadata.end()) return std::nullopt;
    text = stored->second;
    where = file.path + ": metadata roles";
  }
  auto roles = parse_roles(text, count, where);
  if (!roles) return tl::unexpected(roles.error());
  return std::optional<Roles>(std::move(*roles));
}

Result<std::optional<Pattern>> constraints_of(const PatternRequest& request, std::size_t count,
                                              const Rational& margin) {
  if (request.constraints.empty()) return std::nullopt;
  const auto text = file::read(request.constraints, kMaxTextBytes);
  if (!text) return tl::unexpected(text.error());
  auto pattern = parse_constraints(*text, count, margin, request.constraints);
  if (!pattern) return tl::unexpected(pattern.error());
  return std::optional<Pattern>(std::move(*pattern));
}

}  // namespace sinkproof::measure
