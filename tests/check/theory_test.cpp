// What the checker makes of whole theory certificates, and of folders that changed under them.
#include "check/theory.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "certificate/claim_hash.hpp"
#include "certificate/envelope.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;
const fs::path kFixture = kSource / "tests" / "reject" / "theory";

json::Value certificate_value(const fs::path& path) {
  const auto envelope = certificate::read_envelope(path);
  REQUIRE(envelope.has_value());
  return envelope->value;
}

// A copy of the fixture's proofs/ that a test may spoil.
class ProofsCopy {
 public:
  ProofsCopy() {
    std::string name = (fs::temp_directory_path() / "proofs-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    fs::copy(kFixture / "proofs", root_, fs::copy_options::recursive);
  }
  ProofsCopy(const ProofsCopy&) = delete;
  ProofsCopy& operator=(const ProofsCopy&) = delete;
  ~ProofsCopy() { fs::remove_all(root_); }
  [[nodiscard]] fs::path claim() const { return root_ / "toy-1"; }
  [[nodiscard]] fs::path theory() const { return root_ / "theory"; }

 private:
  fs::path root_;
};

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The certificate with its hash brought up to date, so that what is wrong is not hidden by the
// hash.
json::Value rehashed(json::Value value, const fs::path& claim) {
  value["claim_sha256"] = certificate::claim_hash(claim).value();
  return value;
}

json::Value& step_for(json::Value& value, const std::string& file) {
  for (json::Value& step : value["steps"]) {
    if (step["file"] == file) return step;
  }
  throw std::logic_error("no step for " + file);
}

void drop_step(json::Value& value, const std::string& file) {
  json::Value kept = json::Value::array();
  for (const json::Value& step : value["steps"]) {
    if (step["file"] != file) kept.push_back(step);
  }
  value["steps"] = kept;
}

std::string code(const json::Value& value, const fs::path& claim) {
  const auto result = check::check_theory(value, claim);
  return result.verdict == "rejected" ? result.error.code : result.verdict;
}

const char* kTheorem = R"({"statement":{"variables":["x"],"scope":"SCOPE","identities":
  [{"name":"i","left":["+","x","x"],"right":["*","2","x"]}]}})";

std::string theorem_with_scope(const std::string& scope) {
  std::string text = kTheorem;
  return text.replace(text.find("SCOPE"), 5, scope);
}

}  // namespace

TEST_CASE("The committed theory certificates are accepted, and say what they rest on") {
  for (const std::string id :
       {"co-1", "co-2", "co-3", "co-4", "co-5", "co-6", "ge-1", "ge-2", "sm-1", "sm-2", "sw-1",
        "sw-2", "sw-3", "tc-1", "tc-2", "tc-3", "tc-4", "tc-5", "tc-6", "tc-7", "tc-8"}) {
    INFO(id);
    const auto value = certificate_value(kSource / "certificates" / (id + ".json"));
    const auto result = check::check_theory(value, kSource / "proofs" / id);
    INFO(result.reason);
    CHECK(result.verdict == "proved");
    CHECK(result.evidence == "exact+smt+coq");
    CHECK(result.holes.empty());
    std::size_t smt_lemmas = 0;
    std::size_t coq_files = 0;
    for (const auto& entry : fs::directory_iterator(kSource / "proofs" / id)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".smt2") && !name.ends_with(".mutant.smt2")) ++smt_lemmas;
      if (name.ends_with(".v")) ++coq_files;
    }
    CHECK(smt_lemmas >= (id == "co-5" || id == "co-6" ? 1U : 2U));
    CHECK(coq_files >= 1);
    CHECK(result.not_reverified.size() == smt_lemmas + coq_files);
  }
}

TEST_CASE("A certificate does not fit another claim's folder") {
  const auto value = certificate_value(kSource / "certificates" / "tc-1.json");
  CHECK(code(value, kSource / "proofs" / "tc-5") == "SP0801");
  CHECK(code(value, kSource / "proofs" / "absent") == "SP0501");
  CHECK(code(value, kSource / "proofs" / "tc-1/") == "proved");
}

TEST_CASE("Any change of the claim's files or of the shared theory is noticed") {
  const auto value = certificate_value(kFixture / "accepted.json");
  {
    const ProofsCopy copy;
    CHECK(code(value, copy.claim()) == "proved");
    write(copy.claim() / "README.md", "words do not count");
    CHECK(code(value, copy.claim()) == "proved");
    write(copy.claim() / "claim.toml", "id = \"toy-1\"");
    CHECK(code(value, copy.claim()) == "SP0801");
  }
  const ProofsCopy copy;
  write(copy.theory() / "more.v", "Definition one := 1.");
  CHECK(code(value, copy.claim()) == "SP0801");
}

TEST_CASE("A file no step speaks for is noticed even when the hash is right") {
  const auto value = certificate_value(kFixture / "accepted.json");
  for (const std::string name : {"more.implication.json", "more.smt2", "note.txt", "sub/more.v",
                                 "more.mutant.smt2", "more.prose.md"}) {
    INFO(name);
    const ProofsCopy copy;
    fs::create_directories((copy.claim() / name).parent_path());
    write(copy.claim() / name, "{}");
    CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0802");
  }
  const ProofsCopy copy;
  fs::remove(copy.claim() / "claim.toml");
  CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0802");
}

