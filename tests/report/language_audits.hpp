// A language certificate about a model of two layers of four heads (two of keys), with numbers that
// tests can tell from each other, as if the checker had accepted it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "certificate/language.hpp"
#include "report/input.hpp"

namespace sinkproof::report::test {

inline constexpr std::size_t kLayers = 2;
inline constexpr std::size_t kHeads = 4;
inline constexpr std::size_t kKeyHeads = 2;

// Writes config.json, and hands out its certificate without sequences and statements.
certificate::Language language_model(const std::filesystem::path& config);

// A statement about the numbers, each known to within `width`.
certificate::LanguageStatement stated(certificate::LanguageQuestion question,
                                      const std::vector<exact::Rational>& numbers,
                                      const exact::Rational& width);

// About sequence `s`: number i is start + i step.
certificate::LanguageStatement stated(certificate::LanguageReadout readout, std::size_t s,
                                      std::size_t count, const exact::Rational& start,
                                      const exact::Rational& step);

// Accepted, with the config.json at hand.
Input input_of(const certificate::Language& language, const std::filesystem::path& certificate,
               const std::filesystem::path& config);

}  // namespace sinkproof::report::test
