// The checker that is proved in Coq (docs/VERIFIED_CHECKER.md), which `checker = "verified"` in
// sinkproof.toml asks besides the trusted one. It covers less, and what it does not cover is red.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "check/check.hpp"
#include "ci/summary.hpp"
#include "exact/error.hpp"

namespace sinkproof::gate {

// A property and a side of its bounds: "lower", "upper", or "" where it has one statement only.
using Statement = std::pair<std::string, std::string>;

// What it says of one certificate.
struct ProvedCheck {
  int exit_code = 5;  // 0, 3 or 4; docs/DESIGN.md
  std::string reason;
  std::map<Statement, std::string> verdicts;  // "proved", or why not
};

// Runs the program on the bytes of a checkpoint certificate and of its model, with the folder of
// claim folders `claims`. SP1719: the program is not installed beside this one. SP1717: it leaves
// no answer.
exact::Result<ProvedCheck> ask_proved_checker(const std::string& certificate,
                                              const std::string& model,
                                              const std::filesystem::path& claims,
                                              const check::Limits& limits);

// A finding that holds stays so only if these statements are proved. Otherwise it is red: SP1714
// names the first one that is not; SP1717 says that the two checkers disagree.
void demand_proved(ci::Finding& finding, const exact::Result<ProvedCheck>& check,
                   const std::vector<Statement>& statements);

// A finding that holds without demand_proved() is of a kind that this checker does not cover: red.
void demand_covered(ci::Finding& finding);

}  // namespace sinkproof::gate
