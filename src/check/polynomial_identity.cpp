#include "check/polynomial_identity.hpp"

#include "certificate/identity.hpp"

namespace sinkproof::check {

exact::Result<void> check_polynomial_identity(const json::Value& statement, certificate::Work& work,
                                              const std::string& where) {
  const auto identities = certificate::read_identities(statement, work, where);
  if (!identities) return tl::unexpected(identities.error());
  for (const certificate::Identity& identity : *identities) {
    if (identity.left.polynomial != identity.right.polynomial) {
      return exact::fail("SP0804", where + ": " + identity.name,
                         "the two sides expand to different polynomials");
    }
  }
  return {};
}

}  // namespace sinkproof::check
