// How the trusted base says no. A reader or rule that fails throws Rejected, and only its door
// (result_of, check_file) catches it: a Result that a caller forgets to look at would accept
// a false certificate, a thrown Rejected cannot be overlooked.
#pragma once

#include <string>
#include <type_traits>

#include "exact/error.hpp"

namespace sinkproof::certificate {

// exit_code: 4 rejected, 2 something needed was not found, 3 over the budget, 5 contradiction.
struct Rejected {
  exact::Error error;
  int exit_code = 4;
};

// `error` as Rejected: exit code 3 for SP0905, else 4.
Rejected rejected_by(const exact::Error& error);

// Throws Rejected with this code unless `condition`.
void require(bool condition, const std::string& where, const std::string& what,
             const std::string& code = "SP0901");

// The value of a result, or its error thrown as Rejected.
template <typename T>
T value_of(exact::Result<T> result) {
  if (!result) throw rejected_by(result.error());
  return *std::move(result);
}
inline void value_of(const exact::Result<void>& result) {
  if (!result) throw rejected_by(result.error());
}

// What a reader gives, or the error it throws: a door.
template <typename Reader>
auto result_of(const Reader& read) -> exact::Result<decltype(read())> {
  try {
    if constexpr (std::is_void_v<decltype(read())>) {
      read();
      return {};
    } else {
      return read();
    }
  } catch (const Rejected& rejected) {
    return tl::unexpected(rejected.error);
  }
}

}  // namespace sinkproof::certificate
