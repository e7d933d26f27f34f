#include "ci/gate_json.hpp"

#include <catch2/catch.hpp>
#include <clocale>
#include <nlohmann/json.hpp>

#include "ci/junit.hpp"
#include "summaries.hpp"

using namespace sinkproof::ci;
using namespace sinkproof::ci::test;
using Json = nlohmann::json;

TEST_CASE("Gate JSON: a result, byte for byte") {
  Summary summary = green();
  summary.findings = {summary.findings[1]};
  CHECK(gate_json(summary) == R"({
  "schema": 1,
  "config": "sinkproof.toml",
  "base": null,
  "exit_code": 0,
  "seconds": 2.25,
  "findings": [
    {
      "level": "pass",
      "suite": "checkpoints",
      "subject": "tiny",
      "asked": "sup-loss<=0.02",
      "length": 8,
      "box": "[-1,1]^5",
      "verdict": "proved",
      "evidence": "interval",
      "rule": null,
      "code": null,
      "message": "The sup loss is at most 0.02.",
      "lower": "0.0119",
      "upper": "0.0121",
      "assumptions": [],
      "sentences": [],
      "overrides": [],
      "location": {
        "file": "sinkproof.toml",
        "line": 12,
        "column": 3
      },
      "certificate": "models/tiny.cert.json",
      "certificate_sha256": "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
      "subject_sha256": null,
      "proved_again": false,
      "exit_code": 0,
      "seconds": 1.5
    }
  ]
}
)");
}

TEST_CASE("Gate JSON: findings keep their order and their levels") {
  const Json json = Json::parse(gate_json(mixed()));
  CHECK(json["base"] == "main");
  CHECK(json["exit_code"] == 5);
  std::string levels;
  for (const Json& finding : json["findings"]) levels += finding["level"].get<std::string>() + " ";
  CHECK(levels == "pass error warning error error error error unchanged pass error ");
  CHECK(json["findings"][2]["proved_again"] == true);
  CHECK(json["findings"][2]["code"] == "SP0801");
  CHECK(json["findings"][3]["verdict"].is_null());
  CHECK(json["findings"][0]["assumptions"] == Json({"Coq's word: necessity.v", "tc-3"}));
}

TEST_CASE("Gate JSON: text is what it was, but for bytes that are not UTF-8") {
  Summary summary = green();
  summary.findings[0].message = "a\"\\\n\x01 \xE2\x80\xAE \xff";
  const Json json = Json::parse(gate_json(summary));
  CHECK(json["findings"][0]["message"] == "a\"\\\n\x01 \xE2\x80\xAE \xEF\xBF\xBD");
}

TEST_CASE("Gate JSON and JUnit do not depend on the locale") {
  const std::string json = gate_json(mixed());
  const std::string xml = junit_xml(mixed());
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "C.UTF-8", ""}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;
    CHECK(gate_json(mixed()) == json);
    CHECK(junit_xml(mixed()) == xml);
  }
  std::setlocale(LC_ALL, before.c_str());
}
