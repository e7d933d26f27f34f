#include "sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "accept/accept.hpp"
#include "certificate/envelope.hpp"
#include "certificate/sha256.hpp"
#include "certify/accepted.hpp"
#include "certify/journal.hpp"
#include "certify/largest_box.hpp"
#include "certify/requirements.hpp"
#include "certify/unit.hpp"
#include "check/check.hpp"
#include "claim/refusal.hpp"
#include "claim/verdict.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"

namespace sinkproof::sweep {
namespace {

namespace fs = std::filesystem;
using certify::Journal;
using exact::Result;

// One checkpoint as it is worked on.
struct Work {
  std::string bytes;
  certify::Options search;
  std::vector<claim::Requirement> requirements;
  std::vector<claim::Requirement> largest_box;
};

class Run {
 public:
  Run(const Plan& plan, const Options& options, std::string claim_hash)
      : plan_(plan), options_(options), claim_hash_(std::move(claim_hash)) {
    for (const Checkpoint& each : plan.checkpoints) outcomes_.emplace_back().checkpoint = each;
  }

  std::vector<Outcome> outcomes() {
    for_each_checkpoint([this](std::size_t i, unsigned jobs) { certify(i, jobs); });
    return std::move(outcomes_);
  }

 private:
  // Several at a time, or several units of one. Shares begin at different checkpoints.
  template <typename Do>
  void for_each_checkpoint(const Do& work_on) {
    const std::size_t count = outcomes_.size();
    const unsigned outer = std::min<unsigned>(options_.jobs, static_cast<unsigned>(count));
    const unsigned inner = options_.jobs / outer;
    const auto first =
        static_cast<std::size_t>(options_.share.begin() * static_cast<double>(count));
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < count; i = next++) {
        work_on((first + i) % count, inner);
        ++done_;
      }
    };
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < outer; ++i) helpers.emplace_back(work);
    work();
  }

  Result<Work> read(Outcome& outcome, unsigned jobs) {
    const Checkpoint& checkpoint = outcome.checkpoint;
    Work work;
    auto bytes = file::read(checkpoint.path);
    if (!bytes) return tl::unexpected(bytes.error());
    work.bytes = std::move(*bytes);
    if (certificate::sha256_hex(work.bytes) != checkpoint.sha256) {
      return exact::fail(
          "SP1905", checkpoint.path.string(),
          "has changed since the run began; restore the file with SHA-256 " + checkpoint.sha256);
    }
    auto model = model::read(work.bytes, checkpoint.path.string(), plan_.overrides);
    if (!model) return tl::unexpected(model.error());
    outcome.model = std::move(*model);
    auto requirements = certify::read_requirements(plan_.require, *outcome.model, "--require");
    if (!requirements) return tl::unexpected(requirements.error());
    work.requirements = std::move(*requirements);
    auto boxes = certify::read_requirements(plan_.largest_box, *outcome.model, "--largest-box");
    if (!boxes) return tl::unexpected(boxes.error());
    work.largest_box = std::move(*boxes);
    work.search = plan_.search;
    for (const auto& each : work.largest_box) work.search.properties.push_back(each.property);
    certify::add_required(work.requirements, work.search);
    work.search.claim_hash = claim_hash_;
    work.search.jobs = jobs;
    work.search.begin = options_.share.begin();
    work.search.progress = [this, &checkpoint](const std::string& doing, double share) {
      tell(plan_.is_single ? doing : checkpoint.name + ": " + doing, share);
    };
    return work;
  }

  void tell(const std::string& doing, double share) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    const double all = static_cast<double>(outcomes_.size());
    options_.progress(doing, (static_cast<double>(done_) + share) / all);
  }

  void certify(std::size_t i, unsigned jobs) {
    Outcome& outcome = outcomes_[i];
    auto work = read(outcome, jobs);
    if (!work) return fail(outcome, work.error());
    const bool reads = options_.task == Task::kMerge;
    Journal journal = journal_for(reads ? Journal::Use::kRead : Journal::Use::kFill);
    if (!options_.journal.empty()) work->search.journal = &journal;
    if (options_.task == Task::kShare) {
      certify_once(outcome, *work);
    } else {
      accept_and_write(outcome, *work);
    }
    outcome.missing = journal.missing();
    note_failure(journal, outcome);
  }

  // What another share has done is done.
  void certify_once(Outcome& outcome, const Work& work) {
    const std::string part = fmt::format(
        "certificate of {} for {}", fmt::join(work.search.properties, " "), work.search.claim_hash);
    const fs::path output = output_of(outcome.checkpoint);
    std::error_code ignored;
    const bool is_written = output.empty() || fs::exists(output, ignored);
    certify::found_once(
        *outcome.model, work.search, part,
        [&](const json::Value& value) { return value == true && is_written; },
        [&]() -> json::Value {
          accept_and_write(outcome, work);
          return outcome.certification.has_value();
        });
  }

  void accept_and_write(Outcome& outcome, const Work& work) {
    const model::AttentionModel& model = *outcome.model;
    const certify::Accept accept = [&](const json::Value& certificate) {
      return accept::accepted(check::check_checkpoint(certificate, {work.bytes}));
    };
    auto made = work.largest_box.empty()
                    ? certify::certify_accepted(model, work.search, accept)
                    : certify::certify_largest_box(model, work.search, work.largest_box, accept);
    if (!made) return fail(outcome, made.error());
    const fs::path output = output_of(outcome.checkpoint);
    if (!output.empty() && made->stated.properties.empty()) {
      outcome.unwritten = output;
    } else if (!output.empty()) {
      const auto written =
          output::replace(output, certificate::certificate_bytes(made->certificate()));
      if (!written) return fail(outcome, written.error());
    }
    outcome.certification = std::move(*made);
    outcome.decisions = certify::decide(work.requirements, *outcome.certification);
    outcome.exit_code = certify::exit_code(outcome.decisions, *outcome.certification);
  }

  void fail(Outcome& outcome, const exact::Error& error) const {
    if (options_.task == Task::kMerge && error.code == "SP1901") {
      outcome.exit_code = claim::exit_code(claim::Verdict::kUnknown);
      return;
    }
    outcome.error = error;
    outcome.exit_code = claim::exit_code_of(error);
  }

  void note_failure(const Journal& journal, Outcome& outcome) const {
    if (journal.failure()) fail(outcome, *journal.failure());
  }

  [[nodiscard]] Journal journal_for(Journal::Use use) const {
    return {options_.journal, options_.program, use};
  }

  [[nodiscard]] fs::path output_of(const Checkpoint& checkpoint) const {
    if (options_.output.empty() || plan_.is_single) return options_.output;
    return options_.output / (checkpoint.name + ".json");
  }

  const Plan& plan_;
  const Options& options_;
  std::string claim_hash_;
  std::vector<Outcome> outcomes_;
  std::atomic<std::size_t> done_ = 0;
  std::mutex mutex_;
};

}  // namespace

Result<std::vector<Outcome>> run(const Plan& plan, Options options) {
  if (!options.output.empty() && !plan.is_single) {
    std::error_code error;
    fs::create_directories(options.output, error);
    if (error) {
      return exact::fail("SP0203", options.output.string(), "cannot be made: " + error.message());
    }
    options.output /= "";
  }
  auto hash = accept::claim_text_hash("checkpoint", options.claims, options.output);
  if (!hash) return tl::unexpected(hash.error());
  return Run(plan, options, std::move(*hash)).outcomes();
}

}  // namespace sinkproof::sweep
