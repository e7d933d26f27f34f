// Steps of training a small language model, timed: the smallest driver of language_training::Step.
//   language_once BATCH JOBS STEPS [KEY=VALUE...]
// KEY=VALUE: a setting of `sinkproof train-lm --compare`.
// Prints tokens a second by the clock and by the process's own time, and the last loss.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "language_training/keys.hpp"
#include "language_training/step.hpp"
#include "train/philox.hpp"

int main(int argc, char** argv) {
  namespace language_training = sinkproof::language_training;
  if (argc < 4) {
    fmt::print(stderr, "usage: {} BATCH JOBS STEPS [KEY=VALUE...]\n", argv[0]);
    return 2;
  }
  const auto number = [&](int at) { return std::strtoull(argv[at], nullptr, 10); };
  language_training::Settings settings;
  for (int at = 4; at < argc; ++at) {
    const std::string text = argv[at];
    const std::size_t sign = text.find('=');
    const std::string value = sign == std::string::npos ? "" : text.substr(sign + 1);
    if (const auto set = language_training::set(text.substr(0, sign), value, settings); !set) {
      fmt::print(stderr, "{}: {}\n", set.error().where, set.error().what);
      return 2;
    }
  }
  const language_training::Decoder& decoder = settings.decoder;
  const auto batch = static_cast<std::uint32_t>(number(1));
  language_training::Step step(decoder, batch, number(2));
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
  run(number(3));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double processor = static_cast<double>(std::clock() - own) / CLOCKS_PER_SEC;
  const auto made = static_cast<double>(number(3) * batch * decoder.length);
  fmt::print("{} parameters, {:.0f} tokens a second, {:.0f} of processor time, loss {:.4f}\n",
             language_training::parameter_count(decoder), made / seconds, made / processor, loss);
  return 0;
}
