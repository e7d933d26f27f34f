#include "certificate/envelope.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "certificate/schema.hpp"

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
  // What is said of the fields that `read` reads; "read" where nothing is.
  const auto said = [&](const auto& read, const json::Value& of) {
    const auto done = result_of([&] {
      Fields fields(of, "t");
      read(fields);
    });
    return done ? "read" : done.error().code + " " + done.error().where;
  };
  const auto integer = [&](const char* key, std::int64_t least, std::int64_t most) {
    std::int64_t found = 0;
    const auto read = [&](Fields& io) { io.integer(key, found, least, most); };
    const std::string told = said(read, object);
    return told + (found == 0 ? "" : " " + std::to_string(found));
  };
  CHECK(integer("i", 0, 3) == "read 3");
  CHECK(integer("i", 4, 9) == "SP0503 t");
  CHECK(integer("big", 0, INT64_MAX) == "SP0503 t");
  CHECK(integer("q", 0, 9) == "SP0503 t");
  const auto number = [&](const char* key) {
    exact::Rational found;
    const auto read = [&](Fields& io) { io.number(key, found); };
    const std::string told = said(read, object);
    return told + (found == 0 ? "" : " " + exact::to_string(found));
  };
  CHECK(number("q") == "read 2/3");
  CHECK(number("bad").starts_with("SP0101 t.bad"));
  CHECK(number("i") == "SP0503 t");
  const auto texts = [&](const char* key) {
    std::vector<std::string> found;
    const std::string told = said([&](Fields& io) { io.texts(key, found); }, object);
    return told + (found.size() == 2 ? " " + found[0] + found[1] : "");
  };
  CHECK(texts("list") == "read ab");
  CHECK(texts("mixed").starts_with("SP0503 t.mixed"));
  CHECK(texts("absent") == "SP0503 t");
  json::Value same;
  const auto keys = [&](const std::vector<std::string>& names, const json::Value& of) {
    return said(
        [&](Fields& io) {
          for (const std::string& name : names) io.value(name, same);
          io.finish();
        },
        of);
  };
  CHECK(keys({"i", "big", "q", "bad", "list", "mixed"}, object) == "read");
  CHECK(same == object["mixed"]);
  CHECK(keys({"i", "big", "q", "bad", "list"}, object) == "SP0503 t");
  CHECK(keys({"i", "big", "q", "bad", "list", "mixed", "more"}, object) == "SP0503 t");
  CHECK(keys({"i"}, json::Value::array()) == "SP0503 t");
}
