#include "report/enclosure_field.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rounded/decimal.hpp"

namespace sinkproof::report {
namespace {

using exact::Enclosure;
using exact::Rational;

constexpr unsigned kFieldDigits = 15;

Enclosure rounded(const Rational& lower, const Rational& upper) {
  return {rounded::round_down_decimal(lower, kFieldDigits),
          rounded::round_up_decimal(upper, kFieldDigits)};
}

}  // namespace

Enclosure kept(Kept what, const std::vector<const Enclosure*>& numbers) {
  if (numbers.size() == 1) return *numbers.front();
  Enclosure all = *numbers.front();
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (what == Kept::kLargest) {
      all = {exact::max(all.lower, numbers[i]->lower), exact::max(all.upper, numbers[i]->upper)};
    } else {
      all = {all.lower + numbers[i]->lower, all.upper + numbers[i]->upper};
    }
  }
  const Rational count(what == Kept::kMean ? numbers.size() : 1);
  return rounded(all.lower / count, all.upper / count);
}

std::vector<Stretch> stretches(std::size_t size, std::size_t most) {
  std::vector<Stretch> all{{0, 0}};
  const std::size_t width = size <= most ? 1 : (size - 2) / (most - 1) + 1;
  for (std::size_t first = 1; first < size; first += width) {
    all.push_back({first, std::min(size, first + width) - 1});
  }
  return all;
}

EnclosureField condensed(const EnclosureField& field, const std::vector<Stretch>& rows,
                         const std::vector<Stretch>& columns, Kept what) {
  EnclosureField shown{rows.size(), columns.size(), {}};
  for (const Stretch& row : rows) {
    for (const Stretch& column : columns) {
      std::vector<const Enclosure*> numbers;
      for (std::size_t r = row.first; r <= row.last; ++r) {
        for (std::size_t c = column.first; c <= column.last; ++c) {
          numbers.push_back(&field.at(r, c));
        }
      }
      shown.cells.push_back(kept(what, numbers));
    }
  }
  return shown;
}

std::string stretch_name(const Stretch& stretch, std::size_t from) {
  return stretch.first == stretch.last
             ? std::to_string(stretch.first + from)
             : fmt::format("{}-{}", stretch.first + from, stretch.last + from);
}

}  // namespace sinkproof::report
