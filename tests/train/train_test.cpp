#include "train/train.hpp"

#include <fcntl.h>
#include <hwy/targets.h>
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "certificate/sha256.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "output/safetensors.hpp"
#include "output/temporary_folder.hpp"
#include "reference_weights.hpp"
#include "safetensors/safetensors.hpp"
#include "stack_reference.hpp"
#include "train/interrupt.hpp"
#include "train/kernels.hpp"
#include "train/parameters.hpp"
#include "train/state.hpp"

namespace sinkproof::train {
namespace {

class Folder : public output::TemporaryFolder {
 public:
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      count += entry.exists() ? 1 : 0;
    }
    return count;
  }
};

std::string bytes_of(const std::filesystem::path& path) {
  auto bytes = file::read(path);
  REQUIRE(bytes);
  return *bytes;
}

Options small_run(Attention attention) {
  Options options;
  options.shape = {attention, 6, 5};
  options.max_steps = 300;
  options.stop_linf = 0;
  options.batch = 70;
  options.seed = 12345678901234ULL;
  return options;
}

// The checkpoint a run left, which holds the weights of its result and nothing else.
safetensors::Contents checkpoint_of(const Options& options) {
  const auto result = train(options);
  REQUIRE(result);
  auto contents = safetensors::read(options.output);
  REQUIRE(contents);
  REQUIRE(contents->tensors.size() == result->tensors.size());
  for (const auto& [name, tensor] : contents->tensors) {
    INFO(name);
    REQUIRE(tensor.dtype_name == "F32");
    REQUIRE(*output::float32_values(tensor, name) == result->tensors.at(name));
  }
  return *contents;
}

std::string code_of(const Options& options) {
  const auto result = train(options);
  return result ? "success" : result.error().code;
}

}  // namespace

TEST_CASE("training converges, and the reference finds the L-inf error it reports") {
  const auto attention = GENERATE(from_range(every_attention()));
  INFO(certificate::to_string(attention));
  Options options;
  options.shape = {attention, 6, 6};
  const auto result = train(options);
  REQUIRE(result);
  REQUIRE(result->outcome == Outcome::kConverged);
  REQUIRE(result->linf < options.stop_linf);
  REQUIRE(result->steps > 100);
  REQUIRE(result->target == kernel_target());
  const auto weights = reference_weights(options.shape, result->tensors);
  const auto same = reference::batch_gradient(options.shape, weights, {options.seed, result->steps},
                                              options.batch);
  REQUIRE(result->linf == Approx(same.linf).margin(1e-5));
  REQUIRE(result->loss == Approx(same.loss).epsilon(1e-2));
  const auto fresh = reference::batch_gradient(options.shape, weights, {99, 0}, 1000);
  REQUIRE(fresh.linf < 0.05);
}

TEST_CASE("every kind trains in residual stacks, and the reference finds the errors reported") {
  const auto attention = GENERATE(from_range(every_attention()));
  INFO(certificate::to_string(attention));
  Options options;
  options.shape = {attention, 6, 6, 2, false, 2, true};
  options.max_steps = 4000;
  const auto result = train(options);
  REQUIRE(result);
  REQUIRE(result->steps > 100);
  REQUIRE(result->linf < 0.02);  // ReLU and linear need longer to the stop criterion
  const auto weights = reference_weights(options.shape, result->tensors);
  const auto same = reference::batch_gradient(options.shape, weights, {options.seed, result->steps},
                                              options.batch);
  REQUIRE(result->linf == Approx(same.linf).margin(1e-5));
  REQUIRE(result->loss == Approx(same.loss).epsilon(1e-2));
  const auto fresh = reference::batch_gradient(options.shape, weights, {99, 0}, 1000);
  REQUIRE(fresh.linf < 0.06);
}

