(** * exp and the kernels of rational numbers, to 96 bits

    Section 4.4 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task variants.
From Verified Require Import model given statements rounded exponential weights inputs.
Open Scope R_scope.

(** ** exp of n / d for whole n >= 0, d > 0: a whole number over 2^shift *)

Definition halvings_of (n d : Z) : Z := Z.log2_up (Z.max 1 (ceil_div (2 * n) d)).
Definition shift_of (p n d : Z) : Z := (p + halvings_of n d + 16)%Z.

Definition scaled_down (p n d : Z) : Z :=
  let k := shift_of p n d in
  squares_down (Z.to_nat (halvings_of n d)) k
    (series_down (Z.to_nat (k + 16)) k (floor_div (Z.shiftl n (p + 16)) d) 1 (power k) (power k)).

Definition scaled_up (p n d : Z) : Z :=
  let k := shift_of p n d in
  squares_up (Z.to_nat (halvings_of n d)) k
    (series_up (Z.to_nat (k + 16)) k (ceil_div (Z.shiftl n (p + 16)) d) 1 (power k) (power k)).

Section Scaled.

Variables p n d : Z.
Hypotheses (Hp : (0 <= p)%Z) (Hn : (0 <= n)%Z) (Hd : (0 < d)%Z).
Let h := halvings_of n d.
Let k := shift_of p n d.
Let y := IZR n / IZR d.

Lemma halvings_nonneg : (0 <= h)%Z.
Proof. apply Z.log2_up_nonneg. Qed.

Lemma shift_nonneg : (0 <= k)%Z.
Proof. unfold k, shift_of. fold h. pose proof halvings_nonneg. lia. Qed.

Lemma argument_nonneg_at : 0 <= y.
Proof. apply Rle_mult_inv_pos; [apply IZR_le, Hn|apply IZR_lt, Hd]. Qed.

Lemma half_at : y <= unit_of h / 2.
Proof.
  set (m := ceil_div (2 * n) d).
  assert (M : IZR m <= unit_of h).
  { unfold unit_of. rewrite power_pow by apply halvings_nonneg. apply IZR_le. unfold h, halvings_of. fold m.
    apply Z.le_trans with (Z.max 1 m); [lia|]. destruct (Z.eq_dec (Z.max 1 m) 1) as [->|N]; [simpl; lia|].
    apply Z.log2_up_spec. lia. }
  assert (C := ceil_div_ge (2 * n) d Hd). fold m in C. rewrite mult_IZR in C. assert (D := IZR_lt _ _ Hd).
  unfold y. apply Rmult_le_reg_r with (IZR d); [exact D|]. replace (IZR n / IZR d * IZR d) with (IZR n) by (field; lra). nra.
Qed.

(** The argument that the series gets, over 2^k, times 2^h. *)
Lemma reduced a : IZR a / unit_of k * 2 ^ Z.to_nat h = IZR a / unit_of (p + 16).
Proof.
  rewrite <- unit_pow_nat by apply halvings_nonneg. unfold k, shift_of. fold h. pose proof halvings_nonneg.
  replace (p + h + 16)%Z with ((p + 16) + h)%Z by ring. rewrite unit_add by lia.
  pose proof (unit_pos (p + 16) ltac:(lia)). pose proof (unit_pos h ltac:(assumption)). field. split; lra.
Qed.

Lemma scaled_down_spec : (power k <= scaled_down p n d)%Z /\ IZR (scaled_down p n d) <= unit_of k * exp y.
Proof.
  unfold scaled_down. fold h k. set (a := floor_div (Z.shiftl n (p + 16)) d). set (s := series_down _ _ _ _ _ _).
  pose proof shift_nonneg as Hk. pose proof (unit_pos k Hk) as Uk. pose proof (unit_pos (p + 16) ltac:(lia)) as Up.
  assert (A0 : (0 <= a)%Z) by (unfold a, floor_div; apply Z.div_pos; [apply Z.shiftl_nonneg; exact Hn|exact Hd]).
  assert (AY : IZR a / unit_of (p + 16) <= y).
  { assert (Q := floor_div_le (Z.shiftl n (p + 16)) d Hd). fold a in Q. rewrite shiftl_unit in Q by lia. assert (D := IZR_lt _ _ Hd).
    unfold y. apply Rmult_le_reg_r with (unit_of (p + 16) * IZR d); [apply Rmult_lt_0_compat; assumption|].
    replace (IZR a / unit_of (p + 16) * (unit_of (p + 16) * IZR d)) with (IZR a * IZR d) by (field; lra).
    replace (IZR n / IZR d * (unit_of (p + 16) * IZR d)) with (IZR n * unit_of (p + 16)) by (field; lra). exact Q. }
  set (z := IZR a / unit_of k). assert (Z0 : 0 <= z) by (apply Rle_mult_inv_pos; [apply IZR_le, A0|exact Uk]).
  assert (E : IZR a = z * unit_of k) by (unfold z; field; lra). pose proof (power_pos k Hk) as Pk.
  assert (P : (power k <= s)%Z) by (apply series_down_ge; [exact Hk|exact A0|lia|lia]).
  assert (S : IZR s <= unit_of k * exp z).
  { apply (series_down_le k a z Hk A0 Z0 E _ 0); [lia| |]; fold (unit_of k); unfold term; simpl; unfold unit_of; lra. }
  destruct (squares_down_le k Hk (Z.to_nat h) s z P S) as [B1 B2]. split; [exact B1|].
  unfold z in B2. rewrite reduced in B2. eapply Rle_trans; [exact B2|]. apply Rmult_le_compat_l; [lra|]. apply exp_le. exact AY.
Qed.

Lemma scaled_up_spec : unit_of k * exp y <= IZR (scaled_up p n d).
Proof.
  unfold scaled_up. fold h k. set (a := ceil_div (Z.shiftl n (p + 16)) d). set (s := series_up _ _ _ _ _ _).
  pose proof shift_nonneg as Hk. pose proof (unit_pos k Hk) as Uk. pose proof (unit_pos (p + 16) ltac:(lia)) as Up.
  pose proof halvings_nonneg as Hh. pose proof (unit_pos h Hh) as Uh.
  assert (Q := ceil_div_ge (Z.shiftl n (p + 16)) d Hd). fold a in Q. rewrite shiftl_unit in Q by lia. assert (D := IZR_lt _ _ Hd).
  assert (AY : y <= IZR a / unit_of (p + 16)).
  { unfold y. apply Rmult_le_reg_r with (unit_of (p + 16) * IZR d); [apply Rmult_lt_0_compat; assumption|].
    replace (IZR a / unit_of (p + 16) * (unit_of (p + 16) * IZR d)) with (IZR a * IZR d) by (field; lra).
    replace (IZR n / IZR d * (unit_of (p + 16) * IZR d)) with (IZR n * unit_of (p + 16)) by (field; lra). exact Q. }
  set (z := IZR a / unit_of k).
  assert (A0 : 0 <= IZR a).
  { pose proof argument_nonneg_at. replace (IZR a) with (IZR a / unit_of (p + 16) * unit_of (p + 16)) by (field; lra). nra. }
  assert (Z0 : 0 <= z) by (apply Rle_mult_inv_pos; assumption).
  assert (E : IZR a = z * unit_of k) by (unfold z; field; lra).
  assert (ZH : z <= / 2).
  { (* a is at most the whole number 2^(p + 15 + h). *)
    assert (HA : (a <= power (p + 15 + h))%Z).
    { unfold a, ceil_div. apply Z.opp_le_mono. rewrite Z.opp_involutive. apply Z.div_le_lower_bound; [exact Hd|].
      apply le_IZR. rewrite mult_IZR, !opp_IZR, shiftl_unit by lia. fold (unit_of (p + 15 + h)).
      pose proof half_at as HY. unfold y in HY.
      assert (HN : IZR n <= unit_of h / 2 * IZR d).
      { apply Rmult_le_compat_r with (r := IZR d) in HY; [|lra]. replace (IZR n / IZR d * IZR d) with (IZR n) in HY by (field; lra). exact HY. }
      replace (unit_of (p + 15 + h)) with (unit_of (p + 16) * (unit_of h / 2)).
      - apply Rmult_le_compat_r with (r := unit_of (p + 16)) in HN; [|lra]. lra.
      - replace (p + 16)%Z with ((p + 15) + 1)%Z by ring. rewrite !unit_add by lia.
        assert (U1 : unit_of 1 = 2) by reflexivity. rewrite U1. field. }
    unfold z. apply Rmult_le_reg_r with (unit_of k); [exact Uk|]. replace (IZR a / unit_of k * unit_of k) with (IZR a) by (field; lra).
    apply IZR_le in HA. fold (unit_of (p + 15 + h)) in HA. unfold k, shift_of. fold h.
    replace (p + h + 16)%Z with ((p + 15 + h) + 1)%Z by ring. rewrite unit_add by lia.
    assert (U1 : unit_of 1 = 2) by reflexivity. rewrite U1. lra. }
  assert (S : unit_of k * exp z <= IZR s).
  { apply (series_up_ge k a z Hk Z0 E ZH _ 0); fold (unit_of k); unfold term; simpl; unfold unit_of; lra. }
  pose proof (squares_up_ge k Hk (Z.to_nat h) s z S) as B. unfold z in B. rewrite reduced in B.
  eapply Rle_trans; [|exact B]. apply Rmult_le_compat_l; [lra|]. apply exp_le. exact AY.
Qed.

End Scaled.

(** ** exp of rationals of any sign; none above 4096 from above *)

Definition grid_bits (p n d : Z) : Z := (p + 32 + ceil_div (3 * n) (2 * d))%Z.

Definition exp_low (x : rational) : rational :=
  let p := 96%Z in
  if (top x <? - 4096 * bottom x)%Z then {| top := 0; bottom := 1 |}
  else if (0 <=? top x)%Z then
    let (n, d) := if (4096 * bottom x <? top x)%Z then (4096, 1)%Z else (top x, bottom x) in
    {| top := scaled_down p n d; bottom := power (shift_of p n d) |}
  else
    let n := (- top x)%Z in let d := bottom x in let g := power (grid_bits p n d) in
    {| top := floor_div (g * power (shift_of p n d)) (scaled_up p n d); bottom := g |}.

Definition exp_high (x : rational) : option rational :=
  let p := 96%Z in
  if (4096 * bottom x <? top x)%Z then None
  else if (0 <=? top x)%Z then Some {| top := scaled_up p (top x) (bottom x); bottom := power (shift_of p (top x) (bottom x)) |}
  else
    let (n, d) := if (top x <? - 4096 * bottom x)%Z then (4096, 1)%Z else ((- top x)%Z, bottom x) in
    let g := power (grid_bits p n d) in
    Some {| top := ceil_div (g * power (shift_of p n d)) (scaled_down p n d); bottom := g |}.

Lemma real_over t b y : (0 < b)%Z -> IZR t <= IZR b * y -> real {| top := t; bottom := b |} <= y.
Proof.
  intros Hb H. apply IZR_lt in Hb. unfold real. cbn [top bottom]. apply Rmult_le_reg_r with (IZR b); [exact Hb|].
  replace (IZR t / IZR b * IZR b) with (IZR t) by (field; lra). lra.
Qed.

Lemma real_above t b y : (0 < b)%Z -> IZR b * y <= IZR t -> y <= real {| top := t; bottom := b |}.
Proof.
  intros Hb H. apply IZR_lt in Hb. unfold real. cbn [top bottom]. apply Rmult_le_reg_r with (IZR b); [exact Hb|].
  replace (IZR t / IZR b * IZR b) with (IZR t) by (field; lra). lra.
Qed.

Lemma power_grid p n d : (0 <= p)%Z -> (0 <= n)%Z -> (0 < d)%Z -> (0 < power (grid_bits p n d))%Z.
Proof.
  intros Hp Hn Hd. apply power_pos. unfold grid_bits, ceil_div. assert ((- (3 * n)) / (2 * d) <= 0)%Z by (apply Z.div_le_upper_bound; lia). lia.
Qed.

Lemma exp_of_minus x : exp x * exp (- x) = 1.
Proof. rewrite <- exp_plus, Rplus_opp_r. apply exp_0. Qed.

Theorem exp_low_spec x : (0 < bottom x)%Z -> (0 < bottom (exp_low x))%Z /\ real (exp_low x) <= exp (real x).
Proof.
  intros Hb. assert (B := IZR_lt _ _ Hb). unfold exp_low. destruct (Z.ltb_spec (top x) (- 4096 * bottom x)) as [L|L].
  { cbn [bottom]. split; [lia|]. unfold real. cbn [top bottom]. pose proof (exp_pos (IZR (top x) / IZR (bottom x))). lra. }
  destruct (Z.leb_spec 0 (top x)) as [P|P].
  - assert (Q : exists n d, (if (4096 * bottom x <? top x)%Z then (4096, 1)%Z else (top x, bottom x)) = (n, d) /\ (0 <= n)%Z /\ (0 < d)%Z /\ IZR n / IZR d <= real x).
    { destruct (Z.ltb_spec (4096 * bottom x) (top x)) as [G|G]; do 2 eexists; (split; [reflexivity|]); repeat split; try lia.
      - apply IZR_lt in G. rewrite mult_IZR in G. unfold real. apply Rmult_le_reg_r with (IZR (bottom x)); [exact B|].
        replace (IZR (top x) / IZR (bottom x) * IZR (bottom x)) with (IZR (top x)) by (field; lra). lra.
      - apply Rle_refl. }
    destruct Q as (n & d & -> & Hn & Hd & LE). destruct (scaled_down_spec 96 n d ltac:(lia) Hn Hd) as [_ S].
    pose proof (shift_nonneg 96 n d ltac:(lia)) as K. pose proof (power_pos _ K) as PK. cbn [bottom]. split; [exact PK|].
    apply real_over; [exact PK|]. fold (unit_of (shift_of 96 n d)). eapply Rle_trans; [exact S|].
    apply Rmult_le_compat_l; [apply Rlt_le, unit_pos, K|apply exp_le, LE].
  - set (n := (- top x)%Z). set (d := bottom x). assert (Hn : (0 <= n)%Z) by (unfold n; lia).
    pose proof (power_grid 96 n d ltac:(lia) Hn Hb) as G. cbn [bottom]. split; [exact G|]. apply real_over; [exact G|].
    assert (S := scaled_up_spec 96 n d ltac:(lia) Hn Hb). pose proof (shift_nonneg 96 n d ltac:(lia)) as K. pose proof (unit_pos _ K) as U.
    assert (E : real x = - (IZR n / IZR d)) by (unfold real, n, d; rewrite opp_IZR; field; lra).
    pose proof (exp_pos (IZR n / IZR d)) as EP. pose proof (exp_of_minus (IZR n / IZR d)) as EM.
    assert (SP : 0 < IZR (scaled_up 96 n d)) by nra.
    apply floor_div_below; [apply lt_IZR; exact SP|]. rewrite E, mult_IZR. fold (unit_of (shift_of 96 n d)).
    pose proof (exp_pos (- (IZR n / IZR d))) as EN. assert (GP := IZR_lt _ _ G).
    apply Rle_trans with (IZR (power (grid_bits 96 n d)) * exp (- (IZR n / IZR d)) * (unit_of (shift_of 96 n d) * exp (IZR n / IZR d))).
    + apply Req_le. replace (IZR (power (grid_bits 96 n d)) * exp (- (IZR n / IZR d)) * (unit_of (shift_of 96 n d) * exp (IZR n / IZR d)))
        with (IZR (power (grid_bits 96 n d)) * unit_of (shift_of 96 n d) * (exp (IZR n / IZR d) * exp (- (IZR n / IZR d)))) by ring.
      rewrite EM. ring.
    + apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact S].
