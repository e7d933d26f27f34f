// certify on drawn checkpoints (random_checkpoint.hpp), each in a process of its own, so that a
// signal or a hang is one failed case and not the end of the run:
//
//   soak FOLDER small|mixed FIRST COUNT [JOBS [SINKPROOF]]
//
// Each file must get a certificate that the trusted checker accepts and nothing in plain_layer.hpp
// contradicts, or a refusal with a code that its kind and its weights may get. With SINKPROOF,
// every tenth small file also goes through that program as a user runs it. Exit 0 when all cases
// passed.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "certify/accepted.hpp"
#include "check/check.hpp"
#include "model/attention_model.hpp"
#include "output/replace.hpp"
#include "plain_layer.hpp"
#include "random_checkpoint.hpp"
#include "rounded/double.hpp"

using namespace sinkproof;

namespace {

// How a case may end: the rung of certify_accepted on which the checker took the certificate, or
// the refusal.
enum Outcome : int {
  kRung1 = 0,  // then kRung1 + 1 .. kRung1 + 4, in the order of certify_accepted
  kTooLarge = 10,
  kVanishing = 11,
  kFailed = 100,
};

constexpr rlim_t kSecondsACase = 300;  // of processor time, whatever else the machine does

struct Case {
  std::uint64_t seed = 0;
  test::Sizes sizes = test::Sizes::kSmall;
  std::filesystem::path folder;
  bool alone = false;  // the only one: say more

  [[nodiscard]] std::string sizes_name() const {
    return sizes == test::Sizes::kSmall ? "small" : "mixed";
  }
  [[nodiscard]] std::filesystem::path file() const {
    return folder / ("soak_" + sizes_name() + "_" + std::to_string(seed) + ".safetensors");
  }
};

// A long double as the rational it is.
exact::Rational exactly(long double value) {
  int exponent = 0;
  constexpr int kBits = 64;
  const long double fraction = std::frexp(value, &exponent);
  const auto significand = static_cast<long long>(std::scalbn(fraction, kBits - 1));
  return exact::Rational(exact::Integer(significand)) * exact::power_of_two(exponent - kBits + 1);
}

bool is_above(long double value, const exact::Rational& bound) {
  if (!std::isfinite(value)) return value > 0;
  return exactly(value) > bound;
}
bool is_below(long double value, const exact::Rational& bound) {
  if (!std::isfinite(value)) return value < 0;
  return exactly(value) < bound;
}

class Judge {
 public:
  explicit Judge(const Case& one) : case_(one), drawn_(test::draw_checkpoint(one.seed, one.sizes)) {
    if (one.alone) std::printf("%s\n", drawn_.description.c_str());
  }

  int run() {
    if (!output::replace(case_.file(), drawn_.bytes)) return fail("cannot write the file");
    model::Overrides overrides;
    overrides.box = box_text();
    const auto model = model::load(case_.file(), overrides);
    if (!model) return fail("the file does not load: " + model.error().what);
    certify::Options options;
    options.claim_hash = std::string(64, '0');
    options.effort.nodes = drawn_.width <= 8 ? 1000 : 200;
    int rung = kRung1 - 1;
    const auto accept = [&](const json::Value& certificate) -> exact::Result<void> {
      ++rung;
      const auto outcome = check::check_checkpoint(certificate, {drawn_.bytes});
      if (outcome.exit_code == 0) return {};
      if (case_.alone) std::printf("attempt %d: %s\n", rung + 1, outcome.reason.c_str());
      return exact::fail(outcome.code, "soak", outcome.reason);
    };
    const auto certification = certify::certify_accepted(*model, options, accept);
    if (!certification) return judge_refusal(certification.error());
    judge(certification->properties);
    return failed_ ? kFailed : rung;
  }

 private:
  // As certify's --box has it.
  [[nodiscard]] std::string box_text() const {
    std::string text;
    for (const auto& [least, greatest] : drawn_.box) {
      text += (text.empty() ? "" : ",") + std::to_string(least) + ".." + std::to_string(greatest);
    }
    return text;
  }

  int fail(const std::string& why) {
    std::fprintf(stderr, "FAILED %s\n  %s\n", why.c_str(), drawn_.description.c_str());
    failed_ = true;
    return kFailed;
  }

