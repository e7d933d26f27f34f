#include "claim/claim.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "claim/definitions.hpp"
#include "claim/map.hpp"
#include "claim/stated.hpp"
#include "claim/verdict.hpp"
#include "model/attention_model.hpp"
#include "output/temporary_folder.hpp"

namespace fs = std::filesystem;
using namespace sinkproof;
using namespace sinkproof::claim;

namespace {

const fs::path kSource = SINKPROOF_SOURCE_DIR;

const std::string kHead = R"(id = "tc-9"
title = "T"
source = "S"
hypotheses = ["h"]
)";
const std::string kSentence = R"([[sentence]]
text = "It is at least 1/2."
says = ["one.implication.json"]
)";
const std::string kOneStep = R"([[step]]
name = "one"
rule = "implication"
file = "one.implication.json"
establishes = "e"
relies_on = []
)";

const std::string kStep = kSentence + kOneStep;

const std::string kCoqStep = R"([[step]]
name = "said"
rule = "coq-statement"
file = "statement.v"
establishes = "e"
relies_on = []

[[step]]
name = "two"
rule = "coq-theorem"
file = "two.v"
establishes = "e"
relies_on = []
)";
const std::string kStatement = R"(From Coq Require Import Reals.
Definition half : R := 1 / 2.
(** One row. *)
Definition row : Prop := forall x, x = 7 + half.
Definition main : Prop :=
  forall x, x / (17 + x_3) = 1.
)";
const std::string kVariant = R"toml([[variant]]
name = "a kind"
attention = "softmax-null"
sink = "avoidable in the limit"
bound = "1/(E+i)"
says = ["row"]
evidence = ["one", "two"]
trained = "softmax-null.d8"
)toml";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// A claim's folder called tc-9 with one lemma file and the given claim.toml.
class ClaimFolder {
 public:
  explicit ClaimFolder(const std::string& toml) {
    fs::create_directory(path());
    std::ofstream(path() / "claim.toml") << toml;
    std::ofstream(path() / "one.implication.json") << R"({"x": "1/2"})";
    if (toml.find("two.v") == std::string::npos) return;
    std::ofstream(path() / "statement.v") << kStatement;
    std::ofstream(path() / "two.v") << "Proof.\nPrint Assumptions row.\nPrint Assumptions main.\n";
  }
  [[nodiscard]] fs::path root() const { return root_.path(); }
  [[nodiscard]] fs::path path() const { return root_ / "tc-9"; }

 private:
  output::TemporaryFolder root_;
};

exact::Error error_of(const std::string& toml) {
  const ClaimFolder folder(toml);
  const auto claim = load_claim(folder.path());
  return claim ? exact::Error{"none", "", ""} : claim.error();
}

// The error of a claim whose one variant is kVariant with `from` replaced.
exact::Error variant_error(const std::string& from, const std::string& to) {
  return error_of(kHead + kStep + kCoqStep + replaced(kVariant, from, to));
}

bool says(const exact::Error& error, const std::string& code, const std::string& field) {
  return error.code == code && error.what.find("field \"" + field + "\"") != std::string::npos &&
         error.where.find("variant") != std::string::npos;
}

}  // namespace

TEST_CASE("A claim's folder is read as it is written") {
  const ClaimFolder folder(kHead + kStep);
  const auto claim = load_claim(folder.path());
  REQUIRE(claim.has_value());
  CHECK(claim->id == "tc-9");
  CHECK(claim->hypotheses == std::vector<std::string>{"h"});
  REQUIRE(claim->sentences.size() == 1);
  CHECK(claim->sentences[0].text == "It is at least 1/2.");
  CHECK(claim->sentences[0].says == std::vector<std::string>{"one.implication.json"});
  CHECK(statement_of(*claim) == "It is at least 1/2.");
  REQUIRE(claim->steps.size() == 1);
  CHECK(claim->steps[0].rule == certificate::Rule::kImplication);
  CHECK(claim->steps[0].file == "one.implication.json");
  CHECK(find_claim(folder.root(), "tc-9").value() == folder.path());
  CHECK(list_claims(folder.root()).value() == std::vector<std::string>{"tc-9"});
}

