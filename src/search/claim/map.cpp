#include "claim/map.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "claim/claim.hpp"
#include "claim/fields.hpp"
#include "claim/sentence.hpp"

namespace sinkproof::claim {
namespace {

using exact::fail;
using exact::Result;

constexpr std::array<std::string_view, 4> kVerdicts = {"forced", "escaped", "a trade", "open"};

Result<Citation> read_citation(const std::string& text, const std::string& where) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) {
    return fail("SP0613", where, "field \"says\": \"" + text + "\" must be CLAIM:NAME");
  }
  return Citation{text.substr(0, colon), text.substr(colon + 1)};
}

Result<Cell> read_cell(const toml::table& table, const std::string& where) {
  Fields fields(table, where);
  Cell cell;
  cell.setting = fields.text("setting");
  cell.kernel = fields.text("kernel");
  cell.verdict = fields.text("verdict");
  cell.text = fields.text("text");
  const auto says = fields.texts("says");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  if (std::find(kVerdicts.begin(), kVerdicts.end(), cell.verdict) == kVerdicts.end()) {
    return fail("SP0613", where,
                "field \"verdict\" must be \"forced\", \"escaped\", \"a trade\" or \"open\"");
  }
  if (says.empty() && cell.verdict != "open") {
    return fail("SP0613", where, "field \"says\" is empty; name what states the cell");
  }
  for (const std::string& text : says) {
    auto citation = read_citation(text, where);
    if (!citation) return tl::unexpected(citation.error());
    cell.says.push_back(std::move(*citation));
  }
  return cell;
}

// The claims that cells cite, each read once.
class Cited {
 public:
  explicit Cited(const std::filesystem::path& proofs) : proofs_(proofs) {}

  const Result<Claim>& claim(const std::string& id) {
    const auto found = claims_.find(id);
    if (found != claims_.end()) return found->second;
    const auto folder = find_claim(proofs_, id);
    return claims_.emplace(id, folder ? load_claim(*folder) : tl::unexpected(folder.error()))
        .first->second;
  }

 private:
  const std::filesystem::path& proofs_;
  std::map<std::string, Result<Claim>> claims_;
};

Result<void> check_cell(const Cell& cell, Cited& cited, const std::string& where) {
  for (const Citation& citation : cell.says) {
    const auto& claim = cited.claim(citation.claim);
    if (claim && said_names(*claim).contains(citation.name)) continue;
    return fail("SP0613", where,
                "field \"says\": " + citation.claim + " does not state " + citation.name);
  }
  return {};
}

void note(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// One cell for each pair, setting by setting.
Result<void> arrange(Map& map, const std::string& where) {
  std::vector<Cell> arranged;
  for (const std::string& setting : map.settings) {
    for (const std::string& kernel : map.kernels) {
      const auto is_it = [&](const Cell& cell) {
        return cell.setting == setting && cell.kernel == kernel;
      };
      if (std::count_if(map.cells.begin(), map.cells.end(), is_it) != 1) {
        const std::string cell = std::string(setting).append(", ").append(kernel);
        return fail("SP0613", where, "there must be exactly one cell for " + cell);
      }
      arranged.push_back(*std::find_if(map.cells.begin(), map.cells.end(), is_it));
    }
  }
  map.cells = std::move(arranged);
  return {};
}

}  // namespace

Result<Map> read_map(const std::filesystem::path& proofs) {
  const auto path = proofs / "map.toml";
  const std::string where = path.string();
  const auto table = read_toml(path);
  if (!table) return tl::unexpected(table.error());
  Fields fields(*table, where);
  const toml::array* tables = fields.tables("cell");
  if (auto done = fields.finish(); !done) return tl::unexpected(done.error());
  Map map;
  Cited cited(proofs);
  for (std::size_t i = 0; tables != nullptr && i < tables->size(); ++i) {
    const std::string here = where + ": cell " + std::to_string(i + 1);
    auto cell = read_cell(*tables->get(i)->as_table(), here);
    if (!cell) return tl::unexpected(cell.error());
    if (auto tied = check_cell(*cell, cited, here); !tied) return tl::unexpected(tied.error());
    note(map.settings, cell->setting);
    note(map.kernels, cell->kernel);
    map.cells.push_back(std::move(*cell));
  }
  if (map.cells.empty()) return fail("SP0613", where, "has no [[cell]]");
  if (auto whole = arrange(map, where); !whole) return tl::unexpected(whole.error());
  return map;
}

bool proves(const json::Value& certificate, const std::string& name) {
  try {
    for (const json::Value& step : certificate.at("steps")) {
      if (step.at("rule") == "assumed" || step.at("rule") == "prose") continue;
      if (step.at("file") == name) {
        return !step.contains("statement") || step.at("statement").at("scope") == "all";
      }
      if (!step.contains("theorems")) continue;
      const json::Value& theorems = step.at("theorems");
      if (std::find(theorems.begin(), theorems.end(), name) != theorems.end()) return true;
    }
  } catch (const json::Value::exception&) {
    return false;
  }
  return false;
}

}  // namespace sinkproof::claim
