#include "report/attention_map.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "certificate/sha256.hpp"
#include "forward/pass.hpp"
#include "heads.hpp"
#include "markup.hpp"
#include "model/forward_model.hpp"
#include "report/chart/colour_scale.hpp"
#include "report/chart/heat_map.hpp"
#include "report/page.hpp"
#include "rounded/double.hpp"

using namespace sinkproof::report;
using namespace sinkproof::report::test;
using sinkproof::model::Attention;
using sinkproof::model::is_normalised;

namespace {

using Tokens = std::vector<std::vector<double>>;

// Two factors of a head with nothing special about it, width 4.
double query_weight(std::size_t i) { return (static_cast<double>(i * 7 % 11) - 5) / 4; }
double key_weight(std::size_t i) { return (static_cast<double>(i * 5 % 13) - 6) / 8; }

template <typename Weight>
Affine plain_map(const Weight& weight) {
  Affine map{{}, std::vector<double>(4, 0.0)};
  for (std::size_t i = 0; i < 16; ++i) map.weight.push_back(weight(i));
  return map;
}

Affine identity() {
  return plain_map([](std::size_t i) { return i % 5 == 0 ? 1.0 : 0.0; });
}

Stack plain_layer(Attention attention) {
  return {attention,
          1,
          false,
          {{plain_map(query_weight), plain_map(key_weight), identity(), identity(), {}, {}}}};
}

// Its logits times `factor`.
Stack scaled(Stack stack, double factor) {
  for (double& weight : stack.layers[0].query.weight) weight *= factor;
  return stack;
}

Tokens plain_tokens(std::size_t length) {
  Tokens tokens = {{1, 0, 0, 0}};
  for (std::size_t i = 2; i <= length; ++i) {
    const double noise = static_cast<double>(i * 37 % 17) / 8 - 1;
    tokens.push_back(i == 4 ? std::vector<double>{0, 1, noise, 0}
                            : std::vector<double>{0, 0, noise, 1});
  }
  return tokens;
}

// x^T W_Q^T W_K y, summed over all three indices in long double: another order, another precision.
long double logit(const std::vector<double>& x, const std::vector<double>& y) {
  long double sum = 0;
  for (std::size_t out = 0; out < 4; ++out) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        sum += static_cast<long double>(x[a]) * query_weight(out * 4 + a) *
               key_weight(out * 4 + b) * y[b];
      }
    }
  }
  return sum;
}

// The kernels of CHECKPOINT_RULES.md, 4.2, as they are written there.
long double kernel_of(Attention attention, long double x) {
  switch (attention) {
    case Attention::kSigmoid:
    case Attention::kSigmoidNormalised:
      return 1 / (1 + std::exp(-x));
    case Attention::kElu1:
    case Attention::kElu1Normalised:
      return x >= 0 ? x + 1 : std::exp(x);
    case Attention::kRelu:
      return x > 0 ? x : 0;
    case Attention::kLinear:
      return x;
    default:
      return std::exp(x);
  }
}

// The weight of `key`, 0 for the null slot.
long double reference(Attention attention, const Tokens& tokens, std::size_t row, std::size_t key) {
  const auto at = [&](std::size_t k) {
    return kernel_of(attention, logit(tokens[row - 1], tokens[k - 1]));
  };
  const bool slot = sinkproof::certificate::kind_of(attention).null_slot;
  long double sum = slot ? 1 : 0;
  for (std::size_t k = 1; k <= row; ++k) sum += at(k);
  if (key == 0) return 1 / sum;
  if (is_normalised(attention)) return at(key) / sum;
  return at(key) / static_cast<long double>(row == 1 ? 1 : row - 1);
}

std::vector<AttentionMap> maps_of(const Stack& stack, const Witness& witness) {
  const auto maps = attention_maps(stack, witness);
  REQUIRE(maps.has_value());
  REQUIRE(maps->size() == stack.layers.size() * stack.heads);
  return *maps;
}

AttentionMap map_of(const Stack& stack, const Tokens& tokens, std::size_t trigger,
                    std::size_t row) {
  return maps_of(stack, {trigger, row, tokens}).front();
}

}  // namespace

