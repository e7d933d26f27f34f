#include "gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <set>
#include <utility>

#include "certificate/envelope.hpp"
#include "claim/verdict.hpp"
#include "gate/changed.hpp"
#include "gate/checkpoint_item.hpp"
#include "gate/config.hpp"
#include "gate/finding.hpp"
#include "gate/items.hpp"
#include "gate/lock.hpp"
#include "gate/proved_checker.hpp"
#include "gate/repository.hpp"
#include "gate/theory_item.hpp"
#include "model/what_is_at.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using ci::Finding;
using ci::Level;
using exact::Error;

// Takes away the certificates that an earlier run made anew; whatever else is there stays.
void clear_renewed(const fs::path& output) {
  std::error_code error;
  std::vector<fs::path> earlier;
  for (fs::recursive_directory_iterator next(output / "renewed", error), end; !error && next != end;
       next.increment(error)) {
    if (next->is_regular_file(error) && certificate::read_envelope(next->path())) {
      earlier.push_back(next->path());
    }
  }
  for (const fs::path& file : earlier) fs::remove(file, error);
}

// A field of what was accepted; "" when it has none.
std::string text_in(const Asked& asked, const std::string& field) {
  const auto found = asked.find(field);
  return found == asked.end() || found->second.empty() ? "" : found->second.front();
}

