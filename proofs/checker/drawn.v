(** * Sequences that were drawn, and how many of them exceed a threshold

    Section 4.17 of CHECKPOINT_RULES.md.  Nothing here has to be read. *)

From Coq Require Import Reals ZArith List Lia Lra Psatz Bool.
From Sinkproof Require Import task trigger_task anchored_values.
From Verified Require Import model given box statements rounded exponential weights pass layers inputs witness.
Import ListNotations.
Open Scope R_scope.

(** ** The binomial tail, over q^N *)

(** The sum over j <= k of binomial(N, j) p^j r^(k-j), at least; [c] is binomial(N, k) and [power] p^k. *)
Fixpoint tail_sum (steps : nat) (N p r k c power sum : Z) : Z :=
  match steps with
  | O => sum
  | S steps =>
      let c := ceil_div (c * (N - k)) (k + 1) in
      tail_sum steps N p r (k + 1) c (power * p) (sum * r + c * (power * p))
  end.

Definition confident (t : rational) (count exceeding : nat) (alpha delta : rational) : bool :=
  let N := Z.of_nat count in
  let r := (bottom delta - top delta)%Z in
  let tail := (tail_sum exceeding N (top delta) r 0 1 1 1 * r ^ (N - Z.of_nat exceeding))%Z in
  positive_bottom alpha && (0 <? top delta)%Z && (0 <? r)%Z && (exceeding <=? count)%nat
  && (1000 * ((top t + bottom t) * (top t + bottom t)) * N * tail * bottom alpha <=? top alpha * bottom delta ^ N)%Z.

(** ** Which sequences are shown to be within a threshold *)

Definition one_less (t : rational) : rational := {| top := bottom t - top t; bottom := bottom t |}.

Definition shown_within (g : given_network) (L : nat) (p : Z) (j : nat) (t : given_tokens) (s : seen) (k : closeness)
    (threshold : rational) : bool :=
  let layers := seq 0 (length (given_layers g)) in let heads := seq 0 (given_heads g) in
  match k with
  | Small_loss =>
      forallb (fun i => let f := loss_range g t p (nth (i - 1) (seen_rows s) no_ball) i j in
                        at_least threshold (high f) (parts f)) (seq 1 L)
  | Some_sink =>
      existsb (fun d => existsb (fun h =>
        forallb (fun i => (i =? j)%nat || at_most (one_less threshold) (fst (weight_of s d h i 1)) (power p)) (seq 2 (L - 1)))
        heads) layers
  | No_sink =>
      forallb (fun d => forallb (fun h =>
        forallb (fun i => at_least threshold (snd (weight_of s d h i 1)) (power p)) (seq 2 (L - 1))) heads) layers
  end.

(** Of each property whether the sample of index s is within its threshold, or not among its samples. *)
Definition answers (g : given_network) (L : nat) (qs : list property) (s : nat) (j : nat) (t : given_tokens) (p : Z) : list bool :=
  let seen := run g t p 0 in
  map (fun q => match q with
                | Drawn _ k threshold count _ _ _ =>
                    (count <=? s)%nat || seen_fine seen && shown_within g L p j t seen k threshold
                | _ => false
                end) qs.

Fixpoint either (a b : list bool) : list bool :=
  match a, b with x :: a', y :: b' => (x || y) :: either a' b' | _, _ => [] end.

Definition sample_answers (g : given_network) (L : nat) (qs : list property) (s : nat) (jt : nat * given_tokens) : list bool :=
  let first := answers g L qs s (fst jt) (snd jt) 64 in
  if forallb (fun b => b) first then first else either first (answers g L qs s (fst jt) (snd jt) 128).

(** How many more samples of each property may exceed its threshold; None where one more does than may. *)
Fixpoint spend (budget : list nat) (answers : list bool) : option (list nat) :=
  match budget with
  | [] => Some []
  | n :: budget =>
      match spend budget (tl answers) with
      | None => None
      | Some rest => if hd false answers then Some (n :: rest) else match n with O => None | S n => Some (n :: rest) end
      end
  end.

