#include "check/check.hpp"

#include <exception>
#include <new>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/rule.hpp"
#include "certificate/schema.hpp"
#include "certificate/sha256.hpp"
#include "check/checkpoint.hpp"
#include "check/find.hpp"
#include "check/limits.hpp"
#include "language/check.hpp"
#include "language/cover_check.hpp"
#include "theory/theory.hpp"
#include "vectors/vectors.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;

// A thing that was looked for: not finding it is exit 2, not a rejection.
template <typename T>
T found(exact::Result<T> result) {
  if (!result) throw Rejected{result.error(), 2};
  return *std::move(result);
}

// Adds to what the outcome says, if there is anything to add.
void say(Outcome& outcome, const std::string& text) {
  outcome.reason += (outcome.reason.empty() || text.empty() ? "" : "; ") + text;
}

void check_theory_certificate(const json::Value& value, const fs::path& folder,
                              const Options& options, Outcome& outcome) {
  const TheoryCheck theory = check_theory(value, folder);
  outcome.evidence = theory.evidence;
  outcome.reason = theory.reason;
  outcome.verdict = theory.verdict;
  bool accepted = true;
  std::string trusted;
  for (const NotReverified& step : theory.not_reverified) {
    trusted += (trusted.empty() ? "not re-verified: " : ", ") + step.kind + " " + step.file;
    accepted = accepted && options.accept.contains(step.kind);
  }
  say(outcome, trusted);
  if (!accepted && theory.verdict == "proved") outcome.verdict = "unknown";
  outcome.exit_code = accepted && theory.verdict == "proved" ? 0 : 3;
}

void accept(Outcome& outcome, const std::string& verdict) {
  outcome.verdict = verdict;
  outcome.evidence = "exact";
  outcome.exit_code = 0;
}

void check_checkpoint_certificate(const json::Value& value, const FileBySha256& file,
                                  const std::function<void()>& once_read, const Options& options,
                                  Outcome& outcome) {
  const Verified verified = verify_checkpoint(value, file, once_read);
  outcome.overrides = verified.overrides;
  accept(outcome, verified.statistical ? "statistical" : "proved");
  if (verified.statistical && !options.accept.contains("statistical")) outcome.exit_code = 3;
  for (const std::string& remark : verified.remarks) say(outcome, remark);
}

// What the properties mean is the text of the claim's folder.
void require_claim_text(const json::Value& value, const fs::path& folder) {
  std::string hash;
  certificate::Fields(value, "certificate").text("claim_sha256", hash);
  require(value_of(certificate::claim_hash(folder)) == hash, "claim_sha256",
          "the claim's text is not the one this certificate was made for");
}

void accept(Outcome& outcome, const LanguageVerified& verified) {
  outcome.remarks = verified.remarks;
  accept(outcome, "proved");
  say(outcome, verified.counts);
  say(outcome, verified.remarks);
  say(outcome, verified.scope);
}

// `kind` of every certificate but a theory's is its claim, too.
void check_into(const fs::path& path, const Options& options, Outcome& outcome) {
  auto envelope = certificate::read_envelope(path);
  if (!envelope) {
    const bool unreadable = envelope.error().code.starts_with("SP02");
    throw Rejected{envelope.error(), unreadable ? 2 : 4};
  }
  const json::Value& value = envelope->value;
  outcome.claim = envelope->claim;
  const bool theory = envelope->kind == certificate::Kind::kTheory;
  require(theory || value["kind"] == envelope->claim, "claim",
          "must be " + value["kind"].get<std::string>());
  const fs::path folder = found(find_claim(envelope->claim, options.claims, path));
  const auto file = [&](const std::string& hash) {
    return found(find_model(hash, options.models, path));
  };
  switch (envelope->kind) {
    case certificate::Kind::kTheory:
      return check_theory_certificate(value, folder, options, outcome);
    case certificate::Kind::kCheckpoint:  // SP0505 before other reasons
      return check_checkpoint_certificate(
          value, file, [&] { require_claim_text(value, folder); }, options, outcome);
    case certificate::Kind::kVectors:
      require_claim_text(value, folder);
      verify_vectors(value, file);
      return accept(outcome, "proved");
    case certificate::Kind::kLanguage:
      require_claim_text(value, folder);
      return accept(outcome, verify_language(value, model_folders(options.models, path), path));
    case certificate::Kind::kCover:
      require_claim_text(value, folder);
      return accept(outcome, verify_cover(value, model_folders(options.models, path), path));
  }
}

// What a check gives, or what it throws.
template <typename Check>
Outcome settled(const std::string& file, const std::string& claim, const Check& check) {
  const std::uint64_t start = processor_milliseconds();
  Outcome outcome;
  outcome.file = file;
  outcome.claim = claim;
  try {
    check(outcome);
  } catch (const Rejected& rejected) {
    outcome.verdict = rejected.exit_code == 4 ? "rejected" : "unknown";
    outcome.evidence.clear();
    outcome.code = rejected.error.code;
    outcome.reason = rejected.error.where + ": " + rejected.error.what;
    outcome.exit_code = rejected.exit_code;
  } catch (const std::bad_alloc&) {
    outcome.verdict = "unknown";
    outcome.evidence.clear();
    outcome.code = exact::kLimitReached;
    outcome.reason = "the check needs more memory than there is";
    outcome.exit_code = 3;
  } catch (const std::exception& bug) {
    outcome.verdict = "unknown";
    outcome.code = "SP0999";
    outcome.reason = std::string("internal error: ") + bug.what();
    outcome.exit_code = 5;
  }
  outcome.milliseconds = processor_milliseconds() - start;
  return outcome;
}

// The files at hand by their hashes; not finding one is exit 2.
FileBySha256 among(const std::vector<std::string>& files) {
  return [&files](const std::string& hash) {
    for (const std::string& bytes : files) {
      if (certificate::sha256_hex(bytes) == hash) return bytes;
    }
    throw Rejected{{"SP0903", "input", "no file with SHA-256 " + hash + " was given"}, 2};
  };
}

}  // namespace

Outcome check_file(const fs::path& path, const Options& options) {
  const auto check = [&] {
    return settled(path.string(), "",
                   [&](Outcome& outcome) { check_into(path, options, outcome); });
  };
  if (!options.limits) return check();
  Outcome outcome = within(*options.limits, check);
  outcome.file = path.string();
  return outcome;
}

Outcome check_checkpoint(const json::Value& certificate, const std::vector<std::string>& files) {
  return settled("", "checkpoint", [&](Outcome& outcome) {
    const Options options{{}, {}, {"statistical"}, {}};
    check_checkpoint_certificate(
        certificate, among(files), [] {}, options, outcome);
  });
}

Outcome check_vectors(const json::Value& certificate, const std::vector<std::string>& files) {
  return settled("", "vectors", [&](Outcome& outcome) {
    verify_vectors(certificate, among(files));
    accept(outcome, "proved");
  });
}

Outcome check_cover(const json::Value& certificate, const std::vector<fs::path>& folders) {
  return settled("", "cover", [&](Outcome& outcome) {
    accept(outcome, verify_cover(certificate, folders, "certificate"));
  });
}

int worst_exit_code(const std::set<int>& codes) {
  for (const int code : {5, 4, 1, 2, 3}) {
    if (codes.contains(code)) return code;
  }
  return 0;
}

}  // namespace sinkproof::check
