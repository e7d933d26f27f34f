#include "certify/random.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "certificate/checkpoint.hpp"
#include "certify/estimate.hpp"
#include "certify/kernel.hpp"
#include "certify/sampling.hpp"
#include "certify/stack_pass.hpp"
#include "forward/drawn.hpp"
#include "forward/pass.hpp"
#include "model/forward_model.hpp"
#include "rounded/decimal.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

using exact::Rational;

// Of one sequence. Infinite where doubles do not say.
struct Estimate {
  double loss = 0;     // the largest of a row
  double no_sink = 0;  // 1 - the least BOS attention of the head with the best, beside the trigger
  double paid = 0;     // the largest BOS attention of any head and row
};

using Kind = certificate::RandomStatement::Kind;

struct Statement {
  Kind kind;
  double Estimate::*value;
  const char* rows;
  const char* beyond;  // what a sequence beyond the threshold does
  std::optional<Rational> Options::*threshold;
};

const std::map<std::string, Statement>& statements() {
  static const std::map<std::string, Statement> table = {
      {"random.loss", {Kind::kLoss, &Estimate::loss, "1 <= i <= L", "loss > ", &Options::eta}},
      {"random.no-sink",
       {Kind::kNoSink, &Estimate::paid, "2 <= i <= L", "some head's BOS attention > ",
        &Options::epsilon}},
      {"random.sink",
       {Kind::kSink, &Estimate::no_sink, "2 <= i <= L, i != j", "no head's BOS attention >= 1 - ",
        &Options::epsilon}}};
  return table;
}

// One sequence through the stack, all rows of all layers.
class Sequence {
 public:
  Sequence(const StackWeights& weights, const forward::DrawnSequence& drawn)
      : weights_(weights),
        trigger_(drawn.trigger),
        tokens_(drawn.tokens.rows(), weights.width + 1) {
    for (Eigen::Index i = 0; i < tokens_.rows(); ++i) {
      for (Eigen::Index c = 0; c < weights.width; ++c) {
        tokens_(i, c) = rounded::to_double_estimate(drawn.tokens(i, c));
      }
    }
    tokens_.col(weights.width).setOnes();
  }

  Estimate estimate() {
    Rows state = tokens_;
    double sink = -HUGE_VAL;
    double paid = -HUGE_VAL;
    for (const StackWeights::Layer& layer : weights_.layers) {
      Rows out = layer.constant.replicate(state.rows(), 1);
      if (weights_.residual) out += state.leftCols(weights_.width);
      for (const StackWeights::Head& head : layer.heads) {
        out += output_of(head, state);
        sink = std::max(sink, least_beside_trigger());
        paid = std::max(paid, attention_.col(0).tail(attention_.rows() - 1).maxCoeff());
      }
      state.leftCols(weights_.width) = out;
    }
    Estimate result{loss(state), 1 - sink, paid};
    for (double* value : {&result.loss, &result.no_sink, &result.paid}) {
      if (!std::isfinite(*value)) *value = HUGE_VAL;
    }
    return state.allFinite() ? result : Estimate{HUGE_VAL, HUGE_VAL, HUGE_VAL};
  }

 private:
  Rows output_of(const StackWeights::Head& head, const Rows& state) {
    attention_.noalias() = state * head.logit * state.transpose();
    std::vector<double> slopes(attention_.rows());
    for (Eigen::Index i = 0; i < attention_.rows(); ++i) {
      weigh(weights_.attention, {attention_.row(i).data(), static_cast<std::size_t>(i) + 1},
            slopes.data());
      attention_.row(i).tail(attention_.rows() - i - 1).setZero();
    }
    Rows out = attention_ * (state * head.value.transpose());
    if (!weights_.kind().gated) return out;
    const Eigen::VectorXd open =
        (state * head.gate).unaryExpr([](double x) { return logistic(x); });
    return open.asDiagonal() * out;
  }

  [[nodiscard]] double least_beside_trigger() const {
    double least = HUGE_VAL;
    for (Eigen::Index i = 1; i < attention_.rows(); ++i) {
      if (i + 1 != static_cast<Eigen::Index>(trigger_)) least = std::min(least, attention_(i, 0));
    }
    return least;
  }

  [[nodiscard]] double loss(const Rows& state) const {
    const auto width = static_cast<Eigen::Index>(weights_.width);
    Rows error = state.leftCols(width);
    if (weights_.residual) error -= tokens_.leftCols(width);
    const auto j = static_cast<Eigen::Index>(trigger_);
    error.row(j - 1) -= tokens_.middleRows(1, j - 1).leftCols(width).colwise().mean();
    return error.cwiseAbs().maxCoeff();
  }

