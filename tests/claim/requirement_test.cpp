// Thresholds on a checkpoint's properties: how they are written, what they stand for, what bounds
// decide of them.
#include "claim/requirement.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace sinkproof;
using namespace sinkproof::claim;
using exact::make_rational;

namespace {

using Texts = std::vector<std::string>;

const Texts kSoftmax = {"sup-loss",       "sup-loss.pre",  "sup-loss.trigger",
                        "sup-loss.post",  "bos-floor.pre", "bos-floor.trigger",
                        "bos-floor.post", "theorem.tc-1",  "theorem.tc-3"};
const Texts kLayer = {"sup-loss",         "bos-floor.pre",    "bos-floor.trigger",
                      "bos-floor.post",   "bos-ceiling.pre",  "bos-ceiling.trigger",
                      "bos-ceiling.post", "null-ceiling.pre", "null-ceiling.trigger",
                      "null-ceiling.post"};

// "bos-floor.pre>=1/2", "sup-loss<=1/50" or with both sides; the exact numbers, for comparison.
std::string shown(const Requirement& one) {
  std::string text = one.property;
  if (one.at_least) text += ">=" + exact::to_string(*one.at_least);
  if (one.at_most) text += "<=" + exact::to_string(*one.at_most);
  return text;
}

Texts expanded(const std::string& text, const Texts& known, std::size_t length = 8) {
  const auto requirement = parse_requirement(text, "test");
  if (!requirement) return {requirement.error().code};
  const auto parts = expand(*requirement, known, length, "test");
  if (!parts) return {parts.error().code + " " + parts.error().what};
  Texts all;
  for (const Requirement& part : *parts) {
    CHECK(part.text == requirement->text);
    all.push_back(shown(part));
  }
  return all;
}

}  // namespace

TEST_CASE("A threshold is a name and a bound or an interval") {
  CHECK(expanded(" sup-loss <= 2e-2 ", kSoftmax) == Texts{"sup-loss<=1/50"});
  CHECK(expanded("sup-loss in [0.01, 0.02]", kSoftmax) == Texts{"sup-loss>=1/100<=1/50"});
  for (const char* text : {"sup-loss", "sup-loss<0.02", "sup-loss<=", "<=0.02", "sup loss<=0.02",
                           "sup-loss in [0.2,0.1]", "sup-loss in 0.1,0.2", "sup-loss<=1/50"}) {
    INFO(text);
    CHECK(expanded(text, kSoftmax) == Texts{"SP1302"});
  }
}

TEST_CASE("A known property stands for itself, never for its parts") {
  CHECK(expanded("sup-loss<=0.02", kSoftmax) == Texts{"sup-loss<=1/50"});
  CHECK(expanded("bos-floor.pre>=0.5", kSoftmax) == Texts{"bos-floor.pre>=1/2"});
}

TEST_CASE("A name without an ending stands for all rows there are") {
  CHECK(expanded("bos-floor>=0.5", kSoftmax) ==
        Texts{"bos-floor.pre>=1/2", "bos-floor.trigger>=1/2", "bos-floor.post>=1/2"});
  CHECK(expanded("bos-floor in [0.5,1]", kLayer) ==
        Texts{"bos-floor.pre>=1/2<=1", "bos-floor.trigger>=1/2<=1", "bos-floor.post>=1/2<=1"});
}

TEST_CASE("Attention itself asks the floor for the least and the ceiling for the most") {
  CHECK(expanded("bos-attention.pre in [0.25,0.5]", kLayer) ==
        Texts{"bos-floor.pre>=1/4", "bos-ceiling.pre<=1/2"});
  CHECK(expanded("bos-attention>=0.25", kSoftmax) ==
        Texts{"bos-floor.pre>=1/4", "bos-floor.trigger>=1/4", "bos-floor.post>=1/4"});
  CHECK(expanded("bos-attention<=0.5", kLayer) ==
        Texts{"bos-ceiling.pre<=1/2", "bos-ceiling.trigger<=1/2", "bos-ceiling.post<=1/2"});
  CHECK(expanded("null-attention.trigger<=0.5", kLayer) == Texts{"null-ceiling.trigger<=1/2"});
}

