// The trusted checker's door: one certificate file in, a verdict out. Used by sinkproof-check, by
// `sinkproof check` and by every command that is about to print a bound.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "json/strict.hpp"

namespace sinkproof::check {

// What the check of one file may take.
struct Limits {
  static constexpr std::uint64_t kMostSeconds = 1'000'000;
  static constexpr std::uint64_t kMostMemory = 1'000'000;

  std::uint64_t seconds = 300;  // of processor time; from 1
  std::uint64_t memory = 2000;  // megabytes, mapped files aside; from 1
};

struct Options {
  std::optional<std::filesystem::path> models;  // folder of *.safetensors
  std::optional<std::filesystem::path> claims;  // folder of claim folders
  std::set<std::string>
      accept;  // of "smt", "coq", "statistical": what is accepted without verification
  std::optional<Limits> limits = Limits{};  // null: none, and in this process
};

struct Outcome {
  std::string file;
  std::string claim;     // "" when the file could not be read that far
  std::string verdict;   // "proved", "bounded", "holey", "statistical", "unknown" (steps not
                         // re-verified), "rejected"
  std::string evidence;  // "exact", "exact+coq", ...: what the verdict rests on
  std::string reason;    // one sentence; "" when there is nothing to add
  std::string code;      // error code, when there is one
  std::vector<std::string> overrides;  // of an accepted checkpoint certificate: the metadata keys
                                       // it reads otherwise than the file; the reason says so, too
  std::string remarks;  // of an accepted language certificate: language::Model::remarks; likewise
  int exit_code = 5;    // docs/DESIGN.md: 0, 2, 3, 4 or 5
  std::uint64_t milliseconds = 0;  // of processor time that the check took
};

// Every path a certificate can take ends here, and nothing escapes as an exception. Within the
// limits (limits.hpp), in a process of its own.
Outcome check_file(const std::filesystem::path& path, const Options& options);

// The same for a checkpoint certificate that is not a file yet, about files (the model, given
// inputs) whose bytes are at hand: for a command that will not print a bound before the checker has
// accepted it. The claim's hash is not looked at. In this process,
// without limits.
Outcome check_checkpoint(const json::Value& certificate, const std::vector<std::string>& files);

// The same for a vector certificate, about files whose bytes are at hand.
Outcome check_vectors(const json::Value& certificate, const std::vector<std::string>& files);

// The same for a cover certificate, about a model whose folder is one of these or in one.
Outcome check_cover(const json::Value& certificate,
                    const std::vector<std::filesystem::path>& folders);

// The exit code of several outcomes: the first of 5, 4, 1, 2, 3, 0 among them.
int worst_exit_code(const std::set<int>& codes);

}  // namespace sinkproof::check
