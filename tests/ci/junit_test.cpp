#include "ci/junit.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "summaries.hpp"

using namespace sinkproof::ci;
using namespace sinkproof::ci::test;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Summary of_one(const Finding& finding) {
  Summary summary;
  summary.config = "sinkproof.toml";
  summary.findings = {finding};
  summary.exit_code = finding.exit_code;
  return summary;
}

Finding error_with(int exit_code) {
  Finding finding = mixed().findings[1];
  finding.exit_code = exit_code;
  return finding;
}

}  // namespace

TEST_CASE("JUnit: a green result, byte for byte") {
  CHECK(junit_xml(green()) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="sinkproof gate" tests="2" failures="0" errors="0" skipped="0" time="2.250">
  <testsuite name="theory" tests="1" failures="0" errors="0" skipped="0" time="0.063">
    <testcase classname="sinkproof.theory" name="tc-1: proved" file="sinkproof.toml" line="4" time="0.063"/>
  </testsuite>
  <testsuite name="checkpoints" tests="1" failures="0" errors="0" skipped="0" time="1.500">
    <testcase classname="sinkproof.checkpoints" name="tiny: sup-loss&lt;=0.02 at length 8, box [-1,1]^5" file="sinkproof.toml" line="12" time="1.500"/>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("JUnit: what is not so fails, what could not be asked is an error") {
  for (const int code : {1, 3, 4}) {
    const std::string xml = junit_xml(of_one(error_with(code)));
    CHECK(contains(xml, "<failure type=\"SP1711\" message=\"It is not so; change the model.\">"));
    CHECK(contains(xml, "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\""));
    CHECK(contains(xml, "certified bounds: [0.5, 0.51]"));
  }
  for (const int code : {2, 5}) {
    const std::string xml = junit_xml(of_one(error_with(code)));
    CHECK(contains(xml, "<error type=\"SP1711\""));
    CHECK(contains(xml, "tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  }
  // An error never passes, whatever exit code stands beside it.
  CHECK(contains(junit_xml(of_one(error_with(0))), "<failure "));
}

TEST_CASE("JUnit: a warning passes and says so; what did not change is skipped") {
  const std::string xml = junit_xml(mixed());
  CHECK(contains(xml, "<system-out>warning SP1718: Its certificate was stale"));
  CHECK(contains(xml, "<skipped message=\"Nothing it depends on changed.\"/>"));
  CHECK(contains(xml, "tests=\"10\" failures=\"4\" errors=\"2\" skipped=\"1\""));
  CHECK(
      contains(xml, "name=\"checkpoints\" tests=\"7\" failures=\"4\" errors=\"2\" skipped=\"0\""));
  CHECK(contains(xml, "name=\"claims\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""));
  CHECK(contains(xml, "name=\"theory\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""));
}

TEST_CASE("JUnit: times are never negative, infinite or absent") {
  Summary summary = green();
  summary.findings[0].seconds = -3;
  summary.findings[1].seconds = std::numeric_limits<double>::quiet_NaN();
  summary.seconds = std::numeric_limits<double>::infinity();
  const std::string xml = junit_xml(summary);
  CHECK_FALSE(contains(xml, "nan"));
  CHECK_FALSE(contains(xml, "inf\""));
  CHECK_FALSE(contains(xml, "time=\"-"));
  CHECK(contains(xml, "time=\"31622400000.000\""));
}

TEST_CASE("JUnit: hostile names stay text") {
  const std::string xml = junit_xml(hostile());
  CHECK_FALSE(contains(xml, "<b>"));
  CHECK_FALSE(contains(xml, "]]>"));
  CHECK_FALSE(contains(xml, "\x1b"));
  CHECK_FALSE(contains(xml, "\xff"));
  CHECK(contains(xml, "]]&gt; &amp; |"));
  CHECK(contains(xml, "a:b&#10;::error"));  // a line feed in an attribute
  CHECK(junit_xml(hostile()) == xml);
}
