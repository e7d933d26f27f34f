(** * tc-7: polynomials with roots 1, .., d, and sums of fractions over their common denominator

    What the lower bounds on the number of heads (head_count.v, flag_heads.v) say about rows: with m copies of
    a content token a row is sum_h A_h/(beta_h + m).

    Compile:  coqc -q -R <proofs>/theory Sinkproof -Q <proofs>/tc-7 Claim <proofs>/tc-7/polynomials.v *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task.
From Claim Require Import statement.
Open Scope R_scope.

(** ** Products *)

Lemma product_zero m f p : (p < m)%nat -> f p = 0 -> product m f = 0.
Proof.
  induction m as [|m IH]; intros Hp Hf; [lia|]. simpl.
  destruct (Nat.eq_dec p m) as [->|E]; [rewrite Hf; ring|]. rewrite IH by (assumption || lia). ring.
Qed.

Lemma product_nonzero m f : (forall p, (p < m)%nat -> f p <> 0) -> product m f <> 0.
Proof.
  induction m as [|m IH]; intros Hf; simpl; [lra|].
  apply Rmult_integral_contrapositive_currified; [apply IH; intros; apply Hf|apply Hf]; lia.
Qed.

Lemma product_ext m f g : (forall p, (p < m)%nat -> f p = g p) -> product m f = product m g.
Proof.
  induction m as [|m IH]; intros H; simpl; [reflexivity|].
  rewrite IH, H by (try lia; intros; apply H; lia). reflexivity.
Qed.

Lemma product_pos m f : (forall p, (p < m)%nat -> 0 < f p) -> 0 < product m f.
Proof.
  induction m as [|m IH]; intros H; simpl; [lra|].
  apply Rmult_lt_0_compat; [apply IH; intros; apply H|apply H]; lia.
Qed.

(** An even number of sign changes. *)
Lemma product_opposite m f : Nat.Even m -> product m (fun p => - f p) = product m f.
Proof.
  intros [q ->]. replace (2 * q)%nat with (q + q)%nat by lia.
  assert (G : forall k, product (k + k) (fun p => - f p) = product (k + k) f); [|apply G].
  induction k as [|k IH]; [reflexivity|].
  replace (S k + S k)%nat with (S (S (k + k))) by lia. cbn [product]. rewrite IH. ring.
Qed.

(** 2 3 .. (m+1). *)
Lemma product_fact m : product m (fun p => INR (p + 2)) = INR (fact (S m)).
Proof.
  induction m as [|m IH]; [simpl; ring|].
  change (fact (S (S m))) with (S (S m) * fact (S m))%nat. rewrite mult_INR, <- IH. cbn [product].
  replace (m + 2)%nat with (S (S m)) by lia. ring.
Qed.

(** ** Polynomials: degree at most d, coefficient a of x^d *)

Fixpoint poly (d : nat) (P : R -> R) (a : R) : Prop :=
  match d with
  | O => forall x, P x = a
  | S d' => exists Q c, poly d' Q a /\ forall x, P x = x * Q x + c
  end.

Lemma poly_ext d P Q a : (forall x, P x = Q x) -> poly d P a -> poly d Q a.
Proof.
  destruct d as [|d]; simpl; intros E.
  - intros H x. now rewrite <- E.
  - intros (R & c & H & HR). exists R, c. split; [assumption|]. intros x. now rewrite <- E.
Qed.

Lemma poly_add d P Q a b : poly d P a -> poly d Q b -> poly d (fun x => P x + Q x) (a + b).
Proof.
  revert P Q. induction d as [|d IH]; simpl; intros P Q.
  - intros HP HQ x. now rewrite HP, HQ.
  - intros (P' & c & HP & EP) (Q' & e & HQ & EQ).
    exists (fun x => P' x + Q' x), (c + e). split; [now apply IH|].
    intros x. rewrite EP, EQ. ring.
Qed.

Lemma poly_scal d P a s : poly d P a -> poly d (fun x => s * P x) (s * a).
Proof.
  revert P. induction d as [|d IH]; simpl; intros P.
  - intros HP x. now rewrite HP.
  - intros (P' & c & HP & EP). exists (fun x => s * P' x), (s * c). split; [now apply IH|].
    intros x. rewrite EP. ring.
Qed.

(** As a polynomial of one degree more. *)
Lemma poly_lift d P a : poly d P a -> poly (S d) P 0.
Proof.
  revert P. induction d as [|d IH]; intros P HP.
  - exists (fun _ => 0), a. split; [intros x; reflexivity|]. intros x. rewrite HP. ring.
  - destruct HP as (P' & c & HP & EP). exists P', c. split; [now apply IH|assumption].
Qed.

Lemma poly_mul_x d P a : poly d P a -> poly (S d) (fun x => x * P x) a.
Proof. intros HP. exists P, 0. split; [assumption|]. intros x. ring. Qed.

Lemma poly_mul_linear d P a s : poly d P a -> poly (S d) (fun x => P x * (s + x)) a.
Proof.
  intros HP. apply poly_ext with (P := fun x => x * P x + s * P x); [intros; ring|].
  replace a with (a + s * 0) by ring.
  apply poly_add; [now apply poly_mul_x|]. apply poly_scal. now apply poly_lift with (a := a).
Qed.

(** P x - P r is divisible by x - r. *)
Lemma poly_factor d P a r :
  poly (S d) P a -> exists Q, poly d Q a /\ forall x, P x - P r = (x - r) * Q x.
Proof.
  revert P. induction d as [|d IH]; intros P (P' & c & HP & EP).
  - exists (fun _ => a). split; [intros x; reflexivity|]. intros x. rewrite !EP, !HP. ring.
  - destruct (IH P' HP) as (Q & HQ & EQ).
    exists (fun x => P' x + r * Q x). split.
    + replace a with (a + r * 0) by ring. apply poly_add; [assumption|].
      apply poly_scal. now apply poly_lift with (a := a).
    + intros x. rewrite !EP.
      replace (x * P' x + c - (r * P' r + c)) with ((x - r) * P' x + r * (P' x - P' r)) by ring.
      rewrite EQ. ring.
Qed.

(** d roots 1, .., d: the polynomial is a (x - 1)..(x - d). *)
Lemma poly_from_roots d P a :
  poly d P a -> (forall k, (k < d)%nat -> P (INR (S k)) = 0) ->
  forall x, P x = a * product d (fun k => x - INR (S k)).
Proof.
  revert P. induction d as [|d IH]; intros P HP Hroot x; [simpl; rewrite Rmult_1_r; apply HP|].
  destruct (poly_factor d P a (INR (S d)) HP) as (Q & HQ & EQ).
  pose proof (EQ x) as E. rewrite (Hroot d), Rminus_0_r in E by lia. rewrite E, (IH Q HQ).
  - change (product (S d) (fun k => x - INR (S k))) with (product d (fun k => x - INR (S k)) * (x - INR (S d))). ring.
  - intros k Hk. specialize (EQ (INR (S k))). rewrite !Hroot in EQ by lia.
    assert (INR (S k) - INR (S d) <> 0) by (apply Rminus_eq_contra, not_INR; lia).
    apply (Rmult_eq_reg_l (INR (S k) - INR (S d))); [lra|assumption].
Qed.

(** d + 1 roots 0, 1, .., d: the coefficient of x^d vanishes. *)
Lemma poly_roots d P a : poly d P a -> (forall k, (k <= d)%nat -> P (INR k) = 0) -> a = 0.
Proof.
  revert P. induction d as [|d IH]; intros P HP Hroot.
  - rewrite <- (HP (INR 0)). now apply Hroot.
  - destruct (poly_factor d P a (INR (S d)) HP) as (Q & HQ & EQ).
    apply (IH Q HQ). intros k Hk.
    specialize (EQ (INR k)). rewrite !Hroot in EQ by lia.
    assert (INR k - INR (S d) <> 0) by (apply Rminus_eq_contra, not_INR; lia).
    apply (Rmult_eq_reg_l (INR k - INR (S d))); [lra|assumption].
Qed.

(** ** Sums of fractions: sum_{h<H} A_h/(beta_h + x) = numerator/denominator *)

Fixpoint denominator (beta : nat -> R) (H : nat) (x : R) : R :=
  match H with
  | O => 1
  | S h => denominator beta h x * (beta h + x)
  end.

Fixpoint numerator (A beta : nat -> R) (H : nat) (x : R) : R :=
  match H with
  | O => 0
  | S h => numerator A beta h x * (beta h + x) + A h * denominator beta h x
  end.

Lemma denominator_poly beta H : poly H (denominator beta H) 1.
Proof.
  induction H as [|H IH]; [intros x; reflexivity|].
  exact (poly_mul_linear H (denominator beta H) 1 (beta H) IH).
Qed.

Lemma numerator_poly A beta H : poly H (fun x => x * numerator A beta H x) (sum H A).
Proof.
  induction H as [|H IH]; [intros x; simpl; ring|].
  apply poly_ext with (P := fun x => (x * numerator A beta H x) * (beta H + x)
                                     + A H * (x * denominator beta H x)).
  { intros x. simpl. ring. }
  simpl sum. replace (sum H A + A H) with (sum H A + A H * 1) by ring.
  apply poly_add; [now apply poly_mul_linear|].
  apply poly_scal, poly_mul_x, denominator_poly.
Qed.

(** As a polynomial of degree H the numerator has leading coefficient 0. *)
Lemma numerator_low A beta H : poly H (numerator A beta H) 0.
Proof.
  induction H as [|H IH]; [intros x; reflexivity|].
  apply (poly_ext _ (fun x => numerator A beta H x * (beta H + x) + A H * denominator beta H x)); [reflexivity|].
  replace 0 with (0 + A H * 0) by ring. apply poly_add; [now apply poly_mul_linear|].
  apply poly_scal, poly_lift with (a := 1), denominator_poly.
Qed.

Lemma denominator_root beta H h : (h < H)%nat -> denominator beta H (- beta h) = 0.
Proof.
  induction H as [|H IH]; intros Hh; [lia|]. simpl.
  destruct (Nat.eq_dec h H) as [->|E]; [|rewrite IH by lia]; ring.
Qed.

(** At x = - beta_h only A_h is left. *)
Lemma numerator_residue beta H h :
  (h < H)%nat -> exists rest, forall A, numerator A beta H (- beta h) = A h * rest.
Proof.
  induction H as [|H IH]; intros Hh; [lia|]. destruct (Nat.eq_dec h H) as [->|E].
  - exists (denominator beta H (- beta H)). intros A. simpl. ring.
  - destruct IH as [rest Hrest]; [lia|]. exists (rest * (beta H + - beta h)). intros A.
    simpl. rewrite Hrest, denominator_root by lia. ring.
Qed.

Lemma denominator_pos beta H x : (forall h, 0 < beta h) -> 0 <= x -> 0 < denominator beta H x.
Proof.
  intros Hb Hx. induction H as [|H IH]; simpl; [lra|].
  apply Rmult_lt_0_compat; [assumption|]. specialize (Hb H). lra.
Qed.

Lemma fraction_sum A beta H x :
  (forall h, 0 < beta h) -> 0 <= x ->
  sum H (fun h => A h / (beta h + x)) = numerator A beta H x / denominator beta H x.
Proof.
  intros Hb Hx. induction H as [|H IH]; simpl; [field|].
  rewrite IH. pose proof (denominator_pos beta H x Hb Hx). specialize (Hb H). field. lra.
Qed.

(** sum_h m A_h/(beta_h + m) = 0 for m = 1..H forces sum_h A_h = 0. *)
Lemma quiet_rows_lemma A beta H :
  (forall h, 0 < beta h) ->
  (forall m, (1 <= m)%nat -> (m <= H)%nat -> sum H (fun h => A h / (beta h + INR m)) = 0) ->
  sum H A = 0.
Proof.
  intros Hb Hrows. apply (poly_roots H _ _ (numerator_poly A beta H)). intros m Hm.
  destruct (Nat.eq_dec m 0) as [->|E]; [simpl; ring|].
  specialize (Hrows m ltac:(lia) Hm). rewrite fraction_sum in Hrows by (assumption || apply pos_INR).
  pose proof (denominator_pos beta H (INR m) Hb (pos_INR m)) as Hd.
  replace (numerator A beta H (INR m)) with 0; [ring|].
  apply (Rmult_eq_reg_r (/ denominator beta H (INR m))).
  - rewrite Rmult_0_l. symmetry. exact Hrows.
  - apply Rinv_neq_0_compat. lra.
Qed.

(** sum_h m A_h/(beta_h + m) = m X/(m+1) for m = 1..H+1 forces sum_h A_h = X. *)
Lemma trigger_rows_lemma A beta H X :
  (forall h, 0 < beta h) ->
  (forall m, (1 <= m)%nat -> (m <= S H)%nat -> sum H (fun h => A h / (beta h + INR m)) = X / (INR m + 1)) ->
  sum H A = X.
Proof.
  intros Hb Hrows.
  assert (HP : poly (S H) (fun x => (x * numerator A beta H x) * (1 + x) + - X * (x * denominator beta H x))
                    (sum H A + - X * 1)).
  { apply poly_add; [apply poly_mul_linear, numerator_poly|].
    apply poly_scal, poly_mul_x, denominator_poly. }
  apply poly_roots in HP; [lra|]. intros m Hm.
  destruct (Nat.eq_dec m 0) as [->|E]; [simpl; ring|].
  specialize (Hrows m ltac:(lia) Hm). rewrite fraction_sum in Hrows by (assumption || apply pos_INR).
  pose proof (denominator_pos beta H (INR m) Hb (pos_INR m)) as Hd. pose proof (pos_INR m).
  replace (numerator A beta H (INR m)) with (X / (INR m + 1) * denominator beta H (INR m)).
  - field. lra.
  - rewrite <- Hrows. field. lra.
Qed.
