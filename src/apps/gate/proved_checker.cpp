#include "gate/proved_checker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <limits>

#include "gate/finding.hpp"
#include "json/strict.hpp"
#include "output/replace.hpp"
#include "output/temporary_folder.hpp"
#include "prove/process.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using exact::Result;
using json::Value;

constexpr const char* kProgram = "sinkproof-check-verified";
constexpr std::uint64_t kMegabyte = 1000000;
constexpr std::uint64_t kOfTheProgram = 1000;  // megabytes of addresses, besides the check's
constexpr unsigned kMostLoad = 4;              // wall time over processor time

Result<fs::path> program_beside_this() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path program = self.parent_path() / kProgram;
  if (!error && ::access(program.c_str(), X_OK) == 0) return program;
  return exact::fail("SP1719", program.string(),
                     "is not there, but sinkproof.toml demands it with checker = \"verified\". "
                     "Install Coq and OCaml with scripts/setup.sh and build it with "
                     "`scripts/build.sh sinkproof-check-verified`");
}

tl::unexpected<exact::Error> no_answer(const std::string& what) {
  return exact::fail("SP1717", kProgram, what);
}

// {"schema":1,"files":[{"verdict","reason","statements":[{"property","part","verdict"}]}]}
Result<ProvedCheck> read_answer(const prove::Outcome& outcome) {
  const auto answer = json::parse_strict(outcome.output, kProgram);
  if (!answer) return no_answer("its answer is not JSON: " + answer.error().what);
  ProvedCheck check;
  check.exit_code = outcome.exit_status;
  try {
    const Value& file = answer->at("files").at(0);
    check.reason = file.at("reason").get<std::string>();
    for (const Value& one : file.at("statements")) {
      const Statement statement{one.at("property").get<std::string>(),
                                one.at("part").get<std::string>()};
      std::string& verdict = check.verdicts.try_emplace(statement, "proved").first->second;
      // Of statements with one name all have to be proved.
      if (verdict == "proved") verdict = one.at("verdict").get<std::string>();
    }
  } catch (const Value::exception& problem) {
    return no_answer(std::string("its answer has another form: ") + problem.what());
  }
  return check;
}

std::string named(const Statement& statement) {
  const auto& [property, part] = statement;
  return part.empty() ? property : fmt::format("the {} bound of {}", part, property);
}

std::string why_not(const ProvedCheck& check, const Statement& statement) {
  const auto found = check.verdicts.find(statement);
  if (found == check.verdicts.end()) {
    return check.reason.empty() ? "its answer does not list it" : check.reason;
  }
  return found->second == "proved" ? "" : found->second;
}

}  // namespace

Result<ProvedCheck> ask_proved_checker(const std::string& certificate, const std::string& model,
                                       const fs::path& claims, const check::Limits& limits) {
  const auto program = program_beside_this();
  if (!program) return tl::unexpected(program.error());
  const output::TemporaryFolder own;
  const fs::path file = own.path() / "certificate.json";
  for (const auto& [path, bytes] :
       {std::pair(file, &certificate), std::pair(own.path() / "model.safetensors", &model)}) {
    if (auto written = output::replace(path, *bytes); !written) {
      return tl::unexpected(written.error());
    }
  }
  const auto seconds = static_cast<unsigned>(limits.seconds);
  const prove::Limits outer{seconds + 1, kMostLoad * (seconds + 1),
                            (limits.memory + kOfTheProgram) * kMegabyte};
  const auto outcome = prove::run_program(
      {program->string(), "--format", "json", "--models", own.path().string(), "--claims",
       fs::absolute(claims).string(), "--seconds", std::to_string(limits.seconds), "--memory",
       std::to_string(limits.memory), file.string()},
      own.path(), outer);
  if (!outcome) return tl::unexpected(outcome.error());
  if (!outcome->exited) return no_answer("it was ended before it answered");
  return read_answer(*outcome);
}

void demand_proved(ci::Finding& finding, const Result<ProvedCheck>& check,
                   const std::vector<Statement>& statements) {
  if (finding.exit_code != 0) return;
  if (!check) return fail_with(finding, check.error().code == "SP1719" ? 2 : 5, check.error());
  if (check->exit_code != 0 && check->exit_code != 3) {
    return break_off(finding, {"SP1717", kProgram,
                               "does not accept a certificate that sinkproof-check accepts: " +
                                   check->reason + "; please report it with the certificate"});
  }
  for (const Statement& statement : statements) {
    const std::string why = why_not(*check, statement);
    if (why.empty()) continue;
    return weaken(
        finding, "unknown",
        fmt::format(
            "{}; but {} does not prove {}: {}. Remove the requirement, or move it to another "
            "sinkproof.toml, without checker = \"verified\"",
            finding.message, kProgram, named(statement), why));
  }
  finding.proved_checker = true;
  finding.message += fmt::format("; {} proves it as well", kProgram);
}

void demand_covered(ci::Finding& finding) {
  if (finding.exit_code != 0 || finding.proved_checker) return;
  weaken(
      finding, "unknown",
      fmt::format("{}; but {} does not cover {}. Remove it, or move it to another sinkproof.toml, "
                  "without checker = \"verified\"",
                  finding.message, kProgram, finding.subject));
}

}  // namespace sinkproof::gate