TEST_CASE("The claims of this project load, every file named by a step") {
  const auto ids = list_claims(kSource / "proofs");
  REQUIRE(ids.has_value());
  for (const std::string id : {"tc-1", "tc-5", "tc-6"}) {
    CHECK(std::find(ids->begin(), ids->end(), id) != ids->end());
  }
  for (const std::string& id : *ids) {
    const auto claim = load_claim(kSource / "proofs" / id);
    if (!claim) FAIL_CHECK(claim.error().where << ": " << claim.error().what);
    CHECK(fs::exists(kSource / "proofs" / id / "README.md"));
  }
}

TEST_CASE("A wrong field of claim.toml is an error that names it") {
  for (const std::string field : {"id", "title", "source", "hypotheses"}) {
    INFO(field);
    const auto missing = error_of(replaced(kHead, field + " =", "x" + field + " =") + kStep);
    CHECK(missing.code == "SP0602");
    CHECK(missing.what.find("\"" + field + "\"") != std::string::npos);
  }
  CHECK(error_of(replaced(kHead, "\"tc-9\"", "\"tc-8\"") + kStep).code == "SP0602");
  CHECK(error_of(replaced(kHead, "\"T\"", "\"\"") + kStep).code == "SP0602");
  CHECK(error_of(replaced(kHead, "\"T\"", "3") + kStep).code == "SP0602");
  CHECK(error_of(replaced(kHead, "[\"h\"]", "\"h\"") + kStep).code == "SP0602");
  CHECK(error_of(replaced(kHead, "[\"h\"]", "[1]") + kStep).code == "SP0602");
  CHECK(error_of(kHead + "colour = \"red\"\n" + kStep).code == "SP0602");
  CHECK(error_of(kHead + "formula = \"x\"\n" + kStep).code == "SP0602");
  CHECK(error_of(kHead + "title = \"again\"\n" + kStep).code == "SP0601");
  CHECK(error_of("id = ").code == "SP0601");
  CHECK(error_of("id = ").what.find("line") != std::string::npos);
}

TEST_CASE("A wrong field of a step is an error that names step and field") {
  for (const std::string field : {"name", "rule", "file", "establishes", "relies_on"}) {
    INFO(field);
    const auto missing = error_of(kHead + replaced(kStep, field + " =", "x" + field + " ="));
    CHECK(missing.code == "SP0602");
    CHECK(missing.what.find("\"" + field + "\"") != std::string::npos);
    CHECK(missing.where.find("step 1") != std::string::npos);
  }
  CHECK(error_of(kHead + kStep + "colour = 1\n").code == "SP0602");
  CHECK(error_of(kHead + "step = 1\n").code == "SP0602");
}

TEST_CASE("A step that contradicts its file or its order is an error") {
  CHECK(error_of(kHead + replaced(kStep, "\"implication\"", "\"smt\"")).code == "SP0603");
  CHECK(error_of(kHead + replaced(kStep, "\"implication\"", "\"magic\"")).code == "SP0603");
  CHECK(error_of(kHead + kSentence + replaced(kOneStep, "one.implication.json", "one.json")).code ==
        "SP0603");
  CHECK(error_of(kHead + kStep + "theorem = \"t\"\n").code == "SP0602");
  CHECK(error_of(kHead + replaced(kStep, "[]", "[\"one\"]")).code == "SP0603");
  CHECK(error_of(kHead + kStep + kOneStep).code == "SP0603");
  CHECK(error_of(kHead + kStep + replaced(kOneStep, "\"one\"", "\"two\"")).code == "SP0603");
  const std::string coq =
      replaced(replaced(replaced(kOneStep, "\"implication\"", "\"coq-theorem\""),
                        "one.implication.json", "a.v"),
               "\"one\"", "\"two\"");
  CHECK(error_of(kHead + kStep + coq).code == "none");
  CHECK(error_of(kHead + kStep + replaced(coq, "a.v", "a_statement.v")).code == "SP0603");
  CHECK(error_of(kHead + kStep + replaced(coq, "coq-theorem", "coq-statement")).code == "SP0603");
}

