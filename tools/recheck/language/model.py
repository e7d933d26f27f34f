"""LANGUAGE_RULES.md, section 5.2: the model that config.json and the tensors define."""

import itertools
from array import array as doubles
from collections import namedtuple
from fractions import Fraction
from functools import cached_property

from ..arithmetic import split
from ..checkpoint.model import ATTENTIONS, Map
from ..envelope import array, same_json
from ..refusal import require
from .architectures import (ALIASES, ARCHITECTURES, EXPERTS, LAYER_TYPES, LLAMA_UNREAD, MUST_BE_THERE, NEUTRAL, ONLY,
                            OWN_NEUTRAL, UNREAD, WITHOUT_MLP)
from .config import Keys, boolean, given, keys_of, one_of, positive, shown_key, whole_number
from .files import CONFIG
from .functions import ACTIVATIONS
from .rotary import read_rotary

MAX_LAYERS, MAX_WINDOW = 512, 1 << 40

# `maps` and `norms` by what they are above; `window` None where there is none.
LanguageLayer = namedtuple("LanguageLayer", "maps norms slots window inner")


class LanguageModel:
    """Section 5.2: the model in a folder, whose positions and tokens must suffice for these sequences."""

    def __init__(self, config, tensors, sequences, assumed=()):
        config = Keys(config)
        name = given(config, "model_type", None, one_of, ARCHITECTURES)
        self.of, self.tensors = ARCHITECTURES[name], tensors
        self.rms, self.after, self.encoder, self.plain = (
            word in self.of.words for word in ("rms", "after", "encoder", "plain"))
        self.check_values(config, name)
        self.read_sizes(config)
        self.stated = {part: None if config.get(key) is None else given(config, key, None, whole_number, 1, MAX_WINDOW)
                       for part, key in self.of.stated.items()}
        key, usual = self.of.epsilon
        self.epsilon = given(config, key, usual, positive) if key else positive(usual, "epsilon")
        self.activation = given(config, *self.of.activation, one_of, ACTIVATIONS)
        usual = "softmax-sink" if name == "gpt_oss" else "softmax"
        kind = given(config, "sinkproof_attention", usual, one_of, ATTENTIONS) if "gate" in self.of.names else usual
        self.attention, neox = ATTENTIONS[kind], "neox" in self.of.words
        self.rotary = None
        if "rotary" in self.of.words:
            self.rotary = read_rotary(config, self.width, neox, None if name == "gpt_oss" else 10000)
        self.parallel = neox and given(config, "use_parallel_residual", True, boolean)
        self.read_parts(config, name)
        windows = self.read_windows(config)
        own = {"sinkproof_attention": kind != usual, "sinkproof_window": name == "gpt2" and windows[0] is not None}
        self.own, self.name = [key for key, counts in own.items() if counts], name
        tied = "head" in self.of.names and given(config, "tie_word_embeddings", name in ("gpt2", "opt"), boolean)
        biased = self.plain and given(config, "unembed_bias", False, boolean)
        config.refuse_others({*NEUTRAL, *OWN_NEUTRAL[name]})
        for key in assumed:
            require(key not in config.asked or key in ONLY or key in self.of.only,
                    f"{CONFIG}: the model is read by the key {shown_key(key)}, which cannot be assumed neutral")
        self.experts = next((key for key in EXPERTS if name == "gpt_oss" and key in config), None)
        self.prefix = next((prefix for prefix in self.of.prefixes
                            if f"{prefix}{self.of.names['tokens']}.weight" in tensors.of), None)
        require(self.prefix is not None, "the model has no token embedding")
        self.read_embeddings(sequences)
        self.read_head(tied, biased)
        self.norms = {part: self.norm(self.prefix + self.of.names[part], self.n)
                      for part in ("embedding", "final") if part in self.of.names and (part != "final" or self.last)}
        own, masks = UNREAD.get(name, LLAMA_UNREAD)[::-1]
        self.tensors.read |= {self.prefix + tensor for tensor in own}
        self.tensors.read |= {f"{self.prefix}{self.of.layer}{l}.{tensor}" for l in range(self.count) for tensor in masks}
        self.layers = [self.read_layer(l, window) for l, window in enumerate(windows)]
        for tensor in tensors.of.keys() - tensors.read:
            require(not self.inside(tensor), f"nothing reads the tensor {tensor[:80]!r}: it is another model")

    def remarks(self, assumed):
        """What every verdict says: keys that are assumed neutral, what is another model than transformers', and of which
        texts it is true."""
        said = [f"assumes that {keys_of(assumed)} change{'s' * (len(assumed) == 1)} nothing"] if assumed else []
        if self.own:
            said.append(f"computes with {keys_of(self.own)}, which transformers ignores")
        if "maybe no MLP" in self.of.words:
            dense = [layer.inner > 0 for layer in self.layers]
            said.append(f"computes {self.name} " + (
                "without experts: the files hold none, and every layer is attention alone" if not any(dense) else
                "with one MLP in place of the experts" +
                " in some layers, and attention alone in the others" * (not all(dense))))
        if not self.encoder:
            said.append("true of these rows in every text that begins with these tokens (ca-1)")
        return "; ".join(said)

    def check_values(self, config, name):
        for key, values in [*ONLY.items(), *self.of.only.items()]:
            value = config.get(key)
            require(key not in config or any(same_json(value, x) for x in values), f"{CONFIG}: key {key} is not {values}")
        for key in MUST_BE_THERE.get(name, ()):
            require(key in config, f"{CONFIG} lacks {key}")
        for key, of in ALIASES.items() if name == "gpt2" else ():
            value = config.get(key)
            require(key not in config or of in config and same_json(value, config[of]), f"{CONFIG}: {key} is not {of}")

    def read_parts(self, config, name):
        """Which norms, projections and biases there are."""
        self.weighted, self.last, self.token_width = True, True, self.n
        if name == "opt":
            before = given(config, "do_layer_norm_before", True, boolean)
            self.after, removed = not before, given(config, "_remove_final_layer_norm", False, boolean)
            self.last = before and not removed
            self.weighted = given(config, "layer_norm_elementwise_affine", True, boolean)
            self.token_width = given(config, "word_embed_proj_dim", self.n, whole_number, 1, self.n)
        self.biases = [(None, rule) if type(rule) is bool else (rule[0], given(config, *rule, boolean))
                       for rule in self.of.biases]
        for key in ("hidden_act", "mlp_bias") if self.plain and self.stated["inner"] is None else ():
            require(config.get(key) is None, f"{CONFIG}: {key} is about an MLP, but without intermediate_size there is none")

    def read_head(self, tied, biased):
        """`vocabulary` is 0 where there are no logits."""
        self.vocabulary, tokens = len(self.tables["tokens"]) // self.token_width, f"{self.prefix}{self.of.names['tokens']}"
        head = f"{self.of.names['head']}.weight" if "head" in self.of.names else None
        own = head is not None and head in self.tensors.of
        self.head = self.tensors.values(head, self.vocabulary, self.token_width)[0] if own else None
        if tied:
            same = own and self.head.tobytes() == self.tables["tokens"].tobytes()
            same = same and self.tensors.of[head][2] == self.tensors.of[f"{tokens}.weight"][2]
            require(not own or same, f"{CONFIG}: tie_word_embeddings is true, but {head} is not the token embedding")
            self.head = self.tables["tokens"]
        if self.head is None:
            self.vocabulary = 0
        require(self.head is not None or not biased, f"{CONFIG}: unembed_bias is true, but the unembedding is missing")
        bias = f"{self.of.names.get('head')}.bias"
        require(not self.plain or self.head is None or biased == (bias in self.tensors.of),
                f"{CONFIG}: unembed_bias contradicts {bias}")
        self.head_bias = self.tensors.values(bias, self.vocabulary)[0] if biased and self.vocabulary else None

    def inside(self, tensor):
        """Whether a tensor's name begins as one of this architecture's does, under any prefix; sinkproof's has no others."""
        if self.plain:
            return True
        own = [self.of.names.get(part, "") for part in ("tokens", "positions", "final", "into", "out of")]
        own = {name.split(".")[0] + "." for name in (*own, self.of.layer) if name}
        head = self.of.names.get("head", "")
        return bool(head) and tensor.startswith(head + ".") or any(
            prefix and tensor.startswith(prefix) or tensor.startswith(tuple(prefix + name for name in own))
            for prefix in self.of.prefixes)

    def read_sizes(self, config):
        self.n, self.count, self.heads = (given(config, key, None, whole_number) for key in self.of.sizes)
        grouped_config = config if self.rms else {}  # what is not llama's has no such key
        self.key_heads = given(grouped_config, "num_key_value_heads", self.heads, whole_number)
        grouped_config = config if self.rms or self.plain else {}
        require(grouped_config.get("head_dim") is not None or self.n % self.heads == 0,
                f"{CONFIG}: the heads do not divide the width")
        self.width = given(grouped_config, "head_dim", self.n // self.heads, whole_number)
        self.size = self.heads * self.width
        require(max(self.n, self.size) <= 65536 and self.count <= MAX_LAYERS and self.heads <= 1024
                and self.heads % self.key_heads == 0, f"{CONFIG}: a size is out of range")

    def read_windows(self, config):
        """The window of each layer."""
        rule, types = self.of.window, None
        key = rule if rule == "sinkproof_window" else "sliding_window"
        if rule in ("used", "typed"):
            if (words := config.get("layer_types")) is not None:
                types = [LAYER_TYPES[one_of(x, "layer_types", LAYER_TYPES)] for x in array(words, "layer_types", self.count)]
        used = bool(rule) and (rule != "used" or given(config, "use_sliding_window", False, boolean))
        require(not used or rule != "used" or key in config, f"{CONFIG} lacks {key}")
        window = config.get(key) if used else None
        if window is None:
            require(not types or not any(types), f"{CONFIG}: layer_types has a window where there is none")
            return [None] * self.count
        window = given(config, key, None, whole_number, 1, MAX_WINDOW)
        require(rule != "typed" or types is not None, f"{CONFIG} lacks layer_types")
        if rule == "used" and (types is None or config.get("max_window_layers") is not None):
            start = given(config, "max_window_layers", None, whole_number, 0, MAX_LAYERS)
            own = [l >= start for l in range(self.count)]
            require(types in (None, own), f"{CONFIG}: layer_types and max_window_layers contradict each other")
            types = own
        return [window if x else None for x in types or [True] * self.count]

    def read_embeddings(self, sequences):
        """`tables`: the values of token, position and type embeddings, a row after the other."""
        self.first_position = 2 if "from row 2" in self.of.words else 0
        least = {"tokens": max(map(max, sequences)) + 1, "positions": max(map(len, sequences)) + self.first_position,
                 "types": 1}
        self.tables = {}
        for part in least.keys() & self.of.names.keys():
            name = f"{self.prefix}{self.of.names[part]}.weight"
            width = self.token_width if part == "tokens" else self.n
            self.tables[part], (rows, _) = self.tensors.values(name, None, width)
            require(rows >= least[part], f"a sequence has a token or position beyond the model's {part}")
            self.agree(part, rows - (self.first_position if part == "positions" else 0))
        self.into = self.out_of = None
        if self.token_width != self.n:
            self.into = self.plain_map("into", self.n, self.token_width)
            self.out_of = self.plain_map("out of", self.token_width, self.n)

    def agree(self, part, size):
        require(self.stated.get(part) in (None, size), f"{CONFIG}: key {self.of.stated.get(part)} is not {size}")

    def plain_map(self, part, rows, columns):
        return Map(self.tensors.values(f"{self.prefix}{self.of.names[part]}.weight", rows, columns)[0], None, columns)

    def norm(self, name, width):
        """A map of one column: what each coordinate is multiplied by, and what is added."""
        if not self.weighted:
            require(f"{name}.weight" not in self.tensors.of, f"{CONFIG}: layer_norm_elementwise_affine contradicts {name[:80]}")
            return Map(doubles("d", [1.0] * width), None, 1)
        old = "gamma and beta" in self.of.words and f"{name}.weight" not in self.tensors.of
        bias = None if self.rms else self.tensors.values(f"{name}.{'beta' if old else 'bias'}", width)[0]
        return Map(self.tensors.values(f"{name}.{'gamma' if old else 'weight'}", width)[0], bias, 1)

    def rows_of(self, name, rows, columns, biases):
        """The rows of a map, as they would be stored [out, in], and its bias; `biases` are what says it, and whether."""
        key, has = biases
        require(key is None or has == (f"{name}.bias" in self.tensors.of), f"{CONFIG}: {key} contradicts {name[:80]}.bias")
        turned_about = "stored [in, out]" in self.of.words
        weight, shape = self.tensors.values(f"{name}.weight", *((columns, rows) if turned_about else (rows, columns)))
        split_ = [weight[k::shape[1]] for k in range(shape[1])] if turned_about else split(weight, shape[1])
        return split_, self.tensors.values(f"{name}.bias", len(split_))[0] if has else doubles("d")

    @cached_property
    def head_of_differences(self):
        return Map(self.head, None, self.token_width)

    @cached_property
    def head_map(self):
        return Map(self.head, self.head_bias, self.token_width)

    def read_layer(self, l, window):
        def named(part):
            return f"{self.prefix}{self.of.layer}{l}.{self.of.names[part]}"

        def add_map(part, of, bias):
            maps[part] = Map(doubles("d", itertools.chain(*of)), bias, len(of[0]))
        maps, norms, n, small = {}, {}, self.n, self.key_heads * self.width
        if "joined" in self.of.names:
            rows, bias = self.rows_of(named("joined"), 3 * self.size, n, self.biases[0])
            for k, part in enumerate(("query", "key", "value")):
                # of each head in turn its queries, keys and values, or all heads of each of these
                at = [r for r in range(3 * self.size)
                      if (r // self.width % 3 if "neox" in self.of.words else r // self.size) == k]
                add_map(part, [rows[r] for r in at], doubles("d", (bias[r] for r in at if bias)))
        else:
            for part, size in (("query", self.size), ("key", small), ("value", small)):
                add_map(part, *self.rows_of(named(part), size, n, self.biases[0]))
        add_map("output", *self.rows_of(named("output"), n, self.size, self.biases[1]))
        inner = 0
        if "maybe no MLP" in self.of.words and named("in") + ".weight" not in self.tensors.of:
            self.tensors.read |= {f"{self.prefix}{self.of.layer}{l}.{name}" for name in WITHOUT_MLP}
        elif not self.plain or self.stated["inner"] is not None:
            require(self.experts is None, f"{CONFIG}: key {self.experts} is about experts, but there is an MLP")
            add_map("in", *self.rows_of(named("in"), None, n, self.biases[2]))
            inner = len(maps["in"].rows)
            self.agree("inner", inner)
            add_map("out", *self.rows_of(named("out"), n, inner, self.biases[2]))
            if "factor" in self.of.names:
                add_map("factor", *self.rows_of(named("factor"), inner, n, self.biases[2]))
        for part, width in (("first", n), ("second", n), ("query norm", self.width), ("key norm", self.width)):
            if part in self.of.names and (inner or part != "second"):
                norms[part] = self.norm(named(part), width)
        slots = [[Fraction(0)] * (self.attention.slot or 0)] * self.heads
        if self.attention.own == "sinks":
            slots = [[Fraction(x)] for x in self.tensors.values(named("sinks"), self.heads)[0]]
        elif self.attention.own:
            weight = self.tensors.values(named("gate") + ".weight", self.heads, n)[0]
            maps["gate"] = Map(weight, self.tensors.values(named("gate") + ".bias", self.heads)[0], n)
        return LanguageLayer(maps, norms, slots, window, inner)
