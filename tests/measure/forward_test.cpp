// The forward pass against the training's own reference, which shares no code with it, and by hand.
#include "measure/forward.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "files.hpp"
#include "rounded/double.hpp"
#include "stack_reference.hpp"

using namespace sinkproof;

namespace {

std::vector<double> random_values(std::mt19937_64& random, std::size_t count) {
  std::normal_distribution<double> normal(0, 0.6);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

std::vector<exact::Rational> exactly(const std::vector<double>& values) {
  std::vector<exact::Rational> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(rounded::from_double(value));
  return result;
}

measure::DyadicMatrix rows_of(std::size_t rows, std::size_t columns,
                              const std::vector<double>& values) {
  return measure::dyadic_matrix(rows, columns, exactly(values));
}

struct Pair {
  model::Layer layer;
  train::reference::Weights<double> weights;
};

Pair random_layer(std::mt19937_64& random, std::size_t n, std::size_t heads,
                  const certificate::AttentionKind& kind) {
  const std::size_t wide = n * heads;
  train::reference::Weights<double> w{
      random_values(random, wide * n), random_values(random, wide * n),
      random_values(random, wide * n), random_values(random, wide * n),
      random_values(random, wide),     random_values(random, wide),
      random_values(random, wide),     random_values(random, n)};
  model::Layer layer{{wide, n, exactly(w.query)}, {wide, n, exactly(w.key)},
                     {wide, n, exactly(w.value)}, {n, wide, exactly(w.output)},
                     exactly(w.query_bias),       exactly(w.key_bias),
                     exactly(w.value_bias),       exactly(w.output_bias)};
  if (kind.gated) {
    w.gate = random_values(random, heads * n);
    w.gate_bias = random_values(random, heads);
    layer.gate = {heads, n, exactly(w.gate)};
    layer.gate_bias = exactly(w.gate_bias);
  }
  if (kind.sinks) {
    w.sinks = random_values(random, heads);
    layer.sinks = exactly(w.sinks);
  }
  return {std::move(layer), std::move(w)};
}

model::AttentionModel model_of(model::Attention attention, std::size_t n, std::size_t heads,
                               std::vector<model::Layer> layers, bool residual) {
  model::AttentionModel model;
  model.attention = attention;
  model.d_model = n;
  model.num_heads = heads;
  model.residual = residual;
  model.layers = std::move(layers);
  return model;
}

}  // namespace

TEST_CASE("every kind of attention, two layers deep, is the reference's") {
  std::mt19937_64 random(31);
  constexpr std::size_t n = 5;
  constexpr std::size_t heads = 2;
  constexpr std::size_t length = 4;
  for (const auto attention : model::kAttentions) {
    train::Shape shape;
    shape.attention = attention;
    shape.d_model = n;
    shape.length = length;
    shape.heads = heads;
    const certificate::AttentionKind& kind = certificate::kind_of(attention);
    const Pair first = random_layer(random, n, heads, kind);
    const Pair second = random_layer(random, n, heads, kind);
    const auto model = model_of(attention, n, heads, {first.layer, second.layer}, true);
    std::vector<double> all = random_values(random, 2 * length * n);
    const auto states = measure::forward(model, rows_of(2 * length, n, all), length);
    REQUIRE(states);
    REQUIRE(states->size() == 3);
    for (std::size_t sequence = 0; sequence < 2; ++sequence) {
      std::vector<double> x(all.begin() + static_cast<long>(sequence * length * n),
                            all.begin() + static_cast<long>((sequence + 1) * length * n));
      std::size_t state = 1;
      for (const auto* weights : {&first.weights, &second.weights}) {
        const auto out = train::reference::forward(shape, *weights, x).out;
        for (std::size_t i = 0; i < x.size(); ++i) {
          x[i] += out[i];  // the residual connection
          const double found = (*states)[state](sequence * length + i / n, i % n);
          CHECK(found == Approx(x[i]).epsilon(1e-10).margin(1e-10));
        }
        ++state;
      }
    }
  }
}

TEST_CASE("uniform attention of identities is the prefix mean") {
  const exact::RationalMatrix zero(2, 2);
  const exact::RationalMatrix identity(2, 2, {1, 0, 0, 1});
  const model::Layer layer{zero, zero, identity, identity};
  const auto plain = model_of(model::Attention::kSoftmax, 2, 1, {layer}, false);
  const auto states = measure::forward(plain, rows_of(3, 2, {1, 0, 3, 0, 2, 6}), 3);
  REQUIRE(states);
  CHECK((*states)[1](0, 0) == Approx(1));
  CHECK((*states)[1](1, 0) == Approx(2));
  CHECK((*states)[1](2, 0) == Approx(2));
  CHECK((*states)[1](2, 1) == Approx(2));
}

TEST_CASE("rows that do not fit and rows that overflow have codes") {
  const exact::RationalMatrix huge(1, 1, {rounded::from_double(1e300)});
  const exact::RationalMatrix zero(1, 1);
  const auto model = model_of(model::Attention::kSoftmax, 1, 1, {{zero, zero, huge, huge}}, false);
  const auto overflow = measure::forward(model, rows_of(1, 1, {1}), 1);
  REQUIRE_FALSE(overflow);
  CHECK(overflow.error().code == "SP1510");
  const auto wide = measure::forward(model, rows_of(1, 2, {1, 1}), 1);
  REQUIRE_FALSE(wide);
  CHECK(wide.error().code == "SP1505");
}

TEST_CASE("stored layer inputs read back as the doubles they are") {
  const exact::RationalMatrix zero(2, 2);
  const exact::RationalMatrix half(2, 2, {exact::make_rational(1, 2), 0, 0, 1});
  const model::Layer layer{zero, zero, half, half};
  const auto model = model_of(model::Attention::kSoftmax, 2, 1, {layer, layer}, false);
  const auto file =
      measure::stack_inputs(model, rows_of(2, 2, {0.1, 4, 0.3, 8}), 2, {{"seed", "5"}}, "inputs");
  REQUIRE(file);
  CHECK(file->contents.metadata.at("seed") == "5");
  CHECK(file->contents.tensors.size() == 3);
  const auto first = measure::read_tokens(*file, "layers.0.input");
  REQUIRE(first);
  CHECK(first->rows.at(0, 0) == rounded::from_double(0.1));
  CHECK(first->rows.at(1, 0) == rounded::from_double(0.3));
  const auto second = measure::read_tokens(*file, "layers.1.input");
  REQUIRE(second);
  CHECK(second->rows.at(1, 1) == 6);
  const auto output = measure::read_tokens(*file, "output");
  REQUIRE(output);
  CHECK(output->rows.at(1, 1) == 5);
}
