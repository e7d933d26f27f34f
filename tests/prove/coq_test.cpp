#include "prove/coq.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "claim/coq_text.hpp"
#include "output/temporary_folder.hpp"
#include "prove/coq_allowed.hpp"
#include "prove/coq_statement.hpp"
#include "prove/coq_text.hpp"

using namespace sinkproof;
using namespace sinkproof::prove;
using claim::coq_commands;
using claim::coq_introduced;
using claim::without_coq_comments;

namespace {

using Names = std::vector<std::string>;
using Files = std::map<std::string, std::string>;

const std::string kTheory = "Definition two := 2.\n";
const std::string kStatement =
    "From Sinkproof Require Import shared.\nDefinition thm : Prop := two = 2.\n";
const std::string kHeader =
    "From Sinkproof Require Import shared.\nFrom Claim Require Import statement.\n";
const std::string kTail = "\nPrint Assumptions thm.\n";

CoqProgram coq() { return CoqProgram::find(false).value(); }

// What Coq says of a claim: the code of the first of its files that is refused, or "proved N".
std::string outcome(const std::string& statement, const std::string& proof,
                    const std::string& theory = kTheory) {
  const CoqWorkspace workspace(Files{{"definitions/shared.v", theory}}, coq());
  if (auto done = workspace.compile("definitions/shared.v"); !done) return done.error().code;
  const CoqClaim claim(workspace, {{"statement.v", statement}, {"file.v", proof}});
  if (auto done = claim.state("statement.v", "s"); !done) return done.error().code;
  const auto theorems = claim.prove("file.v", "f");
  return theorems ? "proved " + std::to_string(theorems->theorems.size()) : theorems.error().code;
}

}  // namespace

TEST_CASE("Comments are taken out, nested ones too, strings are kept") {
  CHECK(without_coq_comments("a (* b (* c *) d *) e") == "a                   e");
  CHECK(without_coq_comments("a \"(* b\" c") == "a \"(* b\" c");
  CHECK(without_coq_comments("a *) b") == "a *) b");
}

TEST_CASE("Comments are blanked in place") {
  CHECK(without_coq_comments("a(* b (* c\n *) d *)e") == "a         \n        e");
  CHECK(without_coq_comments("\"(*\" *) b") == "\"(*\" *) b");
}

