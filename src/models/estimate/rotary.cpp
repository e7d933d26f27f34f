#include "estimate/rotary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rounded/double.hpp"

namespace sinkproof::estimate {
namespace {

using language::Rotary;
using Kind = language::RotaryScaling::Kind;

double llama3(const language::RotaryScaling& scaling, double frequency) {
  const double low = rounded::to_double_estimate(scaling.low);
  const double high = rounded::to_double_estimate(scaling.high);
  const double turns =
      rounded::to_double_estimate(scaling.context) * frequency / 2 / std::numbers::pi;
  const double slow = frequency / rounded::to_double_estimate(scaling.factor);
  if (turns < low) return slow;
  if (turns > high) return frequency;
  const double share = (turns - low) / (high - low);
  return (1 - share) * slow + share * frequency;
}

// The coordinates between which yarn goes over from kept to divided frequencies.
struct Ramp {
  double low, high;
};

Ramp yarn_ramp(const Rotary& rotary) {
  const auto& scaling = rotary.scaling;
  const double base = rounded::to_double_estimate(rotary.base);
  const double context = rounded::to_double_estimate(scaling.context);
  const auto coordinate = [&](const exact::Rational& turns) {
    return static_cast<double>(rotary.coordinates) *
           std::log(context / (rounded::to_double_estimate(turns) * 2 * std::numbers::pi)) /
           (2 * std::log(base));
  };
  Ramp ramp{coordinate(scaling.high), coordinate(scaling.low)};
  if (scaling.truncate) ramp = {std::floor(ramp.low), std::ceil(ramp.high)};
  ramp.low = std::max(ramp.low, 0.0);
  ramp.high = std::min(ramp.high, static_cast<double>(rotary.coordinates) - 1);
  if (ramp.low == ramp.high) ramp.high += 0.001;
  return ramp;
}

}  // namespace

std::vector<double> rotary_frequencies(const Rotary& rotary) {
  const double base = rounded::to_double_estimate(rotary.base);
  const double factor = rounded::to_double_estimate(rotary.scaling.factor);
  const Kind kind = rotary.scaling.kind;
  const Ramp ramp = kind == Kind::kYarn ? yarn_ramp(rotary) : Ramp{0, 1};
  std::vector<double> frequencies;
  for (std::size_t c = 0; c < rotary.coordinates / 2; ++c) {
    const auto at = static_cast<double>(c);
    const double plain = std::pow(base, -2 * at / static_cast<double>(rotary.coordinates));
    const double share = std::clamp((at - ramp.low) / (ramp.high - ramp.low), 0.0, 1.0);
    frequencies.push_back(kind == Kind::kLinear   ? plain / factor
                          : kind == Kind::kLlama3 ? llama3(rotary.scaling, plain)
                          : kind == Kind::kYarn   ? plain / factor * share + plain * (1 - share)
                                                  : plain);
  }
  return frequencies;
}

double rotary_factor(const Rotary& rotary) {
  const auto& scaling = rotary.scaling;
  if (scaling.kind != Kind::kYarn) return 1;
  if (scaling.attention_factor) return rounded::to_double_estimate(*scaling.attention_factor);
  return 1 + std::log(rounded::to_double_estimate(scaling.factor)) / 10;
}

RotaryTable rotary_table(const Rotary& rotary, std::size_t count) {
  const std::vector<double> frequencies = rotary_frequencies(rotary);
  const double factor = rotary_factor(rotary);
  RotaryTable table;
  table.cosine.resize(count, frequencies.size());
  table.sine.resize(count, frequencies.size());
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < frequencies.size(); ++c) {
      const double angle = static_cast<double>(i) * frequencies[c];
      table.cosine.row(i)[c] = factor * std::cos(angle);
      table.sine.row(i)[c] = factor * std::sin(angle);
    }
  }
  return table;
}

void rotate(const RotaryTable& table, std::size_t position, std::size_t heads, std::size_t width,
            double* row) {
  const double* const cosine = table.cosine.row(position);
  const double* const sine = table.sine.row(position);
  const std::size_t half = table.cosine.columns;
  for (std::size_t h = 0; h < heads; ++h, row += width) {
    for (std::size_t c = 0; c < half; ++c) {
      const double first = row[c];
      const double second = row[c + half];
      row[c] = first * cosine[c] - second * sine[c];
      row[c + half] = second * cosine[c] + first * sine[c];
    }
  }
}

}  // namespace sinkproof::estimate
