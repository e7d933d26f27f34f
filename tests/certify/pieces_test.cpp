// Pieces of a search: what is found does not depend on who finds it, where it begins or what was
// found before.
#include "certify/pieces.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "certify/workers.hpp"

using namespace sinkproof;
using namespace sinkproof::certify;

namespace {

// Works for more than is worth keeping.
void toil() {
  timespec now{};
  const auto spent = [&] {
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  constexpr double kLong = 0.03;
  for (const double start = spent(); spent() < start + kLong;) {
  }
}

// Of piece i at a target: a tree that shows both, and the labels it was given. Each finds one.
Piece search(std::size_t i, double target, const Effort& effort) {
  std::string tree = std::to_string(i) + " at " + std::to_string(target);
  for (const Label& label : *effort.nodes.labels) tree += " " + label;
  effort.nodes.labels->push_back("l" + std::to_string(i) + "," + std::to_string(target));
  return {target + (i == 2 ? 1 : 0), {tree}, {{"i", i}}, {}};
}

std::vector<std::string> two_rounds(const Effort& effort) {
  PieceSearch pieces{5, "test", search};
  std::vector<std::string> all;
  for (double target = 0; target < 4; target += 2) {
    const Rounds round{0, search_round(pieces, target, effort)};
    REQUIRE(std::ranges::max(round.pieces, {}, &Piece::target).target == target + 1);
    for (std::string& tree : round.trees()) all.push_back(std::move(tree));
  }
  return all;
}

// A journal of pieces in memory.
struct Kept {
  std::map<std::string, json::Value> pieces;
  std::mutex mutex;

  PieceSharing sharing(Workers& workers, double begin = 0) {
    return {&workers, begin,
            [this](const std::string& name) {
              const std::lock_guard lock(mutex);
              const auto there = pieces.find(name);
              return there == pieces.end() ? json::Value(nullptr) : there->second;
            },
            [this](const std::string& name, const json::Value& piece, double) {
              const std::lock_guard lock(mutex);
              pieces[name] = piece;
            }};
  }
};

}  // namespace

TEST_CASE("workers do everything once, from where they are told, and help where work is nested") {
  for (const unsigned threads : {1U, 4U}) {
    Workers workers(threads);
    std::mutex mutex;
    std::vector<std::size_t> order;
    std::multiset<std::size_t> inner;
    std::set<std::thread::id> who;
    workers.each(0, 0, [&](std::size_t) { FAIL("nothing to do"); });
    workers.each(7, 3, [&](std::size_t i) {
      {
        const std::lock_guard lock(mutex);
        order.push_back(i);
      }
      workers.each(20, 0, [&](std::size_t k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::lock_guard lock(mutex);
        inner.insert(20 * i + k);
        who.insert(std::this_thread::get_id());
      });
    });
    REQUIRE(order.size() == 7);
    if (threads == 1) REQUIRE(order == std::vector<std::size_t>{3, 4, 5, 6, 0, 1, 2});
    REQUIRE(std::set<std::size_t>(inner.begin(), inner.end()).size() == 140);
    REQUIRE(inner.size() == 140);
    REQUIRE(who.size() == threads);
  }
}

TEST_CASE("rounds end at a bound that all pieces have trees for, below the most they may") {
  PieceSearch pieces{3, "test", [](std::size_t i, double target, const Effort&) {
                       const double needed = std::max(target, i == 1 ? 5.0 : 2.0);
                       return Piece{needed, {std::to_string(needed)}, nullptr, {}};
                     }};
  const auto rounds = search_rounds(pieces, 1, 1.002, 6, {});
  REQUIRE(rounds.has_value());
  CHECK(rounds->bound == exact::make_rational(501, 100));
  CHECK(rounds->trees() == std::vector<std::string>(3, "5.010000"));
  CHECK(!search_rounds(pieces, 1, 1.002, 5, {}).has_value());
  pieces.search = [](std::size_t, double, const Effort&) {
    return Piece{HUGE_VAL, {}, nullptr, {}};
  };
  CHECK(!search_rounds(pieces, 1, 1.002, 6, {}).has_value());
}

TEST_CASE("pieces are the same whoever searches for them, and know their own labels") {
  const std::vector<std::string> plain = two_rounds({});
  REQUIRE(plain.size() == 10);
  REQUIRE(plain[2] == "2 at 0.000000");
  REQUIRE(plain[3] == "3 at 1.000000");  // after a block with 2, which needed more
  REQUIRE(plain[7] == "2 at 2.000000 l2,0.000000");
  REQUIRE(plain[8] == "3 at 2.000000 l3,1.000000");  // of all at once
  for (const unsigned threads : {1U, 3U}) {
    for (const double begin : {0.0, 0.5, 0.99}) {
      Workers workers(threads);
      const PieceSharing sharing{&workers, begin, {}, {}};
      Effort effort;
      effort.sharing = &sharing;
      REQUIRE(two_rounds(effort) == plain);
    }
  }
}

TEST_CASE("no more labels are handed on than are tried") {
  int round = 0;
  PieceSearch pieces{1, "many", [&](std::size_t, double, const Effort& own) {
                       REQUIRE(own.nodes.labels->size() == (round == 0 ? 0 : kLabelsTried));
                       for (int k = 0; k < 100; ++k) {
                         own.nodes.labels->push_back(std::to_string(100 * round + k));
                       }
                       return Piece{};
                     }};
  for (; round < 3; ++round) {
    search_round(pieces, 0, {});
    REQUIRE(pieces.labels[0].front() == std::to_string(100 * round + 76));
    REQUIRE(pieces.labels[0].back() == std::to_string(100 * round + 99));
  }
}

TEST_CASE("what took long is kept and found again, by what was given alone") {
  Kept kept;
  std::atomic<int> searched = 0;
  const auto round = [&](const std::string& given, bool is_long, std::vector<Label> known = {}) {
    Workers workers(1);
    const PieceSharing sharing = kept.sharing(workers);
    Effort effort;
    effort.sharing = &sharing;
    PieceSearch pieces{2,
                       given,
                       [&](std::size_t i, double target, const Effort& own) {
                         ++searched;
                         if (is_long) toil();
                         return search(i, target, own);
                       },
                       {std::move(known), {}}};
    return search_round(pieces, 0.1, effort);
  };
  const auto found = round("a", true);
  REQUIRE(searched == 2);
  REQUIRE(kept.pieces.size() == 2);
  const auto again = round("a", true);
  REQUIRE(searched == 2);
  REQUIRE(to_json(again[0]) == to_json(found[0]));
  REQUIRE(to_json(again[1]) == to_json(found[1]));
  round("b", true);
  REQUIRE(searched == 4);
  round("a", true, {"another"});
  REQUIRE(searched == 5);  // of the piece that knows no more the result is there
  round("short", false);
  REQUIRE(searched == 7);
  REQUIRE(kept.pieces.size() == 5);
}

TEST_CASE("what a clock may have cut short is not kept") {
  Kept kept;
  Workers workers(1);
  const PieceSharing sharing = kept.sharing(workers);
  Effort effort;
  effort.sharing = &sharing;
  effort.nodes.deadline = Budget::Clock::now();
  PieceSearch pieces{1, "late", [](std::size_t i, double target, const Effort& own) {
                       toil();
                       return search(i, target, own);
                     }};
  search_round(pieces, 0, effort);
  REQUIRE(kept.pieces.empty());
}

TEST_CASE("only pieces are read as pieces") {
  const Piece piece{HUGE_VAL, {"1[a|b]00"}, {"1/2"}, {"a|b"}};
  const json::Value value = to_json(piece);
  const auto read = piece_from_json(value);
  REQUIRE(read);
  REQUIRE(std::isinf(read->target));
  REQUIRE(to_json(*read) == value);
  REQUIRE(piece_from_json(to_json({0.1, {}, nullptr, {}}))->target == 0.1);
  for (const char* key : {"labels", "trees", "target", "parameters"}) {
    json::Value lacking = value;
    lacking.erase(key);
    REQUIRE_FALSE(piece_from_json(lacking));
  }
  json::Value wrong = value;
  wrong["target"] = "1x";
  REQUIRE_FALSE(piece_from_json(wrong));
  wrong = value;
  wrong["trees"] = {1};
  REQUIRE_FALSE(piece_from_json(wrong));
  REQUIRE_FALSE(piece_from_json(nullptr));
}