TEST_CASE("two residual layers of two heads reach the stop criterion at their usual pace",
          "[seconds][slow]") {
  const auto attention = GENERATE(Attention::kSoftmax, Attention::kRelu);
  INFO(certificate::to_string(attention));
  Options options;
  options.shape = {attention, 16, 16, 2, false, 2, true};
  options.lr = usual_pace(options.shape).lr;
  options.max_steps = 30000;  // PyTorch's runs of tests/checkpoints took 15071 and 13112
  const auto result = train(options);
  REQUIRE(result);
  REQUIRE(result->outcome == Outcome::kConverged);
  const auto weights = reference_weights(options.shape, result->tensors);
  REQUIRE(reference::batch_gradient(options.shape, weights, {99, 0}, 500).linf < 0.02);
}

TEST_CASE("step after step, training is the reference's gradient and Adam") {
  const auto attention = GENERATE(from_range(every_attention()));
  const auto heads = GENERATE(std::size_t{1}, std::size_t{3});
  const bool bias = GENERATE(false, true);
  const auto layers = GENERATE(std::size_t{1}, std::size_t{2});
  INFO(certificate::to_string(attention)
       << ", heads " << heads << ", bias " << bias << ", layers " << layers);
  const certificate::AttentionKind& kind = certificate::kind_of(attention);
  Options options = small_run(attention);
  options.shape.heads = heads;
  options.shape.bias = bias;
  options.shape.layers = layers;
  options.shape.residual = layers > 1;
  options.max_steps = 12;
  options.initial_deviation = 0.3;
  options.lr = 2e-3;
  if (GENERATE(false, true)) {
    options.weight_decay = 20;
    options.bos_penalty = 0.5;
  }
  const bool plain = (attention == Attention::kSoftmax || attention == Attention::kRelu) &&
                     heads == 1 && !bias && layers == 1 && options.bos_penalty == 0;
  const State start = initial_state(options);
  std::map<std::string, std::vector<float>> tensors;
  for (const Parameter& parameter : parameters(options.shape)) {
    tensors[parameter.name] = dense(parameter, start.weights);
  }
  auto weights = reference_weights(options.shape, tensors);
  auto first = reference_weights(options.shape, tensors);
  for (const auto& [name, values] : named(first)) std::fill(values->begin(), values->end(), 0.0);
  auto second = first;
  const reference::AdamRate rate{options.lr, 0.9, 0.95, 1e-8, options.weight_decay};
  for (std::uint64_t step = 0; step < options.max_steps; ++step) {
    auto now = reference::batch_gradient(options.shape, weights, {options.seed, step},
                                         options.batch, options.bos_penalty);
    for (const auto& [name, values] : named(weights)) {
      reference::adam(rate, step + 1, *named(now.gradient).at(name), *named(first).at(name),
                      *named(second).at(name), *values);
    }
  }
  const auto result = train(options);
  REQUIRE(result);
  REQUIRE(result->tensors.size() == parameters(options.shape).size());
  for (const auto& [name, expected] : named(weights)) {
    INFO(name);
    const std::vector<float>& found = result->tensors.at(name);
    REQUIRE(found.size() == expected->size());
    double moved = 0;
    double deviation = 0;
    double moved_squares = 0;
    double deviation_squares = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
      const double before = tensors.at(name)[at];
      moved = std::max(moved, std::abs(found[at] - before));
      deviation = std::max(deviation, std::abs(found[at] - (*expected)[at]));
      moved_squares += std::pow(found[at] - before, 2);
      deviation_squares += std::pow(found[at] - (*expected)[at], 2);
    }
    if (name.ends_with("W_K.bias") && kind.is_relative() && !kind.null_slot) {
      REQUIRE(moved < 2e-3);  // its gradient is zero: softmax does not see it
      continue;
    }
    REQUIRE(moved > 2e-3);
    if (plain) {
      REQUIRE(deviation < 2e-5);
    } else {
      // Adam makes a whole step of any gradient, also of one that is little more than rounding: a
      // few entries may differ by that, the whole must not.
      REQUIRE(deviation_squares < 1e-4 * moved_squares);
    }
  }
}

