// Certificates of every kind through the checker's front door. Models and claims are those of
// tests/reject, so that a mutant which leaves the hashes alone is checked to the end.
#include "check/check.hpp"
#include "exact/memory.hpp"
#include "scratch.hpp"
#include "target.hpp"

using namespace sinkproof;

namespace {

struct Place {
  fuzz::Scratch scratch;
  check::Options options;

  Place() {
    exact::throw_where_gmp_finds_no_memory();
    for (const char* claim : {"checkpoint", "vectors", "language", "cover", "co-5", "sm-1"}) {
      scratch.copy(std::string("proofs/") + claim, std::string("proofs/") + claim);
    }
    scratch.copy("tests/reject/theory/proofs/theory", "proofs/theory");
    scratch.copy("tests/reject/theory/proofs/toy-1", "proofs/toy-1");
    scratch.copy("tests/reject/theory/construction/proofs/toy-2", "proofs/toy-2");
    scratch.copy("tests/reject/checkpoint/models", "models");
    for (const std::string kind : {"language", "cover"}) {
      for (const std::string file : {"/config.json", "/model.safetensors"}) {
        scratch.copy("tests/reject/" + kind + file, "models/" + kind + file);
      }
    }
    options.models = scratch.path() / "models";
    options.claims = scratch.path() / "proofs";
    options.accept = {"smt", "coq", "statistical"};
    options.limits.reset();  // here the fuzzer bounds time and memory
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  const auto path = place.scratch.write("input.json", fuzz::text_of(data, size));
  const check::Outcome outcome = check::check_file(path, place.options);
  fuzz::require(
      outcome.exit_code == 0 || outcome.exit_code == 2 || outcome.exit_code == 3 ||
          outcome.exit_code == 4,
      "a certificate causes no internal error; this one: " + outcome.code + " " + outcome.reason);
  if (outcome.exit_code == 0) {
    fuzz::require(outcome.code.empty() && !outcome.evidence.empty() &&
                      (outcome.verdict == "proved" || outcome.verdict == "statistical"),
                  "what is accepted is proved, by some evidence");
  } else if (outcome.exit_code != 3) {
    fuzz::require(outcome.code.starts_with("SP") && !outcome.reason.empty(),
                  "what is refused has a code and a reason");
  }
  return 0;
}
