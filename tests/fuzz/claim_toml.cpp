// claim.toml in the folder of the claim whose id it names, where there is one.
#include "claim/claim.hpp"
#include "scratch.hpp"
#include "target.hpp"

using namespace sinkproof;

namespace {

constexpr const char* kClaims[] = {
    "examples/gate/proofs/forced-attention",         "examples/gate/proofs/output-with-a-sink",
    "examples/own-claim/proofs/convex-output",       "examples/own-claim/proofs/relu-length-4",
    "examples/own-claim/proofs/trained-head",        "tests/reject/theory/proofs/toy-1",
    "tests/reject/theory/construction/proofs/toy-2", "proofs/tc-8"};

struct Place {
  fuzz::Scratch scratch;
  Place() {
    for (const std::filesystem::path claim : kClaims) {
      scratch.copy(claim.string(), claim.filename());
    }
    scratch.copy("proofs/theory", "theory");
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  const std::string_view bytes = fuzz::text_of(data, size);
  std::string id = "toy-1";
  for (const std::filesystem::path claim : kClaims) {
    const std::string name = claim.filename().string();
    if (bytes.find("id = \"" + name + "\"") != std::string_view::npos) id = name;
  }
  place.scratch.write(std::filesystem::path(id) / "claim.toml", bytes);
  const auto claim = claim::load_claim(place.scratch.path() / id);
  if (!claim) {
    fuzz::require_complete(claim.error());
    return 0;
  }
  fuzz::require(claim->id == id && claim->steps.empty() == claim->checkpoint.has_value(),
                "a claim has its folder's name, and steps or a checkpoint");
  fuzz::require(!claim::statement_of(*claim).empty(), "a claim states something");
  return 0;
}