TEST_CASE("A construction is a step by its file's name") {
  const std::string step = replaced(kSentence, "one.implication.json", "one.construction.json") +
                           replaced(replaced(kOneStep, "\"implication\"", "\"construction\""),
                                    "one.implication.json", "one.construction.json");
  const ClaimFolder folder(kHead + step);
  std::filesystem::rename(folder.path() / "one.implication.json",
                          folder.path() / "one.construction.json");
  const auto claim = load_claim(folder.path());
  REQUIRE(claim.has_value());
  CHECK(claim->steps.at(0).rule == certificate::Rule::kConstruction);
  CHECK(error_of(kHead + replaced(kStep, "\"implication\"", "\"construction\"")).code == "SP0603");
}

TEST_CASE("The rows of a map are read as they are written, and most claims have none") {
  const std::string bare =
      "[[variant]]\nname = \"other\"\nsink = \"necessary\"\nbound = \"1/2\"\n"
      "says = [\"one.implication.json\"]\nevidence = [\"one\"]\n";
  const ClaimFolder folder(kHead + kStep + kCoqStep + kVariant + bare);
  const auto claim = load_claim(folder.path());
  REQUIRE(claim.has_value());
  REQUIRE(claim->variants.size() == 2);
  const Variant& first = claim->variants[0];
  CHECK(first.name == "a kind");
  CHECK(first.attention == "softmax-null");
  CHECK(first.sink == Sink::kAvoidableInLimit);
  CHECK(first.bound == "1/(E+i)");
  CHECK(first.says == std::vector<std::string>{"row"});
  CHECK(first.evidence == std::vector<std::string>{"one", "two"});
  CHECK(first.trained == "softmax-null.d8");
  const Variant& second = claim->variants[1];
  CHECK(second.name == "other");
  CHECK(second.sink == Sink::kNecessary);
  CHECK((second.attention + second.trained).empty());
  const ClaimFolder plain(kHead + kStep);
  CHECK(load_claim(plain.path()).value().variants.empty());
}

TEST_CASE("A variant's sink and attention are words of fixed lists") {
  for (const Sink sink : {Sink::kNecessary, Sink::kAvoidableExactly, Sink::kAvoidableInLimit}) {
    CHECK(variant_error("avoidable in the limit", to_string(sink)).code == "none");
  }
  for (const char* word : {"avoidable", "Necessary", "not necessary", "in the limit"}) {
    INFO(word);
    CHECK(says(variant_error("avoidable in the limit", word), "SP0603", "sink"));
  }
  for (const auto attention : model::kAttentions) {
    INFO(model::to_string(attention));
    CHECK(variant_error("softmax-null\"\nsink", model::to_string(attention) + "\"\nsink").code ==
          "none");
  }
  for (const char* word : {"cosine", "Softmax", "softmax "}) {
    INFO(word);
    CHECK(says(variant_error("softmax-null\"\nsink", std::string(word) + "\"\nsink"), "SP0603",
               "attention"));
  }
}

TEST_CASE("A wrong field of a variant is an error that names variant and field") {
  for (const std::string field : {"name", "sink", "bound", "says", "evidence"}) {
    INFO(field);
    const auto missing = variant_error(field + " =", "x" + field + " =");
    CHECK(says(missing, "SP0602", field));
    CHECK(missing.where.find("variant 1") != std::string::npos);
  }
  for (const std::string field : {"name", "attention", "sink", "bound", "trained"}) {
    INFO(field);
    const std::string start = "\n" + field + " = \"";
    CHECK(says(variant_error(start, "\n" + field + " = 3 #"), "SP0602", field));
    const std::string line = kVariant.substr(kVariant.find(start) + 1);
    const std::string whole = line.substr(0, line.find('\n') + 1);
    CHECK(says(variant_error(whole, field + " = \"\"\n"), "SP0602", field));
  }
  CHECK(says(variant_error("[\"one\", \"two\"]", "\"one\""), "SP0602", "evidence"));
  CHECK(says(variant_error("[\"one\", \"two\"]", "[\"one\", 2]"), "SP0602", "evidence"));
  CHECK(says(variant_error("bound =", "colour = \"red\"\nbound ="), "SP0602", "colour"));
  CHECK(error_of(kHead + "variant = 1\n" + kStep).code == "SP0602");
  CHECK(error_of(kHead + "variant = []\n" + kStep).code == "SP0602");
}

