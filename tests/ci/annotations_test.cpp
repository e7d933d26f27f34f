#include "ci/annotations.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "summaries.hpp"

using namespace sinkproof::ci;
using namespace sinkproof::ci::test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Summary with_subject(const std::string& subject, const std::string& message) {
  Summary summary = many(1, 0);
  summary.findings[0].subject = subject;
  summary.findings[0].message = message;
  return summary;
}

}  // namespace

TEST_CASE("Annotations: nothing to say of what holds") { CHECK(annotations(green()).empty()); }

TEST_CASE("Annotations: the command of a finding, byte for byte") {
  Summary summary = mixed();
  summary.findings = {summary.findings[1]};
  CHECK(annotations(summary) ==
        "::error file=sinkproof.toml,line=20,col=5,title=SP1711 refuted%3A wide::wide, asked "
        "bos-floor.pre>=0.9: It is not so; change the model.%0Acertified bounds: [0.5, 0.51]\n");
}

TEST_CASE("Annotations: errors, then warnings, then one notice of what was not decided again") {
  const std::string text = annotations(mixed());
  CHECK(count(text, "\n") == 8);
  CHECK(count(text, "::error ") == 6);
  CHECK(count(text, "::warning ") == 1);
  CHECK(text.ends_with(
      "::notice file=sinkproof.toml,line=1,col=1,title=sinkproof gate::1 of 10 not decided "
      "again: nothing they depend on changed since main\n"));
  CHECK(text.rfind("::error ") < text.find("::warning "));
}

TEST_CASE("Annotations: what the runner reads as syntax is encoded as it decodes it") {
  CHECK(annotations(with_subject("a:b,c%0A", "m:n,o%\r\np")) ==
        "::error file=sinkproof.toml,line=1,col=1,title=SP1711 refuted%3A a%3Ab%2Cc%250A::"
        "a:b,c%250A, asked bos-floor.pre>=0.9: m:n,o%25%0D%0Ap\n");
  const std::string text = annotations(hostile());
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(count("\n" + text, "\n::") == 4);
}

TEST_CASE("Annotations: ten of a level; of more the last says how many") {
  CHECK(count(annotations(many(10, 10)), "::error ") == 10);
  CHECK(count(annotations(many(10, 10)), "::warning ") == 10);
  CHECK(count(annotations(many(10, 10)), "more of this level") == 0);
  const std::string text = annotations(many(25, 11));
  CHECK(count(text, "::error ") == 10);
  CHECK(count(text, "::warning ") == 10);
  CHECK(count(text, "::16 more of this level") == 1);
  CHECK(count(text, "::2 more of this level") == 1);
  CHECK(count(text, " e-8::") == 1);
  CHECK(count(text, " e-9::") == 0);
}

TEST_CASE("Annotations: a long text is cut between characters and paths never are") {
  Summary summary = with_subject(std::string(300, 'x'), std::string(20000, 'y'));
  for (int i = 0; i < 6000; ++i) summary.findings[0].message += "\xC3\xA9";
  summary.findings[0].location.file = std::string(3000, 'f');
  const std::string text = annotations(summary);
  CHECK(count(text, "...::") == 1);
  CHECK(text.ends_with("...\n"));
  CHECK(text.size() < 12000);
  CHECK(text.find("file=" + std::string(3000, 'f') + ",") != std::string::npos);
}