(** Stops at the first sample that is one too many. *)
Fixpoint few_exceed (answer : nat -> nat * given_tokens -> list bool) (budget : list nat) (s : nat) (samples : list (nat * given_tokens)) : bool :=
  match samples with
  | [] => true
  | jt :: rest => match spend budget (answer s jt) with None => false | Some budget => few_exceed answer budget (S s) rest end
  end.

Definition exceeding_of (q : property) : nat := match q with Drawn _ _ _ _ exceeding _ _ => exceeding | _ => 0%nat end.

Definition check_drawn (c : certificate) (qs : list property) : bool :=
  let g := of_network c in let L := sequence_length c in
  network_fits g && (0 <? length (given_layers g))%nat
  && forallb (fun q => match q with
                       | Drawn T _ threshold count exceeding alpha delta =>
                           (count <=? length (samples c))%nat && positive_bottom threshold
                           && confident threshold count exceeding alpha delta
                           && forallb (fun jt => tokens_fit g (snd jt) && sequence_shown (given_width g) L T (fst jt) (snd jt)) (samples c)
                       | _ => false
                       end) qs
  && few_exceed (sample_answers g L qs) (map exceeding_of qs) 0 (samples c).

(** ** Proofs *)

Lemma choose_0 N : C N 0 = 1.
Proof. unfold C. rewrite Nat.sub_0_r. simpl fact. simpl INR. field. apply INR_fact_neq_0. Qed.

Lemma choose_next N k : (k < N)%nat -> C N (S k) * INR (S k) = C N k * INR (N - k).
Proof.
  intros H. unfold C. replace (N - k)%nat with (S (N - S k)) by lia. rewrite !fact_simpl, !mult_INR.
  pose proof (INR_fact_neq_0 k). pose proof (INR_fact_neq_0 (N - S k)). pose proof (not_0_INR (S k) ltac:(lia)).
  pose proof (not_0_INR (S (N - S k)) ltac:(lia)). field. repeat split; assumption.
Qed.

Lemma choose_nonneg N k : 0 <= C N k.
Proof.
  unfold C. apply Rle_mult_inv_pos; [apply pos_INR|]. apply Rmult_lt_0_compat; apply INR_fact_lt_0.
Qed.

Lemma tail_sum_spec N p r : (0 < p)%Z -> (0 < r)%Z -> forall steps k c pk s, (k + steps <= N)%nat ->
  C N k <= IZR c -> IZR pk = IZR p ^ k ->
  sum (S k) (fun j => C N j * IZR p ^ j * IZR r ^ (k - j)) <= IZR s ->
  sum (S (k + steps)) (fun j => C N j * IZR p ^ j * IZR r ^ (k + steps - j))
  <= IZR (tail_sum steps (Z.of_nat N) p r (Z.of_nat k) c pk s).
