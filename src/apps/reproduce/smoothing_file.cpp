#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "reproduce/smoothing.hpp"
#include "text/words.hpp"

namespace sinkproof::reproduce {
namespace {

using estimate::Array;
using estimate::Readouts;

json::Value numbers_json(const std::vector<double>& values) {
  json::Value all = json::Value::array();
  for (const double value : values) all.push_back(fmt::format("{}", value));
  return all;
}

bool read_numbers(const json::Value& list, std::vector<double>& values) {
  if (!list.is_array()) return false;
  for (const json::Value& one : list) {
    if (!one.is_string()) return false;
    const auto& text = one.get_ref<const std::string&>();
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), values.emplace_back());
    if (error != std::errc() || end != text.data() + text.size()) return false;
    if (!std::isfinite(values.back())) return false;
  }
  return true;
}

json::Value readouts_json(const Readouts& readouts) {
  json::Value all = json::Value::object();
  for (const auto& [name, array] : readouts) {
    all[name] = {{"shape", array.shape}, {"values", numbers_json(array.values)}};
  }
  return all;
}

bool read_readouts(const json::Value& value, Readouts& readouts) {
  if (!value.is_object()) return false;
  for (const auto& [name, one] : value.items()) {
    Array& array = readouts[name];
    const json::Value shape = one.is_object() ? one.value("shape", json::Value()) : json::Value();
    if (!shape.is_array()) return false;
    std::size_t size = 1;
    for (const json::Value& extent : shape) {
      if (!extent.is_number_unsigned()) return false;
      array.shape.push_back(extent.get<std::size_t>());
      size *= array.shape.back();
    }
    if (!read_numbers(one.value("values", json::Value()), array.values)) return false;
    if (array.values.size() != size) return false;
  }
  return true;
}

json::Value pattern_json(const Pattern& pattern) {
  json::Value rows = json::Value::array();
  for (const auto& row : pattern.weights) rows.push_back(numbers_json(row));
  return {{"kind", pattern.kind},
          {"layer", pattern.layer},
          {"head", pattern.head},
          {"weights", std::move(rows)}};
}

bool read_patterns(const json::Value& list, std::vector<Pattern>& patterns) {
  if (!list.is_array()) return false;
  for (const json::Value& one : list) {
    Pattern& pattern = patterns.emplace_back();
    pattern.kind = one.at("kind").get<std::string>();
    pattern.layer = one.at("layer").get<std::size_t>();
    pattern.head = one.at("head").get<std::size_t>();
    for (const json::Value& row : one.at("weights")) {
      if (!read_numbers(row, pattern.weights.emplace_back())) return false;
      if (pattern.weights.back().size() != pattern.weights.size()) return false;
    }
    if (pattern.weights.size() != list.front().at("weights").size()) return false;
  }
  return true;
}

// Text that may hold what a table separates by.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string all = "\"";
  for (const char c : text) all += c == '"' ? "\"\"" : std::string(1, c);
  return all + "\"";
}

// Two indices of the lines of a table, and the arrays that have an entry for each pair: those whose
// shape begins so.
struct Table {
  std::vector<const char*> indices;
  std::vector<std::string> names;  // of arrays
};

std::size_t extent_of(const Array& array, std::size_t axis) {
  return axis < array.shape.size() ? array.shape[axis] : 1;
}

std::string cell(const Readouts& readouts, const std::string& name, std::size_t first,
                 std::size_t second) {
  const auto found = readouts.find(name);
  if (found == readouts.end() || first >= extent_of(found->second, 0)) return "";
  return fmt::format("{}", found->second.values[first * extent_of(found->second, 1) + second]);
}

std::string csv(const std::vector<SmoothingMeasurement>& all, const Table& table) {
  std::string text = "model,text,length,sequences";
  for (const char* index : table.indices) text += std::string(",") + index;
  for (const std::string& name : table.names) text += "," + name + "," + name + "_se";
  text += "\n";
  for (const SmoothingMeasurement& one : all) {
    const Array& widest = one.means.at(table.names.front());
    for (std::size_t i = 0; i < extent_of(widest, 0); ++i) {
      for (std::size_t j = 0; j < extent_of(widest, 1); ++j) {
        text += fmt::format("{},{},{},{},{}", quoted(one.model), quoted(one.text), one.length,
                            one.sequences, i);
        // Positions are counted from 1, layers and heads from 0.
        if (table.indices.size() == 2) {
          text += fmt::format(",{}", table.indices[1] == std::string("position") ? j + 1 : j);
        }
        for (const std::string& name : table.names) {
          text += "," + cell(one.means, name, i, j) + "," + cell(one.errors, name, i, j);
        }
        text += "\n";
      }
    }
  }
  return text;
}