TEST_CASE("Every weight of a map is the reference's, for every kind of attention") {
  for (const Attention attention : sinkproof::model::kAttentions) {
    INFO(to_string(attention));
    const Tokens tokens = plain_tokens(7);
    const AttentionMap map = map_of(plain_layer(attention), tokens, 4, 6);
    REQUIRE(map.weights.size() == 7);
    const bool slot = sinkproof::certificate::kind_of(attention).null_slot;
    REQUIRE(map.null.size() == (slot ? 7 : 0));
    bool negative = false;
    for (std::size_t row = 1; row <= 7; ++row) {
      REQUIRE(map.weights[row - 1].size() == row);
      double total = slot ? map.null[row - 1] : 0;
      for (std::size_t key = 1; key <= row; ++key) {
        INFO("row " << row << ", key " << key);
        const double weight = map.weights[row - 1][key - 1];
        CHECK(weight == Approx(static_cast<double>(reference(attention, tokens, row, key)))
                            .epsilon(1e-12)
                            .margin(1e-15));
        total += weight;
        negative = negative || weight < 0;
      }
      if (is_normalised(attention)) CHECK(total == Approx(1).epsilon(1e-12));
      if (slot) {
        CHECK(map.null[row - 1] ==
              Approx(static_cast<double>(reference(attention, tokens, row, 0))).epsilon(1e-12));
      }
    }
    CHECK(negative == (attention == Attention::kLinear));
  }
}

TEST_CASE("Each head of a layer has a map of its own") {
  const Stack one = plain_layer(Attention::kSoftmax);
  const Stack other = scaled(one, -2);
  Stack both = one;
  both.heads = 2;
  for (const auto map : {&Layer::query, &Layer::key, &Layer::value}) {
    Affine& wide = both.layers[0].*map;
    const Affine& second = other.layers[0].*map;
    wide.weight.insert(wide.weight.end(), second.weight.begin(), second.weight.end());
    wide.bias.resize(8);
  }
  const Tokens tokens = plain_tokens(5);
  const auto maps = maps_of(both, {4, 5, tokens});
  CHECK(maps[0].weights == map_of(one, tokens, 4, 5).weights);
  CHECK(maps[1].weights == map_of(other, tokens, 4, 5).weights);
  CHECK(maps[0].weights != maps[1].weights);
}

TEST_CASE("The titles of the cells say the reference's values") {
  const Stack layer = plain_layer(Attention::kSoftmax);
  const Tokens tokens = plain_tokens(5);
  const std::string figure =
      heat_map(map_of(layer, tokens, 4, 4), scale_for(1), "sup-loss.trigger");
  CHECK(count(figure, "<title>row ") == 15);
  for (std::size_t row = 1; row <= 5; ++row) {
    for (std::size_t key = 1; key <= row; ++key) {
      char expected[80];
      std::snprintf(expected, sizeof expected, "<title>row %zu, key %zu: a = %.4g</title>", row,
                    key, static_cast<double>(reference(Attention::kSoftmax, tokens, row, key)));
      CHECK(count(figure, expected) == 1);
    }
  }
  CHECK(count(figure, "minus") == 0);
  CHECK(count(figure, "null slot") == 0);
  const std::string rows =
      heat_map(map_of(layer, tokens, 4, 4), scale_for(1), "sup-loss.trigger", Titles::kRows);
  CHECK(count(rows, "<title>row ") == 5);
}

TEST_CASE(
    "A null slot's share is in the caption, in the text alternative and in the rows' titles") {
  const Tokens tokens = plain_tokens(5);
  const AttentionMap map = map_of(plain_layer(Attention::kSoftmaxNull), tokens, 4, 3);
  char share[40];
  std::snprintf(share, sizeof share, "%.4g",
                static_cast<double>(reference(Attention::kSoftmaxNull, tokens, 3, 0)));
  const std::string figure = heat_map(map, scale_for(1), "null-floor.pre", Titles::kRows);
  CHECK(count(figure, std::string("null slot ≈ ") + share) == 1);
  CHECK(count(figure, std::string("; null slot ") + share) == 2);  // desc, title
}