TEST_CASE("initial weights are normal with the deviation asked, biases zero; seeds differ") {
  Options options;
  options.shape.attention = Attention::kSoftmaxGated;
  options.shape.d_model = 65;
  options.shape.bias = true;
  options.initial_deviation = 0.5;
  const State state = initial_state(options);
  std::size_t drawn = 0;
  std::size_t zeros = 0;
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  std::set<float> distinct;
  for (const Parameter& parameter : parameters(options.shape)) {
    for (const float w : dense(parameter, state.weights)) {
      if (parameter.bias) {
        REQUIRE(w == 0);
        ++zeros;
        continue;
      }
      const double z = w / 0.5;
      sum += z;
      squares += z * z;
      fourths += z * z * z * z;
      distinct.insert(w);
      ++drawn;
    }
  }
  REQUIRE(drawn == 4 * 65 * 65 + 65);
  REQUIRE(zeros == 4 * 65 + 1);
  const auto count = static_cast<double>(drawn);
  // Four standard deviations of each mean.
  REQUIRE(std::abs(sum / count) < 4 * std::sqrt(1 / count));
  REQUIRE(std::abs(squares / count - 1) < 4 * std::sqrt(2 / count));
  REQUIRE(std::abs(fourths / count - 3) < 4 * std::sqrt(96 / count));
  REQUIRE(static_cast<double>(distinct.size()) > 0.999 * count);
  options.seed = 1;
  REQUIRE(initial_state(options).weights.data()[0] != state.weights.data()[0]);
}

TEST_CASE("given weights are started from, with the deviation asked added, biases as they are") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmax);
  options.shape.heads = 2;
  options.shape.bias = true;
  options.output = folder / "given";
  REQUIRE(train(options));
  const auto initial = read_initial(options.output, options.shape);
  REQUIRE(initial);
  REQUIRE(initial->sha256 == certificate::sha256_hex(bytes_of(options.output)));
  Options next = options;
  next.initial_deviation = 0.25;
  const State noise = initial_state(next);
  next.initial = *initial;
  const State state = initial_state(next);
  for (const Parameter& parameter : parameters(options.shape)) {
    INFO(parameter.name);
    const std::vector<float> given = initial->tensors.at(parameter.name);
    const std::vector<float> drawn = dense(parameter, noise.weights);
    const std::vector<float> found = dense(parameter, state.weights);
    REQUIRE(*std::max_element(given.begin(), given.end()) > 0);
    for (std::size_t at = 0; at < found.size(); ++at) {
      REQUIRE(found[at] == Approx(given[at] + drawn[at]).margin(1e-6));
    }
  }
  next.output = folder / "next";
  next.max_steps = 1;
  REQUIRE(train(next));
  const auto said = safetensors::read(next.output)->metadata;
  REQUIRE(said.at("initial") == initial->sha256);
  REQUIRE(said.at("initial_deviation") == "0.25");

  const auto refused = [&](auto change) {
    auto contents = *safetensors::read(options.output);
    Shape shape = options.shape;
    change(contents, shape);
    REQUIRE(output::write(folder / "changed", contents));
    const auto read = read_initial(folder / "changed", shape);
    return read ? "success" : read.error().code;
  };
  using safetensors::Contents;
  REQUIRE(refused([](Contents&, Shape&) {}) == "success");
  REQUIRE(refused([](Contents&, Shape& s) { s.heads = 1; }) == "SP1008");
  REQUIRE(refused([](Contents&, Shape& s) { s.layers = 2; }) == "SP1008");
  REQUIRE(refused([](Contents&, Shape& s) { s.bias = false; }) == "SP1008");
  REQUIRE(refused([](Contents& c, Shape&) { c.tensors.erase("W_O.bias"); }) == "SP1008");
  const double large = 1e300;
  std::string bytes(8 * 6, '\0');
  std::memcpy(bytes.data(), &large, sizeof large);
  REQUIRE(refused([&](Contents& c, Shape&) {
            c.tensors["W_O.bias"] = {safetensors::Dtype::kF64, "F64", {6}, bytes};
          }) == "SP1008");
  REQUIRE(read_initial(folder / "absent", options.shape).error().code.starts_with("SP02"));
}