Qed.

Theorem exp_high_spec x y : (0 < bottom x)%Z -> exp_high x = Some y -> (0 < bottom y)%Z /\ exp (real x) <= real y.
Proof.
  intros Hb H. assert (B := IZR_lt _ _ Hb). unfold exp_high in H. destruct (Z.ltb_spec (4096 * bottom x) (top x)) as [L|L]; [discriminate|].
  destruct (Z.leb_spec 0 (top x)) as [P|P].
  - injection H as <-. pose proof (shift_nonneg 96 (top x) (bottom x) ltac:(lia)) as K. pose proof (power_pos _ K) as PK. cbn [bottom].
    split; [exact PK|]. apply real_above; [exact PK|]. apply (scaled_up_spec 96 (top x) (bottom x) ltac:(lia) P Hb).
  - assert (Q : exists n d, (if (top x <? - 4096 * bottom x)%Z then (4096, 1)%Z else ((- top x)%Z, bottom x)) = (n, d) /\ (0 <= n)%Z /\ (0 < d)%Z /\ real x <= - (IZR n / IZR d)).
    { destruct (Z.ltb_spec (top x) (- 4096 * bottom x)) as [G|G]; do 2 eexists; (split; [reflexivity|]); repeat split; try lia.
      - apply IZR_lt in G. rewrite mult_IZR in G. unfold real. apply Rmult_le_reg_r with (IZR (bottom x)); [exact B|].
        replace (IZR (top x) / IZR (bottom x) * IZR (bottom x)) with (IZR (top x)) by (field; lra). lra.
      - unfold real. rewrite opp_IZR. apply Req_le. field. lra. }
    destruct Q as (n & d & E & Hn & Hd & LE). rewrite E in H. injection H as <-. cbn [bottom].
    pose proof (power_grid 96 n d ltac:(lia) Hn Hd) as G. split; [exact G|]. apply real_above; [exact G|].
    destruct (scaled_down_spec 96 n d ltac:(lia) Hn Hd) as [S1 S2]. pose proof (shift_nonneg 96 n d ltac:(lia)) as K. pose proof (unit_pos _ K) as U.
    pose proof (power_pos _ K) as PK. assert (SP : (0 < scaled_down 96 n d)%Z) by lia.
    pose proof (exp_pos (IZR n / IZR d)) as EP. pose proof (exp_of_minus (IZR n / IZR d)) as EM. assert (GP := IZR_lt _ _ G).
    apply ceil_div_above; [exact SP|]. rewrite mult_IZR. fold (unit_of (shift_of 96 n d)).
    apply Rle_trans with (IZR (power (grid_bits 96 n d)) * exp (- (IZR n / IZR d)) * (unit_of (shift_of 96 n d) * exp (IZR n / IZR d))).
    + apply Rmult_le_compat; [apply Rmult_le_pos; [lra|apply Rlt_le, exp_pos]|apply IZR_le; lia| |exact S2].
      apply Rmult_le_compat_l; [lra|apply exp_le, LE].
    + apply Req_le. replace (IZR (power (grid_bits 96 n d)) * exp (- (IZR n / IZR d)) * (unit_of (shift_of 96 n d) * exp (IZR n / IZR d)))
        with (IZR (power (grid_bits 96 n d)) * unit_of (shift_of 96 n d) * (exp (IZR n / IZR d) * exp (- (IZR n / IZR d)))) by ring.
      rewrite EM. ring.
