#include "prove/prove.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "certificate/claim_hash.hpp"
#include "certificate/coq_statement.hpp"
#include "certificate/envelope.hpp"
#include "certificate/sha256.hpp"
#include "certificate/step.hpp"
#include "certificate/theory.hpp"
#include "claim/claim.hpp"
#include "claim/said.hpp"
#include "file/file.hpp"
#include "output/replace.hpp"
#include "prove/construction.hpp"
#include "prove/coq.hpp"
#include "prove/exact_step.hpp"
#include "prove/schedule.hpp"
#include "prove/smt.hpp"
#include "write/write.hpp"

namespace sinkproof::prove {
namespace {

namespace fs = std::filesystem;
using certificate::Rule;
using exact::Error;
using exact::Result;
using Files = std::map<std::string, std::string>;

// What all steps share.
struct Shared {
  std::unique_ptr<CoqWorkspace> coq;  // null where `without_coq` says why
  std::optional<Error> without_coq;
  std::string theory_hash;
};

// What deciding one step gave: something to write, or a hole, or a failure.
struct StepResult {
  certificate::By by;           // what the certificate says of it
  std::set<std::string> kinds;  // of "exact", "smt", "coq"; none for a hole
  std::string hole;             // why it is one
  std::string hole_code;        // the error behind it; "" for prose
  bool bounded = false;         // its scope is not "all"
  std::optional<Error> error;
  double seconds = 0;
};

struct Work {
  claim::Claim claim;
  Files files;
  std::unique_ptr<CoqClaim> coq;    // where Coq is asked about it
  std::vector<StepResult> results;  // one per step
};

StepResult failed(Error error) {
  StepResult result;
  result.error = std::move(error);
  return result;
}

StepResult failed_in(const claim::Step& step, Error error) {
  error.where += ": step \"" + step.name + "\"";
  return failed(std::move(error));
}

StepResult hole(const claim::Step& step, const std::string& why, const std::string& code) {
  StepResult result;
  result.hole_code = code;
  if (step.rule == Rule::kProse) {
    result.by = certificate::Prose();
  } else {
    result.by = certificate::Assumed();
  }
  result.hole = "step \"" + step.name + "\": " + why;
  return result;
}

// A solver that is not installed leaves a hole; one that says no, or nothing, stops the claim.
StepResult without_solvers(const claim::Step& step, const Error& error) {
  return error.code == "SP0708" ? hole(step, error.what, error.code) : failed(error);
}

// By what the file says itself.
template <typename Exact>
StepResult decide_exact(const std::string& text, const std::string& where) {
  const auto step = read_exact<Exact>(text, where);
  if (!step) return failed(step.error());
  if (auto held = verify(*step, where); !held) return failed(held.error());
  StepResult result;
  result.kinds = {"exact"};
  result.bounded = step->scope != "all";
  result.by = *step;
  return result;
}

StepResult decide_implication(const claim::Step& step, const std::string& text,
                              const std::string& where) {
  StepResult result = decide_exact<certificate::Implication>(text, where);
  if (result.error) return result;
  const auto& implication = std::get<certificate::Implication>(result.by);
  if (!implication.has_solvers) return result;
  if (auto confirmed = confirm_implication(smt_question(implication), where); !confirmed) {
    return without_solvers(step, confirmed.error());
  }
  result.kinds.insert("smt");
  return result;
}

// The evidence is the file's own: whether it holds is for the checker the caller brings to say.
StepResult decide_vectors(const std::string& text, const std::string& where,
                          const ProveOptions& options) {
  if (!options.accept) {
    return failed({"SP0718", where, "a step of rule vectors needs the checker to evaluate it"});
  }
  auto step = read_exact<certificate::GivenVectors>(text, where);
  if (!step) return failed(step.error());
  StepResult result;
  result.kinds = {"exact"};
  result.by = *std::move(step);
  return result;
}

StepResult decide_smt(const claim::Step& step, const Files& files, const std::string& where) {
  const auto mutant = files.find(certificate::mutant_of(step.file));
  if (mutant == files.end()) {
    return failed({"SP0703", where,
                   "the mutant " + certificate::mutant_of(step.file) +
                       " is missing; add the lemma with one numeral changed so that it is false"});
  }
  if (auto held = decide_lemma(files.at(step.file), mutant->second, where); !held) {
    return without_solvers(step, held.error());
  }
  StepResult result;
  result.kinds = {"smt"};
  result.by = certificate::Lemma();
  return result;
}

// Why Coq cannot be asked; nothing where it can.
std::optional<StepResult> without_coq(const claim::Step& step, const Shared& shared) {
  if (shared.coq) return std::nullopt;
  const Error& error = *shared.without_coq;
  return hole(step, error.where + ": " + error.what, error.code);
}

// A sentence that no proof file ends with; "" when there is none, or a proof file is still missing.
std::string unproved_sentence(const std::string& statement, const Work& work) {
  std::set<std::string> proved;
  for (const claim::Step& step : work.claim.steps) {
    if (step.rule != Rule::kCoq) continue;
    const auto file = work.files.find(step.file);
    if (file == work.files.end()) return "";
    for (std::string& name : certificate::coq_theorems(file->second)) {
      proved.insert(std::move(name));
    }
  }
  for (const std::string& sentence : certificate::coq_sentences(statement)) {
    if (!proved.contains(sentence)) return sentence;
  }
  return "";
}

// What is claimed, as FORMAT.md, 3.6, records it.
StepResult decide_statement(const claim::Step& step, const Work& work, const std::string& where,
                            const Shared& shared) {
  if (auto missing = without_coq(step, shared)) return *std::move(missing);
  if (auto done = work.coq->state(step.file, where); !done) return failed(done.error());
  const std::string& text = work.files.at(step.file);
  if (const std::string open = unproved_sentence(text, work); !open.empty()) {
    return failed(
        {"SP0721", where,
         "says " + open + ", and no proof file ends with Print Assumptions " + open + "."});
  }
  const auto definitions = certificate::result_of(
      [&] { return certificate::coq_definitions(text, shared.coq->theory(), where); });
  if (!definitions) return failed(definitions.error());
  StepResult result;
  result.by = certificate::Sentences{certificate::coq_sentences(text),
                                     {definitions->begin(), definitions->end()},
                                     certificate::sha256_hex(text)};
  return result;
}

StepResult decide_coq(const claim::Step& step, const Work& work, const std::string& where,
                      const Shared& shared) {
  if (auto missing = without_coq(step, shared)) return *std::move(missing);
  const auto proved = work.coq->prove(step.file, where);
  if (!proved) {
    if (proved.error().code == "SP0713") return hole(step, proved.error().what, "SP0713");
    return failed(proved.error());
  }
  StepResult result;
  result.kinds = {"coq"};
  result.by = certificate::Theorems{proved->theorems, proved->assumptions, shared.theory_hash};
  return result;
}

bool needs_coq(Rule rule) { return rule == Rule::kCoq || rule == Rule::kStatement; }

StepResult decide(const claim::Step& step, const Work& work, const std::string& where,
                  const Shared& shared, const ProveOptions& options) {
  const Files& files = work.files;
  if (step.rule == Rule::kProse) return hole(step, "is prose", "");
  if (!files.contains(step.file)) {
    if (needs_coq(step.rule)) {
      return hole(step, "the file " + step.file + " is missing", "SP0603");
    }
    return failed(
        {"SP0603", where, "the file is missing; add it, or remove the step from claim.toml"});
  }
  switch (step.rule) {
    case Rule::kImplication:
      return decide_implication(step, files.at(step.file), where);
    case Rule::kIdentity:
      return decide_exact<certificate::Identities>(files.at(step.file), where);
    case Rule::kConstruction:
      return decide_exact<certificate::Construction>(files.at(step.file), where);
    case Rule::kVectors:
      return decide_vectors(files.at(step.file), where, options);
    case Rule::kSmt:
      return decide_smt(step, files, where);
    case Rule::kStatement:
      return decide_statement(step, work, where, shared);
    case Rule::kCoq:
      return decide_coq(step, work, where, shared);
    case Rule::kProse:
      break;
  }
  return hole(step, "is prose", "");
}

// What a step may cost, in characters of Coq: compiling goes by the text, a theorem's assumptions
// take half a second, a solver as long at most times.
constexpr std::size_t kQuestionCost = 15'000;

std::size_t cost_of(const claim::Step& step, const Files& files) {
  const auto file = files.find(step.file);
  if (file == files.end()) return 0;
  if (!needs_coq(step.rule)) return kQuestionCost;
  return file->second.size() + kQuestionCost * certificate::coq_theorems(file->second).size();
}

// Places in coq.theory() of the files a text requires.
std::vector<std::size_t> required_places(const CoqWorkspace& coq, const std::string& text) {
  std::vector<std::size_t> places;
  for (const std::string& name : coq_required(text, coq.theory())) {
    places.push_back(std::distance(coq.theory().begin(), coq.theory().find(name)));
  }
  return places;
}

// What went wrong with each file of the theory, or with one it requires.
using TheoryErrors = std::vector<std::optional<Error>>;

std::optional<Error> first_error(const TheoryErrors& errors,
                                 const std::vector<std::size_t>& places) {
  for (const std::size_t i : places) {
    if (errors[i]) return errors[i];
  }
  return std::nullopt;
}

// One task for each file of the theory, in their order.
std::vector<Task> theory_tasks(const CoqWorkspace& coq, TheoryErrors& errors) {
  std::vector<Task> tasks;
  for (const auto& [name, text] : coq.theory()) {
    const auto compile = [&, own = tasks.size(), name = name, after = required_places(coq, text)] {
      errors[own] = first_error(errors, after);
      if (errors[own]) return;
      if (auto done = coq.compile(name); !done) errors[own] = done.error();
    };
    tasks.push_back({compile, text.size(), required_places(coq, text)});
  }
  return tasks;
}

// Decides every step and counts those that are done.
class Decision {
 public:
  Decision(std::vector<Work>& works, const Shared& shared, const ProveOptions& options)
      : works_(works), shared_(shared), options_(options) {}

