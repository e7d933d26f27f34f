"""LANGUAGE_RULES.md, section 5.2: the tables of architectures and of configuration keys."""

from collections import namedtuple

from ..envelope import Decimal

# An architecture: the prefixes its names may have; the keys of width, layers and heads; (key, default) of epsilon and
# activation; the only values some keys may have; what the names of layers begin with, and those of tensors, by what
# they are; which layers have a window; and words for what sets it apart; the keys of the sizes that tensors have; what
# says which maps have biases: a key and its default, or that alone, for query, key and value, for the output's, and for
# those of the MLP.
Architecture = namedtuple("Architecture", "prefixes sizes epsilon activation only layer names window words stated biases")
HIDDEN_SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads")
LLAMA_NAMES = {"tokens": "embed_tokens", "first": "input_layernorm", "query": "self_attn.q_proj",
               "key": "self_attn.k_proj", "value": "self_attn.v_proj", "output": "self_attn.o_proj",
               "second": "post_attention_layernorm", "factor": "mlp.gate_proj", "in": "mlp.up_proj",
               "out": "mlp.down_proj", "final": "norm", "head": "lm_head"}
USUAL_SIZES = {"tokens": "vocab_size", "inner": "intermediate_size"}
OFF, NO_BIAS = (False, None), {"mlp_bias": (False, None)}
LLAMA = Architecture(("model.", ""), HIDDEN_SIZES, ("rms_norm_eps", Decimal("1e-6")), ("hidden_act", "silu"),
                     {"rope_interleaved": OFF, "sliding_window": (None,)}, "layers.", LLAMA_NAMES, None, ("rms", "rotary"),
                     USUAL_SIZES, (("attention_bias", False), ("attention_bias", False), ("mlp_bias", False)))
QWEN3 = LLAMA._replace(window="used", only=NO_BIAS | {"use_mrope": OFF},
                       names=LLAMA_NAMES | {"query norm": "self_attn.q_norm", "key norm": "self_attn.k_norm"},
                       biases=(("attention_bias", False), ("attention_bias", False), False))
ARCHITECTURES = {
    "llama": LLAMA._replace(names=LLAMA_NAMES | {"sinks": "self_attn.sinks", "gate": "self_attn.gate"}), "qwen3": QWEN3,
    "mistral": LLAMA._replace(window="always", only=NO_BIAS | {"attention_bias": OFF}, biases=(False, False, False)),
    "qwen2": QWEN3._replace(names=LLAMA_NAMES, only=QWEN3.only | {"attention_bias": (True,)}, biases=(True, False, False)),
    "gpt_oss": LLAMA._replace(window="typed", only={}, epsilon=("rms_norm_eps", Decimal("1e-5")),
                              names=LLAMA_NAMES | {"sinks": "self_attn.sinks"}, words=("rms", "rotary", "maybe no MLP"),
                              biases=(("attention_bias", True), ("attention_bias", True), False)),
    "gpt2": Architecture(
        ("", "transformer."), ("n_embd", "n_layer", "n_head"), ("layer_norm_epsilon", Decimal("1e-5")),
        ("activation_function", "gelu_new"),
        {"scale_attn_weights": (True,), "scale_attn_by_inverse_layer_idx": OFF}, "h.",
        {"tokens": "wte", "positions": "wpe", "first": "ln_1", "joined": "attn.c_attn", "output": "attn.c_proj",
         "second": "ln_2", "in": "mlp.c_fc", "out": "mlp.c_proj", "final": "ln_f", "head": "lm_head",
         "sinks": "attn.sinks", "gate": "attn.gate"}, "sinkproof_window", ("stored [in, out]",),
        USUAL_SIZES | {"inner": "n_inner", "positions": "n_positions"}, (True, True, True)),
    "gpt_neox": Architecture(
        ("gpt_neox.", ""), HIDDEN_SIZES, ("layer_norm_eps", Decimal("1e-5")), ("hidden_act", "gelu"), {}, "layers.",
        {"tokens": "embed_in", "first": "input_layernorm", "joined": "attention.query_key_value",
         "output": "attention.dense", "second": "post_attention_layernorm", "in": "mlp.dense_h_to_4h",
         "out": "mlp.dense_4h_to_h", "final": "final_layer_norm", "head": "embed_out"}, None, ("rotary", "neox"),
        USUAL_SIZES, (("attention_bias", True), ("attention_bias", True), True)),
    "opt": Architecture(
        ("model.decoder.", "decoder.", ""), HIDDEN_SIZES, (None, Decimal("1e-5")),
        ("activation_function", "relu"), {"learned_embeddings": (True,), "scale_embeddings": OFF}, "layers.",
        {"tokens": "embed_tokens", "positions": "embed_positions", "first": "self_attn_layer_norm",
         "query": "self_attn.q_proj", "key": "self_attn.k_proj", "value": "self_attn.v_proj",
         "output": "self_attn.out_proj", "second": "final_layer_norm", "in": "fc1", "out": "fc2",
         "final": "final_layer_norm", "head": "lm_head", "into": "project_in", "out of": "project_out"}, None,
        ("from row 2",), USUAL_SIZES | {"inner": "ffn_dim", "positions": "max_position_embeddings"},
        (("enable_bias", True),) * 3),
    "sinkproof": Architecture(
        ("",), HIDDEN_SIZES, (None, Decimal("1")), ("hidden_act", "relu"), {}, "layers.",
        {"tokens": "embed", "positions": "positions", "query": "attention.query", "key": "attention.key",
         "value": "attention.value", "output": "attention.output", "in": "mlp.in", "out": "mlp.out",
         "head": "unembed"}, None, ("plain",), USUAL_SIZES | {"positions": "max_position_embeddings"},
        (("attention_bias", False), ("attention_bias", False), ("mlp_bias", False))),
    "bert": Architecture(
        ("bert.", ""), HIDDEN_SIZES, ("layer_norm_eps", Decimal("1e-12")), ("hidden_act", "gelu"),
        {"position_embedding_type": ("absolute",), "is_decoder": OFF, "is_causal": (False,), "directionality": ("bidi",)},
        "encoder.layer.",
        {"tokens": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings",
         "types": "embeddings.token_type_embeddings", "embedding": "embeddings.LayerNorm",
         "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
         "output": "attention.output.dense", "first": "attention.output.LayerNorm", "in": "intermediate.dense",
         "out": "output.dense", "second": "output.LayerNorm"}, None, ("after", "encoder", "gamma and beta"),
        USUAL_SIZES | {"positions": "max_position_embeddings", "types": "type_vocab_size"}, (True, True, True)),
}
# Keys that change nothing: of all models, and by model_type.
NEUTRAL = set("""
    _attn_implementation_autoset custom_pipelines sentence_transformers xla_device n_special eos_token_ids
    sbert_ce_default_activation_function cache_implementation max_time stop_strings _commit_hash _flash_attn_2_enabled _name_or_path architectures dtype name_or_path
    tokenizer_class torch_dtype torchscript transformers.js_config transformers_version unsloth_fixed unsloth_version
    use_bfloat16 chunk_size_feed_forward output_attentions output_hidden_states output_past return_dict use_cache
    use_return_dict attention_dropout classifier_dropout gradient_checkpointing initializer_factor initializer_range
    tf_legacy_loss _num_labels finetuning_task id2label label2id num_labels problem_type task_specific_params
    bos_token_id cls_token_id decoder_start_token_id eos_token_id mask_token_id pad_token_id sep_token_id unk_token_id
    bad_words_ids begin_suppress_tokens diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size
    epsilon_cutoff eta_cutoff exponential_decay_length_penalty forced_bos_token_id forced_eos_token_id length_penalty
    max_length max_new_tokens min_length min_new_tokens min_p no_repeat_ngram_size num_beam_groups num_beams
    num_return_sequences output_scores penalty_alpha prefix remove_invalid_values renormalize_logits repetition_penalty
    return_dict_in_generate suppress_tokens temperature top_k top_p typical_p""".split())
