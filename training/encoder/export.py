"""Rounds what train.py made to the files of models/encoder; its words were written by prepare_data.py.

    python training/encoder/export.py <folder with three.safetensors, and sentence3.safetensors if that was made anew>
"""

import json
import os
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../../models/encoder")
HEADS = {"tox": "toxicity", "sex": "sexism", "ovr": "override", "jbk": "jailbreak", "tone": "tone"}


def rounded(weights):
    """8 bits per output row, the way model.py does it while training."""
    scales = np.maximum(np.abs(weights).max(-1, keepdims=True), 1e-8) / 127
    return np.clip(np.round(weights / scales), -127, 127).astype(np.int8), scales[:, 0].astype(np.float32)


def linear(state, name):
    whole, scales = rounded(state[f"{name}.weight"].astype(np.float32))
    outputs, inputs = whole.shape
    # Blocks of 4 outputs by 4 inputs, inputs first within a block of outputs.
    packed = whole.reshape(outputs // 4, 4, inputs // 4, 4).transpose(0, 2, 1, 3)
    offsets = 64 * whole.astype(np.int32).sum(-1)
    return packed.tobytes() + scales.tobytes() + offsets.astype(np.int32).tobytes() + floats(state[f"{name}.bias"])


def floats(values):
    return np.ascontiguousarray(values, dtype=np.float32).tobytes()


def encoder(state):
    parts = [floats(state["encoder.norm.weight"]), floats(state["encoder.norm.bias"])]
    layers = sum(1 for name in state if name.endswith("qkv.weight"))
    for at in range(layers):
        base = f"encoder.layers.{at}."
        parts += [linear(state, base + name) for name in ["qkv", "out", "up", "down"]]
        parts += [floats(state[f"{base}{norm}.{kind}"]) for norm in ["norm1", "norm2"] for kind in ["weight", "bias"]]
    return b"".join(parts), layers


def write(name, content):
    with open(f"{OUT}/{name}", "wb") as file:
        file.write(content)


def main():
    folder = sys.argv[1]
    if os.path.exists(f"{folder}/sentence3.safetensors"):
        write("sentence.bin", encoder(load_file(f"{folder}/sentence3.safetensors"))[0])
    state = load_file(f"{folder}/three.safetensors")
    bias = json.loads(safe_open(f"{folder}/three.safetensors", "np").metadata()["bias"])
    classifier, layers = encoder(state)
    heads = []
    for short, name in HEADS.items():
        parts = ["look.{0}.weight", "hidden.{0}.weight", "hidden.{0}.bias", "decide.{0}.weight", "decide.{0}.bias"]
        classifier += b"".join(floats(state["heads." + part.format(short)]) for part in parts)
        heads.append({"name": name, "outputs": len(state[f"heads.decide.{short}.bias"]), "bias": bias.get(short, 0)})
    write("classifier.bin", classifier)
    words = sum(1 for _ in open(f"{OUT}/vocab.txt", encoding="utf8"))
    hidden = state["heads.hidden.tox.bias"].shape[0]
    described = {"words": words, "layers": layers, "hidden": hidden, "heads": heads}
    write("manifest.json", (json.dumps(described, indent=2) + "\n").encode())


main()
