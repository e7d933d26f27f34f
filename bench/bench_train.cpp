// Steps a second of the fast training path, by instruction set and threads, and of the plain
// reference it is tested against. A step is data, loss, gradient and Adam. Prints the ratios at the
// end.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "train/kernels.hpp"
#include "train/reference.hpp"
#include "train/train.hpp"

namespace {

namespace train = sinkproof::train;

constexpr std::uint64_t kSteps = 200;  // a call
constexpr std::uint32_t kBatch = 128;

void fast(benchmark::State& state, train::Attention attention, std::int64_t target, unsigned jobs) {
  hwy::SetSupportedTargetsForTest(target);
  train::Options options;
  options.shape.attention = attention;
  options.max_steps = kSteps;
  options.stop_linf = 0;
  options.batch = kBatch;
  options.jobs = jobs;
  while (state.KeepRunning()) {
    const auto result = train::train(options);
    if (!result || result->steps != kSteps) state.SkipWithError("training failed");
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kSteps));
  hwy::SetSupportedTargetsForTest(0);
}

void reference(benchmark::State& state, train::Attention attention) {
  const train::Shape shape{attention, 16, 16};
  const std::vector<float> zero(shape.d_model * shape.d_model, 0.0F);
  std::vector<float> start(zero);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = i % 17 == 0 ? 0.1F : 0.01F;
  train::reference::Weights<float> weights{start, start, start, start};
  train::reference::Weights<float> first{zero, zero, zero, zero};
  train::reference::Weights<float> second{zero, zero, zero, zero};
  const train::reference::AdamRate rate;
  std::uint64_t step = 0;
  while (state.KeepRunning()) {
    const auto result = train::reference::batch_gradient(shape, weights, {0, step++}, kBatch);
    const auto update = [&](auto matrix) {
      train::reference::adam(rate, step, result.gradient.*matrix, first.*matrix, second.*matrix,
                             weights.*matrix);
    };
    using Weights = train::reference::Weights<float>;
    update(&Weights::query);
    update(&Weights::key);
    update(&Weights::value);
    update(&Weights::output);
  }
  state.SetItemsProcessed(state.iterations());
}

// The usual console output, remembering the steps a second of each benchmark.
class Remember : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto items = run.counters.find("items_per_second");
      if (items != run.counters.end()) {
        steps_per_second[run.run_name.function_name] = items->second;
      }
    }
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> steps_per_second;
};

void print_ratios(const std::map<std::string, double>& steps_per_second, const std::string& name) {
  const auto slow = steps_per_second.find("reference/" + name);
  if (slow == steps_per_second.end()) return;
  for (const auto& [key, value] : steps_per_second) {
    if (key.rfind("train/" + name, 0) == 0) {
      fmt::print("{} = {:.1f} x reference/{}\n", key, value / slow->second, name);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  for (int i = 1; i < argc; ++i) json = json || std::string(argv[i]) == "--benchmark_format=json";
  const std::map<std::string, train::Attention> attentions = {
      {"softmax", train::Attention::kSoftmax}, {"relu", train::Attention::kRelu}};
  for (const auto& [name, attention] : attentions) {
    const auto kind = attention;
    benchmark::RegisterBenchmark(("reference/" + name).c_str(), [kind](benchmark::State& state) {
      reference(state, kind);
    })->UseRealTime();
    for (const std::int64_t target : train::kernel_targets()) {
      hwy::SetSupportedTargetsForTest(target);
      const std::string label = "train/" + name + "/" + train::kernel_target() + "/jobs:";
      hwy::SetSupportedTargetsForTest(0);
      for (const unsigned jobs : {1U, 2U}) {
        benchmark::RegisterBenchmark(
            (label + std::to_string(jobs)).c_str(),
            [kind, target, jobs](benchmark::State& state) { fast(state, kind, target, jobs); })
            ->UseRealTime();
      }
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (json) {
    benchmark::RunSpecifiedBenchmarks();
    return 0;
  }
  Remember reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  for (const auto& [name, attention] : attentions) print_ratios(reporter.steps_per_second, name);
  return 0;
}
