#include "prove/process.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

using namespace sinkproof::prove;

namespace {

Outcome shell(const std::string& script, const Limits& limits = {}) {
  const auto outcome = run_program({"/bin/sh", "-c", script}, "/", limits);
  REQUIRE(outcome.has_value());
  return *outcome;
}

}  // namespace

TEST_CASE("A program's output, complaints and exit status come back") {
  const Outcome outcome = shell("echo out; echo err >&2; exit 3");
  CHECK(outcome.exited);
  CHECK(outcome.exit_status == 3);
  CHECK(outcome.output == "out\n");
  CHECK(outcome.errors == "err\n");
  CHECK(shell("pwd").output == "/\n");
  CHECK(shell("cat").output.empty());  // standard input is closed
}

TEST_CASE("Output without end is cut, not collected") {
  const Outcome outcome = shell("yes | head -c 4000000");
  CHECK(outcome.exited);
  CHECK(outcome.output.size() == (std::size_t{1} << 20U));
}

TEST_CASE("A program that hangs, spins or takes too much memory is stopped") {
  const auto start = std::chrono::steady_clock::now();
  const Outcome asleep = shell("sleep 60", {60, 1, std::uint64_t{1} << 30U});
  CHECK(asleep.timed_out);
  CHECK_FALSE(asleep.exited);
  const Outcome spinning = shell("while :; do :; done", {1, 30, std::uint64_t{1} << 30U});
  CHECK_FALSE(spinning.exited);
  CHECK_FALSE(spinning.timed_out);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(30));
  // A shell variable that doubles: 2^27 bytes do not fit into 64 MiB of address space.
  const Outcome greedy =
      shell("x=aaaaaaaa; i=0; while [ $i -lt 24 ]; do x=$x$x; i=$((i+1)); done; echo done",
            {20, 30, std::uint64_t{64} << 20U});
  CHECK(greedy.output.empty());
}

TEST_CASE("A program that is not there is an error") {
  CHECK_FALSE(find_program("no-such-program-anywhere").has_value());
  REQUIRE(find_program("sh").has_value());
  CHECK(find_program("sh")->is_absolute());
  const auto outcome = run_program({"/no/such/program"}, "/", {});
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().code == "SP0701");
}

TEST_CASE("A program does not outlive the one that waits for it") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);  // the program below holds the end for writing
  const pid_t waits = ::fork();
  if (waits == 0) {
    shell("echo $$ >&" + std::to_string(ends[1]) + "; exec sleep 120");
    ::_exit(0);
  }
  ::close(ends[1]);
  std::array<char, 32> pid{};
  REQUIRE(::read(ends[0], pid.data(), pid.size() - 1) > 0);
  ::kill(waits, SIGTERM);
  ::waitpid(waits, nullptr, 0);
  pollfd end{ends[0], POLLIN, 0};
  const bool ended = ::poll(&end, 1, 20'000) == 1;
  CHECK(ended);
  if (!ended) ::kill(std::stoi(pid.data()), SIGKILL);
  ::close(ends[0]);
}
