#include "reproduce/sample_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace sinkproof::reproduce {
namespace {

json::Value number_json(double value) { return fmt::format("{}", value); }

bool read_number(const json::Value& value, double& number) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number) &&
         number >= 0;
}

json::Value map_json(const CausalMap& map) {
  json::Value rows = json::Value::array();
  for (const std::vector<double>& row : map) {
    json::Value& numbers = rows.emplace_back(json::Value::array());
    for (const double weight : row) numbers.push_back(number_json(weight));
  }
  return rows;
}

bool read_map(const json::Value& rows, std::size_t length, CausalMap& map) {
  if (!rows.is_array() || rows.size() != length) return false;
  for (std::size_t i = 0; i < length; ++i) {
    if (!rows[i].is_array() || rows[i].size() != i + 1) return false;
    std::vector<double>& row = map.emplace_back(i + 1);
    for (std::size_t k = 0; k <= i; ++k) {
      if (!read_number(rows[i][k], row[k])) return false;
    }
  }
  return true;
}

json::Value moments_json(const Moments& moments) {
  return {number_json(moments.mean), number_json(moments.deviation)};
}

bool read_moments(const json::Value& value, Moments& moments) {
  return value.is_array() && value.size() == 2 && read_number(value[0], moments.mean) &&
         read_number(value[1], moments.deviation);
}

json::Value head_json(const HeadSample& head) {
  return {{"alpha", moments_json(head.alpha)},
          {"bos_before", moments_json(head.bos.before)},
          {"bos_trigger", moments_json(head.bos.trigger)},
          {"bos_after", moments_json(head.bos.after)},
          {"mean", map_json(head.mean)},
          {"deviation", map_json(head.deviation)},
          {"first", map_json(head.first)}};
}

bool read_head(const json::Value& value, std::size_t length, HeadSample& head) {
  return read_moments(value.value("alpha", json::Value()), head.alpha) &&
         read_moments(value.value("bos_before", json::Value()), head.bos.before) &&
         read_moments(value.value("bos_trigger", json::Value()), head.bos.trigger) &&
         read_moments(value.value("bos_after", json::Value()), head.bos.after) &&
         read_map(value.value("mean", json::Value()), length, head.mean) &&
         read_map(value.value("deviation", json::Value()), length, head.deviation) &&
         read_map(value.value("first", json::Value()), length, head.first);
}

json::Value source_json(const std::string& sha256, const Draw& draw) {
  return {{"model", sha256},
          {"sequences", draw.sequences},
          {"trigger", draw.trigger},
          {"seed", draw.seed}};
}

}  // namespace

json::Value sample_json(const AttentionSample& sample) {
  json::Value layers = json::Value::array();
  for (const auto& layer : sample.heads) {
    json::Value& heads = layers.emplace_back(json::Value::array());
    for (const HeadSample& head : layer) heads.push_back(head_json(head));
  }
  return {{"schema", 1},
          {"estimates", source_json(sample.sha256, sample.draw)},
          {"layers", std::move(layers)}};
}

std::optional<AttentionSample> read_sample(const json::Value& value,
                                           const model::AttentionModel& model, const Draw& draw) {
  if (!value.is_object() || value.value("schema", json::Value()) != 1) return std::nullopt;
  if (value.value("estimates", json::Value()) != source_json(model.sha256, draw)) {
    return std::nullopt;
  }
  const json::Value layers = value.value("layers", json::Value());
  if (!layers.is_array() || layers.size() != model.layers.size()) return std::nullopt;
  AttentionSample sample{draw, model.sha256, {}};
  for (const json::Value& heads : layers) {
    if (!heads.is_array() || heads.size() != model.num_heads) return std::nullopt;
    std::vector<HeadSample>& layer = sample.heads.emplace_back();
    for (const json::Value& head : heads) {
      if (!head.is_object() || !read_head(head, model.length, layer.emplace_back())) {
        return std::nullopt;
      }
    }
  }
  return sample;
}

}  // namespace sinkproof::reproduce
