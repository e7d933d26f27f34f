// tests/reject/checkpoint: certificates that lie, one lie each, as files on disk with their model.
// Every one is rejected with the code its name begins with, for the reason listed here; what cannot
// be found is exit 2.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "check/check.hpp"
#include "check/command_line.hpp"
#include "file/file.hpp"
#include "json/strict.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kFolder = fs::path(SINKPROOF_SOURCE_DIR) / "tests" / "reject" / "checkpoint";

struct Lie {
  std::string file;
  int exit_code;
  std::string reason;  // part of what the checker says
};

const std::vector<Lie> kLies = {
    {"SP0101-bound-not-in-lowest-terms.json", 4, "not a canonical rational"},
    {"SP0405-weight-not-a-number.json", 4, "is NaN or infinite"},
    {"SP0503-bound-as-integer.json", 4, "upper must be a string"},
    {"SP0503-coordinates-swapped.json", 4, "sign must be an integer"},
    {"SP0503-extra-key.json", 4, "is not allowed"},
    {"SP0503-length-2.json", 4, "length must be an integer"},
    {"SP0503-proof-with-extra-key.json", 4, "is not allowed"},
    {"SP0503-sign-as-boolean.json", 4, "sign must be an integer"},
    {"SP0503-theorem-parameter.json", 4, "parameter must be an integer from 4"},
    {"SP0503-witness-coordinate-beyond-the-width.json", 4, "coordinate must be"},
    {"SP0503-witness-floor-at-row-1.json", 4, "row must be an integer from 2"},
    {"SP0503-witness-row-beyond-the-sequence.json", 4, "row must be an integer"},
    {"SP0503-witness-trigger-at-2.json", 4, "trigger must be an integer"},
    {"SP0901-bos-share-one.json", 4, "must be in [0, 1)"},
    {"SP0901-bos-share-too-small.json", 4, "BOS attention may be larger"},
    {"SP0901-ceiling-one-digit-less.json", 4, "BOS attention may be larger"},
    {"SP0901-cells-fewer-than-trees.json", 4, "wrong number of trees"},
    {"SP0901-cells-not-from-the-start.json", 4, "wrong ends"},
    {"SP0901-cells-not-increasing.json", 4, "must increase"},
    {"SP0901-cells-not-reaching-the-end.json", 4, "wrong ends"},
    {"SP0901-cells-repeated.json", 4, "must increase"},
    {"SP0901-claim-of-another-name.json", 4, "must be checkpoint"},
    {"SP0901-claim-text-changed.json", 4, "not the one this certificate"},
    {"SP0901-content-said-to-be-zero.json", 4, "content_zero: a leaf's bound exceeds"},
    {"SP0901-coordinates-one-missing.json", 4, "two objects a coordinate"},
    {"SP0901-floor-of-trigger-rows-from-other-rows.json", 4, "proof: a leaf does not close"},
    {"SP0901-floor-of-trigger-rows-one-digit-more.json", 4, "proof: a leaf does not close"},
    {"SP0901-floor-one-digit-more.json", 4, "proof: a leaf does not close"},
    {"SP0901-floor-witness-one-digit-less.json", 4, "the witness attains more"},
    {"SP0901-lambda-negative.json", 4, "lambda must be positive"},
    {"SP0901-lambda-zero.json", 4, "lambda must be positive"},
    {"SP0901-lower-one-digit-more.json", 4, "the witness attains less"},
    {"SP0901-made-for-another-model.json", 4, "a leaf does not close"},
    {"SP0901-maximum-from-the-wrong-part.json", 4, "names no part"},
    {"SP0901-maximum-too-small.json", 4, "not the maximum"},
    {"SP0901-maximum-without-a-part.json", 4, "the maximum over all classes"},
    {"SP0901-name-with-a-line-feed.json", 4, "no such property"},
    {"SP0901-no-properties.json", 4, "no property"},
    {"SP0901-order-not-a-permutation.json", 4, "must be a permutation"},
    {"SP0901-other-attention-not-admitted.json", 4, "must list exactly the metadata keys"},
    {"SP0901-other-attention.json", 4, "no such property"},
    {"SP0901-overrides-missing.json", 4, "must list exactly the metadata keys"},
    {"SP0901-overrides-without-need.json", 4, "must list exactly the metadata keys"},
    {"SP0901-property-twice.json", 4, "stated twice"},
    {"SP0901-property-unknown.json", 4, "no such property"},
    {"SP0901-residual-true.json", 4, "residual: must be false"},
    {"SP0901-residual-zero-for-false.json", 4, "residual: must be false"},
    {"SP0901-root-negative.json", 4, "root not negative"},
    {"SP0901-root-too-small.json", 4, "a leaf's bound exceeds"},
    {"SP0901-scores-not-certainly-positive.json", 4, "scores are not certainly positive"},
    {"SP0901-semantics-float32.json", 4, "must be real"},
    {"SP0901-spread-bound-negative.json", 4, "spread.trigger_low: a leaf's bound exceeds"},
    {"SP0901-spread-bound-too-small.json", 4, "spread.content: a leaf's bound exceeds"},
    {"SP0901-theorem-certified-more.json", 4, "certified floor is another"},
    {"SP0901-theorem-eta-smaller.json", 4, "eta is not the certified"},
    {"SP0901-theorem-implies-more.json", 4, "implied floor is another"},
    {"SP0901-theorem-of-another-claim.json", 4, "names another claim"},
    {"SP0901-theorem-said-not-to-apply.json", 4, "verdict must be proved"},
    {"SP0901-theta-negative.json", 4, "theta must be positive"},
    {"SP0901-theta-zero.json", 4, "theta must be positive"},
    {"SP0901-tree-deeper-than-the-noise.json", 4, "tree splits with no coordinate left"},
    {"SP0901-tree-with-a-missing-leaf.json", 4, "tree ends too early"},
    {"SP0901-tree-with-one-leaf-too-many.json", 4, "tree goes on after its end"},
    {"SP0901-trigger-share-too-large.json", 4, "the trigger's share may be smaller"},
    {"SP0901-trigger-share-too-small.json", 4, "the trigger's share may be larger"},
    {"SP0901-two-heads.json", 4, "has another shape"},
    {"SP0901-two-layers-in-the-file.json", 4, "is not part of the one layer"},
    {"SP0901-upper-below-what-is-attained.json", 4, "a leaf does not close"},
    {"SP0901-verdict-changed.json", 4, "verdict must be enclosed"},
    {"SP0901-witness-bos-with-noise.json", 4, "flags are not those"},
    {"SP0901-witness-outside-the-box.json", 4, "noise outside [-1, 1]"},
    {"SP0901-witness-row-of-another-class.json", 4, "not of the property"},
    {"SP0901-witness-sign-0.json", 4, "sign must be"},
    {"SP0901-witness-with-half-a-flag.json", 4, "flags are not those"},
    {"SP0901-witness-with-two-flags.json", 4, "flags are not those"},
    {"SP0901-wrong-length.json", 4, "must have L tokens"},
    {"SP0901-wrong-width.json", 4, "has another shape"},
    {"SP0903-model-not-there.json", 2, "no .safetensors file"},
    {"SP0904-claim-not-there.json", 2, "cannot find the claim folder"}};

