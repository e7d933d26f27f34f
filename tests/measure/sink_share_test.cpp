// The sink share against hand-computed cases in exact rationals, against the training's own float
// reference (which shares no code with it), and on models made to hurt it. tests/cli/
// sink_share_test.py holds it against 60-digit decimals for every kind of attention.
#include "measure/sink_share.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "accept/accept.hpp"
#include "check/check.hpp"
#include "file/file.hpp"
#include "forward/pass.hpp"
#include "measure/forward.hpp"
#include "measure/share_certificate.hpp"
#include "model/forward_model.hpp"
#include "rounded/double.hpp"
#include "stack_reference.hpp"
#include "train/task.hpp"

using namespace sinkproof;
using exact::make_rational;
using exact::Rational;
using exact::RationalMatrix;
using model::Attention;

namespace {

RationalMatrix identity(std::size_t n, const Rational& diagonal = 1) {
  RationalMatrix result(n, n);
  for (std::size_t i = 0; i < n; ++i) result(i, i) = diagonal;
  return result;
}

model::AttentionModel model_of(Attention attention, std::size_t heads,
                               std::vector<model::Layer> layers, bool residual = false) {
  model::AttentionModel model;
  model.attention = attention;
  model.d_model = layers.front().query.columns();
  model.num_heads = heads;
  model.residual = residual;
  model.layers = std::move(layers);
  return model;
}

// One head that looks at every key alike.
model::AttentionModel uniform_model(std::size_t n) {
  return model_of(Attention::kSoftmax, 1, {{{n, n}, {n, n}, identity(n), identity(n)}});
}

// Logits x_i x_k in one dimension, values as they are.
model::AttentionModel product_model(Attention attention, std::size_t depth = 1,
                                    bool residual = false) {
  const RationalMatrix one = identity(1);
  return model_of(attention, 1, std::vector<model::Layer>(depth, {one, one, one, one}), residual);
}

exact::Enclosure only_alpha(const model::AttentionModel& model, const RationalMatrix& tokens,
                            std::size_t position = 1, const Rational& epsilon = 1) {
  const auto share = measure::sink_share(model, {tokens}, epsilon, position, 1);
  REQUIRE(share);
  return share->alphas.at(0)(model.layers.size() - 1, 0);
}

bool contains(const exact::Enclosure& enclosure, const Rational& value) {
  return enclosure.lower <= value && value <= enclosure.upper;
}

Rational width(const exact::Enclosure& enclosure) { return enclosure.upper - enclosure.lower; }

std::string error_of(const exact::Result<measure::SinkShare>& share) {
  return share ? "none" : share.error().code;
}

RationalMatrix sample_tokens(std::size_t n, std::size_t length, std::uint32_t sample) {
  train::Shape shape;
  shape.d_model = n;
  shape.length = length;
  const auto drawn = train::draw_sample(shape, {7, 0}, sample);
  RationalMatrix tokens(length, n);
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      tokens(i, j) = rounded::from_double(static_cast<double>(drawn.tokens[i * n + j]));
    }
  }
  return tokens;
}

measure::DyadicMatrix dyadic(const RationalMatrix& rows) {
  std::vector<Rational> values;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < rows.columns(); ++j) values.push_back(rows(i, j));
  }
  return measure::dyadic_matrix(rows.rows(), rows.columns(), values);
}

// Every weight of a pass, and every number put out.
std::vector<exact::Enclosure> everything(const model::AttentionModel& model,
                                         const RationalMatrix& tokens, unsigned p) {
  const forward::Model exact_model = model::forward_model(model);
  std::vector<exact::Enclosure> all;
  const auto keep = [&](std::size_t, std::size_t, std::size_t, const forward::Weights& weights) {
    for (const forward::Range& key : weights.keys) all.push_back(forward::enclosure(key, p));
  };
  const auto out = forward::pass(forward::Prepared(exact_model), tokens, 1, p, keep);
  REQUIRE(out);
  for (std::size_t i = 1; i <= out->rows(); ++i) {
    for (std::size_t j = 0; j < out->columns(); ++j) {
      all.push_back(forward::entry(*out, i, j, p));
    }
  }
  return all;
}