TEST_CASE("the checkpoint says what the run was and holds its weights") {
  const Folder folder;
  Options options = small_run(Attention::kRelu);
  options.max_steps = 7;
  options.output = folder / "m.safetensors";
  const auto result = train(options);
  REQUIRE(result);
  REQUIRE(result->outcome == Outcome::kStepLimit);
  REQUIRE(folder.files() == 1);
  const auto contents = safetensors::read(options.output);
  REQUIRE(contents);
  const std::map<std::string, std::string> expected = {
      {"attention", "relu"},
      {"d_model", "6"},
      {"num_heads", "1"},
      {"num_layers", "1"},
      {"seq_len", "5"},
      {"residual", "false"},
      {"lr", "0.001"},
      {"steps", "7"},
      {"seed", "12345678901234"},
      {"target", kernel_target()},
      {"final_batch_linf", contents->metadata.at("final_batch_linf")}};
  REQUIRE(contents->metadata == expected);
  REQUIRE(std::stof(expected.at("final_batch_linf")) == static_cast<float>(result->linf));
  REQUIRE(contents->tensors.size() == 4);
  const auto held = [&](const char* name) {
    REQUIRE(contents->tensors.at(name).shape == std::vector<std::uint64_t>{6, 6});
    return *output::float32_values(contents->tensors.at(name), name);
  };
  for (const char* const name : {"W_Q.weight", "W_K.weight", "W_V.weight", "W_O.weight"}) {
    REQUIRE(held(name) == result->tensors.at(name));
  }
  REQUIRE(held("W_Q.weight") != held("W_K.weight"));
}

TEST_CASE("a checkpoint of several gated heads with biases has PyTorch's names and shapes") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmaxGated);
  options.shape.heads = 3;
  options.shape.bias = true;
  options.weight_decay = 0.5;
  options.max_steps = 7;
  options.output = folder / "m.safetensors";
  const safetensors::Contents contents = checkpoint_of(options);
  REQUIRE(contents.metadata.at("attention") == "softmax-gated");
  REQUIRE(contents.metadata.at("num_heads") == "3");
  REQUIRE(contents.metadata.at("num_layers") == "1");
  REQUIRE(contents.metadata.at("residual") == "false");
  REQUIRE(contents.metadata.at("weight_decay") == "0.5");
  using Sizes = std::vector<std::uint64_t>;
  const std::map<std::string, Sizes> expected = {{"W_Q.weight", {18, 6}}, {"W_K.weight", {18, 6}},
                                                 {"W_V.weight", {18, 6}}, {"W_O.weight", {6, 18}},
                                                 {"W_Q.bias", {18}},      {"W_K.bias", {18}},
                                                 {"W_V.bias", {18}},      {"W_O.bias", {6}},
                                                 {"W_G.weight", {3, 6}},  {"W_G.bias", {3}}};
  REQUIRE(contents.tensors.size() == expected.size());
  for (const auto& [name, sizes] : expected) {
    INFO(name);
    REQUIRE(contents.tensors.at(name).shape == sizes);
  }
}

