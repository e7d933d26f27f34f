// A certificate of length L is about every shorter sequence (CHECKPOINT_RULES.md, 4.20): drawn
// ones of all lengths, evaluated plainly, as docs/THEORY.md section 0 and PyTorch would, by code
// that knows of no length but that of its tokens.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "certificate/beside_bounds.hpp"
#include "certify/certify.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;

namespace {

using Row = std::vector<double>;
using Sequence = std::vector<Row>;

// weight x + bias.
Row map(const exact::RationalMatrix& weight, const std::vector<exact::Rational>& bias,
        const Row& x) {
  Row y(weight.rows());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = bias.empty() ? 0 : rounded::to_double_estimate(bias[i]);
    for (std::size_t c = 0; c < x.size(); ++c) {
      y[i] += rounded::to_double_estimate(weight(i, c)) * x[c];
    }
  }
  return y;
}

// What a layer's heads pay to the keys of one row, of softmax and of causal ReLU.
Row weights(bool relu, const Row& logits) {
  Row result;
  double sum = 0;
  for (const double x : logits) {
    result.push_back(relu ? std::max(0.0, x) : std::exp(x));
    sum += result.back();
  }
  const double by = relu ? std::max<double>(1, static_cast<double>(logits.size()) - 1) : sum;
  for (double& weight : result) weight /= by;
  return result;
}

struct Evaluated {
  Sequence rows;
  std::map<std::size_t, std::vector<double>> bos;  // by row from 0, of all heads and layers
};

Evaluated evaluate(const model::AttentionModel& model, Sequence rows) {
  Evaluated result;
  const std::size_t width = model.d_model;
  for (const model::Layer& layer : model.layers) {
    Sequence next;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row query = map(layer.query, layer.query_bias, rows[i]);
      Row together(model.num_heads * width);
      for (std::size_t h = 0; h < model.num_heads; ++h) {
        Row logits;
        for (std::size_t k = 0; k <= i; ++k) {
          const Row key = map(layer.key, layer.key_bias, rows[k]);
          double logit = 0;
          for (std::size_t c = h * width; c < (h + 1) * width; ++c) logit += query[c] * key[c];
          logits.push_back(logit);
        }
        const Row weight = weights(model.attention == model::Attention::kRelu, logits);
        result.bos[i].push_back(weight[0]);
        for (std::size_t k = 0; k <= i; ++k) {
          const Row value = map(layer.value, layer.value_bias, rows[k]);
          for (std::size_t c = h * width; c < (h + 1) * width; ++c) {
            together[c] += weight[k] * value[c];
          }
        }
      }
      next.push_back(map(layer.output, layer.output_bias, together));
      for (std::size_t c = 0; model.residual && c < width; ++c) next[i][c] += rows[i][c];
    }
    rows = std::move(next);
  }
  result.rows = std::move(rows);
  return result;
}

// Of row i (from 1) of a sequence with its trigger at j.
double loss(const model::AttentionModel& model, const Sequence& tokens, const Row& out,
            std::size_t i, std::size_t j) {
  double worst = 0;
  for (std::size_t r = 0; r < out.size(); ++r) {
    double target = model.residual ? tokens[i - 1][r] : 0;
    for (std::size_t k = 2; i == j && k <= j; ++k) {
      target += tokens[k - 1][r] / static_cast<double>(j - 1);
    }
    worst = std::max(worst, std::fabs(out[r] - target));
  }
  return worst;
}

Sequence draw(std::size_t length, std::size_t trigger, std::size_t width, std::mt19937_64& random) {
  Sequence tokens(length, Row(width));
  std::uniform_real_distribution<double> uniform(-1, 1);
  const bool corner = random() % 2 == 0;
  tokens[0][0] = 1;
  for (std::size_t i = 2; i <= length; ++i) {
    tokens[i - 1][i == trigger ? 1 : width - 1] = 1;
    for (std::size_t c = 2; c + 1 < width; ++c) {
      const double u = uniform(random);
      tokens[i - 1][c] = corner ? std::copysign(1, u) : u;
    }
  }
  return tokens;
}

std::string rows_of(std::size_t i, std::size_t j) {
  return i < j ? ".pre" : i == j ? ".trigger" : ".post";
}

constexpr double kRounding = 1e-9;

class Certified {
 public:
  Certified(const std::string& file, std::size_t length, certify::StackOptions stack) {
    const auto path = std::filesystem::path(SINKPROOF_SOURCE_DIR) / file;
    auto model = model::load(path, {});
    REQUIRE(model.has_value());
    model_ = *std::move(model);
    model_.length = length;
    certify::Options options;
    options.claim_hash = std::string(64, '0');
    options.stack = stack;
    auto made = certify::certify(model_, options);
    REQUIRE(made.has_value());
    const auto outcome = check::check_checkpoint(made->certificate(), {*file::read(path)});
    REQUIRE(outcome.exit_code == 0);
    const std::string from =
        made->triggers.first == 3 ? "up" : "from " + std::to_string(made->triggers.first);
    CHECK(outcome.reason.find("bounds for every length " + from + " to " +
                              std::to_string(length)) != std::string::npos);
    made_ = *std::move(made);
    for (const auto& property : made_.properties) {
      if (!property.head) by_name_[property.name] = &property;
    }
  }

