#include "certificate/envelope.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "certificate/fields.hpp"

using namespace sinkproof;
using namespace sinkproof::certificate;

namespace {

std::string refusal(const std::string& bytes) {
  const auto envelope = parse_envelope(bytes, "test.json");
  return envelope ? "none" : envelope.error().code;
}

}  // namespace

TEST_CASE("A canonical certificate is read, and its bytes are reproduced") {
  const std::string bytes = R"({"claim":"tc-1","format":1,"kind":"theory","note":"\u001f/é"})"
                            "\n";
  const auto envelope = parse_envelope(bytes, "test.json");
  REQUIRE(envelope.has_value());
  CHECK(envelope->claim == "tc-1");
  CHECK(envelope->kind == Kind::kTheory);
  CHECK(certificate_bytes(envelope->value) == bytes);
}

TEST_CASE("Bytes that are not canonical are refused") {
  const std::string good = R"({"claim":"tc-1","format":1,"kind":"checkpoint"})";
  CHECK(refusal(good + "\n") == "none");
  CHECK(refusal(good) == "SP0502");
  CHECK(refusal(good + "\n\n") == "SP0502");
  CHECK(refusal(" " + good + "\n") == "SP0502");
  CHECK(refusal(R"({"format":1,"claim":"tc-1","kind":"theory"})"
                "\n") == "SP0502");
  CHECK(refusal(R"({"claim":"tc-1","format":1,"kind":"theor\u0079"})"
                "\n") == "SP0502");
  CHECK(refusal(R"({"claim":"tc-1","format":1,"kind":"theory","z":-0})"
                "\n") == "SP0301");
}

TEST_CASE("Text that is not strict JSON is refused") {
  for (const std::string text :
       {"", "{", R"({"a":1,"a":2})", R"({"format":1.0})", R"({"format":1e0})",
        R"({"n":18446744073709551616})", "{} {}", "\xff", "{\"a\":\"\xc3\"}"}) {
    INFO(text);
    CHECK(refusal(text + "\n") == "SP0301");
  }
  CHECK(refusal(std::string(65, '[') + std::string(65, ']') + "\n") == "SP0301");
}

TEST_CASE("The common keys are required and have fixed meanings") {
  for (const std::string text :
       {R"([])", R"("theory")", R"({"format":1,"kind":"theory"})", R"({"claim":"tc-1","format":1})",
        R"({"claim":"tc-1","kind":"theory"})", R"({"claim":"tc-1","format":2,"kind":"theory"})",
        R"({"claim":"tc-1","format":"1","kind":"theory"})",
        R"({"claim":"tc-1","format":1,"kind":"Theory"})",
        R"({"claim":"../tc-1","format":1,"kind":"theory"})",
        R"({"claim":"","format":1,"kind":"theory"})",
        R"({"claim":1,"format":1,"kind":"theory"})"}) {
    INFO(text);
    CHECK(refusal(text + "\n") == "SP0503");
  }
}

TEST_CASE("Fields are read strictly") {
  const json::Value object = {{"i", 3},       {"big", UINT64_MAX},  {"q", "2/3"},
                              {"bad", "2/4"}, {"list", {"a", "b"}}, {"mixed", {"a", 1}}};
  const auto code = [](const auto& read) {
    const auto value = result_of(read);
    return value ? "read" : value.error().code;
  };
  const auto own_keys = [&](const std::vector<std::string>& expected) {
    return code([&] { keys(object, expected, "t"); });
  };
  CHECK(integer(object, "i", 0, 3, "t") == 3);
  CHECK(code([&] { integer(object, "i", 4, 9, "t"); }) == "SP0503");
  CHECK(code([&] { integer(object, "big", 0, INT64_MAX, "t"); }) == "SP0503");
  CHECK(code([&] { integer(object, "q", 0, 9, "t"); }) == "SP0503");
  CHECK(number(object, "q", "t") == exact::make_rational(2, 3));
  CHECK(code([&] { number(object, "bad", "t"); }) == "SP0101");
  CHECK(code([&] { number(object, "i", "t"); }) == "SP0503");
  CHECK(texts(object, "list", "t") == std::vector<std::string>{"a", "b"});
  CHECK(code([&] { texts(object, "mixed", "t"); }) == "SP0503");
  CHECK(code([&] { texts(object, "absent", "t"); }) == "SP0503");
  CHECK(own_keys({"i", "big", "q", "bad", "list", "mixed"}) == "read");
  CHECK(own_keys({"i", "big", "q", "bad", "list"}) == "SP0503");
  CHECK(own_keys({"i", "big", "q", "bad", "list", "mixed", "more"}) == "SP0503");
  CHECK(code([] { keys(json::Value::array(), {}, "t"); }) == "SP0503");
}
