"""The book's product reviews, and characters as whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor

__all__ = ["Vocabulary", "load_reviews", "split"]

REVIEWS = Path(__file__).parent / "data" / "reviews.txt"


def load_reviews() -> str:
    """The reviews as one text, one review a line, without the lines that state the licence."""
    lines = REVIEWS.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("#"))


class Vocabulary:
    """The distinct characters of a text, sorted; a character's id is its place in that list.

    Vocabulary("abba").encode("ab")     # tensor([0, 1])
    """

    def __init__(self, text: str) -> None:
        if not text:
            raise ValueError("the text is empty (0 characters): a vocabulary needs one.")
        self.characters = "".join(sorted(set(text)))
        self._ids = {character: i for i, character in enumerate(self.characters)}

    def __len__(self) -> int:
        return len(self.characters)

    def encode(self, text: str) -> Tensor:
        """T characters -> (T,) ids."""
        if not text:
            raise ValueError("the text is empty (0 characters): pass at least one character.")
        unknown = sorted(set(text) - set(self.characters))
        if unknown:
            raise ValueError(
                f"{len(unknown)} of the text's distinct characters {unknown} are not among the"
                f" {len(self)} of the vocabulary: leave them out, or build the vocabulary from a"
                " text that has them."
            )
        return torch.tensor([self._ids[character] for character in text])

    def decode(self, ids: Tensor | Sequence[int]) -> str:
        """(T,) ids -> T characters."""
        return "".join(self.characters[int(i)] for i in ids)


def split(text: str, held_out: float = 0.1) -> tuple[str, str]:
    """The text to train on, and the end of it that is held out: whole lines, about that share."""
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must lie between 0 and 1, got {held_out}: try 0.1, a tenth.")
    cut = text.find("\n", round(len(text) * (1 - held_out))) + 1
    if cut in (0, len(text)):
        raise ValueError(
            f"the text has {len(text)} characters and no end of line where its last"
            f" {held_out:.0%} begins: pass a longer text of several lines."
        )
    return text[:cut], text[cut:]
