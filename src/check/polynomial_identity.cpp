#include "check/polynomial_identity.hpp"

#include "certificate/identity.hpp"

namespace sinkproof::check {

exact::Result<void> check_polynomial_identity(const json::Value& statement,
                                              const std::string& where) {
  const auto identities = certificate::read_identities(statement, where);
  if (!identities) return tl::unexpected(identities.error());
  for (const certificate::Identity& identity : *identities) {
    if (identity.left != identity.right) {
      return exact::fail("SP0804", where + ": " + identity.name,
                         "the two sides expand to different polynomials");
    }
  }
  return {};
}

}  // namespace sinkproof::check
