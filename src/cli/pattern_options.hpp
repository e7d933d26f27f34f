// The options that say which token is to score which above which, as `sinkproof cost` and
// `sinkproof measure` share them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "measure/margin_system.hpp"
#include "measure/vectors.hpp"

namespace sinkproof::cli {

struct PatternOptions {
  std::vector<std::string> kinds;  // "sink-A", "sink-B", "diagonal"
  std::string roles;               // a file
  std::string constraints;         // a file
  std::string margin = "1";

  [[nodiscard]] bool any() const;  // one of them was given
};

// --pattern, --roles, --constraints and --margin; `when_none` names what is asked without them.
void add_pattern_options(const Command& command, PatternOptions& options,
                         const std::string& when_none);

// Of --pattern, in the order of PatternKind; `when_none` if neither it nor --constraints was given.
std::vector<certificate::PatternKind> kinds_of(const PatternOptions& options,
                                               std::vector<certificate::PatternKind> when_none);

// SP1607: not a positive decimal number.
exact::Result<exact::Rational> margin_of(const PatternOptions& options);

// Of --roles, else the file's metadata `roles`, else none. Codes of measure::parse_roles; SP02xx.
exact::Result<std::optional<measure::Roles>> roles_of(const PatternOptions& options,
                                                      const measure::NamedFile& file,
                                                      std::size_t count);

// Of --constraints, else none. Codes of measure::parse_constraints; SP02xx.
exact::Result<std::optional<certificate::Pattern>> constraints_of(const PatternOptions& options,
                                                                  std::size_t count,
                                                                  const exact::Rational& margin);

}  // namespace sinkproof::cli
