(** * Sinks and diagonals that are cheap: the constructions behind co-1, co-3 and co-5

    docs/THEORY.md, section 5.  co-1 and co-3 restate what they use of this file; co-5 needs co-1's.

    A matrix is given by its factors, one pair of rows per rank-one piece, so a cost is a sum of squared
    norms and nothing has to be decomposed.  Part 1: sums over groups.  Part 2: the sink: the piece
    sum_c (q_c - mean q)(m_c - mean m)^T says to which group a copy query belongs, two further pieces act
    on the group sums; its cost for any parameters ([sink_construction]), the best split of two rows into
    two pieces ([two_rows]), and the parameters for reading A ([sink_upper]) and reading B
    ([sink_with_bos_upper]).  Part 3: the diagonal: one piece per group, and alpha times the projector on
    the noise ([diagonal_upper]).  Part 4: the value map on the dormant span ([value_cost]).

    Compile:  coqc -q -R <proofs>/theory Sinkproof <proofs>/theory/sink_and_diagonal_upper.v
    (after trigger_task.v, hard_switch.v and sink_and_diagonal.v) *)

From Coq Require Import Reals Lra Lia Arith.
From Sinkproof Require Import trigger_task hard_switch sink_and_diagonal.
From Sinkproof Require Export closed_forms.
Open Scope R_scope.

(** ** Part 1: sums over groups *)

(** A selected index. *)
Lemma sum_select m c x : (c < m)%nat -> sum m (fun h => if (h =? c)%nat then x else 0) = x.
Proof.
  intros Hc. rewrite (sum_single m _ c Hc).
  - now rewrite Nat.eqb_refl.
  - intros k _ Hk. apply Nat.eqb_neq in Hk. now rewrite Hk.
Qed.

Lemma dot_plus_l m x y z : dot m (fun r => x r + y r) z = dot m x z + dot m y z.
Proof. now rewrite dot_comm, dot_plus, (dot_comm m z x), (dot_comm m z y). Qed.

Lemma dot_scal_l m c x y : dot m (fun r => c * x r) y = c * dot m x y.
Proof. now rewrite dot_comm, dot_scal, dot_comm. Qed.

Lemma dot_sum_l m p (f : nat -> vector) x :
  dot m (fun r => sum p (fun k => f k r)) x = sum p (fun k => dot m (f k) x).
Proof. rewrite dot_comm, dot_sum. apply sum_ext. intros. apply dot_comm. Qed.

(** Three coefficients on three pairwise orthogonal vectors. *)
Lemma dot_three m a b c (x y z v : vector) :
  dot m (fun r => a * x r + b * y r + c * z r) v = a * dot m x v + b * dot m y v + c * dot m z v.
Proof. rewrite !(dot_plus_l m _ _ v), !dot_scal_l. ring. Qed.

Lemma dot_two m a b (x y v : vector) :
  dot m (fun r => a * x r + b * y r) v = a * dot m x v + b * dot m y v.
Proof. rewrite !(dot_plus_l m _ _ v), !dot_scal_l. ring. Qed.

