"""Small modules of the kinds people split, each with arguments to run it on."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  # its usual name
from torch import nn

Made = tuple[nn.Module, tuple[Any, ...], dict[str, Any]]


class ResidualBlock(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(y)) + x)


class ResidualNetwork(nn.Module):
    """Convolutions, batch norm and activations in place, with connections around them."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.blocks = nn.Sequential(ResidualBlock(4), ResidualBlock(4))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(4, 5)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.head(self.pool(self.blocks(self.stem(images))).flatten(1))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part(x).view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads) + mask
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))


class Encoder(nn.Module):
    """Like BERT: one mask that every layer reads."""

    def __init__(self, layers: int = 2, width: int = 8) -> None:
        super().__init__()
        self.words = nn.Embedding(11, width)
        self.register_buffer("positions", torch.arange(6), persistent=False)
        self.places = nn.Embedding(6, width)
        self.attention = nn.ModuleList(Attention(width, 2) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.pooler = nn.Linear(width, width)

    def forward(self, ids: torch.Tensor, attention_mask: torch.Tensor) -> dict[str, torch.Tensor]:
        mask = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
        x = self.words(ids) + self.places(self.positions[: ids.shape[1]])
        for attention, norm in zip(self.attention, self.norms, strict=True):
            x = norm(x + attention(x, mask))
        return {"last": x, "pooled": torch.tanh(self.pooler(x[:, 0]))}


class Decoder(nn.Module):
    """Like Llama: rotary buffers that every layer reads, a cache in and out, one weight at both ends."""

    def __init__(self, layers: int = 2, width: int = 8) -> None:
        super().__init__()
        self.embed = nn.Embedding(13, width)
        angles = torch.outer(torch.arange(8.0), 1.0 / 10000 ** (torch.arange(0, width, 2) / width))
        self.register_buffer("cos", torch.cat([angles.cos(), angles.cos()], -1), persistent=False)
        self.register_buffer("sin", torch.cat([angles.sin(), angles.sin()], -1), persistent=False)
        self.q = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.kv = nn.ModuleList(nn.Linear(width, 2 * width, bias=False) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 2 * width, bias=False) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(layers))
        self.head = nn.Linear(width, 13, bias=False)
        self.head.weight = self.embed.weight

    def turn(self, x: torch.Tensor, start: int) -> torch.Tensor:
        cos, sin = (part[start : start + x.shape[1]] for part in (self.cos, self.sin))
        left, right = x.chunk(2, -1)
        return x * cos + torch.cat([-right, left], -1) * sin

    def forward(self, ids: torch.Tensor, cache: list[tuple[torch.Tensor, torch.Tensor]]) -> tuple[Any, ...]:
        x = self.embed(ids)
        grown = []
        for layer, (old_k, old_v) in enumerate(cache):
            start = old_k.shape[1]
            k, v = self.kv[layer](x).chunk(2, -1)
            k, v = torch.cat([old_k, self.turn(k, start)], 1), torch.cat([old_v, v], 1)
            grown.append((k, v))
            scores = self.turn(self.q[layer](x), start) @ k.transpose(-1, -2)
            x = x + scores.softmax(-1) @ v
            gate, value = self.up[layer](x).chunk(2, -1)
            x = x + self.down[layer](F.silu(gate) * value)
        return self.head(x), grown


