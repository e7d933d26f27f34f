// Steps of training a small language model, timed: the smallest driver of language_training::Step.
//   language_once KIND WIDTH LAYERS HEADS LENGTH BATCH JOBS STEPS
// Prints tokens a second by the clock and by the process's own time, and the last loss.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "language_training/named.hpp"
#include "language_training/step.hpp"
#include "train/philox.hpp"

int main(int argc, char** argv) {
  namespace language_training = sinkproof::language_training;
  const auto* const kind =
      argc > 1 ? language_training::find_named(language_training::kAttentionKinds, argv[1])
               : nullptr;
  if (argc != 9 || kind == nullptr) {
    fmt::print(stderr, "usage: {} KIND WIDTH LAYERS HEADS LENGTH BATCH JOBS STEPS\n", argv[0]);
    return 2;
  }
  const auto number = [&](int at) { return std::strtoull(argv[at], nullptr, 10); };
  language_training::Decoder decoder;
  decoder.kind = *kind;
  decoder.width = number(2);
  decoder.layers = number(3);
  decoder.heads = number(4);
  decoder.length = number(5);
  const auto batch = static_cast<std::uint32_t>(number(6));
  language_training::Step step(decoder, batch, number(7));
  language_training::Weights weights = language_training::initial_weights(decoder, 0);
  step.load(weights);
  std::vector<std::uint16_t> tokens(batch * (decoder.length + 1));
  double loss = 0;
  const auto run = [&](std::uint64_t steps) {
    for (std::uint64_t made = 0; made < steps; ++made) {
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto at = static_cast<std::uint32_t>(i);
        tokens[i] = static_cast<std::uint16_t>(
            sinkproof::train::philox4x32({at, static_cast<std::uint32_t>(weights.steps), 0, 0},
                                         {})[0] %
            256);
      }
      loss = step.gradient(weights, tokens.data());
      step.update({1e-3, 0.01, 0}, weights);
    }
  };
  run(10);  // warm
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t own = std::clock();
  run(number(8));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double processor = static_cast<double>(std::clock() - own) / CLOCKS_PER_SEC;
  const auto made = static_cast<double>(number(8) * batch * decoder.length);
  fmt::print("{} parameters, {:.0f} tokens a second, {:.0f} of processor time, loss {:.4f}\n",
             language_training::parameter_count(decoder), made / seconds, made / processor, loss);
  return 0;
}