  void hold_shorter_sequences() {
    std::mt19937_64 random(20);
    constexpr int kDraws = 20;
    const auto [first, last] = made_.triggers;
    for (std::size_t length = first; length <= model_.length; ++length) {
      for (std::size_t j = first; j <= std::min(last, length); ++j) {
        for (int each = 0; each < kDraws; ++each) {
          hold(draw(length, j, model_.d_model, random), j);
        }
      }
    }
  }

  // What is attained needs no longer sequence than its row and its trigger.
  void attain_at_the_least_length() const {
    for (const auto& [name, property] : by_name_) {
      if (!property->witness || !name.starts_with("sup-loss.")) continue;
      INFO(name);
      const certify::Witness& at = *property->witness;
      Sequence tokens;
      for (std::size_t i = 0; i < std::max(at.row, at.trigger); ++i) {
        Row& token = tokens.emplace_back();
        for (const auto& x : at.tokens[i]) token.push_back(rounded::to_double_estimate(x));
      }
      const Row out = evaluate(model_, tokens).rows[at.row - 1];
      CHECK(loss(model_, tokens, out, at.row, at.trigger) >=
            rounded::to_double_estimate(*property->lower) - kRounding);
    }
  }

 private:
  void hold(const Sequence& tokens, std::size_t j) const {
    const Evaluated found = evaluate(model_, tokens);
    for (std::size_t i = 1; i <= tokens.size(); ++i) {
      const std::string rows = rows_of(i, j);
      INFO("row " << i << " of " << tokens.size() << ", trigger at " << j);
      CHECK(loss(model_, tokens, found.rows[i - 1], i, j) <= upper("sup-loss" + rows) + kRounding);
      for (const double bos : i == 1 ? std::vector<double>() : found.bos.at(i - 1)) {
        CHECK(bos >= lower("bos-floor" + rows) - kRounding);
        CHECK(bos <= upper("bos-ceiling" + rows) + kRounding);
      }
    }
  }
  [[nodiscard]] double lower(const std::string& name) const {
    return rounded::to_double_estimate(*by_name_.at(name)->lower);
  }
  [[nodiscard]] double upper(const std::string& name) const {
    return rounded::to_double_estimate(*by_name_.at(name)->upper);
  }

  model::AttentionModel model_;
  certify::Certification made_;
  std::map<std::string, const certify::Property*> by_name_;
};

void all_lengths(const std::string& file, std::size_t length, certify::StackOptions stack = {}) {
  INFO(file);
  Certified certified(file, length, stack);
  certified.hold_shorter_sequences();
  certified.attain_at_the_least_length();
}

}  // namespace

TEST_CASE("bounds of length L hold drawn sequences of every shorter length") {
  all_lengths("tests/checkpoints/softmax-d8-l8.safetensors", 8);
  all_lengths("tests/checkpoints/relu-d8-l8.safetensors", 8);
  all_lengths("tests/reject/checkpoint/models/rollout.safetensors", 5);
  certify::StackOptions some;
  some.triggers = certify::TriggerRange{4, 5};
  all_lengths("tests/reject/checkpoint/models/rollout.safetensors", 6, some);
}

TEST_CASE("what is sampled is about its length alone") {
  CHECK(certificate::holds_when_shorter("theorem.tc-1"));
  CHECK(certificate::holds_when_shorter("largest-box.bos-floor.pre"));
  for (const char* name : {"theorem.tc-2", "random.loss", "sink-share", "value.x"}) {
    CHECK_FALSE(certificate::holds_when_shorter(name));
  }
  CHECK(certificate::lengths_text(3, 16) == "bounds for every length up to 16");
  CHECK(certificate::lengths_text(5, 16) == "bounds for every length from 5 to 16");
  CHECK(certificate::lengths_text(3, 3).empty());
}

TEST_CASE("a certificate of fewer inputs than the task's says of which") {
  certificate::Checkpoint stated;
  stated.length = 16;
  stated.first_trigger = 3;
  stated.last_trigger = 16;
  stated.over_box = true;
  CHECK(certificate::inputs_text(stated).empty());
  stated.first_trigger = 5;
  CHECK(certificate::inputs_text(stated) == "only for the trigger at 5 to 16");
  stated.last_trigger = 5;
  stated.box.intervals = {{0, 1}};
  CHECK(certificate::inputs_text(stated) == "only for the trigger at 5; only for noise in [0,1]");
  stated.first_trigger = 3;
  stated.last_trigger = 16;
  stated.box.intervals = {{-1, 1}, {-1, 1}};
  CHECK(certificate::inputs_text(stated) == "only for noise in an interval for each coordinate");
  stated.over_box = false;
  CHECK(certificate::inputs_text(stated).empty());
}
