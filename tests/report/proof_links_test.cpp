#include "report/proof_links.hpp"

#include <catch2/catch.hpp>

#include "heads.hpp"
#include "output/replace.hpp"

using namespace sinkproof;
using namespace sinkproof::report;
using namespace sinkproof::report::test;

TEST_CASE("The way from a page to the claims is relative, and stays within the folder of work") {
  const TemporaryFolder work;
  const TemporaryFolder other;
  for (const char* folder : {"proofs", "out/deep", "a b/pröofs"}) {
    std::filesystem::create_directories(work / folder);
  }
  std::filesystem::create_directories(other / "proofs");
  const auto base = [&](const std::filesystem::path& page, const std::filesystem::path& claims) {
    return relative_proof_base(page, claims, work / "").value_or("none");
  };
  CHECK(base("report.html", "proofs") == "proofs");
  CHECK(base("out/report.html", "proofs") == "../proofs");
  CHECK(base("out/deep/../report.html", "proofs/") == "../proofs");
  CHECK(base(work / "out/deep/report.html", work / "proofs") == "../../proofs");
  CHECK(base("not-yet-there/report.html", "proofs") == "../proofs");
  CHECK(base("proofs/report.html", "proofs") == ".");
  CHECK(base("report.html", "a b/pröofs") == "a%20b/pr%C3%B6ofs");
  CHECK(base("../report.html", "proofs") == "none");
  CHECK(base(other / "report.html", "proofs") == "none");
  CHECK(base("report.html", other / "proofs") == "none");
  CHECK(base("report.html", "absent") == "none");
}

TEST_CASE("A base is a relative path or an http address, and nothing that runs") {
  for (const char* base : {"proofs", "../proofs/", ".", "/site/proofs", "a/b:c",
                           "https://example.org/x/proofs", "http://localhost:8000/p%20q"}) {
    INFO(base);
    CHECK(is_proof_base(base));
  }
  for (const char* base :
       {"", "javascript:alert(1)", "data:text/html,x", "//example.org/proofs", "file:///etc", "a b",
        "a\"b", "a'b", "<b>", "a\nb", "JavaScript:x", "a\\b", "https:evil", "\xC3\xA9"}) {
    INFO(base);
    CHECK_FALSE(is_proof_base(base));
  }
}

TEST_CASE("A link is written around its label only to a file within the claim's folder") {
  const TemporaryFolder proofs;
  std::filesystem::create_directories(proofs / "xx-1");
  REQUIRE(output::replace(proofs / "xx-1/README.md", "words\n"));
  REQUIRE(output::replace(proofs / "secret", "words\n"));
  const Options options{proofs / "", "../p?q&r/"};
  CHECK(proof_link(options, "xx-1", "README.md", true, "<b>x</b>") ==
        "<a href=\"../p?q&amp;r/xx-1/README.md\"><b>x</b></a>");
  CHECK(proof_link(options, "xx-1", "README.md", false, "x") == "x");
  CHECK(proof_link(options, "xx-1", "absent.md", true, "x") == "x");
  CHECK(proof_link(options, "xx-1", "../secret", true, "x") == "x");
  CHECK(proof_link(options, "xx-1", "", true, "x") == "x");
  CHECK(proof_link(options, "xx-2", "README.md", true, "x") == "x");
}
