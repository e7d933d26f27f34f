#include "gate/config.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

#include "certificate/envelope.hpp"
#include "check/check.hpp"
#include "claim/checkpoint_table.hpp"
#include "claim/fields.hpp"
#include "exact/decimal.hpp"
#include "file/file.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using claim::Fields;
using exact::fail;
using exact::Result;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::int64_t kMaxSamples = 100000;
constexpr std::int64_t kMaxPosition = 1000000;
constexpr std::int64_t kMaxSeconds = 1000000;
constexpr std::string_view kDefaultEpsilon = "0.3";  // arXiv:2410.10781
constexpr std::array<std::string_view, 3> kAcceptable = {"smt", "coq", "bounded"};

// Errors of the readers of claim.toml are about a claim's file: here it is the gate's.
template <typename T>
Result<T> as_config(Result<T> result) {
  if (!result && result.error().code.starts_with("SP06")) result.error().code = "SP1702";
  return result;
}

std::size_t line_of(const toml::node& node) {
  return std::max<std::size_t>(node.source().begin.line, 1);
}

Result<toml::table> read_toml(const fs::path& path, std::size_t& line) {
  const auto text = file::read(path, kMaxBytes);
  if (!text) return tl::unexpected(text.error());
  try {
    return toml::parse(*text);
  } catch (const toml::parse_error& problem) {
    line = std::max<std::size_t>(problem.source().begin.line, 1);
    std::ostringstream what;
    what << "is not TOML: " << problem;
    return fail("SP1701", path.string(), what.str());
  }
}

Result<std::int64_t> in_range(const std::optional<std::int64_t>& value, std::int64_t absent,
                              std::int64_t least, std::int64_t most, const std::string& where,
                              const std::string& key) {
  const std::int64_t number = value.value_or(absent);
  if (number >= least && number <= most) return number;
  return fail("SP1702", where,
              "field \"" + key + "\" must be from " + std::to_string(least) + " to " +
                  std::to_string(most));
}

// The keys of [gate].
Result<void> read_gate(const toml::table* table, const std::string& where, Config& config) {
  if (table == nullptr) return {};
  const std::string at = where + ": [gate]";
  Fields fields(*table, at);
  const std::string stale = fields.text("stale", false);
  const std::string checker = fields.text("checker", false);
  const std::string output = fields.text("output", false);
  const auto limit = [&](const char* key, std::uint64_t absent, std::uint64_t most) {
    return in_range(fields.integer(key), static_cast<std::int64_t>(absent), 1,
                    static_cast<std::int64_t>(most), at, key);
  };
  const auto seconds = limit("seconds", config.limits.seconds, check::Limits::kMostSeconds);
  const auto memory = limit("memory", config.limits.memory, check::Limits::kMostMemory);
  if (auto done = as_config(fields.finish()); !done) return done;
  if (!stale.empty() && stale != "reprove" && stale != "fail") {
    return fail("SP1702", at, "field \"stale\" must be \"reprove\" or \"fail\"");
  }
  if (!checker.empty() && checker != "verified") {
    return fail("SP1702", at,
                "field \"checker\" must be \"verified\"; without the field sinkproof-check alone "
                "has to accept");
  }
  for (const auto* one : {&seconds, &memory}) {
    if (!*one) return tl::unexpected(one->error());
  }
  config.stale_fails = stale == "fail";
  config.verified = checker == "verified";
  config.limits.seconds = static_cast<std::uint64_t>(*seconds);
  config.limits.memory = static_cast<std::uint64_t>(*memory);
  const fs::path folder = output.empty() ? config.output : fs::path(output);
  const bool leaves = std::find(folder.begin(), folder.end(), "..") != folder.end();
  if (folder.is_absolute() || leaves || folder.lexically_normal() == ".") {
    return fail("SP1702", at,
                "field \"output\" must be a folder of its own within the repository, relative and "
                "without \"..\", such as \"sinkproof-gate\"");
  }
  config.output = folder;
  return {};
}

// A copy of the table without some keys, and what they held.
toml::table without(const toml::table& table, const std::vector<std::string_view>& keys) {
  toml::table rest = table;
  for (const std::string_view key : keys) rest.erase(key);
  return rest;
}

toml::table only(const toml::table& table, const std::vector<std::string_view>& keys) {
  toml::table part;
  for (const std::string_view key : keys) {
    if (const toml::node* node = table.get(key)) part.insert(key, *node);
  }
  return part;
}

Result<void> read_accept(const std::vector<std::string>& words, const std::string& where,
                         ClaimGroup& group) {
  for (const std::string& word : words) {
    if (std::find(kAcceptable.begin(), kAcceptable.end(), word) == kAcceptable.end()) {
      return fail("SP1702", where,
                  "field \"accept\" holds \"" + word.substr(0, 40) +
                      "\"; the allowed values are \"smt\", \"coq\" and \"bounded\"");
    }
    group.accept.insert(word);
  }
  return {};
}

