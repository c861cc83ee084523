# SPDX-License-Identifier: BSD-3-Clause
"""Makes parity cases by running linformer-pytorch and lucidrains' linformer in double.

    python -m venv venv && venv/bin/pip install torch safetensors linformer-pytorch linformer positional-encodings
    venv/bin/python tests/data/parity/make_cases.py [NAME ...]

Needed neither to build nor to test: the files it writes are kept beside it.
"""

import json
import os
import sys

import torch
from linformer import Linformer as LucidrainsLinformer
from linformer_pytorch import LinearAttentionHead, Linformer, LinformerLM, MHAttention, Padder
from linformer_pytorch.linformer_pytorch import gen_causal_mask, get_EF
from positional_encodings.torch_encodings import PositionalEncoding3D
from safetensors.torch import save_file

FOLDER = os.path.dirname(os.path.abspath(__file__))
BATCH, POINTS, CHANNELS = 2, 48, 12
SIZES = {
    "input_size": POINTS, "channels": CHANNELS, "dim_k": 6, "dim_ff": 16, "nhead": 3, "depth": 2,
    "dropout": 0.0, "dropout_ff": 0.0, "checkpoint_level": "C0",
}


def in_double(model):
    """The model with float32 numbers of its own, norms not at 1 and 0, evaluated in double."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.add_(0.1 * torch.randn_like(parameter))
    for module in model.modules():
        if isinstance(module, LinearAttentionHead) and module.is_proj_tensor:
            module.E, module.F = module.E.double(), module.F.double()
    return model.double().eval()


def rows(*shape):
    return torch.randn(*shape)


def mask():
    return torch.rand(BATCH, POINTS) < 0.7


def save(name, made, arguments, note, tensors, output, state=None, options=()):
    """Writes a case; `options` are what `model import` is told for this file."""
    if state is None:
        state = {"model." + key: value for key, value in made.state_dict().items()}
    stored = {key: value.detach().float() for key, value in state.items()}
    stored.update(tensors)
    stored["output"] = output.detach()
    case = {"class": type(made).__name__, "args": arguments, "note": note, "import": list(options)}
    stored = {key: value.contiguous().clone() for key, value in stored.items()}
    save_file(stored, os.path.join(FOLDER, name + ".safetensors"), {"case": json.dumps(case)})


def run_linformer(name, note, options=(), seen=None, masked=False, context=False, **changes):
    """A case of class Linformer; `seen` are tensors that go into the file beside the state_dict."""
    arguments = {**SIZES, **changes}
    model = in_double(Linformer(**arguments))
    tensors, kwargs = {"input": rows(BATCH, POINTS, CHANNELS)}, {}
    if masked:
        tensors["input_mask"] = kwargs["input_mask"] = mask()
    if context:
        tensors["surface"] = rows(BATCH, POINTS, CHANNELS)
        kwargs["embeddings"] = tensors["surface"].double()
    tensors.update(seen(model) if seen else {})
    output = model(tensors["input"].double(), **kwargs)
    save(name, model, arguments, note, tensors, output, options=options)


def constants(model):
    """The matrices of `no_params` head by head, which a state_dict does not hold."""
    heads = [head for module in model.seq if hasattr(module.fn, "heads") for head in module.fn.heads]
    result = {}
    for i, head in enumerate(heads):
        result[f"fixed_projection.{i}.E"] = head.E.float()
        result[f"fixed_projection.{i}.F"] = head.F.float()
    return result


def causal_legacy(name):
    run_linformer(name, "the (n, k) triangular mask", ["--causal", "legacy"], causal=True)


def causal_full(name):
    run_linformer(name, "full attention with its (n, n) triangular mask",
                  ["--full-attention", "--causal", "legacy"], causal=True, full_attention=True)


def mask_full(name):
    run_linformer(name, "full attention whose masked keys are zero", ["--full-attention", "--masks", "legacy"],
                  full_attention=True, masked=True)


def mask_causal_full(name):
    run_linformer(name, "both masks at once", ["--full-attention", "--masks", "legacy", "--causal", "legacy"],
                  full_attention=True, masked=True, causal=True)


def decoder(name):
    run_linformer(name, "decoder over another cloud", ["--decoder"], decoder_mode=True, context=True,
                  parameter_sharing="kv", k_reduce_by_layer=2)


def decoder_causal(name):
    run_linformer(name, "decoder with the (n, k) mask on the attention to the surface, and with a mask",
                  ["--decoder", "--causal", "legacy", "--masks", "legacy"], decoder_mode=True, context=True,
                  causal=True, masked=True, depth=1)


def decoder_full(name):
    run_linformer(name, "decoder with full attention and without feed-forward",
                  ["--decoder", "--full-attention", "--masks", "legacy"], decoder_mode=True, context=True,
                  full_attention=True, masked=True, include_ff=False)


def convolution_none(name):
    run_linformer(name, "convolutions per head whose stride changes by layer and does not divide n",
                  ["--method", "convolution"], method="convolution", parameter_sharing="none", dim_k=7,
                  k_reduce_by_layer=2)


def no_params_none(name):
    run_linformer(name, "constants of each head", ["--method", "no_params"], seen=constants,
                  method="no_params", parameter_sharing="none")


def ff_intermediate_one(name):
    run_linformer(name, "ff_intermediate with one layer changes nothing", depth=1, ff_intermediate=10,
                  parameter_sharing="none")


def ff_intermediate_full(name):
    run_linformer(name, "wider middle layers with full attention and two output matrices",
                  ["--full-attention", "--activation", "relu"], ff_intermediate=10, depth=3,
                  full_attention=True, parameter_sharing="none", activation="relu", w_o_intermediate_dim=5)


def mha_alone(name):
    arguments = {
        "input_size": POINTS, "dim": 4, "channels": CHANNELS, "dim_k": 6, "nhead": 3, "dropout": 0.0,
        "checkpoint_level": "C0", "parameter_sharing": "headwise", "full_attention": False,
        "w_o_intermediate_dim": 5, "decoder_mode": True,
    }
    model = in_double(MHAttention(E_proj=None, F_proj=None, causal_mask=None, **arguments))
    tensors = {"input": rows(BATCH, POINTS, CHANNELS), "surface": rows(BATCH, POINTS, CHANNELS)}
    output = model(tensors["input"].double(), embeddings=tensors["surface"].double())
    save(name, model, arguments, "attention without residual and norm; keys from another cloud", tensors, output)


def head_alone(name):
    arguments = {"dim": 5, "dropout": 0.0}
    e, f = get_EF(POINTS, 6), get_EF(POINTS, 6)
    causal_mask = gen_causal_mask(POINTS, 6)
    model = in_double(LinearAttentionHead(E_proj=e, F_proj=f, causal_mask=causal_mask, **arguments))
    x = rows(BATCH, POINTS, 5)
    output = model(x.double(), x.double(), x.double())
    save(name, model, arguments, "one head: queries, keys and values are the points", {"input": x}, output,
         options=["--causal", "legacy", "--head-width", "5"])


def padder_net(name):
    model = in_double(Linformer(**SIZES))
    padder = Padder(model)
    x = rows(BATCH, 37, CHANNELS)
    # Padder makes its buffer in the default type.
    torch.set_default_dtype(torch.float64)
    output = padder(x.double())
    torch.set_default_dtype(torch.float32)
    save(name, padder, SIZES, "37 points through class Padder for 48", {"input": x}, output)


def lm_projected(name):
    arguments = {
        "num_tokens": 9, "input_size": POINTS, "channels": CHANNELS, "dim_k": 6, "dim_ff": 16, "nhead": 3,
        "depth": 1, "dropout": 0.0, "dropout_ff": 0.0, "dropout_tokens": 0.0, "emb_dim": 7,
    }
    model = in_double(LinformerLM(**arguments))
    x = rows(BATCH, POINTS, 7)
    save(name, model, arguments, "the part of class LinformerLM between its tokens and logits", {"input": x},
         model.linformer(x.double()))


def run_lucidrains(name, note, options=(), points=POINTS, **changes):
    arguments = {"dim": CHANNELS, "seq_len": POINTS, "depth": 2, "k": 6, "heads": 3, **changes}
    model = in_double(LucidrainsLinformer(**arguments))
    x = rows(BATCH, points, CHANNELS)
    save(name, model, arguments, note, {"input": x}, model(x.double()),
         options=["--from", "lucidrains-linformer", *options])


def lucidrains(name):
    run_lucidrains(name, "lucidrains' linformer, fewer points than rows", ["--heads", "3"], points=41)


def lucidrains_one_kv_head(name):
    run_lucidrains(name, "one head of keys, which are the values too; own head width", one_kv_head=True,
                   share_kv=True, dim_head=5)


def visualized(name):
    """P_bar of every head, as class Visualizer draws it."""
    arguments = {**SIZES, "parameter_sharing": "headwise"}
    model = in_double(Linformer(**arguments))
    x = rows(BATCH, POINTS, CHANNELS)
    output = model(x.double(), visualize=True)
    tensors = {"input": x}
    for layer in range(arguments["depth"]):
        for i, head in enumerate(model.seq[2 * layer].fn.heads):
            tensors[f"attention.{layer}.{i}"] = head.P_bar.detach()
    save(name, model, arguments, "with the attention of each head [batch, n, k]", tensors, output)


def positions_3d(name):
    """Not a network: the 3D encoding of the positional-encodings package on a small grid."""
    encodings = {}
    for channels in (6, 8, 15, 64):
        grid = torch.zeros(1, 3, 4, 5, channels, dtype=torch.float64)
        encoding = PositionalEncoding3D(channels)
        width = encoding.channels
        encoding.inv_freq = 1.0 / (10000 ** (torch.arange(0, width, 2).double() / width))  # it is rounded
        encodings[f"channels_{channels}"] = encoding(grid)[0].contiguous()
    case = {"class": "PositionalEncoding3D", "args": {}, "note": "rows of a 3 x 4 x 5 grid, x slowest"}
    save_file(encodings, os.path.join(FOLDER, name + ".safetensors"), {"case": json.dumps(case)})


CASES = [
    causal_legacy, causal_full, mask_full, mask_causal_full, decoder, decoder_causal, decoder_full,
    convolution_none, no_params_none, ff_intermediate_one, ff_intermediate_full, mha_alone, head_alone,
    padder_net, lm_projected, lucidrains, lucidrains_one_kv_head, positions_3d, visualized,
]

if __name__ == "__main__":
    for seed, make in enumerate(CASES):
        if len(sys.argv) > 1 and make.__name__ not in sys.argv[1:]:
            continue
        torch.manual_seed(1000 + seed)
        make(make.__name__)
        print(make.__name__)
