#include "cli/sweep_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "certificate/sha256.hpp"
#include "check/check.hpp"
#include "cli/certification_text.hpp"
#include "cli/digits.hpp"
#include "cli/or_null.hpp"
#include "cli/witness_file.hpp"
#include "json/strict.hpp"
#include "rounded/decimal.hpp"
#include "text/words.hpp"

namespace sinkproof::cli {
namespace {

using sweep::Outcome;

// Two sides of a property as text: what holds for all inputs, what an input attains, and how far
// these are apart, rounded up: the larger over the smaller; for the floor of weights that sum to
// one of what is missing from 1.
struct Sides {
  std::string bound;
  std::string attained;
  std::string ratio;
};

Sides sides_of(const certify::Property& property, const model::AttentionModel& model) {
  constexpr unsigned kRatioDigits = 5;
  Sides sides;
  if (property.upper) sides.bound = rounded::decimal_up(*property.upper, kDigits);
  if (property.lower) sides.attained = rounded::decimal_down(*property.lower, kDigits);
  const bool of_boxes = property.name.starts_with("largest-box.");
  const bool is_floor = property.is_floor();
  if (of_boxes || is_floor) std::swap(sides.bound, sides.attained);
  if (!property.lower || !property.upper) return sides;
  const bool lacking = is_floor && model::is_normalised(model.attention);
  const exact::Rational small = lacking ? exact::Rational(1 - *property.upper) : *property.lower;
  const exact::Rational large = lacking ? exact::Rational(1 - *property.lower) : *property.upper;
  if (small > 0) sides.ratio = rounded::decimal_up(large / small, kRatioDigits);
  return sides;
}

json::Value error_json(const exact::Error& error) {
  return {{"code", error.code}, {"what", error.what}, {"where", error.where}};
}

json::Value checkpoint_json(const Outcome& outcome) {
  json::Value properties = json::Value::array();
  if (outcome.certification) {
    for (const certify::Property& property : outcome.certification->properties) {
      const Sides sides = sides_of(property, *outcome.model);
      properties.push_back({{"attained", or_null(sides.attained)},
                            {"bound", or_null(sides.bound)},
                            {"name", property.name},
                            {"ratio", or_null(sides.ratio)},
                            {"seconds", property.seconds},
                            {"verdict", property.verdict}});
      if (!property.head) continue;
      properties.back()["layer"] = *property.layer;
      properties.back()["head"] = *property.head;
    }
  }
  return {{"error", outcome.error ? error_json(*outcome.error) : json::Value(nullptr)},
          {"missing", outcome.missing},
          {"name", outcome.checkpoint.name},
          {"properties", properties},
          {"sha256", outcome.checkpoint.sha256}};
}

void print_table_json(const std::vector<Outcome>& outcomes) {
  json::Value checkpoints = json::Value::array();
  for (const Outcome& outcome : outcomes) checkpoints.push_back(checkpoint_json(outcome));
  const json::Value table = {{"checkpoints", checkpoints}, {"schema", 1}, {"semantics", "real"}};
  say_json(table);
}

// Every property's label, in the order in which the checkpoints first have them.
std::vector<std::string> labels_of(const std::vector<Outcome>& outcomes) {
  std::vector<std::string> labels;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.certification) continue;
    for (const certify::Property& property : outcome.certification->properties) {
      const std::string name = label(property);
      if (std::find(labels.begin(), labels.end(), name) == labels.end()) labels.push_back(name);
    }
  }
  return labels;
}

// One line for a property of a checkpoint; those of a property stand together, to be compared.
void print_table_text(const std::vector<Outcome>& outcomes) {
  const std::vector<std::string> labels = labels_of(outcomes);
  if (labels.empty()) return;
  std::size_t wide = 8;
  std::size_t wide_name = 10;
  for (const std::string& name : labels) wide = std::max(wide, name.size());
  for (const Outcome& outcome : outcomes) {
    wide_name = std::max(wide_name, outcome.checkpoint.name.size());
  }
  say("semantics real, all inputs of each model's box; ratio: upper / lower, for floors (1 - "
      "lower) / (1 - upper), rounded up; seconds: measured\n");
  say("{:<{}} {:<{}} {:<14} {:>16} {:>16} {:>8} {:>8}\n", "property", wide, "checkpoint", wide_name,
      "verdict", "bound", "attained", "ratio", "seconds");
  for (const std::string& name : labels) {
    for (const Outcome& outcome : outcomes) {
      if (!outcome.certification) continue;
      for (const certify::Property& property : outcome.certification->properties) {
        if (label(property) != name) continue;
        const Sides sides = sides_of(property, *outcome.model);
        const std::string padding(14 - std::min<std::size_t>(14, property.verdict.size()), ' ');
        say("{:<{}} {:<{}} {}{} {:>16} {:>16} {:>8} {:>8.2f}\n", name, wide,
            outcome.checkpoint.name, wide_name, shown_verdict(property.verdict), padding,
            sides.bound, sides.attained, sides.ratio, property.seconds);
      }
    }
  }
}

