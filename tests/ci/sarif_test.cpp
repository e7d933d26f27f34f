#include "ci/sarif.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "certificate/sha256.hpp"
#include "ci/rules.hpp"
#include "summaries.hpp"

using namespace sinkproof;
using namespace sinkproof::ci;
using namespace sinkproof::ci::test;
using Json = nlohmann::json;

namespace {

Json results(const Summary& summary, SarifResults which = SarifResults::kProblems) {
  return Json::parse(sarif(summary, which))["runs"][0]["results"];
}

std::string fingerprint(const Summary& summary, const char* name) {
  const Json found = results(summary)[0]["partialFingerprints"];
  return found.contains(name) ? found[name].get<std::string>() : "none";
}

Summary refuted() {
  Summary summary = mixed();
  summary.findings = {summary.findings[1]};
  return summary;
}

std::string uri_of(const std::string& file) {
  Summary summary = refuted();
  summary.findings[0].location.file = file;
  return results(summary)[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
}

std::string message_of(const std::string& message) {
  Summary summary = refuted();
  summary.findings[0].message = message;
  const std::string text = results(summary)[0]["message"]["text"];
  const std::string start = "wide, asked bos-floor.pre>=0.9: ";
  REQUIRE(text.starts_with(start));
  return text.substr(start.size());
}

}  // namespace

TEST_CASE("SARIF: problems only, unless all results are asked for") {
  CHECK(results(green()).empty());
  CHECK(results(green(), SarifResults::kAll).size() == 2);
  CHECK(results(mixed()).size() == 7);
  const Json all = results(mixed(), SarifResults::kAll);
  REQUIRE(all.size() == 10);
  CHECK(all[0]["kind"] == "pass");
  CHECK(all[0]["level"] == "none");
  CHECK(all[1]["kind"] == "fail");
  CHECK(all[1]["level"] == "error");
  CHECK(all[2]["kind"] == "fail");
  CHECK(all[2]["level"] == "warning");
  CHECK(all[7]["kind"] == "notApplicable");
  CHECK(all[7]["level"] == "none");
}

TEST_CASE("SARIF: a run that found problems did its work") {
  const auto successful = [](int exit_code) {
    Summary summary = green();
    summary.exit_code = exit_code;
    const Json run = Json::parse(sarif(summary))["runs"][0];
    CHECK(run["invocations"][0]["exitCode"] == exit_code);
    return run["invocations"][0]["executionSuccessful"].get<bool>();
  };
  for (const int code : {0, 1, 3, 4}) CHECK(successful(code));
  for (const int code : {2, 5}) CHECK_FALSE(successful(code));
}

TEST_CASE("SARIF: a claim's fingerprint knows what was asked and nothing else") {
  const Summary before = refuted();
  const std::string claim = fingerprint(before, "sinkproofClaim/v1");
  CHECK(claim == certificate::sha256_hex("11:checkpoints4:wide18:bos-floor.pre>=0.9"));
  Summary after = before;
  Finding& finding = after.findings[0];
  finding.location = {"elsewhere.toml", 99, 9};
  finding.message = "another";
  finding.verdict = "unknown";
  finding.rule = "SP1713";
  finding.certificate_sha256 = std::string(64, 'e');
  finding.seconds = 9;
  CHECK(fingerprint(after, "sinkproofClaim/v1") == claim);
  CHECK(fingerprint(before, "certificateSha256/v1") == std::string(64, 'd'));
  CHECK(fingerprint(after, "certificateSha256/v1") == std::string(64, 'e'));
  for (std::string Finding::*part : {&Finding::suite, &Finding::subject, &Finding::asked}) {
    Summary other = before;
    other.findings[0].*part += "x";
    CHECK(fingerprint(other, "sinkproofClaim/v1") != claim);
  }
  // Where one part ends is part of it.
  Summary moved = before;
  moved.findings[0].suite = "checkpoint";
  moved.findings[0].subject = "swide";
  CHECK(fingerprint(moved, "sinkproofClaim/v1") != claim);
  Summary without = before;
  without.findings[0].certificate_sha256 = "";
  CHECK(fingerprint(without, "certificateSha256/v1") == "none");
  without.findings[0].certificate_sha256 = "not a hash";
  CHECK(fingerprint(without, "certificateSha256/v1") == "none");
  CHECK(fingerprint(before, "primaryLocationLineHash") == "none");
}

TEST_CASE("SARIF: places are relative URIs") {
  CHECK(uri_of("gates/more claims.toml") == "gates/more%20claims.toml");
  CHECK(uri_of("./a//b") == "a/b");
  CHECK(uri_of("/etc/x") == "etc/x");
  CHECK(uri_of("c:x?y#z%20") == "c%3Ax%3Fy%23z%2520");
  CHECK(uri_of("\xff") == "%FF");
  CHECK(uri_of("") == "sinkproof.toml");
}

TEST_CASE("SARIF: nothing in a message is a placeholder or a link") {
  CHECK(message_of("for {0} and {x}") == "for {{0}} and {{x}}");
  CHECK(message_of("[l](https://evil.example)") == "[l] (https://evil.example)");
  CHECK(message_of("in [0.5, 0.51] (p/q)") == "in [0.5, 0.51] (p/q)");
}

TEST_CASE("SARIF: times do not show, the same result gives the same bytes") {
  Summary later = mixed();
  later.seconds *= 3;
  for (Finding& finding : later.findings) finding.seconds += 1;
  CHECK(sarif(later) == sarif(mixed()));
  CHECK(sarif(later, SarifResults::kAll) == sarif(mixed(), SarifResults::kAll));
}

TEST_CASE("The gate's codes: each once, in order, in docs/ERRORS_GATE.md in the same words") {
  std::ifstream file(SINKPROOF_SOURCE_DIR "/docs/ERRORS_GATE.md");
  std::stringstream documented;
  documented << file.rdbuf();
  REQUIRE(rules().size() == 15);
  int number = 1701;
  for (const Rule& rule : rules()) {
    CHECK(rule.code == "SP" + std::to_string(number));
    number = number == 1704 ? 1711 : number + 1;
    const std::string row = "\n| " + std::string(rule.code) + " | " + std::string(rule.meaning) +
                            " | " + std::string(rule.what_to_do) + " |\n";
    INFO(row);
    CHECK(documented.str().find(row) != std::string::npos);
    CHECK((rule.level == Level::kWarning) == (rule.code == "SP1718"));
  }
}

TEST_CASE("The gate's codes: one that is not in the table is an internal error, never a pass") {
  Finding finding = mixed().findings[1];
  CHECK(rules()[rule_index(finding)].code == "SP1711");
  for (const char* unknown : {"", "SP0801", "SP17111"}) {
    finding.rule = unknown;
    CHECK(rules()[rule_index(finding)].code == "SP1717");
  }
}