std::vector<double> doubles(const std::vector<Rational>& values) {
  std::vector<double> result;
  for (const Rational& value : values) result.push_back(rounded::to_double_estimate(value));
  return result;
}

std::vector<double> doubles(const RationalMatrix& values) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = 0; j < values.columns(); ++j) {
      result.push_back(rounded::to_double_estimate(values(i, j)));
    }
  }
  return result;
}

}  // namespace

TEST_CASE("uniform attention: alpha is a mean of 1/i, and a point where that is dyadic") {
  const auto model = uniform_model(2);
  const RationalMatrix four(4, 2, {1, 0, 0, 1, 3, 4, 5, 6});
  const Rational mean = make_rational(25, 48);  // (1 + 1/2 + 1/3 + 1/4)/4
  for (const Rational& epsilon : {Rational(1), mean}) {
    const exact::Enclosure first = only_alpha(model, four, 1, epsilon);
    CHECK(contains(first, mean));
    CHECK(width(first) > 0);
    CHECK(width(first) <= exact::power_of_two(epsilon == 1 ? -120 : -2040));
  }
  CHECK(contains(only_alpha(model, four, 2), make_rational(13, 36)));
  CHECK(contains(only_alpha(model, four, 3), make_rational(7, 24)));
  const exact::Enclosure last = only_alpha(model, four, 4);
  CHECK((last.lower == make_rational(1, 4) && last.upper == make_rational(1, 4)));
  const exact::Enclosure two = only_alpha(model, RationalMatrix(2, 2, {1, 2, 3, 4}));
  CHECK((two.lower == make_rational(3, 4) && two.upper == make_rational(3, 4)));
}

TEST_CASE("alpha equal to epsilon: decided where it is a point, reported as undecided elsewhere") {
  const auto model = uniform_model(1);
  const RationalMatrix two(2, 1, {1, 2});
  const auto at_point = measure::sink_share(model, {two}, make_rational(3, 4), 1, 1);
  REQUIRE(at_point);
  CHECK((at_point->certain == 0 && at_point->possible == 0));  // > is strict
  const auto below =
      measure::sink_share(model, {two}, make_rational(3, 4) - exact::power_of_two(-600), 1, 1);
  REQUIRE(below);
  CHECK((below->lower() == 1 && below->upper() == 1));
  const RationalMatrix three(3, 1, {1, 2, 3});  // alpha = 11/18
  const auto undecided = measure::sink_share(model, {three, two}, make_rational(11, 18), 1, 1);
  REQUIRE(undecided);
  CHECK((undecided->certain == 1 && undecided->possible == 2 && undecided->total == 2));
  CHECK(undecided->lower() == make_rational(1, 2));
  CHECK(undecided->upper() == 1);
  CHECK(undecided->bits == forward::kPrecisions[std::size(forward::kPrecisions) - 1]);
}

TEST_CASE("an alpha close to epsilon is decided by doubling the precision") {
  const RationalMatrix three(3, 1, {1, 2, 3});
  for (const bool above : {true, false}) {
    const Rational epsilon = make_rational(11, 18) + exact::power_of_two(-700) * (above ? -1 : 1);
    const auto share = measure::sink_share(uniform_model(1), {three}, epsilon, 1, 1);
    REQUIRE(share);
    CHECK((share->certain == (above ? 1 : 0) && share->possible == share->certain));
    CHECK((share->bits > 700 && share->bits < 2048));
    // 512 bits do not tell them apart, and the first ones suffice where they are.
    const auto apart = measure::sink_share(uniform_model(1), {three}, make_rational(1, 2), 1, 1);
    REQUIRE(apart);
    CHECK(apart->bits == 128);
  }
}

