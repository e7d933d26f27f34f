#include "gate/gate.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "claim/claim.hpp"
#include "gate/changed.hpp"
#include "gate/checkpoint_item.hpp"
#include "gate/config.hpp"
#include "gate/finding.hpp"
#include "gate/repository.hpp"
#include "gate/selection.hpp"
#include "gate/theory_item.hpp"

namespace sinkproof::gate {
namespace {

namespace fs = std::filesystem;
using exact::Error;
using report::GateFinding;
using report::GateLevel;

// What is asked, before anything is decided: a theory claim, or a checkpoint with its requirements.
struct Item {
  std::optional<TheoryItem> theory;
  std::optional<CheckpointRequest> checkpoint;
  std::vector<GateFinding> findings;  // one; one for each requirement of a checkpoint
  std::vector<fs::path> depends_on;   // files and folders
  std::vector<fs::path> if_any;       // the same, which need not be there
  bool shipped = false;
};

class Gate {
 public:
  explicit Gate(const Options& options) : options_(options) {
    const fs::path& config = options.config;
    const fs::path folder = config.has_parent_path() ? config.parent_path() : fs::path(".");
    root_ = repository_root(folder);
    run_.summary.config = seen_from(root_, config);
    run_.summary.base = options.only_changed;
    run_.output = options.output.empty() ? folder / "sinkproof-gate" : options.output;
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
    if (options_.output.empty()) run_.output = config_.output;
    if (collect() && check_output()) decide_items();
    return std::move(run_);
  }

 private:
  // An error of the gate's own configuration: one finding that says so.
  void stop(const Error& error, std::size_t line) {
    GateFinding finding;
    finding.suite = "configuration";
    finding.subject = run_.summary.config;
    finding.asked = "read";
    finding.location = {run_.summary.config, line, 1};
    lack(finding, error);
    finding.rule = error.code.starts_with("SP17") ? error.code : "SP1719";
    run_.summary.findings = {finding};
  }

  GateFinding blank(const std::string& suite, const std::string& subject, const std::string& asked,
                    const GateFinding& at, const fs::path& certificate) const {
    GateFinding finding;
    finding.suite = suite;
    finding.subject = subject;
    finding.asked = asked;
    finding.location = at.location;
    finding.certificate = seen_from(root_, certificate);
    return finding;
  }

  GateFinding at_config(std::size_t line) const {
    GateFinding finding;
    finding.location = {run_.summary.config, line, 1};
    return finding;
  }

  GateFinding at_file(const fs::path& file) const {
    GateFinding finding;
    finding.location = {seen_from(root_, file), 1, 1};
    return finding;
  }

  // Where a certificate made in this run goes: at the committed one's path below <output>/renewed.
  fs::path renewed(const fs::path& committed, bool shipped) const {
    const fs::path relative =
        shipped
            ? fs::path("sinkproof") / committed.filename()
            : committed.lexically_normal().lexically_relative(config_.folder.lexically_normal());
    const bool outside = relative.empty() || *relative.begin() == "..";
    return run_.output / "renewed" / (outside ? committed.filename() : relative);
  }

  // What a checkpoint's properties mean, where a repository says so itself (check::find_claim).
  static std::vector<fs::path> property_texts(const fs::path& certificate) {
    return {certificate.parent_path() / ".." / "proofs" / "checkpoint", "proofs/checkpoint"};
  }

  CheckpointRequest request(const claim::CheckpointClaim& claim, const fs::path& certificate,
                            const ShareInputs& share) {
    CheckpointRequest request;
    request.claim = claim;
    request.certificate = certificate;
    request.renewed = renewed(certificate, false);
    request.share = share;
    request.stale_fails = config_.stale_fails;
    request.jobs = options_.jobs;
    return request;
  }

  // A claim of the user's that is about a checkpoint.
  Item checkpoint_claim(const claim::Claim& claim, const fs::path& certificate) {
    Item item;
    item.checkpoint = request(*claim.checkpoint, certificate, ShareInputs{});
    for (const claim::Requirement& requirement : claim.checkpoint->require) {
      item.findings.push_back(blank("claims", claim.id, requirement.text,
                                    at_file(claim.folder / "claim.toml"), certificate));
    }
    item.depends_on = {claim.folder, certificate, claim.checkpoint->model};
    item.if_any = property_texts(certificate);
    return item;
  }

  Item theory_claim(const ClaimGroup& group, const std::string& id) {
    TheoryItem theory;
    theory.id = id;
    theory.folder = group.proofs / id;
    theory.certificate = group.certificates / (id + ".json");
    theory.renewed = renewed(theory.certificate, group.shipped);
    theory.output = run_.output;
    theory.accept = group.accept;
    theory.finding =
        blank(group.shipped ? "theory" : "claims", id, "proved",
              group.shipped ? at_config(group.line) : at_file(theory.folder / "claim.toml"),
              theory.certificate);
    Item item;
    item.findings.push_back(theory.finding);
    item.depends_on = {theory.folder, theory.certificate};
    item.if_any = {group.proofs / "theory"};
    item.shipped = group.shipped;
    item.theory = std::move(theory);
    return item;
  }

