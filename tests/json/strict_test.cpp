// Strict JSON: one text has one value, and one value has one canonical text.
#include "json/strict.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "json/decimals.hpp"
#include "json/visible.hpp"

using namespace sinkproof;

namespace {

std::string code(const std::string& text) {
  const auto value = json::parse_strict(text, "test");
  return value ? "accepted" : value.error().code;
}

std::string canonical_of(const std::string& text) {
  const auto value = json::parse_strict(text, "test");
  REQUIRE(value.has_value());
  return json::canonical(*value);
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("Plain JSON is read as it stands") {
  const auto value = json::parse_strict(R"({"a":[1,-2,"x",true,null],"b":{}})", "test");
  REQUIRE(value.has_value());
  CHECK((*value)["a"][1] == -2);
  CHECK((*value)["a"][3] == true);
  CHECK((*value)["b"].is_object());
}

TEST_CASE("A repeated key is refused at every level, however it is spelt") {
  CHECK(code(R"({"a":1,"a":1})") == "SP0301");
  CHECK(code(R"({"a":1,"\u0061":2})") == "SP0301");
  CHECK(code(R"([{"b":{"a":1,"c":2,"a":3}}])") == "SP0301");
  CHECK(code(R"({"a":{"a":1},"b":{"a":1}})") == "accepted");
}

TEST_CASE("Numbers are 64-bit integers or nothing") {
  CHECK(code("18446744073709551615") == "accepted");
  CHECK(code("18446744073709551616") == "SP0301");
  CHECK(code("-9223372036854775808") == "accepted");
  CHECK(code("-9223372036854775809") == "SP0301");
  const std::string refused[] = {"1.0", "1e3",      "1E0",       "0.5",   "-0.0", "-0", "NaN",
                                 "nan", "Infinity", "-Infinity", "1e999", "01",   "+1", "1.",
                                 ".5",  "0x10",     "--1",       "1_0",   "-"};
  for (const std::string& text : refused) {
    INFO(text);
    CHECK(code(text) == "SP0301");
    CHECK(code("[" + text + "]") == "SP0301");
  }
}

TEST_CASE("Numbers of other programs' files are decimals, or strings where no double is near") {
  const auto read = [](const std::string& text) {
    const auto value = json::parse_with_decimals("[" + text + "]", "test");
    if (!value) return value.error().code;
    const json::Value& number = (*value)[0];
    if (number.is_string()) return "string " + number.get<std::string>();
    if (!number.is_binary()) return "integer " + number.dump();
    return "decimal " + std::string(number.get_binary().begin(), number.get_binary().end());
  };
  const std::string zeros(308, '0');
  CHECK(read("-5") == "integer -5");
  CHECK(read("1E+05") == "decimal 1e05");
  CHECK(read("-0") == "decimal -0");
  CHECK(read("18446744073709551616") == "decimal 18446744073709551616");
  const std::string nines(308, '9');
  CHECK(read(nines) == "decimal " + nines);
  CHECK(read(nines + ".9e0") == "decimal " + nines + ".9e0");
  CHECK(read("1" + zeros) == "string 1" + zeros);
  CHECK(read("-1" + zeros + "0.5") == "string -1" + zeros + "0.5");
  CHECK(read("9.9e307") == "decimal 9.9e307");
  CHECK(read("1e308") == "string 1e308");
  CHECK(read("1" + zeros + "e-1") == "decimal 1" + zeros + "e-1");
  CHECK(read("0." + zeros + "1e616") == "decimal 0." + zeros + "1e616");
  CHECK(read("0." + zeros + "1e617") == "string 0." + zeros + "1e617");
  CHECK(read("2e1000000000000") == "string 2e1000000000000");
  CHECK(read("2e-1000000000000") == "decimal 2e-1000000000000");
  CHECK(read("20e+0307") == "string 20e+0307");
  CHECK(read("-1.5E+400") == "string -1.5E+400");
  CHECK(read("1e-400") == "decimal 1e-400");
  CHECK(read("0e999999999999") == "decimal 0e999999999999");
  CHECK(read("-Infinity") == "string -Infinity");
  CHECK(read(R"("1e400 \" 1e400")") == R"(string 1e400 " 1e400)");
  for (const std::string text : {"01e400", "-01e400", "1.e400", ".1e400", "1e400x", "1e400 1e400",
                                 "+1e400", "1e400.5", "--1e400", "1e", "NaN1e400", "1e400\"\""}) {
    INFO(text);
    CHECK(read(text) == "SP0301");
  }
}

TEST_CASE("Names of keys are quoted where they are long or odd") {
  CHECK(json::shown_key("rope_scaling.type-2") == "rope_scaling.type-2");
  CHECK(json::shown_key("") == R"("")");
  CHECK(json::shown_key("a, b") == R"("a, b")");
  CHECK(json::shown_key("a\"\n\u00e9") == R"("a\"\n\u00e9")");
  CHECK(json::shown_key(std::string(80, 'a')) == std::string(80, 'a'));
  CHECK(json::shown_key(std::string(81, 'a')) == "\"" + std::string(80, 'a') + "\"...");
  CHECK(json::shown_key(std::string(79, ' ') + "\u00e9") ==
        "\"" + std::string(79, ' ') + "\\u00e9\"");
  CHECK(json::shown_key(std::string(79, ' ') + "\u00e9x") ==
        "\"" + std::string(79, ' ') + "\\u00e9\"...");
}

TEST_CASE("Nesting stops at 64 levels") {
  CHECK(code(nested(64, "[", "]")) == "accepted");
  CHECK(code(nested(65, "[", "]")) == "SP0301");
  CHECK(code(nested(64, "{\"a\":", "}")) == "accepted");
  CHECK(code(nested(65, "{\"a\":", "}")) == "SP0301");
  CHECK(code(std::string(1'000'000, '[')) == "SP0301");
}

TEST_CASE("Malformed text is refused") {
  const std::string refused[] = {"",
                                 " ",
                                 "{",
                                 "[1,]",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "{'a':1}",
                                 "[1] [2]",
                                 "[1]x",
                                 "// note\n1",
                                 "/* note */ 1",
                                 "\"\x01\"",
                                 "\"a\nb\"",
                                 "\"\\x41\"",
                                 "\"\\ud800\"",
                                 "\"\\udc00\\ud800\"",
                                 "tru",
                                 "True",
                                 "undefined",
                                 "[\"a\" \"b\"]"};
  for (const std::string& text : refused) {
    INFO(text);
    CHECK(code(text) == "SP0301");
  }
  CHECK(code(std::string("[1]\0", 4)) == "SP0301");
  CHECK(code(std::string("[1]\0{\"a\":2}", 11)) == "SP0301");
  CHECK(code(std::string("\0[1]", 4)) == "SP0301");
  CHECK(code("\xEF\xBB\xBF[1]") == "SP0301");
}

TEST_CASE("Bytes that are not UTF-8 are refused") {
  const std::string refused[] = {"\xff",
                                 "\xc0\xaf",
                                 "\xe0\x80\xaf",
                                 "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80",
                                 "\xf8\x88\x80\x80\x80",
                                 "\xc3",
                                 "\x80"};
  for (const std::string& bytes : refused) {
    CHECK(code("\"" + bytes + "\"") == "SP0301");
    CHECK(code("{\"" + bytes + "\":1}") == "SP0301");
  }
  CHECK(code("\"\xc3\xa9\xf0\x9f\x99\x82\"") == "accepted");
}

TEST_CASE("The place of the mistake is named") {
  const auto value = json::parse_strict("[1,2,}", "certificate.json");
  REQUIRE_FALSE(value.has_value());
  CHECK(value.error().where == "certificate.json");
  CHECK(value.error().what.find("byte 6") != std::string::npos);
}

TEST_CASE("Canonical text sorts keys by bytes and spells everything one way") {
  CHECK(canonical_of("{ \"b\" : 1 , \"a\" : [ ] }") == R"({"a":[],"b":1})");
  CHECK(canonical_of(R"({"a":1,"B":2,"\u00e9":3,"aa":4})") ==
        "{\"B\":2,\"a\":1,\"aa\":4,\"\xc3\xa9\":3}");
  CHECK(canonical_of(R"("\u0041\/\u0008\u001F\u007f\"\\")") == "\"A/\\b\\u001f\x7f\\\"\\\\\"");
  CHECK(canonical_of("18446744073709551615") == "18446744073709551615");
}

TEST_CASE("Canonical text is read back to the same text") {
  const std::string texts[] = {R"({"a":[1,-2,"x\n",true,null],"b":{"c":"\u0001"}})", "[]",
                               R"("\t")"};
  for (const std::string& text : texts) CHECK(canonical_of(text) == text);
}

TEST_CASE("A float that reaches the writer is a bug, not a certificate") {
  CHECK_THROWS_AS(json::canonical(json::Value(0.5)), std::logic_error);
  CHECK_THROWS_AS(json::canonical(json::Value{{"a", {1, {{"b", 2.0}}}}}), std::logic_error);
}
