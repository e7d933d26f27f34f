#include "cli/variant_table.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "cli/or_null.hpp"
#include "json/visible.hpp"
#include "rounded/decimal.hpp"

namespace sinkproof::cli {
namespace {

using exact::Rational;

constexpr unsigned kTableDigits = 7;

using Cell = std::vector<std::string>;  // its lines
using Line = std::array<Cell, 5>;

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // one for each code point of UTF-8
  }));
}

// The words of `text` in lines of at most kLineWidth, longer only where one word is.
Cell wrapped(const std::string& text) {
  constexpr std::size_t kLineWidth = 36;
  Cell lines;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!lines.empty() && width(lines.back()) + 1 + width(word) <= kLineWidth) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

Cell trained_lines(const report::VariantRow& row) {
  if (row.status.empty()) return {"-"};
  if (row.status != "accepted") {
    Cell lines = wrapped(row.reason);
    lines.insert(lines.begin(), row.variant.trained + ": " + row.status);
    return lines;
  }
  const report::TrainedBounds& bounds = row.bounds;
  Cell lines = {row.variant.trained + ": certified"};
  const auto add = [&](const std::string& what, const auto& floor, const auto& ceiling) {
    const std::string range = report::range_text(floor, ceiling, kTableDigits);
    if (range.empty()) return;
    const Cell part = wrapped(what + " " + range);
    lines.insert(lines.end(), part.begin(), part.end());
  };
  add("loss", std::nullopt, bounds.loss);
  add("BOS attention before the trigger", bounds.floor, bounds.ceiling);
  add("null slot before the trigger", bounds.null_floor, bounds.null_ceiling);
  const Cell remark = wrapped(row.reason);
  lines.insert(lines.end(), remark.begin(), remark.end());
  return lines;
}

Line cells(const report::VariantRow& row) {
  Cell evidence;
  for (const std::string& name : row.variant.says) {
    if (name.find('.') == std::string::npos) evidence.push_back("theorem " + name);
  }
  evidence.insert(evidence.end(), row.files.begin(), row.files.end());
  return {wrapped(row.variant.name), Cell{claim::to_string(row.variant.sink)},
          wrapped(row.variant.bound), std::move(evidence), trained_lines(row)};
}

std::string printed(const Line& line, const std::array<std::size_t, 5>& widths) {
  std::size_t height = 0;
  for (const Cell& cell : line) height = std::max(height, cell.size());
  std::string text;
  for (std::size_t i = 0; i < height; ++i) {
    std::string printed_line = " ";
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string part = i < line[c].size() ? line[c][i] : "";
      printed_line += (c == 0 ? " " : " | ") + part + std::string(widths[c] - width(part), ' ');
    }
    printed_line.erase(printed_line.find_last_not_of(' ') + 1);
    text += printed_line + "\n";
  }
  return text;
}

json::Value decimal(const std::optional<Rational>& value, bool up) {
  if (!value) return nullptr;
  return up ? rounded::decimal_up(*value, kTableDigits)
            : rounded::decimal_down(*value, kTableDigits);
}

json::Value trained_json(const report::VariantRow& row) {
  if (row.status.empty()) return nullptr;
  json::Value value = {{"certificate", row.variant.trained + ".json"},
                       {"status", row.status},
                       {"reason", row.reason}};
  if (row.status != "accepted") return value;
  value["loss"] = decimal(row.bounds.loss, true);
  value["bos_floor"] = decimal(row.bounds.floor, false);
  value["bos_ceiling"] = decimal(row.bounds.ceiling, true);
  value["null_floor"] = decimal(row.bounds.null_floor, false);
  value["null_ceiling"] = decimal(row.bounds.null_ceiling, true);
  return value;
}

}  // namespace

std::string variant_table(const std::vector<report::VariantRow>& rows) {
  std::vector<Line> lines = {Line{Cell{"variant"}, Cell{"sink"}, Cell{"bound"}, Cell{"evidence"},
                                  Cell{"trained checkpoint"}}};
  for (const report::VariantRow& row : rows) lines.push_back(cells(row));
  for (Line& line : lines) {
    for (Cell& cell : line) {
      for (std::string& part : cell) part = json::visible(part);
    }
  }
  std::array<std::size_t, 5> widths = {};
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      for (const std::string& part : line[c]) widths[c] = std::max(widths[c], width(part));
    }
  }
  std::string rule = " ";
  for (std::size_t c = 0; c < widths.size(); ++c) {
    rule += (c == 0 ? " " : "-+-") + std::string(widths[c], '-');
  }
  std::string text;
  for (const Line& line : lines) text += (text.empty() ? "" : rule + "\n") + printed(line, widths);
  return text;
}

json::Value variant_json(const std::vector<report::VariantRow>& rows) {
  json::Value list = json::Value::array();
  for (const report::VariantRow& row : rows) {
    list.push_back({{"name", row.variant.name},
                    {"attention", or_null(row.variant.attention)},
                    {"sink", claim::to_string(row.variant.sink)},
                    {"bound", row.variant.bound},
                    {"says", row.variant.says},
                    {"evidence", row.variant.evidence},
                    {"files", row.files},
                    {"trained", trained_json(row)}});
  }
  return list;
}

}  // namespace sinkproof::cli
