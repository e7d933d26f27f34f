// Steps a second of the fast training paths, by kind of attention, instruction set and threads, and
// of the plain reference they are tested against. A step is data, loss, gradient and Adam. Prints
// the ratios at the end, and the share of the processor's peak (peak.hpp) that the matrix products
// of several heads are.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "peak.hpp"
#include "stack_reference.hpp"
#include "train/kernels.hpp"
#include "train/train.hpp"

namespace {

namespace certificate = sinkproof::certificate;
namespace train = sinkproof::train;

constexpr std::uint64_t kSteps = 200;  // a call
constexpr std::uint32_t kBatch = 128;

struct Case {
  std::string name;
  train::Shape shape;
};

// Every kind with one head; then what the general path adds, on softmax; then residual stacks.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const certificate::AttentionKind& kind : certificate::kAttentionKinds) {
    Case one{std::string(kind.name), {}};
    one.shape.attention = kind.attention;
    all.push_back(one);
  }
  Case biased{"softmax+bias", {}};
  biased.shape.bias = true;
  all.push_back(biased);
  Case two{"softmax+2heads", {}};
  two.shape.heads = 2;
  all.push_back(two);
  for (const auto attention : {train::Attention::kSoftmax, train::Attention::kRelu}) {
    for (const std::size_t size : {2U, 4U}) {
      Case stack{fmt::format("{}+{}layers+{}heads", certificate::to_string(attention), size, size),
                 {}};
      stack.shape.attention = attention;
      stack.shape.heads = stack.shape.layers = size;
      stack.shape.residual = true;
      all.push_back(stack);
    }
  }
  return all;
}

// Floating-point operations of a step in the matrix products of general_kernels.hpp, two a
// multiply-add, causal ones by the keys seen: no exponentials, folding, Adam or data.
double product_operations(const train::Shape& shape) {
  const auto n = static_cast<double>(shape.d_model);
  const auto rows = static_cast<double>(shape.length);
  const double square = rows * n * n;
  const double causal = rows * (rows + 1) / 2 * n;
  const double first =
      5 * square + 4 * causal;  // of a head's query, value, their d, their gradients
  const double later = 6 * square + 6 * causal;  // and d of its inputs
  return 2 * kBatch * static_cast<double>(shape.heads) *
         (first + static_cast<double>(shape.layers - 1) * later);
}

void peak(benchmark::State& state, std::int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  std::uint64_t operations = 0;
  while (state.KeepRunning()) operations += sinkproof::bench::fused_multiply_adds(100000);
  state.SetItemsProcessed(static_cast<std::int64_t>(operations));
  hwy::SetSupportedTargetsForTest(0);
}

void fast(benchmark::State& state, const train::Shape& shape, std::int64_t target, unsigned jobs) {
  hwy::SetSupportedTargetsForTest(target);
  train::Options options;
  options.shape = shape;
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

using Weights = train::reference::Weights<float>;
using Stack = train::reference::Stack<float>;

Stack filled(const train::Shape& shape, float diagonal, float elsewhere) {
  const std::size_t n = shape.d_model;
  const std::size_t wide = shape.heads * n;
  std::vector<float> matrix(wide * n);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = i % 17 == 0 ? diagonal : elsewhere;
  Weights weights{matrix, matrix, matrix, matrix};
  const certificate::AttentionKind& kind = certificate::kind_of(shape.attention);
  if (kind.sinks) weights.sinks.assign(shape.heads, elsewhere);
  if (kind.gated) {
    weights.gate.assign(wide, elsewhere);
    weights.gate_bias.assign(shape.heads, elsewhere);
  }
  if (shape.bias) {
    weights.query_bias = weights.key_bias = weights.value_bias = std::vector(wide, elsewhere);
    weights.output_bias.assign(n, elsewhere);
  }
  return Stack(shape.layers, weights);
}

void reference(benchmark::State& state, const train::Shape& shape) {
  Stack weights = filled(shape, 0.1F, 0.01F);
  Stack first = filled(shape, 0, 0);
  Stack second = first;
  const train::reference::AdamRate rate;
  std::uint64_t step = 0;
  while (state.KeepRunning()) {
    const auto result = train::reference::batch_gradient(shape, weights, {0, step++}, kBatch);
    for (std::size_t l = 0; l < shape.layers; ++l) {
      for (const auto member :
           {&Weights::query, &Weights::key, &Weights::value, &Weights::output, &Weights::query_bias,
            &Weights::key_bias, &Weights::value_bias, &Weights::output_bias, &Weights::gate,
            &Weights::gate_bias, &Weights::sinks}) {
        train::reference::adam(rate, step, result.gradient[l].*member, first[l].*member,
                               second[l].*member, weights[l].*member);
      }
    }
  }
  state.SetItemsProcessed(state.iterations());
}

// The usual console output, remembering the items a second of each benchmark.
class Remember : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto items = run.counters.find("items_per_second");
      if (items != run.counters.end()) {
        per_second[run.run_name.function_name] = items->second;
      }
    }
    ConsoleReporter::ReportRuns(runs);
  }
  std::map<std::string, double> per_second;
};

void print_ratios(const std::map<std::string, double>& per_second, const Case& one) {
  const auto slow = per_second.find("reference/" + one.name);
  for (const auto& [key, value] : per_second) {
    const std::string label = "train/" + one.name + "/";
    if (key.rfind(label, 0) != 0) continue;
    if (slow != per_second.end()) {
      fmt::print("{} = {:.1f} x reference/{}\n", key, value / slow->second, one.name);
    }
    const std::size_t jobs = key.find("/jobs:1");
    if (one.shape.heads == 1 || jobs == std::string::npos) continue;
    const auto most = per_second.find("peak/" + key.substr(label.size(), jobs - label.size()));
    if (most == per_second.end()) continue;
    fmt::print("{}: {:.0f} % of the peak\n", key,
               100 * value * product_operations(one.shape) / most->second);
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  for (int i = 1; i < argc; ++i) json = json || std::string(argv[i]) == "--benchmark_format=json";
  for (const std::int64_t target : train::kernel_targets()) {
    hwy::SetSupportedTargetsForTest(target);
    benchmark::RegisterBenchmark(("peak/" + train::kernel_target()).c_str(),
                                 [target](benchmark::State& state) { peak(state, target); });
    hwy::SetSupportedTargetsForTest(0);
  }
  const std::vector<Case> all = cases();
  for (const auto& [name, shape] : all) {
    const train::Shape sizes = shape;
    benchmark::RegisterBenchmark(("reference/" + name).c_str(),
                                 [sizes](benchmark::State& state) { reference(state, sizes); });
    for (const std::int64_t target : train::kernel_targets()) {
      hwy::SetSupportedTargetsForTest(target);
      const std::string label = "train/" + name + "/" + train::kernel_target() + "/jobs:";
      hwy::SetSupportedTargetsForTest(0);
      // One thread by its own time, whatever else the machine does; two by the clock.
      for (const unsigned jobs : {1U, 2U}) {
        auto* const one = benchmark::RegisterBenchmark(
            (label + std::to_string(jobs)).c_str(),
            [sizes, target, jobs](benchmark::State& state) { fast(state, sizes, target, jobs); });
        if (jobs > 1) one->UseRealTime();
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
  for (const Case& one : all) print_ratios(reporter.per_second, one);
  return 0;
}
