#include "claim/claim.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/theory.hpp"
#include "claim/checkpoint_table.hpp"
#include "claim/fields.hpp"
#include "claim/variants.hpp"

namespace sinkproof::claim {
namespace {

namespace fs = std::filesystem;
using certificate::Rule;
using exact::Result;

Result<Step> read_step(const toml::table& table, const std::string& where) {
  Fields fields(table, where);
  Step step;
  step.name = fields.text("name");
  const std::string rule = fields.text("rule");
  step.file = fields.text("file");
  step.establishes = fields.text("establishes");
  step.relies_on = fields.texts("relies_on");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  const std::string here = where + " \"" + step.name + "\"";
  const auto expected = certificate::rule_of_file(step.file);
  if (!expected || certificate::rule_name(*expected) != rule) {
    return exact::fail("SP0603", here,
                       "field \"rule\": rule " + rule + " does not fit the file name " + step.file);
  }
  step.rule = *expected;
  return step;
}

Result<void> check_order(const std::vector<Step>& steps, const std::string& where) {
  std::set<std::string> names;
  std::set<std::string> files;
  for (const Step& step : steps) {
    const std::string here = where + ": step \"" + step.name + "\"";
    for (const std::string& earlier : step.relies_on) {
      if (!names.contains(earlier)) {
        return exact::fail("SP0603", here,
                           "field \"relies_on\": \"" + earlier + "\" is not an earlier step");
      }
    }
    if (!names.insert(step.name).second) {
      return exact::fail("SP0603", here,
                         "field \"name\" must differ from that of every other step");
    }
    if (!files.insert(step.file).second) {
      return exact::fail("SP0603", here,
                         "field \"file\" must differ from that of every other step");
    }
  }
  return {};
}

Result<void> check_files(const Claim& claim, const std::string& where) {
  const auto files = certificate::claim_files(claim.folder);
  if (!files) return tl::unexpected(files.error());
  std::set<std::string> named = {"claim.toml"};
  if (claim.checkpoint) {
    named.insert(claim.checkpoint->model.lexically_relative(claim.folder.lexically_normal()));
  }
  for (const Step& step : claim.steps) {
    named.insert(step.file);
    if (step.rule == Rule::kSmt) named.insert(certificate::mutant_of(step.file));
  }
  for (const auto& [path, bytes] : *files) {
    if (!named.contains(path)) {
      return exact::fail(
          "SP0605", where,
          "no step names the file " + path + "; add a [[step]] for it, or remove it");
    }
  }
  return {};
}

Result<Claim> with_checkpoint(Claim claim, const toml::table& table, const std::string& where) {
  auto checkpoint = read_checkpoint_claim(table, where + ": [checkpoint]", claim.folder);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  claim.checkpoint = *std::move(checkpoint);
  // Otherwise the folder would be a theory claim to the checkers, which read no TOML.
  const std::string model = claim.checkpoint->model.filename().string();
  if (certificate::rule_of_file(model)) {
    return exact::fail("SP0609", where + ": [checkpoint]",
                       "field \"model\" names " + model +
                           ", a step of a theory claim; name a model (NAME.safetensors)");
  }
  if (auto named = check_files(claim, where); !named) return tl::unexpected(named.error());
  return claim;
}

Result<Claim> with_sentences(Claim claim, const toml::array* tables, const std::string& where) {
  auto sentences = read_sentences(tables, claim, where);
  if (!sentences) return tl::unexpected(sentences.error());
  claim.sentences = *std::move(sentences);
  return claim;
}

}  // namespace

Result<Claim> load_claim(const fs::path& folder) {
  const fs::path path = folder / "claim.toml";
  const std::string where = path.string();
  const auto table = read_toml(path);
  if (!table) return tl::unexpected(table.error());
  Fields fields(*table, where);
  Claim claim;
  claim.folder = folder;
  claim.id = fields.text("id");
  claim.title = fields.text("title");
  claim.source = fields.text("source");
  claim.hypotheses = fields.texts("hypotheses");
  const toml::array* sentences = fields.tables("sentence");
  const toml::array* steps = fields.tables("step");
  const toml::array* variants = fields.tables("variant");
  const toml::table* checkpoint = fields.table("checkpoint");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  if (claim.id != folder.filename().string()) {
    return exact::fail("SP0602", where, "field \"id\" must be the name of the folder");
  }
  if (checkpoint != nullptr) {
    if (steps != nullptr || variants != nullptr) {
      return exact::fail("SP0608", where,
                         "has both [[step]] or [[variant]] tables and a table [checkpoint]; split "
                         "it into two claims");
    }
    auto whole = with_checkpoint(std::move(claim), *checkpoint, where);
    return whole ? with_sentences(*std::move(whole), sentences, where) : std::move(whole);
  }
  if (steps == nullptr || steps->empty()) {
    return exact::fail(
        "SP0604", where,
        "has neither [[step]] nor [checkpoint], so it would prove nothing; add a [[step]]");
  }
  for (std::size_t i = 0; i < steps->size(); ++i) {
    auto step = read_step(*steps->get(i)->as_table(), where + ": step " + std::to_string(i + 1));
    if (!step) return tl::unexpected(step.error());
    claim.steps.push_back(std::move(*step));
  }
  if (auto ordered = check_order(claim.steps, where); !ordered) {
    return tl::unexpected(ordered.error());
  }
  if (auto named = check_files(claim, where); !named) return tl::unexpected(named.error());
  auto whole = with_sentences(std::move(claim), sentences, where);
  if (!whole) return whole;
  if (variants != nullptr) {
    auto rows = read_variants(*variants, *whole, where);
    if (!rows) return tl::unexpected(rows.error());
    whole->variants = std::move(*rows);
  }
  if (auto read = check_says_lines(*whole, where); !read) return tl::unexpected(read.error());
  return whole;
}

std::string statement_of(const Claim& claim) {
  std::string text;
  for (const Sentence& sentence : claim.sentences) {
    text += (text.empty() ? "" : " ") + sentence.text;
  }
  return text;
}

Result<std::vector<std::string>> list_claims(const fs::path& proofs) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator entry(proofs, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const bool hidden = entry->path().filename().string().starts_with('.');  // a draft left behind
    if (!hidden && fs::exists(entry->path() / "claim.toml", ignored)) {
      ids.push_back(entry->path().filename().string());
    }
  }
  if (error || ids.empty()) {
    return exact::fail("SP0606", proofs.string(), "holds no claims; name the folder proofs/");
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

namespace {

// "which holds co-1, co-2 and 20 more"
std::string claims_of(const fs::path& proofs) {
  constexpr std::size_t kShown = 6;
  const auto ids = list_claims(proofs);
  if (!ids) return "which holds no claims; name the folder of the claims with --proofs";
  std::string text = "which holds ";
  for (std::size_t k = 0; k < std::min(kShown, ids->size()); ++k) {
    text += (k == 0 ? "" : ", ") + (*ids)[k];
  }
  return ids->size() > kShown ? text + " and " + std::to_string(ids->size() - kShown) + " more"
                              : text;
}

}  // namespace

Result<fs::path> find_claim(const fs::path& proofs, const std::string& id) {
  std::error_code ignored;
  const fs::path folder = proofs / id;
  if (!certificate::is_claim_id(id) || !fs::exists(folder / "claim.toml", ignored)) {
    return exact::fail("SP0607", "claim \"" + id.substr(0, 64) + "\"",
                       "does not exist in " + proofs.string() + ", " + claims_of(proofs));
  }
  return folder;
}

}  // namespace sinkproof::claim
