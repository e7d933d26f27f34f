// Whole claims through prove_claims: what is written, when nothing is, and that the checker agrees.
#include "prove/prove.hpp"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "certificate/envelope.hpp"
#include "certificate/strict.hpp"
#include "file/file.hpp"
#include "output/temporary_folder.hpp"
#include "prove/process.hpp"
#include "theory/theory.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using claim::Verdict;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;
const fs::path kFixture = kSource / "tests" / "reject" / "theory";

// A copy of the fixture's proofs/ that a test may spoil, and a folder for certificates beside it.
class Desk {
 public:
  Desk() { fs::copy(kFixture / "proofs", root_ / "proofs", fs::copy_options::recursive); }

  [[nodiscard]] fs::path claim() const { return root_ / "proofs" / "toy-1"; }
  [[nodiscard]] fs::path certificate() const { return root_ / "certificates" / "toy-1.json"; }
  [[nodiscard]] prove::ProveOptions options() const {
    prove::ProveOptions options;
    options.proofs = root_ / "proofs";
    options.certificates = root_ / "certificates";
    return options;
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(claim() / file, std::ios::binary) << text;
  }
  void append(const std::string& file, const std::string& text) const {
    std::ofstream(claim() / file, std::ios::binary | std::ios::app) << text;
  }
  // The claim without its Coq step.
  void drop_coq() const {
    fs::remove(claim() / "toy.v");
    fs::remove(claim() / "statement.v");
    std::string toml = file::read(claim() / "claim.toml").value();
    toml.resize(toml.find("[[step]]\nname = \"statement\""));
    toml.erase(toml.find("\"toy\", "), 7);
    const std::size_t twice = toml.find("[[sentence]]\ntext = \"Twice");
    write("claim.toml", toml.erase(twice, toml.find("[[step]]") - twice));
  }
  [[nodiscard]] prove::ProveRow prove() const {
    const auto rows = prove::prove_claims(options());
    REQUIRE(rows.has_value());
    REQUIRE(rows->size() == 1);
    return rows->front();
  }
  [[nodiscard]] std::string checked() const {
    const auto envelope = certificate::read_envelope(certificate());
    REQUIRE(envelope.has_value());
    const auto result =
        certificate::result_of([&] { return check::check_theory(envelope->value, claim()); });
    return result ? result->verdict : result.error().where + ": " + result.error().what;
  }

 private:
  output::TemporaryFolder root_;
};

// PATH with only the named programs in it, as long as the object lives.
class OnlyPrograms {
 public:
  explicit OnlyPrograms(const std::vector<std::string>& names) : old_path_(::getenv("PATH")) {
    for (const std::string& name : names) {
      fs::create_symlink(prove::find_program(name).value(), folder_ / name);
    }
    ::setenv("PATH", folder_.path().c_str(), 1);
  }
  OnlyPrograms(const OnlyPrograms&) = delete;
  OnlyPrograms& operator=(const OnlyPrograms&) = delete;
  ~OnlyPrograms() { ::setenv("PATH", old_path_.c_str(), 1); }

 private:
  std::string old_path_;
  output::TemporaryFolder folder_;
};

const char* kProseStep = R"([[step]]
name = "why"
rule = "prose"
file = "why.prose.md"
establishes = "e"
relies_on = []
)";

}  // namespace

TEST_CASE("The fixture's certificate is reproduced byte for byte, whatever the jobs") {
  for (const unsigned jobs : {1U, 3U}) {
    const Desk desk;
    auto options = desk.options();
    options.jobs = jobs;
    std::size_t calls = 0;
    options.progress = [&](std::size_t done, std::size_t total, const std::string& step) {
      CHECK(done == ++calls);
      CHECK(total == 5);
      CHECK(step.starts_with("toy-1/"));
    };
    const auto rows = prove::prove_claims(options);
    REQUIRE(rows.has_value());
    CHECK(rows->front().verdict == Verdict::kProved);
    CHECK(rows->front().evidence == "exact+smt+coq");
    CHECK(rows->front().exit_code == 0);
    CHECK(rows->front().seconds > 0);
    CHECK(calls == 5);
    CHECK(file::read(desk.certificate()).value() == file::read(kFixture / "accepted.json").value());
  }
}

TEST_CASE("A claim whose Coq step cannot be run is holey, names the step, and the checker agrees") {
  {
    const Desk desk;
    const OnlyPrograms no_coq({"cvc5"});
    const auto row = desk.prove();
    CHECK(row.verdict == Verdict::kHoley);
    CHECK(row.exit_code == 3);
    CHECK(row.gap.find("\"statement\"") != std::string::npos);
    CHECK(desk.checked() == "holey");
  }
  {
    const Desk desk;
    fs::remove(desk.claim() / "toy.v");
    const auto row = desk.prove();
    CHECK(row.verdict == Verdict::kHoley);
    CHECK(row.gap.find("toy.v is missing") != std::string::npos);
    CHECK(desk.checked() == "holey");
  }
  const Desk desk;
  const OnlyPrograms no_cvc5({"coqc", "coqtop"});
  const auto row = desk.prove();
  CHECK(row.verdict == Verdict::kHoley);
  CHECK(row.gap.find("cvc5") != std::string::npos);
  CHECK(desk.checked() == "holey");
}

