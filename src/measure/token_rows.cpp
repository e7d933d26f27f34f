#include "measure/token_rows.hpp"

#include <utility>
#include <vector>

#include "train/task.hpp"

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
  train::Shape shape;
  shape.d_model = model.d_model;
  shape.length = length;
  std::vector<exact::Rational> values;
  values.reserve(source.random * length * model.d_model);
  for (std::size_t sample = 0; sample < source.random; ++sample) {
    const train::Sample drawn =
        train::draw_sample(shape, {source.seed, 0}, static_cast<std::uint32_t>(sample));
    for (const float token : drawn.tokens) {
      values.push_back(exact::from_double(static_cast<double>(token)));
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

std::vector<exact::RationalMatrix> sequences(const TokenRows& tokens) {
  std::vector<exact::RationalMatrix> result;
  for (std::size_t begin = 0; begin < tokens.rows.rows(); begin += tokens.length) {
    exact::RationalMatrix sequence(tokens.length, tokens.rows.columns());
    for (std::size_t i = 0; i < tokens.length; ++i) {
      for (std::size_t j = 0; j < tokens.rows.columns(); ++j) {
        sequence(i, j) = tokens.rows.at(begin + i, j);
      }
    }
    result.push_back(std::move(sequence));
  }
  return result;
}

}  // namespace sinkproof::measure
