#include "reproduce/attention_sample.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>

#include "output/temporary_folder.hpp"
#include "reproduce/sample_file.hpp"
#include "stack_reference.hpp"
#include "train/parameters.hpp"
#include "train/train.hpp"

namespace sinkproof::reproduce {
namespace {

using train::reference::Weights;

struct Stack {
  train::Shape shape;
  model::AttentionModel model;
  train::reference::Stack<double> weights;
};

// Two residual layers of two heads, a few steps from weights large enough to tell heads apart.
Stack stack(train::Attention attention) {
  const output::TemporaryFolder folder;
  const auto file = folder / "stack.safetensors";
  train::Options options;
  options.shape = {attention, 6, 7, 2, false, 2, true};
  options.max_steps = 3;
  options.initial_deviation = 0.5;
  options.output = file;
  const auto trained = train::train(options);
  REQUIRE(trained.has_value());
  auto loaded = model::load(file, {});
  REQUIRE(loaded.has_value());
  Stack made{options.shape, std::move(*loaded), {}};
  for (std::size_t l = 0; l < 2; ++l) {
    const auto tensor = [&](const char* name) {
      const auto& values = trained->tensors.at(train::layer_prefix(made.shape, l) + name);
      return std::vector<double>(values.begin(), values.end());
    };
    made.weights.push_back(
        {tensor("W_Q.weight"), tensor("W_K.weight"), tensor("W_V.weight"), tensor("W_O.weight")});
  }
  return made;
}

// Tokens of the draw, by hand: its noise, the trigger where it is asked.
std::vector<double> tokens_of(const Stack& made, const Draw& draw, std::uint32_t index) {
  const auto drawn =
      train::draw_sample(made.shape, {draw.seed, std::numeric_limits<std::uint64_t>::max()}, index);
  std::vector<double> tokens(drawn.tokens.begin(), drawn.tokens.end());
  for (std::size_t i = 1; i < 7; ++i) {
    tokens[i * 6 + 1] = i + 1 == draw.trigger ? 1 : 0;
    tokens[i * 6 + 5] = i + 1 == draw.trigger ? 0 : 1;
  }
  return tokens;
}

// attention[layer] as train::reference keeps it, [H][length][length].
std::vector<std::vector<double>> attention_of(const Stack& made, std::vector<double> tokens) {
  std::vector<std::vector<double>> attention;
  for (const Weights<double>& layer : made.weights) {
    const auto kept = train::reference::forward(made.shape, layer, tokens);
    attention.push_back(kept.attention);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] += kept.out[i];
  }
  return attention;
}

}  // namespace

TEST_CASE("Means, deviations and the first sequence are those of the plain forward pass") {
  for (const auto attention : {train::Attention::kSoftmax, train::Attention::kRelu}) {
    const Stack made = stack(attention);
    const Draw draw{5, 4, 11};
    const auto sample = sample_attention(made.model, draw, 1);
    REQUIRE(sample.has_value());
    std::vector<std::vector<std::vector<double>>> all;
    for (std::uint32_t s = 0; s < 5; ++s) {
      all.push_back(attention_of(made, tokens_of(made, draw, s)));
    }
    double spread = 0;
    for (std::size_t l = 0; l < 2; ++l) {
      for (std::size_t h = 0; h < 2; ++h) {
        const HeadSample& head = sample->heads[l][h];
        std::vector<double> alphas(5, 0.0);
        std::vector<double> before(5, 0.0);  // rows 2 and 3; the trigger is at 4
        for (std::size_t i = 0; i < 7; ++i) {
          REQUIRE(head.mean[i].size() == i + 1);
          for (std::size_t k = 0; k <= i; ++k) {
            const auto weight = [&](std::size_t s) { return all[s][l][(h * 7 + i) * 7 + k]; };
            double mean = 0;
            double square = 0;
            for (std::size_t s = 0; s < 5; ++s) {
              mean += weight(s) / 5;
              square += weight(s) * weight(s) / 5;
              if (k == 0) alphas[s] += weight(s) / 7;
              if (k == 0 && (i == 1 || i == 2)) before[s] += weight(s) / 2;
            }
            CHECK(head.mean[i][k] == Approx(mean).margin(1e-12));
            CHECK(head.deviation[i][k] ==
                  Approx(std::sqrt(std::max(0.0, square - mean * mean))).margin(1e-7));
            CHECK(head.first[i][k] == Approx(weight(0)).margin(1e-12));
            spread = std::max(spread, head.deviation[i][k]);
          }
        }
        const auto check_moments = [](const Moments& found, const std::vector<double>& values) {
          double mean = 0;
          double square = 0;
          for (const double value : values) mean += value / 5;
          for (const double value : values) square += (value - mean) * (value - mean) / 5;
          CHECK(found.mean == Approx(mean).margin(1e-12));
          CHECK(found.deviation == Approx(std::sqrt(square)).margin(1e-12));
        };
        check_moments(head.alpha, alphas);
        check_moments(head.bos.before, before);
        CHECK(head.bos.trigger.mean == Approx(head.mean[3][0]).margin(1e-12));
        CHECK(head.bos.trigger.deviation == Approx(head.deviation[3][0]).margin(1e-12));
        CHECK(head.bos.after.mean ==
              Approx((head.mean[4][0] + head.mean[5][0] + head.mean[6][0]) / 3).margin(1e-12));
      }
    }
    CHECK(spread > 1e-3);  // sequences do differ
  }
}

