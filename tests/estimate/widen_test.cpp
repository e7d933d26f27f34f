#include "estimate/widen.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using sinkproof::estimate::widen;
using sinkproof::safetensors::Dtype;
using sinkproof::safetensors::View;

namespace {

// Holds every element against the exact reading, on its own and among finite neighbours.
template <typename Word>
void check(Dtype dtype, const std::vector<Word>& words) {
  std::string bytes(words.size() * sizeof(Word), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  const View view{dtype, "", {words.size()}, bytes};
  std::size_t finite = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto exact = element(view, i);
    double value = 0;
    if (widen(view, i, 1, &value) != exact.has_value()) FAIL("element " << i);
    if (!exact) continue;
    ++finite;
    const double expected = std::ldexp(static_cast<double>(exact->significand), exact->exponent);
    if (value != expected) FAIL("element " << i << " is " << value << ", not " << expected);
  }
  CHECK(finite > words.size() / 2);
  std::vector<double> values(words.size());
  CHECK(widen(view, 0, words.size(), values.data()) == (finite == words.size()));
}

template <typename Word>
std::vector<Word> all_words(unsigned shift) {
  std::vector<Word> words(65536);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<Word>(std::uint64_t{i} << shift);
  return words;
}

}  // namespace

TEST_CASE("Every half and every bfloat16 is the double of the same value") {
  check(Dtype::kF16, all_words<std::uint16_t>(0));
  check(Dtype::kBF16, all_words<std::uint16_t>(0));
}

TEST_CASE("Floats and doubles of all signs and exponents, subnormals, infinities and NaNs") {
  check(Dtype::kF32, all_words<std::uint32_t>(16));
  check(Dtype::kF32, all_words<std::uint32_t>(0));
  check(Dtype::kF64, all_words<std::uint64_t>(48));
  check(Dtype::kF64, all_words<std::uint64_t>(0));
}

TEST_CASE("What is widened is what was asked for") {
  const std::vector<float> stored = {1, 2, 3, 4};
  std::string bytes(16, '\0');
  std::memcpy(bytes.data(), stored.data(), 16);
  std::vector<double> values(4, -1);
  REQUIRE(widen({Dtype::kF32, "F32", {4}, bytes}, 1, 2, values.data()));
  CHECK(values == std::vector<double>{2, 3, -1, -1});
}
