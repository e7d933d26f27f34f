// The safetensors reader: what it writes it reads, every stored number comes out exactly, and no
// header makes it look outside the file.
#include "safetensors/safetensors.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "json/strict.hpp"
#include "output/safetensors.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;
using exact::Rational;
using safetensors::Contents;
using safetensors::Tensor;

namespace {

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 255U);
  return text;
}

std::string file_of(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

std::string code(const std::string& bytes) {
  const auto contents = safetensors::parse(bytes, "test");
  return contents ? "accepted" : contents.error().code;
}

// One tensor `a` of one F32 whose entry is written as given.
std::string one(const std::string& shape, const std::string& offsets, std::size_t bytes = 4,
                const std::string& dtype = "F32") {
  return code(file_of("{" + entry("a", dtype, shape, offsets) + "}", std::string(bytes, '\0')));
}

Tensor tensor(const std::string& dtype, safetensors::Dtype kind, const std::string& bytes,
              std::size_t element) {
  return {kind, dtype, {bytes.size() / element}, bytes};
}

Rational value16(safetensors::Dtype kind, std::uint16_t bits) {
  const auto values =
      safetensors::exact_values(tensor("", kind, little_endian(bits, 2), 2), "test");
  REQUIRE(values.has_value());
  REQUIRE(values->size() == 1);
  return (*values)[0];
}

template <typename Float, typename Word>
Rational value_of_float(safetensors::Dtype kind, Float value) {
  Word bits = 0;
  static_assert(sizeof(bits) == sizeof(value));
  std::memcpy(&bits, &value, sizeof(bits));
  const auto values = safetensors::exact_values(
      tensor("", kind, little_endian(bits, sizeof(bits)), sizeof(bits)), "t");
  REQUIRE(values.has_value());
  return values->at(0);
}

Rational of(float value) {
  return value_of_float<float, std::uint32_t>(safetensors::Dtype::kF32, value);
}
Rational of(double value) {
  return value_of_float<double, std::uint64_t>(safetensors::Dtype::kF64, value);
}

std::string special(safetensors::Dtype kind, std::uint64_t bits, std::size_t size) {
  const std::string bytes = little_endian(0, size) + little_endian(bits, size);
  const auto values = safetensors::exact_values(tensor("", kind, bytes, size), "W");
  if (values) return "accepted";
  CHECK(values.error().what.find("element 1 ") == 0);
  return values.error().code;
}

}  // namespace

TEST_CASE("What is written is read back: tensors, shapes, dtypes, metadata") {
  Contents contents;
  contents.metadata = {{"attention", "softmax"}, {"note", "a \"quoted\" \xc3\xa9\n"}};
  contents.tensors["b"] = output::float32_tensor({2, 3}, {1, -2, 0.5F, -0.0F, 1e-45F, 3e38F});
  contents.tensors["a"] = {safetensors::Dtype::kBF16, "BF16", {1}, std::string("\x80\x3f", 2)};
  contents.tensors["empty"] = {safetensors::Dtype::kF64, "F64", {0, 7}, ""};
  contents.tensors["scalar"] = {safetensors::Dtype::kF16, "F16", {}, std::string("\x00\x3c", 2)};
  contents.tensors["mask"] = {safetensors::Dtype::kOther, "BOOL", {3}, std::string("\1\0\1", 3)};
  const std::string bytes = output::serialize(contents);
  CHECK(bytes == output::serialize(contents));
  const auto read = safetensors::parse(bytes, "test");
  REQUIRE(read.has_value());
  CHECK(read->metadata == contents.metadata);
  REQUIRE(read->tensors.size() == contents.tensors.size());
  for (const auto& [name, written] : contents.tensors) {
    INFO(name);
    const Tensor& back = read->tensors.at(name);
    CHECK(back.dtype == written.dtype);
    CHECK(back.dtype_name == written.dtype_name);
    CHECK(back.shape == written.shape);
    CHECK(back.bytes == written.bytes);
  }
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), 8);
  CHECK(header % 8 == 0);
}

