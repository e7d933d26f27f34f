// Which token is to score which above which (VECTOR_RULES.md, 6.2; docs/THEORY.md, section 5): the
// roles tokens play, the triples a pattern stands for. Written
// apart from the checker's own expansion; a difference between the two is a rejected certificate.
#pragma once

#include <string>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/error.hpp"

namespace sinkproof::measure {

// As certificates write it: "margins", "sink-A", "sink-B", "diagonal".
std::string name_of(certificate::PatternKind kind);

// Token numbers: one BOS, dormant tokens in groups, a copy query for each group or none.
struct Roles {
  std::size_t bos = 0;
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::size_t> copies;
};

// Token 0 is BOS, all others are one group, no copies. Precondition: count >= 2.
Roles default_roles(std::size_t count);

// {"bos": b, "groups": [[...], ...], "copies": [...]} over tokens 0..count-1. SP0301: not JSON.
// SP1601: another form, or copies that fit the groups in number neither way. SP1602: a token out of
// range. SP1603: a token in two roles. SP1604: an empty group, or no group.
exact::Result<Roles> parse_roles(const std::string& text, std::size_t count,
                                 const std::string& where);

// The pattern `kind` (not margins) for these roles.
certificate::Pattern pattern_of(certificate::PatternKind kind, const Roles& roles,
                                const exact::Rational& margin);

// A user's constraints: a list of [query, above, below] or [query, above, below, weight], weights
// positive integers or strings of digits. SP1605: another form, the same triple twice, or none.
// SP1602: a token out of range.
exact::Result<certificate::Pattern> parse_constraints(const std::string& text, std::size_t count,
                                                      const exact::Rational& margin,
                                                      const std::string& where);

// v_j^T W v_a >= weight * margin + v_j^T W v_i for each (j; a, i), sorted, none twice.
struct MarginSystem {
  exact::Rational margin;
  std::vector<certificate::WeightedTriple> constraints;

  // The tokens that occur, increasing.
  [[nodiscard]] std::vector<std::size_t> named() const;
};

// SP1606: no triple, or more than kMaxConstraints.
exact::Result<MarginSystem> margin_system(const certificate::Pattern& pattern);

}  // namespace sinkproof::measure
