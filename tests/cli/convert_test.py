"""Weights as people have them: other names, layouts and scales, as `sinkproof convert` and every command that meets them
say. What is certified of torch.nn.MultiheadAttention's weights is held against its formula, in doubles, on those weights.

usage: convert_test.py BIN_DIR SOURCE_DIR
"""
import hashlib
import json
import math
import random
import shlex
import unittest
import zipfile
from fractions import Fraction

from program import SOURCE, Case, read_tensors, run, write_tensors

SOFTMAX = SOURCE / "tests" / "checkpoints" / "softmax-d8-l8.safetensors"
TOLD = ("--attention", "softmax", "--num-heads", 1, "--scale", 1)


def flat(values):
    return [x for row in values for x in flat(row)] if isinstance(values, list) else [values]


def shape_of(values):
    return [len(values), *shape_of(values[0])] if isinstance(values, list) else []


def write(path, tensors, **metadata):
    """float32 tensors, given as nested lists."""
    write_tensors(path, {name: (shape_of(values), flat(values)) for name, values in tensors.items()}, metadata, "F32")
    return path


def drawn(seed, *shape):
    """Multiples of 1/64, which float32 holds."""
    source = random.Random(seed)

    def draw(sizes):
        return [draw(sizes[1:]) for _ in range(sizes[0])] if sizes else source.randint(-64, 64) / 64
    return draw(shape)


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def layer(d=4, wide=4, seed=1):
    """Weights and biases [out, in] of one layer."""
    q, k, v = (drawn(seed + i, wide, d) for i in range(3))
    biases = [drawn(seed + 4 + i, wide) for i in range(3)]
    return q, k, v, drawn(seed + 3, d, wide), biases, drawn(seed + 7, d)


class Folder(Case):
    def converted(self, tensors, *options, **metadata):
        source = write(self.path("in.safetensors"), tensors, **metadata)
        output = self.path("out.safetensors")
        status, stdout, stderr = run("convert", source, "-o", output, *options)
        self.assertEqual(status, 0, stderr)
        return output, stdout

    def refuse(self, code, *arguments):
        """The words of a coded error, exit code 2, and no file written."""
        before = set(self.folder.iterdir())
        status, stdout, stderr = run(*arguments)
        self.assertEqual((status, stdout), (2, ""), stderr)
        self.assertIn(f"error {code}", stderr)
        self.assertEqual(set(self.folder.iterdir()), before)
        return stderr


