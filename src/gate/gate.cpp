#include "gate/gate.hpp"

#include <algorithm>
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
#include "gate/repository.hpp"
#include "gate/theory_item.hpp"

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

class Gate {
 public:
  explicit Gate(const Options& options) : options_(options) {
    const fs::path& config = options.config;
    const fs::path folder = config.has_parent_path() ? config.parent_path() : fs::path(".");
    const fs::path root = repository_root(folder);
    place_ = {root, seen_from(root, config),
              options.output.empty() ? folder / "sinkproof-gate" : options.output};
    run_.summary.config = place_.config_name;
    run_.summary.base = options.only_changed;
    run_.output = place_.output;
  }

  Run decide() {
    std::size_t line = 1;
    auto config = load_config(options_.config, line);
    if (!config) {
      stop(config.error(), line);
      return std::move(run_);
    }
    config_ = std::move(*config);
    config_.stale_fails = config_.stale_fails || options_.locked;
    config_.work = std::max(config_.work, options_.work);
    if (options_.output.empty()) place_.output = config_.output;
    run_.output = place_.output;
    run_.lock_at = lock_path(options_.config);
    auto lock = read_lock(run_.lock_at);
    if (!lock) {
      stop(lock.error(), 1);
      return std::move(run_);
    }
    lock_ = std::move(*lock);
    run_.lock = lock_;
    auto items = collect_items(config_, place_);
    if (items) {
      items_ = std::move(*items);
      clear_renewed(place_.output);
      decide_items();
    } else {
      stop(items.error().error, items.error().line);
    }
    return std::move(run_);
  }

 private:
  // An error of the gate's own configuration: one finding that says so.
  void stop(const Error& error, std::size_t line) {
    Finding finding;
    finding.suite = "configuration";
    finding.subject = run_.summary.config;
    finding.asked = "read";
    finding.location = {run_.summary.config, line, 1};
    lack(finding, error);
    finding.rule = error.code.starts_with("SP17") ? error.code : "SP1719";
    run_.summary.findings = {finding};
  }

  void leave_unchanged(Item& item) const {
    for (Finding& finding : item.findings) {
      finding.level = Level::kUnchanged;
      finding.exit_code = 0;
      finding.message = "nothing it depends on has changed since " + run_.summary.base;
    }
    item.theory.reset();
    item.checkpoint.reset();
  }

  // --only-changed; false when git cannot say.
  bool drop_unchanged() {
    if (options_.only_changed.empty()) return true;
    const auto unchanged = Unchanged::since(options_.only_changed, place_.root);
    if (!unchanged) return stop(unchanged.error(), 1), false;
    const auto same_config = unchanged->holds_for({config_.file}, {});
    if (!same_config) return stop(same_config.error(), 1), false;
    for (Item& item : items_) {
      if (item.shipped || !*same_config) continue;
      const auto same = unchanged->holds_for(item.depends_on, item.if_any);
      if (!same) return stop(same.error(), 1), false;
      if (*same) leave_unchanged(item);
    }
    return true;
  }

  // An accepted claim that nothing asks for any more: it was renamed, or made into one that Coq
  // says nothing of.
  void find_orphans() {
    std::set<std::string> asked;
    for (const Item& item : items_) {
      if (item.theory) asked.insert(item.theory->id);
    }
    for (const auto& [id, said] : lock_) {
      if (asked.contains(id)) continue;
      if (options_.update) {
        run_.lock.erase(id);
        continue;
      }
      Finding finding;
      finding.suite = "configuration";
      finding.subject = id;
      finding.asked = "is asked for";
      finding.location = {run_.summary.config, 1, 1};
      call_changed(finding, lock_path(options_.config).filename().string() + " has " + id +
                                ", which is no theory claim that is asked for");
      orphans_.push_back(std::move(finding));
    }
  }

  void decide_items() {
    find_orphans();
    if (!drop_unchanged()) return;
    decide_theory();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& item = items_[i];
      if (item.checkpoint) decide_one_checkpoint(item, i);
    }
    for (Item& item : items_) {
      for (Finding& finding : item.findings) {
        run_.summary.findings.push_back(std::move(finding));
      }
    }
    for (Finding& finding : orphans_) run_.summary.findings.push_back(std::move(finding));
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
    prove_again(theory,
                {options_.jobs, [&](std::size_t done, std::size_t total, const std::string& step) {
                   const double count = static_cast<double>(total);
                   show(step, static_cast<double>(done) / count);
                 }});
    for (TheoryItem& item : theory) hold_to_lock(item);
    for (std::size_t i = 0; i < theory.size(); ++i) {
      const TheoryItem& item = theory[i];
      const bool shipped = items_[owners[i]].shipped;
      if (item.finding.proved_again && item.finding.exit_code == 0 && !shipped) {
        run_.renewals.push_back({item.renewed, item.certificate});
      }
      items_[owners[i]].findings = {item.finding};
    }
  }

  // A claim that holds must say what somebody has accepted.
  void hold_to_lock(TheoryItem& item) {
    if (item.finding.exit_code != 0) return;
    const auto accepted = lock_.find(item.id);
    if (item.said.empty() && accepted == lock_.end()) return;
    if (accepted != lock_.end() && accepted->second == item.said) return;
    if (options_.update) {
      run_.lock[item.id] = item.said;
      if (item.said.empty()) run_.lock.erase(item.id);
      return;
    }
    const std::string name = lock_path(options_.config).filename().string();
    call_changed(item.finding,
                 accepted == lock_.end()
                     ? "nobody has accepted what " + item.id + " says: it is not in " + name
                     : "what " + item.id + " says is not what was accepted in " + name + " (" +
                           claim::what_changed(accepted->second, item.said) + ")");
  }

  void decide_one_checkpoint(Item& item, std::size_t number) {
    CheckpointRequest& request = *item.checkpoint;
    request.jobs = options_.jobs;
    const std::string subject = item.findings.front().subject;
    const double done = static_cast<double>(number) / static_cast<double>(items_.size());
    request.progress = [this, subject, done](const std::string& doing, double) {
      show(subject + ": " + doing, done);
    };
    const auto start = std::chrono::steady_clock::now();
    item.findings = decide_checkpoint(request, std::move(item.findings));
    const double seconds = since(start) / static_cast<double>(item.findings.size());
    bool renewed = false;
    bool holds = true;
    for (Finding& finding : item.findings) {
      finding.seconds = seconds;
      renewed = renewed || finding.proved_again;
      holds = holds && finding.exit_code == 0;
    }
    if (renewed && holds) run_.renewals.push_back({request.renewed, request.certificate});
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
  Lock lock_;
  std::vector<Finding> orphans_;
  Run run_;
};

void set_exit_code(ci::Summary& summary) {
  std::vector<int> codes;
  for (const Finding& finding : summary.findings) codes.push_back(finding.exit_code);
  // A gate that found nothing has not run.
  summary.exit_code = codes.empty() ? 5 : claim::combined_exit_code(codes);
}

}  // namespace

Run run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Run result;
  try {
    result = Gate(options).decide();
  } catch (const std::exception& bug) {
    Finding finding;
    finding.suite = "configuration";
    finding.subject = options.config.filename().string();
    finding.asked = "decide";
    finding.location = {finding.subject, 1, 1};
    break_off(finding, {"SP0999", "gate", std::string("internal error: ") + bug.what()});
    result.summary.config = finding.subject;
    result.summary.findings = {finding};
    result.output = options.output;
  }
  set_exit_code(result.summary);
  result.summary.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace sinkproof::gate
