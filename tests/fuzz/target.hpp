// What each target of this folder is: one function that reads bytes as a hostile file would bring
// them, and ends the process where a promise of the reader is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// libFuzzer calls it in the preset `fuzz`, replay.cpp in every other build.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace sinkproof::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the process, so that the input is kept as a finding.
inline void require(bool holds, const std::string& promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

// An error is complete: it has a code and says where and what.
template <typename Error>
void require_complete(const Error& error) {
  require(error.code.starts_with("SP") && !error.where.empty() && !error.what.empty(),
          "an error has a code, a place and a text; this one is \"" + error.code + "\", \"" +
              error.where + "\", \"" + error.what + "\"");
}

}  // namespace sinkproof::fuzz