void report_missing(const Outcome& outcome) {
  report_error({"SP1901", outcome.checkpoint.name,
                fmt::format("the journal lacks {} of this checkpoint's results ({}). Run certify "
                            "again with the same models, options and --journal",
                            outcome.missing.size(), fmt::join(outcome.missing, ", "))});
}

// Launchers end a job whose first process fails, so a share that was done is a success: what its
// units say is stated when they are merged.
int report_share(const std::vector<Outcome>& outcomes, const sweep::Options& options,
                 const Common& common) {
  const sweep::Share& share = options.share;
  std::vector<std::string> waiting;
  int code = kOk;
  for (const Outcome& outcome : outcomes) {
    if (outcome.error) report_error(*outcome.error);
    if (outcome.error && outcome.error->code == "SP0203") code = kUsage;
    if (outcome.error) waiting.push_back(outcome.checkpoint.name);
  }
  if (common.json()) {
    const json::Value report = {{"schema", 1},
                                {"share", {{"count", share.count}, {"number", share.index + 1}}},
                                {"waiting", waiting}};
    say_json(report);
  } else if (!common.quiet) {
    say("share {} of {}{}: {} of {} certified in {}\n", share.index + 1, share.count,
        share.from.empty() ? "" : " (from " + share.from + ")", outcomes.size() - waiting.size(),
        text::counted(outcomes.size(), "checkpoint"), options.journal.string());
  }
  return code;
}

exact::Result<void> keep_witness(const Outcome& outcome, const std::string& path) {
  if (path.empty() || !outcome.certification) return {};
  const auto* decision = refuted_by_input(outcome.decisions, *outcome.certification);
  if (decision == nullptr) {
    say_to(stderr, "no input refutes a threshold of --require, so {} is not written\n", path);
    return {};
  }
  const auto& property = outcome.certification->properties[decision->property];
  return write_witness(path, *decision, property, *outcome.model);
}

int report_outcomes(const std::vector<Outcome>& outcomes, const sweep::Plan& plan,
                    const Common& common) {
  std::set<int> codes;
  for (const Outcome& outcome : outcomes) {
    if (outcome.error) report_error(*outcome.error);
    if (!outcome.missing.empty()) report_missing(outcome);
    if (!outcome.unwritten.empty()) {
      say_to(stderr, "no property is decided, so {} is not written\n", outcome.unwritten.string());
    }
    codes.insert(outcome.exit_code);
  }
  if (plan.is_single) {
    const Outcome& only = outcomes.front();
    if (only.certification && common.json()) {
      print_certification_json(*only.certification, only.decisions, *only.model);
    } else if (only.certification && !common.quiet) {
      print_certification_text(*only.certification, only.decisions, *only.model);
    }
  } else if (common.json()) {
    print_table_json(outcomes);
  } else if (!common.quiet) {
    print_table_text(outcomes);
  }
  return check::worst_exit_code(codes);
}

}  // namespace

int run_sweep(const sweep::Plan& plan, sweep::Options options, const Common& common,
              const std::string& save_witness) {
  // Whatever another program found, under whatever version, is not what this one would find.
  auto program = certificate::sha256_hex_of_file("/proc/self/exe");
  if (!program) return report_error(program.error());
  options.program = std::move(*program);
  exact::Result<std::vector<Outcome>> outcomes;
  {
    // The budget is of each checkpoint.
    ProgressLine line(common.quiet, plan.is_single ? plan.search.stack.seconds : 0);
    options.progress = [&](const std::string& doing, double share) { line.show(doing, share); };
    outcomes = sweep::run(plan, options);
  }
  if (!outcomes) return report_error(outcomes.error());
  if (options.task == sweep::Task::kShare) return report_share(*outcomes, options, common);
  const int code = report_outcomes(*outcomes, plan, common);
  const auto saved = keep_witness(outcomes->front(), save_witness);
  return saved ? code : report_error(saved.error());
}

}  // namespace sinkproof::cli
