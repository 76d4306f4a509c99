"""Training, judging and sampling the character model. B, T, V as in `lesson_utils.model`."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lesson_utils.model import CharModel
from lesson_utils.text import Vocabulary

__all__ = ["History", "evaluate", "generate", "train"]


@dataclass
class History:
    """The loss curve of one training run, in nats a character."""

    steps: list[int] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)


def _windows(ids: Tensor, starts: Tensor, block: int) -> tuple[Tensor, Tensor]:
    """Stretches of `block` characters (B, T), and the same stretches one character later."""
    rows = ids[starts[:, None] + torch.arange(block + 1)]
    return rows[:, :-1], rows[:, 1:]


def _loss(model: CharModel, x: Tensor, y: Tensor) -> Tensor:
    """Mean -log p of the character that really came next, over all B * T of them."""
    return cross_entropy(model(x).flatten(0, 1), y.flatten())


def _check_length(ids: Tensor, block: int) -> None:
    if len(ids) <= block:
        raise ValueError(
            f"the text has {len(ids)} characters, and a block of {block} needs at least"
            f" {block + 1}: pass a longer text or a smaller block."
        )


@torch.no_grad()
def evaluate(model: CharModel, ids: Tensor, block: int = 64) -> float:
    """Loss in nats a character, over the (T,) text cut into stretches of `block`."""
    _check_length(ids, block)
    return _loss(model, *_windows(ids, torch.arange(0, len(ids) - block, block), block)).item()


def train(
    model: CharModel,
    ids: Tensor,
    held_out: Tensor,
    *,
    steps: int = 400,
    batch: int = 32,
    block: int = 64,
    rate: float = 3e-3,
    seed: int = 0,
    report: int = 100,
) -> History:
    """Train `model` on the (T,) text `ids`; print one line of progress every `report` steps.

    `seed` decides which stretches are drawn; the starting weights are decided by
    ``torch.manual_seed`` before the model is made. Returns the loss curve.
    """
    _check_length(ids, block)
    draw = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    history = History()
    since_last: list[float] = []
    for step in range(1, steps + 1):
        starts = torch.randint(len(ids) - block, (batch,), generator=draw)
        loss = _loss(model, *_windows(ids, starts, block))
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        since_last.append(loss.item())
        reporting = report > 0 and (step % report == 0 or step == steps)
        if reporting or step % 20 == 0 or step == steps:
            history.steps.append(step)
            history.training.append(sum(since_last) / len(since_last))
            history.held_out.append(evaluate(model, held_out, block))
            since_last.clear()
        if reporting:
            bar = "█" * (20 * step // steps)
            # plain text: a progress widget would pull scripts into the built page
            print(
                f"{bar:░<20} {step:4d}/{steps}   loss: training {history.training[-1]:.2f},"
                f" held out {history.held_out[-1]:.2f}"
            )
    return history


@torch.no_grad()
def generate(
    model: CharModel,
    vocabulary: Vocabulary,
    prompt: str,
    length: int = 200,
    *,
    keep: int | None = 64,
    seed: int = 0,
) -> str:
    """`prompt` and `length` more characters, each drawn from the model's own probabilities.

    The model sees the last `keep` characters only, so that no position beyond its table is asked
    for; ``keep=None`` shows it everything.
    """
    draw = torch.Generator().manual_seed(seed)
    ids = vocabulary.encode(prompt)
    for _ in range(length):
        seen = ids if keep is None else ids[-keep:]
        chances = model(seen[None])[0, -1].softmax(dim=-1)  # (V,)
        ids = torch.cat([ids, torch.multinomial(chances, 1, generator=draw)])
    return vocabulary.decode(ids)