TEST_CASE("Every prefix of a file is refused, and every longer file") {
  Contents contents;
  contents.tensors["a"] = output::float32_tensor({2, 2}, {1, 2, 3, 4});
  const std::string bytes = output::serialize(contents);
  REQUIRE(code(bytes) == "accepted");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    INFO(size);
    CHECK(code(bytes.substr(0, size)) != "accepted");
  }
  CHECK(code(bytes.substr(0, 7)) == "SP0401");
  CHECK(code(bytes.substr(0, 20)) == "SP0401");
  CHECK(code(bytes.substr(0, bytes.size() - 1)) == "SP0403");
  CHECK(code(bytes + std::string(1, '\0')) == "SP0403");
}

TEST_CASE("A header length beyond the file or the limit is refused") {
  const std::uint64_t lengths[] = {3,
                                   99,
                                   100'000'001,
                                   std::uint64_t{1} << 31U,
                                   std::uint64_t{1} << 32U,
                                   std::uint64_t{1} << 63U,
                                   std::numeric_limits<std::uint64_t>::max() - 7,
                                   std::numeric_limits<std::uint64_t>::max()};
  for (const std::uint64_t length : lengths) {
    INFO(length);
    CHECK(code(little_endian(length, 8) + "{}") == "SP0401");
  }
  CHECK(code(little_endian(2, 8) + "{}") == "accepted");
  CHECK(code(little_endian(1, 8) + "{}") == "SP0402");
  CHECK(code(little_endian(0, 8) + "{}") == "SP0402");
}

TEST_CASE("A header that is not the expected JSON is refused") {
  for (const std::string header :
       {"[]", "null", "{\"a\":1}", "{\"a\":{}}", "{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}",
        "{\"__metadata__\":[]}", "{\"__metadata__\":{\"x\":1}}", "{\"__metadata__\":{\"x\":null}}",
        "{} {}", "{\"a\":1.5}", "{"}) {
    INFO(header);
    CHECK(code(file_of(header, "")) == "SP0402");
  }
  CHECK(code(file_of("{}", "")) == "accepted");
  CHECK(code(file_of("{}   ", "")) == "accepted");
  const std::string entry_more =
      R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"scale":"2"}})";
  CHECK(code(file_of(entry_more, std::string(4, '\0'))) == "SP0402");
}

TEST_CASE("A name that occurs twice is refused") {
  const std::string a = entry("a", "F32", "[1]", "[0,4]");
  CHECK(code(file_of("{" + a + "}", std::string(4, '\0'))) == "accepted");
  CHECK(code(file_of("{" + a + "," + a + "}", std::string(4, '\0'))) == "SP0402");
  CHECK(code(file_of("{" + a + "," + entry("a", "F32", "[1]", "[4,8]") + "}",
                     std::string(8, '\0'))) == "SP0402");
  CHECK(code(file_of(R"({"__metadata__":{"attention":"relu","attention":"softmax"}})", "")) ==
        "SP0402");
  CHECK(code(file_of(R"({"a":{"dtype":"F32","dtype":"F64","shape":[1],"data_offsets":[0,4]}})",
                     std::string(4, '\0'))) == "SP0402");
}

TEST_CASE("Shape, dtype and offsets must agree") {
  CHECK(one("[1]", "[0,4]") == "accepted");
  CHECK(one("[]", "[0,4]") == "accepted");
  CHECK(one("[1,1,1]", "[0,4]") == "accepted");
  CHECK(one("[2]", "[0,4]") == "SP0403");
  CHECK(one("[0]", "[0,4]") == "SP0403");
  CHECK(one("[1]", "[0,4]", 4, "F64") == "SP0403");
  CHECK(one("[1]", "[0,4]", 4, "BF16") == "SP0403");
  CHECK(one("[1]", "[0,3]") == "SP0403");
  CHECK(one("[1]", "[4,0]") == "SP0403");
  CHECK(one("[1]", "[0,8]") == "SP0403");
  CHECK(one("[1]", "[18446744073709551612,18446744073709551615]") == "SP0403");
  CHECK(one("[1]", "[0,18446744073709551615]") == "SP0403");
}