LLAMA_NEUTRAL = ("is_decoder", "max_position_embeddings", "pretraining_tp")
EXPERTS = ("experts_per_token", "num_experts", "num_experts_per_tok", "num_local_experts", "swiglu_alpha",
           "swiglu_limit", "output_router_logits", "router_aux_loss_coef")  # where there is no MLP
OWN_NEUTRAL = {
    "sinkproof": (),
    "llama": (*LLAMA_NEUTRAL, "is_llama_config", "max_sequence_length"), "mistral": LLAMA_NEUTRAL,
    **dict.fromkeys(("qwen2", "qwen3"), (*LLAMA_NEUTRAL, "max_window_layers", "sliding_window")),
    "gpt_oss": LLAMA_NEUTRAL + EXPERTS,
    "gpt2": """attn_pdrop embd_pdrop is_decoder n_ctx predict_special_tokens reorder_and_upcast_attn resid_pdrop
        summary_activation summary_first_dropout summary_proj_to_labels summary_type summary_use_proj""".split(),
    "gpt_neox": ("attention_probs_dropout_prob", "hidden_dropout", "hidden_dropout_prob", "is_decoder",
                 "max_position_embeddings"),
    "opt": ("activation_dropout", "dropout", "init_std", "is_decoder", "layerdrop"),
    "bert": """attention_probs_dropout_prob hidden_dropout_prob language name pooler_fc_size
        pooler_num_attention_heads pooler_num_fc_layers pooler_size_per_head pooler_type tie_word_embeddings""".split()}
# The values under which other keys change nothing, of all models.
IMPLEMENTATIONS = (None, "eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention")
ONLY = {"_attn_implementation": IMPLEMENTATIONS, "_attn_implementation_internal": IMPLEMENTATIONS,
        "attn_implementation": IMPLEMENTATIONS, "auto_map": ({}, None), "pruned_heads": ({}, None), "is_causal": (True,),
        **dict.fromkeys(("add_cross_attention", "is_encoder_decoder", "tie_encoder_decoder"), OFF),
        **dict.fromkeys(("compression_config", "cross_attention_hidden_size", "quantization", "quantization_config"),
                        (None,))}
# Other names of gpt2's keys.
ALIASES = {"hidden_size": "n_embd", "max_position_embeddings": "n_positions", "num_attention_heads": "n_head",
           "num_hidden_layers": "n_layer"}
MUST_BE_THERE = {"mistral": ("num_key_value_heads", "sliding_window"), "qwen2": ("num_key_value_heads",),
                 "qwen3": ("num_key_value_heads", "head_dim"),
                 "gpt_oss": ("num_key_value_heads", "head_dim", "sliding_window")}
# Tensors that may be there unread: of a layer, and of the model; and where a layer has no MLP.
MASKS = ("attn.bias", "attn.masked_bias")
UNREAD = {"gpt2": (MASKS, ()), "sinkproof": ((), ()), "opt": ((), ("version",)),
          "gpt_neox": (("attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"),
                       ("rotary_emb.inv_freq",)),
          "bert": ((), ("embeddings.position_ids", "embeddings.token_type_ids", "pooler.dense.weight",
                        "pooler.dense.bias"))}
LLAMA_UNREAD = (("self_attn.rotary_emb.inv_freq",), ("rotary_emb.inv_freq",))
WITHOUT_MLP = ("post_attention_layernorm.weight", "mlp.router.weight", "mlp.router.bias")
LAYER_TYPES = {"full_attention": False, "sliding_attention": True}
