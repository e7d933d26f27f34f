#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "cli/language_measurement.hpp"
#include "npy/npy.hpp"

namespace sinkproof::cli {
namespace {

using estimate::Array;
using estimate::Summary;

// By layer and head, in the order of their columns.
constexpr const char* kFigures[] = {"alpha",           "value-alpha",  "value-ratio",
                                    "broadcast-share", "norm-product", "cosine"};

// value-alpha as a column or a Python name.
std::string column_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// No number where there is none: one sequence has no standard error.
std::string cell(double number) { return std::isfinite(number) ? fmt::format("{}", number) : ""; }

// Arrays of an archive; those that are made here are kept.
class Arrays {
 public:
  void add(const std::string& name, const Array& array) {
    if (!array.values.empty()) named_.push_back({column_of(name), array.shape, array.values});
  }
  void keep(const std::string& name, Array array) {
    add(name, kept_.emplace_back(std::move(array)));
  }
  void add(const std::string& name, const estimate::Moments& moments) {
    add(name, moments.mean());
    keep(name + "_standard_error", moments.standard_error());
  }
  [[nodiscard]] std::string bytes() const { return npy::npz(named_); }

 private:
  std::vector<npy::NamedArray> named_;
  std::deque<Array> kept_;
};

template <typename T, typename Number>
Array list_of(const std::vector<T>& all, std::vector<std::size_t> shape, Number number) {
  Array list{std::move(shape), {}};
  for (const T& one : all) list.values.push_back(number(one));
  return list;
}

double as_double(std::size_t count) { return static_cast<double>(count); }

}  // namespace

std::string language_csv(const LanguageMeasurement& measurement) {
  const Summary& summary = measurement.estimates.summary;
  const std::size_t heads = measurement.model.config.heads;
  std::string text = "layer,head,sequences,above_epsilon";
  std::vector<Array> errors;
  for (const char* figure : kFigures) {
    text += fmt::format(",{0},{0}_standard_error", column_of(figure));
    errors.push_back(summary.figures.at(figure).standard_error());
  }
  text += '\n';
  const auto& above = summary.above.at("alpha");
  for (std::size_t i = 0; i < above.size(); ++i) {
    text += fmt::format("{},{},{},{}", i / heads, i % heads, summary.extent.sequences, above[i]);
    for (std::size_t f = 0; f < std::size(kFigures); ++f) {
      text += "," + cell(summary.figures.at(kFigures[f]).mean().values[i]) + "," +
              cell(errors[f].values[i]);
    }
    text += '\n';
  }
  return text;
}

// The first line is of the model as it is, which nothing moves.
std::string interventions_csv(const LanguageMeasurement& measurement) {
  const Summary& summary = measurement.estimates.summary;
  const std::size_t output = measurement.model.config.layers;
  std::string text =
      "intervention,sequences,output_change,output_change_standard_error,output_change_largest,"
      "logit_change,logit_change_standard_error,logit_change_largest,"
      "loss,loss_standard_error,loss_change,loss_change_standard_error,perplexity\n";
  const auto pair = [](const estimate::Moments& moments, std::size_t at) {
    const bool there = moments.count() > 0 && at < moments.mean().values.size();
    return there ? fmt::format("{},{}", cell(moments.mean().values[at]),
                               cell(moments.standard_error().values[at]))
                 : std::string(",");
  };
  const estimate::Moments none;
  for (std::size_t v = 0; v <= summary.moved.size(); ++v) {
    const bool plain = v == 0;
    text += fmt::format("\"{}\",{}", plain ? "none" : measurement.request.interventions[v - 1].name,
                        summary.extent.sequences);
    for (const std::size_t at : {output, output + 1}) {
      const bool there = !plain && at < summary.most_moved[v - 1].values.size();
      text += fmt::format(",{},{}", pair(plain ? none : summary.moved[v - 1], at),
                          there ? cell(summary.most_moved[v - 1].values[at]) : "");
    }
    text += fmt::format(
        ",{},{},{}\n", pair(summary.losses, v), pair(plain ? none : summary.loss_changes, v - 1),
        summary.losses.count() > 0 ? cell(std::exp(summary.losses.mean().values[v])) : "");
  }
  return text;
}

std::string language_npz(const LanguageMeasurement& measurement) {
  const Summary& summary = measurement.estimates.summary;
  const language::Config& config = measurement.model.config;
  Arrays arrays;
  for (const auto& [name, moments] : summary.figures) arrays.add(name, moments);
  for (const auto& [name, norm] : summary.norms) arrays.add(name, norm);
  arrays.add("largest_hidden_norm", summary.largest_hidden_norm);
  for (const auto& [name, counts] : summary.above) {
    arrays.keep(name + "_above_epsilon", list_of(counts, {config.layers, config.heads}, as_double));
  }
  arrays.keep("reached", list_of(summary.reached, {summary.extent.longest}, as_double));
  arrays.keep("sink_share", list_of(summary.shares, {summary.shares.size()},
                                    [](const estimate::Share& share) { return share.value(); }));
  for (std::size_t v = 0; v < summary.moved.size(); ++v) {
    const std::string name = fmt::format("moved_{}", v);
    arrays.add(name, summary.moved[v]);
    arrays.add(name + "_largest", summary.most_moved[v]);
  }
  if (summary.losses.count() > 0) {
    arrays.add("loss", summary.losses);
    arrays.add("loss-change", summary.loss_changes);
    Array perplexity = summary.losses.mean();
    for (double& value : perplexity.values) value = std::exp(value);
    arrays.keep("perplexity", std::move(perplexity));
  }
  return arrays.bytes();
}

}  // namespace sinkproof::cli