TEST_CASE("a stack's checkpoint has the names of its layers and says that it is one") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmax);
  options.shape.layers = 3;
  options.shape.residual = true;
  options.max_steps = 7;
  options.output = folder / "m.safetensors";
  const safetensors::Contents contents = checkpoint_of(options);
  REQUIRE(contents.metadata.at("num_layers") == "3");
  REQUIRE(contents.metadata.at("residual") == "true");
  REQUIRE(contents.tensors.size() == 12);
  std::set<std::vector<float>> different;
  for (const std::string layer : {"0", "1", "2"}) {
    for (const std::string map : {"W_Q", "W_K", "W_V", "W_O"}) {
      const std::string name = "layers." + layer + "." + map + ".weight";
      INFO(name);
      const auto& tensor = contents.tensors.at(name);
      REQUIRE(tensor.shape == std::vector<std::uint64_t>{6, 6});
      different.insert(*output::float32_values(tensor, name));
    }
  }
  REQUIRE(different.size() == 12);
}

TEST_CASE("a whole run has the same bytes for any number of jobs, other bytes for another seed") {
  const Folder folder;
  Options options = small_run(GENERATE(from_range(every_attention())));
  const auto [heads, layers] = GENERATE(table<std::size_t, std::size_t>({{1, 1}, {2, 1}, {2, 2}}));
  options.shape.heads = heads;
  options.shape.bias = heads == 2;
  options.shape.layers = layers;
  options.shape.residual = layers == 2;
  options.bos_penalty = layers == 2 ? 0.1 : 0;
  options.max_steps = 100;
  std::vector<std::string> bytes;
  for (const unsigned jobs : {1U, 2U, 3U}) {
    options.jobs = jobs;
    options.output = folder / std::to_string(jobs);
    REQUIRE(train(options));
    bytes.push_back(bytes_of(options.output));
  }
  REQUIRE(bytes[0] == bytes[1]);
  REQUIRE(bytes[0] == bytes[2]);
  options.seed += 1;
  REQUIRE(train(options));
  REQUIRE(bytes_of(options.output) != bytes[0]);
}

TEST_CASE("progress reports and checkpoints on the way change nothing") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmax);
  options.output = folder / "plain";
  REQUIRE(train(options));
  const std::string plain = bytes_of(options.output);
  std::vector<std::uint64_t> steps;
  options.progress_every = 60;
  options.checkpoint_every = 50;
  options.output = folder / "reporting";
  options.progress = [&](const Progress& now) {
    steps.push_back(now.step);
    REQUIRE(std::isfinite(now.loss));
    REQUIRE(now.linf * now.linf >= now.loss);
    REQUIRE(now.seconds >= 0);
    REQUIRE(now.seconds_left >= 0);
  };
  REQUIRE(train(options));
  REQUIRE(bytes_of(options.output) == plain);
  REQUIRE(steps == std::vector<std::uint64_t>{0, 60, 120, 180, 240});
}

TEST_CASE("an interrupted run resumes to the bytes of an uninterrupted one") {
  const Folder folder;
  Options options = small_run(GENERATE(from_range(every_attention())));
  const auto [heads, layers] = GENERATE(table<std::size_t, std::size_t>({{1, 1}, {2, 1}, {2, 2}}));
  options.shape.heads = heads;
  options.shape.bias = heads == 2;
  options.shape.layers = layers;
  options.shape.residual = layers == 2;
  if (options.shape.bias) {
    options.weight_decay = 0.1;
    options.bos_penalty = 0.01;
  }
  options.output = folder / "whole";
  REQUIRE(train(options));
  const std::string whole = bytes_of(options.output);

  options.output = folder / "parts";
  std::atomic<bool> interrupted{false};
  std::uint64_t stop_at = 90;
  options.interrupted = &interrupted;
  options.progress_every = 1;
  options.progress = [&](const Progress& now) { interrupted = now.step >= stop_at; };
  for (const std::uint64_t at : {90U, 91U, 250U}) {
    stop_at = at;
    interrupted = false;
    options.jobs = at == 91 ? 3 : 1;
    const auto part = train(options);
    REQUIRE(part);
    REQUIRE(part->outcome == Outcome::kInterrupted);
    REQUIRE(part->steps == at + 1);
    REQUIRE(std::filesystem::exists(resume_path(options.output)));
    REQUIRE(safetensors::read(options.output)->metadata.at("steps") == std::to_string(at + 1));
    REQUIRE(bytes_of(options.output) != whole);
    options.resume = true;
  }
  stop_at = 1000;
  interrupted = false;
  const auto rest = train(options);
  REQUIRE(rest);
  REQUIRE(rest->steps == 300);
  REQUIRE(bytes_of(options.output) == whole);
  REQUIRE_FALSE(std::filesystem::exists(resume_path(options.output)));
  REQUIRE(code_of(options) == "SP1003");
}

