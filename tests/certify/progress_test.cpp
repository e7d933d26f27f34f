#include "certify/progress.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using sinkproof::certify::Progress;
using Told = std::vector<std::pair<std::string, double>>;

Told told_in(double seconds, std::chrono::milliseconds waits) {
  Told told;
  {
    Progress progress(
        [&](const std::string& doing, double share) { told.emplace_back(doing, share); }, seconds);
    progress.begin("first", 0.5);
    progress.begin("second", 0.25);
    std::this_thread::sleep_for(waits);
  }
  return told;
}

}  // namespace

TEST_CASE("what is told of a search never goes back") {
  const Told told = told_in(1000, std::chrono::milliseconds(0));
  REQUIRE(told.size() >= 2);
  CHECK(told.front() == std::pair(std::string("first"), 0.5));
  CHECK(told.back() == std::pair(std::string("second"), 0.5));
}

TEST_CASE("a search that does not move on is told every second, by its time", "[seconds]") {
  const Told told = told_in(2, std::chrono::milliseconds(1500));
  REQUIRE(told.size() >= 3);
  CHECK(told.back().first == "second");
  CHECK(told.back().second > 0.5);
}

TEST_CASE("time beyond what there was is a whole") {
  CHECK(told_in(1e-9, std::chrono::milliseconds(1)).back().second == 1);
}

TEST_CASE("nobody has to listen") {
  Progress progress({}, 1);
  progress.begin("first", 0.5);
}
