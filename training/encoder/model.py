"""The encoder as it is trained and as it will run: BERT layers whose matrix products are quantised while training.

Weights are rounded to 8 bits per output row and activations to 7 bits per token, in the forward pass only, so that the
model learns with the rounding that the service's integer code will do.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

WIDTH, HEADS, INNER, EPSILON = 384, 12, 1536, 1e-12
WEIGHT_MAX, ACTIVATION_MAX = 127, 63


def rounded(values, scale, most):
    """Rounds to a grid in the forward pass; the gradient passes as if it had not."""
    grid = torch.clamp(torch.round(values / scale), -most, most) * scale
    return values + (grid - values).detach()


class RoundedLinear(nn.Linear):
    def forward(self, x):
        scale = x.detach().abs().amax(-1, keepdim=True).clamp(min=1e-6) / ACTIVATION_MAX
        weight_scale = self.weight.detach().abs().amax(-1, keepdim=True).clamp(min=1e-8) / WEIGHT_MAX
        return F.linear(rounded(x, scale, ACTIVATION_MAX), rounded(self.weight, weight_scale, WEIGHT_MAX), self.bias)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = RoundedLinear(WIDTH, 3 * WIDTH)
        self.out = RoundedLinear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, EPSILON)
        self.up = RoundedLinear(WIDTH, INNER)
        self.down = RoundedLinear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, EPSILON)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        batch, length, _ = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = self.norm1(x + self.drop(self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH))))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Encoder(nn.Module):
    """Token embeddings that stay as they are, and as many layers as asked for."""

    def __init__(self, weights, layers):
        super().__init__()
        get = lambda name: weights[name].float()
        words = get("embeddings.word_embeddings.weight")
        scale = words.abs().amax(-1, keepdim=True).clamp(min=1e-8) / WEIGHT_MAX
        self.register_buffer("words", torch.clamp(torch.round(words / scale), -WEIGHT_MAX, WEIGHT_MAX) * scale)
        self.register_buffer("positions", get("embeddings.position_embeddings.weight") + get("embeddings.token_type_embeddings.weight")[0])
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.norm.weight.data, self.norm.bias.data = get("embeddings.LayerNorm.weight"), get("embeddings.LayerNorm.bias")
        self.layers = nn.ModuleList()
        for at in layers:
            base, layer = f"encoder.layer.{at}.", Layer()
            for kind in ["weight", "bias"]:
                parts = [get(f"{base}attention.self.{name}.{kind}") for name in ["query", "key", "value"]]
                setattr(layer.qkv, kind, nn.Parameter(torch.cat(parts)))
                for name, place in [("out", "attention.output.dense"), ("norm1", "attention.output.LayerNorm"), ("up", "intermediate.dense"), ("down", "output.dense"), ("norm2", "output.LayerNorm")]:
                    setattr(getattr(layer, name), kind, nn.Parameter(get(f"{base}{place}.{kind}")))
            self.layers.append(layer)

    def forward(self, ids, mask):
        x = self.norm(self.words[ids] + self.positions[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        return x


def mean_pool(hidden, mask):
    weight = mask.float()[..., None]
    return (hidden * weight).sum(1) / weight.sum(1)


class Heads(nn.Module):
    """Every head looks at the tokens with its own attention, then decides with one small hidden layer."""

    SIZES = {"tox": 1, "sex": 1, "ovr": 1, "jbk": 1, "tone": 7}
    HIDDEN = 96

    def __init__(self):
        super().__init__()
        self.look = nn.ModuleDict({name: nn.Linear(WIDTH, 1) for name in self.SIZES})
        self.hidden = nn.ModuleDict({name: nn.Linear(WIDTH, self.HIDDEN) for name in self.SIZES})
        self.decide = nn.ModuleDict({name: nn.Linear(self.HIDDEN, size) for name, size in self.SIZES.items()})
        self.drop = nn.Dropout(0.1)

    def forward(self, hidden, mask):
        answers = {}
        for name in self.SIZES:
            look = self.look[name](hidden)[..., 0].masked_fill(~mask, -1e4).softmax(-1)
            pooled = (hidden * look[..., None]).sum(1)
            answers[name] = self.decide[name](self.drop(torch.tanh(self.hidden[name](pooled))))
        return answers