Result<ClaimGroup> read_claims(const toml::table& table, const std::string& where,
                               const fs::path& folder) {
  ClaimGroup group;
  group.line = line_of(table);
  Fields fields(table, where);
  group.match = fields.texts("match");
  const std::string from = fields.text("from", false);
  const std::string proofs = fields.text("proofs", false);
  const std::string certificates = fields.text("certificates", false);
  const auto accept =
      table.contains("accept") ? fields.texts("accept") : std::vector<std::string>{};
  if (auto done = as_config(fields.finish()); !done) return tl::unexpected(done.error());
  if (group.match.empty()) {
    return fail("SP1703", where, "field \"match\" is empty; name claims, or \"*\" for all");
  }
  if (!from.empty() && from != "sinkproof") {
    return fail("SP1702", where, "field \"from\" must be \"sinkproof\"");
  }
  group.shipped = !from.empty();
  if (group.shipped && (!proofs.empty() || !certificates.empty())) {
    return fail(
        "SP1702", where,
        "from = \"sinkproof\" already gives the folders; leave proofs and certificates out");
  }
  group.proofs = folder / (proofs.empty() ? "proofs" : proofs);
  group.certificates = folder / (certificates.empty() ? "certificates" : certificates);
  if (auto read = read_accept(accept, where, group); !read) return tl::unexpected(read.error());
  return group;
}

Result<ShareInputs> read_share(Fields& fields, const std::string& where) {
  const auto samples = in_range(fields.integer("samples"), 0, 0, kMaxSamples, where, "samples");
  if (!samples) return tl::unexpected(samples.error());
  const auto seed = in_range(fields.integer("seed"), 0, 0, INT64_MAX, where, "seed");
  if (!seed) return tl::unexpected(seed.error());
  const auto position = in_range(fields.integer("position"), 1, 1, kMaxPosition, where, "position");
  if (!position) return tl::unexpected(position.error());
  std::string epsilon = fields.text("epsilon", false);
  if (epsilon.empty()) epsilon = kDefaultEpsilon;
  const auto value = exact::parse_decimal(epsilon);
  if (!value || *value < 0 || *value > 1) {
    return fail("SP1702", where,
                "field \"epsilon\" must be a decimal from 0 to 1 in quotes, such as \"0.3\"");
  }
  return ShareInputs{static_cast<std::size_t>(*samples), static_cast<std::uint64_t>(*seed), *value,
                     static_cast<std::size_t>(*position)};
}

// `sink-share` needs inputs; inputs need somebody who uses them.
Result<void> check_share(const CheckpointItem& item, const std::string& where) {
  const bool asked =
      std::any_of(item.claim.require.begin(), item.claim.require.end(),
                  [](const claim::Requirement& each) { return each.property == "sink-share"; });
  if (asked == (item.share.samples > 0)) return {};
  return fail(
      "SP1702", where,
      asked ? "sink-share is measured on random inputs; give their number in field \"samples\""
            : "field \"samples\" needs a requirement on sink-share; leave it out");
}

Result<void> check_name(const std::string& name, const std::string& where) {
  if (certificate::is_claim_id(name)) return {};
  return fail("SP1702", where,
              "field \"name\" must be lower-case letters, digits, '-' and '.', a letter first");
}

fs::path certificate_of(const std::string& name, const std::string& certificate,
                        const fs::path& folder) {
  return folder / (certificate.empty() ? "certificates/" + name + ".json" : certificate);
}

std::vector<std::size_t> lines_of(const toml::table& table) {
  std::vector<std::size_t> lines;
  for (const toml::node& text : *table.get("require")->as_array()) lines.push_back(line_of(text));
  return lines;
}

Result<CheckpointItem> read_checkpoint(const toml::table& table, const std::string& where,
                                       const fs::path& folder) {
  static const std::vector<std::string_view> own = {"name", "certificate", "samples",
                                                    "seed", "position",    "epsilon"};
  const toml::table part = only(table, own);
  Fields fields(part, where);
  CheckpointItem item;
  item.line = line_of(table);
  item.name = fields.text("name");
  const std::string certificate = fields.text("certificate", false);
  const auto share = read_share(fields, where);
  if (auto done = as_config(fields.finish()); !done) return tl::unexpected(done.error());
  if (!share) return tl::unexpected(share.error());
  item.share = *share;
  if (auto good = check_name(item.name, where); !good) return tl::unexpected(good.error());
  auto claim = as_config(claim::read_checkpoint_claim(without(table, own), where, folder));
  if (!claim) return tl::unexpected(claim.error());
  item.claim = std::move(*claim);
  item.certificate = certificate_of(item.name, certificate, folder);
  item.lines = lines_of(table);
  if (auto good = check_share(item, where); !good) return tl::unexpected(good.error());
  return item;
}