TEST_CASE("A shape whose size overflows 64 bits is refused") {
  CHECK(one("[4611686018427387905]", "[0,4]") == "SP0403");  // 2^62 + 1: times 4 is 4 mod 2^64
  CHECK(one("[4294967296,4294967296]", "[0,0]", 0) == "SP0403");
  CHECK(one("[4294967297,4294967297,4294967297]", "[0,4]") == "SP0403");
  CHECK(one("[18446744073709551615]", "[0,4]") == "SP0403");
  CHECK(one("[4294967296,4294967296,0]", "[0,0]", 0) == "SP0403");
  CHECK(one("[0,4294967296,4294967296]", "[0,0]", 0) == "accepted");
}

TEST_CASE("Fields of the wrong type are refused") {
  CHECK(one("[-1]", "[0,4]") == "SP0402");
  CHECK(one("[\"1\"]", "[0,4]") == "SP0402");
  CHECK(one("[true]", "[0,4]") == "SP0402");
  CHECK(one("[[1]]", "[0,4]") == "SP0402");
  CHECK(one("1", "[0,4]") == "SP0402");
  CHECK(one("[1.0]", "[0,4]") == "SP0402");
  CHECK(one("[1]", "[-4,0]") == "SP0402");
  CHECK(one("[1]", "[0]") == "SP0402");
  CHECK(one("[1]", "[0,4,8]") == "SP0402");
  CHECK(one("[1]", "[\"0\",\"4\"]") == "SP0402");
  CHECK(one("[1]", "{\"0\":0,\"1\":4}") == "SP0402");
  CHECK(one("[1]", "null") == "SP0402");
  CHECK(one("[1]", "[0,4]", 4, "F31") ==
        "accepted");  // of a dtype that is not known the size is not
  CHECK(one("[1]", "[0,4]", 4, "f32") == "SP0402");
  CHECK(one("[1]", "[0,4]", 4, "") == "SP0402");
}

TEST_CASE("Tensors that overlap or leave a gap are refused") {
  const auto two = [](const std::string& first, const std::string& second, std::size_t bytes) {
    return code(file_of(
        "{" + entry("a", "F32", "[1]", first) + "," + entry("b", "F32", "[1]", second) + "}",
        std::string(bytes, '\0')));
  };
  CHECK(two("[0,4]", "[4,8]", 8) == "accepted");
  CHECK(two("[4,8]", "[0,4]", 8) == "accepted");
  CHECK(two("[0,4]", "[0,4]", 4) == "SP0403");
  CHECK(two("[0,4]", "[2,6]", 6) == "SP0403");
  CHECK(two("[0,4]", "[5,9]", 9) == "SP0403");
  CHECK(two("[4,8]", "[8,12]", 12) == "SP0403");
  CHECK(two("[0,4]", "[4,8]", 9) == "SP0403");
  const std::string empty = entry("c", "F32", "[0]", "[2,2]");
  CHECK(code(file_of("{" + entry("a", "F32", "[1]", "[0,4]") + "," + empty + "}",
                     std::string(4, '\0'))) == "SP0403");
}

TEST_CASE("F32 and F64 values are exact, subnormals, extremes and -0 included") {
  CHECK(of(1.5F) == exact::make_rational(3, 2));
  CHECK(of(0.1F) == exact::make_rational(13421773, 134217728));
  CHECK(of(-0.0F) == 0);
  CHECK(of(std::numeric_limits<float>::denorm_min()) == exact::power_of_two(-149));
  CHECK(of(std::numeric_limits<float>::min()) == exact::power_of_two(-126));
  CHECK(of(-std::numeric_limits<float>::max()) ==
        -Rational(exact::Integer(16777215)) * exact::power_of_two(104));
  CHECK(of(-0.0) == 0);
  CHECK(of(0.1) == exact::make_rational(exact::Integer("3602879701896397"),
                                        exact::Integer("36028797018963968")));
  CHECK(of(std::numeric_limits<double>::denorm_min()) == exact::power_of_two(-1074));
  CHECK(of(-std::numeric_limits<double>::min()) == -exact::power_of_two(-1022));
  CHECK(of(std::numeric_limits<double>::max()) ==
        Rational(exact::Integer("9007199254740991")) * exact::power_of_two(971));
  for (int exponent = -160; exponent <= 120; ++exponent) {
    const float x = std::ldexp(-1.2345F, exponent);
    CHECK(of(x) == rounded::from_double(x));
    CHECK(of(std::ldexp(1.2345, exponent * 6)) ==
          rounded::from_double(std::ldexp(1.2345, exponent * 6)));
  }
}

