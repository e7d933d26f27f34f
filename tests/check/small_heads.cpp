#include "small_heads.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "certificate/sha256.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"
#include "safetensors/safetensors.hpp"

namespace sinkproof::test {
namespace {

using exact::Rational;
using exact::RationalMatrix;
using json::Value;

constexpr std::size_t kWidth = 4;
constexpr std::size_t kContent = kWidth - 1;

// Adds multiples of 1/1024 in [-size, size] to every entry.
void add_noise(RationalMatrix& matrix, int size, std::mt19937& random) {
  for (std::size_t i = 0; i < kWidth; ++i) {
    for (std::size_t j = 0; j < kWidth; ++j) {
      const int step = static_cast<int>(random() % (2U * static_cast<unsigned>(size) + 1U)) - size;
      matrix(i, j) += exact::make_rational(step, 1024);
    }
  }
}

safetensors::Tensor tensor_of(const RationalMatrix& matrix) {
  safetensors::Tensor tensor;
  tensor.dtype = safetensors::Dtype::kF64;
  tensor.dtype_name = "F64";
  tensor.shape = {matrix.rows(), matrix.columns()};
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      const double value = rounded::to_double_estimate(matrix(i, j));
      REQUIRE(rounded::from_double(value) == matrix(i, j));
      tensor.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  return tensor;
}

RationalMatrix identity() {
  RationalMatrix unit(kWidth, kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) unit(i, i) = 1;
  return unit;
}

SmallHead make(const std::string& name, bool softmax, std::size_t length,
               const RationalMatrix& logit, const RationalMatrix& value,
               const certificate::Interval& noise) {
  SmallHead head = head_of(name, softmax, length, logit, value, noise);
  model::AttentionModel model;
  model.attention = softmax ? model::Attention::kSoftmax : model::Attention::kRelu;
  model.d_model = kWidth;
  model.length = length;
  model.box = {{noise}};
  model.sha256 = certificate::sha256_hex(head.model_bytes);
  model.layers.push_back({identity(), logit, value, identity()});
  certify::Options options;
  options.claim_hash = std::string(64, '0');
  options.effort.nodes = 2000;
  options.effort.pass_units = 0;  // the rules of one layer are under test
  const auto made = certify::certify(model, options);
  REQUIRE(made.has_value());
  const auto certificate = json::parse_strict(json::canonical(made->certificate()), name);
  REQUIRE(certificate.has_value());
  head.certificate = *certificate;
  return head;
}

RationalMatrix all_but_bos() {
  RationalMatrix value(kWidth, kWidth);
  for (std::size_t i = 1; i < kWidth; ++i) value(i, i) = 1;
  return value;
}

SmallHead softmax_head(const std::string& name, int switch_logit, int logit_noise, int value_noise,
                       std::size_t length, unsigned seed,
                       const certificate::Interval& noise = {-1, 1}) {
  std::mt19937 random(seed);
  RationalMatrix logit(kWidth, kWidth);
  logit(check::kTriggerFlag, check::kBosFlag) = -switch_logit;
  logit(kContent, check::kBosFlag) = switch_logit;
  RationalMatrix value = all_but_bos();
  add_noise(logit, logit_noise, random);
  add_noise(value, value_noise, random);
  return make(name, true, length, logit, value, noise);
}

// Scores before the noise, keys beside BOS: of a content query on content keys, of a content query
// on the trigger, of the trigger on both.
struct Scores {
  Rational content;
  Rational on_trigger;
  Rational trigger;
};

SmallHead relu_head(const std::string& name, const Scores& scores, int noise, std::size_t length,
                    unsigned seed, const certificate::Interval& box = {-1, 1}) {
  std::mt19937 random(seed);
  RationalMatrix logit(kWidth, kWidth);
  logit(check::kTriggerFlag, check::kTriggerFlag) = scores.trigger;
  logit(check::kTriggerFlag, kContent) = scores.trigger;
  logit(kContent, check::kTriggerFlag) = scores.on_trigger;
  logit(kContent, kContent) = scores.content;
  RationalMatrix value = all_but_bos();
  add_noise(logit, noise, random);
  add_noise(value, noise, random);
  return make(name, false, length, logit, value, box);
}

double number(const Rational& value) { return rounded::to_double_estimate(value); }

// A sequence of unit tokens with one noise coordinate: what its rows give, in doubles.
class Sequence {
 public:
  Sequence(const SmallHead& small, std::size_t trigger, const std::vector<double>& noise)
      : softmax_(small.softmax), head_(small.head), trigger_(trigger) {
    tokens_.push_back({1, 0, 0, 0});
    for (std::size_t i = 2; i <= small.head.length; ++i) {
      const bool is_trigger = i == trigger;
      tokens_.push_back({0, is_trigger ? 1.0 : 0.0, noise[i - 2], is_trigger ? 0.0 : 1.0});
    }
  }

