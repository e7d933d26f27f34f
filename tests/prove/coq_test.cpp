#include "prove/coq.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "prove/coq_text.hpp"

using namespace sinkproof::prove;

namespace {

using Names = std::vector<std::string>;
using Theory = std::map<std::string, std::string>;

const std::string kTheory = "Definition two := 2.\n";
const std::string kHeader = "From Sinkproof Require Import shared.\n";
const std::string kTail = "\nPrint Assumptions thm.\n";

}  // namespace

TEST_CASE("Comments are taken out, nested ones too, strings are kept") {
  CHECK(without_coq_comments("a (* b (* c *) d *) e") == "a    e");
  CHECK(without_coq_comments("a \"(* b\" c") == "a \"(* b\" c");
  CHECK(without_coq_comments("a *) b") == "a *) b");
}

TEST_CASE("Words that assume something are found outside comments only") {
  CHECK(forbidden_coq_word("Proof. Admitted.") == "Admitted");
  CHECK(forbidden_coq_word("Axiom a : False.") == "Axiom");
  CHECK(forbidden_coq_word("Proof. (* fine *) admit. Qed.") == "admit");
  CHECK(forbidden_coq_word("Unset Guard Checking.") == "Checking");
  CHECK(forbidden_coq_word("Parameter") == "Parameter");
  CHECK_FALSE(forbidden_coq_word("(* Axiom, Admitted *) Lemma admitted_once : True.").has_value());
}

TEST_CASE("What Print Assumptions prints is read, and anything else is refused") {
  CHECK(parse_assumptions("Closed under the global context\n", "t").value().empty());
  CHECK(parse_assumptions("Axioms:\nb.c\n  : forall x,\n    x = x\na : False\n", "t").value() ==
        Names{"a", "b.c"});
  for (const std::string text : {"", "Axioms:\n", "Closed", "Warning: x\nAxioms:\na : False\n",
                                 "Axioms:\na : False\nTheory:\n  Type hierarchy is collapsed\n"}) {
    INFO(text);
    CHECK_FALSE(parse_assumptions(text, "t").has_value());
  }
}

TEST_CASE("Coq's word is asked for each theorem, and what it rests on") {
  REQUIRE(CoqWorkspace::is_available());
  const CoqWorkspace workspace(Theory{{"shared.v", kTheory}});
  REQUIRE(workspace.compile("shared.v").has_value());
  const auto outcome = [&](const std::string& text) {
    const auto theorems = workspace.prove("file.v", text, "file.v");
    return theorems ? "proved " + std::to_string(theorems->size()) : theorems.error().code;
  };
  CHECK(outcome(kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed." + kTail) == "proved 1");
  CHECK(outcome(kHeader + "Lemma other : True. Proof. exact I. Qed.\n" +
                "Theorem thm : two = 2. Proof. reflexivity. Qed.\nPrint Assumptions other." +
                kTail) == "proved 2");
  CHECK(outcome(kHeader + "Theorem thm : two = 3. Proof. reflexivity. Qed." + kTail) == "SP0710");
  CHECK(outcome(kHeader + "Theorem other : two = 2. Proof. reflexivity. Qed." + kTail) == "SP0710");
  CHECK(outcome(kHeader + "Theorem thm : two = 3. Admitted." + kTail) == "SP0711");
  CHECK(outcome(kHeader + "Variable v : two = 3. Theorem thm : two = 3. Proof. exact v. Qed." +
                kTail) == "SP0713");
  CHECK(outcome(kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed.") == "SP0712");
  CHECK(outcome("") == "SP0712");
}

TEST_CASE("A real-number proof rests on the axioms of the reals, by name") {
  CoqWorkspace workspace(Theory{{"shared.v", kTheory}});
  const auto theorems = workspace.prove(
      "file.v",
      "From Coq Require Import Reals Lra.\nTheorem thm (x : R) : (x < x + 1)%R. Proof. lra. Qed." +
          kTail,
      "file.v");
  REQUIRE(theorems.has_value());
  CHECK(theorems->front().name == "thm");
  CHECK_FALSE(theorems->front().assumptions.empty());
  for (const std::string& axiom : theorems->front().assumptions) {
    CHECK(axiom.find('.') != std::string::npos);
  }
}

TEST_CASE("A shared theory that admits something or does not compile proves nothing") {
  const std::string proof = kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed." + kTail;
  CoqWorkspace admitting(Theory{{"shared.v", "Axiom two : nat.\n"}});
  CHECK(admitting.compile("shared.v").error().code == "SP0711");
  CHECK(admitting.prove("file.v", proof, "file.v").error().code == "SP0710");
  CoqWorkspace broken(Theory{{"shared.v", "Definition two := .\n"}});
  CHECK(broken.compile("shared.v").error().code == "SP0710");
  CHECK(broken.prove("file.v", proof, "file.v").error().code == "SP0710");
}

TEST_CASE("A file requires the modules its Require sentences name, and no others") {
  const CoqWorkspace workspace(Theory{{"a.v", ""}, {"b.v", ""}, {"c_d.v", ""}, {"README.md", ""}});
  CHECK(workspace.theory().size() == 3);
  CHECK(workspace.required_by("From Sinkproof Require Import a\n  c_d. Lemma b : True.") ==
        Names{"a.v", "c_d.v"});
  CHECK(workspace.required_by("Require Sinkproof.b. (* Require a. *) Import a.") == Names{"b.v"});
  CHECK(workspace.required_by("Definition x := 1.5. Require Export b.") == Names{"b.v"});
  CHECK(workspace.required_by("").empty());
}

TEST_CASE("A file's own questions are left out, one for each theorem") {
  const std::string text = "Qed.\n\nPrint Assumptions a.\nPrint Assumptions b. \n\n";
  CHECK(without_coq_questions(text, 2) == "Qed.\n\n");
  CHECK(without_coq_questions(text, 1) == "Qed.\n\nPrint Assumptions a.\n");
  CHECK(without_coq_questions("Print Assumptions a.", 1).empty());
}