  // The items of one [[claims]]; false when the gate stops there.
  bool collect(ClaimGroup group, std::size_t number, std::set<fs::path>& seen) {
    const std::string where = config_.file.string() + ": [[claims]] " + std::to_string(number);
    if (group.shipped) {
      const auto folder = shipped_folder();
      if (!folder) return stop(folder.error(), group.line), false;
      group.proofs = *folder / "proofs";
      group.certificates = *folder / "certificates";
    }
    const auto ids = matching_claims(group, where);
    if (!ids) return stop(ids.error(), group.line), false;
    for (const std::string& id : *ids) {
      // The first table that means a claim decides how it is held.
      if (!seen.insert((group.proofs / id).lexically_normal()).second) continue;
      const auto claim = claim::load_claim(group.proofs / id);
      const bool about_checkpoint = claim && claim->checkpoint;
      items_.push_back(about_checkpoint
                           ? checkpoint_claim(*claim, group.certificates / (id + ".json"))
                           : theory_claim(group, id));
    }
    return true;
  }

  bool collect() {
    std::set<fs::path> seen;
    for (std::size_t i = 0; i < config_.claims.size(); ++i) {
      if (!collect(config_.claims[i], i + 1, seen)) return false;
    }
    for (const CheckpointItem& asked : config_.checkpoints) {
      Item item;
      item.checkpoint = request(asked.claim, asked.certificate, asked.share);
      for (std::size_t i = 0; i < asked.claim.require.size(); ++i) {
        item.findings.push_back(blank("checkpoints", asked.name, asked.claim.require[i].text,
                                      at_config(asked.lines[i]), asked.certificate));
      }
      item.depends_on = {asked.claim.model, asked.certificate};
      item.if_any = property_texts(asked.certificate);
      items_.push_back(std::move(item));
    }
    return true;
  }

  static fs::path real_place(const fs::path& file) {
    std::error_code ignored;
    const fs::path full = fs::absolute(file, ignored);
    return fs::weakly_canonical(full.parent_path(), ignored) / full.filename();
  }

  bool stop_at_output(const std::string& what) {
    stop({"SP1702", config_.file.string() + ": [gate]", "field \"output\": " + what}, 1);
    return false;
  }

  // What is made anew lies below <output>/renewed, is no committed file, and no other's.
  bool check_output() {
    const fs::path renewed = run_.output / "renewed";
    const fs::path folder = real_place(renewed / ".").parent_path();
    std::error_code ignored;
    const bool is_link = fs::is_symlink(renewed, ignored);
    std::map<fs::path, fs::path> committed_of;
    for (const Item& item : items_) {
      const fs::path made =
          real_place(item.theory ? item.theory->renewed : item.checkpoint->renewed);
      const fs::path committed =
          real_place(item.theory ? item.theory->certificate : item.checkpoint->certificate);
      const fs::path inside = made.lexically_relative(folder);
      if (is_link || inside.empty() || *inside.begin() == ".." || made == committed) {
        return stop_at_output(renewed.string() +
                              " leads to files the gate is not to touch; name another folder");
      }
      const auto [earlier, is_new] = committed_of.emplace(made, committed);
      if (!is_new && earlier->second != committed) {
        return stop_at_output("two certificates would both be made anew at " + made.string() +
                              "; keep one of them in a folder of another name");
      }
    }
    return true;
  }

  void leave_unchanged(Item& item) const {
    for (GateFinding& finding : item.findings) {
      finding.level = GateLevel::kUnchanged;
      finding.exit_code = 0;
      finding.message = "nothing it depends on has changed since " + run_.summary.base;
    }
    item.theory.reset();
    item.checkpoint.reset();
  }

  // --only-changed; false when git cannot say.
  bool drop_unchanged() {
    if (options_.only_changed.empty()) return true;
    const auto unchanged = Unchanged::since(options_.only_changed, root_);
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

  void decide_items() {
    if (!drop_unchanged()) return;
    decide_theory();
    for (std::size_t i = 0; i < items_.size(); ++i) {
      Item& item = items_[i];
      if (item.checkpoint) decide_one_checkpoint(item, i);
    }
    for (Item& item : items_) {
      for (GateFinding& finding : item.findings) {
        run_.summary.findings.push_back(std::move(finding));
      }
    }
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
    for (std::size_t i = 0; i < theory.size(); ++i) {
      const TheoryItem& item = theory[i];
      const bool shipped = items_[owners[i]].shipped;
      if (item.finding.proved_again && item.finding.exit_code == 0 && !shipped) {
        run_.renewals.push_back({item.renewed, item.certificate});
      }
      items_[owners[i]].findings = {item.finding};
    }
  }

  void decide_one_checkpoint(Item& item, std::size_t number) {
    CheckpointRequest& request = *item.checkpoint;
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
    for (GateFinding& finding : item.findings) {
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
  fs::path root_;
  Config config_;
  std::vector<Item> items_;
  Run run_;
};

void set_exit_code(report::GateSummary& summary) {
  std::vector<int> codes;
  for (const GateFinding& finding : summary.findings) codes.push_back(finding.exit_code);
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
    GateFinding finding;
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