  const StackWeights& weights_;
  std::size_t trigger_;
  Rows tokens_;
  Rows attention_;  // of the head that was last
};

std::vector<Estimate> estimates(const model::AttentionModel& model, const Options& options,
                                const forward::GridLaw& law) {
  const StackWeights weights(model);
  const std::string key = forward::random_key(model.sha256, law);
  std::vector<Estimate> result(options.samples);
  const auto work = [&](std::size_t first) {
    for (std::size_t i = first; i < result.size(); i += options.jobs) {
      const auto drawn = forward::drawn_sequence(key + std::to_string(i) + "\n", law, false);
      result[i] = Sequence(weights, drawn).estimate();
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < options.jobs; ++i) helpers.emplace_back(work, i);
  work(0);
  return result;
}

// What doubles may be off by.
double room(double value, const Effort& effort) {
  constexpr double kRelative = 10;  // units of Effort::margin
  constexpr double kAbsolute = 1e-13;
  return kRelative * effort.margin * std::fabs(value) + kAbsolute;
}

// The least with two digits, as 1 over a number of two digits, that no estimate comes close to: a
// short fraction is cheap, the confidence accounts for the choice.
Rational likely_threshold(const std::vector<double>& values, const Effort& effort) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  const Rational least = exact::make_rational(1, 1000000);
  const double reached = largest + 2 * room(largest, effort);
  const Rational exact = exact_value(reached).value_or(1);
  return 1 / rounded::round_down_decimal(1 / exact::max(exact, least), 2);
}

Decided decide_one(const std::string& name, const Options& options,
                   const std::vector<Estimate>& estimates) {
  const Statement& statement = statements().at(name);
  std::vector<double> values;
  values.reserve(estimates.size());
  for (const Estimate& estimate : estimates) values.push_back(estimate.*statement.value);
  const auto& asked = options.*statement.threshold;
  const Rational threshold = asked ? *asked : likely_threshold(values, options.effort);
  const double limit = rounded::to_double_estimate(threshold);
  const double near = limit - room(limit, options.effort);
  Decided decided;
  Property& property = decided.property;
  property.name = name;
  property.rows = statement.rows;
  property.samples = values.size();
  property.threshold = threshold;
  property.hypothesis = statement.beyond + rounded::decimal_up(threshold, 6);
  property.exceeding = static_cast<std::uint64_t>(
      std::count_if(values.begin(), values.end(), [&](double value) { return !(value <= near); }));
  const exact::Integer choice =
      boost::multiprecision::numerator(threshold) + boost::multiprecision::denominator(threshold);
  const Rational delta =
      confidence_bound(property.samples, property.exceeding, options.alpha, 1000 * choice * choice);
  constexpr std::uint64_t kMaxExceeding = 1000;
  const exact::Integer kMaxChoice = exact::Integer(1'000'000'000'000);
  if (delta >= 1 || property.exceeding > kMaxExceeding || choice > kMaxChoice) {
    property.verdict = "unknown";
    property.reason = "too many of the samples exceed, or too few were drawn";
    return decided;
  }
  if (options.effort.without_samples) {
    property.verdict = "unknown";
    property.reason =
        "the checker's exact passes confirm fewer samples than the search found in doubles";
    return decided;
  }
  if (name == "random.sink" && threshold >= 1) {
    property.verdict = "unknown";
    property.reason = "in some sample no head attends to BOS, so no threshold holds";
    return decided;
  }
  property.verdict = "statistical";
  property.exceedance = delta;
  decided.stated = certificate::Property{
      name, property.verdict, certificate::ByRandom(),
      certificate::RandomStatement{
          statement.kind, {threshold, property.samples, property.exceeding, options.alpha, delta}}};
  return decided;
}

}  // namespace

std::vector<std::string> random_names(const model::AttentionModel& model) {
  constexpr std::size_t kMaxLength = 4096;
  if (model.length > kMaxLength) return {};
  return {"random.loss", "random.sink", "random.no-sink"};
}

std::vector<Decided> decide_random(const model::AttentionModel& model, const Options& options,
                                   const TriggerRange& triggers,
                                   const std::vector<std::string>& names) {
  const auto start = std::chrono::steady_clock::now();
  if (options.progress) options.progress("random sequences", 0);
  const forward::GridLaw law{model.length, model.d_model, model.box, triggers.first, triggers.last};
  const auto found = estimates(model, options, law);
  std::vector<Decided> result;
  result.reserve(names.size());
  for (const std::string& name : names) result.push_back(decide_one(name, options, found));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (!result.empty()) result.front().property.seconds = took.count();
  return result;
}

}  // namespace sinkproof::certify
