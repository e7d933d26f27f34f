// Writes what a training step begins with and what it finds, for one_step_test.py:
//   one_step DIR KIND all|window|prefix POSITIONS MLP
// DIR gets a model folder, and step.safetensors with the tokens, the loss and each gradient.
#include <fmt/core.h>

#include <filesystem>
#include <string>

#include "decoders.hpp"
#include "language_training/model_folder.hpp"
#include "language_training/named.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

int main(int argc, char** argv) {
  namespace language_training = sinkproof::language_training;
  namespace output = sinkproof::output;
  namespace safetensors = sinkproof::safetensors;
  const auto* const kind =
      argc == 6 ? language_training::find_named(language_training::kAttentionKinds, argv[2])
                : nullptr;
  const auto* const positions =
      argc == 6 ? language_training::find_named(language_training::kPositionKinds, argv[4])
                : nullptr;
  const auto* const mlp =
      argc == 6 ? language_training::find_named(language_training::kMlpKinds, argv[5]) : nullptr;
  if (kind == nullptr || positions == nullptr || mlp == nullptr) return 2;
  const std::string mask = argv[3];
  language_training::Decoder decoder{*kind, 48, 2, 3, 21};
  decoder.bos = mask == "prefix";
  decoder.window = mask == "window" ? 5 : 0;
  decoder.prefix = mask == "prefix" ? 7 : 0;
  decoder.positions = *positions;
  decoder.mlp = *mlp;
  language_training::Weights weights = language_training::perturbed_weights(decoder, 1);
  language_training::Step step(decoder, 4, 1);
  step.load(weights);
  const auto tokens = language_training::random_tokens(decoder, 4, 2);
  std::filesystem::create_directories(argv[1]);
  if (!language_training::write_model(decoder, weights.values.data(), argv[1])) return 3;
  const double loss = step.gradient(weights, tokens.data());
  step.update({}, weights);  // adds the shares up
  safetensors::Contents contents;
  contents.tensors["loss"] = output::float32_tensor({1}, {static_cast<float>(loss)});
  contents.tensors["tokens"] =
      output::float32_tensor({4, decoder.length + 1}, {tokens.begin(), tokens.end()});
  for (const language_training::Parameter& parameter : language_training::parameters(decoder)) {
    const float* const from = step.gradient() + parameter.at;
    contents.tensors[parameter.name] =
        output::float32_tensor(parameter.shape, {from, from + parameter.count()});
  }
  return output::write(std::string(argv[1]) + "/step.safetensors", contents) ? 0 : 3;
}
