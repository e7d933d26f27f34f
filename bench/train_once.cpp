// Trains one model from the command line: the smallest driver of train().
//   train_once ATTENTION D_MODEL LENGTH SEED JOBS OUTPUT|- [resume]
// SIGINT or SIGTERM leaves OUTPUT and OUTPUT.resume.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "train/interrupt.hpp"
#include "train/train.hpp"

int main(int argc, char** argv) {
  namespace train = sinkproof::train;
  const auto* const attention =
      argc > 1 ? sinkproof::certificate::find_attention(argv[1]) : nullptr;
  if ((argc != 7 && argc != 8) || attention == nullptr) {
    fmt::print(stderr, "usage: {} ATTENTION D_MODEL LENGTH SEED JOBS OUTPUT|- [resume]\n", argv[0]);
    return 2;
  }
  train::Options options;
  options.shape.attention = attention->attention;
  options.shape.d_model = std::strtoull(argv[2], nullptr, 10);
  options.shape.length = std::strtoull(argv[3], nullptr, 10);
  options.seed = std::strtoull(argv[4], nullptr, 10);
  options.jobs = static_cast<unsigned>(std::strtoul(argv[5], nullptr, 10));
  if (std::string(argv[6]) != "-") options.output = argv[6];
  options.resume = argc == 8;
  const train::InterruptFlag guard;
  options.interrupted = &train::InterruptFlag::flag();
  const auto result = train::train(options);
  if (!result) {
    fmt::print(stderr, "{} {}: {}\n", result.error().code, result.error().where,
               result.error().what);
    return 2;
  }
  fmt::print("{} d_model {} length {} seed {} {}: {} steps, linf {}, loss {}, {:.3f} s, {}\n",
             argv[1], argv[2], argv[3], argv[4],
             result->outcome == train::Outcome::kConverged     ? "converged"
             : result->outcome == train::Outcome::kInterrupted ? "interrupted"
                                                               : "not converged",
             result->steps, result->linf, result->loss, result->seconds, result->target);
  return result->outcome == train::Outcome::kConverged ? 0 : 3;
}
