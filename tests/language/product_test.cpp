// A map of a file's tensor against exact rationals: weights of every dtype and of exponents as far
// apart as they can be, biases, and every layout; and at the corners of the balls.
#include "language/product.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "exact_points.hpp"

using namespace sinkproof;
using exact::Integer;
using exact::Rational;
using language::Map;
using safetensors::Dtype;
using safetensors::View;

namespace {

struct Stored {
  std::string bytes;
  View view;
};

// Random finite bits: exponents between `low` and `high` of all there are, in 256ths; some zeros.
Stored random_tensor(std::mt19937_64& random, Dtype dtype, const std::vector<std::uint64_t>& shape,
                     unsigned low, unsigned high) {
  struct Form {
    unsigned size, exponent, fraction;
  };
  const Form form = dtype == Dtype::kF64   ? Form{8, 11, 52}
                    : dtype == Dtype::kF32 ? Form{4, 8, 23}
                    : dtype == Dtype::kF16 ? Form{2, 5, 10}
                                           : Form{2, 8, 7};
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  Stored result;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t from = (std::uint64_t{low} << form.exponent) / 256;
    const std::uint64_t most = (std::uint64_t{high} << form.exponent) / 256 - 1;
    const std::uint64_t exponent =
        std::min(from + random() % (most - from + 1), (std::uint64_t{1} << form.exponent) - 2);
    std::uint64_t bits = (random() & ((std::uint64_t{1} << form.fraction) - 1)) |
                         exponent << form.fraction |
                         (random() % 2) << (form.fraction + form.exponent);
    if (random() % 7 == 0) bits = (random() % 2) << (form.fraction + form.exponent);
    result.bytes.append(reinterpret_cast<const char*>(&bits), form.size);
  }
  result.view = {dtype, "", shape, result.bytes};
  return result;
}

Rational value(const View& tensor, std::size_t index) {
  const auto found = safetensors::element(tensor, index);
  return Rational(Integer(found->significand)) * exact::power_of_two(found->exponent);
}

// The map of tensors as LANGUAGE_RULES.md says it: row `o` of part `part` of `parts`, one after the
// other or within each head of `head` rows (0: not so).
struct Layout {
  std::size_t part = 0;
  std::size_t parts = 1;
  std::size_t head = 0;
  bool in_first = false;
};

std::size_t tensor_row(const Layout& layout, std::size_t out, std::size_t o) {
  if (layout.head == 0) return layout.part * out + o;
  return o / layout.head * (layout.head * layout.parts) + layout.part * layout.head +
         o % layout.head;
}

void check_map(std::mt19937_64& random, Dtype dtype, const Layout& layout, unsigned low,
               unsigned high, unsigned p) {
  constexpr std::size_t out = 6;
  constexpr std::size_t in = 9;
  const std::size_t whole = out * layout.parts;
  const Stored weight = random_tensor(random, dtype,
                                      layout.in_first ? std::vector<std::uint64_t>{in, whole}
                                                      : std::vector<std::uint64_t>{whole, in},
                                      low, high);
  const Stored bias = random_tensor(random, dtype, {whole}, low, high);
  const std::size_t group = layout.head == 0 ? out : layout.head;
  const Map map{.weight = &weight.view,
                .bias = random() % 3 == 0 ? nullptr : &bias.view,
                .out = out,
                .in = in,
                .in_first = layout.in_first,
                .group = group,
                .stride = group * layout.parts,
                .offset = group * layout.part};
  const forward::Balls x = random_balls(random, 3, in, p);
  const forward::Balls y = language::apply(map, x, p, language::in_turn);
  for (int corner = 0; corner < 4; ++corner) {
    const exact::RationalMatrix points = points_of(random, x, p);
    for (std::size_t t = 0; t < x.rows(); ++t) {
      Rational most = 0;  // what the row of largest sum makes of the radius, and roundings
      for (std::size_t o = 0; o < out; ++o) {
        const std::size_t row = tensor_row(layout, out, o);
        Rational sum = map.bias == nullptr ? Rational(0) : value(bias.view, row);
        Rational size = 0;
        for (std::size_t i = 0; i < in; ++i) {
          const Rational w = value(weight.view, layout.in_first ? i * whole + row : row * in + i);
          sum += w * points(t, i);
          size += exact::abs(w);
        }
        INFO("row " << t << " coordinate " << o);
        CHECK(holds(y, t, o, sum, p));
        const Rational rounding = exact::power_of_two(-48) * Rational(in + 1);
        most = std::max(most,
                        Rational(size * (Rational(x.radius[t]) * (1 + rounding) + rounding) + 4));
      }
      CHECK(Rational(y.radius[t]) <= most);
    }
  }
}