TEST_CASE("relu and linear rows are exact fractions of products") {
  const RationalMatrix tokens(4, 1, {1, -2, 3, make_rational(1, 2)});
  // relu: 1, 0/1, 3/2, (1/2)/3; linear: 1, -2/1, 3/2, (1/2)/3.
  CHECK(contains(only_alpha(product_model(Attention::kRelu), tokens), make_rational(2, 3)));
  CHECK(contains(only_alpha(product_model(Attention::kLinear), tokens), make_rational(1, 6)));
  // Key 2: relu 4, 0, 0 and linear 4, -6/2, -1/3.
  CHECK(contains(only_alpha(product_model(Attention::kRelu), tokens, 2), make_rational(4, 3)));
  CHECK(contains(only_alpha(product_model(Attention::kLinear), tokens, 2), make_rational(2, 9)));
  CHECK(width(only_alpha(product_model(Attention::kRelu), tokens)) <= exact::power_of_two(-120));
  CHECK(width(only_alpha(product_model(Attention::kRelu), tokens, 1, make_rational(2, 3))) <=
        exact::power_of_two(-2040));
  // Three positions: divisors 1, 1, 2 only; key 2's two rows have a dyadic mean, so a point.
  const RationalMatrix three(3, 1, {1, -2, 3});
  const exact::Enclosure point = only_alpha(product_model(Attention::kLinear), three, 2);
  CHECK((point.lower == make_rational(1, 2) && point.upper == make_rational(1, 2)));
}

TEST_CASE("a second layer reads the first one's outputs, with and without the residual") {
  // relu, tokens 1, 2: weights 1; 2, 4. Outputs 1 and 2 + 8 = 10.
  const RationalMatrix tokens(2, 1, {1, 2});
  const auto plain = only_alpha(product_model(Attention::kRelu, 2), tokens);
  CHECK((plain.lower == plain.upper && plain.lower == make_rational(11, 2)));  // (1 + 10)/2
  // With the residual 2 and 12: (4 + 24)/2.
  const auto added = only_alpha(product_model(Attention::kRelu, 2, true), tokens);
  CHECK((added.lower == added.upper && added.lower == 14));
}

TEST_CASE("biases of queries, keys, values and outputs are those of the model") {
  const RationalMatrix one = identity(1);
  const model::Layer layer{one, one, one, one, {1}, {2}, {3}, {4}};
  // q = x + 1, k = x + 2, v = x + 3: tokens 0, 1 give logits 2; 4, 6 and outputs
  // 2*3 + 4 = 10 and 4*3 + 6*4 + 4 = 40; then logits 11*12 and 41*12.
  const auto alpha =
      only_alpha(model_of(Attention::kRelu, 1, {layer, layer}), RationalMatrix(2, 1, {0, 1}));
  CHECK((alpha.lower == alpha.upper && alpha.lower == 312));
}

TEST_CASE("tokens that are no dyadic numbers are enclosed too") {
  const RationalMatrix quarter = identity(1, make_rational(1, 4));
  const model::Layer layer{quarter, quarter, quarter, quarter};
  const auto model = model_of(Attention::kLinear, 1, {layer, layer});
  // x = 1/7: weight x^2/16, output x^3/256, then its square over 16.
  const RationalMatrix tokens(1, 1, {make_rational(1, 7)});
  const Rational output = make_rational(1, 343 * 256);
  const Rational weight = output * output / 16;
  for (const Rational& epsilon : {Rational(1), weight}) {
    const exact::Enclosure alpha = only_alpha(model, tokens, 1, epsilon);
    CHECK(contains(alpha, weight));
    CHECK((width(alpha) > 0 && width(alpha) <= exact::power_of_two(epsilon == 1 ? -120 : -2040)));
  }
}

