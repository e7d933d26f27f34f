// How the trusted base says no. A reader or rule that fails throws Rejected, and only its door
// (read_checkpoint, check_file) catches it: a Result that a caller forgets to look at would accept
// a false certificate, a thrown Rejected cannot be overlooked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "exact/rational.hpp"
#include "json/strict.hpp"

namespace sinkproof::certificate {

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

// certificate/fields.hpp, throwing.
void keys(const json::Value& object, const std::vector<std::string>& expected,
          const std::string& where);
exact::Rational number(const json::Value& object, const std::string& key, const std::string& where);
std::string text(const json::Value& object, const std::string& key, const std::string& where);
std::vector<std::string> texts(const json::Value& object, const std::string& key,
                               const std::string& where);
const json::Value& list(const json::Value& object, const std::string& key,
                        const std::string& where);
std::size_t count(const json::Value& object, const std::string& key, std::uint64_t least,
                  std::uint64_t most, const std::string& where);

}  // namespace sinkproof::certificate