  int judge_refusal(const exact::Error& error) {
    const std::string& kind = drawn_.kind;
    const std::string text = error.code + " " + error.where + ": " + error.what;
    if (error.code == "SP1403") {
      const bool has_end = kind.starts_with("softmax") || kind.starts_with("sigmoid");
      constexpr long double kNearEnough = 500;
      const bool far = test::logit_reach(drawn_) > kNearEnough;
      const bool beyond_pass = test::output_reach(drawn_) > 0x1p2040L;  // it ends at 2^2048
      return (has_end && far) || beyond_pass ? kTooLarge : fail("refused without need: " + text);
    }
    if (error.code == "SP1404") {
      return kind == "elu1-normalised" ? kVanishing : fail("refused without need: " + text);
    }
    return fail(text);
  }

  static test::RowInput input_of(const certify::Witness& witness) {
    test::RowInput input;
    input.trigger = witness.trigger;
    for (std::size_t i = 0; i < witness.row; ++i) {
      test::Token token;
      for (const auto& x : witness.tokens[i]) token.push_back(rounded::to_double_estimate(x));
      input.tokens.push_back(std::move(token));
    }
    return input;
  }

  void judge(const std::vector<certify::Property>& properties) {
    std::vector<test::RowInput> starts;
    for (const auto& property : properties) {
      if (property.witness) starts.push_back(input_of(*property.witness));
    }
    const auto found = test::attack(drawn_, case_.seed, starts);
    for (const auto& property : properties) {
      if (property.name.starts_with("theorem.")) {
        judge_theorem(property, found);
        continue;
      }
      if (!property.lower || !property.upper) {
        fail(property.name + " has no bounds");
      } else if (*property.lower > *property.upper) {
        fail(property.name + ": lower is above upper");
      } else {
        judge_bounds(property, found);
        if (property.witness && property.name != "sup-loss") judge_witness(property);
      }
    }
  }

  void judge_bounds(const certify::Property& property,
                    const std::map<test::RowKind, test::Found>& found) {
    const std::string& name = property.name;
    const bool wrong = std::any_of(found.begin(), found.end(), [&](const auto& entry) {
      const auto& [kind, extreme] = entry;
      const std::string rows = kind == test::RowKind::kPre       ? ".pre"
                               : kind == test::RowKind::kTrigger ? ".trigger"
                                                                 : ".post";
      if (name == "sup-loss") return is_above(extreme.loss, *property.upper);
      if (!name.ends_with(rows)) return false;
      if (name.starts_with("sup-loss")) return is_above(extreme.loss, *property.upper);
      if (name.starts_with("bos-floor")) return is_below(extreme.least_bos, *property.lower);
      if (name.starts_with("bos-ceiling")) return is_above(extreme.most_bos, *property.upper);
      if (name.starts_with("null-floor")) return is_below(extreme.least_null, *property.lower);
      return is_above(extreme.most_null, *property.upper);
    });
    if (wrong) fail(name + ": an input is outside its bounds");
  }

  // The attained side: the witness alone must reach it, as far as floats tell.
  void judge_witness(const certify::Property& property) {
    const test::RowInput input = input_of(*property.witness);
    const auto row = test::plain_row<test::Tracked>(drawn_, input);
    const auto certainly_outside = [&](const test::Tracked& x, bool ceiling) {
      return ceiling ? is_below(x.value + x.error, *property.lower)
                     : is_above(x.value - x.error, *property.upper);
    };
    bool wrong = false;
    if (property.name.starts_with("sup-loss")) {
      test::Tracked loss = row.out[property.witness->coordinate];
      loss.value *= property.witness->sign;
      wrong = *property.lower > 0 && certainly_outside(loss, true);
    } else {
      const bool ceiling = property.name.find("-ceiling") != std::string::npos;
      const auto& paid = property.name.starts_with("bos") ? row.bos : row.null;
      // No head attains it.
      wrong = !(ceiling && *property.lower <= 0) &&
              std::all_of(paid.begin(), paid.end(),
                          [&](const auto& x) { return certainly_outside(x, ceiling); });
    }
    if (wrong) fail(property.name + ": its witness does not attain what it says");
  }