TEST_CASE("several heads read their own rows of the weights") {
  // Head 0 has logit 0, head 1 logit x_i x_k.
  const RationalMatrix wide(2, 1, {0, 1});
  const auto model = model_of(Attention::kRelu, 2, {{wide, wide, wide, RationalMatrix(1, 2)}});
  const auto share = measure::sink_share(model, {RationalMatrix(2, 1, {1, 3})}, 1, 1, 1);
  REQUIRE(share);
  CHECK(share->alphas[0](0, 0).upper == 0);
  CHECK(share->alphas[0](0, 1).lower == 2);
  CHECK((share->certain == 1 && share->possible == 1 && share->total == 2));
  CHECK(measure::head_share(*share, 0, 1).certain == 1);
  CHECK(measure::head_share(*share, 0, 0).possible == 0);
}

TEST_CASE("what the first head leaves unknown is not forgotten when the last one is exact") {
  // Four tokens 1: in row 4 head 0 weighs each with 1/3 and puts out 4/3, not dyadic; head 1
  // weighs with 0. The second layer's last logit is that squared, times 2^40, its weight a third.
  const RationalMatrix first(2, 1, {1, 0});
  const RationalMatrix steep(2, 1, {exact::power_of_two(40), 0});
  const RationalMatrix both(2, 1, {1, 1});
  const auto model = model_of(
      Attention::kLinear, 2,
      {{first, first, both, exact::transpose(both)}, {steep, first, both, exact::transpose(both)}});
  const Rational weight = exact::power_of_two(40) * 16 / 27;
  for (const Rational& epsilon : {make_rational(1, 2), weight}) {
    const auto share =
        measure::sink_share(model, {RationalMatrix(4, 1, {1, 1, 1, 1})}, epsilon, 4, 1);
    REQUIRE(share);
    CHECK(contains(share->alphas[0](1, 0), weight));
    CHECK(width(share->alphas[0](1, 0)) <= exact::power_of_two(epsilon < 1 ? -60 : -2000));
  }
}

TEST_CASE("a head's smallest and largest alpha are over all samples") {
  const auto model = product_model(Attention::kLinear);
  const RationalMatrix one(1, 1, {1});
  const RationalMatrix two(1, 1, {2});
  const auto share = measure::sink_share(model, {two, one, two}, 3, 1, 2);
  REQUIRE(share);
  const auto head = measure::head_share(*share, 0, 0);
  CHECK((head.smallest.lower == 1 && head.smallest.upper == 1));
  CHECK((head.largest.lower == 4 && head.largest.upper == 4));
  CHECK((head.certain == 2 && head.possible == 2));
}

// The reference works in doubles. On these checkpoints all values are below 2^10 and every value is
// the sum of at most 64 products, so that a relative 2^-53 per operation, two layers deep, stays
// well below 1e-9 in a weight; a wrong index or sign is of size 1e-3 and more.
TEST_CASE("the enclosures contain what the training's reference computes, up to its own error") {
  for (const char* name : {"pytorch-1l1h-softmax", "pytorch-1l1h-relu", "pytorch-2l2h-softmax",
                           "pytorch-2l2h-relu", "softmax-d8-l8", "relu-d8-l8"}) {
    INFO(name);
    const auto model = model::load(
        SINKPROOF_SOURCE_DIR "/tests/checkpoints/" + std::string(name) + ".safetensors", {});
    REQUIRE(model);
    const RationalMatrix tokens = sample_tokens(model->d_model, model->length, 3);
    const auto share = measure::sink_share(*model, {tokens}, make_rational(3, 10), 1, 1);
    REQUIRE(share);
    const auto states = measure::forward(*model, dyadic(tokens), model->length);
    REQUIRE(states);
    train::Shape shape;
    shape.attention = model->attention;
    shape.d_model = model->d_model;
    shape.length = model->length;
    shape.heads = model->num_heads;
    for (std::size_t l = 0; l < model->layers.size(); ++l) {
      const model::Layer& layer = model->layers[l];
      const train::reference::Weights<double> weights{
          doubles(layer.query),      doubles(layer.key),        doubles(layer.value),
          doubles(layer.output),     doubles(layer.query_bias), doubles(layer.key_bias),
          doubles(layer.value_bias), doubles(layer.output_bias)};
      std::vector<double> x;
      for (std::size_t i = 0; i < model->length; ++i) {
        for (std::size_t j = 0; j < model->d_model; ++j) x.push_back((*states)[l](i, j));
      }
      const auto kept = train::reference::forward(shape, weights, x);
      for (std::size_t h = 0; h < model->num_heads; ++h) {
        double sum = 0;
        for (std::size_t i = 0; i < model->length; ++i) {
          sum += kept.attention[(h * model->length + i) * model->length];
        }
        const Rational alpha = rounded::from_double(sum / static_cast<double>(model->length));
        const exact::Enclosure& enclosure = share->alphas[0](l, h);
        const Rational error = make_rational(1, 1000000000);
        CHECK(enclosure.lower - error <= alpha);
        CHECK(alpha <= enclosure.upper + error);
        CHECK(width(enclosure) <= exact::power_of_two(-60));
      }
    }
  }
}

