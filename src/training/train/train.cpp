#include "train/train.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "train/general_kernels.hpp"
#include "train/gradient.hpp"
#include "train/kernels.hpp"
#include "train/parameters.hpp"
#include "train/state.hpp"

namespace sinkproof::train {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.95;
constexpr double kEpsilon = 1e-8;

template <typename T>
std::optional<exact::Error> outside(const char* name, T value, T least, T most) {
  if (value >= least && value <= most) return std::nullopt;
  return exact::Error{"SP1001", name, fmt::format("{} must be from {} to {}", value, least, most)};
}

std::optional<exact::Error> not_a_size(const char* name, double value, bool zero_allowed) {
  if (std::isfinite(value) && (value > 0 || (zero_allowed && value == 0))) return std::nullopt;
  return exact::Error{
      "SP1001", name,
      fmt::format("{} must be a finite number {} 0", value, zero_allowed ? ">=" : ">")};
}

std::optional<exact::Error> not_below(const char* name, double value, double limit) {
  if (value < limit) return std::nullopt;
  return exact::Error{"SP1001", name, fmt::format("{} must be below {}", value, limit)};
}

exact::Result<void> check(const Options& options) {
  constexpr std::uint64_t kMost = UINT64_MAX;
  const Shape& shape = options.shape;
  const std::size_t stacked = shape.layers == 1 ? 0 : shape.layers;
  for (const auto& error :
       {outside<std::uint64_t>("d_model", shape.d_model, 4, 512),
        outside<std::uint64_t>("heads", shape.heads, 1, 16),
        outside<std::uint64_t>("layers", shape.layers, 1, kMostLayers),
        outside<std::uint64_t>("heads times d_model", shape.heads * shape.d_model, 4, 1024),
        outside<std::uint64_t>("layers times heads times d_model^2",
                               shape.layers * shape.heads * shape.d_model * shape.d_model, 16,
                               1U << 19U),
        outside<std::uint64_t>("length", shape.length, 3, 1024),
        outside<std::uint64_t>("of several layers layers times heads times length^2",
                               stacked * shape.heads * shape.length * shape.length, 0, 1U << 20U),
        outside<std::uint64_t>("batch", options.batch, 1, 65536),
        outside<std::uint64_t>("jobs", options.jobs, 1, 256),
        outside<std::uint64_t>("steps", options.max_steps, 1, kMost),
        outside<std::uint64_t>("checkpoint_every", options.checkpoint_every, 1, kMost),
        outside<std::uint64_t>("progress_every", options.progress_every, 1, kMost),
        not_a_size("lr", options.lr, false), not_a_size("stop_linf", options.stop_linf, true),
        not_a_size("weight_decay", options.weight_decay, true),
        not_below("lr times weight_decay", options.lr * options.weight_decay, 1),
        not_a_size("bos_penalty", options.bos_penalty, true),
        not_a_size("initial_deviation", options.initial_deviation, true)}) {
    if (error) return tl::unexpected(*error);
  }
  if (options.output.empty()) {
    if (options.resume)
      return exact::fail("SP1001", "resume", "needs an output file; give --output");
    return {};
  }
  const auto folder = options.output.has_parent_path() ? options.output.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return exact::fail("SP1006", folder.string(), "is not a folder; create it first");
  }
  return {};
}

// One run from its state to its end.
class Run {
 public:
  Run(const Options& options, State state)
      : options_(options),
        state_(std::move(state)),
        start_(std::chrono::steady_clock::now()),
        first_step_(state_.steps),
        gradient_(loss_gradient(options.shape, options.batch, options.jobs, options.bos_penalty)) {}