  void judge_theorem(const certify::Property& property,
                     const std::map<test::RowKind, test::Found>& found) {
    if (property.verdict != "proved") return;
    long double least = found.at(test::RowKind::kPre).least_bos;
    if (property.name == "theorem.tc-3") {
      least = std::min(least, found.at(test::RowKind::kPost).least_bos);
    }
    if (is_below(least, *property.implied)) fail(property.name + ": an input contradicts it");
  }

  const Case& case_;
  test::RandomCheckpoint drawn_;
  bool failed_ = false;
};

// The same file through the program; its exit code must be one that a user may meet.
int run_program(const Case& one, const std::string& program) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string file = one.file().string();
    execl(program.c_str(), program.c_str(), "certify", file.c_str(), "--quiet", nullptr);
    std::_Exit(kFailed);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const bool decided = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2);
  if (!decided)
    std::fprintf(stderr, "FAILED: %s certify %s\n", program.c_str(), one.file().c_str());
  return decided ? 0 : kFailed;
}

int run_case(const Case& one, const std::string& program) {
  const rlimit limit = {kSecondsACase, kSecondsACase + 1};
  setrlimit(RLIMIT_CPU, &limit);
  int outcome = Judge(one).run();
  constexpr std::uint64_t kEveryTenth = 10;
  if (outcome != kFailed && !program.empty() && one.seed % kEveryTenth == 0 &&
      one.sizes == test::Sizes::kSmall && run_program(one, program) != 0) {
    outcome = kFailed;
  }
  if (outcome != kFailed) std::filesystem::remove(one.file());
  return outcome;
}

class Run {
 public:
  explicit Run(std::string program) : program_(std::move(program)) {}

  void start(const Case& one, std::size_t jobs) {
    while (running_.size() >= jobs) reap();
    const pid_t child = fork();
    if (child == 0) {
      const int outcome = run_case(one, program_);
      std::fflush(stdout);
      std::_Exit(outcome);
    }
    running_[child] = one;
  }

  // Waits for all; whether every case passed.
  bool finish() {
    while (!running_.empty()) reap();
    for (const auto& [outcome, count] : counts_) {
      std::printf("%s: %zu\n", name_of(outcome).c_str(), count);
    }
    return failed_ == 0;
  }

 private:
  void reap() {
    int status = 0;
    const pid_t child = wait(&status);
    const auto found = running_.find(child);
    if (found == running_.end()) return;
    const Case one = found->second;
    running_.erase(found);
    const int outcome = WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
    if (outcome <= kVanishing) {
      ++counts_[outcome];
      return;
    }
    ++failed_;
    ++counts_[kFailed];
    if (WIFSIGNALED(status)) std::printf("signal %d (24: over time)\n", WTERMSIG(status));
    std::printf("case %llu failed; again: soak %s %s %llu 1; its file is %s\n",
                static_cast<unsigned long long>(one.seed), one.folder.c_str(),
                one.sizes_name().c_str(), static_cast<unsigned long long>(one.seed),
                one.file().c_str());
    std::fflush(stdout);
  }

  static std::string name_of(int outcome) {
    if (outcome == kTooLarge) return "refused, SP1403";
    if (outcome == kVanishing) return "refused, SP1404";
    if (outcome == kFailed) return "failed";
    return "bounds accepted at attempt " + std::to_string(outcome - kRung1 + 1);
  }

  std::string program_;
  std::map<pid_t, Case> running_{};
  std::map<int, std::size_t> counts_{};
  std::size_t failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (arguments.size() < 5 || arguments.size() > 7) {
    std::fprintf(stderr, "usage: soak FOLDER small|mixed FIRST COUNT [JOBS [SINKPROOF]]\n");
    return 2;
  }
  Case one;
  one.folder = arguments[1];
  one.sizes = arguments[2] == "mixed" ? test::Sizes::kMixed : test::Sizes::kSmall;
  const std::uint64_t first = std::stoull(arguments[3]);
  const std::uint64_t count = std::stoull(arguments[4]);
  one.alone = count == 1;
  const std::size_t jobs = arguments.size() > 5 ? std::stoul(arguments[5]) : 1;
  std::filesystem::create_directories(one.folder);
  std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  std::fflush(stdout);
  Run run(arguments.size() > 6 ? arguments[6] : "");
  for (one.seed = first; one.seed < first + count; ++one.seed) run.start(one, jobs);
  return run.finish() ? 0 : 1;
}