TEST_CASE("more bits give narrower enclosures, one inside the other's neighbourhood") {
  const auto model =
      model::load(SINKPROOF_SOURCE_DIR "/tests/checkpoints/pytorch-2l2h-softmax.safetensors", {});
  REQUIRE(model);
  const RationalMatrix tokens = sample_tokens(16, 16, 1);
  for (const auto attention : model::kAttentions) {
    INFO(to_string(attention));
    auto other = *model;
    other.attention = attention;
    if (attention == Attention::kSoftmaxGated) {
      for (auto& layer : other.layers) {
        layer.gate = RationalMatrix(2, 16, std::vector<Rational>(32, make_rational(1, 5)));
        layer.gate_bias = {1, -1};
      }
    }
    if (certificate::kind_of(attention).sinks) {
      for (auto& layer : other.layers) layer.sinks = {make_rational(1, 3), -2};
    }
    const auto coarse = everything(other, tokens, 96);
    const auto fine = everything(other, tokens, 192);
    // Two layers of two heads' triangles of 16 rows, then the rows.
    constexpr std::size_t kWeights = 2 * 2 * 16 * 17 / 2;
    REQUIRE((coarse.size() == kWeights + 16 * 16 && fine.size() == coarse.size()));
    Rational widest = 0;
    for (std::size_t i = 0; i < fine.size(); ++i) {
      const auto& a = coarse[i];
      const auto& b = fine[i];
      CHECK((a.lower <= b.upper && b.lower <= a.upper));
      CHECK(width(b) <= exact::max(width(a), exact::power_of_two(-96)) * exact::power_of_two(-80));
      widest = exact::max(widest, width(a));
      if (i < kWeights && model::is_normalised(attention)) CHECK((a.lower >= 0 && a.upper <= 1));
    }
    CHECK((widest > 0 && widest <= exact::power_of_two(-60)));
  }
}

TEST_CASE("the gate of softmax-gated opens into the next layer, not into alpha") {
  auto layer = product_model(Attention::kSoftmax).layers.front();
  layer.gate = RationalMatrix(1, 1);
  layer.gate_bias = {0};  // half open
  const RationalMatrix tokens(2, 1, {1, 2});
  auto gated = model_of(Attention::kSoftmaxGated, 1, {layer, layer});
  const auto alphas = measure::sink_share(gated, {tokens}, 1, 1, 1);
  REQUIRE(alphas);
  // Halving W_O of a plain softmax model is the same.
  auto halved = gated;
  halved.attention = Attention::kSoftmax;
  halved.layers[0].output = identity(1, make_rational(1, 2));
  const auto plain = measure::sink_share(halved, {tokens}, 1, 1, 1);
  REQUIRE(plain);
  for (std::size_t l = 0; l < 2; ++l) {
    const auto& a = alphas->alphas[0](l, 0);
    const auto& b = plain->alphas[0](l, 0);
    CHECK((a.lower <= b.upper && b.lower <= a.upper));
    CHECK(width(a) <= exact::power_of_two(-80));
  }
}