constexpr Layout kLayouts[] = {{},
                               {.part = 1, .parts = 3},
                               {.part = 2, .parts = 3, .in_first = true},
                               {.part = 1, .parts = 3, .head = 2},
                               {.in_first = true}};

}  // namespace

TEST_CASE("A map of weights close to one another, in every dtype and layout") {
  std::mt19937_64 random(1);
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
    for (const Layout& layout : kLayouts) {
      for (const unsigned p : {32U, 50U, 58U, 60U, 64U, 180U, 500U}) {
        check_map(random, dtype, layout, 124, 132, p);
      }
    }
  }
}

TEST_CASE("A map of weights as far apart as a dtype has them: nothing is lost unseen") {
  std::mt19937_64 random(2);
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
    for (const Layout& layout : kLayouts) {
      for (const unsigned p : {64U, 2048U}) {
        check_map(random, dtype, layout, 0, 256, p);
        check_map(random, dtype, layout, 0, 20, p);
        check_map(random, dtype, layout, 230, 256, p);
      }
    }
  }
}

TEST_CASE("A map whose products are all as large as they can be: no sum overflows") {
  constexpr std::size_t in = 4095;
  for (const auto& [dtype, bits, size] :
       {std::tuple(Dtype::kF64, std::uint64_t{0x3fefffffffffffff}, 8U),
        std::tuple(Dtype::kF32, std::uint64_t{0x3f7fffff}, 4U),
        std::tuple(Dtype::kBF16, std::uint64_t{0x3f7f}, 2U)}) {
    std::string bytes;
    for (std::size_t i = 0; i < in; ++i) bytes.append(reinterpret_cast<const char*>(&bits), size);
    const View weight{dtype, "", {1, in}, bytes};
    const Map map{.weight = &weight, .out = 1, .in = in};
    for (const unsigned number_bits : {1U, 51U, 62U, 63U, 64U, 126U, 378U, 379U}) {
      forward::Balls x(2, in);
      for (std::size_t i = 0; i < in; ++i) {
        x.centre(0, i) = (Integer(1) << number_bits) - 1;
        x.centre(1, i) = -x.centre(0, i);
      }
      const forward::Balls y = language::apply(map, x, 200, language::in_turn);
      const Rational sum = value(weight, 0) * Rational(x.centre(0, 0)) * Rational(in);
      INFO("numbers of " << number_bits << " bits, weights of " << 8 * size);
      CHECK(y.centre(0, 0) == exact::floor(sum));
      CHECK(y.centre(1, 0) == exact::floor(-sum));
    }
  }
}

TEST_CASE("Some rows of a map are those rows of all of it") {
  std::mt19937_64 random(3);
  const Stored weight = random_tensor(random, Dtype::kF32, {40, 5}, 100, 140);
  const Map map{.weight = &weight.view, .out = 40, .in = 5, .group = 40, .stride = 40};
  const forward::Balls x = random_balls(random, 2, 5, 100);
  const forward::Balls all = language::apply(map, x, 100, language::in_turn);
  const forward::Balls some = language::apply(map, 17, 20, x, 100, language::in_turn);
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t o = 0; o < 20; ++o) CHECK(some.centre(t, o) == all.centre(t, o + 17));
  }
}

TEST_CASE("An element in units of 2^-p lies between two neighbours, or is one number") {
  std::mt19937_64 random(4);
  for (const Dtype dtype : {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
    const Stored tensor = random_tensor(random, dtype, {200}, 0, 256);
    for (std::size_t i = 0; i < 200; ++i) {
      for (const unsigned p : {64U, 2048U}) {
        const forward::Range found = language::element(tensor.view, i, p);
        const Rational scaled = value(tensor.view, i) * exact::power_of_two(p);
        CHECK(found.lower == exact::floor(scaled));
        CHECK(found.upper == exact::ceil(scaled));
      }
    }
  }
}

TEST_CASE("A weight or a bias that is not a number is refused") {
  for (const std::uint64_t bits : {0x7ff0000000000000U, 0xfff0000000000000U, 0x7ff8000000000001U}) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &bits, 8);
    const View bad{Dtype::kF64, "F64", {1, 1}, bytes};
    const std::string zero(8, '\0');
    const View good{Dtype::kF64, "F64", {1, 1}, zero};
    const forward::Balls x(1, 1);
    for (const Map& map : {Map{.weight = &bad, .out = 1, .in = 1},
                           Map{.weight = &good, .bias = &bad, .out = 1, .in = 1}}) {
      try {
        language::apply(map, x, 64, language::in_turn);
        FAIL("accepted");
      } catch (const certificate::Rejected& rejected) {
        CHECK(rejected.error.code == "SP0405");
      }
    }
  }
}
