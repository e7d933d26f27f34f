// Which token is to score which above which, as people say it: patterns by name, roles and
// constraints in files (`sinkproof cost`, `sinkproof measure`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/margin_system.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::measure {

struct PatternRequest {
  std::vector<std::string> kinds;  // "sink-A", "sink-B", "diagonal"
  std::string roles;               // a file
  std::string constraints;         // a file
  std::string margin = "1";

  [[nodiscard]] bool any() const;  // one of them was given
};

// Of `kinds`, in the order of PatternKind; `when_none` if there are neither those nor constraints.
std::vector<certificate::PatternKind> kinds_of(const PatternRequest& request,
                                               std::vector<certificate::PatternKind> when_none);

// SP1607: not a positive decimal number.
exact::Result<exact::Rational> margin_of(const PatternRequest& request);

// Of the file `roles`, else the file's metadata `roles`, else none. Codes of parse_roles; SP02xx.
exact::Result<std::optional<Roles>> roles_of(const PatternRequest& request, const NamedFile& file,
                                             std::size_t count);

// Of the file `constraints`, else none. Codes of parse_constraints; SP02xx.
exact::Result<std::optional<certificate::Pattern>> constraints_of(const PatternRequest& request,
                                                                  std::size_t count,
                                                                  const exact::Rational& margin);

}  // namespace sinkproof::measure