class Layouts(Folder):
    """One layer in many layouts is one checkpoint."""

    def layouts(self):
        q, k, v, o, (bq, bk, bv), bo = layer()
        fused, biases = q + k + v, bq + bk + bv
        linear = {"weight": [q, k, v, o], "bias": [bq, bk, bv, bo]}

        def named(*stems):
            return {stem + end: values for end in linear for stem, values in zip(stems, linear[end])}
        yield "own", named("W_Q.", "W_K.", "W_V.", "W_O.")
        yield "prefix module.", named("module.W_Q.", "module.W_K.", "module.W_V.", "module.W_O.")
        yield "hand-written", named("q_proj.", "k_proj.", "v_proj.", "o_proj.")
        yield "prefix model.", named("model.attn.q_proj.", "model.attn.k_proj.", "model.attn.v_proj.", "model.attn.out_proj.")
        yield "BERT", named("attention.self.query.", "attention.self.key.", "attention.self.value.",
                            "attention.output.dense.")
        yield "in capitals", named("W_q.", "W_k.", "W_v.", "W_o.")
        yield "diffusers", named("to_q.", "to_k.", "to_v.", "to_out.0.")
        yield "nn.MultiheadAttention", {"in_proj_weight": fused, "in_proj_bias": biases, "out_proj.weight": o,
                                        "out_proj.bias": bo}
        yield "nn.MultiheadAttention with kdim", {
            "attn.q_proj_weight": q, "attn.k_proj_weight": k, "attn.v_proj_weight": v, "attn.in_proj_bias": biases,
            "attn.out_proj.weight": o, "attn.out_proj.bias": bo}
        yield "timm", {"qkv.weight": fused, "qkv.bias": biases, "proj.weight": o, "proj.bias": bo}
        yield "nanoGPT", {"transformer.h.0.attn.c_attn.weight": fused, "transformer.h.0.attn.c_attn.bias": biases,
                          "transformer.h.0.attn.c_proj.weight": o, "transformer.h.0.attn.c_proj.bias": bo}
        yield "GPT-2", {"transformer.h.0.attn.c_attn.weight": transposed(fused),
                        "transformer.h.0.attn.c_attn.bias": biases,
                        "transformer.h.0.attn.c_proj.weight": transposed(o), "transformer.h.0.attn.c_proj.bias": bo}

    def test_are_one_checkpoint(self):
        q, k, v, o, (bq, bk, bv), bo = layer()
        expected = {"W_Q.weight": q, "W_K.weight": k, "W_V.weight": v, "W_O.weight": o,
                    "W_Q.bias": bq, "W_K.bias": bk, "W_V.bias": bv, "W_O.bias": bo}
        expected = {name: (shape_of(values), flat(values)) for name, values in expected.items()}
        for name, tensors in self.layouts():
            with self.subTest(name):
                output, stdout = self.converted(tensors, *TOLD, "--length", 8)
                metadata, made = read_tensors(output)
                self.assertEqual(made, expected)
                source = hashlib.sha256(self.path("in.safetensors").read_bytes()).hexdigest()
                self.assertEqual(metadata, {"attention": "softmax", "num_heads": "1", "residual": "false", "scale": "1",
                                            "seq_len": "8", "converted_from": source})
                self.assertIn("softmax, 1 layer of 1 head, d_model 4, residual false, logits unscaled: ", stdout)
                for old in tensors:
                    self.assertIn(f"from {old}", stdout)

    def test_narrow_heads_are_filled_with_zeros(self):
        q, k, v, o, (bq, bk, bv), bo = layer(d=4, wide=4)
        tensors = {"in_proj_weight": q + k + v, "in_proj_bias": bq + bk + bv, "out_proj.weight": o}
        output, _ = self.converted(tensors, "--attention", "softmax", "--num-heads", 2, "--scale", "1/sqrt(4)")
        metadata, made = read_tensors(output)
        self.assertEqual(metadata["scale"], "1/2")
        zeros = [[0.0] * 4] * 2
        self.assertEqual(made["W_K.weight"], ([8, 4], flat(k[:2] + zeros + k[2:] + zeros)))
        self.assertEqual(made["W_V.bias"], ([8], bv[:2] + [0.0, 0.0] + bv[2:] + [0.0, 0.0]))
        self.assertEqual(made["W_O.weight"], ([4, 8], flat([row[:2] + [0, 0] + row[2:] + [0, 0] for row in o])))
        self.assertNotIn("W_O.bias", made)

    def test_layers_are_numbered(self):
        tensors, layers = {}, [layer(seed=10 * l) for l in range(11)]
        for l, (q, k, v, o, _, _) in enumerate(layers):
            at = f"module.blocks.{l}.attn."
            tensors |= {at + "in_proj_weight": q + k + v, at + "out_proj.weight": o}
        output, _ = self.converted(tensors, *TOLD, "--residual", "true")
        made = read_tensors(output)[1]
        self.assertEqual(len(made), 44)
        for l, (_, _, v, o, _, _) in enumerate(layers):
            self.assertEqual(made[f"layers.{l}.W_V.weight"][1], flat(v))
            self.assertEqual(made[f"layers.{l}.W_O.weight"][1], flat(o))
        one, _ = self.converted(tensors, *TOLD, "--only", "module.blocks.10.attn")
        self.assertEqual(read_tensors(one)[1]["W_Q.weight"][1], flat(layers[10][0]))
        del tensors["module.blocks.3.attn.in_proj_weight"], tensors["module.blocks.3.attn.out_proj.weight"]
        self.assertIn(" 10 attention layers", self.refuse(
            "SP1112", "convert", write(self.path("gap.safetensors"), tensors), "-o", self.path("o"), *TOLD))

    def test_names_nobody_knows_are_mapped(self):
        q, k, v, o, _, _ = layer()
        tensors = {"a": q, "b": k, "c": v, "d": o, "mask": [[0.0]]}
        maps = [f"--map={old}=W_{new}.weight" for old, new in zip("abcd", "QKVO")]
        output, _ = self.converted(tensors, *TOLD, *maps, "--map", "mask=")
        self.assertEqual(read_tensors(output)[1]["W_V.weight"], ([4, 4], flat(v)))
        source = self.path("in.safetensors")
        said = self.refuse("SP1112", "convert", source, "-o", self.path("o"), *TOLD, *maps)
        self.assertIn("mask", said)
        for wrong in ("a", "e=W_Q.weight", "a=b"):
            self.refuse("SP1114", "convert", source, "-o", self.path("o"), *TOLD, "--map", wrong)
        self.refuse("SP1114", "convert", source, "-o", self.path("o"), *TOLD, "--only", "model")

    def test_words_of_the_command_line_replace_metadata(self):
        q, k, v, o, _, _ = layer()
        tensors = {"q_proj.weight": q, "k_proj.weight": k, "v_proj.weight": v, "out_proj.weight": o}
        said = {"attention": "relu", "num_heads": "1", "scale": "0.25", "seq_len": "5", "seed": "3"}
        output, stdout = self.converted(tensors, **said)
        kept = read_tensors(output)[0]
        self.assertEqual({key: kept[key] for key in said}, {**said, "scale": "1/4"})
        self.assertIn("relu, 1 layer of 1 head, d_model 4, residual false, logits scaled by 1/4", stdout)
        output, _ = self.converted(tensors, "--scale", "1/sqrt(16)", "--attention", "softmax", "--format", "json", **said)
        self.assertEqual((read_tensors(output)[0]["attention"], read_tensors(output)[0]["scale"]), ("softmax", "1/4"))

    def test_shapes_that_do_not_fit(self):
        q, k, v, o, (bq, bk, bv), _ = layer()
        good = {"q_proj.weight": q, "k_proj.weight": k, "v_proj.weight": v, "out_proj.weight": o}
        for name, values in (("k_proj.weight", k[:2]), ("q_proj.bias", bq[:3]), ("out_proj.weight", o[:3]),
                             ("out_proj.weight", [[[1.0]]]), ("out_proj.bias", bq[:2])):
            with self.subTest(name):
                source = write(self.path("in.safetensors"), {**good, name: values})
                self.refuse("SP1104", "convert", source, "-o", self.path("o"), *TOLD)
        source = write(self.path("in.safetensors"), good)
        self.refuse("SP1104", "convert", source, "-o", self.path("o"), "--attention", "softmax", "--num-heads", 3,
                    "--scale", 1)
        self.refuse("SP1101", "convert", source, "-o", self.path("o"), "--attention", "cosine", "--num-heads", 1,
                    "--scale", 1)
        bad = {**good, "q_proj.weight": [[math.nan] * 4] * 4}
        self.refuse("SP0405", "convert", write(self.path("in.safetensors"), bad), "-o", self.path("o"), *TOLD)