class Experts(nn.Module):
    """A mixture in which every expert runs and the gate weighs them, so that no control depends on data."""

    def __init__(self, width: int = 6, count: int = 3) -> None:
        super().__init__()
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)) for _ in range(count)
        )
        self.last = nn.Linear(width, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shares, chosen = self.gate(x).softmax(-1).topk(2, -1)
        weights = torch.zeros(x.shape[0], len(self.experts)).scatter(1, chosen, shares)
        mixed = sum(weights[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))
        return self.last(mixed + x)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.LSTM(4, 5, batch_first=True)
        self.second = nn.LSTM(5, 3, batch_first=True)
        self.head = nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        y, _ = self.first(x)
        y, state = self.second(y)
        return self.head(y), state


class Quantized(nn.Module):
    """Weights and values as quantized tensors, which no exported program can hold."""

    def __init__(self) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        first, second = torch.randn(6, 4, generator=generator), torch.randn(3, 6, generator=generator)
        self.register_buffer("first", torch.quantize_per_tensor(first, 0.05, 3, torch.quint8))
        scales, zeros = torch.tensor([0.1, 0.02, 0.05], dtype=torch.float64), torch.zeros(3, dtype=torch.int64)
        self.register_buffer("second", torch.quantize_per_channel(second, scales, zeros, 0, torch.qint8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.linear(x, self.first.dequantize())
        z = torch.quantize_per_tensor(y, 0.1, 0, torch.qint8)
        return F.linear(torch.relu(z.dequantize()), self.second.dequantize())


class QuantizedByArithmetic(nn.Module):
    """Weights as integers with scales per tensor and per channel, as exporters write them."""

    def __init__(self) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        self.register_buffer("first", torch.randint(-128, 127, (6, 4), generator=generator, dtype=torch.int8))
        self.register_buffer("second", torch.randint(-128, 127, (3, 6), generator=generator, dtype=torch.int8))
        self.register_buffer("scales", torch.tensor([0.1, 0.02, 0.05]))
        self.register_buffer("zeros", torch.tensor([1, 0, -2]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.linear(x, (self.first.float() - 3) * 0.05)
        y = torch.fake_quantize_per_tensor_affine(y, 0.1, 0, -128, 127)
        weight = (self.second.float() - self.zeros[:, None]) * self.scales[:, None]
        return F.linear(
            torch.relu(y), torch.fake_quantize_per_channel_affine(weight, self.scales, self.zeros.int(), 0, -128, 127)
        )


class Nested(nn.Module):
    """Inputs in a dict and by keyword, outputs in tuples, with a number, a None and a constant among them."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
        self.register_buffer("calls", torch.zeros(1))

    def forward(
        self, batch: dict[str, torch.Tensor], scale: int = 2, *, shift: torch.Tensor | None = None
    ) -> tuple[Any, ...]:
        self.calls.add_(1)
        x = self.a(batch["x"]) * scale
        parts = x.split(1, -1)
        y = self.b(x) + batch["y"]
        if shift is not None:
            y = y + shift
        return y, (parts[1] + self.calls, {"first": parts[0], "none": None}), [scale, x.shape[0]]


class Asserting(nn.Module):
    """A module with an assert, called twice, and leaf modules of its own; to be traced symbolically."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.shared = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        assert images.shape[1] == 3, "three channels are needed"
        x = torch.relu(self.bn(self.conv(images))).mean((2, 3))
        return self.shared(F.gelu(self.shared(x)) * self.scale)


class Branching(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        x = torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y.cos() - 1, (x,))
        return self.last(x)


class InPlace(nn.Module):
    """Views and changes in place that reach through them, and a cache that is written into."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("cache", torch.zeros(2, 4))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.first(x)
        kept = x * 2
        rows = kept.view(-1)
        rows.add_(1)
        kept[0].mul_(3)
        self.cache[:, :2].copy_(kept[:2, :2])
        return self.last(kept) + self.cache.sum(), rows.sum()


def _seeded(make: Callable[[], Made]) -> Callable[[], Made]:
    def made() -> Made:
        torch.manual_seed(0)
        return make()

    return made


EXPORTED: dict[str, Callable[[], Made]] = {
    name: _seeded(make)
    for name, make in {
        "residual network": lambda: (ResidualNetwork().eval(), (torch.randn(2, 3, 6, 6),), {}),
        "residual network in training": lambda: (ResidualNetwork(), (torch.randn(2, 3, 6, 6),), {}),
        "encoder": lambda: (
            Encoder(),
            (torch.randint(0, 11, (2, 5)), torch.tensor([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0]])),
            {},
        ),
        "decoder": lambda: (
            Decoder(),
            (torch.randint(0, 13, (1, 2)), [(torch.randn(1, 3, 8), torch.randn(1, 3, 8)) for _ in range(2)]),
            {},
        ),
        "experts": lambda: (Experts(), (torch.randn(4, 6),), {}),
        "recurrent": lambda: (Recurrent(), (torch.randn(2, 4, 4),), {}),
        "quantized by arithmetic": lambda: (QuantizedByArithmetic(), (torch.randn(2, 4),), {}),
        "nested": lambda: (Nested(), ({"x": torch.randn(4, 3), "y": torch.randn(4, 3)},), {"shift": torch.ones(3)}),
        "branching": lambda: (Branching(), (torch.randn(3, 4),), {}),
        "in place": lambda: (InPlace(), (torch.randn(3, 4),), {}),
    }.items()
}
"""Modules for ``torch.export``."""

SYMBOLIC: dict[str, Callable[[], Made]] = {
    name: _seeded(make)
    for name, make in {
        "asserting": lambda: (Asserting(), (torch.randn(2, 3, 5, 5),), {}),
        "asserting in evaluation": lambda: (Asserting().eval(), (torch.randn(2, 3, 5, 5),), {}),
        "residual network": lambda: (ResidualNetwork().eval(), (torch.randn(2, 3, 6, 6),), {}),
        "quantized": lambda: (Quantized(), (torch.randn(2, 4),), {}),
        "recurrent": lambda: (Recurrent(), (torch.randn(2, 4, 4),), {}),
    }.items()
}
"""Modules for symbolic tracing."""


def transformers_model(name: str) -> Made:
    """Returns a tiny model of an architecture of the transformers package, with random weights."""
    import transformers as t

    torch.manual_seed(0)
    small = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    ids = torch.randint(0, 50, (1, 6))
    if name == "bert":
        config = t.BertConfig(vocab_size=50, **small)
        return t.BertModel(config).eval(), (), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if name == "gpt2":
        gpt2 = t.GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2, n_positions=16)
        return t.GPT2LMHeadModel(gpt2).eval(), (), {"input_ids": ids, "use_cache": False}
    if name == "llama":
        llama = t.LlamaConfig(vocab_size=50, num_key_value_heads=1, max_position_embeddings=16, **small)
        return t.LlamaForCausalLM(llama).eval(), (), {"input_ids": ids, "use_cache": False}
    vit = t.ViTConfig(image_size=8, patch_size=4, **small)
    return t.ViTModel(vit).eval(), (), {"pixel_values": torch.randn(1, 3, 8, 8)}


TRANSFORMERS = ("bert", "gpt2", "llama", "vit")
