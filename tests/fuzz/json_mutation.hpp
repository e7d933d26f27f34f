// Mutants of JSON that are JSON: most of a file stays as it is, so that what is checked last is
// reached, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinkproof::fuzz {

// A mutant of this JSON in canonical form, or "" where it is none.
std::string mutate_json(std::string_view text, unsigned seed);

// libFuzzer's own mutation of bytes.
std::string mutate_bytes(std::string_view bytes, std::size_t most);

// Writes the mutant over the input and returns its size; 0 where it does not fit.
std::size_t put(std::string_view mutant, std::uint8_t* data, std::size_t most);

}  // namespace sinkproof::fuzz
