// The map of what forces a sink (proofs/map.toml): for each setting and each kind of weights
// whether a sink is forced or how it is escaped, in a sentence that claims of this project say.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "exact/error.hpp"
#include "json/strict.hpp"

namespace sinkproof::claim {

// "CLAIM:NAME": a sentence of a claim's statement files, or a file of one of its steps.
struct Citation {
  std::string claim;
  std::string name;
};

struct Cell {
  std::string setting;
  std::string kernel;
  std::string verdict;  // "forced", "escaped", "a trade" or "open"
  std::string text;
  std::vector<Citation> says;  // empty for an open cell only
};

struct Map {
  std::vector<std::string> settings;  // in the order of the file
  std::vector<std::string> kernels;
  std::vector<Cell> cells;  // one for each pair, setting by setting

  [[nodiscard]] const Cell& cell(std::size_t setting, std::size_t kernel) const {
    return cells[setting * kernels.size() + kernel];
  }
};

// SP0201: there is no such file. SP0601, SP0602: as for a claim.toml. SP0613: a pair of setting and
// kernel is missing or there twice, a verdict is none of the four, or a citation is not among what
// the claim's own words name (said_names).
exact::Result<Map> read_map(const std::filesystem::path& proofs);

// Whether the certificate of a claim proves what is cited: the sentence is among its theorems, the
// file among its steps, with scope "all". Only an accepted certificate's word counts.
bool proves(const json::Value& certificate, const std::string& name);

}  // namespace sinkproof::claim