check::Options options() {
  check::Options options;
  options.models = kFolder / "models";
  options.claims = kFolder / "proofs";
  return options;
}

// What the program would print and return for the file.
struct Printed {
  int exit_code;
  std::string text;
};

Printed printed(const fs::path& file, const std::string& format) {
  check::Arguments arguments;
  arguments.files = {file.string()};
  arguments.models = (kFolder / "models").string();
  arguments.claims = (kFolder / "proofs").string();
  arguments.format = format;
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  const int exit_code = check::run(arguments);
  std::cout.rdbuf(before);
  return {exit_code, text.str()};
}

class Folder {
 public:
  Folder() : path(fs::temp_directory_path() / ("sinkproof_check_" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  const fs::path path;
};

}  // namespace

TEST_CASE("The certificates the lies were made from are accepted") {
  for (const std::string name : {"accepted-softmax.json", "accepted-relu.json"}) {
    const check::Outcome outcome = check::check_file(kFolder / name, options());
    INFO(outcome.reason);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.verdict == "proved");
    CHECK(outcome.evidence == "exact");
    CHECK(outcome.code.empty());
  }
}

TEST_CASE("Every lie is rejected, for its own reason") {
  for (const Lie& lie : kLies) {
    INFO(lie.file);
    const check::Outcome outcome = check::check_file(kFolder / lie.file, options());
    INFO(outcome.reason);
    CHECK(outcome.exit_code == lie.exit_code);
    CHECK(outcome.code == lie.file.substr(0, 6));
    CHECK(outcome.reason.find(lie.reason) != std::string::npos);
    CHECK(outcome.verdict == (lie.exit_code == 4 ? "rejected" : "unknown"));
  }
}

