#include "claim/claim.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "file/file.hpp"

namespace sinkproof::claim {
namespace {

namespace fs = std::filesystem;
using certificate::Rule;
using exact::Result;

constexpr std::size_t kMaxTomlBytes = std::size_t{1} << 20U;

// Reads one table, remembering the first thing that is wrong with it.
class Fields {
 public:
  Fields(const toml::table& table, std::string where) : table_(table), where_(std::move(where)) {}

  std::string text(const std::string& key, bool required = true) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      if (required) note(key, "is missing");
      return {};
    }
    const auto value = node->value_exact<std::string>();
    if (!value || value->empty()) note(key, "must be a string that says something");
    return value.value_or("");
  }

  std::vector<std::string> texts(const std::string& key) {
    known_.insert(key);
    std::vector<std::string> values;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return note(key, "is missing"), values;
    const toml::array* array = node->as_array();
    if (array == nullptr) return note(key, "must be an array of strings"), values;
    for (const toml::node& element : *array) {
      const auto value = element.value_exact<std::string>();
      if (!value || value->empty()) note(key, "must be an array of strings");
      values.push_back(value.value_or(""));
    }
    return values;
  }

  const toml::array* tables(const std::string& key) {
    known_.insert(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return nullptr;
    if (!node->is_array_of_tables()) note(key, "must be tables: [[" + key + "]]");
    return node->as_array();
  }

  Result<void> finish() {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (!known_.contains(name)) note(name, "is not a field of a claim");
    }
    if (problem_.empty()) return {};
    return exact::fail("SP0602", where_, problem_);
  }

 private:
  void note(const std::string& key, const std::string& what) {
    if (problem_.empty()) problem_ = "field \"" + key + "\" " + what;
  }

  const toml::table& table_;
  std::string where_;
  std::set<std::string> known_;
  std::string problem_;
};

Result<Step> read_step(const toml::table& table, const std::string& where) {
  Fields fields(table, where);
  Step step;
  step.name = fields.text("name");
  const std::string rule = fields.text("rule");
  step.file = fields.text("file");
  step.theorem = fields.text("theorem", false);
  step.establishes = fields.text("establishes");
  step.relies_on = fields.texts("relies_on");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  const std::string here = where + " \"" + step.name + "\"";
  const auto expected = certificate::rule_of_file(step.file);
  if (!expected || certificate::rule_name(*expected) != rule) {
    return exact::fail(
        "SP0603", here,
        "field \"rule\": rule " + rule + " does not go with the file name " + step.file);
  }
  step.rule = *expected;
  if ((step.rule == Rule::kCoq) != !step.theorem.empty()) {
    return exact::fail(
        "SP0603", here,
        "field \"theorem\": a coq-theorem step names its theorem, no other step does");
  }
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
                           "field \"relies_on\": \"" + earlier + "\" is no earlier step");
      }
    }
    if (!names.insert(step.name).second) {
      return exact::fail("SP0603", here, "field \"name\": two steps have this name");
    }
    if (!files.insert(step.file).second) {
      return exact::fail("SP0603", here, "field \"file\": another step has this file");
    }
  }
  return {};
}

Result<void> check_files(const Claim& claim, const std::string& where) {
  const auto files = certificate::claim_files(claim.folder);
  if (!files) return tl::unexpected(files.error());
  std::set<std::string> named = {"claim.toml"};
  for (const Step& step : claim.steps) {
    named.insert(step.file);
    if (step.rule == Rule::kSmt) named.insert(certificate::mutant_of(step.file));
  }
  for (const auto& [path, bytes] : *files) {
    if (!named.contains(path)) {
      return exact::fail("SP0605", where, "no step names the file " + path);
    }
  }
  return {};
}

Result<toml::table> read_toml(const fs::path& path) {
  const auto text = file::read(path, kMaxTomlBytes);
  if (!text) return tl::unexpected(text.error());
  try {
    return toml::parse(*text);
  } catch (const toml::parse_error& problem) {
    std::ostringstream what;
    what << "no TOML: " << problem;
    return exact::fail("SP0601", path.string(), what.str());
  }
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
  claim.statement = fields.text("statement");
  claim.formula = fields.text("formula");
  claim.hypotheses = fields.texts("hypotheses");
  const toml::array* steps = fields.tables("step");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  if (claim.id != folder.filename().string()) {
    return exact::fail("SP0602", where, "field \"id\" must be the folder's name");
  }
  if (steps == nullptr || steps->empty()) {
    return exact::fail("SP0604", where, "no [[step]]: a claim with zero checks proves nothing");
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
  return claim;
}

Result<std::vector<std::string>> list_claims(const fs::path& proofs) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator entry(proofs, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (fs::exists(entry->path() / "claim.toml", ignored)) {
      ids.push_back(entry->path().filename().string());
    }
  }
  if (error || ids.empty()) {
    return exact::fail("SP0606", proofs.string(), "no claims here; name the folder proofs/");
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<fs::path> find_claim(const fs::path& proofs, const std::string& id) {
  std::error_code ignored;
  const fs::path folder = proofs / id;
  if (!certificate::is_claim_id(id) || !fs::exists(folder / "claim.toml", ignored)) {
    return exact::fail("SP0607", "claim \"" + id.substr(0, 64) + "\"",
                       "no such claim below " + proofs.string());
  }
  return folder;
}

}  // namespace sinkproof::claim
