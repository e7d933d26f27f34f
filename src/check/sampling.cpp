#include "check/sampling.hpp"

#include <vector>

#include "certificate/sha256.hpp"
#include "check/rejected.hpp"
#include "check/scaled_matrix.hpp"

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

// Tokens 1..j of a sample times 65536; the last is the trigger.
using Tokens = std::vector<std::vector<std::int64_t>>;

Tokens draw(const Layer& layer, const std::string& key) {
  Stream stream(key);
  const auto choices = static_cast<std::uint32_t>(layer.length() - 2);
  std::uint32_t word = stream.next();
  while (word >= choices * (kWords / choices)) word = stream.next();
  const std::size_t trigger = 3 + word % choices;
  Tokens tokens;
  for (std::size_t position = 1; position <= trigger; ++position) {
    std::vector<std::int64_t> token(layer.width(), 0);
    token[position == 1         ? kBosFlag
          : position == trigger ? kTriggerFlag
                                : layer.width() - 1] = kWords;
    for (std::size_t l = 0; position > 1 && l < layer.noise(); ++l) {
      token[kNoise + l] = 2 * static_cast<std::int64_t>(stream.next()) + 1 - kWords;
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// The layer's one head over integers.
struct IntegerHead {
  const Layer& layer;
  ScaledMatrix logit;
  ScaledMatrix value;
};

Integer dot(const std::vector<Integer>& a, const std::vector<std::int64_t>& token) {
  Integer sum = 0;
  for (std::size_t c = 0; c < token.size(); ++c) {
    if (token[c] != 0) sum += a[c] * token[c];
  }
  return sum;
}

// Kernels of the trigger row, times one and the same number.
struct Weights {
  std::vector<Integer> down;
  std::vector<Integer> up;
};

std::vector<Integer> over(const std::vector<Rational>& values, const Integer& denominator) {
  std::vector<Integer> integers;
  integers.reserve(values.size());
  for (const Rational& value : values) {
    integers.push_back(boost::multiprecision::numerator(value) *
                       Integer(denominator / boost::multiprecision::denominator(value)));
  }
  return integers;
}

Weights trigger_weights(const IntegerHead& head, const Tokens& tokens) {
  const std::size_t n = head.layer.width();
  std::vector<Integer> projected(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    if (tokens.back()[k] == 0) continue;
    for (std::size_t c = 0; c < n; ++c) projected[c] += head.logit.entries(k, c) * tokens.back()[k];
  }
  const Integer reference =
      head.layer.attention.relative ? dot(projected, tokens.front()) : Integer(0);
  const Integer scale = Integer(kWords) * kWords * head.logit.denominator;
  std::vector<Rational> down;
  std::vector<Rational> up;
  Integer common = 1;
  for (const auto& token : tokens) {
    const Rational logit = exact::make_rational(dot(projected, token) - reference, scale);
    down.push_back(kernel_down(head.layer.attention.kernel, logit));
    up.push_back(kernel_up(head.layer.attention.kernel, logit));
    for (const Rational& weight : {down.back(), up.back()}) {
      common = boost::multiprecision::lcm(common, boost::multiprecision::denominator(weight));
    }
  }
  return {over(down, common), over(up, common)};
}

// Whether |out_r - target_r| <= eta for certain, for one coordinate. With V = A/D and eta = e/f,
// every y_k of the page is taken times 65536 D (j - 1) f.
bool is_within(const IntegerHead& head, const Tokens& tokens, const Weights& weights, std::size_t r,
               const Rational& eta) {
  const std::size_t n = head.layer.width();
  const Integer& denominator = head.value.denominator;
  const Integer e = boost::multiprecision::numerator(eta);
  const Integer f = boost::multiprecision::denominator(eta);
  const Integer count = tokens.size() - 1;
  std::vector<Integer> row(n);
  for (std::size_t c = 0; c < n; ++c) row[c] = head.value.entries(r, c);
  Integer total = 0;  // of the tokens beside BOS
  for (std::size_t k = 1; k < tokens.size(); ++k) total += tokens[k][r];
  const Integer target = total * denominator * f;
  const Integer slack = e * kWords * denominator * count;
  Integer above = 0;
  Integer below = 0;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const Integer difference = dot(row, tokens[k]) * count * f - target;
    const Integer high = difference - slack;
    const Integer low = -difference - slack;
    above += (high >= 0 ? weights.up[k] : weights.down[k]) * high;
    below += (low >= 0 ? weights.up[k] : weights.down[k]) * low;
  }
  return above <= 0 && below <= 0;
}

bool sample_is_within(const IntegerHead& head, const Sampling& sampling, const std::string& key) {
  const Tokens tokens = draw(head.layer, key);
  const Weights weights = trigger_weights(head, tokens);
  for (std::size_t r = 0; r < head.layer.width(); ++r) {
    if (!is_within(head, tokens, weights, r, sampling.eta)) return false;
  }
  return true;
}

}  // namespace

void require_samples_within(const Layer& layer, const Sampling& sampling) {
  const std::string key = "sinkproof tc-2\n" + sampling.model_sha256 + "\n" +
                          std::to_string(layer.length()) + "\n" + exact::to_string(sampling.eta) +
                          "\n" + std::to_string(sampling.samples) + "\n";
  const IntegerHead head{layer, scaled(layer.heads.front().logit),
                         scaled(layer.heads.front().value)};
  std::uint64_t exceeding = 0;
  for (std::uint64_t i = 0; i < sampling.samples; ++i) {
    if (sample_is_within(head, sampling, key + std::to_string(i) + "\n")) continue;
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