TEST_CASE("the number of threads changes nothing") {
  const auto model =
      model::load(SINKPROOF_SOURCE_DIR "/tests/checkpoints/pytorch-2l2h-softmax.safetensors", {});
  REQUIRE(model);
  std::vector<RationalMatrix> samples;
  for (std::uint32_t s = 0; s < 6; ++s) samples.push_back(sample_tokens(16, 16, s));
  const auto one = measure::sink_share(*model, samples, make_rational(3, 10), 1, 1);
  std::size_t last_told = 0;
  const auto many = measure::sink_share(*model, samples, make_rational(3, 10), 1, 4,
                                        [&](std::size_t done) { last_told = done; });
  REQUIRE(one);
  REQUIRE(many);
  CHECK((last_told >= 1 && last_told <= 6));
  CHECK((one->certain == many->certain && one->possible == many->possible));
  CHECK(one->total == 24);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    for (std::size_t l = 0; l < 2; ++l) {
      for (std::size_t h = 0; h < 2; ++h) {
        CHECK(one->alphas[s](l, h).lower == many->alphas[s](l, h).lower);
        CHECK(one->alphas[s](l, h).upper == many->alphas[s](l, h).upper);
      }
    }
  }
}

TEST_CASE("logits of any size are enclosed or refused, never guessed") {
  const RationalMatrix tokens(3, 1, {1, -1, 2});
  const auto with_weight = [&](Attention attention, const Rational& weight, std::size_t depth) {
    const RationalMatrix w = identity(1, weight);
    return measure::sink_share(
        model_of(attention, 1, std::vector<model::Layer>(depth, {w, w, w, w})), {tokens},
        make_rational(3, 10), 1, 1);
  };
  // exp of +-2e600 overflows every format; the rows are 1; 0, 1; and 0, 0, 1 but for 2^-(10^600).
  const auto huge = with_weight(Attention::kSoftmax, rounded::from_double(1e300), 1);
  REQUIRE(huge);
  CHECK(contains(huge->alphas[0](0, 0), make_rational(1, 3)));
  CHECK(width(huge->alphas[0](0, 0)) <= exact::power_of_two(-60));
  CHECK((huge->certain == 1 && huge->possible == 1));
  const auto relu = with_weight(Attention::kRelu, rounded::from_double(1e150), 1);
  REQUIRE(relu);
  CHECK(relu->alphas[0](0, 0).lower > 1);
  // A null slot of logit 0 beside logits of -1e600 takes everything.
  const auto null_slot = measure::sink_share(
      model_of(Attention::kSoftmaxNull, 1,
               {{identity(1, rounded::from_double(1e300)),
                 identity(1, rounded::from_double(-1e300)), identity(1), identity(1)}}),
      {RationalMatrix(2, 1, {1, 2})}, make_rational(3, 10), 1, 1);
  REQUIRE(null_slot);
  CHECK(null_slot->alphas[0](0, 0).lower == 0);
  CHECK(null_slot->alphas[0](0, 0).upper <= exact::power_of_two(-60));
  // Sigmoid kernels of -1e600 are positive, but no number of any format: that the first row is 1
  // is not seen, only that it is between 0 and 1. The others are 1, 0 and 0, 1, 0.
  const auto row = measure::sink_share(
      model_of(Attention::kSigmoidNormalised, 1,
               {{identity(1, rounded::from_double(1e300)),
                 identity(1, rounded::from_double(-1e300)), identity(1), identity(1)}}),
      {tokens}, make_rational(1, 2), 1, 1);
  REQUIRE(row);
  CHECK((row->certain == 0 && row->possible == 1));
  CHECK(contains(row->alphas[0](0, 0), make_rational(2, 3)));
  CHECK(row->alphas[0](0, 0).lower <= make_rational(1, 3));
  CHECK(row->alphas[0](0, 0).lower >= make_rational(1, 3) - exact::power_of_two(-1000));
  CHECK(row->alphas[0](0, 0).upper <= make_rational(2, 3) + exact::power_of_two(-1000));
  for (const auto attention : {Attention::kRelu, Attention::kLinear, Attention::kElu1}) {
    CHECK(error_of(with_weight(attention, rounded::from_double(1e300), 12)) == "SP1511");
  }
  CHECK(error_of(with_weight(Attention::kSigmoid, rounded::from_double(1e300), 12)) == "SP1511");
}