TEST_CASE("An SMT step needs its mutant, and both must assert something") {
  const auto value = certificate_value(kFixture / "accepted.json");
  const auto with = [&](const std::string& name, const std::string& text) {
    const ProofsCopy copy;
    write(copy.claim() / name, text);
    return code(rehashed(value, copy.claim()), copy.claim());
  };
  CHECK(with("product.smt2", "") == "SP0802");
  CHECK(with("product.mutant.smt2", "(check-sat)") == "SP0802");
  CHECK(with("product.smt2", "(assert true)") == "proved");
  const ProofsCopy copy;
  fs::copy_file(copy.claim() / "product.smt2", copy.claim() / "product.mutant.smt2",
                fs::copy_options::overwrite_existing);
  CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0802");
  fs::remove(copy.claim() / "product.mutant.smt2");
  CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0802");
}

TEST_CASE("A Coq file must end with the theorems of the certificate") {
  const auto value = certificate_value(kFixture / "accepted.json");
  for (const std::string text : {"", "Print Assumptions toy.", "Theorem toy : True. Admitted.",
                                 "(* \nPrint Assumptions toy.\nPrint Assumptions toy_twice.\n*)"}) {
    INFO(text);
    const ProofsCopy copy;
    write(copy.claim() / "toy.v", text);
    CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0807");
  }
}

TEST_CASE("Assumed and prose steps make the verdict holey and are named") {
  auto value = certificate_value(kFixture / "accepted.json");
  value["verdict"] = "holey";
  step_for(value, "toy.v") = {{"file", "toy.v"}, {"rule", "assumed"}};
  const auto result = check::check_theory(value, kFixture / "proofs" / "toy-1");
  CHECK(result.verdict == "holey");
  CHECK(result.holes == std::vector<std::string>{"toy.v"});
  CHECK(result.evidence == "exact+smt");
  CHECK(result.reason.find("toy.v") != std::string::npos);

  const ProofsCopy copy;
  write(copy.claim() / "why.prose.md", "It is plain to see.");
  auto prose = certificate_value(kFixture / "accepted.json");
  prose["steps"].push_back({{"file", "why.prose.md"}, {"rule", "prose"}});
  CHECK(code(rehashed(prose, copy.claim()), copy.claim()) == "SP0808");
  prose["verdict"] = "holey";
  CHECK(code(rehashed(prose, copy.claim()), copy.claim()) == "holey");
  prose["steps"].back()["rule"] = "coq-theorem";
  CHECK(code(rehashed(prose, copy.claim()), copy.claim()) == "SP0802");
}

TEST_CASE("Without Coq a claim is closed by a theorem file, bounded when its scope is") {
  const auto accepted = certificate_value(kFixture / "accepted.json");
  const ProofsCopy copy;
  fs::remove(copy.claim() / "toy.v");
  auto value = accepted;
  drop_step(value, "toy.v");
  CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0802");

  for (const std::string scope : {"all", "L in 4..7", ""}) {
    INFO(scope);
    write(copy.claim() / "theorem.identity.json", theorem_with_scope(scope));
    auto closed = value;
    closed["steps"].push_back(
        {{"file", "theorem.identity.json"},
         {"rule", "polynomial-identity"},
         {"statement", json::Value::parse(theorem_with_scope(scope))["statement"]}});
    closed["verdict"] = scope == "all" ? "proved" : "bounded";
    const std::string expected = scope.empty() ? "SP0503" : scope == "all" ? "proved" : "bounded";
    CHECK(code(rehashed(closed, copy.claim()), copy.claim()) == expected);
    closed["verdict"] = scope == "all" ? "bounded" : "proved";
    CHECK(code(rehashed(closed, copy.claim()), copy.claim()) ==
          (scope.empty() ? "SP0503" : "SP0808"));
  }
}

TEST_CASE("A lemma called theorem.smt2 states a claim: a solver's word, and nobody else's") {
  const auto accepted = certificate_value(kFixture / "accepted.json");
  const ProofsCopy copy;
  fs::remove(copy.claim() / "toy.v");
  auto value = accepted;
  drop_step(value, "toy.v");
  write(copy.claim() / "theorem.smt2", "(assert true)");
  write(copy.claim() / "theorem.mutant.smt2", "(assert false)");
  value["steps"].push_back({{"file", "theorem.smt2"}, {"rule", "smt"}});
  value = rehashed(value, copy.claim());
  const auto result = check::check_theory(value, copy.claim());
  INFO(result.reason);
  CHECK(result.verdict == "proved");
  CHECK(result.evidence == "exact+smt");
  REQUIRE_FALSE(result.not_reverified.empty());
  CHECK(result.not_reverified.back().file == "theorem.smt2");
  value["verdict"] = "bounded";
  CHECK(code(value, copy.claim()) == "SP0808");

  // Under any other name it is a lemma.
  fs::rename(copy.claim() / "theorem.smt2", copy.claim() / "theorems.smt2");
  fs::rename(copy.claim() / "theorem.mutant.smt2", copy.claim() / "theorems.mutant.smt2");
  value["verdict"] = "proved";
  step_for(value, "theorem.smt2")["file"] = "theorems.smt2";
  CHECK(code(rehashed(value, copy.claim()), copy.claim()) == "SP0802");
}