TEST_CASE("A variant rests on steps of its own claim, and its bound on what says it") {
  CHECK(variant_error("name", "name").code == "none");
  CHECK(says(variant_error("[\"one\", \"two\"]", "[]"), "SP0603", "evidence"));
  CHECK(says(variant_error("\"two\"]", "\"three\"]"), "SP0603", "evidence"));
  CHECK(says(variant_error("\"two\"]", "\"two.v\"]"), "SP0603", "evidence"));
  CHECK(variant_error("\"row\"", "\"main\"").code == "none");
  CHECK(says(variant_error("\"row\"", "\"rows\""), "SP0612", "says"));
  CHECK(says(variant_error("[\"row\"]", "[]"), "SP0612", "says"));
  const auto twice = error_of(kHead + kStep + kCoqStep + kVariant + kVariant);
  CHECK(says(twice, "SP0603", "name"));
  for (const char* stem : {"../softmax", "a/b", ".hidden", "-o", "a b"}) {
    INFO(stem);
    CHECK(says(variant_error("softmax-null.d8", stem), "SP0603", "trained"));
  }
}

TEST_CASE("Each sentence names what states it: a sentence of Coq, a step's file or a threshold") {
  const auto outcome = [](const std::string& said, const std::string& more = "") {
    const std::string sentence =
        "[[sentence]]\ntext = \"It holds.\"\nsays = [" + said + "]\n" + more;
    return error_of(kHead + sentence + kOneStep + kCoqStep).code;
  };
  CHECK(error_of(kHead + kOneStep).code == "SP0612");  // nothing is stated
  CHECK(outcome("\"row\"") == "none");
  CHECK(outcome("\"row\", \"main\"") == "none");
  CHECK(outcome("") == "SP0612");
  CHECK(outcome("\"rows\"") == "SP0612");
  CHECK(outcome("\"half\"") == "SP0612");  // a definition says nothing
  CHECK(outcome("\"one.implication.json\"") == "none");
  CHECK(outcome("\"two.v\"") == "SP0612");  // Coq's files are named by their sentences
  CHECK(outcome("\"statement.v\"") == "SP0612");
  CHECK(outcome("\"claim.toml\"") == "SP0612");
  CHECK(outcome("\"row\"", "sharp = \"row\"\n") == "SP0602");
}

TEST_CASE("The fields says are the lines that the checkers read, whatever else TOML allows") {
  const auto outcome = [](const std::string& sentence, const std::string& more = "") {
    return error_of(kHead + sentence + kOneStep + kCoqStep + more).code;
  };
  const std::string sentence = "[[sentence]]\ntext = \"It holds.\"\n";
  CHECK(outcome(sentence + "says = [\"row\"] \n") == "SP0612");
  for (const std::string field :
       {"says=[\"row\"]", "says = [ \"row\" ]", "says = [\n\"row\"]", "says = [\"row\",]",
        "says = ['row']", "\"says\" = [\"row\"]", "says = [\"row\"] # row",
        "says = [\"\\u0072ow\"]", "\"\\u0073ays\" = [\"row\"]"}) {
    INFO(field);
    CHECK(outcome(sentence + field + "\n") == "SP0612");
  }
  // A line that TOML does not take for a field, beside a field that is not such a line.
  CHECK(outcome("[[sentence]]\ntext = \"\"\"\nsays = [\"row\"]\n\"\"\"\nsays = [\"main\"]\n") ==
        "SP0612");
  CHECK(outcome("sentence = [{text = \"a\", says = [\"main\"]}]\n") == "SP0612");
  CHECK(outcome(sentence + "says = [\"row\"]\n", kVariant) == "none");
  CHECK(outcome(sentence + "says = [\"row\"]\n",
                replaced(kVariant, "says = [\"row\"]", "says  = [\"main\"]")) == "SP0612");
}