TEST_CASE(
    "The weakest statement that claim.toml names decides; a lemma does not, prose is a hole") {
  const Desk desk;
  desk.append("claim.toml", kProseStep);
  desk.write("why.prose.md", "Multiply.");
  const auto prose = desk.prove();
  CHECK(prose.verdict == Verdict::kHoley);
  CHECK(prose.gap.find("\"why\"") != std::string::npos);
  CHECK(desk.checked() == "holey");

  struct Row {
    const char* scope;
    const char* says;  // in place of square.identity.json
    Verdict verdict;
  };
  for (const bool with_coq : {true, false}) {
    for (const auto& [scope, says, verdict] :
         {Row{"all", "square.identity.json", Verdict::kProved},
          Row{"x = 1", "square.identity.json", Verdict::kBounded},
          Row{"x = 1", "product.smt2", Verdict::kProved}}) {
      const Desk closed;
      if (!with_coq) closed.drop_coq();
      std::string text = file::read(closed.claim() / "square.identity.json").value();
      closed.write("square.identity.json",
                   text.replace(text.find("\"all\""), 5, "\"" + std::string(scope) + "\""));
      std::string toml = file::read(closed.claim() / "claim.toml").value();
      closed.write("claim.toml", toml.replace(toml.find("square.identity.json"), 20, says));
      const auto row = closed.prove();
      INFO(row.gap);
      CHECK(row.verdict == verdict);
      CHECK(row.exit_code == (verdict == Verdict::kProved ? 0 : 3));
      CHECK(row.evidence == (with_coq ? "exact+smt+coq" : "exact+smt"));
      CHECK((row.gap.find("square.identity.json holds for") == 0) ==
            (verdict == Verdict::kBounded));
      CHECK(closed.checked() == claim::to_string(row.verdict));
    }
  }
}

TEST_CASE("An implication that asks the solvers has their word besides") {
  const auto ask = [](const Desk& desk, const std::string& solvers) {
    std::string text = file::read(desk.claim() / "product.implication.json").value();
    const std::size_t at = text.find("\"statement\"");
    desk.write("product.implication.json", text.insert(at, "\"solvers\": " + solvers + ", "));
  };
  const Desk desk;
  fs::remove(desk.claim() / "product.smt2");
  fs::remove(desk.claim() / "product.mutant.smt2");
  std::string toml = file::read(desk.claim() / "claim.toml").value();
  const std::size_t lemma = toml.find("[[step]]\nname = \"product-smt\"");
  desk.write("claim.toml", toml.erase(lemma, toml.find("[[step]]", lemma + 1) - lemma));
  CHECK(desk.prove().evidence == "exact+coq");
  ask(desk, R"(["cvc5", "z3"])");
  CHECK(desk.prove().evidence == "exact+smt+coq");
  const auto envelope = certificate::read_envelope(desk.certificate());
  const auto checked = check::check_theory(envelope->value, desk.claim());
  CHECK(checked.evidence == "exact+smt+coq");
  REQUIRE(checked.not_reverified.size() == 2);
  CHECK(checked.not_reverified[0].kind == "smt");
  CHECK(checked.not_reverified[0].file == "product.implication.json");
  {
    const OnlyPrograms no_cvc5({"coqc"});
    const auto row = desk.prove();
    CHECK(row.verdict == Verdict::kHoley);
    CHECK(row.gap_code == "SP0708");
    CHECK(desk.checked() == "holey");
  }
  const Desk other;
  ask(other, R"(["z3"])");
  CHECK(other.prove().error.value().code == "SP0503");
}

TEST_CASE("A theory of which any part fails proves nothing") {
  for (const auto& [text, code] : {std::pair{"Lemma a : .\n", "SP0710"},
                                   {"Axiom a : False.\n", "SP0711"},
                                   {"From Sinkproof Require Import other.\n", "SP0710"}}) {
    INFO(text);
    const Desk desk;
    desk.write("../theory/other.v", text);
    const auto row = desk.prove();
    REQUIRE(row.error.has_value());
    CHECK(row.error->code == code);
    CHECK(row.gap.starts_with("theory/other.v: step \"statement\""));
    CHECK_FALSE(fs::exists(desk.certificate()));
  }
}

