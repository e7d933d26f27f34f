// The producer's verification of constructions against the checker's, on every construction and
// every lie of the fixture; and what `sinkproof prove` says of a wrong figure.
#include "prove/construction.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "certificate/strict.hpp"
#include "file/file.hpp"
#include "output/temporary_folder.hpp"
#include "prove/exact_step.hpp"
#include "prove/prove.hpp"
#include "theory/steps.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;

namespace {

const fs::path kFixture =
    fs::path(SINKPROOF_SOURCE_DIR) / "tests" / "reject" / "theory" / "construction";
const fs::path kLies = fs::path(SINKPROOF_BINARY_DIR) / "lies" / "construction";

json::Value content_of(const fs::path& path) {
  const auto text = file::read(path);
  REQUIRE(text.has_value());
  const auto value = json::parse_strict(*text, path.string());
  REQUIRE(value.has_value());
  return *value;
}

json::Value two_heads() {
  return content_of(kFixture / "proofs" / "toy-2" / "theorem.construction.json");
}

std::string problem(const json::Value& content) {
  const auto construction = prove::read_exact<certificate::Construction>(content.dump(), "t");
  if (!construction) return construction.error().code;
  const auto held = prove::verify(*construction, "t");
  return held ? "" : held.error().code + " " + held.error().what;
}

// `sinkproof prove toy-2` in a copy of the fixture whose `file` says `text`; all as they are when
// `file` is empty. The copy lives as long as this.
struct Proved {
  Proved(const std::string& file, const std::string& text) {
    fs::create_directory(root / "proofs");
    fs::copy(kFixture / "proofs" / "toy-2", root / "proofs" / "toy-2");
    if (!file.empty()) std::ofstream(root / "proofs" / "toy-2" / file) << text;
    prove::ProveOptions options;
    options.proofs = root / "proofs";
    options.certificates = root / "certificates";
    options.ids = {"toy-2"};
    const auto rows = prove::prove_claims(options);
    REQUIRE(rows.has_value());
    row = rows->front();
  }
  [[nodiscard]] fs::path certificate() const { return root / "certificates" / "toy-2.json"; }

  output::TemporaryFolder root;
  prove::ProveRow row;
};

}  // namespace

TEST_CASE("Producer and checker agree on every construction and every lie about one") {
  int held = 0;
  int refused = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kLies)) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".construction.json")) continue;
    INFO(name);
    const json::Value content = content_of(entry.path());
    const auto checked = certificate::result_of([&] {
      check::check_exactly(certificate::read<certificate::Construction>(content, "t"), "t");
    });
    const bool accepted = checked.has_value();
    CHECK(problem(content).empty() == accepted);
    ++(accepted ? held : refused);
  }
  CHECK(held >= 11);
  CHECK(refused >= 60);
}

TEST_CASE("A wrong figure is named, with the right value") {
  json::Value content = two_heads();
  REQUIRE(problem(content) == "");
  json::Value& statement = content["statement"];
  statement["sup_loss"] = "1/100";
  CHECK(problem(content) == "SP0716 sup_loss must be 0");
  statement["sup_loss"] = "0";
  statement["bos_attention"]["trigger"][1] = "1/2";
  CHECK(problem(content) == "SP0716 bos_attention.trigger[1] must be 3/5");
  statement["bos_attention"]["pre"][0] = "0";
  CHECK(problem(content) ==
        "SP0716 bos_attention.pre[0] must be 1/3; bos_attention.trigger[1] must be 3/5");
  statement["heads"][0]["kernel"]["trigger"][0] = "5";
  CHECK(problem(content).starts_with("SP0716 sup_loss must be "));

  json::Value null = content_of(kFixture / "proofs" / "toy-2" / "null.construction.json");
  REQUIRE(problem(null) == "");
  null["statement"]["null_attention"]["post"][0] = "0";
  CHECK(problem(null) == "SP0716 null_attention.post[0] must be 9/14");  // E/(E+i), E = 9, i = 5

  content = two_heads();
  content["evidence"] = json::Value::object();
  CHECK(problem(content).starts_with("SP0503"));
}

TEST_CASE("prove writes the fixture's certificate byte for byte, and none for a wrong figure") {
  {
    const Proved proved("", "");
    CHECK(proved.row.verdict == claim::Verdict::kProved);
    CHECK(proved.row.evidence == "exact");
    CHECK(proved.row.exit_code == 0);
    CHECK(file::read(proved.certificate()).value() ==
          file::read(kFixture / "accepted.json").value());
  }
  {
    json::Value content = two_heads();
    content["statement"]["scope"] = "L = 4";
    const Proved bounded("theorem.construction.json", content.dump());
    CHECK(bounded.row.verdict == claim::Verdict::kBounded);
    CHECK(bounded.row.exit_code == 3);
  }
  json::Value content = two_heads();
  content["statement"]["sup_loss"] = "1/7";
  const Proved wrong("theorem.construction.json", content.dump());
  CHECK(wrong.row.verdict == claim::Verdict::kUnknown);
  CHECK(wrong.row.exit_code == 3);
  REQUIRE(wrong.row.error.has_value());
  CHECK(wrong.row.error->code == "SP0716");
  CHECK(wrong.row.error->where.starts_with("toy-2/theorem.construction.json: step \""));
  CHECK(wrong.row.error->what == "sup_loss must be 0");
  CHECK_FALSE(fs::exists(wrong.certificate()));
}
