// The structure of docs/THEORY.md section 5, looked for in given embeddings and found only where it
// holds exactly, and the bounds on map costs that are theorems for it: co-1 to co-5. A file may say
// that it was made with this structure; nobody takes its word.
//
// Scores here are x^T W y, without the 1/sqrt(d) of section 5: a margin here is kappa sqrt(d)
// there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/exp_enclosure.hpp"
#include "exact/matrix.hpp"
#include "exact/rational.hpp"

namespace sinkproof::model {

// What the bounds depend on: b, the group means m_c and the copies q_c orthogonal, of norm sqrt(d);
// dormant tokens lam m_c + eta_ci with 1/2 <= lam^2 < 1, eta_ci orthogonal to all of those, of
// equal norms, at least two to a group and summing to 0 in each, no two of a group equal.
struct SinkAndDiagonal {
  std::size_t dimension = 0;         // d
  std::size_t groups = 0;            // C
  std::vector<std::size_t> sizes{};  // of the groups
  exact::Rational lam_squared;
  exact::Rational noise_squared;  // |eta_ci|^2 = delta^2
  exact::Rational separation;     // Delta, the least |eta_ci - eta_cj|^2 within a group
  std::size_t noise_rank = 0;     // r_eta
  // ||Sigma||_op of the average of x x^T over the differences within groups.
  exact::Enclosure covariance_norm;
};

// What section 5 asks of the tokens, in the order in which it is looked at.
enum class Hypothesis {
  kRoles,   // a copy for each group, two tokens or more in each
  kFrame,   // norms and orthogonality of BOS, the copies and the group means
  kLambda,  // 1/2 <= lam^2 < 1
  kNoise,   // of equal norms, no two tokens of a group equal
};

// Beyond so many tokens the structure is not looked for: co-2's exact eigenvalue bound would take
// long.
inline constexpr std::size_t kMaxSearchedTokens = 128;

// How many tokens a pattern given by roles names.
std::size_t named_tokens(const certificate::Pattern& pattern);

// Whether both give the same tokens the same roles, whatever the kind and the margin: then one
// search serves both. Of constraints listed one by one: whether they are the same.
bool same_roles(const certificate::Pattern& a, const certificate::Pattern& b);

struct SinkAndDiagonalSearch {
  std::optional<SinkAndDiagonal> found;
  std::string why_not;  // when nothing was found: the first clause that fails
  std::optional<Hypothesis> violated = std::nullopt;  // and the hypothesis it belongs to
};

// Rows of `tokens` are the embeddings, T x d. `pattern` gives the roles (its bos, groups, copies;
// its kind must not be kMargins). Only the rows it names are looked at. Precondition: it names rows
// of `tokens`.
SinkAndDiagonalSearch find_sink_and_diagonal(const exact::RationalMatrix& tokens,
                                             const certificate::Pattern& pattern);

// The least map cost of a pattern lies between `lower` and `upper`; each of these is enclosed
// itself, so that [lower.lower, upper.upper] is a bound and lower.upper < upper.lower says that
// the closed forms leave a gap.
struct ClosedForm {
  exact::Enclosure lower;
  exact::Enclosure upper;
};

// Sink, reading A (co-1, co-4), with C groups and margin m: both sides are
// (2 m/d)(C - 1 + sqrt(C + 2C/E + 1/E^2))/lam, E = sqrt(1 + C + C/lam^2): this is the cost.
// Reading B: from below (2 m/d)(2(C - 1)/lam + C/(lam f) + C (2 + lam^2)/(f sqrt D)),
// f = sqrt(C + lam^2), D = C + (C + 1) lam^2; from above (2 m/d)(2(C - 1)/lam + nu),
// nu^2 = (C^2 (1 + lam^2)^2 + 4 lam^2)/(lam^2 D) + 4C/(lam sqrt D).
// Diagonal (co-2, co-3): from below 4m/||Sigma||_op
//   + (2 m/d)((C - 1) sqrt(1 + 4/lam^2) + sqrt((C + 4 + lam^2)/(C + (1 + C) lam^2))),
// from above (m/d)(C/lam^2) sqrt((1 + 4 lam^2)(4 + lam^2)) + 4 m r_eta/Delta.
// Preconditions: kind is not kMargins, margin > 0.
ClosedForm closed_form_cost(const SinkAndDiagonal& structure, certificate::PatternKind kind,
                            const exact::Rational& margin);

// Nothing lies between the bounds of the closed form and also between `lower` and `upper`: not both
// can be true.
bool contradicts(const ClosedForm& closed, const exact::Rational& lower,
                 const exact::Rational& upper);

}  // namespace sinkproof::model
