#include "prove/schedule.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <vector>

using sinkproof::prove::run_tasks;
using sinkproof::prove::Task;

namespace {

using Order = std::vector<std::size_t>;

// Tasks of these costs and needs, in the order in which they are done on `jobs` threads.
Order order_of(const std::vector<std::pair<std::size_t, Order>>& plan, unsigned jobs) {
  Order order;
  std::mutex mutex;
  std::vector<Task> tasks;
  for (const auto& [cost, after] : plan) {
    const auto note = [&, own = tasks.size()] {
      const std::lock_guard lock(mutex);
      order.push_back(own);
    };
    tasks.push_back({note, cost, after});
  }
  run_tasks(tasks, jobs);
  return order;
}

}  // namespace

TEST_CASE("What most work hangs on goes first, ties in the order they came") {
  CHECK(order_of({{1, {}}, {3, {}}, {2, {}}, {3, {}}}, 1) == Order{1, 3, 2, 0});
  // 0 is short, but 2 waits for it and 3 for that.
  CHECK(order_of({{1, {}}, {8, {}}, {2, {0}}, {9, {2}}}, 1) == Order{0, 2, 3, 1});
  CHECK(order_of({{1, {}}, {13, {}}, {2, {0}}, {9, {2}}}, 1) == Order{1, 0, 2, 3});
  CHECK(order_of({}, 2).empty());
}

TEST_CASE("Every task runs once, after those it needs, on any number of threads") {
  std::vector<std::pair<std::size_t, Order>> plan;
  for (std::size_t i = 0; i < 200; ++i) {
    Order after;
    for (std::size_t k = i % 7 + 1; k <= i; k *= 3) after.push_back(i - k);
    plan.emplace_back(i * 37 % 11, after);
  }
  for (const unsigned jobs : {0U, 1U, 2U, 8U, 300U}) {
    const Order order = order_of(plan, jobs);
    REQUIRE(order.size() == plan.size());
    Order place(plan.size(), plan.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      REQUIRE(place[i] < plan.size());
      for (const std::size_t before : plan[i].second) CHECK(place[before] < place[i]);
    }
  }
}

TEST_CASE("Two tasks run at the same time where two may") {
  std::atomic<int> here = 0;
  const auto meet = [&] {
    ++here;
    while (here < 2) {
    }
  };
  run_tasks({{meet, 1, {}}, {meet, 1, {}}}, 2);
  CHECK(here == 2);
}

TEST_CASE("A circle is run all the same") {
  for (const unsigned jobs : {1U, 3U}) {
    Order order = order_of({{1, {1}}, {5, {0}}, {1, {1}}, {1, {}}, {2, {4}}}, jobs);
    std::sort(order.begin(), order.end());
    CHECK(order == Order{0, 1, 2, 3, 4});
  }
}