TEST_CASE("A negative weight has its magnitude's colour and a bar, at its own cell") {
  const Tokens tokens = plain_tokens(5);
  const AttentionMap map = map_of(plain_layer(Attention::kLinear), tokens, 4, 5);
  const ColourScale scale = scale_for(10);
  for (const Titles titles : {Titles::kCells, Titles::kRows}) {
    const std::string figure = heat_map(map, scale, "bos-floor.pre", titles);
    const std::size_t begin = figure.find("class=\"minus\" d=\"") + 17;
    const std::string bars = figure.substr(begin, figure.find('"', begin) - begin);
    std::size_t negative = 0;
    for (int row = 0; row < 5; ++row) {
      for (int key = 0; key <= row; ++key) {
        const double weight = map.weights[row][key];
        const std::string bar = minus_bar(34 + 10 * key, 20 + 10 * row, 9);
        CHECK(count(bars, bar) == (weight < 0 ? 1 : 0));
        CHECK(colour_class(scale, weight) == colour_class(scale, -weight));
        negative += weight < 0 ? 1 : 0;
      }
    }
    CHECK(negative > 0);
    CHECK(negative < 15);
    CHECK(count(bars, "M") == negative);
    CHECK(count(figure, "Cells with a bar have negative weight.") == 1);
  }
  // Of the linear and of the logarithmic scale.
  CHECK(count(legends(scale, true), "cells with a bar are negative") == 2);
  CHECK(count(legends(scale, true), ">negative<") == 2);
  CHECK(count(legends(scale, false), "negative") == 0);
  CHECK(count(legends(scale, false), "minus") == 0);
}

TEST_CASE("Logits far apart neither overflow nor lose the sum") {
  const Tokens tokens = plain_tokens(6);
  for (const Attention attention : sinkproof::model::kAttentions) {
    if (!is_normalised(attention)) continue;
    for (const double factor : {1e5, -1e5}) {
      INFO(to_string(attention) << " times " << factor);
      const Stack layer = scaled(plain_layer(attention), factor);
      long double largest = -1e300L;
      for (const auto& token : tokens) {
        largest = std::max(largest, factor * logit(tokens[5], token));
      }
      REQUIRE(std::abs(largest) > 800);  // exp of it is not a finite double, or 0
      const AttentionMap map = map_of(layer, tokens, 4, 6);
      const auto& row = map.weights[5];
      const double keys = std::accumulate(row.begin(), row.end(), 0.0);
      CHECK(keys + (map.null.empty() ? 0 : map.null[5]) == Approx(1).epsilon(1e-12));
    }
  }
  const Stack layer = scaled(scaled(plain_layer(Attention::kSoftmax), 1e300), 1e300);
  const auto map = attention_maps(layer, {4, 6, plain_tokens(6)});
  REQUIRE_FALSE(map.has_value());
  CHECK(map.error().code == "SP1204");
}

TEST_CASE("A null slot takes everything when all logits are far below its own") {
  Stack layer = plain_layer(Attention::kSoftmaxSink);
  layer.layers[0].sinks = {1000};
  const AttentionMap map = map_of(layer, {{1, 0, 0, 0}, {0, 0, 0, 1}}, 2, 2);
  CHECK(map.weights[1] == std::vector<double>{0, 0});
  CHECK(map.null == std::vector<double>{1, 1});
}

TEST_CASE("A long input is drawn around the witness row, and the map says so") {
  CHECK(shown_positions(128, 60, 100).size() == 128);
  const auto positions = shown_positions(1000, 60, 500);
  std::vector<std::size_t> expected = {1, 60};
  for (std::size_t p = 484; p <= 516; ++p) expected.push_back(p);
  CHECK(positions == expected);
  CHECK(shown_positions(129, 4, 3).size() == 19);
  CHECK(shown_positions(129, 4, 129).size() == 19);

  const Stack layer = plain_layer(Attention::kSoftmax);
  const Tokens tokens = plain_tokens(150);
  const AttentionMap map = map_of(layer, tokens, 4, 100);
  CHECK_FALSE(map.whole());
  const double corner = map.weights.back().back();
  CHECK(
      corner ==
      Approx(static_cast<double>(reference(Attention::kSoftmax, tokens, 116, 116))).epsilon(1e-12));
  const std::string figure = heat_map(map, scale_for(1), "sup-loss.pre");
  CHECK(figure.find("Length 150: only BOS, the trigger and the positions around") !=
        std::string::npos);
  CHECK(count(figure, "class=\"gap\"") == 2);
  CHECK(heat_map(map_of(layer, plain_tokens(20), 4, 7), scale_for(1), "x").find("only BOS") ==
        std::string::npos);
}