  void run() {
    std::vector<Task> tasks;
    if (runs_coq()) {
      errors_.resize(shared_.coq->theory().size());
      tasks = theory_tasks(*shared_.coq, errors_);
    }
    for (Work& work : works_) {
      work.results.resize(work.claim.steps.size());
      total_ += work.claim.steps.size();
      const std::size_t first = tasks.size();
      for (std::size_t s = 0; s < work.claim.steps.size(); ++s) {
        tasks.push_back(task(work, s, first));
      }
    }
    run_tasks(tasks, options_.jobs);
    refuse_broken_theory();
  }

 private:
  static bool is_coq(const Work& work, const claim::Step& step) {
    return needs_coq(step.rule) && work.files.contains(step.file);
  }

  [[nodiscard]] bool runs_coq() const {
    return shared_.coq && std::any_of(works_.begin(), works_.end(), [](const Work& work) {
             return std::any_of(work.claim.steps.begin(), work.claim.steps.end(),
                                [&](const claim::Step& step) { return is_coq(work, step); });
           });
  }

  // `first` is the place of the claim's first step among the tasks.
  Task task(Work& work, std::size_t s, std::size_t first) {
    const claim::Step& step = work.claim.steps[s];
    std::vector<std::size_t> theory;
    std::vector<std::size_t> after;
    if (!errors_.empty() && is_coq(work, step)) {
      theory = required_places(*shared_.coq, work.files.at(step.file));
      after = theory;
      for (const std::size_t other : required_steps(work, s)) after.push_back(first + other);
    }
    const auto run = [this, &work, s, theory] { decide_step(work, s, theory); };
    return {run, cost_of(step, work.files), after};
  }