// The inputs of [[model]]. "table FILE.npy" is relative to the folder.
void read_inputs(Fields& fields, const fs::path& folder, bool has_answers, ModelItem& item) {
  item.positions = fields.texts("positions");
  const std::string answers = fields.text("answers", false);
  if (has_answers) item.answers = answers;
  item.target = fields.text("target");
  constexpr std::string_view kTable = "table ";
  if (!item.target.starts_with(kTable)) return;
  item.table = (folder / item.target.substr(kTable.size())).lexically_normal();
}

Result<ModelItem> read_model(const toml::table& table, const std::string& where,
                             const fs::path& folder) {
  Fields fields(table, where);
  ModelItem item;
  item.line = line_of(table);
  item.name = fields.text("name");
  const fs::path model = fields.text("model");
  const std::string files = fields.text("files", false);
  const std::string certificate = fields.text("certificate", false);
  if (table.contains("assume_neutral")) item.assume_neutral = fields.texts("assume_neutral");
  read_inputs(fields, folder, table.contains("answers"), item);
  const auto seconds = fields.integer("seconds");
  const auto require = fields.texts("require");
  if (auto done = as_config(fields.finish()); !done) return tl::unexpected(done.error());
  const auto budget = in_range(seconds, 0, 0, kMaxSeconds, where, "seconds");
  if (!budget) return tl::unexpected(budget.error());
  item.seconds = static_cast<double>(*budget);
  if (auto good = check_name(item.name, where); !good) return tl::unexpected(good.error());
  if (model.is_absolute()) {
    return fail("SP1702", where, "field \"model\" must be a path relative to sinkproof.toml");
  }
  if (!files.empty() && files != "any") {
    return fail("SP1702", where,
                "field \"files\" must be \"any\"; leave it out to have sinkproof.lock pin the "
                "SHA-256 of each file of the model");
  }
  for (const auto& [key, empty] :
       {std::pair("positions", item.positions.empty()), std::pair("require", require.empty())}) {
    if (empty) return fail("SP1703", where, "field \"" + std::string(key) + "\" is empty");
  }
  for (const std::string& text : require) {
    auto requirement = claim::parse_requirement(text, where + ": field \"require\"");
    if (!requirement) return tl::unexpected(requirement.error());
    item.require.push_back(*std::move(requirement));
  }
  item.any_model = !files.empty();
  item.folder = (folder / model).lexically_normal();
  item.certificate = certificate_of(item.name, certificate, folder);
  item.lines = lines_of(table);
  return item;
}

// Reads each table of [[key]] into `items`.
template <typename Item, typename Read>
Result<void> read_all(const toml::array* tables, const std::string& where, const fs::path& folder,
                      const Read& read, std::vector<Item>& items, std::size_t& line) {
  if (tables == nullptr) return {};
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const toml::table& table = *tables->get(i)->as_table();
    line = line_of(table);
    auto item = read(table, where + " " + std::to_string(i + 1), folder);
    if (!item) return tl::unexpected(item.error());
    items.push_back(std::move(*item));
  }
  return {};
}

template <typename Item>
Result<void> check_names(const std::vector<Item>& items, const std::string& where,
                         const std::string& key, std::size_t& line) {
  std::set<std::string> names;
  for (const Item& item : items) {
    line = item.line;
    if (!names.insert(item.name).second) {
      return fail("SP1702", where + ": [[" + key + "]] \"" + item.name + "\"",
                  "field \"name\" must differ from that of every other " + key);
    }
  }
  return {};
}

}  // namespace

Result<Config> load_config(const fs::path& path, std::size_t& line) {
  line = 1;
  const auto table = read_toml(path, line);
  if (!table) return tl::unexpected(table.error());
  Config config;
  config.file = path;
  config.folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string where = path.string();
  Fields fields(*table, where);
  const toml::table* gate = fields.table("gate");
  const toml::array* claims = fields.tables("claims");
  const toml::array* checkpoints = fields.tables("checkpoint");
  const toml::array* models = fields.tables("model");
  if (auto done = as_config(fields.finish()); !done) return tl::unexpected(done.error());
  if (auto read = read_gate(gate, where, config); !read) return tl::unexpected(read.error());
  const auto read = [&](const toml::array* tables, const char* key, const auto& reader,
                        auto& items) {
    return read_all(tables, where + ": [[" + key + "]]", config.folder, reader, items, line);
  };
  if (auto done = read(claims, "claims", read_claims, config.claims); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = read(checkpoints, "checkpoint", read_checkpoint, config.checkpoints); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = read(models, "model", read_model, config.models); !done) {
    return tl::unexpected(done.error());
  }
  if (auto unique = check_names(config.checkpoints, where, "checkpoint", line); !unique) {
    return tl::unexpected(unique.error());
  }
  if (auto unique = check_names(config.models, where, "model", line); !unique) {
    return tl::unexpected(unique.error());
  }
  line = 1;
  if (config.claims.empty() && config.checkpoints.empty() && config.models.empty()) {
    return fail("SP1703", where,
                "has no [[claims]], [[checkpoint]] or [[model]], so nothing would be checked; add "
                "one");
  }
  return config;
}

}  // namespace sinkproof::gate