Qed.

(** ** The logistic function and the kernels *)

Definition minus (x : rational) : rational := {| top := - top x; bottom := bottom x |}.

(** The parts that a value of the logistic function at x is rounded to. *)
Definition logistic_parts (x : rational) : Z :=
  let (n, d) := if (0 <=? top x)%Z then (0, 1)%Z
                else if (top x <? - 4096 * bottom x)%Z then (4096, 1)%Z else ((- top x)%Z, bottom x) in
  power (grid_bits 96 n d).

Definition logistic_low (x : rational) : option rational :=
  match exp_high (minus x) with
  | None => None
  | Some e => let g := logistic_parts x in Some {| top := floor_div (g * bottom e) (bottom e + top e); bottom := g |}
  end.

Definition logistic_high (x : rational) : rational :=
  let e := exp_low (minus x) in let g := logistic_parts x in
  {| top := ceil_div (g * bottom e) (bottom e + top e); bottom := g |}.

Definition kernel_low (a : kind) (x : rational) : option rational :=
  match a with
  | Softmax | Softmax_gated | Softmax_null | Softmax_sink => Some (exp_low x)
  | Sigmoid_normalised | Sigmoid => logistic_low x
  | Elu1_normalised | Elu1 => Some (if (0 <=? top x)%Z then {| top := top x + bottom x; bottom := bottom x |} else exp_low x)
  | Relu => Some {| top := Z.max 0 (top x); bottom := bottom x |}
  | Linear => Some x
  end.

