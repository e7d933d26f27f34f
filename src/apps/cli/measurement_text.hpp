// How `sinkproof measure` shows what it found, as text and as JSON.
#pragma once

#include <optional>
#include <string>

#include "json/strict.hpp"
#include "measure/run.hpp"

namespace sinkproof::cli {

json::Value measurement_json(const measure::Place& place, const measure::Measurement& measurement);
void print_measurement(const measure::Place& place, const measure::Measurement& measurement);

json::Value cosine_json(const measure::CosineSimilarity& similarity);
// "0.1234 .. 0.1235", rounded outward, or "none" for no value.
std::string enclosure_text(const std::optional<exact::Enclosure>& enclosure);

}  // namespace sinkproof::cli
