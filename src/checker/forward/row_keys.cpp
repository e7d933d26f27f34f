#include "forward/row_keys.hpp"

#include <algorithm>

namespace sinkproof::forward {
namespace {

// Radii up to this get no letter.
constexpr Word kSmallRadius = kOne >> 12U;

}  // namespace

LinearRow linear_row(const Series& row, const MomentModel& model) {
  LinearRow result{std::vector<Word>(row.size), exact::Matrix<Word>(row.size, model.noise),
                   std::vector<Word>(row.size)};
  for (std::size_t t = 0; t < row.terms.size(); ++t) {
    const Letter letter = row.terms[t][0];
    if (degree_of(row.terms[t]) != 1 || letter > model.noise) continue;
    for (std::size_t c = 0; c < row.size; ++c) {
      result.columns(c, letter - 1U) = row.values[t * row.size + c];
    }
  }
  const Series rest = sum(row, linear(result.columns, 1), -1);
  for (std::size_t c = 0; c < row.size; ++c) {
    const WordRange at = range(rest, c, model.letters.alphabet);
    result.centre[c] = at.lower + (at.upper - at.lower) / 2;
    result.radius[c] = std::max(at.upper - result.centre[c], result.centre[c] - at.lower);
  }
  return result;
}

RowKeys row_keys(const std::vector<std::vector<const LinearRow*>>& rows, std::size_t layer,
                 const MomentModel& model) {
  const std::size_t n = model.width;
  RowKeys result{
      {std::vector<Word>(n), exact::Matrix<Word>(n, model.noise), std::vector<Word>(n), {}},
      std::vector<std::vector<Word>>(model.noise, std::vector<Word>(rows.size(), kScale))};
  ContentKeys& keys = result.keys;
  std::vector<Wide> total(n * model.noise);
  Wide count = 0;
  for (const auto& at : rows) {
    for (const LinearRow* row : at) {
      ++count;
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t a = 0; a < model.noise; ++a)
          total[c * model.noise + a] += row->columns(c, a);
      }
    }
  }
  for (std::size_t a = 0; a < model.noise; ++a) {
    keys.numbers.push_back(a);
    for (std::size_t c = 0; c < n; ++c) {
      keys.columns(c, a) = static_cast<Word>(total[c * model.noise + a] / count) / kScale * kScale;
    }
  }
  std::vector<std::vector<Word>> added;  // columns
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<WordRange> ends;
    for (const auto& at : rows) {
      WordRange all{INT64_MAX, INT64_MIN};
      for (const LinearRow* row : at) {
        Wide away = row->radius[c];
        for (std::size_t a = 0; a < model.noise; ++a) {
          away += size_of(row->columns(c, a) - keys.columns(c, a));
        }
        const Word around = narrow(away);
        all.lower = std::min(all.lower, row->centre[c] - around);
        all.upper = std::max(all.upper, row->centre[c] + around);
      }
      ends.push_back(all);
    }
    WordRange all = ends.front();
    for (const WordRange& one : ends) {
      all = {std::min(all.lower, one.lower), std::max(all.upper, one.upper)};
    }
    const Word centre = all.lower + (all.upper - all.lower) / 2;
    const Word radius = std::max(all.upper - centre, centre - all.lower);
    keys.centre[c] = centre;
    const std::size_t letter = model.noise + (layer - 1) * n + c;
    if (radius <= kSmallRadius || letter >= model.letters.alphabet.columns) {
      keys.remainder[c] = radius;
      continue;
    }
    const Word size = (radius + kScale - 1) / kScale * kScale;
    added.emplace_back(n);
    added.back()[c] = size;
    keys.numbers.push_back(letter);
    result.scales.emplace_back();
    for (const WordRange& one : ends) {
      const Word away = std::max(one.upper - centre, centre - one.lower);
      result.scales.back().push_back(part_of_scale(away, size));
    }
  }
  exact::Matrix<Word> columns(n, model.noise + added.size());
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t a = 0; a < columns.columns(); ++a) {
      columns(c, a) = a < model.noise ? keys.columns(c, a) : added[a - model.noise][c];
    }
  }
  keys.columns = std::move(columns);
  return result;
}

RowKeys token_keys_of(const ContentKeys& token, std::size_t count) {
  return {token,
          std::vector<std::vector<Word>>(token.numbers.size(), std::vector<Word>(count, kScale))};
}

SeenKeys seen_of(const RowKeys& rows, std::size_t count) {
  SeenKeys seen{&rows.keys, count, {}, {}};
  for (const std::vector<Word>& scales : rows.scales) add_letter(seen, scales);
  return seen;
}

}  // namespace sinkproof::forward