TEST_CASE("Five maps of the greatest whole length stay far below the page's two megabytes") {
  const Stack layer = plain_layer(Attention::kSoftmax);
  for (const std::size_t length : {kCellTitles, kWholeMap}) {
    const auto map = map_of(layer, plain_tokens(length), 4, length);
    const std::string figure = heat_map(map, scale_for(1), "sup-loss.post");
    INFO("length " << length << ": " << figure.size() << " bytes");
    CHECK(figure.size() * 5 < 1'800'000);
    CHECK(count(figure, "<title>") ==
          1 + (length == kCellTitles ? length * (length + 1) / 2 : length));
    const std::string square = length == kCellTitles ? "h4v4h-4z" : "h2v2h-2z";
    CHECK(count(figure, square) == length * (length + 1) / 2);
  }
}

TEST_CASE("A map marks the sink, the trigger and the witness, and can be reached by keyboard") {
  const std::string figure = heat_map(
      map_of(plain_layer(Attention::kSoftmax), plain_tokens(8), 4, 6), scale_for(1), "<b>");
  CHECK(figure.find(R"(<figure class="map" aria-label="Attention on the witness of )"
                    "&lt;b&gt;\">\n<div class=\"pick\"><svg ") == 0);
  // Cells are 10 apart from (34, 20); outlines begin half a unit before.
  CHECK(count(figure, R"(class="sink" x="33.5" y="19.5" width="10" height="80")") == 1);
  CHECK(count(figure, R"(class="trigger" x="33.5" y="49.5" width="40" height="10")") == 1);
  CHECK(count(figure, R"(class="trigger" x="63.5" y="49.5" width="10" height="50")") == 1);
  CHECK(count(figure, R"(class="witness" d="M32 74.5)") == 1);
  CHECK(count(figure, "role=\"img\" aria-label=\"Attention on the witness of &lt;b&gt;") == 1);
  CHECK(count(figure, "<title>Attention on the witness of &lt;b&gt;</title>") == 1);
  CHECK(count(figure, ">sink: BOS</text>") == 1);
  // The staircase around the cells, so that dark ones do not get lost on a dark page.
  CHECK(count(figure, "class=\"frame\" d=\"M33.5 19.5h10v10h10v10") == 1);
  CHECK(count(figure,
              "<desc>Causal attention matrix of an input of length 8, trigger at "
              "position 4. Estimates in double precision.") == 1);
  CHECK(count(figure, ">estimate<") == 1);
}

TEST_CASE("Colours follow the logarithm or the weight, and zero has its own look") {
  const ColourScale scale = scale_for(1);
  CHECK(scale.top == 0);
  CHECK(scale_for(0.01).top == 0);
  CHECK(scale_for(1.5).top == 1);
  CHECK(scale_for(10).top == 1);
  CHECK(log_level(scale, 1) == kLevels - 1);
  CHECK(log_level(scale, 1e-3 * 1.01) == kLevels / 2);
  CHECK(log_level(scale, 1e-3 * 0.99) == kLevels / 2 - 1);
  CHECK(log_level(scale, 1e-9) == 0);
  CHECK(log_level(scale, 7) == kLevels - 1);
  CHECK(colour_class(scale, 0) == "z");
  CHECK(colour_class(scale, 1) == "n35 g35");
  CHECK(colour_class(scale, 1e-3 * 1.01) == "n0 g18");
  int last = 0;
  for (int step = 0; step < 60; ++step) {
    const int next = log_level(scale, 1e-6 * std::pow(1.26, step));
    CHECK(next >= last);
    last = next;
  }
  CHECK(last == kLevels - 1);
  const std::string rules = colour_rules();
  CHECK(rules.find(".n0,.log .g0{fill:#440154}") == 0);
  CHECK(rules.find(".n35,.log .g35{fill:#fde725}") != std::string::npos);
}