Definition kernel_high (a : kind) (x : rational) : option rational :=
  match a with
  | Softmax | Softmax_gated | Softmax_null | Softmax_sink => exp_high x
  | Sigmoid_normalised | Sigmoid => Some (logistic_high x)
  | Elu1_normalised | Elu1 => if (0 <=? top x)%Z then Some {| top := top x + bottom x; bottom := bottom x |} else exp_high x
  | Relu => Some {| top := Z.max 0 (top x); bottom := bottom x |}
  | Linear => Some x
  end.

Lemma real_minus x : (0 < bottom x)%Z -> real (minus x) = - real x.
Proof. intros H. apply IZR_lt in H. unfold real, minus. cbn [top bottom]. rewrite opp_IZR. field. lra. Qed.

Lemma real_times x : (0 < bottom x)%Z -> real x * IZR (bottom x) = IZR (top x).
Proof. intros H. apply IZR_lt in H. unfold real. field. lra. Qed.

Lemma logistic_parts_pos x : (0 < bottom x)%Z -> (0 < logistic_parts x)%Z.
Proof.
  intros H. unfold logistic_parts. destruct (Z.leb_spec 0 (top x)); [apply power_grid; lia|].
  destruct (_ <? _)%Z; apply power_grid; lia.
Qed.

Lemma exp_low_nonneg x : (0 < bottom x)%Z -> (0 <= top (exp_low x))%Z.
Proof.
  intros Hb. unfold exp_low. destruct (_ <? _)%Z; [simpl; lia|]. destruct (Z.leb_spec 0 (top x)) as [P|P].
  - assert (G : forall n d, (0 <= n)%Z -> (0 < d)%Z -> (0 <= scaled_down 96 n d)%Z).
    { intros n d Hn Hd. destruct (scaled_down_spec 96 n d ltac:(lia) Hn Hd) as [S _]. pose proof (power_pos _ (shift_nonneg 96 n d ltac:(lia))). lia. }
    destruct (_ <? _)%Z; cbn [top]; apply G; lia.
  - cbn [top]. unfold floor_div. pose proof (power_grid 96 (- top x) (bottom x) ltac:(lia) ltac:(lia) Hb) as G.
    pose proof (shift_nonneg 96 (- top x) (bottom x) ltac:(lia)) as K. pose proof (power_pos _ K) as PK.
    apply Z.div_pos; [apply Z.mul_nonneg_nonneg; lia|].
    assert (S := scaled_up_spec 96 (- top x) (bottom x) ltac:(lia) ltac:(lia) Hb). pose proof (unit_pos _ K).
    pose proof (exp_pos (IZR (- top x) / IZR (bottom x))). apply lt_IZR. nra.