TEST_CASE("a run that died resumes from its last periodic checkpoint to the same bytes") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmax);
  options.output = folder / "whole";
  REQUIRE(train(options));
  const std::string whole = bytes_of(options.output);
  options.output = folder / "dies";
  options.checkpoint_every = 50;
  options.progress_every = 120;
  options.progress = [](const Progress& now) {
    if (now.step == 120) throw std::runtime_error("died");
  };
  REQUIRE_THROWS_AS(train(options), std::runtime_error);
  REQUIRE(safetensors::read(options.output)->metadata.at("steps") == "100");
  options.progress = nullptr;
  options.resume = true;
  REQUIRE(train(options));
  REQUIRE(bytes_of(options.output) == whole);
}

TEST_CASE("SIGTERM and SIGINT end a run with its state saved, and the old handlers come back") {
  const Folder folder;
  const int signal = GENERATE(SIGTERM, SIGINT);
  Options options = small_run(Attention::kRelu);
  options.output = folder / "m";
  options.progress_every = 10;
  options.progress = [signal](const Progress& now) {
    if (now.step == 20) std::raise(signal);
  };
  options.interrupted = &InterruptFlag::flag();
  struct sigaction before = {};
  struct sigaction after = {};
  sigaction(signal, nullptr, &before);
  {
    const InterruptFlag guard;
    const auto result = train(options);
    REQUIRE(result);
    REQUIRE(result->outcome == Outcome::kInterrupted);
    REQUIRE(result->steps == 21);
    // A second signal would end the program: the handler is gone.
    sigaction(signal, nullptr, &after);
    REQUIRE(after.sa_handler == SIG_DFL);
  }
  sigaction(signal, nullptr, &after);
  REQUIRE(before.sa_handler == after.sa_handler);
  REQUIRE(folder.files() == 2);
  const InterruptFlag again;
  REQUIRE_FALSE(InterruptFlag::flag().load());
}

