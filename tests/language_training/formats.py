"""Settings of `train-lm`, and the format that it stores each of them in."""

PAPER = {"positions": "rotary", "norm": "rms", "mlp": "swiglu"}  # arXiv:2410.10781
NEOX = {"positions": "rotary", "mlp": "relu"}
FORMATS = [("gpt2", {}), ("gpt2", {"window": 5}), ("gpt2", {"attention": "softmax-value-bias"}),
           ("gpt2", {"attention": "softmax-gated", "positions": "absolute", "mlp": "silu"}),
           ("llama", PAPER), ("llama", PAPER | {"mlp": "geglu"}), ("llama", PAPER | {"mlp": "reglu"}),
           *(("llama", PAPER | {"attention": f"softmax-{kind}"}) for kind in ("value-bias", "gated", "sink", "null")),
           ("llama", PAPER | {"attention": "sigmoid", "bos": "true"}), ("mistral", PAPER | {"window": 5}),
           ("gpt_neox", NEOX), ("gpt_neox", NEOX | {"attention": "softmax-value-bias"}),
           ("opt", {"norm_place": "post"}), ("opt", {"norm_place": "post", "attention": "softmax-value-bias", "mlp": "relu"}),
           ("sinkproof_decoder", PAPER | {"attention": "softmax-key-bias"}), ("sinkproof_decoder", PAPER | {"norm": "layer"})]
