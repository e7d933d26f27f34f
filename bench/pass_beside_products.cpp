// The forward pass in doubles (src/models/estimate) of a GPT-2 of 124 million random F32 weights
// beside OpenBLAS's own time for its matrix products, on doubles that are there already, in turns.
//   pass_beside_products [TOKENS [ROUNDS]]
// One thread and its own processor time on both sides, the best of all rounds.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "estimate/pass.hpp"
#include "estimate/tokens.hpp"
#include "language/config.hpp"
#include "language/model.hpp"

namespace {

namespace estimate = sinkproof::estimate;
namespace language = sinkproof::language;

constexpr std::size_t kWidth = 768;
constexpr std::size_t kLayers = 12;
constexpr std::size_t kVocabulary = 50257;
constexpr const char* kConfig =
    R"({"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,"layer_norm_epsilon":1e-5})";

// All tensors of a GPT-2, in one buffer of floats.
struct Weights {
  std::vector<float> values;
  language::Tensors tensors;
};

Weights random_weights() {
  std::vector<std::pair<std::string, std::vector<std::uint64_t>>> shapes = {
      {"wte.weight", {kVocabulary, kWidth}},
      {"wpe.weight", {1024, kWidth}},
      {"ln_f.weight", {kWidth}},
      {"ln_f.bias", {kWidth}}};
  for (std::size_t l = 0; l < kLayers; ++l) {
    const std::string at = "h." + std::to_string(l) + ".";
    for (const auto& [name, in, out] :
         {std::tuple("attn.c_attn", kWidth, 3 * kWidth), std::tuple("attn.c_proj", kWidth, kWidth),
          std::tuple("mlp.c_fc", kWidth, 4 * kWidth),
          std::tuple("mlp.c_proj", 4 * kWidth, kWidth)}) {
      shapes.push_back({at + name + ".weight", {in, out}});
      shapes.push_back({at + name + ".bias", {out}});
    }
    for (const char* name : {"ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"}) {
      shapes.push_back({at + name, {kWidth}});
    }
  }
  const auto size_of = [](const std::vector<std::uint64_t>& shape) {
    return shape.size() == 1 ? shape[0] : shape[0] * shape[1];
  };
  Weights weights;
  std::size_t count = 0;
  for (const auto& [name, shape] : shapes) count += size_of(shape);
  weights.values.resize(count);
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> uniform(-0.05F, 0.05F);
  for (float& value : weights.values) value = uniform(random);
  const auto* const bytes = reinterpret_cast<const char*>(weights.values.data());
  std::size_t start = 0;
  for (const auto& [name, shape] : shapes) {
    const std::size_t size = size_of(shape) * sizeof(float);
    weights.tensors[name] = {
        sinkproof::safetensors::Dtype::kF32, "F32", shape, {bytes + start, size}};
    start += size;
  }
  return weights;
}

// y [T, out] = x [T, in] W, with W [in, out] or [out, in].
struct Product {
  std::size_t in, out;
  bool in_first;
  std::vector<double> weights;
};

std::vector<Product> products_of(const language::Model& model) {
  std::vector<Product> all;
  const auto add = [&](const language::Map& map) {
    all.push_back({map.in, map.out, map.in_first, std::vector<double>(map.in * map.out, 0.01)});
  };
  for (const language::Layer& layer : model.layers) {
    for (const language::Map* map :
         {&layer.query, &layer.key, &layer.value, &layer.output, &*layer.mlp_in, &*layer.mlp_out}) {
      add(*map);
    }
  }
  add(*model.head);
  return all;
}

void multiply(const std::vector<Product>& products, std::size_t tokens,
              const std::vector<double>& x, std::vector<double>& y) {
  const auto rows = static_cast<blasint>(tokens);
  for (const Product& product : products) {
    const auto in = static_cast<blasint>(product.in);
    const auto out = static_cast<blasint>(product.out);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, product.in_first ? CblasNoTrans : CblasTrans, rows,
                out, in, 1, x.data(), in, product.weights.data(), product.in_first ? out : in, 0,
                y.data(), out);
  }
}

// Of attention: logits and outputs of every head.
void attend(const language::Config& config, std::size_t tokens, const std::vector<double>& x,
            std::vector<double>& y) {
  const auto rows = static_cast<blasint>(tokens);
  const auto width = static_cast<blasint>(config.head_width);
  const auto all = static_cast<blasint>(config.width);
  for (std::size_t h = 0; h < config.layers * config.heads; ++h) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, rows, width, 1, x.data(), all,
                x.data(), all, 0, y.data(), rows);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, width, rows, 1, x.data(), rows,
                x.data(), all, 0, y.data(), all);
  }
}

template <typename Work>
double seconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t tokens = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 64;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const Weights weights = random_weights();
  const auto config = language::read_config(kConfig, "config");
  const auto model = language::read_model(config, weights.tensors, "weights");
  const auto products = products_of(model);
  const std::vector<double> x(tokens * 4 * kWidth, 0.5);
  std::vector<double> y(tokens * kVocabulary);
  const auto ids = estimate::draw_tokens(0, tokens, 0, model.vocabulary());
  const estimate::Run run{ids, {}};
  estimate::Observer observer;
  double sum = 0;
  observer.logits = [&](std::size_t, const estimate::Rows& logits) { sum += logits.row(0)[0]; };
  double pass = 1e9;
  double alone = 1e9;
  for (int round = 0; round < rounds; ++round) {
    pass = std::min(pass, seconds([&] {
                      if (!estimate::pass(model, {&run, 1}, observer, 1)) std::exit(2);
                    }));
    alone = std::min(alone, seconds([&] {
                       multiply(products, tokens, x, y);
                       attend(model.config, tokens, x, y);
                     }));
  }
  fmt::print(
      "{} weights, {} tokens, one thread: pass {:.3f} s, its products alone {:.3f} s, ratio {:.2f} "
      "(sum {:.3g})\n",
      weights.values.size(), tokens, pass, alone, pass / alone, sum);
  return 0;
}