  // The steps of the same claim whose files have to be compiled before: those a file requires, and
  // for a proof file the statement files, against which its theorems are held.
  static std::vector<std::size_t> required_steps(const Work& work, std::size_t s) {
    const claim::Step& step = work.claim.steps[s];
    const auto names = coq_required(work.files.at(step.file), work.coq->files());
    std::vector<std::size_t> places;
    for (std::size_t other = 0; other < work.claim.steps.size(); ++other) {
      const claim::Step& earlier = work.claim.steps[other];
      const bool is_said = step.rule == Rule::kCoq && earlier.rule == Rule::kStatement;
      const bool is_asked_for = std::find(names.begin(), names.end(), earlier.file) != names.end();
      if (other != s && (is_said || is_asked_for)) places.push_back(other);
    }
    return places;
  }

  void decide_step(Work& work, std::size_t s, const std::vector<std::size_t>& after) {
    const claim::Step& step = work.claim.steps[s];
    const std::string where = work.claim.id + "/" + step.file;
    const auto start = std::chrono::steady_clock::now();
    const auto error = first_error(errors_, after);
    StepResult result = error ? failed(*error) : decide(step, work, where, shared_, options_);
    if (result.error) result = failed_in(step, *result.error);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    work.results[s] = std::move(result);
    const std::lock_guard lock(mutex_);
    ++done_;
    if (options_.progress) options_.progress(done_, total_, where);
  }

