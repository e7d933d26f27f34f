// The checkpoints of tests/checkpoints solve the task by the reference's reckoning: ours and the
// ones PyTorch trained, which shows that both mean the same by each weight's name and layout.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "output/safetensors.hpp"
#include "reference_weights.hpp"
#include "safetensors/safetensors.hpp"
#include "stack_reference.hpp"

namespace sinkproof::train {

TEST_CASE("every shipped checkpoint solves the task on fresh samples") {
  const std::filesystem::path folder =
      std::filesystem::path(SINKPROOF_SOURCE_DIR) / "tests/checkpoints";
  int checked = 0;
  for (const std::string name : {"pytorch-1l1h-softmax", "pytorch-1l1h-relu", "softmax-d8-l8",
                                 "relu-d8-l8", "softmax-d16-l16", "relu-d16-l16"}) {
    INFO(name);
    const auto contents = safetensors::read(folder / (name + ".safetensors"));
    REQUIRE(contents);
    Shape shape;
    shape.attention =
        contents->metadata.at("attention") == "relu" ? Attention::kRelu : Attention::kSoftmax;
    shape.d_model = std::stoul(contents->metadata.at("d_model"));
    shape.length = std::stoul(contents->metadata.at("seq_len"));
    REQUIRE((name.find("relu") != std::string::npos) == (shape.attention == Attention::kRelu));
    const auto matrix = [&](const char* tensor) {
      const auto values = output::float32_values(contents->tensors.at(tensor), tensor);
      REQUIRE(values);
      return std::vector<double>(values->begin(), values->end());
    };
    const reference::Weights<double> weights{matrix("W_Q.weight"), matrix("W_K.weight"),
                                             matrix("W_V.weight"), matrix("W_O.weight")};
    const auto fresh = reference::batch_gradient<double>(shape, {weights}, {2024, 0}, 500);
    REQUIRE(fresh.linf < 0.02);
    ++checked;
  }
  REQUIRE(checked == 6);
}

TEST_CASE("PyTorch's residual stacks solve the task with residual targets") {
  const std::string kind = GENERATE("softmax", "relu");
  const auto contents =
      safetensors::read(std::filesystem::path(SINKPROOF_SOURCE_DIR) /
                        ("tests/checkpoints/pytorch-2l2h-" + kind + ".safetensors"));
  REQUIRE(contents);
  Shape shape{certificate::find_attention(kind)->attention, 16, 16, 2, false, 2, true};
  std::map<std::string, std::vector<float>> tensors;
  for (const auto& [name, tensor] : contents->tensors) {
    tensors[name] = *output::float32_values(tensor, name);
  }
  REQUIRE(tensors.size() == parameters(shape).size());
  const auto weights = reference_weights(shape, tensors);
  REQUIRE(reference::batch_gradient(shape, weights, {2024, 0}, 500).linf < 0.02);
  shape.residual = false;
  REQUIRE(reference::batch_gradient(shape, weights, {2024, 0}, 10).linf > 0.5);
}

TEST_CASE("every variant's checkpoint solves the task, and attends to BOS as its README says") {
  const std::filesystem::path folder =
      std::filesystem::path(SINKPROOF_SOURCE_DIR) / "examples/variants";
  struct Variant {
    const char* name;
    Attention attention;
    std::size_t heads;
    bool bias;
    double least_bos, most_bos;  // mean attention on BOS before the trigger
    double most_linf = 0.002;
  };
  const auto variant = GENERATE(values<Variant>({
      {"softmax", Attention::kSoftmax, 1, false, 0.999, 1},
      {"softmax-bias", Attention::kSoftmax, 1, true, 0.999, 1},
      {"softmax-heads2", Attention::kSoftmax, 2, false, 0.999, 1},
      {"softmax-null", Attention::kSoftmaxNull, 1, false, 0.998, 0.9995},
      {"softmax-sink", Attention::kSoftmaxSink, 1, false, 0.9995, 1},
      {"softmax-null-bias", Attention::kSoftmaxNull, 1, true, 0, 0.001, 0.006},
      {"softmax-gated", Attention::kSoftmaxGated, 1, false, 0.999, 1},
      {"sigmoid-normalised", Attention::kSigmoidNormalised, 1, false, 0.999, 1},
      {"elu1-normalised", Attention::kElu1Normalised, 1, false, 0.999, 1},
      {"relu", Attention::kRelu, 1, false, 0, 1e-4},
      {"sigmoid", Attention::kSigmoid, 1, false, 0.35, 0.45},
      {"elu1", Attention::kElu1, 1, false, 1.1, 1.3},  // not normalised, and BOS's value is zero
      {"linear", Attention::kLinear, 1, false, -1e-4, 1e-4},
  }));
  INFO(variant.name);
  const auto contents = safetensors::read(folder / (std::string(variant.name) + ".safetensors"));
  REQUIRE(contents);
  const Shape shape{variant.attention, 8, 8, variant.heads, variant.bias};
  const auto& said = contents->metadata;
  REQUIRE(said.at("attention") == certificate::to_string(shape.attention));
  REQUIRE(said.at("d_model") == "8");
  REQUIRE(said.at("seq_len") == "8");
  REQUIRE(said.at("num_heads") == std::to_string(shape.heads));
  REQUIRE(said.at("num_layers") == "1");
  REQUIRE(said.at("residual") == "false");
  std::map<std::string, std::vector<float>> tensors;
  for (const auto& [name, tensor] : contents->tensors) {
    tensors[name] = *output::float32_values(tensor, name);
  }
  REQUIRE(tensors.size() == parameters(shape).size());
  const auto weights = reference_weights(shape, tensors);
  REQUIRE(reference::batch_gradient(shape, weights, {2024, 0}, 500).linf < variant.most_linf);

  double bos = 0;
  int rows = 0;
  for (std::uint32_t index = 0; index < 100; ++index) {
    const Sample sample = draw_sample(shape, {2024, 1}, index);
    const auto kept =
        reference::forward(shape, weights[0], {sample.tokens.begin(), sample.tokens.end()});
    for (std::size_t head = 0; head < shape.heads; ++head) {
      for (std::size_t row = 1; row + 1 < sample.trigger; ++row) {
        bos += kept.attention[(head * shape.length + row) * shape.length];
        ++rows;
      }
    }
  }
  REQUIRE(rows > 100);
  REQUIRE(bos / rows >= variant.least_bos);
  REQUIRE(bos / rows <= variant.most_bos);
}

}  // namespace sinkproof::train
