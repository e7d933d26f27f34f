// Where the sequences a model is run on come from: a file, or random ones of the trigger task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "measure/vectors.hpp"
#include "model/attention_model.hpp"

namespace sinkproof::measure {

struct TokenSource {
  std::string file;                   // --tokens, or empty
  std::optional<std::string> tensor;  // of the file
  std::size_t random = 0;             // --random, where there is no file
  std::uint64_t seed = 0;
  std::size_t length = 0;  // rows per sequence; 0: the model's (random) or all rows (file)
};

// How random sequences are made: sequence s of seed S is drawn from digests as
// src/checker/certificate/CHECKPOINT_RULES.md, 4.18 says, so that a checker draws it again.
inline constexpr const char* kRandomGenerator = "SHA-256 of model, length, seed and index";

// Sequences of `length` rows, one after the other, exactly; of a file also its SHA-256 and tensor.
struct TokenRows {
  DyadicMatrix rows;
  std::size_t length = 0;
  std::string sha256;
  std::string tensor;
};

// SP1509: more than max_rows random rows, or a length that does not divide the file's rows. Errors
// of files as read_file and read_tokens.
exact::Result<TokenRows> read_token_rows(const TokenSource& source,
                                         const model::AttentionModel& model, std::size_t max_rows);

// The rows of one sequence: `asked`, or for 0 all there are. SP1509: it does not divide `rows`.
exact::Result<std::size_t> sequence_length(std::size_t asked, std::size_t rows);

// The rows cut into sequences of `length`. Precondition: it divides their number.
std::vector<exact::RationalMatrix> sequences_of(const DyadicMatrix& rows, std::size_t length);

}  // namespace sinkproof::measure
