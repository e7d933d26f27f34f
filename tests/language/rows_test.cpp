// What a block does to rows: the results hold the images of points of the balls, by MPFR, and are
// not much wider than the balls.
#include "language/rows.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "exact_points.hpp"
#include "output/safetensors.hpp"

using namespace sinkproof;
using exact::Integer;
using exact::Rational;
using language::Activation;
using language::Norm;
using Real = boost::multiprecision::mpfr_float;

namespace {

constexpr unsigned kPrecisions[] = {64, 180, 800};

void prepare(unsigned p) { Real::default_precision((p + 300) * 302 / 1000); }

Real real(const Rational& x) { return Real(numerator(x)) / Real(denominator(x)); }

bool holds(const forward::Balls& x, std::size_t t, std::size_t j, const Real& value, unsigned p) {
  return abs(ldexp(value, static_cast<int>(p)) - Real(x.centre(t, j))) <= Real(x.radius[t]);
}

// y_j of a row's coordinates begin .. begin + n - 1.
std::vector<Real> norm_of(const exact::RationalMatrix& x, std::size_t t, std::size_t begin,
                          const std::vector<double>& weight, const std::vector<double>& bias,
                          Norm norm, const Rational& epsilon) {
  const std::size_t n = weight.size();
  Real mean = 0;
  if (norm == Norm::kLayer) {
    for (std::size_t j = 0; j < n; ++j) mean += real(x(t, begin + j)) / n;
  }
  Real squares = 0;
  for (std::size_t j = 0; j < n; ++j) {
    squares += (real(x(t, begin + j)) - mean) * (real(x(t, begin + j)) - mean) / n;
  }
  const Real size = sqrt(squares + real(epsilon));
  std::vector<Real> y;
  for (std::size_t j = 0; j < n; ++j) {
    y.push_back(weight[j] * (real(x(t, begin + j)) - mean) / size + (bias.empty() ? 0 : bias[j]));
  }
  return y;
}

Real activation_of(Activation activation, const Real& x) {
  switch (activation) {
    case Activation::kRelu:
      return x > 0 ? x : Real(0);
    case Activation::kSilu:
      return x / (1 + exp(-x));
    case Activation::kGelu:
      return x * erfc(-x / sqrt(Real(2))) / 2;
    case Activation::kGeluTanh:
      break;
  }
  const Real inner = sqrt(2 / acos(Real(-1))) * (x + Real(44'715) / 1'000'000 * x * x * x);
  return x / 2 * (1 + tanh(inner));
}

std::optional<forward::Balls> norm_or_nothing(const forward::Balls& x,
                                              const language::NormWeights& weights, Norm norm,
                                              const Rational& epsilon, std::size_t width,
                                              unsigned p) {
  try {
    return language::normalised(x, weights, norm, epsilon, width, p);
  } catch (const forward::TooCoarse&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("Norms hold the images of all points of a ball, of whole rows and of heads") {
  std::mt19937_64 random(1);
  for (const unsigned p : kPrecisions) {
    prepare(p);
    for (int round = 0; round < 24; ++round) {
      const std::size_t n = 1 + random() % 6;
      const std::size_t heads = 1 + random() % 3;
      const Norm norm = round % 2 == 0 ? Norm::kLayer : Norm::kRms;
      std::vector<double> weight;
      std::vector<double> bias;
      for (std::size_t j = 0; j < n; ++j) {
        weight.push_back(
            std::ldexp(static_cast<double>(random() % 2000) - 1000, -9 - 80 * (round % 5)));
        if (norm == Norm::kLayer) bias.push_back(static_cast<double>(random() % 9) * 1e-30 - 3.7);
      }
      const auto g = output::float64_tensor({n}, weight);
      const auto b = output::float64_tensor({n}, bias);
      const safetensors::View g_view{g.dtype, g.dtype_name, g.shape, g.bytes};
      const safetensors::View b_view{b.dtype, b.dtype_name, b.shape, b.bytes};
      const language::NormWeights weights{&g_view, norm == Norm::kLayer ? &b_view : nullptr};
      // Radii small against the deviations, or of their size.
      const std::uint64_t most = round % 3 == 0 && p == 64 ? std::uint64_t{1} << 62U : 1'000'000;
      forward::Balls x = random_balls(random, 3, n * heads, p, most);
      const Rational epsilon = exact::make_rational(1, round % 4 == 0 ? 10 : 1'000'000);
      const auto y = norm_or_nothing(x, weights, norm, epsilon, n, p);
      if (!y) continue;
      for (int point = 0; point < 6; ++point) {
        const exact::RationalMatrix points = points_of(random, x, p);
        for (std::size_t t = 0; t < 3; ++t) {
          for (std::size_t h = 0; h < heads; ++h) {
            const auto exact = norm_of(points, t, h * n, weight, bias, norm, epsilon);
            for (std::size_t j = 0; j < n; ++j) CHECK(holds(*y, t, h * n + j, exact[j], p));
          }
        }
      }
    }
  }
}

TEST_CASE(
    "A norm of rows known exactly is known to a few units, unless it may be that of nothing") {
  std::mt19937_64 random(2);
  const std::vector<double> ones(8, 1.0);
  const auto g = output::float64_tensor({8}, ones);
  const safetensors::View view{g.dtype, g.dtype_name, g.shape, g.bytes};
  for (const unsigned p : kPrecisions) {
    forward::Balls x = random_balls(random, 4, 8, p, 1);
    const auto y = norm_or_nothing(x, {&view, &view}, Norm::kLayer, Rational(1), 8, p);
    REQUIRE(y.has_value());
    for (std::size_t t = 0; t < 4; ++t) CHECK(y->radius[t] <= 4);
    const forward::Balls nothing(1, 8);  // a deviation of sqrt(epsilon), and what is not above it
    forward::Balls vague(1, 8);
    const Rational quarter = exact::make_rational(1, 4);
    CHECK(norm_or_nothing(nothing, {&view, &view}, Norm::kLayer, quarter, 8, p).has_value());
    vague.radius[0] = (Integer(1) << (p - 1)) - 2;
    CHECK(norm_or_nothing(vague, {&view, &view}, Norm::kLayer, quarter, 8, p).has_value());
    vague.radius[0] = Integer(1) << (p - 1);
    CHECK_FALSE(norm_or_nothing(vague, {&view, &view}, Norm::kLayer, quarter, 8, p).has_value());
  }
}

TEST_CASE("Activations hold the images of all points of a ball, near 0 and far out", "[figures]") {
  std::mt19937_64 random(3);
  for (const unsigned p : kPrecisions) {
    prepare(p);
    const language::Constants constants(p);
    for (const Activation activation :
         {Activation::kRelu, Activation::kSilu, Activation::kGelu, Activation::kGeluTanh}) {
      for (const int scale : {-20, -2, 0, 2, 4}) {
        forward::Balls x = random_balls(random, 4, 5, p, 1'000'000'000);
        for (std::size_t t = 0; t < 4; ++t) {
          for (std::size_t j = 0; j < 5; ++j) {
            Integer& n = x.centre(t, j);
            n = scale < 0 ? Integer(n >> static_cast<unsigned>(-scale))
                          : Integer(n << static_cast<unsigned>(scale));
          }
        }
        if (p == 64) x.radius[0] = Integer(1) << 63U;  // half of one
        const forward::Balls y = language::activated(x, activation, constants, language::in_turn);
        for (int point = 0; point < 6; ++point) {
          const exact::RationalMatrix points = points_of(random, x, p);
          for (std::size_t t = 0; t < 4; ++t) {
            for (std::size_t j = 0; j < 5; ++j) {
              CHECK(holds(y, t, j, activation_of(activation, real(points(t, j))), p));
            }
          }
        }
        for (std::size_t t = 0; t < 4 && scale <= 0; ++t) {
          CHECK(y.radius[t] <= 2 * x.radius[t] + 500);
        }
      }
    }
  }
}

TEST_CASE("Sums, differences, products and multiples hold those of all points") {
  std::mt19937_64 random(4);
  constexpr unsigned p = 64;
  for (int round = 0; round < 60; ++round) {
    const forward::Balls a = random_balls(random, 3, 4, p, std::uint64_t{1} << (10 + round % 53));
    const forward::Balls b = random_balls(random, 3, 4, p, std::uint64_t{1} << (random() % 63));
    const Integer low = Integer(random()) - (Integer(1) << 63U);
    const forward::Range factor{low, low + random() % 10'000'000};
    forward::Balls sum = a;
    forward::add(sum, b, 1);
    forward::Balls difference = a;
    forward::add(difference, b, -1);
    const forward::Balls product = language::product(a, b, p);
    const forward::Balls scaled = language::scaled(a, factor, p);
    for (int point = 0; point < 4; ++point) {
      const exact::RationalMatrix x = points_of(random, a, p);
      const exact::RationalMatrix y = points_of(random, b, p);
      const Integer& end = random() % 2 == 0 ? factor.lower : factor.upper;
      const Rational f = Rational(end) * exact::power_of_two(-64);
      for (std::size_t t = 0; t < 3; ++t) {
        for (std::size_t j = 0; j < 4; ++j) {
          CHECK(holds(sum, t, j, Rational(x(t, j) + y(t, j)), p));
          CHECK(holds(difference, t, j, Rational(x(t, j) - y(t, j)), p));
          CHECK(holds(product, t, j, Rational(x(t, j) * y(t, j)), p));
          CHECK(holds(scaled, t, j, Rational(x(t, j) * f), p));
        }
      }
    }
  }
}

TEST_CASE("A turn holds that of all points by all angles, and leaves what it does not turn") {
  std::mt19937_64 random(5);
  constexpr unsigned p = 64;
  constexpr std::size_t width = 6;
  for (int round = 0; round < 60; ++round) {
    const forward::Balls before = random_balls(random, 2, 2 * width, p, std::uint64_t{1} << round);
    language::Angles angles;
    for (std::size_t j = 0; j < 2; ++j) {  // of 4 coordinates of a head's 6, some above 1
      const Integer c = Integer(random()) - (Integer(1) << 63U);
      const Integer s = (Integer(random()) - (Integer(1) << 63U)) * 3;
      angles.push_back({{c, c + random() % 5'000'000}, {s, s + random() % 5'000'000}});
    }
    forward::Balls after = before;
    language::rotate(after, 1, width, angles, p);
    CHECK(after.radius[0] == before.radius[0]);
    for (int point = 0; point < 4; ++point) {
      const exact::RationalMatrix x = points_of(random, before, p);
      const auto end = [&](const forward::Range& range) {
        return Rational(random() % 2 == 0 ? range.lower : range.upper) * exact::power_of_two(-64);
      };
      for (std::size_t h = 0; h < 2; ++h) {
        for (std::size_t j = 0; j < 2; ++j) {
          const Rational c = end(angles[j].cosine);
          const Rational s = end(angles[j].sine);
          const std::size_t first = h * width + j;
          const Rational a = x(1, first);
          const Rational b = x(1, first + 2);
          CHECK(holds(after, 1, first, Rational(a * c - b * s), p));
          CHECK(holds(after, 1, first + 2, Rational(b * c + a * s), p));
        }
        for (std::size_t j = 4; j < width; ++j) {
          CHECK(holds(after, 1, h * width + j, x(1, h * width + j), p));
          CHECK(after.centre(0, h * width + j) == before.centre(0, h * width + j));
        }
      }
    }
  }
}
