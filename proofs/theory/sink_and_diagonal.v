(** * Sink patterns and diagonal patterns: the setting of docs/THEORY.md, section 5

    The claims co-1 to co-6 compare what it costs an attention layer to score BOS highest (a sink) with
    what it costs to score every token itself highest (a diagonal).  Part 1 (definitions) is what has to
    be read to know what was proved; part 2 is lemmas.

    Conventions.  Vectors of R^d, finite sums and bilinear forms are those of trigger_task.v and
    hard_switch.v.  The instance is data (record [instance]) and a list of properties (record [valid]);
    the page's d >= 2C+1+r_eta is not assumed: orthogonality forces it.

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_and_diagonal.v
    (after trigger_task.v and hard_switch.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch.
Open Scope R_scope.

(** ** Part 1: definitions *)

(** *** The instance.  "R^d, orthogonal vectors of norm sqrt(d): b (BOS), m_1..m_C (group means),
    q_1..q_C (copy queries).  Dormant tokens d_ci = lam m_c + eta_ci."  Groups count from 0 to C-1, the
    members of group c from 0 to size c - 1. *)

Record instance := {
  dimension : nat;
  groups : nat;
  size : nat -> nat;
  lam : R;
  delta : R;
  bos_vector : vector;
  mean : nat -> vector;
  copy_query : nat -> vector;
  noise : nat -> nat -> vector
}.

(** d_ci = lam m_c + eta_ci. *)
Definition dormant (I : instance) (c i : nat) : vector :=
  fun r => lam I * mean I c r + noise I c i r.

(** Products, squared norms and embedding scores are read in the instance's dimension. *)
Definition inner (I : instance) (x y : vector) : R := dot (dimension I) x y.

(** [member I c i]: c is a group and i one of its members. *)
Definition member (I : instance) (c i : nat) : Prop := (c < groups I)%nat /\ (i < size I c)%nat.

(** "1/2 <= lam^2 < 1, eta_ci orthogonal to all of the above, equal norms delta, at least two per group,
    sum_i eta_ci = 0 in each group." *)
Record valid_instance (I : instance) : Prop := {
  some_dimension : (1 <= dimension I)%nat;
  some_group : (1 <= groups I)%nat;
  two_members : forall c, (c < groups I)%nat -> (2 <= size I c)%nat;
  lam_positive : 0 < lam I;
  lam_from : / 2 <= lam I * lam I;
  lam_below : lam I * lam I < 1;
  delta_nonneg : 0 <= delta I;
  bos_norm : inner I (bos_vector I) (bos_vector I) = INR (dimension I);
  mean_norm : forall c, (c < groups I)%nat -> inner I (mean I c) (mean I c) = INR (dimension I);
  copy_norm : forall c, (c < groups I)%nat -> inner I (copy_query I c) (copy_query I c) = INR (dimension I);
  noise_norm : forall c i, member I c i -> inner I (noise I c i) (noise I c i) = delta I * delta I;
  bos_mean : forall c, (c < groups I)%nat -> inner I (bos_vector I) (mean I c) = 0;
  bos_copy : forall c, (c < groups I)%nat -> inner I (bos_vector I) (copy_query I c) = 0;
  bos_noise : forall c i, member I c i -> inner I (bos_vector I) (noise I c i) = 0;
  mean_mean : forall c c', (c < groups I)%nat -> (c' < groups I)%nat -> c <> c' ->
    inner I (mean I c) (mean I c') = 0;
  copy_copy : forall c c', (c < groups I)%nat -> (c' < groups I)%nat -> c <> c' ->
    inner I (copy_query I c) (copy_query I c') = 0;
  mean_copy : forall c c', (c < groups I)%nat -> (c' < groups I)%nat ->
    inner I (mean I c) (copy_query I c') = 0;
  mean_noise : forall c c' i, (c < groups I)%nat -> member I c' i -> inner I (mean I c) (noise I c' i) = 0;
  copy_noise : forall c c' i, (c < groups I)%nat -> member I c' i -> inner I (copy_query I c) (noise I c' i) = 0;
  noise_centred : forall c, (c < groups I)%nat ->
    forall r, (r < dimension I)%nat -> sum (size I c) (fun i => noise I c i r) = 0
}.

(** Delta: "min_{c, i != j} ||eta_ci - eta_cj||^2 > 0".  [separated I Delta]: every such squared distance
    is at least Delta > 0; the minimum is the largest such Delta. *)
Definition separated (I : instance) (Delta : R) : Prop :=
  0 < Delta /\
  forall c i j, member I c i -> member I c j -> i <> j ->
  Delta <= inner I (fun r => noise I c i r - noise I c j r) (fun r => noise I c i r - noise I c j r).

(** *** Tokens, by name *)

Inductive token_name :=
  | Bos
  | Dormant (c i : nat)
  | Copy (c : nat).

Definition present (I : instance) (t : token_name) : Prop :=
  match t with
  | Bos => True
  | Dormant c i => member I c i
  | Copy c => (c < groups I)%nat
  end.

Definition embedding (I : instance) (t : token_name) : vector :=
  match t with
  | Bos => bos_vector I
  | Dormant c i => dormant I c i
  | Copy c => copy_query I c
  end.

(** The dormant tokens of group c. *)
Definition in_group (c : nat) (t : token_name) : Prop :=
  match t with
  | Dormant c' _ => c' = c
  | _ => False
  end.

(** *** Scores.  "Score(x,y) = x^T W y/sqrt(d)." *)

Definition score (I : instance) (W : matrix) (x y : token_name) : R :=
  bilinear (dimension I) W (embedding I x) (embedding I y) / sqrt (INR (dimension I)).

(** *** "Sink pattern: every dormant query scores BOS at least kappa above every other token (copy tokens
    too)", itself included; "copy query q_c scores each token of its group at least kappa above everything
    else [reading A]": above everything outside its group, itself included. *)

Record sink_pattern (I : instance) (W : matrix) (kappa : R) : Prop := {
  dormant_prefers_bos : forall c i z, member I c i -> present I z -> z <> Bos ->
    kappa + score I W (Dormant c i) z <= score I W (Dormant c i) Bos;
  copy_prefers_group : forall c i z, member I c i -> present I z -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Dormant c i)
}.

(** "... and BOS at least kappa above everything outside its group [reading B = A plus this]." *)
Record sink_pattern_with_bos (I : instance) (W : matrix) (kappa : R) : Prop := {
  reading_a : sink_pattern I W kappa;
  copy_prefers_bos : forall c z, (c < groups I)%nat -> present I z -> z <> Bos -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) Bos
}.

(** *** "Diagonal pattern: every dormant token scores itself at least kappa above every other token; q_c
    scores its group's tokens at least kappa above everything else and itself at least kappa above
    everything outside its group." *)

Record diagonal_pattern (I : instance) (W : matrix) (kappa : R) : Prop := {
  dormant_prefers_itself : forall c i z, member I c i -> present I z -> z <> Dormant c i ->
    kappa + score I W (Dormant c i) z <= score I W (Dormant c i) (Dormant c i);
  copy_prefers_group_d : forall c i z, member I c i -> present I z -> ~ in_group c z ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Dormant c i);
  copy_prefers_itself : forall c z, (c < groups I)%nat -> present I z -> ~ in_group c z -> z <> Copy c ->
    kappa + score I W (Copy c) z <= score I W (Copy c) (Copy c)
}.

(** *** Costs.  "Map cost of W: min ||W_Q||_F^2 + ||W_K||_F^2 over W_Q^T W_K = W" (any head width).  W_Q and
    W_K are width x d; the same function prices W_O and W_V. *)

Definition squared_frobenius (rows columns : nat) (A : matrix) : R :=
  sum rows (fun h => sum columns (fun r => A h r * A h r)).

Definition factor_cost (d width : nat) (WQ WK : matrix) : R :=
  squared_frobenius width d WQ + squared_frobenius width d WK.

(** A pattern can be had at map cost K (upper bound): some width and factors have it and cost at most K. *)
Definition cost_at_most (I : instance) (pattern : matrix -> Prop) (K : R) : Prop :=
  exists width WQ WK,
    pattern (query_key width WQ WK) /\ factor_cost (dimension I) width WQ WK <= K.

(** A pattern cannot be had for less than K (lower bound): every factorisation that has it costs that. *)
Definition cost_at_least (I : instance) (pattern : matrix -> Prop) (K : R) : Prop :=
  forall width WQ WK,
    pattern (query_key width WQ WK) -> K <= factor_cost (dimension I) width WQ WK.

(** ** Part 2: lemmas *)

(** *** Products *)

Lemma dot_comm m x y : dot m x y = dot m y x.
Proof. apply sum_ext. intros. ring. Qed.

Lemma dot_plus m x y z : dot m x (fun r => y r + z r) = dot m x y + dot m x z.
Proof. unfold dot. rewrite <- sum_plus. apply sum_ext. intros. ring. Qed.

Lemma dot_minus m x y z : dot m x (fun r => y r - z r) = dot m x y - dot m x z.
Proof. unfold dot. rewrite <- sum_minus. apply sum_ext. intros. ring. Qed.

Lemma dot_sum m p x (f : nat -> vector) :
  dot m x (fun r => sum p (fun k => f k r)) = sum p (fun k => dot m x (f k)).
Proof.
  unfold dot. rewrite <- (sum_swap m p (fun r k => x r * f k r)). apply sum_ext. intros r _.
  now rewrite <- sum_scal.
Qed.

Lemma dot_ext m x y x' y' :
  (forall r, (r < m)%nat -> x r = x' r) -> (forall r, (r < m)%nat -> y r = y' r) -> dot m x y = dot m x' y'.
Proof. intros Hx Hy. apply sum_ext. intros r Hr. now rewrite Hx, Hy. Qed.

(** x^T W y as a product of x with W y. *)
Lemma bilinear_dot n W x y : bilinear n W x y = dot n x (linear_value n W y).
Proof.
  unfold bilinear, dot, linear_value. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_plus_r n W x y z : bilinear n W x (fun r => y r + z r) = bilinear n W x y + bilinear n W x z.
Proof.
  unfold bilinear. rewrite <- sum_plus. apply sum_ext. intros a _. rewrite <- sum_plus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_plus_l n W x y z : bilinear n W (fun r => x r + y r) z = bilinear n W x z + bilinear n W y z.
Proof.
  unfold bilinear. rewrite <- sum_plus. apply sum_ext. intros a _. rewrite <- sum_plus.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_scal_r n W c x y : bilinear n W x (fun r => c * y r) = c * bilinear n W x y.
Proof.
  unfold bilinear. rewrite <- sum_scal. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_scal_l n W c x y : bilinear n W (fun r => c * x r) y = c * bilinear n W x y.
Proof.
  unfold bilinear. rewrite <- sum_scal. apply sum_ext. intros a _. rewrite <- sum_scal.
  apply sum_ext. intros. ring.
Qed.

Lemma bilinear_sum_l n p W (f : nat -> vector) y :
  bilinear n W (fun r => sum p (fun k => f k r)) y = sum p (fun k => bilinear n W (f k) y).
Proof.
  induction p as [|p IH]; cbn [sum].
  - unfold bilinear. apply sum_zero. intros. apply sum_zero. intros. ring.
  - now rewrite <- IH, <- bilinear_plus_l.
Qed.

Lemma bilinear_sum_r n p W x (f : nat -> vector) :
  bilinear n W x (fun r => sum p (fun k => f k r)) = sum p (fun k => bilinear n W x (f k)).
Proof.
  induction p as [|p IH]; cbn [sum].
  - unfold bilinear. apply sum_zero. intros. apply sum_zero. intros. ring.
  - now rewrite <- IH, <- bilinear_plus_r.
Qed.

(** A factored form: x^T W_Q^T W_K y = sum_h (W_Q x)_h (W_K y)_h. *)
Lemma bilinear_query_key n width WQ WK x y :
  bilinear n (query_key width WQ WK) x y = sum width (fun h => dot n (WQ h) x * dot n (WK h) y).
Proof.
  unfold bilinear, query_key, dot.
  rewrite (sum_ext n _ (fun a => sum width (fun h => WQ h a * x a * sum n (fun b => WK h b * y b)))).
  - rewrite sum_swap. apply sum_ext. intros h _. now rewrite sum_scal_r.
  - intros a _. rewrite (sum_ext n _ (fun b => sum width (fun h => WQ h a * x a * (WK h b * y b)))).
    + rewrite sum_swap. apply sum_ext. intros h _. now rewrite sum_scal.
    + intros b _. rewrite <- sum_scal, <- sum_scal_r. apply sum_ext. intros. ring.
Qed.

Lemma factor_cost_dot d width WQ WK :
  factor_cost d width WQ WK = sum width (fun h => dot d (WQ h) (WQ h) + dot d (WK h) (WK h)).
Proof. unfold factor_cost, squared_frobenius, dot. now rewrite sum_plus. Qed.

(** *** The instance *)

(** Margins of scores are margins of x^T W y, times sqrt d. *)
Lemma score_margin I W kappa x y z :
  (1 <= dimension I)%nat ->
  kappa + score I W x z <= score I W x y <->
  kappa * sqrt (INR (dimension I)) + bilinear (dimension I) W (embedding I x) (embedding I z)
  <= bilinear (dimension I) W (embedding I x) (embedding I y).
Proof.
  intros Hd. assert (Hs : 0 < sqrt (INR (dimension I))) by (apply sqrt_lt_R0, lt_0_INR; lia).
  unfold score. set (s := sqrt (INR (dimension I))) in *.
  set (p := bilinear _ _ _ (embedding I z)). set (q := bilinear _ _ _ _).
  split; intros H.
  - apply (Rmult_le_compat_r s) in H; [|lra]. unfold Rdiv in H.
    rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r in H by lra. exact H.
  - apply (Rmult_le_reg_r s); [assumption|]. unfold Rdiv.
    rewrite Rmult_plus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra. exact H.
Qed.

Lemma inner_comm I x y : inner I x y = inner I y x.
Proof. apply dot_comm. Qed.

Lemma inner_dormant I x c i : inner I x (dormant I c i) = lam I * inner I x (mean I c) + inner I x (noise I c i).
Proof.
  unfold inner, dormant. rewrite (dot_plus _ _ (fun r => lam I * mean I c r) (noise I c i)).
  now rewrite dot_scal.
Qed.

Section Instance.
  Context (I : instance) (HI : valid_instance I).

  Lemma inner_bos_dormant c i : member I c i -> inner I (bos_vector I) (dormant I c i) = 0.
  Proof using HI.
    intros H. rewrite inner_dormant, bos_mean, bos_noise by (apply H || assumption). ring.
  Qed.

  Lemma inner_copy_dormant c c' i :
    (c < groups I)%nat -> member I c' i -> inner I (copy_query I c) (dormant I c' i) = 0.
  Proof using HI.
    intros Hc H. rewrite inner_dormant, inner_comm, (mean_copy I HI), (copy_noise I HI) by (apply H || assumption).
    ring.
  Qed.

  Lemma inner_mean_dormant c c' i :
    (c < groups I)%nat -> member I c' i ->
    inner I (mean I c) (dormant I c' i) = if (c =? c')%nat then lam I * INR (dimension I) else 0.
  Proof using HI.
    intros Hc H. rewrite inner_dormant, (mean_noise I HI) by assumption.
    destruct (Nat.eqb_spec c c') as [<-|E].
    - rewrite (mean_norm I HI) by assumption. ring.
    - rewrite (mean_mean I HI) by (apply H || assumption). ring.
  Qed.

  (** An example member of each group. *)
  Lemma first_member c : (c < groups I)%nat -> member I c 0.
  Proof using HI. intros Hc. pose proof (two_members I HI c Hc). split; [assumption|lia]. Qed.
End Instance.
