// How sinkproof says no. The value every border returns instead of throwing is a Result<T>: a T or
// an Error. Within the trusted base a reader or rule that fails throws Rejected, and only its door
// (result_of, check_file) catches it: a Result that a caller forgets to look at would accept a
// false certificate, a thrown Rejected cannot be overlooked. Both live in the lowest folder because
// parsing a number is the first thing that can fail.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace sinkproof::exact {

// `code` is stable ("SP0101"), listed in docs/ERRORS.md and never reused; `where` is the file and
// the step or field ("model.safetensors: W_Q.weight"); `what` says what is wrong and what to do
// about it.
struct Error {
  std::string code;
  std::string where;
  std::string what;
  bool has_lines = false;  // `what` has lines to paste; text of files in it is json::visible's
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string code, std::string where, std::string what) {
  return tl::unexpected<Error>(Error{std::move(code), std::move(where), std::move(what)});
}

// An error whose `what` is shown in the lines it has.
inline tl::unexpected<Error> fail_with_lines(std::string code, std::string where,
                                             std::string what) {
  return tl::unexpected<Error>(Error{std::move(code), std::move(where), std::move(what), true});
}

// The code of a check that ended at a limit of time or memory: neither proved nor rejected.
inline constexpr const char* kLimitReached = "SP0905";

// exit_code: 4 rejected, 2 something needed was not found, 5 contradiction.
struct Rejected {
  Error error;
  int exit_code = 4;
};

inline Rejected rejected_by(const Error& error) { return {error}; }

// Throws Rejected with this code unless `condition`.
inline void require(bool condition, const std::string& where, const std::string& what,
                    const std::string& code = "SP0901") {
  if (!condition) throw rejected_by({code, where, what});
}

// The value of a result, or its error thrown as Rejected.
template <typename T>
T value_of(Result<T> result) {
  if (!result) throw rejected_by(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// What a reader gives, or the error it throws: a door.
template <typename Reader>
auto result_of(const Reader& read) -> Result<decltype(read())> {
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

}  // namespace sinkproof::exact
