#!/usr/bin/env python3
"""The proofs of proofs/checker, in a folder that tools/verified/build.sh has filled:
python3 tests/verified/proof_test.py FOLDER Proofs|Coqchk|Breaks [EVERY]

What they rest on; that the functions cannot be changed without a proof failing; that the whole numbers of the program
are Coq's.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILT = None
EVERY = 1  # of the changes below, those that are tried
FLAGS = ["-R", "theory", "Sinkproof", "-R", "checker", "Verified"]
ALLOWED = {"ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
           "FunctionalExtensionality.functional_extensionality_dep"}
ASSUMED = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset|bypass_check)\b")
PROOFS = re.compile(r"^\s*(Theorem|Lemma|Proof|Qed|Hypothes[ie]s|Notation|Ltac|Coercion)\b", re.M)

# (file, text, what stands there instead): each makes some enclosure or comparison wrong.
BREAKS = [
    ("rounded.v", "radius := (ceil_shift e s + if", "radius := (floor_shift e s + if"),
    ("rounded.v", "forallb (exact_shift s) z then 0 else 1", "forallb (exact_shift s) z then 0 else 0"),
    ("exponential.v", "if (t <=? 1)%Z then (s + 1)%Z", "if (t <=? 1)%Z then s"),
    ("exponential.v", "if (t <=? 1)%Z then (s + 1)%Z", "if (t <=? 2)%Z then (s + 1)%Z"),
    ("exponential.v", "if vanishes p x then 1%Z", "if vanishes p x then 0%Z"),
    ("weights.v", "floor_div (Z.shiftl a p) (a + (greatest - b))", "floor_div (Z.shiftl a p) (a + (least - a))"),
    ("weights.v", "(Z.max 0 low, Z.max 0 high)", "(low, Z.max 0 high)"),
    ("pass.v", "(e + Z.abs m * radius k + (b - m) * far)", "(e + Z.abs m * radius k)"),
    ("pass.v", "ceil_shift (ceil_div (top * (z + e)) bottom) p)", "ceil_shift (ceil_div (top * z) bottom) p)"),
    ("layers.v", "=? x)%Z) scaled then 0 else 1 |}", "=? x)%Z) scaled then 0 else 0 |}"),
    ("layers.v", "(logistic_down p (c - radius b), logistic_up", "(logistic_down p c, logistic_up"),
    ("inputs.v", "(top q * d <=? n * bottom q)%Z", "(top q * d <=? n * bottom q + 1)%Z"),
    ("inputs.v", "(n * bottom q <=? top q * d)%Z", "(top q * d <=? n * bottom q)%Z"),
    ("inputs.v", "low := Z.max 0 (most - r)", "low := most"),
    ("inputs.v", "negb (at_least epsilon (low f) (parts f))", "negb (at_least epsilon (high f) (parts f))"),
    ("inputs.v", "at_most lower (fst r) all", "at_most lower (snd r) all"),
    ("inputs.v", "match where_ with None => true | Some s => (s <? N)%nat end", "match where_ with None => true | Some s => (s <=? N)%nat end"),
    ("witness.v", "(nth 1 t 0 =? trigger)%Z && ", ""),
    ("witness.v", "at_least greatest x unit)", "at_least greatest x (unit + 1))"),
    ("witness.v", "combine intervals (firstn (n - 3) (skipn 2 t))", "combine intervals (firstn (n - 4) (skipn 2 t))"),
    ("witness.v", "forallb (fun x => (x =? 0)%Z) (tl t)", "forallb (fun x => (0 <=? x)%Z) (tl t)"),
    ("witness.v", "&& (j <=? last_trigger T)%nat", "&& (j <=? S (last_trigger T))%nat"),
    ("witness.v", "bos_shown (over t) (nth 0 (tokens t) [])", "bos_shown (over t) (nth 1 (tokens t) [])"),
    ("witness.v", "After => (j <? i)%nat", "After => (j <=? i)%nat"),
    ("witness.v", "At_least => at_most b (fst r) d", "At_least => at_most b (snd r) d"),
    ("witness.v", "- radius b * unit, Z.shiftl unit p)%Z", "+ radius b * unit, Z.shiftl unit p)%Z"),
    ("witness.v", "if (S d =? depth)%nat then 0 else i - 1", "if (S d =? depth)%nat then i - 1 else i - 1"),
    ("witness.v", "Error, At_least => (top b <=? 0)%Z", "Error, At_least => (top b <=? 1)%Z"),
    ("witness.v", "(2 <=? i)%nat && (k <=? 1)%nat", "(1 <=? i)%nat && (k <=? 1)%nat"),
    ("rollout.v", "let more := Z.min room left", "let more := Z.max room left"),
    ("rollout.v", "if (fst (fst e) <=? fst (fst f))%Z", "if (fst (fst f) <=? fst (fst e))%Z"),
    ("rollout.v", "(- least_mean p ws (map (fun e => (- snd e)%Z) es))%Z", "(- least_mean p ws (map (fun e => (- fst e)%Z) es))%Z"),
    ("rollout.v", "fill (power p - total (map fst ws)) (", "fill (power p - total (map snd ws)) ("),
    ("witness.v", "(given_heads g =? 1)%nat && negb (given_residual g) && normalised (given_kind g)", "(given_heads g =? 1)%nat && negb (given_residual g)"),
    ("drawn.v", "(N - k)) (k + 1) in", "(N - k - 1)) (k + 1) in"),
    ("drawn.v", "(sum * r + c * (power * p))", "(sum * r + c * power)"),
    ("drawn.v", "tail_sum exceeding N", "tail_sum (pred exceeding) N"),
    ("drawn.v", "(1000 * ((top t + bottom t) * (top t + bottom t)) * N", "(1000 * ((top t + bottom t) * (top t + bottom t))"),
    ("drawn.v", "at_least threshold (high f) (parts f)", "at_least threshold (low f) (parts f)"),
    ("drawn.v", "at_most (one_less threshold) (fst (weight_of", "at_most threshold (fst (weight_of"),
    ("drawn.v", "(count <=? s)%nat || seen_fine", "(count <=? S s)%nat || seen_fine"),
    ("drawn.v", "match n with O => None | S n => Some (n :: rest) end", "match n with O => Some (n :: rest) | S n => Some (n :: rest) end"),
    ("forms.v", "if (k <? l)%nat then product_of l k * entry s l else 0))%Z.", "if (k <? l)%nat then 0 else 0))%Z."),
    ("forms.v", "everywhere order (put s k (-1)) low && everywhere order (put s k 1) high", "everywhere order (put s k (-1)) low"),
    ("forms.v", "whole_sum d (fun k => entry (squares c) k * (256 + entry y k * entry y k))", "whole_sum d (fun k => entry (squares c) k * (entry y k * entry y k))"),
    ("forms.v", "- 2 * weight_of i * entry x i)%Z", "- weight_of i * entry x i)%Z"),
    ("forms.v", "if is_free s k then Z.abs z else (entry s k * z)%Z", "(entry s k * z)%Z"),
    ("forms.v", "<=? floor_div (bound * (256 * turn c)) over)%Z", "<=? floor_div (bound * (257 * turn c)) over)%Z"),
    ("semidefinite.v", "(b - if (x =? 0)%Z then 0 else m)%Z :: row'", "b :: row'"),
    ("semidefinite.v", "(b - m)%Z :: row'", "b :: row'"),
    ("semidefinite.v", "(0 <? a)%Z && eliminated", "eliminated"),
    ("semidefinite.v", "(0 <? most)%Z && triangular t", "(0 <? most)%Z"),
    ("kernels.v", "(power k) (power k)).\n\nSection", "(power k) 0).\n\nSection"),
    ("kernels.v", "{| top := floor_div (g * bottom e) (bottom e + top e); bottom := g |}", "{| top := ceil_div (g * bottom e) (bottom e + top e); bottom := g |}"),
    ("logits.v", "((m - s) * bottom least =? top least * unit)%Z", "((m - s) * bottom least >=? top least * unit)%Z"),
    ("logits.v", "whole_sum d (fun j => Z.max 0 (sign", "whole_sum d (fun j => Z.min 0 (sign"),
    ("ranges.v", "match kernel_low a (class_low c) with Some y => rational_le (class_least c) y", "match kernel_high a (class_low c) with Some y => rational_le (class_least c) y"),
    ("ranges.v", "(- top (class_low c) * logit_unit)", "(top (class_low c) * logit_unit)"),
    ("ranges.v", "map (fun z => Some (logit_unit * z)%Z) (key_multipliers m)", "map (fun z => Some z) (key_multipliers m)"),
    ("ranges.v", "&& semidefinite (key_matrix m) && semidefinite (own_matrix m)", "&& semidefinite (key_matrix m)"),
    ("attention.v", "let rest c := match s with At_least => class_greatest c", "let rest c := match s with At_least => class_least c"),
    ("attention.v", "(kernel (Key Trigger_flag)) t (L - 2))", "(kernel (Key Trigger_flag)) t (L - 3))"),
    ("attention.v", "After => Some (Content_flag, 1, 2)%nat", "After => Some (Content_flag, 1, 3)%nat"),
    ("floors.v", "bottom := unit * fine |}", "bottom := unit * turn c |}"),
    ("floors.v", "Trigger => L - 2 | _ => L - 3", "Trigger => L - 3 | _ => L - 3"),
    ("floors.v", "match k with O => (- slot)%Z | S _ => 0%Z end in\n  let key", "match k with O => slot | S _ => 0%Z end in\n  let key"),
    ("floors.v", "(if with_trigger then [key Trigger_flag] else [])", "(if with_trigger then [] else [])"),
    ("floors.v", "((top lower <=? 0)%Z", "((top lower <=? 1)%Z"),
    ("rows.v", "if Nat.odd m then (m * m - 1)%nat", "if Nat.odd m then (m * m - 2)%nat"),
    ("rows.v", "(2 <=? j)%nat && (j <? n + 2)%nat then 1 else 0", "(2 <=? j)%nat && (j <? n + 1)%nat then 1 else 0"),
    ("losses.v", "off_c := rho * Z.of_nat (most_spread m) * z", "off_c := rho * z"),
    ("losses.v", "bottom := 2 * least_of e * z * q |}", "bottom := 2 * z * z * q |}"),
    ("losses.v", "ct * (Z.abs (vc - vt) + 2 * rho)", "ct * (Z.abs (vc - vt) + rho)"),
    ("losses.v", "+ c0 * Z.abs vb in", "in"),
    ("losses.v", "add_all d (fun k => size_of (add {| top := - noise k; bottom := N |}", "add_all d (fun k => size_of (add {| top := 0; bottom := N |}"),
    ("losses.v", "(whole_times t (swing e_trigger))))", "(whole_times 0 (swing e_trigger))))"),
    ("losses.v", "bottom := bottom x + top x |} in", "bottom := bottom x |} in"),
    ("losses.v", "let ms := seq least (L - 1 - least) in", "let ms := seq least (L - 2 - least) in"),
    ("losses.v", "if rational_le x y then y else x.", "if rational_le x y then x else y."),
    ("losses.v", "match a with Softmax_gated => false | _ => true end && ", ""),
    ("losses.v", " && negb (given_residual g)", ""),
    ("losses.v", "if normalised a then (0 <? least_of e)%Z else true", "true"),
    ("losses.v", "if (r =? k + 2)%nat then (map_unit", "if (r =? k + 1)%nat then (map_unit"),
    ("check.v", "| By_trees t => frame && by_trees c fr t p", "| By_trees t => by_trees c fr t p"),
    ("check.v", "| By_ranges => frame && ranges && by_ranges c fr r p", "| By_ranges => frame && by_ranges c fr r p"),
    ("check.v", "(d =? d')%nat && (h =? h')%nat", "(d =? d')%nat && (h <=? h')%nat"),
    ("check.v", "At_most, At_most => rational_le b b'", "At_most, At_most => rational_le b' b"),
    ("check.v", "At_least, Above => rational_lt b' b", "At_least, Above => rational_le b' b"),
    ("check.v", "task_eq T T' && class_within c' c", "task_eq T T' && class_within c c'"),
    ("check.v", "if (first_trigger T <? L)%nat then [After]", "if (last_trigger T <? L)%nat then [After]"),
    ("check.v", "if follows L shown p then Proved", "if follows L (assumed ++ shown) p then Proved"),
    ("check.v", "filter snd (combine ps alone)", "combine ps alone"),
]


def coqc(folder, path):
    return subprocess.run(["coqc", "-q", *FLAGS, path], cwd=folder, capture_output=True, text=True, timeout=600)


class InFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Proofs(InFolder):
    def test_they_are_those_of_the_tree(self):
        for name in ("theory", "checker"):
            for path in (ROOT / "proofs" / name).rglob("*.v"):
                built = BUILT / path.relative_to(ROOT / "proofs")
                self.assertEqual(built.read_text(), path.read_text(), path)

    def test_nothing_is_assumed(self):
        for path in (ROOT / "proofs" / "checker").rglob("*.v"):
            self.assertEqual(ASSUMED.findall(path.read_text()), [], path)

    def test_the_specification_holds_definitions_only(self):
        files = list((ROOT / "proofs" / "checker" / "specification").glob("*.v"))
        self.assertEqual(len(files), 4)
        for path in files:
            self.assertEqual(PROOFS.findall(path.read_text()), [], path)

    def test_axioms(self):
        (self.folder / "axioms.v").write_text("From Verified Require Import check.\nPrint Assumptions check_sound.\n")
        out = subprocess.run(["coqc", "-q", *FLAGS, self.folder / "axioms.v"], cwd=BUILT, capture_output=True, text=True, timeout=600)
        self.assertEqual(out.returncode, 0, out.stderr)
        head, _, rest = out.stdout.partition("Axioms:\n")
        self.assertEqual(head, "")
        self.assertEqual(set(re.findall(r"^(\S+)", rest, re.M)), ALLOWED)

    def test_the_program_s_whole_numbers_are_coq_s(self):
        for path in (ROOT / "tests" / "verified" / "plain.v", ROOT / "tests" / "verified" / "mappings.ml", ROOT / "tools" / "verified" / "whole.ml"):
            shutil.copy(path, self.folder)
        for command in (["coqc", "-q", "plain.v"], ["ocamlfind", "ocamlopt", "-w", "-a", "-package", "zarith", "-linkpkg", "plain.mli", "plain.ml",
                                                    "whole.ml", "mappings.ml", "-o", "mappings"], ["./mappings"]):
            out = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600)
            self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        self.assertGreater(int(out.stdout.split()[0]), 50000)
        mapped = set(re.findall(r"Constant Z\.(\w+) =>", (ROOT / "proofs" / "checker" / "extraction.v").read_text()))
        compared = set(re.findall(r'"(\w+)"', (ROOT / "tests" / "verified" / "mappings.ml").read_text()))
        self.assertEqual(mapped - compared, set())


class Breaks(InFolder):
    def test_a_changed_function_has_no_proof(self):
        for name in ("theory", "checker"):
            shutil.copytree(BUILT / name, self.folder / name)
        for name, text, other in BREAKS[::EVERY]:
            with self.subTest(f"{name}: {other}"):
                path = self.folder / "checker" / name
                whole = path.read_text()
                self.assertEqual(whole.count(text), 1)
                path.write_text(whole.replace(text, other))
                out = coqc(self.folder, path.relative_to(self.folder))
                path.write_text(whole)
                self.assertNotEqual(out.returncode, 0, "the proofs hold of the changed function")
                line = int(re.search(r", line (\d+), ", out.stderr).group(1))
                self.assertGreater(line, whole[:whole.index(text)].count("\n") + 2, out.stderr)  # what fails is a proof
                self.assertNotIn("Syntax", out.stderr)


class Coqchk(unittest.TestCase):
    def test_coqs_other_checker(self):
        out = subprocess.run(["coqchk", "-silent", "-o", *FLAGS, "Verified.check"], cwd=BUILT, capture_output=True, text=True, timeout=7000)
        self.assertEqual(out.returncode, 0, out.stderr)
        # coqchk prints its summary on standard error.
        sections = dict(re.findall(r"^\* ([^:\n]*):(.*?)(?=^\* |\Z)", out.stderr, re.M | re.S))
        self.assertEqual({name.split(".", 2)[2] for name in sections.pop("Axioms").split()}, ALLOWED)
        relying = [body.strip() for name, body in sections.items() if "relying on" in name or "assumed" in name]
        self.assertEqual(relying, ["<none>"] * 3)


if __name__ == "__main__":
    BUILT = pathlib.Path(sys.argv.pop(1)).resolve()
    if sys.argv[-1].isdigit():
        EVERY = int(sys.argv.pop())
    unittest.main()
