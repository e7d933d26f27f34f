#include "certificate/identity.hpp"
#include "check/rejected.hpp"
#include "check/steps.hpp"

namespace sinkproof::check {

void check_polynomial_identity(const json::Value& statement, certificate::Work& work,
                               const std::string& where) {
  for (const auto& identity : value_of(certificate::read_identities(statement, work, where))) {
    require(identity.left.polynomial == identity.right.polynomial, where + ": " + identity.name,
            "the two sides expand to different polynomials", "SP0804");
  }
}

}  // namespace sinkproof::check