TEST_CASE("A cell of the map cites what a claim names as its own statements") {
  const ClaimFolder folder(kHead + kStep + kCoqStep);
  const auto code = [&](const std::string& cited) {
    std::ofstream(folder.root() / "map.toml")
        << "[[cell]]\nsetting = \"s\"\nkernel = \"k\"\nverdict = \"forced\"\ntext = \"t\"\nsays = "
           "[\""
        << cited << "\"]\n";
    const auto map = read_map(folder.root());
    return map ? "none" : map.error().code;
  };
  CHECK(code("tc-9:one.implication.json") == "none");
  // There, but no words of the claim name it: its verdict does not cover it.
  CHECK(code("tc-9:row") == "SP0613");
  CHECK(code("tc-9:two.v") == "SP0613");
  CHECK(code("tc-8:row") == "SP0613");
  CHECK(code("row") == "SP0613");
}

TEST_CASE(
    "A certificate proves a theorem, a lemma of solvers and an exact statement for all sizes") {
  const auto certificate = json::Value::parse(R"({"steps": [
      {"file": "a.v", "rule": "coq-theorem", "theorems": ["row"]},
      {"file": "a.smt2", "rule": "smt"}, {"file": "b.smt2", "rule": "assumed"},
      {"file": "why.prose.md", "rule": "prose"},
      {"file": "a.identity.json", "rule": "polynomial-identity", "statement": {"scope": "all"}},
      {"file": "b.identity.json", "rule": "polynomial-identity", "statement": {"scope": "x = 1"}}]})");
  for (const char* name : {"row", "a.smt2", "a.identity.json"}) CHECK(proves(certificate, name));
  for (const char* name : {"main", "b.smt2", "why.prose.md", "b.identity.json", "c.smt2"}) {
    CHECK_FALSE(proves(certificate, name));
  }
}

TEST_CASE("What evidence states is shown as it stands, or as a person writes it") {
  const ClaimFolder folder(kHead + kStep + kCoqStep);
  std::ofstream(folder.path() / "one.implication.json")
      << R"j({"statement": {"hypotheses": [{"name": "h", "relation": ">=",
              "polynomial": ["-", "x", ["+", "y", "1/2"]]}],
              "conclusion": {"relation": "=", "polynomial":
              ["*", ["+", "x", "1"], ["^", ["-", "y"], 2], ["-", "x", ["-", "y", "z"]]]}}})j";
  const auto claim = load_claim(folder.path());
  REQUIRE(claim.has_value());
  CHECK(stated(*claim, "row") == "Definition row : Prop := forall x, x = 7 + half.");
  CHECK(stated(*claim, "main") == "Definition main : Prop :=\n  forall x, x / (17 + x_3) = 1.");
  CHECK_FALSE(stated(*claim, "half").has_value());
  CHECK_FALSE(stated(*claim, "../tc-9/one.implication.json").has_value());
  CHECK(stated(*claim, "one.implication.json") ==
        "h: x - (y + 1/2) >= 0\n==> (x + 1) * (-y)^2 * (x - (y - z)) = 0");
}

