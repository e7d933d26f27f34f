// Whatever happens to the process of a check, what comes out of it is a verdict, and "proved" only
// where the whole outcome arrived.
#include "check/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <vector>

#include "exact/rational.hpp"

using namespace sinkproof;
using check::Limits;
using check::Outcome;

namespace {

Outcome proved() {
  Outcome outcome;
  outcome.file = "a file\xff\n12:";  // no UTF-8, and what could pass for a field
  outcome.claim = "tc-1";
  outcome.verdict = "proved";
  outcome.evidence = "exact";
  outcome.reason = std::string("one\0two", 7);
  outcome.overrides = {"attention", "scale"};
  outcome.remarks = "reads on\n";
  outcome.exit_code = 0;
  return outcome;
}

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

TEST_CASE("An outcome arrives as it was") {
  const Outcome expected = proved();
  const Outcome outcome = check::within({60, 1000}, proved);
  CHECK(outcome.file == expected.file);
  CHECK(outcome.claim == expected.claim);
  CHECK(outcome.verdict == expected.verdict);
  CHECK(outcome.evidence == expected.evidence);
  CHECK(outcome.reason == expected.reason);
  CHECK(outcome.code == expected.code);
  CHECK(outcome.overrides == expected.overrides);
  CHECK(outcome.remarks == expected.remarks);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("A check that takes too long ends at the limit", "[seconds]") {
  const double before = seconds_of_children();
  const Outcome outcome = check::within({1, 1000}, [] {
    for (std::atomic<unsigned> i = 0;;) ++i;
    return proved();
  });
  CHECK(outcome.verdict == "unknown");
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.code == "SP0905");
  CHECK(outcome.reason ==
        "the check needs more than its limit of 1 s of processor time; to allow more, run the same "
        "command with --seconds 10");
  CHECK(outcome.milliseconds >= 900);
  CHECK(seconds_of_children() - before < 2.5);
}

TEST_CASE("A check that ignores the signal of the limit is ended a second later", "[seconds]") {
  const Outcome outcome = check::within({1, 1000}, [] {
    std::signal(SIGXCPU, SIG_IGN);
    for (std::atomic<unsigned> i = 0;;) ++i;
    return proved();
  });
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.code == "SP0905");
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("A check that needs too much memory ends at the limit") {
  // In small pieces; in one piece; of GMP; where the check catches everything that is thrown.
  const std::vector<std::function<Outcome()>> checks = {
      [] {
        std::vector<std::vector<char>> all;
        while (true) all.emplace_back(100'000, 'x');
        return proved();
      },
      [] {
        const std::vector<char> one(2'000'000'000, 'x');
        return one.back() == 'x' ? proved() : Outcome();
      },
      [] {
        exact::Integer number = 3;
        while (number > 0) number *= number;
        return proved();
      },
      [] {
        try {
          const std::vector<char> one(2'000'000'000, 'x');
          if (one.back() != 'x') return Outcome();
        } catch (...) {  // the process has ended before
        }
        return proved();
      }};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    CAPTURE(i);
    const Outcome outcome = check::within({60, 64}, checks[i]);
    CHECK(outcome.verdict == "unknown");
    CHECK(outcome.exit_code == 3);
    CHECK(outcome.code == "SP0905");
    CHECK(outcome.reason ==
          "the check needs more than its limit of 64 MB of memory; to allow more, run the same "
          "command with --memory 640");
  }
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  CHECK(usage.ru_maxrss < own.ru_maxrss + 80'000);  // kilobytes
}
#endif

TEST_CASE("A child that dies is never a verdict of the certificate") {
  const std::vector<std::function<Outcome()>> checks = {
      [] {
        std::raise(SIGSEGV);
        return proved();
      },
      [] {
        std::signal(SIGABRT, SIG_DFL);
        std::abort();
        return proved();
      },
      [] {
        std::raise(SIGKILL);
        return proved();
      },
      [] {
        _exit(0);
        return proved();
      },
      [] {
        _exit(1);
        return proved();
      },
      []() -> Outcome { throw std::runtime_error("not caught"); },
      []() -> Outcome { throw 1; }};
  for (std::size_t i = 0; i < checks.size(); ++i) {
    CAPTURE(i);
    const Outcome outcome = check::within({60, 1000}, [&] {
      for (const int signal : {SIGSEGV, SIGABRT}) std::signal(signal, SIG_DFL);  // not Catch's
      return checks[i]();
    });
    CHECK(outcome.verdict == "unknown");
    CHECK(outcome.exit_code == 5);
    CHECK(outcome.code == "SP0999");
  }
}

TEST_CASE("Part of an outcome is none") {
  // What the child writes itself lies before the outcome, or is all there is.
  for (const char* text : {"5:a fil", "0:0:6:proved5:exact0:0:1:01:01:0", "x", "1:", ":"}) {
    CAPTURE(text);
    const Outcome outcome = check::within({60, 1000}, [&] {
      for (int file = 3; file < 64; ++file) {
        if (write(file, text, std::string(text).size()) > 0) _exit(0);
      }
      _exit(1);
      return proved();
    });
    CHECK(outcome.verdict == "unknown");
    CHECK(outcome.exit_code == 5);
  }
}