TEST_CASE("No file of the folder goes unlisted") {
  std::set<std::string> listed;
  for (const Lie& lie : kLies) listed.insert(lie.file);
  CHECK(listed.size() == kLies.size());
  std::set<std::string> present;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("SP")) present.insert(name);
  }
  CHECK(present == listed);
  CHECK(present.size() >= 60);
}

TEST_CASE("Text in a certificate cannot pass for a line of the report") {
  const Printed text = printed(kFolder / "SP0901-name-with-a-line-feed.json", "text");
  CHECK(text.exit_code == 4);
  CHECK(text.text.find("rejected") == 0);
  CHECK(text.text.find("x\\x0aproved") != std::string::npos);
  CHECK(text.text.find('\n') == text.text.size() - 1);
  CHECK(text.text.find('\x1b') == std::string::npos);
  const Printed structured = printed(kFolder / "SP0901-name-with-a-line-feed.json", "json");
  CHECK(structured.exit_code == 4);
  const auto report = json::parse_strict(
      structured.text.substr(0, structured.text.find_last_of('}') + 1), "report");
  REQUIRE(report.has_value());
  CHECK((*report)["files"].size() == 1);
  CHECK((*report)["files"][0]["verdict"] == "rejected");
}

TEST_CASE("A certificate that is not in canonical form, or not there, is not read further") {
  const auto bytes = file::read(kFolder / "accepted-softmax.json");
  REQUIRE(bytes.has_value());
  const Folder folder;
  const auto outcome = [&](const std::string& text) {
    REQUIRE(file::replace(folder.path / "c.json", text).has_value());
    const check::Outcome result = check::check_file(folder.path / "c.json", options());
    return std::to_string(result.exit_code) + " " + result.code;
  };
  CHECK(outcome(*bytes) == "0 ");
  CHECK(outcome(bytes->substr(0, bytes->size() - 1)) == "4 SP0502");
  CHECK(outcome(*bytes + "\n") == "4 SP0502");
  CHECK(outcome(" " + *bytes) == "4 SP0502");
  CHECK(outcome(*bytes + *bytes) == "4 SP0301");
  CHECK(outcome(*bytes + std::string("\0{}", 3)) == "4 SP0301");
  CHECK(outcome(bytes->substr(0, bytes->size() / 2)) == "4 SP0301");
  CHECK(outcome("") == "4 SP0301");
  CHECK(outcome("[]\n") == "4 SP0503");
  CHECK(outcome("1\n") == "4 SP0503");
  const check::Outcome absent = check::check_file(folder.path / "absent.json", options());
  CHECK(absent.exit_code == 2);
  CHECK(absent.code == "SP0201");
}

TEST_CASE("The model is the file with the hash, wherever it lies and whatever it is called") {
  const auto bytes = file::read(kFolder / "accepted-softmax.json");
  const auto model = file::read(kFolder / "models" / "softmax.safetensors");
  REQUIRE(bytes.has_value());
  REQUIRE(model.has_value());
  const Folder folder;
  check::Options without = options();
  without.models.reset();
  REQUIRE(file::replace(folder.path / "c.json", *bytes).has_value());
  CHECK(check::check_file(folder.path / "c.json", without).exit_code == 2);
  std::string changed = *model;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  REQUIRE(file::replace(folder.path / "softmax.safetensors", changed).has_value());
  CHECK(check::check_file(folder.path / "c.json", without).exit_code == 2);
  REQUIRE(file::replace(folder.path / "z.safetensors", *model).has_value());
  CHECK(check::check_file(folder.path / "c.json", without).exit_code == 0);
}

TEST_CASE("The worst outcome of several decides the exit code") {
  CHECK(check::worst_exit_code({}) == 0);
  CHECK(check::worst_exit_code({0, 3}) == 3);
  CHECK(check::worst_exit_code({0, 2, 3}) == 2);
  CHECK(check::worst_exit_code({0, 1, 2, 3}) == 1);
  CHECK(check::worst_exit_code({0, 1, 2, 3, 4}) == 4);
  CHECK(check::worst_exit_code({0, 1, 2, 3, 4, 5}) == 5);
}