Section Groups.
  Context (I : instance) (HI : valid_instance I).

  Let d := dimension I.
  Let C := groups I.
  Let N := INR d.
  Let K := INR C.

  Definition mean_sum : vector := fun r => sum (groups I) (fun c => mean I c r).
  Definition copy_sum : vector := fun r => sum (groups I) (fun c => copy_query I c r).

  Lemma dimension_pos : 0 < N.
  Proof using HI. apply lt_0_INR. pose proof (some_dimension I HI). unfold d. lia. Qed.

  Lemma groups_from_1 : 1 <= K.
  Proof using HI. replace 1 with (INR 1) by reflexivity. apply le_INR. apply (some_group I HI). Qed.

  (** Products of the basic vectors, as a table with a selector. *)
  Lemma mean_mean_select c c' : (c < C)%nat -> (c' < C)%nat ->
    dot d (mean I c) (mean I c') = if (c =? c')%nat then N else 0.
  Proof using HI.
    intros H H'. destruct (Nat.eqb_spec c c') as [<-|E];
      [apply (mean_norm I HI c H)|apply (mean_mean I HI c c' H H' E)].
  Qed.

  Lemma copy_copy_select c c' : (c < C)%nat -> (c' < C)%nat ->
    dot d (copy_query I c) (copy_query I c') = if (c =? c')%nat then N else 0.
  Proof using HI.
    intros H H'. destruct (Nat.eqb_spec c c') as [<-|E];
      [apply (copy_norm I HI c H)|apply (copy_copy I HI c c' H H' E)].
  Qed.

  Lemma mean_copy_0 c c' : (c < C)%nat -> (c' < C)%nat -> dot d (mean I c) (copy_query I c') = 0.
  Proof using HI. intros H H'. apply (mean_copy I HI c c' H H'). Qed.

  (** What the tokens look like from BOS, from the means, from the copy queries. *)
  Definition at_bos (t : token_name) : R := match t with Bos => N | _ => 0 end.
  Definition at_mean (h : nat) (t : token_name) : R :=
    match t with Dormant c _ => if (h =? c)%nat then lam I * N else 0 | _ => 0 end.
  Definition at_copy (h : nat) (t : token_name) : R :=
    match t with Copy c => if (h =? c)%nat then N else 0 | _ => 0 end.
  Definition at_means (t : token_name) : R := match t with Dormant _ _ => lam I * N | _ => 0 end.
  Definition at_copies (t : token_name) : R := match t with Copy _ => N | _ => 0 end.

  Lemma dot_at_bos t : present I t -> dot d (bos_vector I) (embedding I t) = at_bos t.
  Proof using HI.
    intros H. destruct t as [|c i|c]; cbn [embedding at_bos].
    - apply (bos_norm I HI).
    - now apply (inner_bos_dormant I HI).
    - now apply (bos_copy I HI).
  Qed.

  Lemma dot_at_mean h t : (h < C)%nat -> present I t -> dot d (mean I h) (embedding I t) = at_mean h t.
  Proof using HI.
    intros Hh H. destruct t as [|c i|c]; cbn [embedding at_mean].
    - rewrite dot_comm. now apply (bos_mean I HI).
    - now apply (inner_mean_dormant I HI).
    - now apply (mean_copy I HI).
  Qed.

  Lemma dot_at_copy h t : (h < C)%nat -> present I t -> dot d (copy_query I h) (embedding I t) = at_copy h t.
  Proof using HI.
    intros Hh H. destruct t as [|c i|c]; cbn [embedding at_copy].
    - rewrite dot_comm. now apply (bos_copy I HI).
    - now apply (inner_copy_dormant I HI).
    - now apply copy_copy_select.
  Qed.

  Lemma dot_at_means t : present I t -> dot d mean_sum (embedding I t) = at_means t.
  Proof using HI.
    intros H. unfold mean_sum. rewrite dot_sum_l.
    rewrite (sum_ext _ _ (fun h => at_mean h t)) by (intros; now apply dot_at_mean).
    destruct t as [|c i|c]; cbn [at_mean at_means]; try (apply sum_zero; reflexivity).
    apply sum_select. apply H.
  Qed.

  Lemma dot_at_copies t : present I t -> dot d copy_sum (embedding I t) = at_copies t.
  Proof using HI.
    intros H. unfold copy_sum. rewrite dot_sum_l.
    rewrite (sum_ext _ _ (fun h => at_copy h t)) by (intros; now apply dot_at_copy).
    destruct t as [|c i|c]; cbn [at_copy at_copies]; try (apply sum_zero; reflexivity).
    apply sum_select. apply H.
  Qed.

  (** Products with the sums. *)
  Lemma mean_mean_sum c : (c < C)%nat -> dot d (mean I c) mean_sum = N.
  Proof using HI.
    intros H. unfold mean_sum. rewrite dot_sum.
    rewrite (sum_ext _ _ (fun h => if (h =? c)%nat then N else 0)); [now apply sum_select|].
    intros h Hh. rewrite mean_mean_select by assumption. now rewrite Nat.eqb_sym.
  Qed.

  Lemma copy_copy_sum c : (c < C)%nat -> dot d (copy_query I c) copy_sum = N.
  Proof using HI.
    intros H. unfold copy_sum. rewrite dot_sum.
    rewrite (sum_ext _ _ (fun h => if (h =? c)%nat then N else 0)); [now apply sum_select|].
    intros h Hh. rewrite copy_copy_select by assumption. now rewrite Nat.eqb_sym.
  Qed.

  Lemma mean_sum_norm : dot d mean_sum mean_sum = K * N.
  Proof using HI.
    unfold mean_sum at 1. rewrite dot_sum_l, (sum_ext _ _ (fun _ => N)) by (intros; now apply mean_mean_sum).
    apply sum_const.
  Qed.

  Lemma copy_sum_norm : dot d copy_sum copy_sum = K * N.
  Proof using HI.
    unfold copy_sum at 1. rewrite dot_sum_l, (sum_ext _ _ (fun _ => N)) by (intros; now apply copy_copy_sum).
    apply sum_const.
  Qed.

  Lemma mean_copy_sum : dot d mean_sum copy_sum = 0.
  Proof using HI.
    unfold mean_sum. rewrite dot_sum_l. apply sum_zero. intros c Hc.
    unfold copy_sum. rewrite dot_sum. apply sum_zero. intros. now apply mean_copy_0.
  Qed.

  Lemma bos_mean_sum : dot d (bos_vector I) mean_sum = 0.
  Proof using HI. unfold mean_sum. rewrite dot_sum. apply sum_zero. intros. now apply (bos_mean I HI). Qed.

  Lemma bos_copy_sum : dot d (bos_vector I) copy_sum = 0.
  Proof using HI. unfold copy_sum. rewrite dot_sum. apply sum_zero. intros. now apply (bos_copy I HI). Qed.

  (** |a b + p sum m + w sum q|^2 = d (a^2 + C p^2 + C w^2). *)
  Lemma three_norm a p w :
    let k := fun r => a * bos_vector I r + p * mean_sum r + w * copy_sum r in
    dot d k k = N * (a * a + K * (p * p) + K * (w * w)).
  Proof using HI.
    intros k. unfold k at 1. rewrite dot_three, !(dot_comm d _ k). unfold k. rewrite !dot_three.
    rewrite (dot_comm d mean_sum (bos_vector I)), (dot_comm d copy_sum (bos_vector I)),
      (dot_comm d copy_sum mean_sum).
    rewrite bos_mean_sum, bos_copy_sum, mean_copy_sum, mean_sum_norm, copy_sum_norm.
    unfold d. pose proof (bos_norm I HI) as Hb. unfold inner in Hb. rewrite Hb. unfold N, d. ring.
  Qed.

  (** Deviations from the average have squared norm d (1 - 1/C). *)
  Lemma mean_deviation_norm s c : (c < C)%nat ->
    let k := fun r => s * mean I c r + - (s / K) * mean_sum r in
    dot d k k = s * s * (N * (1 - / K)).
  Proof using HI.
    intros Hc k. pose proof groups_from_1. unfold k at 1. rewrite dot_two, !(dot_comm d _ k). unfold k.
    rewrite !dot_two, (dot_comm d mean_sum (mean I c)), mean_mean_sum, mean_sum_norm by assumption.
    rewrite mean_mean_select, Nat.eqb_refl by assumption. field. lra.
  Qed.

  Lemma copy_deviation_norm s c : (c < C)%nat ->
    let k := fun r => s * copy_query I c r + - (s / K) * copy_sum r in
    dot d k k = s * s * (N * (1 - / K)).
  Proof using HI.
    intros Hc k. pose proof groups_from_1. unfold k at 1. rewrite dot_two, !(dot_comm d _ k). unfold k.
    rewrite !dot_two, (dot_comm d copy_sum (copy_query I c)), copy_copy_sum, copy_sum_norm by assumption.
    rewrite copy_copy_select, Nat.eqb_refl by assumption. field. lra.
  Qed.

  (** ** Part 2: the sink *)

  Section SinkRows.
    Context (e beta a p w g u v t sg l1 k1 l3 k3 : R).
    Context (Hsg : sg * sg = e * beta) (H1 : l1 * k1 = e) (H3 : l3 * k3 = e).

    Definition sink_query : matrix := fun h r =>
      if (h <? C)%nat then sg * copy_query I h r + - (sg / K) * copy_sum r
      else if (h =? C)%nat then l1 * mean_sum r + l1 * t * copy_sum r
      else l3 * copy_sum r.

    Definition sink_key : matrix := fun h r =>
      if (h <? C)%nat then sg * mean I h r + - (sg / K) * mean_sum r
      else if (h =? C)%nat then k1 * a * bos_vector I r + k1 * p * mean_sum r + k1 * w * copy_sum r
      else k3 * (g - t * a) * bos_vector I r + k3 * (u - t * p) * mean_sum r + k3 * (v - t * w) * copy_sum r.

    Let W := query_key (S (S C)) sink_query sink_key.

    (** x^T W y. *)
    Lemma sink_form x y : present I x -> present I y ->
      bilinear d W (embedding I x) (embedding I y)
      = e * (beta * (sum C (fun h => at_copy h x * at_mean h y) - at_copies x * at_means y / K)
             + at_means x * (a * at_bos y + p * at_means y + w * at_copies y)
             + at_copies x * (g * at_bos y + u * at_means y + v * at_copies y)).
    Proof using HI Hsg H1 H3.
      intros Hx Hy. pose proof groups_from_1 as HK. unfold W. rewrite bilinear_query_key. cbn [sum].
      assert (E1 : (C <? C)%nat = false) by (apply Nat.ltb_ge; lia).
      assert (E2 : (S C <? C)%nat = false) by (apply Nat.ltb_ge; lia).
      assert (E3 : (S C =? C)%nat = false) by (apply Nat.eqb_neq; lia).
      unfold sink_query, sink_key. rewrite E1, E2, E3, Nat.eqb_refl.
      rewrite !dot_three, !dot_two, !dot_scal_l, !dot_at_bos, !dot_at_means, !dot_at_copies by assumption.
      rewrite (sum_ext C _ (fun h => sg * sg * (at_copy h x * at_mean h y)
        + (sg * sg * (at_copies x * at_means y / (K * K))
           + (- (sg * sg * (at_means y / K)) * at_copy h x + - (sg * sg * (at_copies x / K)) * at_mean h y)))).
      - rewrite !sum_plus, !sum_scal, sum_const. fold K.
        assert (Sx : sum C (fun h => at_copy h x) = at_copies x).
        { destruct x as [|c i|c]; cbn [at_copy at_copies]; try (apply sum_zero; reflexivity).
          now apply sum_select. }
        assert (Sy : sum C (fun h => at_mean h y) = at_means y).
        { destruct y as [|c i|c]; cbn [at_mean at_means]; try (apply sum_zero; reflexivity).
          apply sum_select, Hy. }
        rewrite Sx, Sy, Hsg.
        transitivity (e * beta * sum C (fun h => at_copy h x * at_mean h y)
          + (K * (e * beta * (at_copies x * at_means y / (K * K)))
             + (- (e * beta * (at_means y / K)) * at_copies x + - (e * beta * (at_copies x / K)) * at_means y))
          + (l1 * k1) * ((at_means x + t * at_copies x) * (a * at_bos y + p * at_means y + w * at_copies y))
          + (l3 * k3) * (at_copies x * ((g - t * a) * at_bos y + (u - t * p) * at_means y + (v - t * w) * at_copies y))).
        { ring. }
        rewrite H1, H3. field. lra.
      - intros h Hh. apply Nat.ltb_lt in Hh as E. rewrite E.
        rewrite !dot_two, dot_at_copy, dot_at_mean, dot_at_means, dot_at_copies by assumption. field. lra.
    Qed.

    Lemma sink_rows_cost :
      factor_cost d (S (S C)) sink_query sink_key
      = N * (2 * (e * beta) * (K - 1)
             + l1 * l1 * (K * (1 + t * t)) + k1 * k1 * (a * a + K * (p * p) + K * (w * w))
             + l3 * l3 * K
             + k3 * k3 * ((g - t * a) * (g - t * a) + K * ((u - t * p) * (u - t * p)) + K * ((v - t * w) * (v - t * w)))).
    Proof using HI Hsg.
      pose proof groups_from_1 as HK. rewrite factor_cost_dot. cbn [sum].
      assert (E1 : (C <? C)%nat = false) by (apply Nat.ltb_ge; lia).
      assert (E2 : (S C <? C)%nat = false) by (apply Nat.ltb_ge; lia).
      assert (E3 : (S C =? C)%nat = false) by (apply Nat.eqb_neq; lia).
      rewrite (sum_ext C _ (fun _ => 2 * (e * beta) * (N * (1 - / K)))).
      - rewrite sum_const. fold K. unfold sink_query, sink_key. rewrite E1, E2, E3, Nat.eqb_refl.
        rewrite !three_norm.
        assert (Q : dot d (fun r => l1 * mean_sum r + l1 * t * copy_sum r)
                      (fun r => l1 * mean_sum r + l1 * t * copy_sum r) = l1 * l1 * (1 + t * t) * (K * N)).
        { rewrite dot_two, !(dot_comm d _ (fun r => l1 * mean_sum r + l1 * t * copy_sum r)), !dot_two.
          rewrite (dot_comm d copy_sum mean_sum), mean_copy_sum, mean_sum_norm, copy_sum_norm. ring. }
        rewrite Q, dot_scal, dot_scal_l, copy_sum_norm. field. lra.
      - intros h Hh. apply Nat.ltb_lt in Hh as E. unfold sink_query, sink_key. rewrite E.
        rewrite copy_deviation_norm, mean_deviation_norm by assumption. rewrite Hsg. ring.
    Qed.

    (** The parameters' margins, in units of e d^2 = kappa sqrt(d). *)
    Context (kappa : R) (Hkappa : kappa * sqrt N = e * (N * N)) (He : 0 <= e * (N * N)).
    Context (M1 : 1 <= lam I * a - lam I * (lam I * p)) (M2 : 1 <= lam I * a - lam I * w).
    Context (M3 : 1 <= lam I * (beta * (1 - / K) + u) - g) (M4 : 1 <= lam I * beta).
    Context (M5 : 1 <= lam I * (beta * (1 - / K) + u) - v).

    Lemma sink_rows_pattern : sink_pattern I W kappa.
    Proof using HI Hsg H1 H3 Hkappa He M1 M2 M3 M4 M5.
      pose proof groups_from_1 as HK.
      pose proof (fun m => Rmult_le_compat_l (e * (N * N)) 1 m He) as Up.
      split.
      - intros c i z Hx Hz Ez. apply score_margin; [apply (some_dimension I HI)|]. fold d N. rewrite Hkappa.
        rewrite !sink_form by (assumption || exact Logic.I).
        destruct z as [|c' j|c']; [congruence| |]; cbn [at_bos at_means at_copies at_copy].
        + pose proof (Up _ M1). rewrite !(sum_ext C (fun h => 0 * _) (fun _ => 0)), !sum_zero by (intros; ring). lra.
        + pose proof (Up _ M2). rewrite !(sum_ext C (fun h => 0 * _) (fun _ => 0)), !sum_zero by (intros; ring). lra.
      - intros c i z Hx Hz Ez. apply score_margin; [apply (some_dimension I HI)|]. fold d N. rewrite Hkappa.
        destruct Hx as [Hc Hi].
        rewrite !sink_form by (assumption || (now split)).
        assert (S : forall c', (c' < C)%nat ->
          sum C (fun h => (if (h =? c)%nat then N else 0) * (if (h =? c')%nat then lam I * N else 0))
          = if (c =? c')%nat then lam I * (N * N) else 0).
        { intros c' Hc'. rewrite (sum_single C _ c Hc).
          - rewrite Nat.eqb_refl. destruct (c =? c')%nat; ring.
          - intros k _ Hk. apply Nat.eqb_neq in Hk. rewrite Hk. ring. }
        destruct z as [|c' j|c']; cbn [at_bos at_mean at_means at_copies at_copy] in *;
          rewrite ?S, ?Nat.eqb_refl by (assumption || apply Hz).
        + pose proof (Up _ M3). rewrite !(sum_ext C (fun h => _ * 0) (fun _ => 0)), !sum_zero by (intros; ring).
          unfold Rdiv. lra.
        + cbn [in_group] in Ez. destruct (Nat.eqb_spec c c') as [E|E]; [now symmetry in E|].
          pose proof (Up _ M4). unfold Rdiv. lra.
        + pose proof (Up _ M5). rewrite !(sum_ext C (fun h => _ * 0) (fun _ => 0)), !sum_zero by (intros; ring).
          unfold Rdiv. lra.
    Qed.

    Context (M6 : 1 <= g - lam I * (u - beta / K)) (M7 : 1 <= g - v).

    Lemma sink_rows_pattern_with_bos : sink_pattern_with_bos I W kappa.
    Proof using HI Hsg H1 H3 Hkappa He M1 M2 M3 M4 M5 M6 M7.
      pose proof groups_from_1 as HK.
      pose proof (fun m => Rmult_le_compat_l (e * (N * N)) 1 m He) as Up.
      split; [apply sink_rows_pattern|].
      intros c z Hc Hz Ez Gz. apply score_margin; [apply (some_dimension I HI)|]. fold d N. rewrite Hkappa.
      rewrite !sink_form by (assumption || exact Logic.I).
      destruct z as [|c' j|c']; [congruence| |]; cbn [at_bos at_mean at_means at_copies at_copy] in *.
      - cbn [in_group] in Gz. rewrite (sum_zero C (fun h => _ * (if (h =? c')%nat then _ else _))).
        + rewrite (sum_ext C (fun h => _ * 0) (fun _ => 0)), sum_zero by (intros; ring).
          pose proof (Up _ M6). unfold Rdiv in *. lra.
        + intros h Hh. destruct (Nat.eqb_spec h c) as [->|E]; [|ring].
          destruct (Nat.eqb_spec c c') as [->|E']; [congruence|ring].
      - rewrite !(sum_ext C (fun h => _ * 0) (fun _ => 0)), !sum_zero by (intros; ring).
        pose proof (Up _ M7). unfold Rdiv. lra.
    Qed.
  End SinkRows.
End Groups.

(** *** Two rows as two pieces: f1 k1^T + f2 k2^T = (f1 + t f2) k1^T + f2 (k2 - t k1)^T with f1, f2 orthonormal,
    R1 = |k1|^2, R2 = |k2|^2, r = k1.k2.  The best t gives twice the nuclear norm,
    nu = sqrt(R1 + R2 + 2 sqrt(R1 R2 - r^2)). *)
Lemma two_rows R1 R2 r del nu :
  0 < R1 -> 0 < del -> 0 < nu -> del * del = R1 * R2 - r * r -> nu * nu = R1 + R2 + 2 * del ->
  let t := r / (R1 + del) in
  (R1 + del) / nu * (1 + t * t) + nu / (R1 + del) * R1
  + del * nu / (R1 + del) + (R1 + del) / (del * nu) * (R2 - 2 * t * r + t * t * R1) = 2 * nu.
Proof.
  intros HR Hd Hn Ed En t. set (X := R1 + del) in *. assert (HX : 0 < X) by (unfold X; lra).
  assert (Er : r * r = R1 * (nu * nu) - X * X) by (unfold X; rewrite En; lra).
  assert (Et : t * r = (R1 * (nu * nu) - X * X) / X) by (unfold t; rewrite <- Er; field; lra).
  assert (Ett : t * t = (R1 * (nu * nu) - X * X) / (X * X)) by (unfold t; rewrite <- Er; field; lra).
  replace (2 * t * r) with (2 * (t * r)) by ring. rewrite Et, Ett.
  assert (E2 : R2 = nu * nu - 2 * X + R1) by (unfold X; lra). rewrite E2.
  assert (Hdel : del = X - R1) by (unfold X; ring).
  replace (nu * nu - 2 * X + R1 - 2 * ((R1 * (nu * nu) - X * X) / X) + (R1 * (nu * nu) - X * X) / (X * X) * R1)
    with (nu * nu * (del * del) / (X * X)) by (rewrite Hdel; field; lra).
  replace ((R1 + del) / nu) with (X / nu) by reflexivity.
  transitivity (2 * (nu * (R1 + del) / X)); [field; repeat split; lra|]. fold X. field. lra.
Qed.

(** *** The sink at cost (2 kappa/sqrt d)(beta (C-1) + nu), for any parameters *)

(** A property of both readings: it is met as soon as the margins are. *)
Lemma sink_construction I kappa beta a p w g u v del nu :
  valid_instance I -> 0 < kappa ->
  let K := INR (groups I) in
  let R1 := K * (a * a + K * (p * p) + K * (w * w)) in
  let R2 := K * (g * g + K * (u * u) + K * (v * v)) in
  let r := K * (a * g + K * (p * u) + K * (w * v)) in
  0 < R1 -> 0 < del -> 0 < nu -> del * del = R1 * R2 - r * r -> nu * nu = R1 + R2 + 2 * del ->
  1 <= lam I * a - lam I * (lam I * p) -> 1 <= lam I * a - lam I * w ->
  1 <= lam I * (beta * (1 - / K) + u) - g -> 1 <= lam I * beta ->
  1 <= lam I * (beta * (1 - / K) + u) - v ->
  exists width WQ WK,
    sink_pattern I (query_key width WQ WK) kappa /\
    (1 <= g - lam I * (u - beta / K) -> 1 <= g - v ->
     sink_pattern_with_bos I (query_key width WQ WK) kappa) /\
    factor_cost (dimension I) width WQ WK = 2 * kappa / sqrt (INR (dimension I)) * (beta * (K - 1) + nu).
Proof.
  intros HI Hk K R1 R2 r HR Hd Hn Ed En M1 M2 M3 M4 M5.
  pose proof (groups_from_1 I HI) as HK. fold K in HK. pose proof (lam_positive I HI) as Hl.
  pose proof (dimension_pos I HI) as HN. set (N := INR (dimension I)) in *.
  pose proof (sqrt_lt_R0 N HN) as Hs. pose proof (sqrt_sqrt N (Rlt_le _ _ HN)) as Es. set (s := sqrt N) in *.
  set (e := kappa / (s * N)). assert (He : 0 < e) by (apply Rdiv_lt_0_compat; [assumption|now apply Rmult_lt_0_compat]).
  assert (Hb : 0 < beta).
  { destruct (Rle_lt_dec beta 0) as [Hb|Hb]; [exfalso|assumption].
    apply (Rmult_le_compat_l (lam I)) in Hb; lra. }
  set (X := R1 + del). assert (HX : 0 < X) by (unfold X; lra).
  set (q1 := e * (X / nu) / K). set (q3 := e * (del * nu / X) / K).
  assert (Hq1 : 0 < q1).
  { unfold q1. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [assumption|now apply Rdiv_lt_0_compat]. }
  assert (Hq3 : 0 < q3).
  { unfold q3. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [assumption|].
    apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat|assumption]. }
  set (l1 := sqrt q1). set (l3 := sqrt q3). set (sg := sqrt (e * beta)).
  assert (Hl1 : 0 < l1) by now apply sqrt_lt_R0. assert (Hl3 : 0 < l3) by now apply sqrt_lt_R0.
  assert (E1 : l1 * l1 = q1) by (apply sqrt_sqrt; lra). assert (E3 : l3 * l3 = q3) by (apply sqrt_sqrt; lra).
  assert (Hsg : sg * sg = e * beta) by (apply sqrt_sqrt, Rlt_le, Rmult_lt_0_compat; assumption).
  assert (L1 : l1 * (e / l1) = e) by (field; lra). assert (L3 : l3 * (e / l3) = e) by (field; lra).
  assert (Hkappa : kappa * s = e * (N * N)).
  { unfold e. rewrite <- Es. field. lra. }
  assert (He2 : 0 <= e * (N * N)) by (rewrite <- Hkappa; apply Rlt_le, Rmult_lt_0_compat; assumption).
  set (t := r / X).
  exists (S (S (groups I))), (sink_query I t sg l1 l3), (sink_key I a p w g u v t sg (e / l1) (e / l3)).
  split; [|split].
  - now apply (sink_rows_pattern I HI e beta a p w g u v t sg l1 (e / l1) l3 (e / l3)).
  - intros M6 M7. now apply (sink_rows_pattern_with_bos I HI e beta a p w g u v t sg l1 (e / l1) l3 (e / l3)).
  - rewrite (sink_rows_cost I HI e beta) by assumption. fold K N.
    replace (e / l1 * (e / l1)) with (e * e / q1) by (rewrite <- E1; field; lra).
    replace (e / l3 * (e / l3)) with (e * e / q3) by (rewrite <- E3; field; lra).
    rewrite E1, E3.
    assert (T := two_rows R1 R2 r del nu HR Hd Hn Ed En). cbv zeta in T. fold X t in T.
    assert (Hen : e * N = kappa / s) by (unfold e; field; lra).
    assert (G : (g - t * a) * (g - t * a) + K * ((u - t * p) * (u - t * p)) + K * ((v - t * w) * (v - t * w))
                = (R2 - 2 * t * r + t * t * R1) / K) by (unfold R1, R2, r; field; lra).
    rewrite G.
    replace (a * a + K * (p * p) + K * (w * w)) with (R1 / K) by (unfold R1; field; lra).
    transitivity (e * N * (2 * beta * (K - 1)
      + (X / nu * (1 + t * t) + nu / X * R1 + del * nu / X + X / (del * nu) * (R2 - 2 * t * r + t * t * R1)))).
    + unfold q1, q3. field. repeat split; lra.
    + rewrite T, Hen. field. lra.
Qed.

(** *** Reading A *)

Lemma spread_pos K l : 1 <= K -> 0 < l -> 0 < spread K l.
Proof.
  intros HK Hl. unfold spread. assert (0 < l * l) by now apply Rmult_lt_0_compat.
  assert (0 < (K + 1) * (l * l)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma sqrt_spread K l : 1 <= K -> 0 < l ->
  0 < sqrt (spread K l) /\ sqrt (spread K l) * sqrt (spread K l) = spread K l.
Proof.
  intros HK Hl. pose proof (spread_pos K l HK Hl). split; [now apply sqrt_lt_R0|apply sqrt_sqrt; lra].
Qed.

Theorem sink_upper I kappa : valid_instance I -> 0 < kappa ->
  cost_at_most I (fun W => sink_pattern I W kappa)
    (2 * kappa / sqrt (INR (dimension I)) * sink_cost (INR (groups I)) (lam I)).
Proof.
  intros HI Hk. pose proof (groups_from_1 I HI) as HK. pose proof (lam_positive I HI) as Hl.
  set (K := INR (groups I)) in *. set (l := lam I) in *.
  pose proof (spread_pos K l HK Hl) as HD. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
  set (y := sqrt (spread K l)) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  set (del := K / (l * y)). assert (Hdel : 0 < del) by (apply Rdiv_lt_0_compat; [lra|now apply Rmult_lt_0_compat]).
  set (q := K / (l * l) + / spread K l + 2 * K / (l * y)).
  assert (Hq : 0 < q).
  { unfold q. assert (0 < K / (l * l)) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < / spread K l) by now apply Rinv_0_lt_compat.
    assert (E : 2 * K / (l * y) = 2 * del) by (unfold del; field; lra). rewrite E. lra. }
  assert (Hnu : 0 < group_sum_cost K l) by (apply sqrt_lt_R0; exact Hq).
  assert (Enu : group_sum_cost K l * group_sum_cost K l = q) by (apply sqrt_sqrt; exact (Rlt_le _ _ Hq)).
  set (D := spread K l) in *.
  assert (ED : D = K + (K + 1) * (l * l)) by reflexivity.
  assert (R1E : K * (K * (1 + l * l) / (l * D) * (K * (1 + l * l) / (l * D)) + K * (- / D * - / D) + K * (- (l / D) * - (l / D)))
                = K * K * (1 + l * l) / (l * l * D)).
  { transitivity (K * K * (1 + l * l) * (K * (1 + l * l) + l * l) / (l * l * (D * D))); [field; lra|].
    replace (K * (1 + l * l) + l * l) with D by (rewrite ED; ring). field. lra. }
  assert (R2E : K * (- / D * - / D + K * (l * (1 + K) / (K * D) * (l * (1 + K) / (K * D))) + K * (- / D * - / D))
                = (1 + K) / D).
  { transitivity ((1 + K) * (K + (K + 1) * (l * l)) / (D * D)); [field; lra|]. rewrite <- ED. field. lra. }
  assert (rE : K * (K * (1 + l * l) / (l * D) * - / D + K * (- / D * (l * (1 + K) / (K * D))) + K * (- (l / D) * - / D))
               = - (K / (l * D))).
  { transitivity (- (K * (K + (K + 1) * (l * l)) / (l * (D * D)))); [field; lra|]. rewrite <- ED. field. lra. }
  assert (Eu : / l * (1 - / K) + l * (1 + K) / (K * D) = / l * (1 - / D)).
  { replace (l * (1 + K) / (K * D)) with (/ l * ((D - K) / (K * D))); [field; lra|].
    replace (D - K) with ((K + 1) * (l * l)) by (rewrite ED; ring). field. lra. }
  destruct (sink_construction I kappa (/ l) (K * (1 + l * l) / (l * D)) (- / D) (- (l / D))
              (- / D) (l * (1 + K) / (K * D)) (- / D) del (group_sum_cost K l) HI Hk)
    as (width & WQ & WK & HA & _ & HC); fold K l; rewrite ?R1E, ?R2E, ?rE, ?Eu; try assumption.
  - apply Rdiv_lt_0_compat; [|now apply Rmult_lt_0_compat].
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra.
  - unfold del. transitivity (K * K / (l * l * (y * y))); [field; lra|]. rewrite Ey.
    transitivity (K * K * ((1 + l * l) * (1 + K) - 1) / (l * l * (D * D))); [|field; lra].
    replace ((1 + l * l) * (1 + K) - 1) with D by (rewrite ED; ring). field. lra.
  - rewrite Enu. unfold q.
    assert (E : 2 * K / (l * y) = 2 * del) by (unfold del; field; lra). rewrite E. apply Rplus_eq_compat_r.
    transitivity ((K * (K + (K + 1) * (l * l)) + l * l) / (l * l * D)); [rewrite <- ED; field; lra|field; lra].
  - apply Req_le. transitivity ((K + (K + 1) * (l * l)) / D); [rewrite <- ED; field; lra|field; lra].
  - apply Req_le. transitivity ((K + (K + 1) * (l * l)) / D); [rewrite <- ED; field; lra|field; lra].
  - apply Req_le. field. lra.
  - apply Req_le. field. lra.
  - apply Req_le. field. lra.
  - exists width, WQ, WK. split; [assumption|]. rewrite HC. fold K l. unfold sink_cost. apply Req_le.
    f_equal. field. lra.
Qed.

(** *** Reading B *)

Theorem sink_with_bos_upper I kappa : valid_instance I -> 0 < kappa ->
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa)
    (2 * kappa / sqrt (INR (dimension I)) * sink_cost_with_bos (INR (groups I)) (lam I)).
Proof.
  intros HI Hk. pose proof (groups_from_1 I HI) as HK. pose proof (lam_positive I HI) as Hl.
  set (K := INR (groups I)) in *. set (l := lam I) in *.
  pose proof (spread_pos K l HK Hl) as HD. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
  set (y := sqrt (spread K l)) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  set (del := 2 * K / (l * y)). assert (Hdel : 0 < del) by (apply Rdiv_lt_0_compat; [lra|now apply Rmult_lt_0_compat]).
  set (q := (K * K * ((1 + l * l) * (1 + l * l)) + 4 * (l * l)) / (l * l * spread K l) + 4 * K / (l * y)).
  assert (E4 : 4 * K / (l * y) = 2 * del) by (unfold del; field; lra).
  assert (HKK : 0 < K * K) by (apply Rmult_lt_0_compat; lra).
  assert (Hq : 0 < q).
  { unfold q. rewrite E4. apply Rplus_lt_0_compat; [|lra].
    apply Rdiv_lt_0_compat; [|now apply Rmult_lt_0_compat].
    apply Rplus_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [assumption|]. apply Rmult_lt_0_compat; lra. }
  assert (Hnu : 0 < group_sum_cost_with_bos K l) by (apply sqrt_lt_R0; exact Hq).
  assert (Enu : group_sum_cost_with_bos K l * group_sum_cost_with_bos K l = q)
    by (apply sqrt_sqrt; exact (Rlt_le _ _ Hq)).
  set (D := spread K l) in *.
  assert (ED : D = K + (K + 1) * (l * l)) by reflexivity.
  set (z := - ((l * l + 2) / D)).
  assert (E1 : 1 + z = (K + K * (l * l) - 2) / D).
  { unfold z. transitivity ((D - (l * l + 2)) / D); [field; lra|]. rewrite ED at 1. field. lra. }
  assert (E2 : 2 + K * z = l * l * (2 + K) / D).
  { unfold z. transitivity ((2 * D - K * (l * l + 2)) / D); [field; lra|]. rewrite ED at 1. field. lra. }
  assert (R1E : K * (K * (1 + l * l) / (l * D) * (K * (1 + l * l) / (l * D)) + K * (- / D * - / D) + K * (- (l / D) * - (l / D)))
                = K * K * (1 + l * l) / (l * l * D)).
  { transitivity (K * K * (1 + l * l) * (K * (1 + l * l) + l * l) / (l * l * (D * D))); [field; lra|].
    replace (K * (1 + l * l) + l * l) with D by (rewrite ED; ring). field. lra. }
  assert (R2E : K * ((1 + z) * (1 + z) + K * ((2 + K * z) / (K * l) * ((2 + K * z) / (K * l))) + K * (z * z))
                = (K * K * (1 + l * l) + 4) / D).
  { rewrite E1, E2. unfold z.
    transitivity ((K * K * (1 + l * l) + 4) * (K + (K + 1) * (l * l)) / (D * D)); [field; lra|].
    rewrite <- ED. field. lra. }
  assert (rE : K * (K * (1 + l * l) / (l * D) * (1 + z) + K * (- / D * ((2 + K * z) / (K * l))) + K * (- (l / D) * z))
               = K * (K * (1 + l * l) - 2) / (l * D)).
  { rewrite E1, E2. unfold z.
    transitivity (K * (K * (1 + l * l) - 2) * (K + (K + 1) * (l * l)) / (l * (D * D))); [field; lra|].
    rewrite <- ED. field. lra. }
  assert (Eu : l * (2 / l * (1 - / K) + (2 + K * z) / (K * l)) = 2 + z) by (field; lra).
  destruct (sink_construction I kappa (2 / l) (K * (1 + l * l) / (l * D)) (- / D) (- (l / D))
              (1 + z) ((2 + K * z) / (K * l)) z del (group_sum_cost_with_bos K l) HI Hk)
    as (width & WQ & WK & _ & HB & HC); fold K l; rewrite ?R1E, ?R2E, ?rE, ?Eu; try assumption; try lra.
  - apply Rdiv_lt_0_compat; [|now apply Rmult_lt_0_compat].
    apply Rmult_lt_0_compat; lra.
  - unfold del. transitivity (4 * (K * K) / (l * l * (y * y))); [field; lra|]. rewrite Ey.
    transitivity (K * K * ((1 + l * l) * (K * K * (1 + l * l) + 4) - (K * (1 + l * l) - 2) * (K * (1 + l * l) - 2))
                  / (l * l * (D * D))); [|field; lra].
    replace ((1 + l * l) * (K * K * (1 + l * l) + 4) - (K * (1 + l * l) - 2) * (K * (1 + l * l) - 2))
      with (4 * D) by (rewrite ED; ring). field. lra.
  - rewrite Enu. unfold q. rewrite E4. apply Rplus_eq_compat_r. field. lra.
  - apply Req_le. transitivity ((K + (K + 1) * (l * l)) / D); [rewrite <- ED; field; lra|field; lra].
  - apply Req_le. transitivity ((K + (K + 1) * (l * l)) / D); [rewrite <- ED; field; lra|field; lra].
  - replace (l * (2 / l)) with 2 by (field; lra). lra.
  - exists width, WQ, WK. fold K l in HB, HC. split.
    + apply HB; [|lra]. apply Req_le. field. lra.
    + rewrite HC. unfold sink_cost_with_bos. apply Req_le. f_equal. field. lra.
Qed.

(** *** Reading B, from 4 to 10 groups and beyond: a longer first row that lies better against the second

    With q = sqrt(C + lam^2), y = sqrt D the two rows are P times an orthonormal pair, P = (C/(lam q), (C-2)/q;
    (C-2)/q, C(2+lam^2)/(q y)), so nu = tr P.  The second row is that of [sink_with_bos_upper]. *)
Theorem sink_with_bos_upper_many I kappa : valid_instance I -> 0 < kappa ->
  neither_few_nor_many (INR (groups I)) (lam I) ->
  cost_at_most I (fun W => sink_pattern_with_bos I W kappa)
    (2 * kappa / sqrt (INR (dimension I)) * sink_cost_with_bos_many (INR (groups I)) (lam I)).
Proof.
  intros HI Hk [Hslack Hdef]. pose proof (groups_from_1 I HI) as HK. pose proof (lam_positive I HI) as Hl.
  set (K := INR (groups I)) in *. set (l := lam I) in *.
  pose proof (spread_pos K l HK Hl) as HD. destruct (sqrt_spread K l HK Hl) as [Hy Ey].
  unfold sink_cost_with_bos_many. set (y := sqrt (spread K l)) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  assert (HQ : 0 < K + l * l) by lra.
  pose proof (sqrt_lt_R0 _ HQ) as Hq. pose proof (sqrt_sqrt _ (Rlt_le _ _ HQ)) as Eq. set (q := sqrt (K + l * l)) in *.
  set (D := spread K l) in *. assert (ED : D = K + (K + 1) * (l * l)) by reflexivity.
  assert (Hqy : 0 < q * y) by now apply Rmult_lt_0_compat.
  set (P11 := K / (l * q)). set (P12 := (K - 2) / q). set (P22 := K * (2 + l * l) / (q * y)).
  assert (H11 : 0 < P11) by (apply Rdiv_lt_0_compat; [lra|now apply Rmult_lt_0_compat]).
  assert (H22 : 0 < P22).
  { apply Rdiv_lt_0_compat; [|assumption]. apply Rmult_lt_0_compat; lra. }
  (* row 1 = P11 y1 + P12 y2, row 2 = P12 y1 + P22 y2 *)
  set (a := K / (l * (K + l * l)) + (K - 2) * (l * l) / ((K + l * l) * y)).
  set (p := - / (K + l * l) + (K - 2) * l / ((K + l * l) * y)).
  set (w := - ((K - 2) / (K * y))).
  set (g := (K - 2) / (K + l * l) + K * (2 + l * l) * (l * l) / ((K + l * l) * D)).
  set (u := - ((K - 2) * l / (K * (K + l * l))) + K * l * (2 + l * l) / ((K + l * l) * D)).
  set (v := - ((2 + l * l) / D)).
  assert (S : forall x1 x2 z1 z2 : R,
    K * ((x1 / q + x2 * (l * l) / (q * y)) * (z1 / q + z2 * (l * l) / (q * y))
         + K * ((- (x1 * l) / (K * q) + x2 * l / (q * y)) * (- (z1 * l) / (K * q) + z2 * l / (q * y)))
         + K * ((- (x2 * q) / (K * y)) * (- (z2 * q) / (K * y))))
    = x1 * z1 + x2 * z2).
  { intros x1 x2 z1 z2.
    transitivity (x1 * z1 * (K + l * l) / (q * q)
                  + x2 * z2 * (K * (l * l) * (l * l) + K * K * (l * l) + q * q * (q * q)) / (q * q * (y * y)));
      [field; lra|].
    rewrite Eq, Ey. replace (K * (l * l) * (l * l) + K * K * (l * l) + (K + l * l) * (K + l * l))
      with ((K + l * l) * D) by (rewrite ED; ring). field. lra. }
  assert (Ea : a = P11 / q + P12 * (l * l) / (q * y)).
  { unfold a, P11, P12. rewrite <- Eq. field. lra. }
  assert (Ep : p = - (P11 * l) / (K * q) + P12 * l / (q * y)).
  { unfold p, P11, P12. rewrite <- Eq. field. lra. }
  assert (Ew : w = - (P12 * q) / (K * y)) by (unfold w, P12; field; lra).
  assert (Eg : g = P12 / q + P22 * (l * l) / (q * y)).
  { unfold g, P22, P12. rewrite <- Eq, <- Ey. field. lra. }
  assert (Eu : u = - (P12 * l) / (K * q) + P22 * l / (q * y)).
  { unfold u, P22, P12. rewrite <- Eq, <- Ey. field. lra. }
  assert (Ev : v = - (P22 * q) / (K * y)).
  { unfold v, P22. rewrite <- Ey. field. lra. }
  assert (R1E : K * (a * a + K * (p * p) + K * (w * w)) = P11 * P11 + P12 * P12) by (rewrite Ea, Ep, Ew; apply S).
  assert (R2E : K * (g * g + K * (u * u) + K * (v * v)) = P12 * P12 + P22 * P22) by (rewrite Eg, Eu, Ev; apply S).
  assert (rE : K * (a * g + K * (p * u) + K * (w * v)) = P11 * P12 + P12 * P22)
    by (rewrite Ea, Ep, Ew, Eg, Eu, Ev; apply S).
  (* P is positive definite *)
  assert (Hdel : 0 < P11 * P22 - P12 * P12).
  { replace (P11 * P22 - P12 * P12) with ((K * K * (2 + l * l) - (K - 2) * (K - 2) * (l * y)) / (q * q * (l * y)))
      by (unfold P11, P22, P12; field; lra).
    assert (Hly : 0 < l * y) by now apply Rmult_lt_0_compat.
    apply Rdiv_lt_0_compat; [lra|apply Rmult_lt_0_compat; [rewrite Eq|]; assumption]. }
  assert (Eu2 : l * (2 / l * (1 - / K) + u) = 2 + v).
  { unfold u, v. transitivity (2 + ((- (2 * (K + l * l) + (K - 2) * (l * l)) * D + K * (K * (l * l)) * (2 + l * l))
      / (K * (K + l * l) * D))); [field; lra|].
    replace (- (2 * (K + l * l) + (K - 2) * (l * l)) * D + K * (K * (l * l)) * (2 + l * l))
      with (- (K * (2 + l * l) * (K + l * l))) by (rewrite ED; ring). field. lra. }
  assert (Eg2 : g = 1 + v).
  { unfold g, v. transitivity (((K - 2) * D + K * (2 + l * l) * (l * l)) / ((K + l * l) * D)); [field; lra|].
    replace ((K - 2) * D + K * (2 + l * l) * (l * l)) with ((K + l * l) * (D - 2 - l * l)) by (rewrite ED; ring).
    field. lra. }
  destruct (sink_construction I kappa (2 / l) a p w g u v (P11 * P22 - P12 * P12) (P11 + P22) HI Hk)
    as (width & WQ & WK & _ & HB & HC); fold K l; rewrite ?R1E, ?R2E, ?rE, ?Eu2; try lra.
  - assert (0 < P11 * P11) by (apply Rmult_lt_0_compat; assumption).
    pose proof (Rle_0_sqr P12) as Q. unfold Rsqr in Q. lra.
  - apply Req_le. unfold a, p. field. lra.
  - (* the copy tokens: the first hypothesis *)
    assert (E : l * a - l * w = 1 + l * ((K - 2) * y - K * l) / (K * (K + l * l))).
    { transitivity (1 + l * ((K - 2) * (y * y) / y - K * l) / (K * (K + l * l))); [|field; lra].
      unfold a, w. rewrite Ey. replace D with (K + (K + 1) * (l * l)) by (rewrite ED; ring). field. lra. }
    rewrite E. assert (0 <= l * ((K - 2) * y - K * l) / (K * (K + l * l))); [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; lra.
  - replace (l * (2 / l)) with 2 by (field; lra). lra.
  - exists width, WQ, WK. fold K l in HB, HC. split.
    + apply HB; [|lra]. apply Req_le. rewrite Eg2. apply (Rmult_eq_reg_l (K - 0)); [|lra].
      transitivity (K * (1 + v) - (l * (2 / l * (1 - / K) + u) * K - 2 * K)); [rewrite Eu2; ring|field; lra].
    + rewrite HC. apply Req_le. f_equal. unfold P11, P22. field. lra.
Qed.

(** ** Part 3: the diagonal *)

Section NoiseBasis.
  Context (I : instance) (HI : valid_instance I) (r : nat) (f : nat -> vector) (Hf : noise_basis I r f).

  Let d := dimension I.

  (** What is orthogonal to every eta is orthogonal to every f. *)
  Lemma basis_orthogonal v k :
    (forall c i, member I c i -> dot d v (noise I c i) = 0) -> (k < r)%nat -> dot d (f k) v = 0.
  Proof using Hf.
    intros H Hk. destruct (basis_in_span I r f Hf k Hk) as [x Hx]. rewrite dot_comm.
    rewrite (dot_ext d v (f k) v (fun a => sum (groups I) (fun c => sum (size I c) (fun i => x c i * noise I c i a))))
      by (assumption || reflexivity).
    rewrite (dot_sum d (groups I) v (fun c a => sum (size I c) (fun i => x c i * noise I c i a))).
    apply sum_zero. intros c Hc. rewrite (dot_sum d (size I c) v (fun i a => x c i * noise I c i a)).
    apply sum_zero. intros i Hi. rewrite dot_scal, H by now split. ring.
  Qed.

  (** Products of noises by coordinates. *)
  Lemma basis_parseval c i v :
    member I c i -> sum r (fun k => dot d (f k) (noise I c i) * dot d (f k) v) = dot d (noise I c i) v.
  Proof using Hf.
    intros H. destruct (basis_spans I r f Hf c i H) as [x Hx].
    assert (E : forall y, dot d (noise I c i) y = sum r (fun k => x k * dot d (f k) y)).
    { intros y. rewrite (dot_ext d (noise I c i) y (fun a => sum r (fun k => x k * f k a)) y)
        by (assumption || reflexivity).
      rewrite (dot_sum_l d r (fun k a => x k * f k a)). apply sum_ext. intros. apply dot_scal_l. }
    rewrite (E v). apply sum_ext. intros k Hk. f_equal. rewrite dot_comm, E.
    rewrite (sum_single r _ k Hk).
    - rewrite (basis_orthonormal I r f Hf) by assumption. rewrite Nat.eqb_refl. ring.
    - intros l Hl El. rewrite (basis_orthonormal I r f Hf) by assumption.
      apply Nat.eqb_neq in El. rewrite El. ring.
  Qed.

  Lemma basis_dormant k c i : (k < r)%nat -> member I c i ->
    dot d (f k) (dormant I c i) = dot d (f k) (noise I c i).
  Proof using HI Hf.
    intros Hk H. change (inner I (f k) (dormant I c i) = dot d (f k) (noise I c i)).
    rewrite inner_dormant. unfold inner. fold d. rewrite (basis_orthogonal (mean I c) k); [ring| |assumption].
    intros. apply (mean_noise I HI); [apply H|assumption].
  Qed.

  Lemma basis_bos k : (k < r)%nat -> dot d (f k) (bos_vector I) = 0.
  Proof using HI Hf. intros. apply basis_orthogonal; [|assumption]. intros. now apply (bos_noise I HI). Qed.

  Lemma basis_copy k c : (k < r)%nat -> (c < groups I)%nat -> dot d (f k) (copy_query I c) = 0.
  Proof using HI Hf. intros. apply basis_orthogonal; [|assumption]. intros. now apply (copy_noise I HI). Qed.

  Lemma basis_mean k c : (k < r)%nat -> (c < groups I)%nat -> dot d (f k) (mean I c) = 0.
  Proof using HI Hf. intros. apply basis_orthogonal; [|assumption]. intros. now apply (mean_noise I HI). Qed.
End NoiseBasis.

(** A sum over C + r rows: first the groups, then the basis. *)
Lemma sum_append m p (f : nat -> R) : sum (m + p) f = sum m f + sum p (fun k => f (m + k)%nat).
Proof.
  induction p as [|p IH]; cbn [sum].
  - rewrite Nat.add_0_r. ring.
  - rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring.
Qed.

Section Diagonal.
  Context (I : instance) (HI : valid_instance I) (r : nat) (f : nat -> vector) (Hf : noise_basis I r f).

  Let d := dimension I.
  Let C := groups I.
  Let N := INR d.
  Let K := INR C.
  Let l := lam I.

  (** |eta - eta'|^2 = 2 (delta^2 - eta.eta') and |eta + eta'|^2 >= 0. *)
  Lemma noise_distance c i c' j : member I c i -> member I c' j ->
    inner I (fun a => noise I c i a - noise I c' j a) (fun a => noise I c i a - noise I c' j a)
    = 2 * (delta I * delta I - dot d (noise I c i) (noise I c' j)).
  Proof using HI.
    intros H H'. unfold inner. rewrite dot_minus.
    rewrite !(dot_comm d (fun a => noise I c i a - noise I c' j a)), !dot_minus.
    pose proof (noise_norm I HI c i H) as E. pose proof (noise_norm I HI c' j H') as E'.
    unfold inner in E, E'. fold d in E, E'. rewrite E, E', (dot_comm d (noise I c' j) (noise I c i)). ring.
  Qed.

  Lemma noise_product_ge c i c' j : member I c i -> member I c' j ->
    - (delta I * delta I) <= dot d (noise I c i) (noise I c' j).
  Proof using HI.
    intros H H'.
    pose proof (dot_self_nonneg d (fun a => noise I c i a + noise I c' j a)) as Q.
    rewrite dot_plus in Q. rewrite !(dot_comm d (fun a => noise I c i a + noise I c' j a)), !dot_plus in Q.
    pose proof (noise_norm I HI c i H) as E. pose proof (noise_norm I HI c' j H') as E'.
    unfold inner in E, E'. fold d in E, E'. rewrite E, E', (dot_comm d (noise I c' j) (noise I c i)) in Q. lra.
  Qed.

  Lemma noise_product_le c i c' j : member I c i -> member I c' j ->
    dot d (noise I c i) (noise I c' j) <= delta I * delta I.
  Proof using HI.
    intros H H'. pose proof (noise_distance c i c' j H H') as E.
    pose proof (dot_self_nonneg d (fun a => noise I c i a - noise I c' j a)) as Q.
    unfold inner in E. fold d in E. lra.
  Qed.

  (** Delta <= 4 delta^2. *)
  Lemma separation_le Delta : separated I Delta -> Delta <= 4 * (delta I * delta I).
  Proof using HI.
    intros [_ H]. pose proof (some_group I HI) as HC.
    assert (HC0 : (0 < groups I)%nat) by lia. pose proof (two_members I HI 0 HC0) as H2.
    assert (M0 : member I 0 0) by (split; lia). assert (M1 : member I 0 1) by (split; lia).
    specialize (H 0%nat 0%nat 1%nat M0 M1 ltac:(lia)). rewrite (noise_distance 0 0 0 1 M0 M1) in H.
    pose proof (noise_product_ge 0 0 0 1 M0 M1). lra.
  Qed.

  Section Rows.
    Context (e alpha s1 s2 sa : R) (Hs : s1 * s2 = e / (l * l)) (Ha : sa * sa = alpha).

    Definition diagonal_query : matrix := fun h a =>
      if (h <? C)%nat then s1 * mean I h a + 2 * l * s1 * copy_query I h a else sa * f (h - C)%nat a.

    Definition diagonal_key : matrix := fun h a =>
      if (h <? C)%nat then s2 * mean I h a + l / 2 * s2 * copy_query I h a else sa * f (h - C)%nat a.

    (** eta.eta' of two dormant tokens, 0 for other pairs. *)
    Definition noise_product (x y : token_name) : R :=
      match x, y with
      | Dormant c i, Dormant c' j => dot (dimension I) (noise I c i) (noise I c' j)
      | _, _ => 0
      end.

    Lemma diagonal_form x y : present I x -> present I y ->
      bilinear d (query_key (C + r) diagonal_query diagonal_key) (embedding I x) (embedding I y)
      = e / (l * l) * sum C (fun h => (at_mean I h x + 2 * l * at_copy I h x) * (at_mean I h y + l / 2 * at_copy I h y))
        + alpha * noise_product x y.
    Proof using HI Hf Hs Ha.
      intros Hx Hy. rewrite bilinear_query_key, sum_append. f_equal.
      - rewrite <- sum_scal. apply sum_ext. intros h Hh. unfold diagonal_query, diagonal_key.
        apply Nat.ltb_lt in Hh as E. rewrite E, !dot_two, !(dot_at_mean I HI), !(dot_at_copy I HI) by assumption.
        rewrite <- Hs. ring.
      - rewrite (sum_ext r _ (fun k => alpha * (dot d (f k) (embedding I x) * dot d (f k) (embedding I y)))).
        + rewrite sum_scal. f_equal.
          destruct x as [|c i|c]; cbn [embedding noise_product].
          * apply sum_zero. intros k Hk. unfold d. rewrite (basis_bos I HI r f Hf) by assumption. ring.
          * destruct y as [|c' j|c']; cbn [embedding noise_product].
            -- apply sum_zero. intros k Hk. unfold d. rewrite (basis_bos I HI r f Hf k) by assumption. ring.
            -- rewrite <- (basis_parseval I r f Hf c i) by assumption. apply sum_ext. intros k Hk.
               unfold d. now rewrite !(basis_dormant I HI r f Hf).
            -- apply sum_zero. intros k Hk. unfold d. rewrite (basis_copy I HI r f Hf k c') by assumption. ring.
          * apply sum_zero. intros k Hk. unfold d. rewrite (basis_copy I HI r f Hf k c) by assumption. ring.
        + intros k Hk. unfold diagonal_query, diagonal_key.
          assert (E : (C + k <? C)%nat = false) by (apply Nat.ltb_ge; lia).
          rewrite E. replace (C + k - C)%nat with k by lia. rewrite !dot_scal_l, <- Ha. ring.
    Qed.

    Lemma diagonal_rows_cost :
      factor_cost d (C + r) diagonal_query diagonal_key
      = K * N * (s1 * s1 * (1 + 4 * (l * l)) + s2 * s2 * (1 + l * l / 4)) + 2 * alpha * INR r.
    Proof using HI Hf Ha.
      rewrite factor_cost_dot, sum_append. f_equal.
      - rewrite (sum_ext C _ (fun _ => N * (s1 * s1 * (1 + 4 * (l * l)) + s2 * s2 * (1 + l * l / 4)))).
        + rewrite sum_const. fold K. ring.
        + intros h Hh. unfold diagonal_query, diagonal_key. apply Nat.ltb_lt in Hh as E. rewrite E.
          assert (Q : forall p q, dot d (fun a => p * mean I h a + q * copy_query I h a)
                                    (fun a => p * mean I h a + q * copy_query I h a) = N * (p * p + q * q)).
          { intros p q. rewrite dot_two, !(dot_comm d _ (fun a => p * mean I h a + q * copy_query I h a)), !dot_two.
            unfold d, N. rewrite (dot_comm _ (copy_query I h) (mean I h)), (mean_copy_0 I HI) by assumption.
            rewrite (mean_mean_select I HI), (copy_copy_select I HI), Nat.eqb_refl by assumption.
            unfold d. ring. }
          rewrite !Q. field.
      - rewrite (sum_ext r _ (fun _ => 2 * alpha)).
        + rewrite sum_const. ring.
        + intros k Hk. unfold diagonal_query, diagonal_key.
          assert (E : (C + k <? C)%nat = false) by (apply Nat.ltb_ge; lia).
          rewrite E. replace (C + k - C)%nat with k by lia.
          rewrite dot_scal, dot_scal_l. unfold d. rewrite (basis_orthonormal I r f Hf) by assumption.
          rewrite Nat.eqb_refl, <- Ha. ring.
    Qed.
  End Rows.
End Diagonal.

Theorem diagonal_upper I kappa Delta r f :
  valid_instance I -> 0 < kappa -> separated I Delta -> noise_basis I r f ->
  cost_at_most I (fun W => diagonal_pattern I W kappa)
    (kappa * INR (groups I) / sqrt (INR (dimension I)) * diagonal_group_cost (lam I)
     + 4 * kappa * sqrt (INR (dimension I)) * INR r / Delta).
Proof.
  intros HI Hk HDelta Hf. pose proof (lam_positive I HI) as Hl. pose proof (dimension_pos I HI) as HN.
  pose proof (separation_le I HI Delta HDelta) as H4. destruct HDelta as [HD HDelta].
  set (N := INR (dimension I)) in *. set (l := lam I) in *.
  pose proof (sqrt_lt_R0 N HN) as Hs. pose proof (sqrt_sqrt N (Rlt_le _ _ HN)) as Es. set (s := sqrt N) in *.
  assert (Hll : 0 < l * l) by now apply Rmult_lt_0_compat.
  set (e := kappa / (s * N)). assert (He : 0 < e) by (apply Rdiv_lt_0_compat; [assumption|now apply Rmult_lt_0_compat]).
  set (alpha := 2 * kappa * s / Delta).
  assert (Hks : 0 < kappa * s) by now apply Rmult_lt_0_compat.
  assert (Ha : 0 < alpha) by (apply Rdiv_lt_0_compat; lra).
  assert (EaD : alpha * Delta = 2 * (kappa * s)) by (unfold alpha; field; lra).
  assert (Ekap : kappa * s = e * (N * N)) by (unfold e; rewrite <- Es; field; lra).
  set (q := 1 + 4 * (l * l)). set (k := 1 + l * l / 4).
  assert (Hq : 0 < q) by (unfold q; lra). assert (Hkk : 0 < k) by (unfold k; lra).
  set (y := sqrt (q * (4 + l * l))).
  assert (Hy : 0 < y) by (apply sqrt_lt_R0, Rmult_lt_0_compat; lra).
  assert (Ey : y * y = 4 * (q * k)) by (unfold y; rewrite sqrt_sqrt; [unfold k; field|apply Rlt_le, Rmult_lt_0_compat; lra]).
  (* balanced: s1^2 q = s2^2 k *)
  set (w := e / (l * l) * y / (2 * q)).
  assert (Hw : 0 < w).
  { apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [|assumption]. now apply Rdiv_lt_0_compat. }
  set (s1 := sqrt w). assert (Hs1 : 0 < s1) by now apply sqrt_lt_R0.
  assert (Es1 : s1 * s1 = w) by (apply sqrt_sqrt; lra).
  set (s2 := e / (l * l) / s1). set (sa := sqrt alpha).
  assert (Hss : s1 * s2 = e / (l * l)) by (unfold s2; field; lra).
  assert (Hsa : sa * sa = alpha) by (apply sqrt_sqrt; lra).
  exists (groups I + r)%nat, (diagonal_query I f s1 sa), (diagonal_key I f s2 sa). split.
  - (* the pattern *)
    assert (HA : forall x, - (delta I * delta I) <= x -> alpha * - (delta I * delta I) <= alpha * x)
      by (intros; apply Rmult_le_compat_l; lra).
    assert (Hfree : kappa * s / 2 <= alpha * (delta I * delta I)).
    { apply (Rmult_le_compat_l alpha) in H4; lra. }
    assert (form := diagonal_form I HI r f Hf e alpha s1 s2 sa Hss Hsa).
    fold l in form.
    assert (V : forall c i z, member I c i -> present I z ->
      bilinear (dimension I) (query_key (groups I + r) (diagonal_query I f s1 sa) (diagonal_key I f s2 sa))
        (embedding I (Dormant c i)) (embedding I z)
      = match z with
        | Bos => 0
        | Dormant c' j => (if (c =? c')%nat then kappa * s else 0) + alpha * dot (dimension I) (noise I c i) (noise I c' j)
        | Copy c' => if (c =? c')%nat then kappa * s / 2 else 0
        end).
    { intros c i z Hx Hz. rewrite form by assumption. cbn [at_mean at_copy noise_product].
      rewrite (sum_single _ _ c (proj1 Hx)).
      2:{ intros h _ E. apply Nat.eqb_neq in E. rewrite E. ring. }
      rewrite Nat.eqb_refl. fold l N.
      destruct z as [|c' j|c']; cbn [at_mean at_copy noise_product]; [ring| |];
        fold l N; destruct (c =? c')%nat; rewrite ?Ekap; field; lra. }
    assert (VC : forall c z, (c < groups I)%nat -> present I z ->
      bilinear (dimension I) (query_key (groups I + r) (diagonal_query I f s1 sa) (diagonal_key I f s2 sa))
        (embedding I (Copy c)) (embedding I z)
      = match z with
        | Bos => 0
        | Dormant c' j => if (c =? c')%nat then 2 * (kappa * s) else 0
        | Copy c' => if (c =? c')%nat then kappa * s else 0
        end).
    { intros c z Hx Hz. rewrite form by assumption. cbn [at_mean at_copy noise_product].
      rewrite (sum_single _ _ c Hx).
      2:{ intros h _ E. apply Nat.eqb_neq in E. rewrite E. ring. }
      rewrite Nat.eqb_refl. fold l N.
      destruct z as [|c' j|c']; cbn [at_mean at_copy noise_product]; [ring| |];
        fold l N; destruct (c =? c')%nat; rewrite ?Ekap; field; lra. }
    clear form. split.
    + intros c i z Hx Hz Ez. apply score_margin; [apply (some_dimension I HI)|]. fold N s.
      rewrite !V by assumption. rewrite Nat.eqb_refl.
      pose proof (noise_norm I HI c i Hx) as En. unfold inner in En. rewrite En.
      destruct z as [|c' j|c'].
      * lra.
      * pose proof (noise_product_le I HI c i c' j Hx Hz) as Hle.
        apply (Rmult_le_compat_l alpha) in Hle; [|lra].
        destruct (Nat.eqb_spec c c') as [<-|E]; [|lra].
        assert (Ej : i <> j) by congruence. specialize (HDelta c i j Hx Hz Ej).
        rewrite (noise_distance I HI c i c j Hx Hz) in HDelta.
        apply (Rmult_le_compat_l alpha) in HDelta; [|lra]. lra.
      * destruct (c =? c')%nat; lra.
    + intros c i z Hx Hz Ez. apply score_margin; [apply (some_dimension I HI)|]. fold N s.
      rewrite !VC by (assumption || apply Hx). rewrite Nat.eqb_refl.
      destruct z as [|c' j|c']; [lra| |destruct (c =? c')%nat; lra].
      cbn [in_group] in Ez. destruct (Nat.eqb_spec c c') as [E|E]; [now symmetry in E|lra].
    + intros c z Hc Hz Gz Ez. apply score_margin; [apply (some_dimension I HI)|]. fold N s.
      rewrite !VC by assumption. rewrite Nat.eqb_refl.
      destruct z as [|c' j|c']; [lra| |].
      * cbn [in_group] in Gz. destruct (Nat.eqb_spec c c') as [E|E]; [now symmetry in E|lra].
      * destruct (Nat.eqb_spec c c') as [E|E]; [congruence|lra].
  - (* the cost *)
    rewrite (diagonal_rows_cost I HI r f Hf alpha s1 s2 sa Hsa). apply Req_le. fold l N q k.
    replace (s2 * s2) with (e / (l * l) * (e / (l * l)) / w) by (unfold s2; rewrite <- Es1; field; lra).
    rewrite Es1. unfold diagonal_group_cost. fold q y.
    assert (Ew : w * q = e / (l * l) * y / 2) by (unfold w; field; lra).
    assert (Ew2 : e / (l * l) * (e / (l * l)) / w * k = e / (l * l) * y / 2).
    { apply (Rmult_eq_reg_r (2 * y)); [|lra].
      transitivity (e / (l * l) * (y * y)); [|field; lra]. rewrite Ey. unfold w. field. repeat split; lra. }
    rewrite Ew, Ew2. unfold alpha.
    replace (kappa * INR (groups I) / s) with (e * N * INR (groups I)) by (unfold e; field; lra).
    field. repeat split; lra.
Qed.

(** ** Part 4: the value map *)

(** Bessel. *)
Lemma bessel m n (g : nat -> vector) v :
  (forall h k, (h < n)%nat -> (k < n)%nat -> dot m (g h) (g k) = if (h =? k)%nat then 1 else 0) ->
  sum n (fun h => dot m (g h) v * dot m (g h) v) <= dot m v v.
Proof.
  intros Hg. set (S := sum n (fun h => dot m (g h) v * dot m (g h) v)).
  set (u := fun a : nat => sum n (fun h => dot m (g h) v * g h a)).
  assert (Ev : dot m v u = S).
  { unfold u. rewrite (dot_sum m n v (fun h a => dot m (g h) v * g h a)). apply sum_ext. intros h _.
    now rewrite dot_scal, (dot_comm m v). }
  assert (Eu : dot m u u = S).
  { unfold u at 1. rewrite (dot_sum_l m n (fun h a => dot m (g h) v * g h a)). apply sum_ext. intros h Hh.
    rewrite dot_scal_l. f_equal. unfold u. rewrite (dot_sum m n (g h) (fun k a => dot m (g k) v * g k a)).
    rewrite (sum_single n _ h Hh).
    - rewrite dot_scal, Hg, Nat.eqb_refl by assumption. ring.
    - intros k Hk E. rewrite dot_scal, Hg by assumption. apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring. }
  pose proof (dot_self_nonneg m (fun a => v a - u a)) as Q.
  rewrite dot_minus, !(dot_comm m (fun a => v a - u a)), !dot_minus, (dot_comm m u v), Ev, Eu in Q. lra.
Qed.

Section Value.
  Context (I : instance) (HI : valid_instance I) (r : nat) (f : nat -> vector) (Hf : noise_basis I r f).

  Let d := dimension I.
  Let C := groups I.
  Let N := INR d.
  Let n := (C + r)%nat.

  (** The orthonormal basis m_c/sqrt(d), f_k of the dormant span: r_eta + C vectors. *)
  Definition dormant_basis : nat -> vector := fun h a =>
    if (h <? groups I)%nat then / sqrt (INR (dimension I)) * mean I h a else f (h - groups I)%nat a.

  Lemma dormant_basis_orthonormal h k : (h < n)%nat -> (k < n)%nat ->
    dot d (dormant_basis h) (dormant_basis k) = if (h =? k)%nat then 1 else 0.
  Proof using HI Hf.
    intros Hh Hk. unfold n, C in *. pose proof (dimension_pos I HI) as HN. fold d N in HN.
    pose proof (sqrt_lt_R0 N HN) as Hs. pose proof (sqrt_sqrt N (Rlt_le _ _ HN)) as Es.
    unfold dormant_basis. fold d N.
    destruct (Nat.ltb_spec h (groups I)) as [Lh|Lh]; destruct (Nat.ltb_spec k (groups I)) as [Lk|Lk].
    - rewrite dot_scal, dot_scal_l. unfold d. rewrite (mean_mean_select I HI) by assumption. fold d N.
      destruct (h =? k)%nat; [|ring]. rewrite <- Es at 3. field. lra.
    - rewrite dot_scal_l, dot_comm. unfold d. rewrite (basis_mean I HI r f Hf) by lia.
      destruct (Nat.eqb_spec h k); [lia|ring].
    - rewrite dot_scal. unfold d. rewrite (basis_mean I HI r f Hf) by lia. destruct (Nat.eqb_spec h k); [lia|ring].
    - unfold d. rewrite (basis_orthonormal I r f Hf) by lia.
      destruct (Nat.eqb_spec (h - groups I) (k - groups I)); destruct (Nat.eqb_spec h k); lia || reflexivity.
  Qed.

  Lemma noise_expansion c i a : member I c i -> (a < d)%nat ->
    sum r (fun k => f k a * dot d (f k) (noise I c i)) = noise I c i a.
  Proof using Hf.
    intros H Ha. destruct (basis_spans I r f Hf c i H) as [x Hx].
    rewrite Hx by assumption. apply sum_ext. intros k Hk.
    assert (E : dot d (f k) (noise I c i) = x k); [|rewrite E; ring].
    rewrite (dot_ext d (f k) (noise I c i) (f k) (fun b => sum r (fun l => x l * f l b)))
      by (assumption || reflexivity).
    rewrite (dot_sum d r (f k) (fun l b => x l * f l b)), (sum_single r _ k Hk).
    - unfold d. rewrite dot_scal, (basis_orthonormal I r f Hf), Nat.eqb_refl by assumption. ring.
    - intros l Hl E. unfold d. rewrite dot_scal, (basis_orthonormal I r f Hf) by assumption.
      apply not_eq_sym, Nat.eqb_neq in E. rewrite E. ring.
  Qed.

  (** The identity on the dormant span at cost 2 (r_eta + C). *)
  Lemma value_upper :
    fixes_dormant I (query_key n dormant_basis dormant_basis)
    /\ factor_cost d n dormant_basis dormant_basis = 2 * (INR r + INR C).
  Proof using HI Hf.
    split.
    - intros c i H a Ha. fold d. fold d in Ha.
      assert (L : linear_value d (query_key n dormant_basis dormant_basis) (dormant I c i) a
                  = sum n (fun h => dormant_basis h a * dot d (dormant_basis h) (dormant I c i))).
      { unfold linear_value, query_key, dot.
        rewrite (sum_ext d _ (fun b => sum n (fun h => dormant_basis h a * (dormant_basis h b * dormant I c i b)))).
        - rewrite sum_swap. apply sum_ext. intros. now rewrite sum_scal.
        - intros b _. rewrite <- sum_scal_r. apply sum_ext. intros. ring. }
      rewrite L. unfold n. rewrite sum_append. pose proof (dimension_pos I HI) as HN. fold d N in HN.
      pose proof (sqrt_lt_R0 N HN) as Hs. pose proof (sqrt_sqrt N (Rlt_le _ _ HN)) as Es.
      unfold dormant at 3. f_equal.
      + rewrite (sum_ext C _ (fun h => if (h =? c)%nat then lam I * mean I c a else 0)).
        * apply sum_select, H.
        * intros h Hh. unfold dormant_basis. apply Nat.ltb_lt in Hh as E. unfold C in E. rewrite E. fold d N.
          rewrite dot_scal_l. unfold d. change (dot (dimension I) (mean I h) (dormant I c i)) with (inner I (mean I h) (dormant I c i)).
          rewrite (inner_mean_dormant I HI) by assumption. fold d N.
          destruct (Nat.eqb_spec h c) as [->|Ne]; [|ring]. rewrite <- Es at 3. field. lra.
      + rewrite <- (noise_expansion c i a) by assumption. apply sum_ext. intros k Hk. unfold dormant_basis.
        assert (E : (C + k <? groups I)%nat = false) by (apply Nat.ltb_ge; unfold C; lia).
        rewrite E. replace (C + k - groups I)%nat with k by (unfold C; lia). unfold d.
        now rewrite (basis_dormant I HI r f Hf).
    - rewrite factor_cost_dot, (sum_ext n _ (fun _ => 2)).
      + rewrite sum_const. unfold n. rewrite plus_INR. ring.
      + intros h Hh. rewrite !dormant_basis_orthonormal, Nat.eqb_refl by assumption. ring.
  Qed.

  (** And not below. *)
  Lemma value_lower width WO WV :
    fixes_dormant I (query_key width WO WV) -> 2 * (INR r + INR C) <= factor_cost d width WO WV.
  Proof using HI Hf.
    intros HW. set (W := query_key width WO WV) in *.
    assert (F : forall v c i, member I c i -> bilinear d W v (dormant I c i) = dot d v (dormant I c i)).
    { intros v c i H. rewrite bilinear_dot. apply dot_ext; [reflexivity|]. intros a Ha. now apply HW. }
    assert (X : forall v x x', (forall a, (a < d)%nat -> x a = x' a) -> bilinear d W v x = bilinear d W v x').
    { intros v x x' H. unfold W. rewrite !bilinear_query_key. apply sum_ext. intros. f_equal.
      apply dot_ext; [reflexivity|assumption]. }
    pose proof (lam_positive I HI) as Hl.
    assert (M : forall v c, (c < C)%nat -> bilinear d W v (mean I c) = dot d v (mean I c)).
    { intros v c Hc. pose proof (two_members I HI c Hc) as H2.
      assert (Hz : 0 < INR (size I c)) by (apply lt_0_INR; lia).
      apply (Rmult_eq_reg_l (INR (size I c) * lam I)); [|apply Rgt_not_eq, Rmult_lt_0_compat; assumption].
      rewrite <- bilinear_scal_r, <- dot_scal.
      assert (E : forall a, (a < d)%nat ->
        INR (size I c) * lam I * mean I c a = sum (size I c) (fun i => dormant I c i a)).
      { intros a Ha. unfold dormant. rewrite sum_plus, (noise_centred I HI c Hc a Ha), sum_const. ring. }
      rewrite (X v _ _ E), (dot_ext d v _ v _ (fun _ _ => eq_refl) E).
      rewrite (bilinear_sum_r d (size I c) W v (fun i => dormant I c i)), (dot_sum d (size I c) v (fun i => dormant I c i)).
      apply sum_ext. intros i Hi. apply F. now split. }
    assert (E : forall v c i, member I c i -> bilinear d W v (noise I c i) = dot d v (noise I c i)).
    { intros v c i H. pose proof (F v c i H) as G. unfold dormant in G.
      rewrite (bilinear_plus_r d W v (fun r => lam I * mean I c r) (noise I c i)),
        (dot_plus d v (fun r => lam I * mean I c r) (noise I c i)),
        bilinear_scal_r, dot_scal, M in G by apply H. lra. }
    assert (B : forall h, (h < n)%nat -> bilinear d W (dormant_basis h) (dormant_basis h) = 1).
    { intros h Hh. replace 1 with (dot d (dormant_basis h) (dormant_basis h))
        by (rewrite dormant_basis_orthonormal, Nat.eqb_refl by assumption; reflexivity).
      set (v := dormant_basis h) at 1 3. unfold dormant_basis.
      destruct (Nat.ltb_spec h (groups I)) as [L|L].
      - rewrite bilinear_scal_r, dot_scal. f_equal. now apply M.
      - assert (Hk : (h - groups I < r)%nat) by (unfold n, C in Hh; lia).
        destruct (basis_in_span I r f Hf _ Hk) as [x Hx].
        change (bilinear d W v (f (h - groups I)%nat) = dot d v (f (h - groups I)%nat)).
        rewrite (X v _ _ Hx), (dot_ext d v _ v _ (fun _ _ => eq_refl) Hx).
        rewrite (bilinear_sum_r d (groups I) W v (fun c a => sum (size I c) (fun i => x c i * noise I c i a))),
          (dot_sum d (groups I) v (fun c a => sum (size I c) (fun i => x c i * noise I c i a))).
        apply sum_ext. intros c Hc.
        rewrite (bilinear_sum_r d (size I c) W v (fun i a => x c i * noise I c i a)),
          (dot_sum d (size I c) v (fun i a => x c i * noise I c i a)).
        apply sum_ext. intros i Hi. rewrite bilinear_scal_r, dot_scal. f_equal. apply E. now split. }
    assert (S : INR r + INR C = sum n (fun h => bilinear d W (dormant_basis h) (dormant_basis h))).
    { rewrite (sum_ext n _ (fun _ => 1)) by assumption. rewrite sum_const. unfold n. rewrite plus_INR. ring. }
    rewrite S, <- sum_scal. unfold W.
    rewrite (sum_ext n _ (fun h => sum width (fun k => 2 * (dot d (WO k) (dormant_basis h) * dot d (WV k) (dormant_basis h))))).
    2:{ intros h _. rewrite bilinear_query_key. now rewrite sum_scal. }
    rewrite sum_swap, factor_cost_dot. apply sum_le. intros k _.
    pose proof (bessel d n dormant_basis (WO k) dormant_basis_orthonormal) as B1.
    pose proof (bessel d n dormant_basis (WV k) dormant_basis_orthonormal) as B2.
    eapply Rle_trans; [|apply Rplus_le_compat; [exact B1|exact B2]].
    rewrite <- sum_plus. apply sum_le. intros h _.
    rewrite (dot_comm d (WO k)), (dot_comm d (WV k)).
    set (p := dot d (dormant_basis h) (WO k)). set (q := dot d (dormant_basis h) (WV k)).
    pose proof (Rle_0_sqr (p - q)) as Q. unfold Rsqr in Q. lra.
  Qed.
End Value.

(** "The identity on the dormant span costs 2(r_eta + C)": exactly. *)
Theorem value_cost I r f : valid_instance I -> noise_basis I r f ->
  cost_at_most I (fixes_dormant I) (2 * (INR r + INR (groups I)))
  /\ cost_at_least I (fixes_dormant I) (2 * (INR r + INR (groups I))).
Proof.
  intros HI Hf. split.
  - destruct (value_upper I HI r f Hf) as [H1 H2]. do 3 eexists. split; [exact H1|]. now apply Req_le.
  - intros width WO WV. now apply (value_lower I HI r f Hf).
Qed.