TEST_CASE("options outside their limits are refused with SP1001") {
  const Options good = small_run(Attention::kSoftmax);
  const auto refused = [&](auto change) {
    Options options = good;
    change(options);
    return code_of(options) == "SP1001";
  };
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  REQUIRE(refused([](Options& o) { o.shape.d_model = 3; }));
  REQUIRE(refused([](Options& o) { o.shape.d_model = 513; }));
  REQUIRE(refused([](Options& o) { o.shape.length = 2; }));
  REQUIRE(refused([](Options& o) { o.shape.length = 1025; }));
  REQUIRE(refused([](Options& o) { o.batch = 0; }));
  REQUIRE(refused([](Options& o) { o.batch = 65537; }));
  REQUIRE(refused([](Options& o) { o.jobs = 0; }));
  REQUIRE(refused([](Options& o) { o.jobs = 257; }));
  REQUIRE(refused([](Options& o) { o.max_steps = 0; }));
  REQUIRE(refused([](Options& o) { o.checkpoint_every = 0; }));
  REQUIRE(refused([](Options& o) { o.progress_every = 0; }));
  REQUIRE(refused([](Options& o) { o.lr = 0; }));
  REQUIRE(refused([](Options& o) { o.lr = kNaN; }));
  REQUIRE(refused([](Options& o) { o.lr = std::numeric_limits<double>::infinity(); }));
  REQUIRE(refused([](Options& o) { o.stop_linf = -1; }));
  REQUIRE(refused([](Options& o) { o.stop_linf = kNaN; }));
  REQUIRE(refused([](Options& o) { o.initial_deviation = -0.1; }));
  REQUIRE(refused([](Options& o) { o.resume = true; }));
  REQUIRE(refused([](Options& o) { o.shape.heads = 0; }));
  REQUIRE(refused([](Options& o) { o.shape.heads = 17; }));
  REQUIRE(refused([](Options& o) {
    o.shape.heads = 3;
    o.shape.d_model = 342;
  }));
  REQUIRE(refused([](Options& o) { o.shape.layers = 0; }));
  REQUIRE(refused([](Options& o) { o.shape.layers = 9; }));
  REQUIRE(refused([](Options& o) {
    o.shape.layers = 3;
    o.shape.d_model = 419;
  }));
  REQUIRE(refused([](Options& o) {
    o.shape.layers = 2;
    o.shape.length = 725;
  }));
  REQUIRE(refused([](Options& o) { o.weight_decay = -0.1; }));
  REQUIRE(refused([](Options& o) { o.bos_penalty = -0.1; }));
  REQUIRE(refused([](Options& o) { o.bos_penalty = kNaN; }));
  REQUIRE(refused([](Options& o) { o.weight_decay = kNaN; }));
  REQUIRE(refused([](Options& o) { o.weight_decay = 1.0 / o.lr; }));
  REQUIRE(code_of(good) == "success");
  Options nowhere = good;
  nowhere.output = "no-such-folder/m.safetensors";
  REQUIRE(code_of(nowhere) == "SP1006");
}

TEST_CASE("the smallest and odd sizes train") {
  for (const Attention attention : every_attention()) {
    for (const auto& [n, length] :
         {std::pair{4, 3}, std::pair{5, 4}, std::pair{17, 5}, std::pair{7, 34}}) {
      INFO(certificate::to_string(attention) << ", d_model " << n << ", length " << length);
      Options options;
      options.shape = {attention, static_cast<std::size_t>(n), static_cast<std::size_t>(length)};
      options.batch = 37;
      const bool plain = attention == Attention::kSoftmax || attention == Attention::kRelu;
      options.max_steps = plain ? 900 : 2500;
      const auto result = train(options);
      REQUIRE(result);
      double start = 0;
      options.max_steps = 1;
      options.progress = [&](const Progress& now) {
        if (now.step == 0) start = now.loss;
      };
      REQUIRE(train(options));
      REQUIRE(start > 0);
      REQUIRE(result->loss < start / 3);
    }
  }
}

TEST_CASE("a loss that is not finite is SP1002 and the last good checkpoint stays") {
  const Folder folder;
  Options options = small_run(GENERATE(from_range(every_attention())));
  INFO(certificate::to_string(options.shape.attention));
  options.output = folder / "m";
  options.checkpoint_every = 10;
  options.max_steps = 15;
  REQUIRE(train(options));
  const std::string good = bytes_of(options.output);
  options.lr = 1e30;
  REQUIRE(code_of(options) == "SP1002");
  REQUIRE(bytes_of(options.output) == good);
  REQUIRE(folder.files() == 1);
  options.lr = 1e-3;
  options.initial_deviation = 1e25;
  REQUIRE(code_of(options) == "SP1002");
  REQUIRE(bytes_of(options.output) == good);
}

TEST_CASE("a write that fails half-way leaves the old checkpoint and no debris") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmax);
  options.max_steps = 3;
  options.output = folder / "m";
  REQUIRE(train(options));
  const std::string old = bytes_of(options.output);
  struct rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  struct sigaction ignore = {};
  struct sigaction kept = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &kept);
  struct rlimit tiny = before;
  tiny.rlim_cur = 600;  // bytes: the header gets out, the weights do not
  REQUIRE(setrlimit(RLIMIT_FSIZE, &tiny) == 0);
  options.seed += 1;
  const std::string code = code_of(options);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  sigaction(SIGXFSZ, &kept, nullptr);
  REQUIRE(code == "SP0203");
  REQUIRE(bytes_of(options.output) == old);
  REQUIRE(folder.files() == 1);
}