TEST_CASE("The definitions of a claim are those its sentences mention, each before its use") {
  const ClaimFolder folder(kHead + kStep + kCoqStep);
  const auto write = [&](const fs::path& path, const std::string& text) {
    fs::create_directories((folder.root() / path).parent_path());
    std::ofstream(folder.root() / path) << text;
  };
  write("theory/definitions/a.v",
        "Open Scope nat_scope.\n(** Unused. *)\nDefinition other := 1.\n\n(** One.\n\nsee here "
        "*) Definition one := 1.\nRecord r := mk { field (n : nat) : nat }.\n");
  write("theory/definitions/b.v",
        "From Sinkproof Require Import a.\n\n(* other *)\nDefinition two := one + one.\n");
  write(
      "tc-9/statement.v",
      "From Sinkproof Require Import b a.\n\nDefinition own := two.\nDefinition row : Prop := own "
      "= own. (* Definition no : Prop *)\n\nDefinition idle := Build_r.\n");
  const auto found = definitions_of(load_claim(folder.path()).value());
  std::vector<std::string> texts;
  for (const Definition& one : found) texts.push_back(one.file + ": " + one.text);
  CHECK(texts == std::vector<std::string>{
                     "theory/definitions/a.v: (** One.\n\nsee here *) Definition one := 1.",
                     "theory/definitions/a.v: Record r := mk { field (n : nat) : nat }.",
                     "theory/definitions/b.v: (* other *)\nDefinition two := one + one.",
                     "statement.v: Definition own := two.",
                     "statement.v: (* Definition no : Prop *)\n\nDefinition idle := Build_r.",
                     "theory/definitions/a.v: Open Scope nat_scope.",
                     "theory/definitions/b.v: From Sinkproof Require Import a.",
                     "statement.v: From Sinkproof Require Import b a."});
}

TEST_CASE("A claim without steps, and a file without a step, are errors") {
  CHECK(error_of(kHead + kSentence).code == "SP0604");
  const ClaimFolder folder(kHead + kStep);
  std::ofstream(folder.path() / "two.smt2") << "(assert true)";
  const auto claim = load_claim(folder.path());
  REQUIRE_FALSE(claim.has_value());
  CHECK(claim.error().code == "SP0605");
  CHECK(claim.error().what.find("two.smt2") != std::string::npos);
}

TEST_CASE("A claim about a checkpoint has a model and thresholds in place of steps") {
  const std::string sentence =
      "[[sentence]]\ntext = \"The loss is at most 0.02.\"\nsays = [\"sup-loss<=0.02\"]\n";
  const std::string head = kHead + sentence;
  const std::string table = R"([checkpoint]
model = "../models/head.safetensors"
sha256 = "0123456789012345678901234567890123456789012345678901234567abcdef"
length = 16
attention = "softmax-null"
require = ["sup-loss<=0.02", "bos-floor in [0.9,1]"]
)";
  const ClaimFolder folder(head + table);
  fs::remove(folder.path() / "one.implication.json");
  const auto claim = load_claim(folder.path());
  REQUIRE(claim.has_value());
  CHECK(claim->steps.empty());
  REQUIRE(claim->checkpoint.has_value());
  CHECK(claim->checkpoint->model == (folder.root() / "models" / "head.safetensors"));
  CHECK(claim->checkpoint->length == std::optional<std::size_t>(16));
  CHECK(claim->checkpoint->attention == "softmax-null");
  CHECK(claim->checkpoint->sha256.ends_with("abcdef"));
  REQUIRE(claim->checkpoint->require.size() == 2);
  CHECK(claim->checkpoint->require[1].property == "bos-floor");

  const auto error = [](const std::string& toml) {
    const ClaimFolder wrong(toml);
    fs::remove(wrong.path() / "one.implication.json");
    const auto loaded = load_claim(wrong.path());
    return loaded ? exact::Error{"none", "", ""} : loaded.error();
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    return error(head + replaced(table, from, to));
  };
  const auto names = [](const exact::Error& found, const std::string& code,
                        const std::string& field) {
    const std::string text = found.where + found.what;
    return found.code == code &&
           found.where.find("claim.toml: [checkpoint]") != std::string::npos &&
           text.find("field \"" + field + "\"") != std::string::npos;
  };
  CHECK(error(head + table).code == "none");
  CHECK(error(kHead + table).code == "SP0612");
  CHECK(error(kHead + replaced(sentence, "[\"sup-loss<=0.02\"]", "[\"sup-loss<=0.03\"]") + table)
            .code == "SP0612");
  for (const std::string field : {"model", "require"}) {
    CHECK(names(changed(field + " =", "# "), "SP0602", field));
  }
  for (const std::string line : {"sha256 =", "length =", "attention ="}) {
    CHECK(changed(line, "# ").code == "none");
  }
  CHECK(names(changed("length = 16", "length = \"16\""), "SP0602", "length"));
  CHECK(names(changed("length = 16", "length = 16\ncolour = 1"), "SP0602", "colour"));
  CHECK(names(changed("length = 16", "length = 2"), "SP0609", "length"));
  CHECK(names(changed("length = 16", "length = -16"), "SP0609", "length"));
  CHECK(names(changed("length = 16", "length = 1000001"), "SP0609", "length"));
  CHECK(names(changed("0123", "012"), "SP0609", "sha256"));
  CHECK(names(changed("abcdef", "ABCDEF"), "SP0609", "sha256"));
  CHECK(names(changed("softmax-null", "cosine"), "SP0609", "attention"));
  for (const auto attention : model::kAttentions) {
    CHECK(changed("softmax-null", model::to_string(attention)).code == "none");
  }
  CHECK(names(changed("../models", "/models"), "SP0609", "model"));
  CHECK(
      names(changed("[\"sup-loss<=0.02\", \"bos-floor in [0.9,1]\"]", "[]"), "SP0609", "require"));
  CHECK(names(changed("<=0.02", "<0.02"), "SP1302", "require"));
  CHECK(error(head + table + kOneStep).code == "SP0608");
  CHECK(error(head + table + "[[variant]]\nname = \"v\"\n").code == "SP0608");
  CHECK(error(kHead + "checkpoint = 1\n" + sentence).code == "SP0602");
}

