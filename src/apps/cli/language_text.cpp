#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "certificate/attention.hpp"
#include "cli/language_measurement.hpp"
#include "rounded/double.hpp"
#include "text/printable.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using estimate::Array;
using estimate::Summary;
using text::counted;

// The mean over sequences of a figure [D, H].
double mean_of(const LanguageMeasurement& measurement, const char* name, std::size_t layer,
               std::size_t head) {
  return measurement.estimates.summary.figures.at(name)
      .mean()
      .values[layer * measurement.model.config.heads + head];
}

bool above(const LanguageMeasurement& measurement, double value) {
  return std::isfinite(value) && rounded::from_double(value) > measurement.request.epsilon;
}

void print_head(const LanguageMeasurement& measurement) {
  const language::Config& config = measurement.model.config;
  const estimate::Extent& extent = measurement.estimates.summary.extent;
  const bool random = measurement.tokens.contains("random");
  const std::string least =
      extent.shortest == extent.longest ? "" : fmt::format("{} to ", extent.shortest);
  say("{}, {} of {} ({}), width {}, {}\n", config.architecture->model_type,
      counted(config.layers, "layer"), counted(config.heads, "head"),
      counted(config.key_heads, "key head"), config.width,
      certificate::to_string(config.attention));
  if (!measurement.remarks.empty()) say("{}\n", measurement.remarks);
  say("{} of {}{}{}; estimates (float64)\n", counted(extent.sequences, "sequence"), least,
      counted(extent.longest, random ? "random token" : "token"),
      random ? ", seed " + measurement.tokens["seed"].dump() : "");
}

// The first tokens, each id beside the text it stands for.
void print_tokens(const LanguageMeasurement& measurement) {
  if (measurement.texts.empty()) return;
  constexpr std::size_t kShown = 12;
  const auto& ids = measurement.estimates.first;
  const auto& texts = measurement.texts.front();
  say("tokens:");
  for (std::size_t i = 0; i < std::min(kShown, ids.size()); ++i) {
    say(" {} \"{}\"", ids[i], text::one_line(texts[i], 40));
  }
  say("{}\n", ids.size() > kShown ? " ..." : "");
}

void print_shares(const LanguageMeasurement& measurement) {
  const std::string epsilon = exact::to_string(measurement.request.epsilon);
  for (const auto& [name, words] :
       {std::pair("alpha", "sink share"), std::pair("value-alpha", "value-weighted sink share")}) {
    const estimate::Share share = measurement.estimates.summary.share(name);
    say("{} of position {}, {} > {}: {:.4f} ({} of {} (sequence, layer, head))\n", words,
        measurement.request.position, name, epsilon, share.value(), share.above, share.total);
  }
}

void print_table(const LanguageMeasurement& measurement, const char* name) {
  const language::Config& config = measurement.model.config;
  say("{} (rows: layers, columns: heads{}); * marks values above {}\nlayer", name,
      measurement.estimates.summary.extent.sequences == 1 ? "" : ", means over sequences",
      exact::to_string(measurement.request.epsilon));
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
  const estimate::Moments& errors = measurement.estimates.summary.figures.at("alpha");
  bool any = false;
  for (std::size_t l = 0; l < config.layers; ++l) {
    for (std::size_t h = 0; h < config.heads; ++h) {
      const auto of = [&](const char* name) { return mean_of(measurement, name, l, h); };
      if (!above(measurement, of("alpha"))) continue;
      if (!any) {
        say("heads whose mean alpha is above epsilon; value-ratio near 0: the head writes little "
            "from there (no-op); broadcast-share near 1: it writes that value everywhere{}\nlayer "
            "head   alpha  std-error  value-alpha  value-ratio  broadcast-share  norm-product   "
            "cosine\n",
            errors.count() == 1 ? "" : "; std-error is that of the mean alpha over sequences");
      }
      any = true;
      const double error = errors.standard_error().values[l * config.heads + h];
      say("{:>5} {:>4}  {:>6.3f}  {:>9}  {:>11.3f}  {:>11.4g}  {:>15.4f}  {:>12.4g}  {:>7.3f}\n", l,
          h, of("alpha"), std::isnan(error) ? "-" : fmt::format("{:.2g}", error), of("value-alpha"),
          of("value-ratio"), of("broadcast-share"), of("norm-product"), of("cosine"));
    }
  }
  if (!any) {
    say("no head has a mean alpha above {}{}\n", exact::to_string(measurement.request.epsilon),
        measurement.estimates.summary.extent.sequences == 1
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
  const Summary& summary = measurement.estimates.summary;
  const std::size_t at = measurement.request.position - 1;
  const double* const means = summary.norms.at(name).values.data() + layer * summary.extent.longest;
  AtAndElsewhere mean{means[at], 0};
  const std::size_t others = summary.extent.tokens - summary.reached[at];
  for (std::size_t k = 0; k < summary.extent.longest; ++k) {
    if (k == at) continue;
    mean.elsewhere +=
        means[k] * static_cast<double>(summary.reached[k]) / static_cast<double>(others);
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
    say("  {:>11.4f}\n", measurement.estimates.summary.figures.at("mean-cosine").mean().values[l]);
  }
}

void print_moved(const LanguageMeasurement& measurement) {
  const std::size_t layers = measurement.model.config.layers;
  const std::vector<Array>& moved = measurement.estimates.summary.most_moved;
  for (std::size_t v = 0; v < moved.size(); ++v) {
    say("{}: largest change over all sequences, of a row by its norm\n ",
        measurement.request.interventions[v].name);
    for (std::size_t l = 0; l < moved[v].values.size(); ++l) {
      const std::string of = l < layers    ? fmt::format("layer-{} input", l)
                             : l == layers ? "output"
                                           : "one logit";
      say("{} {} {:.4g}", l == 0 ? "" : ",", of, moved[v].values[l]);
    }
    say("\n");
  }
}

// Nats per token, and how much each intervention adds.
void print_loss(const LanguageMeasurement& measurement) {
  const Summary& summary = measurement.estimates.summary;
  if (summary.losses.count() == 0) return;
  const auto pair = [](const estimate::Moments& moments, std::size_t at) {
    const double error = moments.standard_error().values[at];
    return fmt::format("{:>11.5g} {:>11}", moments.mean().values[at],
                       std::isnan(error) ? "-" : fmt::format("{:.2g}", error));
  };
  std::size_t width = 13;
  for (const auto& one : measurement.request.interventions) {
    width = std::max(width, one.name.size());
  }
  say("next-token loss in nats per token, mean over sequences; change: by the intervention\n"
      "{:<{}}  {:>11} {:>11}  {:>11} {:>11}  {:>11}\n",
      "", width, "loss", "std-error", "change", "std-error", "perplexity");
  for (std::size_t v = 0; v < summary.losses.mean().values.size(); ++v) {
    say("{:<{}}  {}  {:>23}  {:>11.5g}\n",
        v == 0 ? "as it is" : measurement.request.interventions[v - 1].name, width,
        pair(summary.losses, v), v == 0 ? "" : pair(summary.loss_changes, v - 1),
        std::exp(summary.losses.mean().values[v]));
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
  print_loss(measurement);
}

}  // namespace sinkproof::cli
