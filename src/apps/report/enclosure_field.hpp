// Numbers known to within an interval each, in rows and columns: what a picture or a table of a
// language model shows, and how several such fields become one that can be shown.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "exact/exp_enclosure.hpp"

namespace sinkproof::report {

struct EnclosureField {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<exact::Enclosure> cells;  // row-major, rows * columns

  [[nodiscard]] const exact::Enclosure& at(std::size_t row, std::size_t column) const {
    return cells[row * columns + column];
  }
};

// What is kept of several numbers.
enum class Kept { kMean, kLargest };

// The mean or the largest of numbers in these intervals, to within one; ends are rounded outward to
// 15 digits. Precondition: there are some.
exact::Enclosure kept(Kept what, const std::vector<const exact::Enclosure*>& numbers);

// Neighbours along an axis that are shown as one: places first .. last, from 0.
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;
};

// `size` places in at most `most` stretches: each by itself where that many fit, else the first by
// itself and the others in equally long ones. Precondition: size >= 1, most >= 2.
std::vector<Stretch> stretches(std::size_t size, std::size_t most);

// The field with these stretches of rows and of columns in the place of places.
EnclosureField condensed(const EnclosureField& field, const std::vector<Stretch>& rows,
                         const std::vector<Stretch>& columns, Kept what);

// "5", "9-16", counted from `from`.
std::string stretch_name(const Stretch& stretch, std::size_t from);

}  // namespace sinkproof::report