Proof.
  intros Hp Hr. assert (P := IZR_lt _ _ Hp). assert (Q := IZR_lt _ _ Hr).
  induction steps as [|steps IH]; intros k c pk s Hk HC HP HS; cbn [tail_sum].
  - rewrite Nat.add_0_r. exact HS.
  - replace (k + S steps)%nat with (S k + steps)%nat by lia. replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) by lia.
    set (c' := ceil_div (c * (Z.of_nat N - Z.of_nat k)) (Z.of_nat (S k))).
    assert (C' : C N (S k) <= IZR c').
    { apply ceil_div_above; [lia|]. rewrite <- INR_IZR_INZ, choose_next by lia. rewrite mult_IZR.
      replace (Z.of_nat N - Z.of_nat k)%Z with (Z.of_nat (N - k)) by lia. rewrite <- INR_IZR_INZ.
      apply Rmult_le_compat_r; [apply pos_INR|exact HC]. }
    assert (PK : IZR (pk * p) = IZR p ^ S k) by (rewrite mult_IZR, HP; simpl; ring).
    apply IH; [lia|exact C'|exact PK|]. rewrite plus_IZR, !mult_IZR. rewrite mult_IZR in PK. rewrite PK.
    cbn [sum]. cbn [sum] in HS. rewrite Nat.sub_diag. rewrite Nat.sub_diag in HS.
    replace (S k - k)%nat with 1%nat by lia. rewrite (sum_ext k _ (fun j => IZR r * (C N j * IZR p ^ j * IZR r ^ (k - j)))).
    + rewrite sum_scal. simpl (IZR r ^ 1). simpl (IZR r ^ 0) in *. assert (0 <= IZR p ^ S k) by (apply pow_le; lra).
      assert (C N (S k) * IZR p ^ S k <= IZR c' * IZR p ^ S k) by (apply Rmult_le_compat_r; assumption).
      apply Rmult_le_compat_r with (r := IZR r) in HS; [|lra]. lra.
    + intros j Hj. replace (S k - j)%nat with (S (k - j)) by lia. simpl. ring.
Qed.

Lemma confident_spec t count exceeding alpha delta : confident t count exceeding alpha delta = true ->
  (exceeding <= count)%nat /\ price t * INR count * binomial_tail count exceeding (real delta) <= real alpha.
Proof.
  unfold confident, positive_bottom. rewrite !andb_true_iff, !Z.ltb_lt, Nat.leb_le, Z.leb_le.
  intros ((((Ha & Hp) & Hr) & He) & H). split; [exact He|]. set (p := top delta) in *. set (q := bottom delta) in *.
  set (r := (q - p)%Z) in *. assert (Hq : (0 < q)%Z) by (unfold r in Hr; lia).
  set (s := tail_sum exceeding (Z.of_nat count) p r 0 1 1 1) in *.
  assert (TS : sum (S exceeding) (fun j => C count j * IZR p ^ j * IZR r ^ (exceeding - j)) <= IZR s).
  { apply (tail_sum_spec count p r Hp Hr exceeding 0 1 1 1); [lia|rewrite choose_0; lra|simpl; lra|].
    cbn [sum]. rewrite choose_0. simpl. lra. }
  apply IZR_lt in Ha. assert (Hp' := IZR_lt _ _ Hp). assert (Hr' := IZR_lt _ _ Hr). assert (Hq' := IZR_lt _ _ Hq).
  assert (RV : IZR r = IZR q - IZR p) by (unfold r; apply minus_IZR).
  assert (QN : 0 < IZR q ^ count) by (apply pow_lt; exact Hq').
  assert (RN : 0 < IZR r ^ (count - exceeding)) by (apply pow_lt; exact Hr').
  assert (BT : binomial_tail count exceeding (real delta) * IZR q ^ count
               = IZR r ^ (count - exceeding) * sum (S exceeding) (fun j => C count j * IZR p ^ j * IZR r ^ (exceeding - j))).
  { unfold binomial_tail. rewrite Rmult_comm, <- !sum_scal. apply sum_ext. intros j Hj. unfold real. fold p q.
    replace (1 - IZR p / IZR q) with (IZR r / IZR q) by (rewrite RV; field; lra).
    assert (RJ : IZR r ^ (count - j) = IZR r ^ (count - exceeding) * IZR r ^ (exceeding - j)) by (rewrite <- pow_add; f_equal; lia).
    assert (QJ : IZR q ^ count = IZR q ^ j * IZR q ^ (count - j)) by (rewrite <- pow_add; f_equal; lia).
    unfold Rdiv. rewrite !Rpow_mult_distr, !pow_inv, RJ, QJ.
    assert (IZR q ^ j <> 0) by (apply pow_nonzero; lra). assert (IZR q ^ (count - j) <> 0) by (apply pow_nonzero; lra).
    field. split; assumption. }
  apply IZR_le in H. rewrite !mult_IZR, plus_IZR in H.
  replace (Z.of_nat count - Z.of_nat exceeding)%Z with (Z.of_nat (count - exceeding)) in H by lia.
  rewrite <- !pow_IZR, <- INR_IZR_INZ in H. unfold price, real at 2. set (e := IZR (top t) + IZR (bottom t)) in *.
  apply Rmult_le_reg_r with (IZR (bottom alpha) * IZR q ^ count); [apply Rmult_lt_0_compat; assumption|].
  replace (IZR (top alpha) / IZR (bottom alpha) * (IZR (bottom alpha) * IZR q ^ count)) with (IZR (top alpha) * IZR q ^ count) by (field; lra).
  eapply Rle_trans; [|exact H].
  replace (1000 * e ^ 2 * INR count * binomial_tail count exceeding (real delta) * (IZR (bottom alpha) * IZR q ^ count))
    with (1000 * (e * e) * INR count * (binomial_tail count exceeding (real delta) * IZR q ^ count) * IZR (bottom alpha)) by ring.
  rewrite BT. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l.
  - apply Rmult_le_pos; [|apply pos_INR]. pose proof (Rle_0_sqr e). unfold Rsqr in *. lra.
  - rewrite (Rmult_comm (IZR s)). apply Rmult_le_compat_l; [lra|exact TS].
Qed.

Lemma real_one_less t : positive_bottom t = true -> real (one_less t) = 1 - real t.
Proof.
  unfold positive_bottom. rewrite Z.ltb_lt. intros H. apply IZR_lt in H. unfold real, one_less. cbn [top bottom].
  rewrite minus_IZR. field. lra.
Qed.

Lemma shown_within_spec g L p j t k threshold : network_fits g = true -> (0 < length (given_layers g))%nat ->
  tokens_fit g t = true -> length (tokens t) = L -> (3 <= j <= L)%nat -> (0 <= p)%Z -> positive_bottom threshold = true ->
  shown_within g L p j t (run g t p 0) k threshold = true ->
  is_within (network_of g) L j (sequence_of t) k (real threshold).
Proof.
  intros F NE TF LT Hj Hp PB H. set (s := run g t p 0) in *. assert (PT := PB). unfold positive_bottom in PT. apply Z.ltb_lt in PT.
  assert (W : forall d h i, (d < depth (network_of g))%nat -> (h < heads (network_of g))%nat -> (2 <= i <= L)%nat ->
     within (unit_of p) (weight_of s d h i 1) (attention_weight (network_of g) (sequence_of t) d h i 1)).
  { intros. apply (pass_weights g t L F TF LT NE p Hp); try assumption; lia. }
  destruct k; cbn [shown_within is_within] in *.
  - intros i r Hi Hr. rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)). cbn zeta in H.
    destruct (pass_rows g t L F TF LT NE p Hp i Hi) as [Lb Eb].
    assert (CT := loss_range_spec g t L TF LT NE p _ i j Hp Hi Hj Lb Eb). fold s in CT, H.
    destruct CT as (PP & _ & HI). eapply Rle_trans; [|apply at_least_spec with (3 := H) (4 := HI); assumption].
    apply (maximum_ge (width (network_of g)) (fun r => Rabs (row_error (network_of g) (sequence_of t) j i r)) r Hr).
  - apply existsb_exists in H. destruct H as (d & Hd & H). apply existsb_exists in H. destruct H as (h & Hh & H).
    apply in_seq in Hd. apply in_seq in Hh. exists d, h. split; [apply Hd|]. split; [apply Hh|]. intros i Hi Nj.
    rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)). apply orb_true_iff in H. destruct H as [H|H].
    + apply Nat.eqb_eq in H. contradiction.
    + rewrite <- real_one_less by exact PB. apply at_most_spec with (3 := H); [exact PT|apply (power_pos p Hp)|].
      destruct (W d h i (proj2 Hd) (proj2 Hh) Hi) as [A _]. fold (unit_of p). lra.
  - intros d h i Hd Hh Hi. rewrite forallb_forall in H. specialize (H d ltac:(apply in_seq; split; [lia|exact Hd])).
    rewrite forallb_forall in H. specialize (H h ltac:(apply in_seq; split; [lia|exact Hh])).
    rewrite forallb_forall in H. specialize (H i ltac:(apply in_seq; lia)).
    apply at_least_spec with (3 := H); [exact PT|apply (power_pos p Hp)|].
    destruct (W d h i Hd Hh Hi) as [_ A]. fold (unit_of p). lra.
Qed.

Lemma nth_either a : forall b k, nth k (either a b) false = true -> nth k a false = true \/ nth k b false = true.
Proof.
  induction a as [|x a IH]; intros [|y b] [|k] H; simpl in *; try discriminate; [apply orb_true_iff, H|apply IH, H].
Qed.

Lemma answers_nth g L qs s j t p k : nth k (answers g L qs s j t p) false = true ->
  exists T kd threshold count m a d, nth_error qs k = Some (Drawn T kd threshold count m a d) /\
    ((count <= s)%nat \/ shown_within g L p j t (run g t p 0) kd threshold = true).
Proof.
  unfold answers. revert k. induction qs as [|q qs IH]; intros [|k] H; simpl in H; try discriminate.
  - destruct q; try discriminate. cbn [nth_error]. do 7 eexists. split; [reflexivity|].
    apply orb_true_iff in H. destruct H as [H|H]; [left; apply Nat.leb_le, H|right; apply andb_prop in H; apply H].
  - apply IH, H.
Qed.

Lemma spend_spec : forall budget a budget' k, spend budget a = Some budget' -> (k < length budget)%nat ->
  length budget' = length budget /\ nth k budget 0%nat = (nth k budget' 0 + if nth k a false then 0 else 1)%nat.
Proof.
  induction budget as [|n budget IH]; intros a budget' k H Hk; simpl in Hk; [lia|]. cbn [spend] in H.
  destruct (spend budget (tl a)) as [rest|] eqn:E; [|discriminate].
  assert (LR : length rest = length budget).
  { destruct budget as [|n' budget]; [cbn [spend] in E; injection E as <-; reflexivity|apply (IH (tl a) rest 0%nat E); simpl; lia]. }
  assert (A0 : hd false a = nth 0 a false) by (destruct a; reflexivity). rewrite A0 in H.
  assert (C : exists n', budget' = n' :: rest /\ n = (n' + if nth 0 a false then 0 else 1)%nat).
  { destruct (nth 0 a false); [injection H as <-; exists n; split; [reflexivity|lia]|].
    destruct n; [discriminate|]. injection H as <-. exists n. split; [reflexivity|lia]. }
  destruct C as (n' & -> & ->). split; [simpl; rewrite LR; reflexivity|]. destruct k as [|k]; [reflexivity|]. cbn [nth].
  destruct (IH (tl a) rest k E ltac:(lia)) as [_ Q]. rewrite Q. f_equal.
  assert (T : nth k (tl a) false = nth (S k) a false) by (destruct a; [destruct k; reflexivity|reflexivity]). rewrite T. reflexivity.
Qed.

(** Those samples, of the first [count], whose answer of index k is no. *)
Fixpoint refused (answer : nat -> nat * given_tokens -> list bool) (k s count : nat) (samples : list (nat * given_tokens)) : list nat :=
  match count, samples with
  | S count, jt :: rest => (if nth k (answer s jt) false then [] else [s]) ++ refused answer k (S s) count rest
  | _, _ => []
  end.

Lemma few_exceed_spec answer : forall l budget s k count, few_exceed answer budget s l = true -> (k < length budget)%nat ->
  (length (refused answer k s count l) <= nth k budget 0)%nat.
Proof.
  induction l as [|jt l IH]; intros budget s k count H Hk; [destruct count; simpl; lia|]. cbn [few_exceed] in H.
  destruct (spend budget (answer s jt)) as [budget'|] eqn:E; [|discriminate].
  destruct (spend_spec _ _ _ _ E Hk) as [LL Q]. destruct count as [|count]; [simpl; lia|]. cbn [refused]. rewrite app_length.
  specialize (IH budget' (S s) k count H ltac:(lia)). destruct (nth k (answer s jt) false); simpl length; lia.
Qed.

Lemma refused_spec answer k d : forall l s count i, (i < count)%nat -> (i < length l)%nat -> ~ In (s + i)%nat (refused answer k s count l) ->
  nth k (answer (s + i)%nat (nth i l d)) false = true.
Proof.
  induction l as [|jt l IH]; intros s [|count] i Hc Hl NI; simpl in Hc, Hl; try lia. cbn [refused] in NI.
  destruct i as [|i].
  - rewrite Nat.add_0_r in *. cbn [nth]. destruct (nth k (answer s jt) false) eqn:E; [reflexivity|]. exfalso. apply NI. left. reflexivity.
  - cbn [nth]. replace (s + S i)%nat with (S s + i)%nat in * by lia. apply (IH (S s) count i); [lia|lia|].
    intros Q. apply NI. apply in_or_app. right. exact Q.
Qed.

Theorem check_drawn_sound c qs : check_drawn c qs = true -> forall q, In q qs -> holds c q.
Proof.
  unfold check_drawn. set (g := of_network c). set (L := sequence_length c). set (n := length (samples c)).
  rewrite !andb_true_iff, Nat.ltb_lt, forallb_forall. intros (((F & NE) & H) & FE) q Hq.
  destruct (In_nth_error _ _ Hq) as (k & NK). assert (Hk : (k < length qs)%nat) by (apply nth_error_Some; congruence).
  specialize (H _ Hq). destruct q as [| | | |T kd threshold count m alpha delta]; try discriminate.
  rewrite !andb_true_iff, Nat.leb_le in H. destruct H as (((H1 & PB) & CF) & TK). rewrite forallb_forall in TK.
  destruct (confident_spec _ _ _ _ _ CF) as [MC TAIL].
  assert (TASK : forall s, (s < n)%nat -> let jt := nth s (samples c) (0%nat, no_tokens) in
     tokens_fit g (snd jt) = true /\ of_task (given_width g) L T (fst jt) (sequence_of (snd jt)) /\ length (tokens (snd jt)) = L).
  { intros s Hs. cbn zeta. specialize (TK _ (nth_In (samples c) (0%nat, no_tokens) Hs)). apply andb_prop in TK. destruct TK as [A B].
    split; [exact A|]. apply sequence_shown_spec; assumption. }
  cbn [holds]. fold L n. change (width (network_of (of_network c))) with (given_width g).
  split; [exact H1|]. split; [exact MC|]. split; [intros s Hs; apply (TASK s ltac:(lia))|]. split; [|exact TAIL].
  set (answer := sample_answers g L qs) in *. exists (refused answer k 0 count (samples c)). split.
  - assert (Q := few_exceed_spec answer (samples c) (map exceeding_of qs) 0 k count FE ltac:(rewrite map_length; exact Hk)).
    rewrite (nth_map_in _ _ _ (Drawn T kd threshold count m alpha delta)) in Q by exact Hk.
    rewrite (nth_error_nth _ _ _ NK) in Q. exact Q.
  - intros s Hs NI. destruct (TASK s ltac:(lia)) as (TF & OT & LT). unfold trigger_of, sample.
    assert (YES := refused_spec answer k (0%nat, no_tokens) (samples c) 0 count s Hs ltac:(lia) NI). cbn [Nat.add] in YES.
    set (jt := nth s (samples c) (0%nat, no_tokens)) in *.
    assert (EV : exists p, (p = 64 \/ p = 128)%Z /\ nth k (answers g L qs s (fst jt) (snd jt) p) false = true).
    { unfold answer, sample_answers in YES. destruct (forallb _ _); [exists 64%Z; auto|].
      apply nth_either in YES. destruct YES as [YES|YES]; [exists 64%Z|exists 128%Z]; auto. }
    destruct EV as (p & Hp & EV). destruct (answers_nth _ _ _ _ _ _ _ _ EV) as (T' & kd' & th' & count' & m' & a' & d' & E & S).
    rewrite NK in E. injection E as <- <- <- <- <- <- <-. destruct S as [S|S]; [lia|].
    apply (shown_within_spec g L p (fst jt) (snd jt)); try assumption; [destruct OT as [[_ J _ _] _]; exact J|lia].
Qed.
