# SPDX-License-Identifier: BSD-3-Clause
"""Weights of other Linformers through `model import`, `model info` and `features` on .npy rows."""

import glob
import json
import os
import unittest

import numpy as np
import safetensors_file
from program import ProgramTest, bytes_of, relative_l2

PARITY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../data/parity")

# Options of the cases whose metadata do not tell them.
OPTIONS = {
    "convolution": ["--method", "convolution"],
    "full": ["--full-attention"],
    "issue_five_points_full": ["--full-attention"],
    "no_ff_relu": ["--activation", "relu"],
    "no_params": ["--method", "no_params"],
}


class Case:
    """A parity case as its PyTorch user has it: a state_dict, rows, and what they gave."""

    def __init__(self, path):
        self.name = os.path.basename(path)[: -len(".safetensors")]
        tensors, metadata = safetensors_file.read(path)
        case = json.loads(metadata["case"])
        self.kind, self.arguments = case["class"], case["args"]
        self.options = case.get("import", OPTIONS.get(self.name, []))
        self.state = {name[len("model."):]: tensor for name, tensor in tensors.items()
                      if name.startswith("model.")}
        self.state.update({name: t for name, t in tensors.items() if name.startswith("fixed_projection")})
        self.tensors = tensors

    def is_lucidrains(self):
        return "lucidrains-linformer" in self.options


def cases():
    paths = sorted(glob.glob(os.path.join(PARITY, "*.safetensors")))
    return [Case(path) for path in paths if not path.endswith("positions_3d.safetensors")]


