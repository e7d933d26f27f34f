// A language certificate is read whole or not at all: each field is changed, left out and added to.
#include "certificate/language.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "certificate/strict.hpp"
#include "language_sample.hpp"

using namespace sinkproof;
using json::Value;
using test::accepted_language;
using test::language_statement;

namespace {

std::string code(const Value& certificate) {
  const auto read = certificate::result_of(
      [&] { return certificate::read_language(Value::parse(certificate.dump())); });
  return read ? "" : read.error().code;
}

// What is stated once the value at a place is another.
std::string code_with(const std::string& place, const Value& value) {
  Value certificate = accepted_language();
  certificate[Value::json_pointer(place)] = value;
  return code(certificate);
}

// Every object in the certificate: its keys are all asked for and no other is.
void every_object(const Value& certificate, const Value& here, const std::string& place) {
  for (const auto& [key, value] : here.items()) {
    const std::string inside = place + "/" + key;
    if (value.is_structured()) every_object(certificate, value, inside);
    if (!here.is_object() || place == "/model/files") continue;
    INFO(inside);
    Value less = certificate;
    less[Value::json_pointer(place)].erase(key);
    CHECK((code(less) == "SP0503" || place.empty()));
    CHECK_FALSE(code(less).empty());
    Value null = certificate;
    null[Value::json_pointer(inside)] = nullptr;
    if (inside != "/format" && inside != "/kind" && inside != "/claim")
      CHECK_FALSE(code(null).empty());
  }
  if (!here.is_object() || place == "/model/files") return;
  Value more = certificate;
  more[Value::json_pointer(place + "/another")] = 1;
  INFO(place);
  CHECK(code(more) == "SP0503");
}

}  // namespace

TEST_CASE("A language certificate is read as it is") {
  const certificate::Language read = certificate::read_language(accepted_language());
  CHECK(read.statements[0].question.position == 2);
  CHECK(read.statements[1].question.intervention.eviction->renumbered);
  CHECK(read.statements[2].question.intervention.ablated ==
        std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {1, 0}});
  CHECK(read.statements[3].question.epsilon == exact::make_rational(3, 10));
  CHECK(read.sequences[0][1] == 2147483647U);
}

TEST_CASE("No key of a language certificate may be absent, null or added") {
  every_object(accepted_language(), accepted_language(), "");
}

TEST_CASE("Each field of a language certificate has its limits") {
  const struct {
    const char* place;
    const char* value;  // JSON
    const char* code;
  } rows[] = {
      {"/semantics", R"("float32")", "SP0901"},
      {"/precision", "63", "SP0503"},
      {"/precision", "2048", ""},
      {"/precision", "2049", "SP0503"},
      {"/precision", R"("64")", "SP0503"},
      {"/model/architecture", "1", "SP0503"},
      {"/model/files", "[]", "SP0503"},
      {"/model/files", R"({"config.json": "aa"})", "SP0503"},
      {"/model/files/model-00001-of-00001.safetensors",
       R"("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")", "SP0901"},
      {"/model/files/model.safetensors.index.json",
       R"("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")", "SP0901"},
      {"/model/files/config.json", R"("AA")", "SP0901"},
      {"/model/files/config.json", "1", "SP0503"},
      {"/model/files",
       R"({"config.json": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "model.safetensors.index.json":
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "../a.safetensors": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})",
       "SP0901"},
      {"/sequences", "[]", "SP0901"},
      {"/sequences", R"({"0": [1]})", "SP0503"},
      {"/sequences/0", "[]", "SP0901"},
      {"/sequences/0", "1", "SP0503"},
      {"/sequences/0/0", "-1", "SP0503"},
      {"/sequences/0/0", "2147483648", "SP0503"},
      {"/sequences/0/0", R"("1")", "SP0503"},
      {"/statements", "[]", "SP0901"},
      {"/statements", "{}", "SP0503"},
      {"/statements/0", "1", "SP0503"},
      {"/statements/0/readout", R"("beta")", "SP0503"},
      {"/statements/0/readout", R"("moved")", "SP0503"},
      {"/statements/0/position", "0", "SP0503"},
      {"/statements/0/position", "4096", ""},
      {"/statements/0/position", "4097", "SP0503"},
      {"/statements/0/sequence", "2", "SP0503"},
      {"/statements/0/sequence", "-1", "SP0503"},
      {"/statements/0/lower", "[]", "SP0901"},
      {"/statements/0/lower", R"(["0"])", "SP0901"},
      {"/statements/0/lower", R"(["0", "0", "0"])", "SP0901"},
      {"/statements/0/lower", R"("0")", "SP0503"},
      {"/statements/0/lower/0", "0", "SP0503"},
      {"/statements/0/lower/0", R"("2/4")", "SP0101"},
      {"/statements/0/lower/0", R"("1/0")", "SP0101"},
      {"/statements/0/lower/0", R"("0.5")", "SP0101"},
      {"/statements/0/upper/1", R"("")", "SP0101"},
      {"/statements/1/intervention", "1", "SP0503"},
      {"/statements/1/intervention", R"({"ablated": [[0, 0]], "first": 1})", "SP0503"},
      {"/statements/1/intervention/first", "-1", "SP0503"},
      {"/statements/1/intervention/first", "1048577", "SP0503"},
      {"/statements/1/intervention/window", "0", "SP0503"},
      {"/statements/1/intervention/window", "1048576", ""},
      {"/statements/1/intervention/renumbered", "1", "SP0503"},
      {"/statements/2/intervention/ablated", "[[1, 0]]", ""},
      {"/statements/2/intervention/ablated", "[]", "SP0901"},
      {"/statements/2/intervention/ablated", "[1, 0]", "SP0503"},
      {"/statements/2/intervention/ablated", "[[1]]", "SP0503"},
      {"/statements/2/intervention/ablated", "[[1, 2, 3]]", "SP0503"},
      {"/statements/2/intervention/ablated", "[[1, -2]]", "SP0503"},
      {"/statements/2/intervention/ablated", "[[1, 0], [1, 0]]", "SP0503"},
      {"/statements/2/intervention/ablated", "[[1, 0], [0, 1]]", "SP0503"},
      {"/statements/2/intervention/ablated", "1", "SP0503"},
      {"/statements/3/epsilon", "1", "SP0503"},
      {"/statements/3/epsilon", R"("0.3")", "SP0101"},
      {"/statements/3/readout", R"("alpha")", "SP0503"},
  };
  for (const auto& row : rows) {
    INFO(row.place << " " << row.value);
    CHECK(code_with(row.place, Value::parse(row.value)) == row.code);
  }
}

TEST_CASE("What a language certificate may hold has an end") {
  const std::string digits(98, '7');
  CHECK(code_with("/statements/0/upper/0", "1/" + digits).empty());
  CHECK(code_with("/statements/0/upper/0", "10/" + digits) == "SP0901");
  CHECK(code_with("/sequences/0", Value(std::vector<int>(4096, 1))).empty());
  CHECK(code_with("/sequences/0", Value(std::vector<int>(4097, 1))) == "SP0901");
  CHECK(code_with("/sequences", Value(4097, Value::array({1}))) == "SP0901");
  CHECK(code_with("/statements", Value(65537, language_statement("mean-cosine"))) == "SP0901");
  Value files = {{"config.json", test::kHash}, {"model.safetensors.index.json", test::kHash}};
  for (int i = 0; i < 1023; ++i) files[std::to_string(i)] = test::kHash;
  CHECK(code_with("/model/files", files) == "SP0503");
  files.erase("0");
  CHECK(code_with("/model/files", files).empty());
}
