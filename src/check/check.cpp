#include "check/check.hpp"

#include <exception>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"
#include "certificate/lengths.hpp"
#include "certificate/overrides.hpp"
#include "certificate/sha256.hpp"
#include "check/checkpoint.hpp"
#include "check/find.hpp"
#include "check/language.hpp"
#include "check/rejected.hpp"
#include "check/theory.hpp"
#include "check/vectors.hpp"

namespace sinkproof::check {
namespace {

namespace fs = std::filesystem;

// A thing that was looked for: not finding it is exit 2, not a rejection.
template <typename T>
T found(exact::Result<T> result) {
  if (!result) throw Rejected{result.error(), 2};
  return *std::move(result);
}

std::string not_reverified_text(const TheoryCheck& theory, const Options& options, bool& accepted) {
  std::string text;
  accepted = true;
  for (const NotReverified& step : theory.not_reverified) {
    text += (text.empty() ? "not re-verified: " : ", ") + step.kind + " " + step.file;
    if (!options.accept.contains(step.kind)) accepted = false;
  }
  return text;
}

void check_theory_certificate(const json::Value& value, const fs::path& folder,
                              const Options& options, Outcome& outcome) {
  const TheoryCheck theory = check_theory(value, folder);
  outcome.evidence = theory.evidence;
  outcome.reason = theory.reason;
  outcome.verdict = theory.verdict;
  bool accepted = true;
  const std::string trusted = not_reverified_text(theory, options, accepted);
  if (!trusted.empty()) outcome.reason += (outcome.reason.empty() ? "" : "; ") + trusted;
  if (!accepted && theory.verdict == "proved") outcome.verdict = "unknown";
  outcome.exit_code = accepted && theory.verdict == "proved" ? 0 : 3;
}

void accept(Outcome& outcome, const std::string& verdict) {
  outcome.verdict = verdict;
  outcome.evidence = "exact";
  outcome.exit_code = 0;
}

void accept_checkpoint(const json::Value& value, const certificate::Checkpoint& stated,
                       std::string_view model, const FileBySha256& file, const Options& options,
                       Outcome& outcome) {
  const Verified verified = verify_checkpoint(value, stated, model, file, options.work);
  outcome.overrides = stated.model.overrides;
  accept(outcome, verified.statistical ? "statistical" : "proved");
  for (const std::string& claim : verified.claims) {
    outcome.reason += (outcome.reason.empty() ? "theorem entries rest on " : ", ") + claim;
  }
  const std::string reading = certificate::reading_text(outcome.overrides, stated.model.scale);
  if (!reading.empty()) {
    outcome.reason = reading + (outcome.reason.empty() ? "" : "; ") + outcome.reason;
  }
  if (verified.statistical && !options.accept.contains("statistical")) outcome.exit_code = 3;
  const std::string lengths = certificate::lengths_text(stated);
  if (!lengths.empty()) outcome.reason += (outcome.reason.empty() ? "" : "; ") + lengths;
}

// What the properties mean is the text of the claim's folder.
void require_claim_text(const json::Value& value, const fs::path& folder) {
  const std::string hash = text(value, "claim_sha256", "certificate");
  require(value_of(certificate::claim_hash(folder)) == hash, "claim_sha256",
          "the claim's text is not the one this certificate was made for");
}

void accept_vectors(const json::Value& value, const FileBySha256& file, Outcome& outcome) {
  verify_vectors(value, file);
  accept(outcome, "proved");
}

void check_language_certificate(const json::Value& value, const certificate::Language& stated,
                                const fs::path& path, const Options& options, Outcome& outcome) {
  const auto model = found(find_language_model(stated.files, options.models, path));
  verify_language(value, stated, *model, options.work);
  accept(outcome, "proved");
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
          "must be " + text(value, "kind", ""));
  const fs::path folder = found(find_claim(envelope->claim, options.claims, path));
  const auto file = [&](const std::string& hash) {
    return found(find_model(hash, options.models, path));
  };
  switch (envelope->kind) {
    case certificate::Kind::kTheory:
      return check_theory_certificate(value, folder, options, outcome);
    case certificate::Kind::kCheckpoint: {
      const auto stated =
          value_of(certificate::read_checkpoint(value));  // SP0505 before other reasons
      require_claim_text(value, folder);
      return accept_checkpoint(value, stated, file(stated.model.sha256), file, options, outcome);
    }
    case certificate::Kind::kVectors:
      require_claim_text(value, folder);
      return accept_vectors(value, file, outcome);
    case certificate::Kind::kLanguage: {
      const auto stated = certificate::read_language(value);
      require_claim_text(value, folder);
      return check_language_certificate(value, stated, path, options, outcome);
    }
  }
}

// Runs a check and turns what it throws into the outcome.
template <typename Check>
void settle(Outcome& outcome, const Check& check) {
  try {
    check();
  } catch (const Rejected& rejected) {
    outcome.verdict = rejected.exit_code == 4 ? "rejected" : "unknown";
    outcome.evidence.clear();
    outcome.code = rejected.error.code;
    outcome.reason = rejected.error.where + ": " + rejected.error.what;
    outcome.exit_code = rejected.exit_code;
  } catch (const std::exception& bug) {
    outcome.verdict = "unknown";
    outcome.code = "SP0999";
    outcome.reason = std::string("internal error: ") + bug.what();
    outcome.exit_code = 5;
  }
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
  Outcome outcome;
  outcome.file = path.string();
  settle(outcome, [&] { check_into(path, options, outcome); });
  return outcome;
}

Outcome check_checkpoint(const json::Value& certificate, const std::vector<std::string>& files,
                         std::uint64_t work) {
  Outcome outcome;
  outcome.claim = "checkpoint";
  settle(outcome, [&] {
    const auto stated = value_of(certificate::read_checkpoint(certificate));
    const FileBySha256 file = among(files);
    const Options options{{}, {}, {"statistical"}, work};
    accept_checkpoint(certificate, stated, file(stated.model.sha256), file, options, outcome);
  });
  return outcome;
}

Outcome check_vectors(const json::Value& certificate, const std::vector<std::string>& files) {
  Outcome outcome;
  outcome.claim = "vectors";
  settle(outcome, [&] { accept_vectors(certificate, among(files), outcome); });
  return outcome;
}

int worst_exit_code(const std::set<int>& codes) {
  for (const int code : {5, 4, 1, 2, 3}) {
    if (codes.contains(code)) return code;
  }
  return 0;
}

}  // namespace sinkproof::check
