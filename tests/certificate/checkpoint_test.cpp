// What the reader refuses of a checkpoint certificate whatever the model is, where no lie of
// tests/reject can show it: their models have one noise coordinate.
#include "certificate/checkpoint.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "file/file.hpp"

using namespace sinkproof;

namespace {

json::Value example() {
  const std::string path = SINKPROOF_SOURCE_DIR "/examples/variants/softmax-bias.json";
  return json::parse_strict(file::read(path).value(), path).value();
}

std::string refusal(const json::Value& certificate) {
  const auto read = certificate::read_checkpoint(certificate);
  return read ? "read" : read.error().code + " " + read.error().where + ": " + read.error().what;
}

}  // namespace

TEST_CASE("An order names every noise coordinate once") {
  json::Value certificate = example();
  REQUIRE(refusal(certificate) == "read");
  bool found = false;
  for (json::Value& property : certificate["properties"]) {
    json::Value& proof = property["proof"];
    if (!proof.contains("order")) continue;
    REQUIRE(proof["order"].size() >= 2);
    proof["order"][0] = proof["order"][1];
    found = true;
  }
  REQUIRE(found);
  CHECK(refusal(certificate) ==
        "SP0901 sup-loss.pre: proof.order: must be a permutation of 0..d-1");
}

TEST_CASE("A property is stated once, though its bounds differ") {
  json::Value certificate = example();
  json::Value again = certificate["properties"][0];
  again["upper"] = "2";
  certificate["properties"].push_back(again);
  const std::string name = again["name"];
  CHECK(refusal(certificate) == "SP0901 " + name + ": stated twice");
}