std::size_t number_in(const Asked& asked, const std::string& field) {
  const std::string text = text_in(asked, field);
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class Gate {
 public:
  explicit Gate(const Options& options) : options_(options) {
    const fs::path& config = options.config;
    config_.folder = config.has_parent_path() ? config.parent_path() : fs::path(".");
    place_.root = repository_root(config_.folder);
    place_.config_name = seen_from(place_.root, config);
    run_.summary.config = place_.config_name;
    run_.summary.base = options.only_changed;
    run_.lock_at = lock_path(options.config);
  }

  Run decide() {
    std::size_t line = 1;
    auto config = load_config(options_.config, line);
    if (config) config_ = *std::move(config);
    const auto writable = set_output();
    if (writable) run_.output = place_.output;
    if (!config) {
      stop(with_what_is_there(config.error()), line);
    } else if (!writable) {
      stop(writable.error(), 1);
    } else {
      decide_config();
    }
    return std::move(run_);
  }

 private:
  // What the file of the configuration is where it is something else.
  [[nodiscard]] Error with_what_is_there(Error error) const {
    const std::string found = model::what_is_at(options_.config);
    if (!found.empty()) error.what += ". " + found;
    if (error.code == "SP0201" || error.code == "SP1701") {
      if (!error.what.ends_with('.')) error.what += '.';
      error.what += " docs/GATE.md shows how to write a sinkproof.toml";
    }
    return error;
  }

  // Before anything is written.
  exact::Result<void> set_output() {
    Output output{options_.output, ".", config_.folder, {}};
    place_.output = options_.output;
    if (options_.output.empty()) {
      output.folder = config_.output;
      output.base = config_.folder;
      place_.output = config_.folder / config_.output;
    }
    for (const ClaimGroup& group : config_.claims) {
      if (!group.shipped) output.kept.insert(output.kept.end(), {group.proofs, group.certificates});
    }
    for (const CheckpointItem& item : config_.checkpoints) {
      output.kept.push_back(item.certificate.parent_path());
    }
    for (const ModelItem& item : config_.models) {
      output.kept.insert(output.kept.end(), {item.certificate.parent_path(), item.folder});
    }
    return check_output(output, place_.root);
  }

  void decide_config() {
    config_.stale_fails = config_.stale_fails || options_.locked;
    config_.limits.seconds = options_.seconds.value_or(config_.limits.seconds);
    config_.limits.memory = options_.memory.value_or(config_.limits.memory);
    auto lock = read_lock(run_.lock_at);
    if (!lock) return stop(lock.error(), 1);
    has_lock_ = lock->has_value();
    if (has_lock_) lock_ = **std::move(lock);
    auto items = collect_items(config_, place_);
    if (!items) return stop(items.error().error, items.error().line);
    items_ = std::move(*items);
    clear_renewed(place_.output);
    decide_items();
  }

  // An error of the gate's own configuration: one finding that says so.
  void stop(const Error& error, std::size_t line) {
    Finding finding;
    finding.suite = "configuration";
    finding.subject = run_.summary.config;
    finding.asked = "is readable";
    finding.location = {run_.summary.config, line, 1};
    lack(finding, error);
    finding.rule = error.code.starts_with("SP17") ? error.code : "SP1719";
    run_.summary.findings = {finding};
  }

  void leave_unchanged(Item& item) const {
    for (Finding& finding : item.findings) {
      finding.level = Level::kUnchanged;
      finding.exit_code = 0;
      finding.length = number_in(lock_.at(item.name), "length");
      finding.box = text_in(lock_.at(item.name), "box");
      finding.message = "nothing it depends on has changed since " + run_.summary.base;
    }
    item.theory.reset();
    item.checkpoint.reset();
    item.model.reset();
  }

  // --only-changed; false when git cannot say.
  bool drop_unchanged() {
    if (options_.only_changed.empty()) return true;
    const auto unchanged = Unchanged::since(options_.only_changed, place_.root);
    if (!unchanged) return stop(unchanged.error(), 1), false;
    const auto same_config = unchanged->holds_for({config_.file, run_.lock_at}, {});
    if (!same_config) return stop(same_config.error(), 1), false;
    for (Item& item : items_) {
      if (item.shipped || !*same_config || !lock_.contains(item.name)) continue;
      const auto same = unchanged->holds_for(item.depends_on, item.if_any);
      if (!same) return stop(same.error(), 1), false;
      if (*same) leave_unchanged(item);
    }
    return true;
  }

  Finding about_lock(const std::string& subject, const std::string& what) const {
    Finding finding;
    finding.suite = "configuration";
    finding.subject = subject;
    finding.asked = "is asked for";
    finding.location = {run_.summary.config, 1, 1};
    call_changed(finding, what);
    return finding;
  }

  // What was accepted and is asked for no more: deleted, renamed, or no pattern means it. Without a
  // lock nobody has accepted anything.
  void find_missing() {
    accepted_ = lock_;
    std::set<ItemName> asked;
    for (const Item& item : items_) asked.insert(item.name);
    std::erase_if(accepted_, [&](const auto& entry) { return !asked.contains(entry.first); });
    if (options_.update) return;
    if (!has_lock_) {
      missing_.push_back(about_lock(
          lock_name(), lock_name() + " is missing, so nobody has accepted these requirements"));
    }
    for (const auto& [name, entry] : lock_) {
      if (asked.contains(name)) continue;
      missing_.push_back(about_lock(
          name.name, fmt::format("{} lists {} under {}, but sinkproof.toml no longer asks for it: "
                                 "it was removed or renamed, or no pattern matches it",
                                 lock_name(), name.name, name.suite)));
    }
  }

  [[nodiscard]] std::string lock_name() const { return run_.lock_at.filename().string(); }

  void decide_items() {
    find_missing();
    if (!drop_unchanged()) return;
    decide_theory();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& item = items_[i];
      if (item.request() != nullptr) decide_model(item, i);
    }
    for (Item& item : items_) {
      for (Finding& finding : item.findings) {
        run_.summary.findings.push_back(std::move(finding));
      }
    }
    for (Finding& finding : missing_) run_.summary.findings.push_back(std::move(finding));
    run_.lock = std::move(accepted_);
  }

  void decide_theory() {
    std::vector<TheoryItem> theory;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].theory) continue;
      const auto start = std::chrono::steady_clock::now();
      look_at(*items_[i].theory, config_.stale_fails);
      items_[i].theory->finding.seconds = since(start);
      theory.push_back(std::move(*items_[i].theory));
      owners.push_back(i);
    }
    prove_again(theory, {options_.jobs, options_.sandbox,
                         [&](std::size_t done, std::size_t total, const std::string& step) {
                           const double count = static_cast<double>(total);
                           show(step, static_cast<double>(done) / count);
                         }});
    for (std::size_t i = 0; i < theory.size(); ++i) {
      const TheoryItem& item = theory[i];
      if (config_.verified) demand_covered(theory[i].finding);
      const bool shipped = items_[owners[i]].shipped;
      items_[owners[i]].findings = {item.finding};
      if (item.finding.proved_again && item.finding.exit_code == 0 && !shipped) {
        run_.renewals.push_back({item.renewed, item.certificate});
      }
      hold_to_lock(items_[owners[i]], item.asked);
    }
  }

  // What holds must be proved by the checker that is demanded, and be what somebody has accepted.
  void hold_to_lock(Item& item, const Asked& asked) {
    if (config_.verified) std::for_each(item.findings.begin(), item.findings.end(), demand_covered);
    const auto holds = [](const Finding& finding) { return finding.exit_code == 0; };
    if (options_.update) {
      const bool all = std::all_of(item.findings.begin(), item.findings.end(), holds);
      if (all) accepted_[item.name] = asked;
      return;
    }
    const auto accepted = lock_.find(item.name);
    const bool is_new = accepted == lock_.end();
    const std::string how = is_new ? "" : difference(accepted->second, asked);
    if (!is_new && how.empty()) return;
    for (Finding& finding : item.findings) {
      if (!holds(finding)) continue;
      call_changed(
          finding,
          is_new ? fmt::format("{} does not list {}, so nobody has accepted this requirement",
                               lock_name(), finding.subject)
                 : fmt::format("the requirement on {} differs from the accepted one in {}: {}",
                               finding.subject, lock_name(), how));
    }
  }

  // A checkpoint's or a language model's.
  void decide_model(Item& item, std::size_t number) {
    Request& request = *item.request();
    request.jobs = options_.jobs;
    const std::string subject = item.findings.front().subject;
    const double done = static_cast<double>(number) / static_cast<double>(items_.size());
    request.progress = [this, subject, done](const std::string& doing, double) {
      show(subject + ": " + doing, done);
    };
    const auto start = std::chrono::steady_clock::now();
    Decision decision = item.checkpoint
                            ? decide_checkpoint(*item.checkpoint, std::move(item.findings))
                            : gate::decide_model(*item.model, std::move(item.findings));
    item.findings = std::move(decision.findings);
    const double seconds = since(start) / static_cast<double>(item.findings.size());
    bool renewed = false;
    bool holds = true;
    for (Finding& finding : item.findings) {
      finding.seconds = seconds;
      renewed = renewed || finding.proved_again;
      holds = holds && finding.exit_code == 0;
    }
    if (renewed && holds) run_.renewals.push_back({request.renewed, request.certificate});
    hold_to_lock(item, decision.asked);
  }

  void show(const std::string& doing, double share_done) const {
    if (options_.progress) options_.progress(doing, share_done);
  }

  static double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  const Options& options_;
  Place place_;
  Config config_;
  std::vector<Item> items_;
  bool has_lock_ = false;
  Lock lock_;
  Lock accepted_;  // with `update`: what is asked and holds
  std::vector<Finding> missing_;
  Run run_;
};

void set_exit_code(ci::Summary& summary) {
  std::vector<int> codes;
  for (const Finding& finding : summary.findings) codes.push_back(finding.exit_code);
  // A gate that found nothing has not run.
  summary.exit_code = codes.empty() ? 5 : claim::combined_exit_code(codes);
}

// A run that decided nothing.
Run broken_off(const Options& options, int exit_code, const Error& error) {
  Finding finding;
  finding.suite = "configuration";
  finding.subject = options.config.filename().string();
  finding.asked = "decide";
  finding.location = {finding.subject, 1, 1};
  fail_with(finding, exit_code, error);
  Run run;
  run.summary.config = finding.subject;
  run.summary.findings = {finding};
  return run;
}

}  // namespace

Run run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Run result;
  try {
    result = Gate(options).decide();
  } catch (const exact::Rejected& refused) {  // no folder for temporary files
    result = broken_off(options, refused.exit_code, refused.error);
  } catch (const std::exception& bug) {
    result =
        broken_off(options, 5, {"SP0999", "gate", std::string("internal error: ") + bug.what()});
  }
  set_exit_code(result.summary);
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace sinkproof::gate