TEST_CASE("A Coq file holds commands and libraries of a list, and nothing else") {
  const auto code = [](const std::string& text, CoqFile kind) {
    const auto allowed = only_allowed_coq(text, kind, "t");
    return allowed ? std::string() : allowed.error().code;
  };
  for (const std::string text : {"Axiom a : False.",
                                 "Parameter a : nat.",
                                 "Lemma a : b. Admitted.",
                                 "Cd \"/\".",
                                 "Print Universes.",
                                 "Set Universe Polymorphism.",
                                 "Unset Guard Checking.",
                                 "#[bypass_check(guard)] Fixpoint f (n : nat) := f n.",
                                 "Function f (n : nat) := n.",
                                 "Program Definition a := b.",
                                 "Equations f : nat := f := 0.",
                                 "CoFixpoint f : s := g f.",
                                 "CoInductive s := c : s.",
                                 "Load x.",
                                 "Add LoadPath x.",
                                 "Declare ML Module x.",
                                 "Module M. End M.",
                                 "Instance i : c := d.",
                                 "Canonical a := b.",
                                 "Coercion a : b >-> c.",
                                 "Scheme a := Induction for b Sort Prop.",
                                 "Derive a SuchThat b As c.",
                                 "Redirect \"a\" b.",
                                 "Require Import Arith.",
                                 "From Coq Require Import Program.",
                                 "From Ltac2 Require Import Ltac2.",
                                 "From Coq Require Import Reals -(notations).",
                                 "From mathcomp Require Import ssreflect.",
                                 "Local Axiom a : False.",
                                 "Global Set Guard Checking.",
                                 "Time Qed.",
                                 "Fail Qed.",
                                 "Lemma a : b. Proof. - Admitted.",
                                 "Lemma a : b. Proof. { Set X. }",
                                 "Lemma a : b. Proof. 2: { Axiom x : y. }",
                                 "Lemma a : b. Proof. all: Axiom x : y.",
                                 "Lemma a : b. Proof. [c]: { Axiom x : y. }",
                                 "Lemma a : b. Proof. [ c ] : {\nAxiom x : y. }",
                                 "Lemma a : b. Proof. - [c]:{Axiom x : y. }",
                                 "Lemma a : b. Proof. 1, 2: Axiom x : y.",
                                 "Lemma a : b. Proof. par: Axiom x : y.",
                                 "Lemma a : b. Proof. !: { Axiom x : y. }",
                                 "Lemma a : b. Proof. [Axiom x : y.",
                                 "Lemma a : b. Proof. vm_compute. Qed.",
                                 "Lemma a : b. Proof. now native_compute.",
                                 "Lemma a : b. Proof. exact_no_check c.",
                                 "Lemma a : b. Proof. change_no_check c.",
                                 "Definition a := (b <: c).",
                                 "Definition a := (b <<: c).",
                                 "Notation \"x + y\" := z.",
                                 "Definition z := 0.(* 1).",
                                 "Definition a := b.\tQed.",
                                 "(* \xc3\xa9 *)"}) {
    INFO(text);
    CHECK(code(text, CoqFile::kProofs) == "SP0711");
    CHECK(code(text, CoqFile::kDefinitions) == "SP0719");
  }
  for (const std::string text :
       {"(* f (*g*) \"x\" Axiom *) Definition z := 0. (* 1 *)",
        "From Coq Require Import Reals Lra.", "Open Scope R_scope.",
        "Fixpoint f (n : nat) := match n with O => 0 | S k => f k end.",
        "Inductive t := one | two : nat -> t.", "Record r := build { a : nat }."}) {
    INFO(text);
    CHECK(code(text, CoqFile::kProofs).empty());
    CHECK(code(text, CoqFile::kDefinitions).empty());
  }
  for (const std::string text :
       {"Lemma a : b. Proof using x. - { lia. } + auto. 2: { (now lra). } all: lia. !: lia. [c]: { "
        "lia. } [> lia]. Qed.",
        "Section S. Context (n : nat). Let m := n. Variables (a b : nat). End S.",
        "Local Open Scope R_scope.", "Local Notation m := (n + 1).", "Ltac go x := induction x.",
        "Import ListNotations.", "From Claim Require Import statement.",
        "From Coq Require FunctionalExtensionality.", "Implicit Types (n : nat)."}) {
    INFO(text);
    CHECK(code(text, CoqFile::kProofs).empty());
    CHECK(code(text, CoqFile::kDefinitions) == "SP0719");
  }
}

TEST_CASE("No two Coq files of a claim or of the theory have one name, nor that of an axiom's") {
  const std::string said = "Definition thm : Prop := 2 = 2.\n";
  const std::string proof =
      "From Claim Require Import statement.\nTheorem thm : statement.thm. Proof. reflexivity. "
      "Qed." +
      kTail;
  const auto code = [&](const Files& theory, const Files& more) {
    const CoqWorkspace workspace(theory, coq());
    for (const auto& [path, text] : workspace.theory()) {
      if (auto done = workspace.compile(path); !done) return done.error().code;
    }
    Files files = {{"statement.v", said}, {"file.v", proof}};
    files.insert(more.begin(), more.end());
    const CoqClaim claim(workspace, files);
    if (auto done = claim.state("statement.v", "s"); !done) return done.error().code;
    const auto theorems = claim.prove("file.v", "f");
    return theorems ? std::string("proved") : theorems.error().code;
  };
  CHECK(code({}, {}) == "proved");
  CHECK(code({{"definitions/a.v", ""}, {"a.v", ""}}, {}) == "SP0720");
  CHECK(code({{"Classical_Prop.v", ""}}, {}) == "SP0720");
  CHECK(code({}, {{"sub/file.v", ""}}) == "SP0720");
}