def expected_config(case):
    """What the constructor's arguments say about the model."""
    a, option = case.arguments, case.options
    if case.kind == "LinearAttentionHead":
        return {"channels": 5, "heads": 1, "head_width": 5, "depth": 1, "feed_forward": 0, "norm": "none"}
    if case.is_lucidrains():
        return {"channels": a["dim"], "heads": a["heads"], "depth": a["depth"], "norm": "pre",
                "head_width": a.get("dim_head", a["dim"] // a["heads"]), "feed_forward": 4 * a["dim"],
                "dropout": 0.0}
    depth = a.get("depth", 1)
    inner = a.get("ff_intermediate") if depth > 1 else None
    decoder = "--decoder" in option
    return {
        "channels": a["channels"], "heads": a["nhead"],
        "head_width": a.get("dim_d") or a.get("dim") or a["channels"] // a["nhead"],
        "depth": depth * (2 if decoder else 1), "decoder": decoder,
        "feed_forward": a.get("dim_ff", 0) if a.get("include_ff", True) else 0,
        "norm": "none" if case.kind == "MHAttention" else "post",
        "output_intermediate": a.get("w_o_intermediate_dim") or 0, "inner_channels": inner or 0,
        "activation": a.get("activation", "gelu"),
        "causal": "legacy" if a.get("causal") else "none",
        "mechanism": "full" if a.get("full_attention") else "linformer",
        "dropout": 0.1, "feed_forward_dropout": 0.15,
    }


def expected_projections(case):
    """Sharing, number of matrices, k or strides by layer."""
    a = case.arguments
    if case.kind == "LinearAttentionHead":
        return None
    heads = a.get("nhead", a.get("heads"))
    layers = a.get("depth", 1) * (2 if "--decoder" in case.options else 1)
    if case.is_lucidrains():
        sharing = "kv" if a.get("share_kv") else "headwise"
    else:
        sharing = a.get("parameter_sharing", "layerwise")
    counts = {"none": 2 * heads * layers, "headwise": 2 * layers, "kv": layers, "layerwise": 1}
    less = 0 if sharing == "layerwise" else a.get("k_reduce_by_layer", 0)
    pair = 2 if "--decoder" in case.options else 1
    k = [max(1, a.get("dim_k", a.get("k")) - i // pair * less) for i in range(layers)]
    if a.get("method") == "convolution":
        return sharing, counts[sharing], "stride_by_layer", [a["input_size"] // each for each in k]
    return sharing, counts[sharing], "k_by_layer", k


class ImportTest(ProgramTest):
    def import_case(self, case, *more):
        state, model = self.path("state.safetensors"), self.path("model.safetensors")
        safetensors_file.write(state, case.state, {"format": "pt"})
        return model, self.json_of("model", "import", state, model, *case.options, *more)

    def encode(self, case, model, device):
        arguments, options = [self.path("rows.npy")], ["--model", model, "--device", device]
        np.save(arguments[0], case.tensors["input"])
        if "surface" in case.tensors:
            np.save(self.path("surface.npy"), case.tensors["surface"])
            options += ["--surface", self.path("surface.npy")]
        if "input_mask" in case.tensors:
            np.save(self.path("mask.npy"), case.tensors["input_mask"])
            options += ["--mask", self.path("mask.npy")]
            if "--decoder" in case.options:
                options += ["--query-mask", self.path("mask.npy")]
        if case.name == "padder":
            options += ["--length", "pad"]
        return self.features(*arguments, *options)


class Parity(ImportTest):
    def test_every_case(self):
        for case in cases():
            with self.subTest(case.name):
                model, _ = self.import_case(case)
                self.assertLessEqual(
                    relative_l2(self.encode(case, model, "reference"), case.tensors["output"]), 1e-12)
                self.assertLessEqual(
                    relative_l2(self.encode(case, model, "auto"), case.tensors["output"]), 2e-6)

    def test_a_small_difference_is_seen(self):
        case = cases()[0]
        model, _ = self.import_case(case)
        rows = self.encode(case, model, "reference")
        self.assertGreater(relative_l2(rows + 1e-9, case.tensors["output"]), 1e-12)


class Import(ImportTest):
    def test_summary_and_info_say_what_the_arguments_were(self):
        for case in cases():
            with self.subTest(case.name):
                model, summary = self.import_case(case)
                info = self.json_of("model", "info", model)
                self.assertEqual(summary["hash"], info["hash"])
                for name, value in expected_config(case).items():
                    self.assertEqual(info["config"][name], value, name)
                if info["config"]["mechanism"] == "full" or expected_projections(case) is None:
                    continue
                sharing, count, name, values = expected_projections(case)
                self.assertEqual(info["config"]["projection"]["sharing"], sharing)
                self.assertEqual(info["projections"], count)
                self.assertEqual(info[name], values)

    def test_help_has_an_example(self):
        self.assertRegex(self.run_program("model", "import", "--help").stdout, r"Example.*\n +pcl_attention ")

    def test_same_state_same_bytes(self):
        for case in cases():
            model, _ = self.import_case(case)
            first = bytes_of(model)
            os.remove(model)
            self.assertEqual(bytes_of(self.import_case(case)[0]), first, case.name)

    def test_aliases_of_save_model(self):
        case = next(case for case in cases() if case.name == "layerwise")
        whole = self.import_case(case)[1]["hash"]
        kept, metadata = {}, {"format": "pt"}
        for name, tensor in case.state.items():
            same = [other for other, stored in kept.items()
                    if stored.shape == tensor.shape and (stored == tensor).all() and ".heads." in other]
            if same:
                metadata[name] = same[0]
            else:
                kept[name] = tensor
        self.assertLess(len(kept), len(case.state))
        safetensors_file.write(self.path("aliases.safetensors"), kept, metadata)
        summary = self.json_of("model", "import", self.path("aliases.safetensors"), self.path("m.safetensors"))
        self.assertEqual(summary["hash"], whole)

    def test_what_was_told_and_what_was_assumed(self):
        case = next(case for case in cases() if case.name == "no_ff_relu")
        _, summary = self.import_case(case, "--dropout", 0.25, "--fields", ",".join("abcdefghijklmnop"))
        self.assertEqual(summary["given"]["--dropout"], "0.25")
        self.assertEqual(summary["given"]["--fields"], ",".join("abcdefghijklmnop"))
        self.assertEqual(summary["assumed"]["--causal"], "none")
        self.assertEqual(len(summary["config"]["input"]["fields"]), 16)
        printed = self.run_program("model", "import", self.path("state.safetensors"),
                                   self.path("m.safetensors"), *case.options).stdout
        for part in ("read from names and shapes: depth 2, channels 16", "assumed, for the file cannot tell",
                     "sharing layerwise with 1 matrices", "k 12 12 for 96 points"):
            self.assertIn(part, printed)

    def test_smooth_takes_any_number_of_points_and_says_what_it_leaves_out(self):
        case = next(case for case in cases() if case.name == "layerwise")
        model, summary = self.import_case(case, "--length", "smooth", "--cosines", 8)
        self.assertEqual(summary["given"]["--length"], "smooth")
        self.assertEqual(summary["config"]["projection"]["kind"], "smooth")
        self.assertEqual([each["projection"] for each in summary["smooth"]], ["projection"])
        e = case.state["seq.0.fn.heads.0.E.weight"]
        ranks = (np.arange(96) + 0.5) / 96
        cosines = np.cos(np.pi * np.arange(8)[:, None] * ranks)
        rest = e - np.linalg.lstsq(cosines.T, e.T, rcond=None)[0].T @ cosines
        self.assertAlmostEqual(summary["smooth"][0]["relative_residual"],
                               np.linalg.norm(rest) / np.linalg.norm(e), delta=1e-6)
        np.save(self.path("rows.npy"), np.random.default_rng(1).random((131, 16), "f4"))
        self.assertEqual(self.features(self.path("rows.npy"), "--model", model).shape, (131, 16))
        line = self.fails("model", "import", self.path("state.safetensors"), self.path("m.safetensors"),
                          "--cosines", 8)
        self.assertIn("--length smooth", line)

    def test_options_of_the_other_library_are_refused(self):
        case = next(case for case in cases() if case.name == "lucidrains")
        safetensors_file.write(self.path("state.safetensors"), case.state)
        line = self.fails("model", "import", self.path("state.safetensors"), self.path("m.safetensors"),
                          "--from", "lucidrains-linformer", "--causal", "legacy")
        self.assertIn("--causal", line)
        self.assertFalse(os.path.exists(self.path("m.safetensors")))


class Faults(ImportTest):
    def refusal(self, name, change, *options):
        case = next(case for case in cases() if case.name == name)
        change(case.state)
        state = self.path("state.safetensors")
        safetensors_file.write(state, case.state)
        line = self.fails("model", "import", state, self.path("m.safetensors"), *case.options, *options)
        self.assertFalse(os.path.exists(self.path("m.safetensors")))
        self.assertIn(state, line)
        return line

    def test_truncated(self):
        case = next(case for case in cases() if case.name == "none")
        state = self.path("state.safetensors")
        safetensors_file.write(state, case.state)
        with open(state, "r+b") as file:
            file.truncate(os.path.getsize(state) - 1000)
        line = self.fails("model", "import", state, self.path("m.safetensors"))
        self.assertIn(state, line)
        self.assertRegex(line, "bytes|truncated|ends")

    def test_transposed(self):
        def change(state):
            name = "seq.2.fn.heads.1.E.weight"
            state[name] = state[name].T
        line = self.refusal("layerwise", change)
        for part in ("seq.2.fn.heads.1.E.weight", "[96, 12]", "[12, 96]", "transposed"):
            self.assertIn(part, line)

    def test_head_missing(self):
        def change(state):
            for name in [name for name in state if ".3." in name and "seq.0." in name]:
                del state[name]
        line = self.refusal("none", change)
        for part in ("3 heads of width 4", "seq.0.fn.w_o.weight", "16"):
            self.assertIn(part, line)

    def test_copies_differ(self):
        def change(state):
            state["seq.2.fn.heads.1.E.weight"] = state["seq.2.fn.heads.1.E.weight"] + 1
        line = self.refusal("headwise", change)
        for part in ("seq.2.fn.heads.1.E.weight", "seq.2.fn.heads.0.E.weight", "differ"):
            self.assertIn(part, line)

    def test_wrong_number_of_heads(self):
        line = self.refusal("none", lambda state: None, "--heads", 8)
        for part in ("4 heads", "not 8"):
            self.assertIn(part, line)


class Info(ProgramTest):
    """Twelve layers of twelve heads: 288, 24, 12 or 1 matrices."""

    def state(self, sharing, depth=12, heads=12, n=9, k=4):
        rng = np.random.default_rng(1)
        number = lambda *shape: rng.random(shape).astype("f4")
        state = {}
        model_pair = (number(k, n), number(k))
        for layer in range(depth):
            pairs = [(number(k, n), number(k)) for _ in range(2 * heads)]
            for h in range(heads):
                chosen = {"none": pairs[2 * h: 2 * h + 2], "headwise": pairs[:2], "kv": pairs[:1] * 2,
                          "layerwise": [model_pair] * 2}[sharing]
                for part, (weight, bias) in zip("EF", chosen):
                    state[f"seq.{layer}.fn.heads.{h}.{part}.weight"] = weight
                    state[f"seq.{layer}.fn.heads.{h}.{part}.bias"] = bias
                for part in "qkv":
                    state[f"seq.{layer}.fn.to_{part}.{h}.weight"] = number(1, heads)
            for name, shape in (("fn.w_o.weight", (heads, heads)), ("fn.w_o.bias", (heads,)),
                                ("norm.weight", (heads,)), ("norm.bias", (heads,))):
                state[f"seq.{layer}.{name}"] = number(*shape)
        return state

    def test_counts(self):
        for sharing, count in (("none", 288), ("headwise", 24), ("kv", 12), ("layerwise", 1)):
            safetensors_file.write(self.path("state.safetensors"), self.state(sharing))
            self.run_program("model", "import", self.path("state.safetensors"), self.path("m.safetensors"))
            info = self.json_of("model", "info", self.path("m.safetensors"))
            self.assertEqual(info["projections"], count)
            self.assertEqual(info["config"]["projection"]["sharing"], sharing)
            stored = [t for t in info["tensors"] if "projection" in t["name"] and "weight" in t["name"]]
            self.assertEqual(len(stored), count)

    def test_notes(self):
        state = self.path("state.safetensors")
        safetensors_file.write(state, self.state("layerwise", depth=1))
        for options, part in ((["--causal", "legacy"], "causal legacy is not causal"),
                              (["--causal", "legacy", "--full-attention"], "up to its own rank"),
                              ([], "dropout has no effect")):
            self.run_program("model", "import", state, self.path("m.safetensors"), *options)
            self.assertIn(part, self.run_program("model", "info", self.path("m.safetensors")).stdout)
        tensors, metadata = safetensors_file.read(self.path("m.safetensors"))
        config = json.loads(metadata["pcl_attention"])
        config["mechanism"] = "linformer"
        config["projection"] = {"k_reduce_by_layer": 1, "length": 9, "k": 4, "sharing": "layerwise"}
        tensors.update({"projection.weight": np.zeros((4, 9), "f4"), "projection.bias": np.zeros(4, "f4")})
        safetensors_file.write(self.path("r.safetensors"), tensors, {"pcl_attention": json.dumps(config)})
        self.assertIn("k_reduce_by_layer is ignored with layerwise sharing",
                      self.run_program("model", "info", self.path("r.safetensors")).stdout)

    def test_cost_grows_as_it_should(self):
        def cost(name):
            return self.json_of("model", "info", "preset:" + name)["cost_by_layer"][0]
        linear, full = cost("linformer"), cost("full")
        self.assertEqual([each["points"] for each in linear], [10**4, 10**5, 10**6])
        self.assertLess(linear[2]["flops"] / linear[1]["flops"], 11)
        self.assertGreater(full[2]["flops"] / full[1]["flops"], 90)
        self.assertLess(full[2]["bytes"] / full[1]["bytes"], 11)
        self.assertEqual(linear[0]["slots"], 128)
        self.assertEqual(full[0]["slots"], 10**4)


if __name__ == "__main__":
    unittest.main()
