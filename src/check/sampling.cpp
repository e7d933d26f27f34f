#include "check/sampling.hpp"

#include <vector>

#include "certificate/sha256.hpp"
#include "check/rejected.hpp"
#include "check/witness.hpp"

namespace sinkproof::check {
namespace {

using exact::Integer;
using exact::Rational;

constexpr std::uint32_t kWords = 65536;

// The 16-bit words of one sample.
class Stream {
 public:
  explicit Stream(std::string key) : key_(std::move(key)) {}

  std::uint32_t next() {
    if (used_ == digest_.size()) {
      digest_ = certificate::sha256_hex(key_ + std::to_string(block_++) + "\n");
      used_ = 0;
    }
    std::uint32_t word = 0;
    for (int digit = 0; digit < 4; ++digit) {
      const char c = digest_[used_++];
      word = 16 * word + static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return word;
  }

 private:
  std::string key_;
  std::string digest_;
  std::size_t used_ = 0;
  std::uint64_t block_ = 0;
};

// Tokens 1..j of a sample; the last is the trigger.
std::vector<std::vector<Rational>> draw(const Layer& layer, const std::string& key) {
  Stream stream(key);
  const auto choices = static_cast<std::uint32_t>(layer.length() - 2);
  std::uint32_t word = stream.next();
  while (word >= choices * (kWords / choices)) word = stream.next();
  const std::size_t trigger = 3 + word % choices;
  std::vector<std::vector<Rational>> tokens;
  for (std::size_t position = 1; position <= trigger; ++position) {
    std::vector<Rational> token(layer.width());
    token[position == 1 ? kBosFlag : position == trigger ? kTriggerFlag : layer.width() - 1] = 1;
    for (std::size_t l = 0; position > 1 && l < layer.noise(); ++l) {
      const std::int64_t odd = 2 * static_cast<std::int64_t>(stream.next()) + 1 - kWords;
      token[kNoise + l] = exact::make_rational(odd, kWords);
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

struct Weight {
  Rational down;
  Rational up;
};

std::vector<Weight> trigger_weights(const Layer& layer,
                                    const std::vector<std::vector<Rational>>& tokens) {
  const Head& head = layer.heads.front();
  std::vector<Rational> projected(head.width);
  for (std::size_t c = 0; c < head.width; ++c) {
    for (std::size_t k = 0; k < head.width; ++k)
      projected[c] += tokens.back()[k] * head.logit(k, c);
  }
  const Rational reference =
      layer.attention.relative ? dot(projected, tokens.front()) : Rational(0);
  std::vector<Weight> weights;
  for (const std::vector<Rational>& token : tokens) {
    const Rational logit = dot(projected, token) - reference;
    weights.push_back(
        {kernel_down(layer.attention.kernel, logit), kernel_up(layer.attention.kernel, logit)});
  }
  return weights;
}

// Whether |out_r - target_r| <= eta for certain, for one coordinate.
bool is_within(const std::vector<Weight>& weights, const std::vector<Rational>& difference,
               const Rational& eta) {
  for (const int s : {1, -1}) {
    Rational sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const Rational y = s * difference[k] - eta;
      sum += (y >= 0 ? weights[k].up : weights[k].down) * y;
    }
    if (sum > 0) return false;
  }
  return true;
}

bool sample_is_within(const Layer& layer, const Sampling& sampling, const std::string& key) {
  const Head& head = layer.heads.front();
  const auto tokens = draw(layer, key);
  const std::vector<Weight> weights = trigger_weights(layer, tokens);
  for (std::size_t r = 0; r < head.width; ++r) {
    std::vector<Rational> row(head.width);
    for (std::size_t c = 0; c < head.width; ++c) row[c] = head.value(r, c);
    Rational target = 0;
    for (std::size_t k = 1; k < tokens.size(); ++k) target += tokens[k][r];
    target /= Rational(tokens.size() - 1);
    std::vector<Rational> difference;
    for (const std::vector<Rational>& token : tokens)
      difference.push_back(dot(row, token) - target);
    if (!is_within(weights, difference, sampling.eta)) return false;
  }
  return true;
}

}  // namespace

void require_samples_within(const Layer& layer, const Sampling& sampling) {
  const std::string key = "sinkproof tc-2\n" + sampling.model_sha256 + "\n" +
                          std::to_string(layer.length()) + "\n" + exact::to_string(sampling.eta) +
                          "\n" + std::to_string(sampling.samples) + "\n";
  std::uint64_t exceeding = 0;
  for (std::uint64_t i = 0; i < sampling.samples; ++i) {
    if (sample_is_within(layer, sampling, key + std::to_string(i) + "\n")) continue;
    ++exceeding;
    require(exceeding <= sampling.exceeding, "theorem.tc-2",
            "more samples exceed eta than it admits");
  }
}

void require_confidence(const Sampling& sampling, const Rational& delta, const Rational& alpha) {
  const Integer p = boost::multiprecision::numerator(delta);
  const Integer q = boost::multiprecision::denominator(delta);
  const auto trials = static_cast<unsigned>(sampling.samples);
  // Terms binomial(N, k) p^k (q-p)^(N-k), starting at k = 0; each is the last one times
  // (N-k) p / ((k+1) (q-p)), exactly.
  Integer term = boost::multiprecision::pow(Integer(q - p), trials);
  Integer tail = term;
  for (unsigned k = 0; k < sampling.exceeding; ++k) {
    term = term * (trials - k) * p / (Integer(k + 1) * (q - p));
    tail += term;
  }
  const Integer all = boost::multiprecision::pow(q, trials);
  const Integer f = boost::multiprecision::denominator(sampling.eta);
  const Integer choices = 29 * f * f * trials;
  require(choices * tail * boost::multiprecision::denominator(alpha) <=
              boost::multiprecision::numerator(alpha) * all,
          "theorem.tc-2", "delta is below what the samples show at this confidence");
}

}  // namespace sinkproof::check
