// The commands. Each adds its command to the program and, when it is the one called, leaves its
// exit code in `exit_code`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/console.hpp"

namespace sinkproof::cli {

inline constexpr double kMostSeconds = 1e7;  // of any budget

inline constexpr std::uint64_t kMostIndex = 999999;  // of a layer, a head, a position, a row

// --format, --quiet and --jobs.
void add_common(const Command& command, Common& common);

// --instruction-set, for train::use_instruction_set().
void add_instruction_set(const Command& command, std::optional<std::string>& name);
// --claims, the folder whose text says what a certificate's properties mean.
void add_claims(const Command& command, std::optional<std::string>& claims);
// Reports the error and returns the exit code that it asks for.
int refused(const exact::Error& error);
// The same of a claim named by `ids` and, where an id is the path of something else, what that is.
// Returns kUsage.
int refuse_claim(const exact::Error& error, const std::vector<std::string>& ids);
void add_manual(const Command& program, int& exit_code);  // hidden: for the build

void add_prove(const Command& program, int& exit_code);
void add_check(const Command& program, int& exit_code);
void add_construct(const Command& program, int& exit_code);
void add_convert(const Command& program, int& exit_code);
void add_cover(const Command& program, int& exit_code);
void add_cost(const Command& program, int& exit_code);
void add_train(const Command& program, int& exit_code);
void add_train_lm(const Command& program, int& exit_code);
void add_certify(const Command& program, int& exit_code);
void add_merge(const Command& program, int& exit_code);
void add_measure(const Command& program, int& exit_code);
void add_audit(const Command& program, int& exit_code);
void add_sink_share(const Command& program, int& exit_code);
void add_gate(const Command& program, int& exit_code);
void add_report(const Command& program, int& exit_code);
void add_reproduce(const Command& program, int& exit_code);
void add_smoothing(const Command& program, int& exit_code);
void add_tradeoff(const Command& program, int& exit_code);
void add_explain(const Command& program, int& exit_code);
void add_new_claim(const Command& program, int& exit_code);

}  // namespace sinkproof::cli
