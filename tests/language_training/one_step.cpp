// Writes what a training step begins with and what it finds, for one_step_test.py:
//   one_step DIR KEY=VALUE...
// DIR gets a model folder, and step.safetensors with the tokens, the loss and each gradient.
#include <fmt/core.h>

#include <filesystem>
#include <string>

#include "decoders.hpp"
#include "language_training/keys.hpp"
#include "language_training/model_folder.hpp"
#include "output/safetensors.hpp"
#include "safetensors/safetensors.hpp"

int main(int argc, char** argv) {
  namespace language_training = sinkproof::language_training;
  namespace output = sinkproof::output;
  namespace safetensors = sinkproof::safetensors;
  if (argc < 2) return 2;
  language_training::Settings settings;
  settings.decoder = {language_training::kAttentionKinds[0], 48, 2, 3, 21};
  for (int at = 2; at < argc; ++at) {
    const std::string text = argv[at];
    const std::size_t sign = text.find('=');
    if (!language_training::set(text.substr(0, sign), text.substr(sign + 1), settings)) return 2;
  }
  const language_training::Decoder& decoder = settings.decoder;
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