TEST_CASE("Every finite F16 and BF16 value is exact") {
  const auto expected = [](std::uint16_t bits, int exponent_bits, int fraction_bits) {
    const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                           : std::ldexp(fraction + (1 << fraction_bits),
                                                        exponent - bias - fraction_bits);
    return rounded::from_double((bits >> 15) != 0 ? -magnitude : magnitude);
  };
  int finite = 0;
  for (int word = 0; word < 65536; ++word) {
    const auto bits = static_cast<std::uint16_t>(word);
    if (((word >> 10) & 31) != 31) {
      if (value16(safetensors::Dtype::kF16, bits) != expected(bits, 5, 10)) FAIL("F16 " << word);
      ++finite;
    }
    if (((word >> 7) & 255) != 255) {
      if (value16(safetensors::Dtype::kBF16, bits) != expected(bits, 8, 7)) FAIL("BF16 " << word);
      ++finite;
    }
  }
  CHECK(finite == 63488 + 65280);
  CHECK(value16(safetensors::Dtype::kF16, 0x7BFF) == 65504);
  CHECK(value16(safetensors::Dtype::kF16, 0x0001) == exact::power_of_two(-24));
  CHECK(value16(safetensors::Dtype::kF16, 0x8000) == 0);
  CHECK(value16(safetensors::Dtype::kBF16, 0x7F7F) == Rational(255) * exact::power_of_two(120));
  CHECK(value16(safetensors::Dtype::kBF16, 0x8001) == -exact::power_of_two(-133));
}

TEST_CASE("NaN and infinities are refused and their place is named") {
  using safetensors::Dtype;
  for (const std::uint64_t bits :
       {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0x7F800001U, 0xFFFFFFFFU}) {
    CHECK(special(Dtype::kF32, bits, 4) == "SP0405");
  }
  for (const std::uint64_t bits : {0x7FF0000000000000U, 0xFFF0000000000000U, 0x7FF8000000000000U,
                                   0x7FF0000000000001U, 0xFFFFFFFFFFFFFFFFU}) {
    CHECK(special(Dtype::kF64, bits, 8) == "SP0405");
  }
  for (const std::uint64_t bits : {0x7C00U, 0xFC00U, 0x7E00U, 0x7C01U}) {
    CHECK(special(Dtype::kF16, bits, 2) == "SP0405");
  }
  for (const std::uint64_t bits : {0x7F80U, 0xFF80U, 0x7FC0U, 0x7F81U}) {
    CHECK(special(Dtype::kBF16, bits, 2) == "SP0405");
  }
  CHECK(special(Dtype::kF32, 0x7F7FFFFF, 4) == "accepted");
}

TEST_CASE("A dtype without weights is refused when its values are asked for, not before") {
  const std::string bytes =
      file_of("{" + entry("a", "I64", "[1]", "[0,8]") + "}", std::string(8, '\1'));
  const auto contents = safetensors::parse(bytes, "test");
  REQUIRE(contents.has_value());
  const Tensor& a = contents->tensors.at("a");
  const auto values = safetensors::exact_values(a, "a");
  REQUIRE_FALSE(values.has_value());
  CHECK(values.error().code == "SP0404");
  const auto floats = output::float32_values(a, "a");
  REQUIRE_FALSE(floats.has_value());
  CHECK(floats.error().code == "SP0404");
}

TEST_CASE("Values come in row-major order") {
  const Tensor matrix = output::float32_tensor({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto values = safetensors::exact_values(matrix, "matrix");
  REQUIRE(values.has_value());
  CHECK(*values == std::vector<Rational>{1, 2, 3, 4, 5, 6});
  CHECK(*output::float32_values(matrix, "matrix") == std::vector<float>{1, 2, 3, 4, 5, 6});
}
