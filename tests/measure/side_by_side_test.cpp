// Pieces of work on several threads.
#include "measure/side_by_side.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using namespace sinkproof;

TEST_CASE("side by side: each piece is done once, and what one throws is thrown at the end") {
  for (const unsigned jobs : {0U, 1U, 3U, 8U}) {
    std::vector<std::atomic<int>> times(100);
    measure::side_by_side(times.size(), jobs, [&](std::size_t i) { ++times[i]; });
    for (const auto& one : times) CHECK(one == 1);
    std::atomic<std::size_t> begun = 0;
    const auto failing = [&](std::size_t i) {
      ++begun;
      if (i == 4) throw std::runtime_error("the fifth");
    };
    CHECK_THROWS_WITH(measure::side_by_side(1000000, jobs, failing), "the fifth");
    CHECK(begun < 1000000);
  }
}
