#include "npy/npy.hpp"

#include <catch2/catch.hpp>
#include <cstring>

using sinkproof::npy::float64_header;
using sinkproof::npy::parse_integers;

namespace {

// An array of two rows of three 32-bit integers, as numpy.save writes it.
std::string saved() {
  std::string bytes = float64_header(std::vector<std::size_t>{2, 3});
  bytes.replace(bytes.find("<f8"), 3, "<i4");
  for (const int value : {1, -2, 3, 4, 5, 600}) {
    char word[4];
    std::memcpy(word, &value, 4);
    bytes.append(word, 4);
  }
  return bytes;
}

}  // namespace

TEST_CASE("Integers are read row by row, with their signs") {
  const auto array = parse_integers(saved(), "ids.npy");
  REQUIRE(array);
  CHECK(array->shape == std::vector<std::size_t>{2, 3});
  CHECK(array->values == std::vector<std::int64_t>{1, -2, 3, 4, 5, 600});
}

TEST_CASE("A header is what NumPy writes, padded to 64 bytes") {
  for (const auto& [shape, text] :
       {std::pair(std::vector<std::size_t>{7}, "'shape': (7, ), }"),
        std::pair(std::vector<std::size_t>{12, 3, 64}, "'shape': (12, 3, 64), }")}) {
    const std::string header = float64_header(shape);
    CHECK(header.size() % 64 == 0);
    CHECK(header.starts_with("\x93NUMPY\x01"));
    CHECK(header.find("{'descr': '<f8', 'fortran_order': False, ") == 10);
    CHECK(header.find(text) != std::string::npos);
    CHECK(header.back() == '\n');
    CHECK(static_cast<unsigned char>(header[8]) + 10U == header.size());
  }
}

TEST_CASE("No truncation and nothing added is read") {
  const std::string whole = saved();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto array = parse_integers(whole.substr(0, size), "ids.npy");
    REQUIRE_FALSE(array);
    REQUIRE(array.error().code == "SP2104");
  }
  CHECK_FALSE(parse_integers(whole + '\0', "ids.npy"));
}

TEST_CASE("A changed byte of the header is refused or leaves as many integers as the bytes hold") {
  const std::string whole = saved();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size() - 24; ++at) {
    for (const char byte : {'\0', '9', '(', '\'', '\xff', ' '}) {
      std::string changed = whole;
      changed[at] = byte;
      const auto array = parse_integers(changed, "ids.npy");
      refused += array ? 0 : 1;
      if (array) REQUIRE(24 % array->values.size() == 0);
    }
  }
  CHECK(refused > 300);
}

TEST_CASE("Extents whose product overflows are refused") {
  for (const char* shape : {"(4294967296, 4294967296)", "(9223372036854775808, 2)",
                            "(99999999999999999999,)", "(0,)", "()", "(1, 2, 3)", "(2 3)"}) {
    std::string text = "{'descr': '<i8', 'fortran_order': False, 'shape': ";
    text += std::string(shape) + ", }\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += {static_cast<char>(text.size()), '\0'};
    const auto array = parse_integers(bytes + text, "ids.npy");
    REQUIRE_FALSE(array);
    CHECK(array.error().code == "SP2104");
  }
}
