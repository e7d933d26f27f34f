// How a checkpoint rule says no. Inside check/ a rule that fails throws Rejected, and only
// check.cpp catches it: a Result that a caller forgets to look at would accept a false certificate,
// a thrown Rejected cannot be overlooked.
#pragma once

#include <string>

#include "exact/error.hpp"

namespace sinkproof::check {

// exit_code: 4 rejected, 2 something needed was not found, 3 over the budget, 5 contradiction.
struct Rejected {
  exact::Error error;
  int exit_code = 4;
};

// `error` as Rejected: exit code 3 for SP0905, else 4.
Rejected rejected_by(const exact::Error& error);

// Throws Rejected with code SP0901 unless `condition`.
void require(bool condition, const std::string& where, const std::string& what);

// The value of a result, or its error thrown as Rejected.
template <typename T>
T value_of(exact::Result<T> result) {
  if (!result) throw rejected_by(result.error());
  return *std::move(result);
}
inline void value_of(const exact::Result<void>& result) {
  if (!result) throw rejected_by(result.error());
}

}  // namespace sinkproof::check