TEST_CASE("A checkpoint claim's folder holds its model and nothing else") {
  const std::string table =
      "[[sentence]]\ntext = \"s\"\nsays = [\"sup-loss<=1\"]\n"
      "[checkpoint]\nmodel = \"./m.safetensors\"\nrequire = [\"sup-loss<=1\"]\n";
  const auto other = error_of(kHead + table);
  CHECK(other.code == "SP0605");
  CHECK(other.what.find("one.implication.json") != std::string::npos);
  const ClaimFolder folder(kHead + table);
  fs::rename(folder.path() / "one.implication.json", folder.path() / "m.safetensors");
  CHECK(load_claim(folder.path()).has_value());
  // The checkers, which read no TOML, would take it for a theory claim.
  const auto step = error_of(kHead + replaced(table, "m.safetensors", "one.implication.json"));
  CHECK(step.code == "SP0609");
}

TEST_CASE("Unknown claims and folders without claims are errors") {
  const ClaimFolder folder(kHead + kStep);
  for (const std::string id : {"tc-8", "", "../tc-9", "tc-9/", "TC-9"}) {
    INFO(id);
    const auto found = find_claim(folder.root(), id);
    REQUIRE_FALSE(found.has_value());
    CHECK(found.error().code == "SP0607");
  }
  CHECK(list_claims(folder.path()).error().code == "SP0606");
  fs::copy(folder.path(), folder.root() / ".draft");
  CHECK(list_claims(folder.root()).value() == std::vector<std::string>{"tc-9"});
  CHECK(list_claims(folder.root() / "absent").error().code == "SP0606");
}

TEST_CASE("Verdicts have words and exit codes, and the worst outcome wins") {
  CHECK(to_string(Verdict::kProved) == "proved");
  CHECK(to_string(Verdict::kNotApplicable) == "not-applicable");
  CHECK(exit_code(Verdict::kProved) == 0);
  CHECK(exit_code(Verdict::kEnclosed) == 0);
  CHECK(exit_code(Verdict::kRefuted) == 1);
  CHECK(exit_code(Verdict::kHoley) == 3);
  CHECK(exit_code(Verdict::kBounded) == 3);
  CHECK(exit_code(Verdict::kUnknown) == 3);
  CHECK(combined_exit_code({}) == 0);
  CHECK(combined_exit_code({0, 3, 2}) == 2);
  CHECK(combined_exit_code({0, 3, 2, 1}) == 1);
  CHECK(combined_exit_code({4, 1, 0}) == 4);
  CHECK(combined_exit_code({4, 5}) == 5);
  CHECK(combined_exit_code({0, 3}) == 3);
}
