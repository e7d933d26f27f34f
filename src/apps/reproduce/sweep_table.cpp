#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/language_sweep.hpp"

namespace sinkproof::reproduce {
namespace {

struct Column {
  std::string heading;
  std::vector<std::string> cells;
};

std::string cell(const SweepRow& row, std::size_t column) {
  std::string text = fmt::format("{:.3f}", row.mean[column]);
  if (row.seeds > 1) text += fmt::format(" +-{:.3f}", row.deviation[column]);
  return text;
}

std::string published_cell(double percent) {
  return std::isnan(percent) ? "" : fmt::format("{:.4g}", percent / 100);
}

std::string name_of(const Sweep& sweep, const std::string& setting) {
  for (const SweepRun& run : sweep.runs) {
    if (run.setting == setting && !run.key.empty()) return run.key + " " + run.value;
  }
  if (sweep.preset == nullptr) return setting;
  return fmt::format("{} {}", sweep.preset->key, sweep.preset->arms.front().value);
}

std::string line(const std::vector<Column>& columns, auto text_of) {
  std::string text = "|";
  for (const Column& column : columns) text += " " + text_of(column) + " |";
  return text + "\n";
}

}  // namespace

std::string sweep_markdown(const Sweep& sweep) {
  const std::vector<SweepRow> rows = sweep_rows(sweep);
  const std::vector<PublishedRow> published = published_rows(sweep);
  std::vector<Column> columns = {{"run", {}}, {"theirs", {}}};
  for (const SweepColumn& column : kSweepColumns) {
    columns.push_back({column.heading, {}});
    if (column.published != nullptr) columns.push_back({"published", {}});
  }
  for (const SweepRow& row : rows) {
    const auto found = std::find_if(published.begin(), published.end(),
                                    [&](const auto& one) { return one.setting == row.setting; });
    const PublishedArm arm = found == published.end() ? PublishedArm{} : *found->arm;
    auto at = columns.begin();
    (at++)->cells.push_back(name_of(sweep, row.setting));
    (at++)->cells.emplace_back(arm.theirs);
    for (std::size_t column = 0; column < row.mean.size(); ++column) {
      (at++)->cells.push_back(cell(row, column));
      const auto stated = kSweepColumns[column].published;
      if (stated != nullptr) (at++)->cells.push_back(published_cell(arm.*stated));
    }
  }
  std::erase_if(columns, [](const Column& column) {
    return std::all_of(column.cells.begin(), column.cells.end(),
                       [](const std::string& text) { return text.empty(); });
  });
  std::string table = line(columns, [](const Column& column) { return column.heading; });
  table += "|";
  for (std::size_t column = 0; column < columns.size(); ++column) table += "---|";
  table += "\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    table += line(columns, [&](const Column& column) { return column.cells[row]; });
  }
  return table;
}

}  // namespace sinkproof::reproduce
