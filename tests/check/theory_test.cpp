// What the checker makes of whole theory certificates, and of folders that changed under them.
#include "theory/theory.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "certificate/claim_hash.hpp"
#include "certificate/coq_statement.hpp"
#include "certificate/envelope.hpp"
#include "certificate/strict.hpp"
#include "file/file.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;

json::Value certificate_value(const fs::path& path) {
  const auto envelope = certificate::read_envelope(path);
  REQUIRE(envelope.has_value());
  return envelope->value;
}

std::string code(const json::Value& value, const fs::path& claim) {
  const auto result = certificate::result_of([&] { return check::check_theory(value, claim); });
  return result ? result->verdict : result.error().code;
}

}  // namespace

TEST_CASE("The committed theory certificates are accepted, and say what they rest on") {
  for (const std::string id : {"ca-1", "co-1", "co-2", "co-3", "co-4", "co-5", "co-6", "ge-1",
                               "ge-2", "sm-1", "sm-2", "sw-1", "sw-2", "sw-3", "tc-1", "tc-2",
                               "tc-3", "tc-4", "tc-5", "tc-6", "tc-7", "tc-8", "tc-9"}) {
    INFO(id);
    const auto value = certificate_value(kSource / "certificates" / (id + ".json"));
    const auto result = check::check_theory(value, kSource / "proofs" / id);
    INFO(result.reason);
    CHECK(result.verdict == "proved");
    const bool by_coq_alone = id == "ca-1" || id == "tc-9";
    CHECK(result.evidence == (by_coq_alone ? "coq" : "exact+smt+coq"));
    CHECK(result.holes.empty());
    std::size_t smt_lemmas = 0;  // of their own, or exact steps that ask the solvers besides
    std::size_t coq_files = 0;
    for (const auto& entry : fs::directory_iterator(kSource / "proofs" / id)) {
      const std::string name = entry.path().filename().string();
      const bool asks = name.ends_with(".implication.json") &&
                        file::read(entry.path())->find("\"solvers\"") != std::string::npos;
      if (asks || (name.ends_with(".smt2") && !name.ends_with(".mutant.smt2"))) ++smt_lemmas;
      if (name.ends_with(".v") && !certificate::is_statement_file(name)) ++coq_files;
    }
    CHECK(smt_lemmas >= (by_coq_alone ? 0U : id == "co-5" || id == "co-6" ? 1U : 2U));
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
