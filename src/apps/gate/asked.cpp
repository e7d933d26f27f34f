#include "gate/asked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "certificate/claim_hash.hpp"
#include "certificate/sha256.hpp"
#include "certificate/theory.hpp"
#include "claim/said.hpp"
#include "model/box_text.hpp"

namespace sinkproof::gate {
namespace {

using certificate::Rule;
using exact::Result;
using json::Value;
using Values = std::vector<std::string>;

template <typename Subject>
struct Field {
  std::string_view name;
  Values (*values)(const Subject&);
};

template <typename Subject, std::size_t count>
void list(const std::array<Field<Subject>, count>& fields, const Subject& subject, Asked& asked) {
  for (const Field<Subject>& field : fields) {
    asked[std::string(field.name)] = field.values(subject);
  }
}

struct Claim {
  const TheoryItem& item;
  const Value& certificate;
};

using ClaimField = Field<Claim>;

constexpr std::array kClaimFields = {
    ClaimField{"accept",
               [](const Claim& c) { return Values(c.item.accept.begin(), c.item.accept.end()); }},
    ClaimField{"axioms",
               [](const Claim& c) {
                 const auto axioms = axioms_of(c.certificate);
                 return Values(axioms.begin(), axioms.end());
               }},
    ClaimField{"verdict", [](const Claim& c) { return Values{c.item.finding.verdict}; }},
};

struct Checkpoint {
  const CheckpointRequest& request;
  const model::AttentionModel& model;
  const std::string& words;
};

using CheckpointField = Field<Checkpoint>;

template <typename Number>
Values number(const Number& value) {
  return {fmt::format("{}", value)};
}

Values thresholds(const std::vector<claim::Requirement>& require) {
  Values texts;
  for (const claim::Requirement& each : require) texts.push_back(each.text);
  std::sort(texts.begin(), texts.end());
  return texts;
}

constexpr std::array kCheckpointFields = {
    CheckpointField{"attention",
                    [](const Checkpoint& c) {
                      return Values{std::string(certificate::to_string(c.model.attention))};
                    }},
    CheckpointField{"box",
                    [](const Checkpoint& c) {
                      return Values{model::to_string(c.model.box, c.model.d_model - 3)};
                    }},
    CheckpointField{"d_model", [](const Checkpoint& c) { return number(c.model.d_model); }},
    CheckpointField{"length", [](const Checkpoint& c) { return number(c.model.length); }},
    CheckpointField{"model", [](const Checkpoint& c) { return Values{c.request.model_name}; }},
    CheckpointField{"num_heads", [](const Checkpoint& c) { return number(c.model.num_heads); }},
    CheckpointField{"num_layers",
                    [](const Checkpoint& c) { return number(c.model.layers.size()); }},
    CheckpointField{"overrides", [](const Checkpoint& c) { return c.model.overrides; }},
    CheckpointField{"require",
                    [](const Checkpoint& c) { return thresholds(c.request.claim.require); }},
    CheckpointField{"residual", [](const Checkpoint& c) { return number(c.model.residual); }},
    CheckpointField{"scale",
                    [](const Checkpoint& c) { return Values{exact::to_string(c.model.scale)}; }},
    CheckpointField{"sha256",
                    [](const Checkpoint& c) {
                      return Values{c.request.claim.any_model ? "any" : c.model.sha256};
                    }},
    // why_not_about() takes no certificate about fewer.
    CheckpointField{
        "triggers",
        [](const Checkpoint& c) { return Values{fmt::format("3..{}", c.model.length)}; }},
    CheckpointField{"words", [](const Checkpoint& c) { return Values{c.words}; }},
};

// The given inputs of a requirement on sink-share.
constexpr std::array kShareFields = {
    CheckpointField{
        "epsilon",
        [](const Checkpoint& c) { return Values{exact::to_string(c.request.share.epsilon)}; }},
    CheckpointField{"position",
                    [](const Checkpoint& c) { return number(c.request.share.position); }},
    CheckpointField{"samples", [](const Checkpoint& c) { return number(c.request.share.samples); }},
    CheckpointField{"seed", [](const Checkpoint& c) { return number(c.request.share.seed); }},
};

struct LanguageModel {
  const ModelItem& item;
  const std::string& name;
  const language::Folder& folder;
  const certificate::Cover& asked;
};

using ModelField = Field<LanguageModel>;

constexpr std::array kModelFields = {
    ModelField{"answers", [](const LanguageModel& m) { return Values{m.item.answers}; }},
    ModelField{"assume_neutral", [](const LanguageModel& m) { return m.item.assume_neutral; }},
    ModelField{"files",
               [](const LanguageModel& m) {
                 if (m.item.any_model) return Values{"any"};
                 Values files;
                 for (const auto& [name, hash] : m.folder.files()) {
                   files.push_back(name + " " + hash);
                 }
                 return files;
               }},
    ModelField{"model", [](const LanguageModel& m) { return Values{m.name}; }},
    ModelField{"positions", [](const LanguageModel& m) { return m.item.positions; }},
    ModelField{"require", [](const LanguageModel& m) { return thresholds(m.item.require); }},
    ModelField{"sequences",
               [](const LanguageModel& m) {
                 return Values{exact::to_string(exact::Rational(m.asked.count()))};
               }},
    ModelField{"target", [](const LanguageModel& m) { return Values{m.item.target}; }},
    ModelField{"target_ids",
               [](const LanguageModel& m) {
                 std::string ids;
                 for (const std::uint32_t id : m.asked.target.table) ids += fmt::format("{} ", id);
                 return ids.empty() ? Values{} : Values{certificate::sha256_hex(ids)};
               }},
    ModelField{"words", [](const LanguageModel& m) { return Values{m.asked.claim_sha256}; }},
};

}  // namespace

Asked asked_of(const ModelRequest& request, const language::Folder& folder,
               const certificate::Cover& asked) {
  Asked all;
  list(kModelFields, LanguageModel{request.item, request.model_name, folder, asked}, all);
  return all;
}

Result<Asked> asked_of(const TheoryItem& item, const Value& certificate) {
  const auto files = certificate::claim_files(item.folder);
  if (!files) return tl::unexpected(files.error());
  Asked asked;
  list(kClaimFields, Claim{item, certificate}, asked);
  for (const auto& [path, hash] : claim::said_in(certificate)) asked[path] = {hash};
  const bool has_statements = std::any_of(files->begin(), files->end(), [](const auto& file) {
    return certificate::rule_of_file(file.first) == Rule::kStatement;
  });
  for (const auto& [path, bytes] : *files) {
    // A proof may be another: what it proves is in the statement files.
    if (has_statements && certificate::rule_of_file(path) == Rule::kCoq) continue;
    asked[path] = {certificate::sha256_hex(bytes)};
  }
  return asked;
}

Result<Asked> asked_of(const CheckpointRequest& request, const model::AttentionModel& model,
                       const std::string& words_sha256) {
  Asked asked;
  const Checkpoint checkpoint{request, model, words_sha256};
  list(kCheckpointFields, checkpoint, asked);
  if (request.verified) asked["checker"] = {"verified"};
  if (request.share.samples > 0) list(kShareFields, checkpoint, asked);
  if (!request.folder.empty()) {
    const auto hash = certificate::sha256_hex_of_file(request.folder / "claim.toml");
    if (!hash) return tl::unexpected(hash.error());
    asked["claim.toml"] = {*hash};
  }
  return asked;
}

}  // namespace sinkproof::gate