TEST_CASE("The linear scale ends at a round number that holds the largest weight") {
  CHECK(scale_for(0.3).largest == 1);
  CHECK(scale_for(1).largest == 1);
  CHECK(scale_for(1.5).largest == 2);
  CHECK(scale_for(37).largest == 50);
  const ColourScale scale = scale_for(2);
  CHECK(linear_level(scale, 2) == kLevels - 1);
  CHECK(linear_level(scale, 9) == kLevels - 1);
  CHECK(linear_level(scale, 1.001) == kLevels / 2);
  CHECK(linear_level(scale, 0.999) == kLevels / 2 - 1);
  CHECK(linear_level(scale, 1e-300) == 0);
  const std::string bars = legends(scale_for(37), false);
  for (const char* tick : {">0</text>", ">12.5<", ">25<", ">37.5<", ">50<"}) {
    INFO(tick);
    CHECK(count(bars, tick) == 1);
  }
  CHECK(count(bars, "class=\"legend linear\"") == 1);
  CHECK(count(bars, "class=\"legend log\"") == 1);
}

TEST_CASE("A map's drawing holds its weights for the page's script, and says what the sink gets") {
  const Tokens tokens = plain_tokens(5);
  const AttentionMap map = map_of(plain_layer(Attention::kSoftmaxNull), tokens, 4, 3);
  for (const Titles titles : {Titles::kCells, Titles::kRows}) {
    const std::string figure = heat_map(map, scale_for(1), "x", titles);
    CHECK(count(figure, R"( data-left="34" data-top="20" data-pitch="10" )"
                        R"(data-positions="1 2 3 4 5">)") == 1);
    double least = 2;
    double most = -2;
    for (std::size_t row = 1; row <= 5; ++row) {
      std::string expected = "<g data-a=\"";
      char number[40];
      for (std::size_t key = 1; key <= row; ++key) {
        const auto weight =
            static_cast<double>(reference(Attention::kSoftmaxNull, tokens, row, key));
        std::snprintf(number, sizeof number, "%s%.4g", key == 1 ? "" : " ", weight);
        expected += number;
        if (key == 1 && row > 1) least = std::min(least, weight);
        if (key == 1 && row > 1) most = std::max(most, weight);
      }
      std::snprintf(number, sizeof number, "\" data-null=\"%.4g\">",
                    static_cast<double>(reference(Attention::kSoftmaxNull, tokens, row, 0)));
      INFO(expected + number);
      CHECK(count(figure, expected + number) == 1);
    }
    char words[120];
    std::snprintf(
        words, sizeof words,
        "The sink column, key 1 (BOS), is outlined; the rows from 2 on give it %.4g to %.4g.",
        least, most);
    INFO(words);
    CHECK(count(figure, words) == 1);
  }
}

// A stack with everything there is: several heads and layers, biases, gates or sinks, a residual
// connection.
sinkproof::model::AttentionModel odd_stack(Attention attention) {
  using sinkproof::exact::Rational;
  using sinkproof::exact::RationalMatrix;
  const auto& kind = sinkproof::certificate::kind_of(attention);
  int seed = 0;
  const auto number = [&] { return Rational(++seed * 29 % 23 - 11, 32); };
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    RationalMatrix all(rows, columns);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) all(i, j) = number();
    }
    return all;
  };
  const auto list = [&](std::size_t size) {
    std::vector<Rational> all(size);
    for (Rational& entry : all) entry = number();
    return all;
  };
  sinkproof::model::AttentionModel model;
  model.attention = attention;
  model.d_model = 4;
  model.num_heads = 2;
  model.length = 6;
  model.residual = true;
  for (int layer = 0; layer < 3; ++layer) {
    auto& l = model.layers.emplace_back();
    l = {matrix(8, 4), matrix(8, 4), matrix(8, 4), matrix(4, 8),
         list(8),      list(8),      list(8),      list(4)};
    if (kind.gated) l.gate = matrix(2, 4), l.gate_bias = list(2);
    if (kind.sinks) l.sinks = list(2);
  }
  return model;
}