TEST_CASE("ties that no precision resolves count above and not below") {
  // Layer 0 attends uniformly to 1, 1, 1 and adds 2^20 + 1 times one head to -2^20 times the other;
  // its third output is 1 up to about 2^-2027, and layer 1's logits are products of outputs times
  // 2^2040: the third row's are equal, and not known to be.
  const RationalMatrix tokens(3, 1, {1, 1, 1});
  const RationalMatrix ones(2, 1, {1, 1});
  const RationalMatrix parts(2, 1, {exact::power_of_two(20) + 1, -exact::power_of_two(20)});
  const auto steep = [&](long exponent) {
    const RationalMatrix blow(2, 1, std::vector<Rational>(2, exact::power_of_two(exponent)));
    const model::Layer even{{2, 1}, {2, 1}, parts, exact::transpose(ones)};
    return measure::sink_share(
        model_of(Attention::kSoftmax, 2, {even, {blow, blow, ones, exact::transpose(ones)}}),
        {tokens}, make_rational(3, 5), 1, 1);
  };
  const auto share = steep(1020);
  REQUIRE(share);
  CHECK((share->certain == 2 && share->possible == 4 && share->total == 4));
  const auto& alpha = share->alphas[0](1, 0);
  CHECK(contains(alpha, make_rational(11, 18)));
  // Rows 1 and 2 are known: 1, 1/2; the third may be anything in [0, 1].
  CHECK((alpha.lower <= make_rational(1, 2) + exact::power_of_two(-1000)));
  CHECK((alpha.lower >= make_rational(1, 2) && alpha.upper == make_rational(5, 6)));
  // Steeper still, and the logits are beyond 2^2048.
  CHECK(error_of(steep(1024)) == "SP1511");
  CHECK(error_of(steep(2000)) == "SP1511");
}

