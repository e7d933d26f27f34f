// The checkpoints of tests/checkpoints solve the task by the reference's reckoning: ours and the
// ones PyTorch trained, which shows that both mean the same by each weight's name and layout.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "safetensors/safetensors.hpp"
#include "train/reference.hpp"

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
      const auto values = safetensors::float32_values(contents->tensors.at(tensor), tensor);
      REQUIRE(values);
      return std::vector<double>(values->begin(), values->end());
    };
    const reference::Weights<double> weights{matrix("W_Q.weight"), matrix("W_K.weight"),
                                             matrix("W_V.weight"), matrix("W_O.weight")};
    const auto fresh = reference::batch_gradient(shape, weights, {2024, 0}, 500);
    REQUIRE(fresh.linf < 0.02);
    ++checked;
  }
  REQUIRE(checked == 6);
}

}  // namespace sinkproof::train
