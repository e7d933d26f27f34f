#include "certify/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "certify/kernel.hpp"
#include "forward/drawn.hpp"
#include "rounded/double.hpp"

namespace sinkproof::certify {
namespace {

using exact::Integer;
using exact::Rational;

constexpr std::uint32_t kGrid = 65536;
constexpr std::int64_t kResolution = 1'000'000;

using Words = std::function<std::uint32_t()>;

// Unit tokens 1..j of a random sequence; the last is the trigger.
std::vector<std::vector<double>> draw(const Layer& layer, const Words& next) {
  const auto choices = static_cast<std::uint32_t>(layer.length() - 2);
  const std::uint32_t usable = kGrid - kGrid % choices;
  std::uint32_t word = next();
  while (word >= usable) word = next();
  const std::size_t last = 2 + word % choices;  // index of the trigger
  std::vector<std::vector<double>> tokens(last + 1, std::vector<double>(layer.width()));
  tokens.front()[kBosFlag] = 1;
  for (std::size_t i = 1; i <= last; ++i) {
    tokens[i][i == last ? kTriggerFlag : layer.width() - 1] = 1;
    for (std::size_t k = 0; k < layer.noise(); ++k) {
      tokens[i][kFirstNoise + k] = (2.0 * next() + 1 - kGrid) / kGrid;
    }
  }
  return tokens;
}

double product(const exact::Matrix<double>& matrix, std::size_t row,
               const std::vector<double>& token) {
  double sum = 0;
  for (std::size_t c = 0; c < token.size(); ++c) sum += matrix(row, c) * token[c];
  return sum;
}

// Whether the checker has the kernels of a row's logits, BOS's first.
bool is_within_exp(const Layer& layer, const std::vector<double>& logits) {
  const auto [least, most] = std::minmax_element(logits.begin(), logits.end());
  if (layer.attention == model::Attention::kSoftmax) {
    return *most - logits.front() <= kMostExpArgument;
  }
  return layer.attention != model::Attention::kSigmoidNormalised || *least >= -kMostExpArgument;
}

// The largest |out_r - target_r| of the trigger row; infinite where the checker has no exp for it,
// NaN where doubles do not say.
double trigger_loss(const Layer& layer, const std::vector<std::vector<double>>& tokens) {
  const Head& head = layer.heads.front();
  std::vector<double> keyed(head.width);  // M^T x_trigger
  for (std::size_t a = 0; a < head.width; ++a) {
    for (std::size_t b = 0; b < head.width; ++b) {
      keyed[b] += tokens.back()[a] * head.logit_float(a, b);
    }
  }
  std::vector<double> logits;
  for (const auto& token : tokens) {
    logits.push_back(0);
    for (std::size_t c = 0; c < head.width; ++c) logits.back() += keyed[c] * token[c];
  }
  if (!is_within_exp(layer, logits)) return HUGE_VAL;
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (double& logit : logits) total += logit = kernel(layer.attention, logit, top).value;
  double worst = 0;
  for (std::size_t r = 0; r < head.width; ++r) {
    double out = 0;
    double target = 0;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      out += logits[k] / total * product(head.value_float, r, tokens[k]);
      if (k == 0) continue;
      target += product(head.token_float, r, tokens[k]) / static_cast<double>(tokens.size() - 1);
    }
    worst = std::fabs(out - target) <= worst ? worst : std::fabs(out - target);
    if (std::isnan(worst)) return worst;
  }
  return worst;
}

// P[at most `exceeding` successes] <= alpha at success probability parts / kResolution?
bool is_rare(std::uint64_t samples, std::uint64_t exceeding, const Rational& alpha,
             std::int64_t parts) {
  const Integer others = kResolution - parts;
  // Horner from the most successes down: sum of binomial(N, k) parts^k others^(exceeding - k), then
  // the common factor.
  Integer choose = 1;
  Integer power = 1;
  Integer tail = 1;
  for (std::uint64_t k = 0; k < exceeding; ++k) {
    choose = choose * (samples - k) / (k + 1);
    power *= parts;
    tail = tail * others + choose * power;
  }
  tail *= boost::multiprecision::pow(others, static_cast<unsigned>(samples - exceeding));
  const Integer all =
      boost::multiprecision::pow(Integer(kResolution), static_cast<unsigned>(samples));
  return Rational(tail) <= alpha * Rational(all);
}

}  // namespace

double likely_threshold(const Layer& layer, std::uint64_t samples, std::uint64_t seed) {
  constexpr double kRoom = 1.05;
  std::mt19937_64 random(seed);
  const Words words = [&] { return static_cast<std::uint32_t>(random() % kGrid); };
  double largest = 0;
  for (std::uint64_t i = 0; i < samples; ++i) {
    const double loss = trigger_loss(layer, draw(layer, words));
    if (std::isnan(loss)) return HUGE_VAL;
    largest = std::max(largest, loss);
  }
  return kRoom * largest;
}

std::optional<std::uint64_t> count_exceeding(const Layer& layer, const Sampling& sampling,
                                             double close) {
  const double limit = rounded::to_double_estimate(sampling.eta) * (1 - close);
  // src/checker/certificate/CHECKPOINT_RULES.md, 4.17.
  const std::string key = "sinkproof tc-2\n" + sampling.model_sha256 + "\n" +
                          std::to_string(layer.length()) + "\n" + exact::to_string(sampling.eta) +
                          "\n" + std::to_string(sampling.samples) + "\n";
  std::uint64_t exceeding = 0;
  for (std::uint64_t i = 0; i < sampling.samples; ++i) {
    const double loss =
        trigger_loss(layer, draw(layer, forward::DigestWords(key + std::to_string(i) + "\n")));
    if (std::isinf(loss)) return std::nullopt;
    if (!(loss <= limit)) ++exceeding;
  }
  return exceeding;
}

Rational confidence_bound(std::uint64_t samples, std::uint64_t exceeding, const Rational& alpha,
                          const Integer& price) {
  const Rational paid = alpha / Rational(price * samples);
  std::int64_t low = 0;  // not rare there
  std::int64_t high = kResolution;
  if (exceeding >= samples) return 1;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (is_rare(samples, exceeding, paid, middle) ? high : low) = middle;
  }
  return exact::make_rational(high, kResolution);
}

}  // namespace sinkproof::certify