TEST_CASE("What sequences have a least and a greatest of is asked of both") {
  const Texts known = {"accuracy", "margin.least", "margin.greatest", "attention.0.0.1.least",
                       "attention.0.0.1.greatest"};
  CHECK(expanded("margin>=1", known) == Texts{"margin.least>=1"});
  CHECK(expanded("margin<=2", known) == Texts{"margin.greatest<=2"});
  CHECK(expanded("attention.0.0.1 in [0,0.5]", known) ==
        Texts{"attention.0.0.1.least>=0", "attention.0.0.1.greatest<=1/2"});
  CHECK(expanded("margin.least<=2", known) == Texts{"margin.least<=2"});
  CHECK(expanded("accuracy>=1", known) == Texts{"accuracy>=1"});
  CHECK(expanded("margins>=1", known)[0].starts_with("SP1302 "));
}

TEST_CASE("A name without an ending never stands for some of the rows") {
  const Texts shortest = {"sup-loss.pre", "sup-loss.trigger", "bos-floor.pre", "bos-floor.trigger"};
  CHECK(expanded("bos-floor>=0.5", shortest, 3) ==
        Texts{"bos-floor.pre>=1/2", "bos-floor.trigger>=1/2"});
  CHECK(expanded("bos-floor>=0.5", shortest, 4)[0].starts_with("SP1314 "));
  for (const char* row : {"pre", "trigger", "post"}) {
    for (const char* text : {"bos-floor>=0.5", "bos-ceiling<=0.5", "bos-attention in [0.1,0.5]"}) {
      Texts known = kLayer;
      std::erase(known, std::string("bos-floor.") + row);
      std::erase(known, std::string("bos-ceiling.") + row);
      const Texts found = expanded(text, known);
      INFO(text << " without " << row << ": " << found[0]);
      REQUIRE(found.size() == 1);
      CHECK(found[0].starts_with("SP1314 bos-"));
      CHECK(found[0].find(std::string(".") + row + " ") != std::string::npos);
    }
  }
}

TEST_CASE("What a model has no bounds of cannot be required, and the message lists what it has") {
  for (const char* text : {"sup-los<=1", "bos-floor.triggers>=1", "theorem.tc-1>=1", "theorem>=1",
                           "bos-attention.pre<=0.5", "bos>=1", "bos-attention in [0.1,0.9]",
                           "-attention>=0", "bos-floor.>=1", "null-attention>=0"}) {
    INFO(text);
    const Texts found = expanded(text, kSoftmax);
    REQUIRE(found.size() == 1);
    CHECK(found[0].starts_with("SP1302 "));
    CHECK(found[0].find("bos-floor.post") != std::string::npos);
    CHECK(found[0].find("has sup-loss, ") != std::string::npos);
    CHECK(found[0].find(", theorem.") == std::string::npos);
  }
}

TEST_CASE("Bounds prove, refute or leave open a threshold, its ends included") {
  const auto verdict = [](const std::string& text, long lower, long upper) {
    return decide(parse_requirement(text, "test").value(), make_rational(lower, 100),
                  make_rational(upper, 100));
  };
  CHECK(verdict("x<=0.02", 1, 2) == Verdict::kProved);
  CHECK(verdict("x<=0.02", 2, 3) == Verdict::kUnknown);
  CHECK(verdict("x<=0.02", 3, 4) == Verdict::kRefuted);
  CHECK(verdict("x>=0.02", 2, 3) == Verdict::kProved);
  CHECK(verdict("x>=0.02", 1, 2) == Verdict::kUnknown);
  CHECK(verdict("x>=0.02", 0, 1) == Verdict::kRefuted);
  CHECK(verdict("x in [0.02,0.04]", 2, 4) == Verdict::kProved);
  CHECK(verdict("x in [0.02,0.04]", 1, 3) == Verdict::kUnknown);
  CHECK(verdict("x in [0.02,0.04]", 5, 6) == Verdict::kRefuted);
}
