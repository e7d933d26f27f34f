#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "certificate/attention.hpp"
#include "cli/language_measurement.hpp"
#include "rounded/double.hpp"
#include "text/printable.hpp"

namespace sinkproof::cli {
namespace {

using estimate::Array;
using estimate::Readouts;

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

// The mean over sequences of a figure [D, H].
double mean_of(const LanguageMeasurement& measurement, const char* name, std::size_t layer,
               std::size_t head) {
  double sum = 0;
  for (const Readouts& one : measurement.estimates.readouts) {
    sum += one.at(name).values[layer * measurement.model.config.heads + head];
  }
  return sum / static_cast<double>(measurement.estimates.readouts.size());
}

bool above(const LanguageMeasurement& measurement, double value) {
  return std::isfinite(value) && rounded::from_double(value) > measurement.epsilon;
}

void print_head(const LanguageMeasurement& measurement) {
  const language::Config& config = measurement.model.config;
  const auto& sequences = measurement.request.sequences;
  const auto [least, most] =
      std::minmax_element(sequences.begin(), sequences.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::string length = least->size() == most->size()
                                 ? std::to_string(most->size())
                                 : fmt::format("{} to {}", least->size(), most->size());
  const bool random = measurement.tokens.contains("random");
  say("{}, {} layer{} of {} head{} ({} key head{}), width {}, {}\n",
      config.architecture->model_type, config.layers, plural(config.layers), config.heads,
      plural(config.heads), config.key_heads, plural(config.key_heads), config.width,
      certificate::to_string(config.attention));
  const std::string remarks = measurement.model.remarks();
  if (!remarks.empty()) say("{}\n", remarks);
  say("{} sequence{} of {} {}tokens{}; every figure is an estimate (float64)\n", sequences.size(),
      plural(sequences.size()), length, random ? "random " : "",
      random ? ", seed " + measurement.tokens["seed"].dump() : "");
}

// The first tokens, each id beside the text it stands for.
void print_tokens(const LanguageMeasurement& measurement) {
  if (measurement.texts.empty()) return;
  constexpr std::size_t kShown = 12;
  const auto& ids = measurement.request.sequences.front();
  const auto& texts = measurement.texts.front();
  say("tokens:");
  for (std::size_t i = 0; i < std::min(kShown, ids.size()); ++i) {
    say(" {} \"{}\"", ids[i], text::one_line(texts[i], 40));
  }
  say("{}\n", ids.size() > kShown ? " ..." : "");
}

void print_shares(const LanguageMeasurement& measurement) {
  const std::string epsilon = exact::to_string(measurement.epsilon);
  for (const auto& [name, words] :
       {std::pair("alpha", "sink share"), std::pair("value-alpha", "value-weighted sink share")}) {
    const auto share =
        estimate::share_above(measurement.estimates.readouts, name, measurement.epsilon);
    say("{} of position {}, {} > {}: {:.4f} ({} of {} (sequence, layer, head))\n", words,
        measurement.request.position, name, epsilon, share.value(), share.above, share.total);
  }
}

void print_table(const LanguageMeasurement& measurement, const char* name) {
  const language::Config& config = measurement.model.config;
  say("{} (rows: layers, columns: heads{}); * marks values above {}\nlayer", name,
      measurement.estimates.readouts.size() == 1 ? "" : ", means over sequences",
      exact::to_string(measurement.epsilon));
  for (std::size_t h = 0; h < config.heads; ++h) say(" {:>6} ", h);
  for (std::size_t l = 0; l < config.layers; ++l) {
    say("\n{:>5}", l);
    for (std::size_t h = 0; h < config.heads; ++h) {
      const double value = mean_of(measurement, name, l, h);
      say(" {:>6.3f}{}", value, above(measurement, value) ? '*' : ' ');
    }
  }
  say("\n");
}

// What decides between a head that writes next to nothing from its sink (a small value there) and
// one that writes the sink's value nearly everywhere (a broadcast share near 1).
void print_sinking_heads(const LanguageMeasurement& measurement) {
  const language::Config& config = measurement.model.config;
  bool any = false;
  for (std::size_t l = 0; l < config.layers; ++l) {
    for (std::size_t h = 0; h < config.heads; ++h) {
      const auto of = [&](const char* name) { return mean_of(measurement, name, l, h); };
      if (!above(measurement, of("alpha"))) continue;
      if (!any) {
        say("heads whose mean alpha is above epsilon; value-ratio near 0: the head writes little "
            "from there (no-op); broadcast-share near 1: it writes that value everywhere\nlayer "
            "head   alpha  value-alpha  value-ratio  broadcast-share  norm-product   cosine\n");
      }
      any = true;
      say("{:>5} {:>4}  {:>6.3f}  {:>11.3f}  {:>11.4g}  {:>15.4f}  {:>12.4g}  {:>7.3f}\n", l, h,
          of("alpha"), of("value-alpha"), of("value-ratio"), of("broadcast-share"),
          of("norm-product"), of("cosine"));
    }
  }
  if (!any) {
    say("no head has a mean alpha above {}{}\n", exact::to_string(measurement.epsilon),
        measurement.estimates.readouts.size() == 1
            ? ""
            : "; the sink share counts each sequence of a head by itself");
  }
}

// Means over sequences (and heads) of a figure at the position, and at the others.
struct AtAndElsewhere {
  double at = 0;
  double elsewhere = 0;
};

AtAndElsewhere norms_of(const LanguageMeasurement& measurement, const char* name,
                        std::size_t layer) {
  AtAndElsewhere mean;
  for (const Readouts& one : measurement.estimates.readouts) {
    const Array& array = one.at(name);
    const std::size_t length = array.shape.back();
    const std::size_t size = array.values.size() / array.shape.front();
    const std::size_t groups = size / length * measurement.estimates.readouts.size();
    for (std::size_t e = 0; e < size; ++e) {
      const bool at = e % length == measurement.request.position - 1;
      const auto count = static_cast<double>(groups * (at ? 1 : length - 1));
      (at ? mean.at : mean.elsewhere) += array.values[layer * size + e] / count;
    }
  }
  return mean;
}

void print_norms(const LanguageMeasurement& measurement) {
  const std::size_t layers = measurement.model.config.layers;
  say("norms at position {} and their mean at the other positions; mean cosine of pairs of rows\n",
      measurement.request.position);
  say("layer  {:>21}  {:>21}  {:>21}  {:>11}\n", "hidden", "keys", "values", "mean-cosine");
  for (std::size_t l = 0; l <= layers; ++l) {
    say("{:>5}", l == layers ? "out" : std::to_string(l));
    for (const char* name : {"hidden-norm", "key-norm", "value-norm"}) {
      if (l == layers && name != std::string_view("hidden-norm")) {
        say("  {:>21}", "");
        continue;
      }
      const AtAndElsewhere mean = norms_of(measurement, name, l);
      say("  {:>10.4g} {:>10.4g}", mean.at, mean.elsewhere);
    }
    double cosine = 0;
    for (const Readouts& one : measurement.estimates.readouts) {
      cosine += one.at("mean-cosine").values[l];
    }
    say("  {:>11.4f}\n", cosine / static_cast<double>(measurement.estimates.readouts.size()));
  }
}

void print_moved(const LanguageMeasurement& measurement) {
  const std::size_t layers = measurement.model.config.layers;
  for (std::size_t v = 0; v < measurement.estimates.moved.size(); ++v) {
    say("{}: largest change (norm) of a row over all sequences\n  inputs of layers",
        measurement.request.interventions[v].name);
    for (std::size_t l = 0; l < measurement.estimates.moved[v].front().values.size(); ++l) {
      double most = 0;
      for (const Array& curve : measurement.estimates.moved[v]) {
        most = std::max(most, curve.values[l]);
      }
      const char* const before = l == 0        ? ""
                                 : l < layers  ? ","
                                 : l == layers ? "; output"
                                               : "; a logit";
      say("{} {:.4g}", before, most);
    }
    say("\n");
  }
}

}  // namespace

void print_language(const LanguageMeasurement& measurement) {
  print_head(measurement);
  print_tokens(measurement);
  print_shares(measurement);
  print_table(measurement, "alpha");
  print_table(measurement, "value-alpha");
  print_sinking_heads(measurement);
  print_norms(measurement);
  print_moved(measurement);
}

}  // namespace sinkproof::cli
