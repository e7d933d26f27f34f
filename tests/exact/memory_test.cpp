#include "exact/memory.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <new>

#include "exact/rational.hpp"

using sinkproof::exact::Integer;

// AddressSanitizer reserves terabytes, so that memory cannot be limited under it.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("Numbers there is no memory for are an exception, and what was there is as it was") {
  sinkproof::exact::throw_where_gmp_finds_no_memory();
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit two_gib{rlim_t{2} << 30U, before.rlim_max};
  Integer number = 3;
  number <<= 100;
  REQUIRE(setrlimit(RLIMIT_AS, &two_gib) == 0);
  constexpr std::size_t kBitsOfFourGib = std::size_t{1} << 35U;
  CHECK_THROWS_AS(number <<= kBitsOfFourGib, std::bad_alloc);
  CHECK_THROWS_AS(Integer(number << kBitsOfFourGib), std::bad_alloc);
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(number == Integer("3802951800684688204490109616128"));
}
#endif
