#include "ci/gate_json.hpp"

#include <nlohmann/json.hpp>

#include "ci/words.hpp"

namespace sinkproof::ci {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

double rounded(double seconds) { return static_cast<double>(milliseconds(seconds)) / 1000; }

Json finding_json(const Finding& finding) {
  Json json;
  json["level"] = level_word(finding.level);
  json["suite"] = finding.suite;
  json["subject"] = finding.subject;
  json["asked"] = finding.asked;
  json["length"] = finding.length == 0 ? Json(nullptr) : Json(finding.length);
  json["box"] = text_or_null(finding.box);
  json["verdict"] = text_or_null(finding.verdict);
  json["evidence"] = text_or_null(finding.evidence);
  json["rule"] = text_or_null(finding.rule);
  json["code"] = text_or_null(finding.code);
  json["message"] = finding.message;
  json["lower"] = text_or_null(finding.lower);
  json["upper"] = text_or_null(finding.upper);
  json["assumptions"] = finding.assumptions;
  json["sentences"] = Json::array();
  for (const Sentence& sentence : finding.sentences) {
    json["sentences"].push_back({{"text", sentence.text}, {"stated", sentence.stated}});
  }
  json["overrides"] = finding.overrides;
  json["location"] = {{"file", finding.location.file},
                      {"line", finding.location.line},
                      {"column", finding.location.column}};
  json["certificate"] = text_or_null(finding.certificate);
  json["certificate_sha256"] = text_or_null(finding.certificate_sha256);
  json["subject_sha256"] = text_or_null(finding.subject_sha256);
  json["proved_again"] = finding.proved_again;
  json["exit_code"] = finding.exit_code;
  json["seconds"] = rounded(finding.seconds);
  return json;
}

}  // namespace

std::string gate_json(const Summary& summary) {
  Json json;
  json["schema"] = 1;
  json["config"] = summary.config;
  json["base"] = text_or_null(summary.base);
  json["exit_code"] = summary.exit_code;
  json["seconds"] = rounded(summary.seconds);
  json["findings"] = Json::array();
  for (const Finding& finding : summary.findings) {
    json["findings"].push_back(finding_json(finding));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sinkproof::ci
