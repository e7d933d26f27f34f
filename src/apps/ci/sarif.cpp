#include "ci/sarif.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "certificate/sha256.hpp"
#include "ci/rules.hpp"
#include "ci/words.hpp"
#include "text/printable.hpp"

namespace sinkproof::ci {
namespace {

using text::printable;
using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
// The paper whose task and theorems findings are about: sinkproof has no address of its own.
constexpr const char* kInformation = "https://arxiv.org/abs/2603.11487";
constexpr const char* kRoot = "%SRCROOT%";

// A plain text message (3.11): braces doubled, so that none is a placeholder; no "](", so that none
// is a link.
std::string message_text(std::string_view text) {
  std::string message;
  for (const char c : printable(text)) {
    if (c == '(' && message.ends_with(']')) message += ' ';
    if (c == '{' || c == '}') message += c;
    message += c;
  }
  return message;
}

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::string percent_encoded(std::string_view segment) {
  std::string uri;
  for (const char c : segment) {
    if (stands_for_itself(c)) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

// A relative URI reference (RFC 3986) that begins with a segment: no scheme, no '/', no ".".
std::string relative_uri(std::string_view path) {
  std::string uri;
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), segment.size() + 1));
    if (segment.empty() || segment == ".") continue;
    uri += (uri.empty() ? "" : "/") + percent_encoded(segment);
  }
  return uri;
}

std::string_view severity(Level level) {
  if (level == Level::kError) return "error";
  return level == Level::kWarning ? "warning" : "none";
}

std::string_view kind(Level level) {
  if (level == Level::kPass) return "pass";
  return level == Level::kUnchanged ? "notApplicable" : "fail";
}

bool is_problem(const Finding& finding) { return severity(finding.level) != "none"; }

Json rule_json(const Rule& rule) {
  const std::string meaning(rule.meaning);
  const std::string help(rule.what_to_do);
  Json json;
  json["id"] = rule.code;
  json["name"] = rule.name;
  json["shortDescription"] = {{"text", fmt::format("sinkproof gate: {}", rule.title)}};
  json["fullDescription"] = {{"text", meaning}};
  json["defaultConfiguration"] = {{"level", severity(rule.level)}};
  json["help"] = {
      {"text", fmt::format("What it means: {}. What to do: {}.", meaning, help)},
      {"markdown", fmt::format("**What it means:** {}.\n\n**What to do:** {}.", meaning, help)}};
  json["properties"] = {{"precision", "very-high"}, {"problem.severity", severity(rule.level)}};
  return json;
}

Json tool_json() {
  Json driver;
  driver["name"] = "sinkproof";
  driver["semanticVersion"] = SINKPROOF_VERSION;
  driver["informationUri"] = kInformation;
  driver["isComprehensive"] = true;
  driver["rules"] = Json::array();
  for (const Rule& rule : rules()) driver["rules"].push_back(rule_json(rule));
  return {{"driver", driver}};
}

Json location_json(const Finding& finding, const Summary& summary) {
  std::string uri = relative_uri(finding.location.file);
  if (uri.empty()) uri = relative_uri(summary.config);
  const Json artifact = {{"uri", uri}, {"uriBaseId", kRoot}};
  const Json region = {{"startLine", std::max<std::size_t>(finding.location.line, 1)},
                       {"startColumn", std::max<std::size_t>(finding.location.column, 1)}};
  return {{"physicalLocation", {{"artifactLocation", artifact}, {"region", region}}}};
}

std::string with_length(const std::string& text) {
  return std::to_string(text.size()) + ":" + text;
}

Json fingerprints_json(const Finding& finding) {
  Json json;
  json["sinkproofClaim/v1"] = certificate::sha256_hex(
      with_length(finding.suite) + with_length(finding.subject) + with_length(finding.asked));
  if (certificate::is_sha256_hex(finding.certificate_sha256)) {
    json["certificateSha256/v1"] = finding.certificate_sha256;
  }
  return json;
}

void add_known(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = printable(text);
}

Json properties_json(const Finding& finding) {
  Json json;
  add_known(json, "suite", finding.suite);
  add_known(json, "subject", finding.subject);
  add_known(json, "asked", finding.asked);
  if (finding.length != 0) json["length"] = finding.length;
  add_known(json, "box", finding.box);
  add_known(json, "verdict", finding.verdict);
  add_known(json, "evidence", finding.evidence);
  add_known(json, "lower", finding.lower);
  add_known(json, "upper", finding.upper);
  add_known(json, "errorCode", finding.code);
  add_known(json, "certificate", finding.certificate);
  add_known(json, "certificateSha256", finding.certificate_sha256);
  add_known(json, "subjectSha256", finding.subject_sha256);
  json["assumptions"] = Json::array();
  for (const std::string& assumption : finding.assumptions) {
    json["assumptions"].push_back(printable(assumption));
  }
  json["provedAgain"] = finding.proved_again;
  json["exitCode"] = finding.exit_code;
  return json;
}

Json result_json(const Finding& finding, const Summary& summary) {
  const std::size_t rule = rule_index(finding);
  Json json;
  json["ruleId"] = rules()[rule].code;
  json["ruleIndex"] = rule;
  json["kind"] = kind(finding.level);
  json["level"] = severity(finding.level);
  json["message"] = {{"text", message_text(finding_sentence(finding))}};
  json["locations"] = Json::array({location_json(finding, summary)});
  json["partialFingerprints"] = fingerprints_json(finding);
  json["properties"] = properties_json(finding);
  return json;
}

// Refuted or not decided is a run that did its work; with exit code 2 or 5 something asked was not
// looked at.
Json invocation_json(const Summary& summary) {
  Json json;
  json["executionSuccessful"] = summary.exit_code != 2 && summary.exit_code != 5;
  json["exitCode"] = summary.exit_code;
  json["exitCodeDescription"] = exit_code_words(summary.exit_code);
  return json;
}

}  // namespace

std::string sarif(const Summary& summary, SarifResults results) {
  Json run;
  run["tool"] = tool_json();
  run["invocations"] = Json::array({invocation_json(summary)});
  run["originalUriBaseIds"] = {
      {kRoot, {{"description", {{"text", "the root of the repository the gate ran in"}}}}}};
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = Json::array();
  for (const Finding& finding : summary.findings) {
    if (results == SarifResults::kAll || is_problem(finding)) {
      run["results"].push_back(result_json(finding, summary));
    }
  }
  Json log;
  log["$schema"] = kSchema;
  log["version"] = "2.1.0";
  log["runs"] = Json::array({run});
  return log.dump(2) + "\n";
}

}  // namespace sinkproof::ci
