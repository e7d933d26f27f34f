// Vectors and certificates about them, some judged by the checker, some forged as if it had
// accepted them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "certificate/pattern.hpp"
#include "exact/exp_enclosure.hpp"
#include "heads.hpp"
#include "report/input.hpp"

namespace sinkproof::report::test {

// Writes rows of numbers as a F32 tensor "tokens"; gives the file's SHA-256.
std::string write_tokens(const std::filesystem::path& path,
                         const std::vector<std::vector<float>>& rows,
                         const std::string& instance = "");

// Writes a head with square W_V and W_O and no bias; gives the file's SHA-256.
std::string write_value_head(const std::filesystem::path& path, const Weights& value,
                             const Weights& output, std::size_t width);

// A certificate about such a file. `head` is null or the object of VECTOR_RULES.md 6.1.
json::Value vector_certificate(const std::string& sha256, const json::Value& properties,
                               const json::Value& head = nullptr);

// As if the checker had accepted it.
Input accepted(const std::filesystem::path& path, const json::Value& certificate,
               const std::filesystem::path& file);

// Four orthonormal tokens, token 0 the sink of the others: cost exactly 3, squared Frobenius margin
// exactly 4/9, the others' hull exactly 1/sqrt(3) from the origin.
json::Value orthonormal_properties();
std::vector<std::vector<float>> orthonormal_tokens();

// An instance of docs/THEORY.md section 5 with d = 16, two groups of four, lam = 13/16, noise of
// norm 2 and the given nuisance rank, 2 to 4: token 0 is BOS, 1 and 2 are copies.
std::vector<std::vector<float>> instance_tokens(std::size_t rank);

// A pattern of those roles, and a cost of it.
json::Value instance_pattern(const std::string& kind, const std::string& margin);
json::Value cost_property(const json::Value& pattern, const exact::Enclosure& cost);

}  // namespace sinkproof::report::test