TEST_CASE("A text is its commands, each up to a point before white space") {
  CHECK(coq_commands("A b.\n (* C. *) D 1.5 e.f.\nG") == Names{"A b", "D 1.5 e.f", "G"});
  CHECK(coq_commands(" \n").empty());
  CHECK(coq_commands("A.") == Names{"A"});
}

TEST_CASE("The names a text introduces: definitions, fields, constructors") {
  CHECK(coq_introduced("Definition a (x : nat) := x. Lemma b : True. Fixpoint c (n : nat) := n.") ==
        Names{"a", "c"});
  CHECK(coq_introduced("Record r (n : nat) : Prop := build { f : n = n; g : 0 <= n }.") ==
        Names{"r", "f", "g", "build"});
  CHECK(coq_introduced("Inductive t :=\n  | one\n  | two : nat -> t.") == Names{"t", "one", "two"});
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

TEST_CASE("Coq's word is asked for each theorem: does it say its sentence, and what it rests on") {
  const std::string two = kStatement + "Definition other : Prop := 0 = 0.\n";
  CHECK(outcome(kStatement, kHeader + "Theorem thm : statement.thm. Proof. reflexivity. Qed." +
                                kTail) == "proved 1");
  CHECK(outcome(kStatement, kHeader + "Theorem thm (n : nat) : two = 2. Proof. reflexivity. Qed." +
                                kTail) == "SP0721");
  CHECK(outcome(kStatement, kHeader + "Theorem thm : True. Proof. exact I. Qed." + kTail) ==
        "SP0721");
  CHECK(outcome(two, kHeader + "Theorem other : statement.other. Proof. reflexivity. Qed.\n" +
                         "Theorem thm : two = 2. Proof. reflexivity. Qed.\n" +
                         "Print Assumptions other." + kTail) == "proved 2");
  CHECK(outcome(kStatement, kHeader + "Lemma other : True. Proof. exact I. Qed.\n" +
                                "Theorem thm : two = 2. Proof. reflexivity. Qed.\n" +
                                "Print Assumptions other." + kTail) == "SP0721");
  CHECK(outcome(kStatement, kHeader + "Theorem thm : two = 3. Proof. reflexivity. Qed." + kTail) ==
        "SP0710");
  CHECK(outcome(kStatement, kHeader + "Theorem other : two = 2. Proof. reflexivity. Qed." +
                                kTail) == "SP0721");  // statement.thm itself is not a proof of it
  CHECK(outcome(kStatement, kHeader + "Theorem thm : two = 3. Admitted." + kTail) == "SP0711");
  CHECK(outcome(kStatement, kHeader + "Variable v : two = 2. Theorem thm : two = 2. Proof v." +
                                kTail) == "SP0713");
  CHECK(outcome(kStatement, kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed.") ==
        "proved 0");
}

TEST_CASE("A sentence with hypotheses has an instance in which all of them hold") {
  const std::string statement =
      kStatement +
      "Definition few : Prop := forall x y : nat, x < y -> (forall z, z = x -> z < y) /\\ 0 = 0.\n";
  const std::string proof =
      kHeader +
      "Theorem thm : statement.thm. Proof. reflexivity. Qed.\n"
      "Theorem few : statement.few. Proof. intros x y H. split; [|reflexivity].\n"
      "intros z ->. exact H. Qed.\n";
  const std::string tail = "\nPrint Assumptions few.\nPrint Assumptions few_instance." + kTail;
  const std::string full =
      "Theorem few_instance : exists x y : nat, x < y /\\ exists z, z = x.\n"
      "Proof. exists 0, 1. split; [apply le_n|exists 0; reflexivity]. Qed.\n";
  const std::string part =
      "Theorem few_instance : exists x y : nat, x < y.\n"
      "Proof. exists 0, 1. apply le_n. Qed.\n";
  CHECK(outcome(statement, proof + full + tail) == "proved 3");
  CHECK(outcome(statement, proof + part + tail) == "SP0722");
  CHECK(outcome(statement, proof + "\nPrint Assumptions few." + kTail) == "SP0722");
  // Hidden in a definition of the statement file's own, it is a hypothesis still.
  const std::string hidden = kStatement +
                             "Definition own (b : bool) : Prop := False -> b = b.\n"
                             "Definition few : Prop := own true.\n";
  const std::string easy = kHeader +
                           "Theorem thm : statement.thm. Proof. reflexivity. Qed.\n"
                           "Theorem few : statement.few. Proof. intros []. Qed.\n"
                           "Print Assumptions few." +
                           kTail;
  CHECK(outcome(hidden, easy) == "SP0722");
}

TEST_CASE("A statement file defines, and does nothing else") {
  const std::string proof = kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed." + kTail;
  CHECK(outcome("(** Words. Lemma. *)\n" + kStatement, proof) == "proved 1");
  for (const std::string line : {"Axiom a : False.",
                                 "Lemma a : True. Proof. exact I. Qed.",
                                 "Notation \"x <= y\" := (x = y).",
                                 "Section S.",
                                 "Variable v : False.",
                                 "Hypothesis h : False.",
                                 "Local Definition a := 1.",
                                 "#[local] Definition a := 1.",
                                 "Coercion f : nat >-> bool.",
                                 "Ltac t := idtac.",
                                 "Import Nat.",
                                 "Require Import Lia.",
                                 "From Claim Require Import file.",
                                 "Arguments two.",
                                 "Definition a : nat. exact 1. Defined.",
                                 "Set Printing All.",
                                 "Definition a := ltac:(exact 1).",
                                 "Record r := { f :> nat }.",
                                 "Inductive t := c where \"'c'\" := c.",
                                 "Example a : True := I.",
                                 "Opaque two."}) {
    INFO(line);
    CHECK(outcome(kStatement + line + "\n", proof) == "SP0719");
  }
  for (const std::string line : {"Definition a :=\n\n  1.", "Definition a := 1 (* or 2 *).",
                                 "(** \xc3\xa9 *)", "Definition a := 1.\r"}) {
    INFO(line);
    CHECK(outcome(kStatement + line + "\n", proof) == "SP0719");
  }
  CHECK(outcome(kStatement + "  Definition other : Prop := True.\n", proof) == "SP0719");
  CHECK(outcome("From Sinkproof Require Import shared.\n", proof) == "SP0719");
  CHECK(outcome("From Sinkproof Require Import shared.\n(*\nDefinition thm : Prop := two = 3.\n*)\n"
                " Definition thm : Prop := two = 2.\n",
                proof) == "SP0719");
  std::string lines;
  for (std::size_t i = 0; i < kMaxOwnLines; ++i) {
    lines += "Definition a" + std::to_string(i) + " := 1.\n\n(** more *)\n";
  }
  CHECK(outcome(lines + kStatement, proof) == "proved 1");
  CHECK(outcome(lines + "Definition b\n:= 1.\n" + kStatement, proof) == "SP0719");
  CHECK(outcome(kStatement, proof, kTheory + "Lemma a : True. Proof. exact I. Qed.\n") == "SP0719");
}

TEST_CASE("A statement file gives no new meaning to a name it could use") {
  const std::string proof = kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed." + kTail;
  for (const std::string line : {"Definition two := 3.", "Definition S (x : nat) := x.",
                                 "Record r := { two : nat }.", "Inductive t := le | ge."}) {
    INFO(line);
    CHECK(outcome(kStatement + line + "\n", proof) == "SP0720");
  }
  // Hidden by a form, it is introduced all the same.
  for (const std::string line :
       {"Inductive t := c with le := d.", "Record r := { a : nat } with two := { b : nat }.",
        "Fixpoint f (n : nat) := n with two (n : nat) := n."}) {
    INFO(line);
    CHECK(outcome(kStatement + line + "\n", proof).starts_with("SP07"));
  }
}

TEST_CASE("No two definition files that a claim rests on introduce one name") {
  const auto code = [](const std::string& other) {
    const CoqWorkspace workspace(Files{{"definitions/a.v", kTheory}, {"definitions/b.v", other}},
                                 coq());
    for (const auto& [path, text] : workspace.theory()) {
      if (auto done = workspace.compile(path); !done) return done.error().code;
    }
    const CoqClaim claim(
        workspace, {{"statement.v",
                     "From Sinkproof Require Import a.\nFrom Sinkproof Require Import b.\n"
                     "Definition thm : Prop := 2 = 2.\n"},
                    {"file.v",
                     "From Claim Require Import statement.\nTheorem thm : statement.thm. Proof. "
                     "reflexivity. Qed." +
                         kTail}});
    if (auto done = claim.state("statement.v", "s"); !done) return done.error().code;
    const auto theorems = claim.prove("file.v", "f");
    return theorems ? std::string("proved") : theorems.error().code;
  };
  CHECK(code("Definition three := 3.\n") == "proved");
  CHECK(code("Definition two := 3.\n") == "SP0720");
  CHECK(code("Inductive t := two.\n") == "SP0720");
}

TEST_CASE("Every recursion that the kernel holds is a plain one") {
  const std::string thm = "\nTheorem thm : statement.thm. Proof. reflexivity. Qed." + kTail;
  const auto code = [&](const std::string& more) {
    return outcome(kStatement, kHeader + more + thm);
  };
  for (const std::string plain :
       {"Fixpoint f (n : nat) := match n with O => 0 | S k => S (f k) end.",
        "Fixpoint f (n : nat) := match n with O => 0 | S O => 1 | S (S k) => f k end.",
        "Fixpoint f (m n : nat) {struct n} := match n with O => m | S k => let j := S m in f j k "
        "end.",
        "Fixpoint f (n : nat) : n = n -> nat := match n with O => fun _ => 0 | S k => fun _ => f k "
        "eq_refl end.",
        "Inductive t := leaf | node (l r : t). Fixpoint f (x : t) := match x with leaf => 1 | node "
        "l r => f l + f r end.",
        "Lemma l (n : nat) : n = n + 0. Proof. induction n; simpl; congruence. Qed."}) {
    INFO(plain);
    CHECK(code(plain) == "proved 1");
  }
  for (const std::string other :
       {// The structural argument through a function, a match, an if, a let.
        "Fixpoint f (n : nat) := match n with O => 0 | S k => f (match k with O => k | S _ => k "
        "end) "
        "end.",
        "Fixpoint f (n : nat) := match n with O => 0 | S k => f (if true then k else k) end.",
        "Fixpoint f (n : nat) := match n with O => 0 | S k => let j := k in f j end.",
        "Fixpoint f (n : nat) := match n with O => 0 | S k => f ((fun x => x) k) end.",
        // The function itself as an argument.
        "Definition ap (g : nat -> nat) (n : nat) := g n. "
        "Fixpoint f (n : nat) := match n with O => 0 | S k => ap f k end.",
        // Hidden by proof mode, a tactic, another term.
        "Fixpoint f (n : nat) : nat. Proof. destruct n as [|k]. exact 0. exact (f (id k)). "
        "Defined.",
        "Definition f : nat -> nat. Proof. fix f 1. intros [|k]. exact 0. exact (f (id k)). "
        "Defined.",
        "Definition f := fix f (n : nat) := match n with O => 0 | S k => f (id k) end.",
        "Lemma f (n : nat) : nat. Proof. exact ((fix f (n : nat) := match n with O => 0 | S k => f "
        "(id k) end) n). Qed.",
        "Fixpoint f (n : nat) := match n with O => 0 | S k => g k end with g (n : nat) := match n "
        "with O => 1 | S k => f k end.",
        "Inductive t := node (l : list t). "
        "Fixpoint f (x : t) := match x with node l => (fix g (l : list t) := match l with nil => 0 "
        "| cons a r => f a + g r end) (id l) end."}) {
    INFO(other);
    CHECK(code(other) == "SP0711");
  }
}

TEST_CASE("A sentence that is about nothing is refused, however it hides that") {
  const auto code = [](const std::string& sentence, const std::string& proof,
                       const std::string& own = "") {
    return outcome(kStatement + own + "Definition any : Prop := " + sentence + ".\n",
                   kHeader + "From Coq Require Import Arith.\n" +
                       "Theorem thm : statement.thm. Proof. reflexivity. Qed.\n" +
                       "Theorem any : statement.any. Proof. " + proof +
                       " Qed.\nPrint Assumptions any." + kTail);
  };
  // Types that everybody knows to have an element need no example.
  CHECK(code("forall (n : nat) (b : bool) (f : nat -> bool) (P : Prop), n = n",
             "red; intros; reflexivity.") == "proved 2");
  CHECK(code("forall l : list nat, exists m, l = m", "intros l. exists l. reflexivity.") ==
        "proved 2");
  // Binders whose type could be empty.
  CHECK(code("forall e : {n : nat | n < 0}, 0 = 1", "intros [n H]. inversion H.") == "SP0722");
  CHECK(code("forall e : Empty_set, 0 = 1", "intros [].") == "SP0722");
  CHECK(code("forall f : unit -> Empty_set, 0 = 1", "intros f. destruct (f tt).") == "SP0722");
  CHECK(code("forall p : nat * Empty_set, 0 = 1", "intros [n []].") == "SP0722");
  CHECK(code("forall r : own, 0 = 1", "intros [n H]. inversion H.",
             "Record own := { size : nat; small : size < 0 }.\n") == "SP0722");
  CHECK(code("forall (A : Type) (x : A), 0 = 0", "red; intros; reflexivity.") == "SP0722");
  // Conclusions that hold a hypothesis.
  CHECK(code("impl False (0 = 1)", "intros [].", "Definition impl (A B : Prop) := A -> B.\n") ==
        "SP0722");
  CHECK(code("own 1", "intros [].",
             "Fixpoint own (n : nat) : Prop := match n with O => True | S _ => False -> 0 = 1 "
             "end.\n") == "SP0722");
  CHECK(code("own", "constructor.", "Inductive own : Prop := done.\n") == "SP0723");
  CHECK(code("exists n : nat, own n", "exists 0. constructor.",
             "Inductive own (n : nat) : Prop := done.\n") == "SP0723");
  CHECK(code("forall n, own n", "intros n. destruct n; exact I.",
             "Definition own (n : nat) : Prop := match n with O => True | S _ => True end.\n") ==
        "SP0723");
}

TEST_CASE("What lies in Coq's search path elsewhere cannot take the place of the theory") {
  const output::TemporaryFolder elsewhere;
  const auto folder = elsewhere.path() / "Sinkproof";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "shared.v") << "Definition two := 3.\n";
  REQUIRE(coq().compile("shared.v", folder, {{folder, "Sinkproof"}}, "w").value().empty());
  std::filesystem::create_directories(elsewhere.path() / "coq" / "Sinkproof");
  std::filesystem::copy(folder / "shared.vo", elsewhere.path() / "coq" / "Sinkproof");
  for (const char* variable : {"COQPATH", "XDG_DATA_HOME", "XDG_DATA_DIRS"}) {
    ::setenv(variable, elsewhere.path().c_str(), 1);
  }
  const std::string proof =
      kHeader + "Theorem thm : statement.thm. Proof. reflexivity. Qed." + kTail;
  CHECK(outcome(kStatement, proof) == "proved 1");
  const std::string three =
      "From Sinkproof Require Import shared.\nDefinition thm : Prop := two = 3.\n";
  CHECK(outcome(three, proof) == "SP0710");
  for (const char* variable : {"COQPATH", "XDG_DATA_HOME", "XDG_DATA_DIRS"}) ::unsetenv(variable);
}

TEST_CASE("In a sandbox Coq writes to its own folder only") {
  const output::TemporaryFolder outer;
  const auto folder = outer.path() / "within";
  std::filesystem::create_directories(folder);
  const auto outside = outer.path() / "outside.out";
  std::ofstream(folder / "a.v") << "Redirect \"within\" Print nat.\n"
                                << "Redirect \"../outside\" Print nat.\n";
  CHECK(coq().compile("a.v", folder, {}, "w").value().empty());
  CHECK(std::filesystem::remove(outside));
  CHECK_FALSE(CoqProgram::find(true).value().compile("a.v", folder, {}, "w").value().empty());
  CHECK(std::filesystem::exists(folder / "within.out"));
  CHECK_FALSE(std::filesystem::exists(outside));
}

TEST_CASE("A real-number proof rests on the axioms of the reals, by name") {
  const CoqWorkspace workspace(Files{}, coq());
  const CoqClaim claim(
      workspace,
      {{"statement.v",
        "From Coq Require Import Reals.\nDefinition thm : Prop := forall x : R, (x < x + 1)%R.\n"},
       {"file.v",
        "From Coq Require Import Reals Lra.\nFrom Claim Require Import statement.\n"
        "Theorem thm : statement.thm. Proof. intros x. lra. Qed." +
            kTail}});
  REQUIRE(claim.state("statement.v", "s").has_value());
  const auto theorems = claim.prove("file.v", "file.v");
  REQUIRE(theorems.has_value());
  CHECK(theorems->theorems == Names{"thm"});
  CHECK_FALSE(theorems->assumptions.empty());
  for (const std::string& axiom : theorems->assumptions) {
    CHECK(axiom.find('.') != std::string::npos);
  }
}

TEST_CASE("A shared theory that admits something or does not compile proves nothing") {
  const std::string proof = kHeader + "Theorem thm : two = 2. Proof. reflexivity. Qed." + kTail;
  CHECK(outcome(kStatement, proof, "Axiom two : nat.\n") == "SP0719");
  CHECK(outcome(kStatement, proof, "Definition two := .\n") == "SP0710");
  const CoqWorkspace uncompiled(Files{{"definitions/shared.v", kTheory}}, coq());
  CHECK(
      CoqClaim(uncompiled, {{"statement.v", kStatement}}).state("statement.v", "s").error().code ==
      "SP0710");
}

TEST_CASE("A file requires the modules its Require sentences name, and no others") {
  const CoqWorkspace workspace(Files{{"a.v", ""}, {"b.v", ""}, {"d/c_d.v", ""}, {"README.md", ""}},
                               coq());
  CHECK(workspace.theory().size() == 3);
  const auto required_by = [&](const std::string& text) {
    return coq_required(text, workspace.theory());
  };
  CHECK(required_by("From Sinkproof Require Import a\n  c_d. Lemma b : True.") ==
        Names{"a.v", "d/c_d.v"});
  CHECK(required_by("Require Sinkproof.b. (* Require a. *) Import a.") == Names{"b.v"});
  CHECK(required_by("Definition x := 1.5. Require Export b.") == Names{"b.v"});
  CHECK(required_by("").empty());
}

TEST_CASE("A file's own questions are left out, one for each theorem") {
  const std::string text = "Qed.\n\nPrint Assumptions a.\nPrint Assumptions b. \n\n";
  CHECK(without_coq_questions(text, 2) == "Qed.\n\n");
  CHECK(without_coq_questions(text, 1) == "Qed.\n\nPrint Assumptions a.\n");
  CHECK(without_coq_questions("Print Assumptions a.", 1).empty());
}