TEST_CASE("a share's certificate is accepted, and no other count is") {
  const std::string folder = SINKPROOF_SOURCE_DIR "/tests/checkpoints/";
  for (const char* name : {"pytorch-2l2h-softmax", "pytorch-2l2h-relu", "relu-d8-l8"}) {
    INFO(name);
    const std::string path = folder + name + ".safetensors";
    const auto model = model::load(path, {});
    REQUIRE(model);
    measure::TokenSource source;
    source.random = 2;
    source.seed = 9;
    const auto tokens = measure::read_token_rows(source, *model, 1000);
    REQUIRE(tokens);
    // Between the alphas: some exceed it and some do not.
    const auto sequences = measure::sequences_of(tokens->rows, tokens->length);
    const auto shares = measure::sink_share(*model, sequences, 1000, 1, 1);
    REQUIRE(shares);
    const Rational epsilon = (shares->alphas[0](0, 0).upper + shares->alphas[1](0, 0).upper) / 2;
    const std::vector<std::string> files = {*file::read(path)};
    const measure::ShareRequest request{*model, source, *tokens, epsilon,
                                        1,      1,      files,   std::string(64, '0')};
    const auto made = measure::certified_share(request, accept::ask_about_checkpoint);
    REQUIRE(made);
    const json::Value& good = made->certificate;
    CHECK(check::check_checkpoint(good, files).exit_code == 0);
    REQUIRE(good["properties"].size() == 1 + model->layers.size() * model->num_heads);
    REQUIRE(good["properties"][0]["name"] == "sink-share");
    REQUIRE((made->share.certain > 0 && made->share.certain < made->share.total));

    const auto code_with = [&](const std::string& pointer, const json::Value& value) {
      json::Value other = good;
      other[json::Value::json_pointer(pointer)] = value;
      const auto outcome = check::check_checkpoint(other, files);
      return outcome.exit_code == 0 ? "none" : outcome.code;
    };
    const auto count = [&](int more) {
      return exact::to_string(Rational(made->share.certain + more) / Rational(made->share.total));
    };
    for (const int more : {1, -1}) {
      json::Value other = good;
      other["properties"][0]["lower"] = other["properties"][0]["upper"] = count(more);
      CHECK(check::check_checkpoint(other, files).code == "SP0901");
    }
    // Less is stated, and true.
    CHECK(code_with("/properties/0/lower", count(-1)) == "none");
    CHECK(code_with("/properties/0/upper", count(1)) == "none");
    CHECK(code_with("/properties/1/upper", good["properties"][1]["lower"]) == "SP0901");
    CHECK(code_with("/properties/1/lower", good["properties"][1]["upper"]) == "SP0901");
    CHECK(code_with("/inputs/seed", 10) == "SP0901");
    CHECK(check::check_checkpoint(good, {}).exit_code == 2);
  }
}

TEST_CASE("a share that the checker does not take is not handed on") {
  const auto model =
      model::load(SINKPROOF_SOURCE_DIR "/tests/checkpoints/relu-d8-l8.safetensors", {});
  REQUIRE(model);
  measure::TokenSource source;
  source.random = 1;
  const auto tokens = measure::read_token_rows(source, *model, 1000);
  REQUIRE(tokens);
  const measure::ShareRequest request{*model, source, *tokens, 1, 1, 1, {}, ""};
  const auto with_code = [&](const char* code) {
    return measure::certified_share(request, [code](const json::Value&, const auto&) {
      return exact::Result<void>(exact::fail(code, "test", "no"));
    });
  };
  CHECK_FALSE(with_code("SP0901"));
  const auto over = with_code("SP0905");
  REQUIRE_FALSE(over);
  CHECK(over.error().code == "SP0905");
}

TEST_CASE("what cannot be measured has a code") {
  const auto model = uniform_model(2);
  const RationalMatrix tokens(3, 2);
  const Rational epsilon = make_rational(3, 10);
  CHECK(error_of(measure::sink_share(model, {tokens}, epsilon, 1, 1)) == "none");
  CHECK(error_of(measure::sink_share(model, {tokens}, epsilon, 3, 1)) == "none");
  CHECK(error_of(measure::sink_share(model, {}, epsilon, 1, 1)) == "SP1513");
  CHECK(error_of(measure::sink_share(model, {tokens}, epsilon, 0, 1)) == "SP1513");
  CHECK(error_of(measure::sink_share(model, {tokens}, epsilon, 4, 1)) == "SP1513");
  CHECK(error_of(measure::sink_share(model, {tokens, RationalMatrix(3, 3)}, epsilon, 1, 1)) ==
        "SP1505");
  CHECK(error_of(measure::sink_share(model, {RationalMatrix(1025, 2)}, epsilon, 1, 1)) == "SP1514");
  auto deep = model;
  deep.num_heads = measure::kMaxHeadRows;
  CHECK(error_of(measure::sink_share(deep, {tokens}, epsilon, 1, 1)) == "SP1514");
  deep.layers.clear();
  CHECK(error_of(measure::sink_share(deep, {tokens}, epsilon, 1, 1)) == "SP1513");
}
