#include "measure/token_rows.hpp"

#include <utility>
#include <vector>

#include "forward/drawn.hpp"

namespace sinkproof::measure {
namespace {

using exact::fail;
using exact::Result;

Result<TokenRows> random_rows(const TokenSource& source, const model::AttentionModel& model,
                              std::size_t max_rows) {
  const std::size_t length = model.length;
  if (source.random > max_rows / length) {
    return fail("SP1509", "--random " + std::to_string(source.random),
                "times length " + std::to_string(length) + " is over " + std::to_string(max_rows) +
                    " rows");
  }
  std::vector<exact::Rational> values;
  values.reserve(source.random * length * model.d_model);
  for (std::size_t sample = 0; sample < source.random; ++sample) {
    const std::string key = forward::given_key(model.sha256, length, source.seed, sample);
    const auto drawn = forward::drawn_sequence(key, {length, model.d_model}, false);
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t c = 0; c < model.d_model; ++c) values.push_back(drawn.tokens(i, c));
    }
  }
  return TokenRows{dyadic_matrix(source.random * length, model.d_model, values), length, {}, {}};
}

}  // namespace

Result<TokenRows> read_token_rows(const TokenSource& source, const model::AttentionModel& model,
                                  std::size_t max_rows) {
  if (source.file.empty()) return random_rows(source, model, max_rows);
  const auto file = read_file(source.file);
  if (!file) return tl::unexpected(file.error());
  auto tokens = read_tokens(*file, source.tensor, max_rows);
  if (!tokens) return tl::unexpected(tokens.error());
  const auto length = sequence_length(source.length, tokens->rows.rows());
  if (!length) return tl::unexpected(length.error());
  return TokenRows{std::move(tokens->rows), *length, file->sha256, std::move(tokens->tensor)};
}

Result<std::size_t> sequence_length(std::size_t asked, std::size_t rows) {
  const std::size_t length = asked == 0 ? rows : asked;
  if (length <= rows && rows % length == 0) return length;
  return fail("SP1509", "--length " + std::to_string(length),
              "must divide the " + std::to_string(rows) + " rows");
}

std::vector<exact::RationalMatrix> sequences_of(const DyadicMatrix& rows, std::size_t length) {
  std::vector<exact::RationalMatrix> result;
  for (std::size_t begin = 0; begin < rows.rows(); begin += length) {
    exact::RationalMatrix sequence(length, rows.columns());
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < rows.columns(); ++j) sequence(i, j) = rows.at(begin + i, j);
    }
    result.push_back(std::move(sequence));
  }
  return result;
}

}  // namespace sinkproof::measure