// Of the first measurement, which has what they all have.
std::vector<std::string> names_of(const std::vector<SmoothingMeasurement>& all, bool by_head) {
  std::vector<std::string> names;
  if (all.empty()) return names;
  for (const auto& [name, array] : all.front().means) {
    if (name == "first-cosine" || by_head != (array.shape.size() == 2)) continue;
    names.push_back(name);
  }
  return names;
}

}  // namespace

std::string SmoothingMeasurement::file() const {
  return fmt::format("{}.{}.{}", model, text, length);
}

std::string SmoothingMeasurement::label() const {
  return fmt::format("{}, {}, {}", model, text, text::counted(length, "token"));
}

json::Value smoothing_json(const SmoothingMeasurement& measurement, const json::Value& of) {
  json::Value patterns = json::Value::array();
  for (const Pattern& pattern : measurement.patterns) patterns.push_back(pattern_json(pattern));
  return {{"schema", 1},
          {"kind", "smoothing"},
          {"of", of},
          {"model", measurement.model},
          {"text", measurement.text},
          {"length", measurement.length},
          {"sequences", measurement.sequences},
          {"remarks", measurement.remarks},
          {"estimates", readouts_json(measurement.means)},
          {"standard_errors", readouts_json(measurement.errors)},
          {"patterns", std::move(patterns)}};
}

std::optional<SmoothingMeasurement> read_smoothing(const json::Value& value,
                                                   const json::Value& of) {
  if (!value.is_object() || value.value("schema", json::Value()) != 1) return std::nullopt;
  if (value.value("kind", json::Value()) != "smoothing") return std::nullopt;
  if (value.value("of", json::Value()) != of) return std::nullopt;
  SmoothingMeasurement one;
  try {
    one.model = value.at("model").get<std::string>();
    one.text = value.at("text").get<std::string>();
    one.length = value.at("length").get<std::size_t>();
    one.sequences = value.at("sequences").get<std::size_t>();
    one.remarks = value.at("remarks").get<std::string>();
    if (!read_readouts(value.at("estimates"), one.means) ||
        !read_readouts(value.at("standard_errors"), one.errors) ||
        !read_patterns(value.at("patterns"), one.patterns)) {
      return std::nullopt;
    }
  } catch (const json::Value::exception&) {
    return std::nullopt;
  }
  return one;
}

std::string layers_csv(const std::vector<SmoothingMeasurement>& all) {
  // Those of the most layers first: the last line is what the last layer puts out.
  std::vector<std::string> names = names_of(all, false);
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return name == "mean-cosine" || name == "predicted-cosine";
  });
  return csv(all, {{"layer"}, names});
}

std::string heads_csv(const std::vector<SmoothingMeasurement>& all) {
  return csv(all, {{"layer", "head"}, names_of(all, true)});
}

std::string first_token_csv(const std::vector<SmoothingMeasurement>& all) {
  return csv(all, {{"layer", "position"}, {"first-cosine"}});
}

std::string costs_csv(const std::vector<SmoothingMeasurement>& all) {
  std::string lines = "model,text,length,layer,pattern,lower,upper,identity_lower,identity_upper\n";
  for (const SmoothingMeasurement& one : all) {
    for (const json::Value& cost : costs_json(one.costs)) {
      lines += fmt::format(
          "{},{},{},{},{},{},{},{},{}\n", quoted(one.model), quoted(one.text), one.length,
          cost["layer"].get<std::size_t>(), cost["pattern"].get<std::string>(),
          cost["lower"].get<std::string>(), cost["upper"].get<std::string>(),
          cost["identity_lower"].get<std::string>(), cost["identity_upper"].get<std::string>());
    }
  }
  return lines;
}

}  // namespace sinkproof::reproduce
