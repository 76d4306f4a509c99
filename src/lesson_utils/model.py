"""A small decoder-only character model, readable from top to bottom.

Every comment uses the same shape letters:

    B  batch: texts side by side            T  time: characters in one text
    C  channels: the width of the model     V  vocabulary: distinct characters
    H  heads                                D  channels of one head, D = C / H

It is a pre-LN transformer: each layer adds to ``x`` what attention and a small network make of the
normalised ``x``. Where the characters stand is the business of one pluggable object, `Positions`.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

__all__ = ["Attention", "CharModel", "LearnedTable", "Positions", "count_weights"]


class Positions(nn.Module):
    """Where a position may enter the model. This class itself adds none ("no position").

    Override one hook and leave the others alone; all layers of a model share one object.
    ``positions`` is a (T,) tensor of whole numbers: where each character stands.
    """

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        """Once, on the characters' vectors: (B, T, C) -> (B, T, C). Tables and waves go here."""
        return x

    def turn(self, q: Tensor, k: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """In every layer, on queries and keys: (B, H, T, D) each. Rotations go here."""
        return q, k

    def bias(self, scores: Tensor, positions: Tensor) -> Tensor:
        """In every layer, on scores not yet masked: (B, H, T, T). Penalties by distance go here."""
        return scores


class LearnedTable(Positions):
    """One learned vector for each position, added to the character's vector.

    This is the "learned absolute position" of Gehring et al. (arXiv:1705.03122), later of GPT and
    BERT. It starts at random, N(0, 1), as every `nn.Embedding` does.
    """

    def __init__(self, length: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(length, width)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        rows = self.table.num_embeddings
        first, last = int(positions[0]), int(positions[-1])
        if first < 0 or last >= rows:
            raise ValueError(
                f"positions {first} to {last} were asked of a table with {rows} rows (positions 0"
                f" to {rows - 1}). Start at 0 and keep the last {rows} characters,"
                f" ids[:, -{rows}:], or train a model with a longer table."
            )
        placed: Tensor = x + self.table(positions)  # (B, T, C) + (T, C)
        return placed


class Attention(nn.Module):
    """Causal attention with several heads: (B, T, C) -> (B, T, C), and the weights (B, H, T, T)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            fitting = [n for n in range(1, width + 1) if width % n == 0]
            raise ValueError(
                f"width {width} cannot be shared equally among {heads} heads:"
                f" choose a number of heads that divides {width}, one of {fitting}."
            )
        self.heads = heads
        self.to_q = nn.Linear(width, width)
        self.to_k = nn.Linear(width, width)
        self.to_v = nn.Linear(width, width)
        self.join = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        """(B, T, C) -> (B, H, T, D): each head takes its own D of the C channels."""
        B, T, C = x.shape
        # view first, then transpose: view alone to (B, H, T, D) would mix characters with channels
        return x.view(B, T, self.heads, C // self.heads).transpose(1, 2)

    def forward(self, x: Tensor, place: Positions, positions: Tensor) -> tuple[Tensor, Tensor]:
        B, T, C = x.shape
        q, k, v = self.split(self.to_q(x)), self.split(self.to_k(x)), self.split(self.to_v(x))
        q, k = place.turn(q, k, positions)
        scores = place.bias(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), positions)
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)  # (B, H, T, T)
        notes = (weights @ v).transpose(1, 2).reshape(B, T, C)  # the heads side by side again
        return self.join(notes), weights


class Layer(nn.Module):
    """Attention, then a small network for each character alone: (B, T, C) -> (B, T, C)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.think = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x: Tensor, place: Positions, positions: Tensor) -> tuple[Tensor, Tensor]:
        read, weights = self.attention(self.norm1(x), place, positions)
        x = x + read
        return x + self.think(self.norm2(x)), weights


class CharModel(nn.Module):
    """Reads the ids of T characters and scores each character's successor: (B, T) -> (B, T, V).

        model = CharModel(55, positions=LearnedTable(64, 64))
        model(torch.zeros(1, 10, dtype=torch.long)).shape        # (1, 10, 55)

    Without `positions` it has no notion of place but its causal mask.
    """

    def __init__(
        self,
        vocabulary: int,
        *,
        width: int = 64,
        heads: int = 4,
        layers: int = 2,
        positions: Positions | None = None,
    ) -> None:
        super().__init__()
        self.characters = nn.Embedding(vocabulary, width)
        self.positions = Positions() if positions is None else positions
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.to_logits = nn.Linear(width, vocabulary)

    def run(self, ids: Tensor, start: int = 0) -> tuple[Tensor, Tensor]:
        """(B, T) ids -> logits (B, T, V) and every layer's attention (layers, B, H, T, T).

        `start` is the position of the first character.
        """
        if ids.ndim != 2 or 0 in ids.shape:
            raise ValueError(
                f"ids must be (batch, time) with at least one character, got {tuple(ids.shape)}:"
                " encode a non-empty text and add the batch axis with ids[None]."
            )
        positions = torch.arange(start, start + ids.shape[1], device=ids.device)  # (T,)
        x = self.positions.embed(self.characters(ids), positions)  # (B, T, C)
        maps = []
        for layer in self.layers:
            x, weights = layer(x, self.positions, positions)
            maps.append(weights)
        return self.to_logits(self.norm(x)), torch.stack(maps)

    def forward(self, ids: Tensor, start: int = 0) -> Tensor:
        """(B, T) ids -> (B, T, V) logits."""
        return self.run(ids, start)[0]

    @torch.no_grad()
    def look(self, ids: Tensor) -> Tensor:
        """One text's ids (T,) -> what every head attends to, (layers, H, T, T)."""
        return self.run(ids[None])[1][:, 0]


def count_weights(module: nn.Module) -> int:
    """How many numbers training may change."""
    return sum(p.numel() for p in module.parameters() if p.requires_grad)