TEST_CASE("Rows of softmax heads sum to one, in the mean too, and row 1 does not vary") {
  const Stack made = stack(train::Attention::kSoftmax);
  const auto sample = sample_attention(made.model, {9, 3, 2}, 1);
  REQUIRE(sample.has_value());
  for (const auto& layer : sample->heads) {
    for (const HeadSample& head : layer) {
      for (std::size_t i = 0; i < 7; ++i) {
        double mean = 0;
        double first = 0;
        for (std::size_t k = 0; k <= i; ++k) {
          mean += head.mean[i][k];
          first += head.first[i][k];
        }
        CHECK(mean == Approx(1).margin(1e-12));
        CHECK(first == Approx(1).margin(1e-12));
      }
      CHECK(head.deviation[0][0] == 0);
    }
  }
}

TEST_CASE("A sample does not depend on the number of threads, and does on seed and trigger") {
  const Stack made = stack(train::Attention::kSoftmax);
  const auto text = [&](const Draw& draw, unsigned jobs) {
    const auto sample = sample_attention(made.model, draw, jobs);
    REQUIRE(sample.has_value());
    return sample_json(*sample)["layers"].dump();
  };
  CHECK(text({9, 3, 2}, 1) == text({9, 3, 2}, 4));
  CHECK(text({9, 3, 2}, 1) != text({9, 3, 3}, 1));
  CHECK(text({9, 3, 2}, 1) != text({9, 4, 2}, 1));
}

TEST_CASE("A sample is read back as it was written, and nothing else is") {
  const Stack made = stack(train::Attention::kRelu);
  const Draw draw{4, 5, 1};
  const auto sample = sample_attention(made.model, draw, 1);
  REQUIRE(sample.has_value());
  const json::Value value = sample_json(*sample);
  const auto again = read_sample(value, made.model, draw);
  REQUIRE(again.has_value());
  CHECK(sample_json(*again) == value);
  CHECK(again->heads[1][0].mean == sample->heads[1][0].mean);

  CHECK_FALSE(read_sample(value, made.model, {4, 5, 2}).has_value());
  CHECK_FALSE(read_sample(value, made.model, {5, 5, 1}).has_value());
  model::AttentionModel other = made.model;
  other.sha256 = std::string(64, '0');
  CHECK_FALSE(read_sample(value, other, draw).has_value());
  for (const char* lie : {"/layers/1/0/mean/3/2", "/layers/0/1/alpha/1", "/layers/0/1/first/6",
                          "/layers/1", "/schema", "/estimates/trigger"}) {
    for (const json::Value& content :
         {json::Value("x"), json::Value("-0.5"), json::Value(nullptr), json::Value("inf")}) {
      json::Value changed = value;
      changed[json::Value::json_pointer(lie)] = content;
      CHECK_FALSE(read_sample(changed, made.model, draw).has_value());
    }
  }
  CHECK_FALSE(read_sample(nullptr, made.model, draw).has_value());
}

}  // namespace sinkproof::reproduce
