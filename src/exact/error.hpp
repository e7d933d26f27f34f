// The value every border of sinkproof returns instead of throwing: a Result<T> holds a T or an
// Error. It lives in the lowest folder because parsing a number is the first thing that can fail.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sinkproof::exact {

// `code` is stable ("SP0101"), listed in docs/ERRORS.md and never reused; `where` is the file and
// the step or field ("model.safetensors: W_Q.weight"); `what` says what is wrong and what to do
// about it.
struct Error {
  std::string code;
  std::string where;
  std::string what;
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(std::string code, std::string where, std::string what) {
  return tl::unexpected<Error>(Error{std::move(code), std::move(where), std::move(what)});
}

}  // namespace sinkproof::exact