TEST_CASE("resuming refuses another run's state and a damaged one") {
  const Folder folder;
  Options options = small_run(Attention::kSoftmax);
  options.output = folder / "m";
  options.resume = true;
  REQUIRE(code_of(options) == "SP1003");
  options.resume = false;
  std::atomic<bool> interrupted{true};
  options.interrupted = &interrupted;
  REQUIRE(train(options));
  options.interrupted = nullptr;
  options.resume = true;
  const std::filesystem::path sidecar = resume_path(options.output);
  const std::string good = bytes_of(sidecar);

  const auto other = [&](auto change) {
    Options changed = options;
    change(changed);
    return code_of(changed);
  };
  REQUIRE(other([](Options& o) { o.seed += 1; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.lr *= 2; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.batch += 1; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.d_model += 1; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.length += 1; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.attention = Attention::kRelu; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.initial_deviation = 0.03; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.weight_decay = 0.01; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.bos_penalty = 0.01; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.initial = Initial{std::string(64, 'a'), {}}; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.bias = true; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.heads = 2; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.layers = 2; }) == "SP1004");
  REQUIRE(other([](Options& o) { o.shape.residual = true; }) == "SP1004");
  const auto targets = kernel_targets();
  REQUIRE(targets.size() >= 2);
  hwy::SetSupportedTargetsForTest(targets.back());
  const std::string on_other_target = code_of(options);
  hwy::SetSupportedTargetsForTest(0);
  REQUIRE(on_other_target == "SP1004");

  const auto damaged = [&](auto change) {
    auto contents = *safetensors::parse(good, "good");
    change(contents);
    REQUIRE(output::write(sidecar, contents));
    return code_of(options);
  };
  using safetensors::Contents;
  REQUIRE(damaged([](Contents& c) { c.metadata["weight_decay"] = "0.1"; }) == "SP1004");
  REQUIRE(damaged([](Contents& c) { c.metadata["bos_penalty"] = "0.1"; }) == "SP1004");
  REQUIRE(damaged([](Contents& c) { c.metadata["bias"] = "true"; }) == "SP1004");
  REQUIRE(damaged([](Contents& c) { c.metadata.erase("steps"); }) == "SP1005");
  REQUIRE(damaged([](Contents& c) { c.metadata["steps"] = "12x"; }) == "SP1005");
  REQUIRE(damaged([](Contents& c) { c.metadata["steps"] = "-1"; }) == "SP1005");
  REQUIRE(damaged([](Contents& c) { c.metadata.erase("seed"); }) == "SP1005");
  REQUIRE(damaged([](Contents& c) { c.tensors.erase("adam.second.W_K.weight"); }) == "SP1005");
  REQUIRE(damaged([](Contents& c) { c.tensors["W_O.weight"].shape = {36}; }) == "SP1005");
  REQUIRE(damaged([](Contents& c) {
            auto& tensor = c.tensors["W_Q.weight"];
            tensor.dtype_name = "I32";
          }) == "SP1005");
  REQUIRE(damaged([](Contents& c) {
            std::vector<float> values(36, std::numeric_limits<float>::quiet_NaN());
            c.tensors["adam.first.W_V.weight"] = output::float32_tensor({6, 6}, values);
          }) == "SP1005");
  REQUIRE(output::replace(sidecar, good.substr(0, good.size() - 1)));
  REQUIRE(code_of(options) == "SP1005");
  REQUIRE(output::replace(sidecar, good));
  REQUIRE(code_of(options) == "success");
}

}  // namespace sinkproof::train