Qed.

(** b/(b + t) is 1/(1 + t/b). *)
Lemma share_of_one e : (0 < bottom e)%Z -> 0 <= real e -> IZR (bottom e) / IZR (bottom e + top e) = / (1 + real e).
Proof.
  intros H N. assert (T := real_times e H). apply IZR_lt in H. rewrite plus_IZR, <- T. field.
  split; [lra|]. assert (0 <= real e * IZR (bottom e)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma logistic_low_spec x y z : (0 < bottom x)%Z -> logistic_low x = Some y -> real x <= z -> (0 < bottom y)%Z /\ real y <= logistic z.
Proof.
  intros Hb H Hz. unfold logistic_low in H. destruct (exp_high (minus x)) as [e|] eqn:E; [|discriminate]. injection H as <-. cbn [bottom].
  destruct (exp_high_spec (minus x) e Hb E) as [Be Le]. rewrite real_minus in Le by exact Hb.
  pose proof (logistic_parts_pos x Hb) as G. split; [exact G|]. pose proof (exp_pos (- real x)) as EP.
  assert (RE : 0 <= real e) by lra. assert (T := real_times e Be). assert (Be' := IZR_lt _ _ Be).
  assert (SP : (0 < bottom e + top e)%Z) by (apply lt_IZR; rewrite plus_IZR, <- T; assert (0 <= real e * IZR (bottom e)) by (apply Rmult_le_pos; lra); lra).
  apply Rle_trans with (logistic (real x)); [|apply logistic_le, Hz]. apply real_over; [exact G|]. apply floor_div_below; [exact SP|].
  rewrite mult_IZR. assert (SP' := IZR_lt _ _ SP). assert (GP := IZR_lt _ _ G).
  apply Rle_trans with (IZR (logistic_parts x) * (/ (1 + real e)) * IZR (bottom e + top e)).
  - rewrite <- share_of_one by assumption. apply Req_le. field. lra.
  - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|]. unfold logistic. apply Rinv_le_contravar; lra.
Qed.

Lemma logistic_high_spec x z : (0 < bottom x)%Z -> z <= real x -> (0 < bottom (logistic_high x))%Z /\ logistic z <= real (logistic_high x).
Proof.
  intros Hb Hz. unfold logistic_high. cbn [bottom]. destruct (exp_low_spec (minus x) Hb) as [Be Le]. rewrite real_minus in Le by exact Hb.
  pose proof (exp_low_nonneg (minus x) Hb) as TE. set (e := exp_low (minus x)) in *.
  pose proof (logistic_parts_pos x Hb) as G. split; [exact G|]. assert (T := real_times e Be). assert (Be' := IZR_lt _ _ Be).
  apply IZR_le in TE. assert (RE : 0 <= real e) by (unfold real; apply Rle_mult_inv_pos; assumption).
  assert (SP : (0 < bottom e + top e)%Z) by (apply lt_IZR; rewrite plus_IZR; lra).
  apply Rle_trans with (logistic (real x)); [apply logistic_le, Hz|]. apply real_above; [exact G|]. apply ceil_div_above; [exact SP|].
  rewrite mult_IZR. assert (SP' := IZR_lt _ _ SP). assert (GP := IZR_lt _ _ G).
  apply Rle_trans with (IZR (logistic_parts x) * (/ (1 + real e)) * IZR (bottom e + top e)).
  - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [lra|]. unfold logistic. apply Rinv_le_contravar; lra.
  - rewrite <- share_of_one by assumption. apply Req_le. field. lra.
Qed.

Lemma sign_of_real x : (0 < bottom x)%Z -> if (0 <=? top x)%Z then 0 <= real x else real x < 0.
Proof.
  intros Hb. assert (B := IZR_lt _ _ Hb). assert (T := real_times x Hb). destruct (Z.leb_spec 0 (top x)) as [P|P].
  - apply IZR_le in P. unfold real. apply Rle_mult_inv_pos; assumption.
  - apply IZR_lt in P. nra.
Qed.

Lemma real_plus_one x : (0 < bottom x)%Z -> real {| top := top x + bottom x; bottom := bottom x |} = real x + 1.
Proof. intros H. apply IZR_lt in H. unfold real. cbn [top bottom]. rewrite plus_IZR. field. lra. Qed.

Lemma real_max x : (0 < bottom x)%Z -> real {| top := Z.max 0 (top x); bottom := bottom x |} = Rmax 0 (real x).
Proof.
  intros Hb. assert (S := sign_of_real x Hb). destruct (Z.leb_spec 0 (top x)) as [P|P].
  - rewrite Z.max_r by exact P. rewrite Rmax_right by exact S. reflexivity.
  - rewrite Z.max_l by lia. rewrite Rmax_left by lra. unfold real. cbn [top bottom]. unfold Rdiv. ring.
Qed.

Theorem kernel_low_spec a x y z : (0 < bottom x)%Z -> kernel_low a x = Some y -> real x <= z -> (0 < bottom y)%Z /\ real y <= phi a z.
Proof.
  intros Hb H Hz.
  assert (EX : forall v, exp_low x = v -> (0 < bottom v)%Z /\ real v <= exp z).
  { intros v <-. destruct (exp_low_spec x Hb) as [A B]. split; [exact A|]. eapply Rle_trans; [exact B|apply exp_le, Hz]. }
  assert (EL : forall v, (if (0 <=? top x)%Z then {| top := top x + bottom x; bottom := bottom x |} else exp_low x) = v ->
    (0 < bottom v)%Z /\ real v <= elu1 z).
  { intros v E. assert (S := sign_of_real x Hb). destruct (0 <=? top x)%Z.
    - subst v. split; [exact Hb|]. rewrite real_plus_one by exact Hb. eapply Rle_trans; [|apply elu1_ge, Hz]. unfold elu1.
      destruct (Rle_dec (real x) 0) as [L|L]; [|lra]. assert (Z0 : real x = 0) by lra. rewrite Z0, exp_0. lra.
    - subst v. destruct (exp_low_spec x Hb) as [A B]. split; [exact A|]. eapply Rle_trans; [exact B|]. eapply Rle_trans; [|apply elu1_ge, Hz].
      unfold elu1. destruct (Rle_dec (real x) 0); lra. }
  destruct a; cbn [kernel_low phi] in *; try (injection H as H); try (apply EX; exact H); try (apply EL; exact H);
    try (apply logistic_low_spec with x; assumption).
  - subst y. split; [exact Hb|]. rewrite real_max by exact Hb. apply Rle_max_compat_l. exact Hz.
  - subst y. split; [exact Hb|exact Hz].
Qed.

Theorem kernel_high_spec a x y z : (0 < bottom x)%Z -> kernel_high a x = Some y -> z <= real x -> (0 < bottom y)%Z /\ phi a z <= real y.
Proof.
  intros Hb H Hz.
  assert (EX : exp_high x = Some y -> (0 < bottom y)%Z /\ exp z <= real y).
  { intros E. destruct (exp_high_spec x y Hb E) as [A B]. split; [exact A|]. eapply Rle_trans; [apply exp_le, Hz|exact B]. }
  assert (EL : (if (0 <=? top x)%Z then Some {| top := top x + bottom x; bottom := bottom x |} else exp_high x) = Some y ->
    (0 < bottom y)%Z /\ elu1 z <= real y).
  { intros E. assert (S := sign_of_real x Hb). destruct (0 <=? top x)%Z.
    - injection E as <-. split; [exact Hb|]. rewrite real_plus_one by exact Hb. eapply Rle_trans; [apply elu1_ge, Hz|]. unfold elu1.
      destruct (Rle_dec (real x) 0) as [L|L]; [|lra]. assert (Z0 : real x = 0) by lra. rewrite Z0, exp_0. lra.
    - destruct (exp_high_spec x y Hb E) as [A B]. split; [exact A|]. eapply Rle_trans; [apply elu1_ge, Hz|]. eapply Rle_trans; [|exact B].
      unfold elu1. destruct (Rle_dec (real x) 0); lra. }
  destruct a; cbn [kernel_high phi] in *; try (apply EX; exact H); try (apply EL; exact H); injection H as <-;
    try (apply logistic_high_spec; assumption).
  - split; [exact Hb|]. rewrite real_max by exact Hb. apply Rle_max_compat_l. exact Hz.
  - split; [exact Hb|exact Hz].
Qed.