class MultiheadAttention(Folder):
    """torch.nn.MultiheadAttention(8, 2, batch_first=True) from its state_dict to a checked certificate."""

    def bos_attention(self, tensors, tokens, row, heads):
        """What PyTorch's formula gives position 1, causal; the least and greatest over heads."""
        q, k = tensors["in_proj_weight"][:8], tensors["in_proj_weight"][8:16]
        bq, bk = tensors["in_proj_bias"][:8], tensors["in_proj_bias"][8:16]
        width, shares = 8 // heads, []

        def project(weight, bias, x, head):
            rows = range(head * width, (head + 1) * width)
            return [sum(w * c for w, c in zip(weight[r], x)) + bias[r] for r in rows]
        for head in range(heads):
            query = project(q, bq, tokens[row - 1], head)
            scores = [math.exp(sum(a * b for a, b in zip(query, project(k, bk, x, head))) / math.sqrt(width))
                      for x in tokens[:row]]
            shares.append(scores[0] / sum(scores))
        return min(shares), max(shares)

    def test_from_state_dict_to_certificate(self):
        q, k, v, o, (bq, bk, bv), bo = layer(d=8, wide=8)
        tensors = {"in_proj_weight": q + k + v, "in_proj_bias": bq + bk + bv, "out_proj.weight": o, "out_proj.bias": bo}
        output, _ = self.converted(tensors, "--attention", "softmax", "--num-heads", 2, "--scale", "1/sqrt(4)")
        certificate = self.path("certificate.json")
        asked = ("--property", "bos-floor.post", "--property", "bos-ceiling.pre")
        status, stdout, stderr = run("certify", output, "--length", 5, *asked, "--format", "json", "-o", certificate)
        self.assertEqual(status, 0, stderr)
        found = json.loads(stdout)
        self.assertEqual((found["model"]["scale"], found["model"]["num_heads"]), ("1/2", 2))
        for entry in found["properties"]:
            tokens = [[float(Fraction(x)) for x in token] for token in entry["witness"]["tokens"]]
            least, greatest = self.bos_attention(tensors, tokens, entry["witness"]["row"], 2)
            attained = least if entry["name"] == "bos-floor.post" else greatest
            told = entry["upper"] if entry["name"] == "bos-floor.post" else entry["lower"]
            self.assertAlmostEqual(attained, float(told), places=7)
        self.assertEqual(json.loads(certificate.read_text())["model"]["scale"], "1/2")
        status, stdout, _ = run("--models", self.folder, certificate, program="sinkproof-check")
        self.assertEqual((status, "logits scaled by 1/2" in stdout), (0, True), stdout)
        self.assertEqual(self.both("--models", self.folder, certificate), 0)
        page = self.path("page.html")
        self.assertEqual(run("report", certificate, "--models", self.folder, "-o", page)[0], 0)
        self.assertIn("<dt>logits</dt><dd>scaled by 1/2</dd>", page.read_text())