  exact::Result<Result> finish() {
    for (;; update()) {
      bool every_row = state_.steps >= options_.max_steps || progress_due();
      Evaluation now = evaluate(every_row);
      if (!every_row && (now.linf_at_least < options_.stop_linf || interrupted() || save_due())) {
        now = evaluate(true);
      }
      if (!std::isfinite(now.loss)) return diverged(now.loss);
      if (now.linf_exact && now.linf_at_least < options_.stop_linf) {
        return end(Outcome::kConverged, now);
      }
      if (state_.steps >= options_.max_steps) return end(Outcome::kStepLimit, now);
      if (now.linf_exact && interrupted()) return end(Outcome::kInterrupted, now);
      if (progress_due()) report(now);
      if (now.linf_exact && save_due()) {
        if (auto saved = save(now); !saved) return tl::unexpected(saved.error());
      }
    }
  }

 private:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  [[nodiscard]] bool interrupted() const {
    return options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool progress_due() const {
    return options_.progress && state_.steps % options_.progress_every == 0;
  }
  [[nodiscard]] bool save_due() const {
    return !options_.output.empty() && state_.steps > first_step_ &&
           state_.steps % options_.checkpoint_every == 0;
  }

  Evaluation evaluate(bool every_row) {
    return gradient_->evaluate(state_.weights.data(), {options_.seed, state_.steps}, every_row);
  }

  void update() {
    ++state_.steps;
    const auto power = static_cast<double>(state_.steps);
    const AdamFactors factors{static_cast<float>(options_.lr / (1.0 - std::pow(kBeta1, power))),
                              static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(kBeta2, power))),
                              static_cast<float>(kBeta1),
                              static_cast<float>(kBeta2),
                              static_cast<float>(kEpsilon),
                              static_cast<float>(1.0 - options_.lr * options_.weight_decay)};
    adam_update(factors, state_.weights.size(), gradient_->gradient(), state_.first.data(),
                state_.second.data(), state_.weights.data());
  }

  void report(const Evaluation& now) const {
    const double elapsed = seconds();
    const auto made = static_cast<double>(state_.steps - first_step_);
    const auto left = static_cast<double>(options_.max_steps - state_.steps);
    options_.progress({state_.steps, now.loss, now.linf_at_least, elapsed,
                       made > 0 ? elapsed / made * left : 0.0});
  }

  [[nodiscard]] exact::Result<Result> diverged(double loss) const {
    return exact::fail("SP1002", fmt::format("step {}", state_.steps),
                       fmt::format("the loss became {}; give a smaller --lr (now {}). The files "
                                   "hold the last good checkpoint",
                                   loss, options_.lr));
  }

  exact::Result<void> save(const Evaluation& now) const {
    if (auto written = write_sidecar(options_, state_); !written) return written;
    return write_checkpoint(options_, state_, now.linf_at_least);
  }

  exact::Result<void> write_end(Outcome outcome, const Evaluation& now) const {
    if (options_.output.empty()) return {};
    if (outcome == Outcome::kInterrupted) return save(now);
    if (auto written = write_checkpoint(options_, state_, now.linf_at_least); !written) {
      return written;
    }
    return remove_sidecar(options_);
  }

  [[nodiscard]] exact::Result<Result> end(Outcome outcome, const Evaluation& now) const {
    if (auto written = write_end(outcome, now); !written) return tl::unexpected(written.error());
    Result result{outcome,         state_.steps, now.loss, now.linf_at_least,
                  kernel_target(), seconds(),    {}};
    for (const Parameter& parameter : parameters(options_.shape)) {
      result.tensors[parameter.name] = dense(parameter, state_.weights);
    }
    return result;
  }

  const Options& options_;
  State state_;
  std::chrono::steady_clock::time_point start_;
  std::uint64_t first_step_;
  std::unique_ptr<LossGradient> gradient_;
};

}  // namespace

exact::Result<Result> train(const Options& options) {
  if (auto checked = check(options); !checked) return tl::unexpected(checked.error());
  if (!options.resume) return Run(options, initial_state(options)).finish();
  auto state = read_sidecar(options);
  if (!state) return tl::unexpected(state.error());
  return Run(options, std::move(*state)).finish();
}

}  // namespace sinkproof::train