TEST_CASE("The maps of a stack are those of the rigorous pass, layer after layer") {
  const Attention attention = GENERATE(from_range(sinkproof::model::kAttentions));
  INFO(to_string(attention));
  const auto model = odd_stack(attention);
  const Tokens tokens = plain_tokens(6);
  sinkproof::exact::RationalMatrix exact_tokens(6, 4);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t c = 0; c < 4; ++c) {
      exact_tokens(i, c) = sinkproof::rounded::from_double(tokens[i][c]);
    }
  }
  const auto maps = maps_of(in_doubles(model), {4, 5, tokens});
  const auto exact_model = sinkproof::model::forward_model(model);
  constexpr unsigned kBits = 256;
  std::size_t compared = 0;
  const auto compare = [&](std::size_t layer, std::size_t head, std::size_t row,
                           const sinkproof::forward::Weights& weights) {
    const AttentionMap& map = maps[layer * 2 + head];
    const auto middle = [&](const sinkproof::forward::Range& range) {
      return std::ldexp((range.lower + range.upper).convert_to<double>(), -int(kBits) - 1);
    };
    for (std::size_t key = 0; key < row; ++key) {
      INFO("layer " << layer << " head " << head << " row " << row << " key " << key + 1);
      CHECK(map.weights[row - 1][key] ==
            Approx(middle(weights.keys[key])).epsilon(1e-9).margin(1e-12));
      ++compared;
    }
    if (!map.null.empty()) CHECK(map.null[row - 1] == Approx(middle(weights.null)).margin(1e-12));
  };
  const sinkproof::forward::Prepared prepared(exact_model);
  REQUIRE(sinkproof::forward::pass(prepared, exact_tokens, 1, kBits, compare));
  CHECK(compared == 3 * 2 * 21);
}

TEST_CASE("A stack's card draws every head of every layer") {
  const TemporaryFolder folder;
  write_stack(folder / "stack.safetensors", sink_head(3), 6, 2);
  const Input input = certified(folder / "stack.safetensors");
  auto certificate = read_checkpoint(input.certificate, "stack.json").value();
  REQUIRE(load_stack(*input.model, certificate)->layers.size() == 2);
  const std::string page = html({input}, {}).value();
  CHECK(count(page, "<strong>sup-loss.pre, layer 0, head 0</strong>") == 1);
  CHECK(count(page, "<strong>sup-loss.pre, layer 1, head 0</strong>") == 1);
  certificate.num_layers = 1;
  CHECK(load_stack(*input.model, certificate).error().code == "SP1203");
}

TEST_CASE("A head is read only from the very file the certificate names") {
  const TemporaryFolder folder;
  write_head(folder / "sink.safetensors", sink_head(3), 6);
  const Input input = certified(folder / "sink.safetensors");
  auto certificate = read_checkpoint(input.certificate, "sink.json").value();
  const auto layer = load_stack(*input.model, certificate);
  REQUIRE(layer.has_value());
  CHECK(layer->attention == Attention::kSoftmax);
  // The closed form of docs/THEORY.md tc-5: e^b/(e^b + i - 1).
  const AttentionMap map = map_of(*layer, plain_tokens(6), 4, 3);
  CHECK(map.weights[2][0] == Approx(std::exp(3.0) / (std::exp(3.0) + 2)).epsilon(1e-12));
  write_head(folder / "sink.safetensors", sink_head(4), 6);
  const auto other = load_stack(*input.model, certificate);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == "SP1203");
  CHECK(load_stack(folder / "absent.safetensors", certificate).error().code == "SP0201");
}

TEST_CASE("Biases are part of the logits, head by head") {
  const TemporaryFolder folder;
  TinyLayer layer = sink_layer("softmax", 2, 3);
  // A bias b of the query acts as b on whatever flag the query has: logit 3 becomes 3 + b.
  layer.query_bias = {0.5F, 0, 0, 0, -1, 0, 0, 0};
  write_layer(folder / "two.safetensors", layer, 5);
  const Input input = certified(folder / "two.safetensors");
  auto certificate = read_checkpoint(input.certificate, "two.json").value();
  CHECK(certificate.num_heads == 2);
  const auto loaded = load_stack(*input.model, certificate);
  REQUIRE(loaded.has_value());
  const auto maps = maps_of(*loaded, {4, 3, plain_tokens(5)});
  for (const auto& [head, logit] : {std::pair(0, 3.5), std::pair(1, 2.0)}) {
    CHECK(maps[head].weights[2][0] == Approx(std::exp(logit) / (std::exp(logit) + 2)));
  }
  certificate.num_heads = 1;
  CHECK(load_stack(*input.model, certificate).error().code == "SP1104");
}