  // A theory of which a part does not compile proves nothing, whichever part a file requires.
  void refuse_broken_theory() {
    const auto broken = std::find_if(errors_.begin(), errors_.end(),
                                     [](const auto& error) { return error.has_value(); });
    if (broken == errors_.end()) return;
    for (Work& work : works_) {
      for (std::size_t s = 0; s < work.results.size(); ++s) {
        if (!needs_coq(work.claim.steps[s].rule)) continue;
        work.results[s] = failed_in(work.claim.steps[s], **broken);
      }
    }
  }

  std::vector<Work>& works_;
  const Shared& shared_;
  const ProveOptions& options_;
  TheoryErrors errors_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

std::string kinds_of(const Work& work) {
  std::string text;
  for (const std::string kind : {"exact", "smt", "coq"}) {
    const bool occurs =
        std::any_of(work.results.begin(), work.results.end(),
                    [&](const StepResult& result) { return result.kinds.contains(kind); });
    if (occurs) text += (text.empty() ? "" : "+") + kind;
  }
  return text;
}

// FORMAT.md, 3.2. Precondition: no step failed.
claim::Verdict verdict_of(const Work& work, std::string& gap, std::string& gap_code) {
  for (const StepResult& result : work.results) {
    if (result.hole.empty()) continue;
    gap = result.hole;
    gap_code = result.hole_code;
    return claim::Verdict::kHoley;
  }
  const std::set<std::string> said = claim::said_names(work.claim);
  for (std::size_t i = 0; i < work.results.size(); ++i) {
    const std::string& file = work.claim.steps[i].file;
    if (!work.results[i].bounded || !said.contains(file)) continue;
    gap = file + " holds for the listed sizes only";
    return claim::Verdict::kBounded;
  }
  return claim::Verdict::kProved;
}

json::Value certificate_of(const Work& work, claim::Verdict verdict) {
  std::map<std::string, certificate::By> by_file;
  for (std::size_t i = 0; i < work.results.size(); ++i) {
    by_file[work.claim.steps[i].file] = work.results[i].by;
  }
  certificate::Theory theory{
      work.claim.id, certificate::claim_hash(work.files), {}, claim::to_string(verdict)};
  for (auto& [file, by] : by_file) theory.steps.push_back({file, std::move(by)});
  return write::written(std::move(theory));
}

int exit_code_of(const Error& error) {
  if (error.code == "SP0704") return 5;  // the solvers disagree
  if (error.code.starts_with("SP06") || error.code.starts_with("SP02") ||
      error.code.starts_with("SP05")) {
    return 2;
  }
  return 3;
}

void set_error(ProveRow& row, const Error& error) {
  row.verdict = claim::Verdict::kUnknown;
  row.error = error;
  row.gap = error.where + ": " + error.what;
  row.exit_code = exit_code_of(error);
}

// The worst failure first: a disagreement of solvers must not hide behind a timeout.
const StepResult* worst_failure(const Work& work) {
  const StepResult* worst = nullptr;
  for (const StepResult& result : work.results) {
    if (!result.error) continue;
    if (worst == nullptr || exit_code_of(*result.error) > exit_code_of(*worst->error)) {
      worst = &result;
    }
  }
  return worst;
}

// SP0724: the claim was proved before and said something else then, byte for byte, so that what the
// earlier certificate was read for may not be what this one would say.
Result<void> says_what_it_said(const json::Value& certificate, const fs::path& path) {
  const auto text = file::read(path);
  if (!text) return {};  // never proved
  const auto before = json::parse_strict(*text, path.string());
  if (!before) return {};
  const auto said = claim::said_in(*before);
  const auto says = claim::said_in(certificate);
  if (said.empty() || said == says) return {};
  return exact::fail("SP0724", certificate.at("claim").get<std::string>(),
                     "what is claimed has changed since " + path.string() + " was written (" +
                         claim::what_changed(said, says) +
                         "); read it, and accept it with `sinkproof prove --restate " +
                         certificate.at("claim").get<std::string>() + "`");
}

ProveRow finish(const Work& work, const ProveOptions& options) {
  ProveRow row;
  row.claim = work.claim.id;
  for (const StepResult& result : work.results) row.seconds += result.seconds;
  if (const StepResult* failure = worst_failure(work)) {
    set_error(row, *failure->error);
    return row;
  }
  const claim::Verdict verdict = verdict_of(work, row.gap, row.gap_code);
  row.verdict = verdict;
  row.evidence = kinds_of(work);
  row.exit_code = claim::exit_code(verdict);
  const json::Value certificate = certificate_of(work, verdict);
  if (options.accept) {
    if (auto held = options.accept(certificate, options.proofs / row.claim); !held) {
      set_error(row, held.error());
      row.exit_code = 4;
      return row;
    }
  }
  const fs::path place = options.certificates / (row.claim + ".json");
  if (!options.restate) {
    if (auto same = says_what_it_said(certificate, place); !same) {
      set_error(row, same.error());
      return row;
    }
  }
  const auto bytes = certificate::certificate_bytes(certificate);
  if (auto written = output::replace(place, bytes); !written) {
    set_error(row, written.error());
  }
  return row;
}

ProveRow finish_checkpoint(const Work& work, const ProveOptions& options) {
  if (options.checkpoint) return options.checkpoint(work.claim);
  ProveRow row;
  row.claim = work.claim.id;
  set_error(row, {"SP0718", work.claim.id, "a claim about a checkpoint needs the certifier"});
  return row;
}

Result<Work> load(const fs::path& folder) {
  auto claim = claim::load_claim(folder);
  if (!claim) return tl::unexpected(claim.error());
  auto files = certificate::claim_files(folder);
  if (!files) return tl::unexpected(files.error());
  return Work{std::move(*claim), std::move(*files), nullptr, {}};
}

Shared share(const ProveOptions& options) {
  Shared shared;
  const fs::path folder = options.proofs / "theory";
  auto theory = certificate::claim_files(folder);
  if (!theory) {
    shared.without_coq = {"SP0710", folder.string(),
                          "does not hold the shared theory; name the folder proofs/"};
    return shared;
  }
  auto program = CoqProgram::find(options.sandbox);
  if (!program) {
    shared.without_coq = program.error();
    return shared;
  }
  shared.theory_hash = certificate::claim_hash(*theory);
  shared.coq = std::make_unique<CoqWorkspace>(std::move(*theory), *std::move(program));
  return shared;
}

}  // namespace

Result<std::vector<ProveRow>> prove_claims(const ProveOptions& options) {
  std::vector<std::string> ids = options.ids;
  if (ids.empty()) {
    auto all = claim::list_claims(options.proofs);
    if (!all) return tl::unexpected(all.error());
    ids = std::move(*all);
  }
  std::vector<ProveRow> rows;
  std::vector<Work> works;
  std::map<std::string, std::size_t> row_of;
  for (const std::string& id : ids) {
    const auto folder = claim::find_claim(options.proofs, id);
    if (!folder) return tl::unexpected(folder.error());
    if (!row_of.emplace(id, rows.size()).second) continue;  // asked for twice
    rows.emplace_back();
    rows.back().claim = id;
    auto work = load(*folder);
    if (work) {
      works.push_back(std::move(*work));
    } else {
      set_error(rows.back(), work.error());
      rows.back().exit_code = 2;
    }
  }
  std::error_code error;
  fs::create_directories(options.certificates, error);
  if (error) {
    return exact::fail("SP0203", options.certificates.string(),
                       "cannot create: " + error.message());
  }
  const Shared shared = share(options);
  for (Work& work : works) {
    if (shared.coq) work.coq = std::make_unique<CoqClaim>(*shared.coq, work.files);
  }
  Decision(works, shared, options).run();
  for (const Work& work : works) {
    rows[row_of.at(work.claim.id)] =
        work.claim.checkpoint ? finish_checkpoint(work, options) : finish(work, options);
  }
  return rows;
}

}  // namespace sinkproof::prove
