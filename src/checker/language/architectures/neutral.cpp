// Keys of any model's config.json that leave its numbers as they are: names, dtypes, token ids,
// labels, settings of training, of generation and of what a program returns.
#include "language/architecture.hpp"

namespace sinkproof::language {

const std::vector<std::string_view> kNeutral = {
    // Names, dtypes (weights are what is stored) and programs.
    "_attn_implementation_autoset", "custom_pipelines", "sentence_transformers", "xla_device",
    "_commit_hash", "_flash_attn_2_enabled", "_name_or_path", "architectures", "dtype",
    "name_or_path", "tokenizer_class", "torch_dtype", "torchscript", "transformers.js_config",
    "transformers_version", "unsloth_fixed", "unsloth_version", "use_bfloat16",
    // What is returned, and in which pieces it is computed.
    "chunk_size_feed_forward", "output_attentions", "output_hidden_states", "output_past",
    "return_dict", "use_cache", "use_return_dict",
    // Training.
    "attention_dropout", "classifier_dropout", "gradient_checkpointing", "initializer_factor",
    "initializer_range", "tf_legacy_loss",
    // Heads of other tasks.
    "_num_labels", "finetuning_task", "n_special", "sbert_ce_default_activation_function",
    "id2label", "label2id", "num_labels", "problem_type", "task_specific_params",
    // Token ids.
    "bos_token_id", "cls_token_id", "decoder_start_token_id", "eos_token_id", "eos_token_ids",
    "mask_token_id", "pad_token_id", "sep_token_id", "unk_token_id",
    // Generation.
    "bad_words_ids", "begin_suppress_tokens", "cache_implementation", "max_time", "stop_strings",
    "diversity_penalty", "do_sample", "early_stopping", "encoder_no_repeat_ngram_size",
    "epsilon_cutoff", "eta_cutoff", "exponential_decay_length_penalty", "forced_bos_token_id",
    "forced_eos_token_id", "length_penalty", "max_length", "max_new_tokens", "min_length",
    "min_new_tokens", "min_p", "no_repeat_ngram_size", "num_beam_groups", "num_beams",
    "num_return_sequences", "output_scores", "penalty_alpha", "prefix", "remove_invalid_values",
    "renormalize_logits", "repetition_penalty", "return_dict_in_generate", "suppress_tokens",
    "temperature", "top_k", "top_p", "typical_p"};

namespace {

constexpr std::string_view kImplementations =
    R"([null, "eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention"])";
constexpr std::string_view kQuantised =
    "the weights are quantised, and only weights stored as F64, F32, F16 or BF16 are computed; "
    "load "
    "the model in Python, call model.dequantize() and save_pretrained(FOLDER), and read FOLDER";

}  // namespace

const std::vector<Only> kOnly = {
    {"_attn_implementation", kImplementations},
    {"_attn_implementation_internal", kImplementations},
    {"add_cross_attention", "[false, null]"},
    {"attn_implementation", kImplementations},
    {"auto_map", "[{}, null]",
     "names code of the model's own, which may compute something else than the architecture does"},
    {"compression_config", "[null]", kQuantised},
    {"cross_attention_hidden_size", "[null]"},
    {"is_causal", "[true]"},
    {"is_encoder_decoder", "[false, null]"},
    {"pruned_heads", "[{}, null]"},
    {"quantization", "[null]", kQuantised},
    {"quantization_config", "[null]", kQuantised},
    {"tie_encoder_decoder", "[false, null]"}};

}  // namespace sinkproof::language