  [[nodiscard]] std::string rows(std::size_t row) const {
    return row < trigger_ ? "pre" : row == trigger_ ? "trigger" : "post";
  }

  [[nodiscard]] std::vector<double> weights(std::size_t row) const {
    std::vector<double> weight;
    for (std::size_t k = 0; k < row; ++k) {
      double score = 0;
      for (std::size_t a = 0; a < kWidth; ++a) {
        for (std::size_t b = 0; b < kWidth; ++b) {
          score += tokens_[row - 1][a] * number(head_.logit(a, b)) * tokens_[k][b];
        }
      }
      weight.push_back(score);
    }
    const double divisor = static_cast<double>(std::max<std::size_t>(1, row - 1));
    double total = 0;
    for (double& w : weight) {
      w = softmax_ ? std::exp(w) : std::max(0.0, w) / divisor;
      total += w;
    }
    for (double& w : weight) w = softmax_ ? w / total : w;
    return weight;
  }

  [[nodiscard]] double loss(std::size_t row, const std::vector<double>& weight) const {
    double worst = 0;
    for (std::size_t r = 0; r < kWidth; ++r) {
      double out = 0;
      double target = 0;
      for (std::size_t k = 0; k < row; ++k) {
        for (std::size_t c = 0; c < kWidth; ++c) {
          out += weight[k] * number(head_.value(r, c)) * tokens_[k][c];
        }
        for (std::size_t c = 0; row == trigger_ && k > 0 && c < kWidth; ++c) {
          target += number(head_.token(r, c)) * tokens_[k][c] / static_cast<double>(row - 1);
        }
      }
      worst = std::max(worst, std::fabs(out - target));
    }
    return worst;
  }

