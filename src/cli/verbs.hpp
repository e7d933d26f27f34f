// The verbs. Each adds its command to the program and, when it is the one called, leaves its exit
// code in `exit_code`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/console.hpp"

namespace sinkproof::cli {

void add_common(CLI::App& command, Common& common);
void add_manual(CLI::App& program, int& exit_code);  // hidden: for the build

void add_prove(CLI::App& program, int& exit_code);
void add_check(CLI::App& program, int& exit_code);
void add_construct(CLI::App& program, int& exit_code);
void add_cost(CLI::App& program, int& exit_code);
void add_train(CLI::App& program, int& exit_code);
void add_certify(CLI::App& program, int& exit_code);
void add_measure(CLI::App& program, int& exit_code);
void add_gate(CLI::App& program, int& exit_code);
void add_report(CLI::App& program, int& exit_code);
void add_explain(CLI::App& program, int& exit_code);
void add_new_claim(CLI::App& program, int& exit_code);

}  // namespace sinkproof::cli