TEST_CASE("A step that fails leaves no certificate and says why") {
  const auto outcome = [](const std::string& file, const std::string& from, const std::string& to) {
    const Desk desk;
    std::string text = file::read(desk.claim() / file).value();
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    desk.write(file, text.replace(at, from.size(), to));
    const auto row = desk.prove();
    CHECK(row.verdict == Verdict::kUnknown);
    CHECK_FALSE(row.gap.empty());
    CHECK_FALSE(fs::exists(desk.certificate()));
    REQUIRE(row.error.has_value());
    return row.error->code + " exit " + std::to_string(row.exit_code);
  };
  CHECK(outcome("product.implication.json", "[\"px\", \"y1\"]", "[\"px\"]") == "SP0714 exit 3");
  CHECK(outcome("product.implication.json", "\"1/2\"", "\"2/4\"") == "SP0101 exit 3");
  CHECK(outcome("square.identity.json", "\"2\", \"x\"", "\"3\", \"x\"") == "SP0714 exit 3");
  CHECK(outcome("product.mutant.smt2", "(* 3 x)", "(* 1 x)") == "SP0703 exit 3");
  CHECK(outcome("product.smt2", "(> x 0)", "(< x 0)") == "SP0703 exit 3");
  CHECK(outcome("statement.v", "x <= x * y", "x < x * y") == "SP0710 exit 3");
  CHECK(outcome("toy.v", "Print Assumptions toy_twice.\n", "") == "SP0721 exit 3");
  CHECK(outcome("claim.toml", "\"toy_twice\"", "\"toy_thrice\"") == "SP0612 exit 2");
  CHECK(outcome("claim.toml", "title =", "titel =") == "SP0602 exit 2");
}

TEST_CASE("A claim that says something else than its certificate did is proved when told so only") {
  for (const char* file : {"statement.v", "../theory/definitions/toy_sum.v"}) {
    INFO(file);
    const Desk desk;
    CHECK(desk.prove().verdict == Verdict::kProved);
    const std::string before = file::read(desk.certificate()).value();
    desk.append("toy.v", "\n");  // not a word of the claim
    CHECK(desk.prove().verdict == Verdict::kProved);
    CHECK(file::read(desk.certificate()).value() != before);
    desk.append(file, "\n");
    const auto row = desk.prove();
    REQUIRE(row.error.has_value());
    CHECK(row.error->code == "SP0724");
    CHECK(row.error->what.find(fs::path(file).filename().string()) != std::string::npos);
    CHECK(row.exit_code == 3);
    auto options = desk.options();
    options.restate = true;
    CHECK(prove::prove_claims(options).value().front().verdict == Verdict::kProved);
    CHECK(desk.prove().verdict == Verdict::kProved);
  }
}

TEST_CASE("Several claims: one bad claim.toml does not stop the others, unknown ids do") {
  const Desk desk;
  fs::copy(desk.claim(), desk.claim().parent_path() / "toy-2", fs::copy_options::recursive);
  const auto rows = prove::prove_claims(desk.options());
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 2);
  CHECK((*rows)[0].verdict == Verdict::kProved);
  CHECK((*rows)[1].exit_code == 2);  // its id is not its folder's name
  CHECK((*rows)[1].error.value().code == "SP0602");
  auto options = desk.options();
  options.ids = {"toy-1", "toy-3"};
  CHECK(prove::prove_claims(options).error().code == "SP0607");
  options.ids.clear();
  options.proofs = desk.claim();
  CHECK(prove::prove_claims(options).error().code == "SP0606");
}

TEST_CASE("A step about given vectors is for the checker to evaluate, before anything is written") {
  const auto outcome = [](const std::string& distance, bool with_checker) {
    const Desk desk;
    desk.write("distance.vectors.json", R"({"statement":{"scope":"one vector","vectors":[["3","4"]],
      "property":{"property":"hull-distance","vectors":[0],"lower":"25","upper":")" +
                                            distance + R"("}},
      "evidence":{"weights":[[0,"1"]],"direction":[[0,"1"]]}})");
    desk.append("claim.toml", R"([[step]]
name = "distance"
rule = "vectors"
file = "distance.vectors.json"
establishes = "e"
relies_on = []
)");
    auto options = desk.options();
    if (with_checker) {
      options.accept = [](const json::Value& certificate,
                          const fs::path& folder) -> exact::Result<void> {
        return certificate::result_of([&] { check::check_theory(certificate, folder); });
      };
    }
    const auto rows = prove::prove_claims(options);
    REQUIRE(rows.has_value());
    const auto& row = rows->front();
    CHECK(fs::exists(desk.certificate()) == (row.exit_code == 0));
    if (row.exit_code == 0) CHECK(desk.checked() == "proved");
    return row.error ? row.error->code + " exit " + std::to_string(row.exit_code)
                     : claim::to_string(row.verdict);
  };
  CHECK(outcome("25", true) == "proved");
  CHECK(outcome("24", true) == "SP0901 exit 4");
  CHECK(outcome("25", false) == "SP0718 exit 3");
}