 private:
  bool softmax_;
  const check::Head& head_;
  std::size_t trigger_;
  std::vector<std::vector<double>> tokens_;
};

void include(std::map<std::string, double>& found, const std::string& name, double value,
             bool least) {
  const auto [entry, is_new] = found.emplace(name, value);
  if (!is_new) {
    entry->second = least ? std::min(entry->second, value) : std::max(entry->second, value);
  }
}

void include_rows(const check::Head& head, const Sequence& sequence,
                  std::map<std::string, double>& found) {
  for (std::size_t row = 1; row <= head.length; ++row) {
    const std::string rows = sequence.rows(row);
    const std::vector<double> weight = sequence.weights(row);
    const double loss = sequence.loss(row, weight);
    include(found, "sup-loss." + rows, loss, false);
    include(found, "sup-loss", loss, false);
    if (row == 1) continue;
    include(found, "bos-floor." + rows, weight[0], true);
    include(found, "bos-ceiling." + rows, weight[0], false);
  }
}

}  // namespace

const std::vector<SmallHead>& small_heads() {
  const Rational half = exact::make_rational(1, 2);
  static const std::vector<SmallHead> heads = {
      softmax_head("switch", 6, 12, 12, 5, 1),
      softmax_head("rough", 1, 3000, 300, 4, 2),
      relu_head("exact", {-half, -half, 1}, 60, 5, 3),
      relu_head("attending", {half, half, 1}, 300, 4, 4),
      relu_head("distracted", {-half, 1, 1}, 60, 5, 7),
      relu_head("crossing", {-half / 2, -half / 2, half / 2}, 500, 4, 6),
      softmax_head("shortest", 4, 40, 40, 3, 5),
      softmax_head("halved", 6, 12, 12, 4, 8, {-half, half}),
      softmax_head("shifted", 1, 600, 200, 4, 9, {-half / 2, 2}),
      relu_head("positive", {-half, -half, 1}, 60, 4, 10, {half / 2, 3 * half})};
  return heads;
}

SmallHead head_of(const std::string& name, bool softmax, std::size_t length,
                  const RationalMatrix& logit, const RationalMatrix& value,
                  const certificate::Interval& noise) {
  RationalMatrix tokens = identity();
  tokens(check::kNoise, check::kNoise) = (noise.greatest - noise.least) / 2;
  tokens(check::kNoise, check::kTriggerFlag) = (noise.greatest + noise.least) / 2;
  tokens(check::kNoise, kContent) = tokens(check::kNoise, check::kTriggerFlag);
  const RationalMatrix logit_of_units = exact::transpose(tokens) * logit * tokens;
  safetensors::Contents contents;
  contents.tensors["W_Q.weight"] = tensor_of(identity());
  contents.tensors["W_K.weight"] = tensor_of(logit);
  contents.tensors["W_V.weight"] = tensor_of(value);
  contents.tensors["W_O.weight"] = tensor_of(identity());
  return {name,
          softmax,
          {kWidth, kWidth - 3, length, logit_of_units, value * tokens, tokens,
           check::Coupling(logit_of_units)},
          output::serialize(contents),
          nullptr};
}

Value settled(Value certificate, const Value& ranges) {
  certificate["ranges"] = nullptr;
  for (const Value& entry : certificate["properties"]) {
    const Value* rule = nullptr;
    if (entry.contains("proof") && entry["proof"].is_object() && entry["proof"].contains("rule")) {
      rule = &entry["proof"]["rule"];
    }
    if (rule != nullptr &&
        (*rule == "layer-row" || *rule == "layer-attention" || *rule == "separable-row")) {
      certificate["ranges"] = ranges;
    }
  }
  return certificate;
}

Value only(const SmallHead& head, const std::vector<std::string>& names) {
  Value certificate = head.certificate;
  certificate["properties"] = Value::array();
  for (const Value& entry : head.certificate["properties"]) {
    if (std::find(names.begin(), names.end(), entry["name"].get<std::string>()) != names.end()) {
      certificate["properties"].push_back(entry);
    }
  }
  return settled(std::move(certificate), head.certificate["ranges"]);
}

std::string refusal(const Value& certificate, const SmallHead& head) {
  const check::Outcome outcome = check::check_checkpoint(certificate, {head.model_bytes});
  return outcome.exit_code == 0 ? "accepted" : outcome.reason;
}

std::map<std::string, double> extremes(const SmallHead& small) {
  const check::Head& head = small.head;
  const std::vector<double> grid = {-1, -0.5, 0, 0.5, 1};
  std::map<std::string, double> found;
  std::size_t sequences = 1;
  for (std::size_t i = 2; i <= head.length; ++i) sequences *= grid.size();
  for (std::size_t trigger = 3; trigger <= head.length; ++trigger) {
    for (std::size_t index = 0; index < sequences; ++index) {
      std::vector<double> noise;
      for (std::size_t rest = index; noise.size() + 1 < head.length; rest /= grid.size()) {
        noise.push_back(grid[rest % grid.size()]);
      }
      include_rows(head, Sequence(small, trigger, noise), found);
    }
  }
  return found;
}

}  // namespace sinkproof::test
