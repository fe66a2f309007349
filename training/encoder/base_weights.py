"""What training starts from: the pretrained layers, and the words and the sentence encoder of models/encoder."""

import os

import numpy as np
import torch
from safetensors.torch import load_file

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../models/encoder")
WIDTH, INNER = 384, 1536


def load_base(folder):
    """The pretrained weights by their names; the words as they are rounded in words.bin, which training leaves alone."""
    weights = load_file(f"{folder}/minilm.safetensors")
    content = open(f"{MODEL}/words.bin", "rb").read()
    count = sum(1 for _ in open(f"{MODEL}/vocab.txt", encoding="utf8"))
    words = np.frombuffer(content, np.int8, count * WIDTH).reshape(count, WIDTH).astype(np.float32)
    scales = np.frombuffer(content, np.float32, count, count * WIDTH)
    weights["embeddings.word_embeddings.weight"] = torch.from_numpy(words * scales[:, None])
    return weights


def load_sentence():
    """The layers of sentence.bin, in the names of model.py; export.py says how they lie in the file."""
    content, at = open(f"{MODEL}/sentence.bin", "rb").read(), 0

    def take(kind, count):
        nonlocal at
        values = np.frombuffer(content, kind, count, at)
        at += values.nbytes
        return values

    state = {f"norm.{kind}": take(np.float32, WIDTH) for kind in ["weight", "bias"]}
    layer = 0
    while at < len(content):
        for name, outputs, inputs in [("qkv", 3 * WIDTH, WIDTH), ("out", WIDTH, WIDTH), ("up", INNER, WIDTH), ("down", WIDTH, INNER)]:
            whole = take(np.int8, outputs * inputs).reshape(outputs // 4, inputs // 4, 4, 4).transpose(0, 2, 1, 3).reshape(outputs, inputs)
            scales = take(np.float32, outputs)
            take(np.int32, outputs)
            state[f"layers.{layer}.{name}.weight"] = whole.astype(np.float32) * scales[:, None]
            state[f"layers.{layer}.{name}.bias"] = take(np.float32, outputs)
        for norm in ["norm1", "norm2"]:
            for kind in ["weight", "bias"]:
                state[f"layers.{layer}.{norm}.{kind}"] = take(np.float32, WIDTH)
        layer += 1
    return {name: torch.from_numpy(np.array(value)) for name, value in state.items()}
