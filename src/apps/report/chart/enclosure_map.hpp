// Numbers over rows and columns (layers, heads, positions) as an SVG grid: certified ones, or
// estimates, which say so. Each cell
// shows its whole interval: one colour where both ends have it, else the lower end's in its upper
// left half and the upper end's in the other. The colours are rounded; the text of a cell is not.
#pragma once

#include <string>
#include <vector>

#include "report/chart/colour_scale.hpp"
#include "report/enclosure_field.hpp"

namespace sinkproof::report {

// Colours by the data: from 0 to a round number, and by decades. The logarithmic ones alone where
// numbers are at least a hundredfold apart.
struct Shades {
  double largest = 1;
  int bottom = -1;  // decades: from 10^bottom to 10^top
  int top = 0;
  bool decades_only = false;
  bool negative = false;  // some number is less than 0 for certain
};

// The shades that hold all numbers of all these fields. Intervals that hold 0 do not count among
// the smallest. Precondition: no null pointers.
Shades shades_of(const std::vector<const EnclosureField*>& fields);

// What is drawn onto a cell.
enum class CellMark { kNone, kFull, kRing, kCross };

// One by itself, for a key.
std::string mark_sign(CellMark mark);

struct Axis {
  std::string name;                   // "layer"
  std::vector<std::string> labels;    // of its places
  std::vector<std::string> spoken{};  // the same where a cell is read out; empty: as the labels
  bool words = false;  // labels are words, cut to fit, and turned upright beneath columns
};

struct EnclosureMap {
  std::string id;        // unique on the page, [a-z0-9-]
  std::string title;     // what is shown
  std::string quantity;  // what a cell holds, before its text: "alpha"
  std::string words;     // markup: more for the caption; "" for nothing
  Axis rows;
  Axis columns;
  EnclosureField field;
  std::vector<CellMark> marks{};  // one for each cell, or none
  // Doubles, each an interval of one number: shown as estimates. Else the figure is marked as
  // proved.
  bool estimated = false;
  std::string stands_for{};  // what the page's script picks it by: "0/3/5 0/3/6"
};

// A <figure> that the page's script makes something to read cell by cell and to enlarge. Text is
// escaped. Precondition: as many labels as rows and columns, at least one of each.
std::string enclosure_map(const EnclosureMap& map, const Shades& shades);

// The colour bar, or both, and what their looks mean. `quantity`: of what.
std::string shade_bars(const Shades& shades, const std::string& quantity);

}  // namespace sinkproof::report
