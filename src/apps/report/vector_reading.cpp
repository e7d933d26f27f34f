#include "report/vector_reading.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "certificate/strict.hpp"
#include "text/words.hpp"

namespace sinkproof::report {
namespace {

using certificate::Pattern;
using certificate::PatternKind;
using exact::Result;
using text::counted;

}  // namespace

Result<Vectors> read_vectors(const json::Value& certificate, const std::string& where) {
  auto vectors = certificate::result_of([&] { return certificate::read_vectors(certificate); });
  if (vectors) return vectors;
  return exact::fail("SP1202", where + ": " + vectors.error().where, vectors.error().what);
}

std::string pattern_name(PatternKind kind) {
  switch (kind) {
    case PatternKind::kSinkA:
      return "sink, reading A";
    case PatternKind::kSinkB:
      return "sink, reading B";
    case PatternKind::kDiagonal:
      return "diagonal";
    case PatternKind::kMargins:
      break;
  }
  return "margins";
}

std::string roles_in_words(const Pattern& pattern) {
  if (pattern.kind == PatternKind::kMargins) {
    return counted(pattern.constraints.size(), "constraint");
  }
  std::set<std::size_t> sizes;
  for (const auto& group : pattern.groups) sizes.insert(group.size());
  std::string of = fmt::format(" of {}", *sizes.begin());
  if (sizes.size() > 1) of += fmt::format(" to {}", *sizes.rbegin());
  const std::string copies =
      pattern.copies.empty() ? "no copies" : counted(pattern.copies.size(), "copy", "copies");
  return fmt::format("token {} is BOS; {}{}; {}", pattern.bos,
                     counted(pattern.groups.size(), "group"), of, copies);
}

bool has_copies(const Pattern& pattern) {
  return pattern.kind != PatternKind::kMargins && pattern.copies.size() == pattern.groups.size();
}

}  // namespace sinkproof::report