class Told(Folder):
    """Anyone who meets such a file says what was found, what is expected and the line that converts."""

    def saved(self, **metadata):
        q, k, v, o, _, _ = layer(d=4, wide=4)
        return write(self.path("mine.safetensors"), {"module.in_proj_weight": q + k + v, "module.out_proj.weight": o},
                     **metadata)

    def line(self, said):
        lines = [line.strip() for line in said.splitlines() if line.strip().startswith("sinkproof convert")]
        self.assertEqual(len(lines), 1, said)
        return shlex.split(lines[0])[1:]

    def test_the_line_converts(self):
        model = self.saved()
        for verb in (("certify", model), ("measure", model, "--random", 1, "--seed", 1),
                     ("measure", SOFTMAX, "--tensor", "W_V.weight", "--model", model, "--beta", 0)):
            with self.subTest(verb[0]):
                said = self.refuse("SP1111", *verb)
                self.assertIn("module.in_proj_weight [12, 4]", said)
                self.assertIn("W_Q.weight", said)
                line = self.line(said)
                self.assertEqual(line[4:], ["--attention", "softmax", "--num-heads", "1", "--scale", "1/2"])
        self.assertEqual(run(*line, cwd=self.folder)[0], 0)
        made = self.path(line[3])
        status, stdout, stderr = run("certify", made, "--length", 4, "--property", "bos-floor.pre")
        self.assertEqual(status, 0, stderr)
        self.assertIn("softmax, 1 head, d_model 4, length 4, logits scaled by 1/2, semantics real", stdout)

    def test_what_the_file_does_not_say_is_asked_for(self):
        model = self.saved()
        said = self.refuse("SP1113", "convert", model, "-o", self.path("o"))
        self.assertIn("--attention, --num-heads, --scale", said)
        said = self.refuse("SP1113", "convert", model, "-o", self.path("o"), "--num-heads", 2, "--attention", "relu")
        self.assertIn("give --scale.", said)
        self.assertIn("--attention relu --num-heads 2 --scale '1/sqrt(2)'", said)
        q, k, v, o, _, _ = layer()
        stack = {f"h.{l}.{name}": values for l in range(2)
                 for name, values in (("c_attn.weight", q + k + v), ("c_proj.weight", o))}
        said = self.refuse("SP1113", "convert", write(self.path("s.safetensors"), stack), "-o", self.path("o"), *TOLD)
        self.assertIn("give --residual.", said)

    def test_a_whole_transformer(self):
        q, k, v, o, _, _ = layer()
        tensors = {"wte.weight": q, "h.0.ln_1.weight": q[0], "h.0.mlp.c_proj.weight": o,
                   "h.0.attn.c_attn.weight": q + k + v, "h.0.attn.c_proj.weight": o}
        model = write(self.path("gpt.safetensors"), tensors)
        said = self.refuse("SP1111", "certify", model, "--length", 8)
        for name in ("wte.weight", "h.0.ln_1.weight", "h.0.mlp.c_proj.weight", "--only h.0.attn."):
            self.assertIn(name, said)
        self.refuse("SP1112", "convert", model, "-o", self.path("o"), *TOLD)
        self.assertEqual(run("convert", model, "-o", self.path("o"), *TOLD, "--only", "h.0.attn.")[0], 0)
        strange = write(self.path("strange.safetensors"), {"conv1.weight": q, "conv1.bias": q[0]})
        self.assertIn("--map OLD=W_Q.weight", self.refuse("SP1111", "certify", strange))

    def test_a_file_of_torch_save(self):
        model = self.path("model.pt")
        with zipfile.ZipFile(model, "w") as archive:
            archive.writestr("model/data.pkl", b"\x80\x02}q\x00.")
        old = self.path("old.pt")
        old.write_bytes(b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.")
        for file in (model, old):
            for verb in (("certify", file), ("convert", file, "-o", self.path("o")), ("measure", file),
                         ("cost", file)):
                with self.subTest(verb[0]):
                    said = self.refuse("SP1110", *verb)
                    self.assertIn(f'torch.load("{file}", map_location="cpu", weights_only=True)', said)
        lines = [line[4:] for line in said.splitlines() if line.startswith("    ")]
        self.assertEqual(len(lines), 4)
        compile("\n".join(lines), "lines", "exec")

    def test_a_hugging_face_folder(self):
        folder = self.path("gpt")
        folder.mkdir()
        (folder / "config.json").write_text('{"n_head": 2, "layer_norm_epsilon": 1e-05}')
        self.refuse("SP1115", "convert", folder, "-o", self.path("o"))
        (folder / "pytorch_model.bin").write_bytes(b"PK\x03\x04")
        for code, verb in (("SP1115", ("convert", folder, "-o", self.path("o"))), ("SP1903", ("certify", folder))):
            said = self.refuse(code, *verb)
            self.assertIn(f'torch.load("{folder}/pytorch_model.bin"', said)
        (folder / "model.safetensors.index.json").write_text("{}")
        self.assertIn("max_shard_size", self.refuse("SP1115", "convert", folder, "-o", self.path("o")))
        q, k, v, o, _, _ = layer()
        write(folder / "model.safetensors", {"c_attn.weight": transposed(q + k + v), "c_proj.weight": transposed(o)})
        output = self.path("o")
        status, stdout, stderr = run("convert", folder, "-o", output, "--attention", "softmax", "--scale", 1)
        self.assertEqual(status, 0, stderr)
        self.assertEqual(read_tensors(output)[0]["num_heads"], "2")

    def test_metadata_errors_name_the_option(self):
        for key, option, wrong in (("attention", "--attention", "cosine"), ("seq_len", "--length", "-5"),
                                   ("num_heads", "--num-heads", "two"), ("num_layers", "--num-layers", "02"),
                                   ("residual", "--residual", "yes"), ("num_layers", "--num-layers", "2")):
            with self.subTest(key):
                q, k, v, o, _, _ = layer()
                told = {"attention": "softmax", "seq_len": "4", key: wrong}
                tensors = {"W_Q.weight": q, "W_K.weight": k, "W_V.weight": v, "W_O.weight": o}
                model = write(self.path("m.safetensors"), tensors, **told)
                status, _, stderr = run("certify", model)
                self.assertEqual((status, f" {option} (in a [checkpoint] table: " in stderr), (2, True), stderr)
                value = {"attention": "softmax", "seq_len": 4, "residual": "false"}.get(key, 1)
                self.assertEqual(run("certify", model, option, value, "--property", "bos-floor.pre")[0], 0)
                if key in ("attention", "seq_len"):
                    del told[key]
                    self.assertIn(f" {option} ", self.refuse("SP1102", "certify", write(model, tensors, **told)))


class Scale(Folder):
    """A scale is part of the model: it changes what is certified as it should, is stated everywhere and never guessed."""

    def models(self, factor):
        """The same model with `factor` folded into W_Q, and apart."""
        q, k, v, o, (bq, bk, bv), _ = layer(d=5, wide=5)
        tensors = {"W_Q.weight": q, "W_K.weight": k, "W_V.weight": v, "W_O.weight": o, "W_Q.bias": bq, "W_K.bias": bk}
        told = {"attention": "softmax-sink", "seq_len": "5"}
        tensors["sinks"] = [0.5]
        apart = write(self.path("apart.safetensors"), tensors, **told)
        tensors |= {"W_Q.weight": [[x * factor for x in row] for row in q], "W_Q.bias": [x * factor for x in bq]}
        return write(self.path("folded.safetensors"), tensors, **told), apart

    def bounds(self, *arguments):
        status, stdout, stderr = run("certify", *arguments, "--format", "json", "--property", "sup-loss.trigger",
                                     "--property", "bos-floor.pre")
        self.assertEqual(status, 0, stderr)
        found = json.loads(stdout)
        return found["model"]["scale"], [(p["lower"], p["upper"]) for p in found["properties"]]

    def test_it_is_as_if_folded_into_the_queries(self):
        folded, apart = self.models(0.25)
        expected = self.bounds(folded)
        self.assertEqual(expected[0], "1")
        for said in ("1/4", "0.25", "1/sqrt(16)", "25e-2"):
            self.assertEqual(self.bounds(apart, "--scale", said), ("1/4", expected[1]))
        self.assertNotEqual(self.bounds(apart)[1], expected[1])
        stored = self.path("stored.safetensors")
        self.assertEqual(run("convert", apart, "-o", stored, "--num-heads", 1, "--scale", "1/4")[0], 0)
        self.assertEqual(self.bounds(stored), ("1/4", expected[1]))
        self.assertEqual(self.bounds(stored, "--scale", "0.25"), ("1/4", expected[1]))
        certificate = self.path("other.json")
        status, stdout, stderr = run("certify", stored, "--scale", "1/2", "--property", "bos-floor.pre", "-o", certificate)
        self.assertEqual((status, "metadata: scale" in stdout), (0, True), stdout + stderr)
        with open(certificate, encoding="utf-8") as file:
            model = json.load(file)["model"]
        self.assertEqual((model["scale"], model["overrides"]), ("1/2", ["scale"]))

    def test_both_checkers_take_a_third(self):
        _, apart = self.models(1)
        certificate = self.path("c.json")
        for verb in (("certify", apart, "--property", "sup-loss.trigger", "--property", "bos-ceiling.post"),
                     ("measure", apart, "--random", 2, "--seed", 1, "--property", "sink-share")):
            status, stdout, stderr = run(*verb, "--scale", "1/3", "-o", certificate)
            self.assertEqual((status, "logits scaled by 1/3" in stdout), (0, True), stdout + stderr)
            status, stdout, _ = run("--models", self.folder, certificate, program="sinkproof-check")
            self.assertEqual((status, "logits scaled by 1/3" in stdout), (0, True), stdout)
            self.assertEqual(self.both("--models", self.folder, certificate), 0)

    def test_no_scale_is_said_too(self):
        _, apart = self.models(1)
        certificate = self.path("c.json")
        self.assertIn(", logits unscaled, ", run("certify", apart, "--property", "bos-floor.pre", "-o", certificate)[1])
        self.assertIn(", logits unscaled, ", run("measure", apart, "--random", 1, "--property", "sink-share")[1])
        self.assertIn("logits unscaled, ", run("measure", apart, "--random", 1)[1])
        page = self.path("page.html")
        self.assertEqual(run("report", certificate, "-o", page)[0], 0)
        self.assertIn("<dt>logits</dt><dd>unscaled</dd>", page.read_text())

    def test_no_scale(self):
        _, apart = self.models(1)
        for wrong in ("0", "-1/4", "one", "1/0", "1/sqrt(0)", "1/sqrt(-4)", "1/sqrt(16", "sqrt(16)", "1/" + "9" * 100):
            with self.subTest(wrong):
                self.refuse("SP1109", "certify", apart, f"--scale={wrong}")
        said = self.refuse("SP1109", "certify", apart, "--scale", "1/sqrt(48)")
        self.assertIn("--scale '1/sqrt(48)'", said)
        self.refuse("SP1508", "measure", apart, "--tensor", "W_V.weight", "--scale", "1/4")

    def test_training_does_not_begin_at_a_scaled_model(self):
        scaled = self.path("scaled.safetensors")
        self.assertEqual(run("convert", SOFTMAX, "-o", scaled, "--num-heads", 1, "--scale", "1/4")[0], 0)
        train = ("train", "--attention", "softmax", "--d-model", 8, "--length", 8, "--steps", 1, "--init")
        self.assertEqual(run(*train, SOFTMAX, "-o", self.path("m.safetensors"))[0], 0)
        self.assertIn("fold", self.refuse("SP1008", *train, scaled, "-o", self.path("n.safetensors")))


if __name__ == "__main__":
    unittest.main()
