// How `sinkproof measure` shows what it found, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include "json/strict.hpp"
#include "measure/measure.hpp"

namespace sinkproof::cli {

// Where a measurement was made; no layer for rows of a file alone.
struct MeasuredPlace {
  std::optional<std::size_t> layer;
  std::optional<std::size_t> head;

  // "layer 1 head 0", "layer 1", "rows".
  [[nodiscard]] std::string text() const;
};

json::Value measurement_json(const MeasuredPlace& place, const measure::Measurement& measurement);
void print_measurement(const MeasuredPlace& place, const measure::Measurement& measurement);

json::Value cosine_json(const measure::CosineSimilarity& similarity);
// "0.1234 .. 0.1235", rounded outward, or "none" for no value.
std::string enclosure_text(const std::optional<exact::Enclosure>& enclosure);

}  // namespace sinkproof::cli
