#!/usr/bin/env python3
"""Make a folder of GPT-2's shape with 124 439 808 random float32 weights: random_gpt2.py FOLDER

Gaussian with standard deviation 0.02; 0.01 for positions, 0.02 / sqrt(24) for the maps that add to the residual
stream, as GPT-2 is initialised. Weights of norms have mean 1. Needs python3-numpy.
"""
import json
import struct
import sys
from pathlib import Path

import numpy as np

WIDTH, LAYERS, VOCABULARY, POSITIONS = 768, 12, 50257, 1024
CONFIG = {"model_type": "gpt2", "n_embd": WIDTH, "n_layer": LAYERS, "n_head": 12, "n_positions": POSITIONS,
          "vocab_size": VOCABULARY, "layer_norm_epsilon": 1e-5, "activation_function": "gelu_new"}


def tensors():
    """(name, shape, standard deviation, mean) of each."""
    small = 0.02 / 24 ** 0.5
    yield "wte.weight", (VOCABULARY, WIDTH), 0.02, 0
    yield "wpe.weight", (POSITIONS, WIDTH), 0.01, 0
    for name in [f"h.{layer}.ln_{k}" for layer in range(LAYERS) for k in (1, 2)] + ["ln_f"]:
        yield f"{name}.weight", (WIDTH,), 0.02, 1
        yield f"{name}.bias", (WIDTH,), 0.02, 0
    for layer in range(LAYERS):
        for name, rows, columns, deviation in (("attn.c_attn", WIDTH, 3 * WIDTH, 0.02), ("attn.c_proj", WIDTH, WIDTH, small),
                                               ("mlp.c_fc", WIDTH, 4 * WIDTH, 0.02), ("mlp.c_proj", 4 * WIDTH, WIDTH, small)):
            yield f"h.{layer}.{name}.weight", (rows, columns), deviation, 0
            yield f"h.{layer}.{name}.bias", (columns,), 0.02, 0


def main(folder):
    header, end = {}, 0
    for name, shape, _, _ in tensors():
        begin, end = end, end + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text, draw = json.dumps(header).encode(), np.random.default_rng(1)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, shape, deviation, mean in tensors():
            file.write((draw.standard_normal(shape, np.float32) * np.float32(deviation) + np.float32(mean)).tobytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
