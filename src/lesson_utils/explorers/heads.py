"""Explorer `heads`: what each head of a trained model attends to, in the sentence itself.

The weights come from chapter 4's own run, so nothing here or in the text alternative may state a
figure. The sentence is laid out like a paragraph, one cell a character.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lesson_utils.explore import Frame, explore

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["COLUMNS", "LONGEST", "build", "example", "frame", "wrap"]

COLUMNS = 16  # characters a row: a cell is still 20 pixels wide on a phone
LONGEST = 48  # characters: two layers of four heads then stay within an explorer's 150 KB

Weights = NDArray[np.float64]


def example() -> tuple[Weights, str]:
    """Two heads nobody trained: one looks one character back, the other at all alike."""
    text = "made by hand"
    size = len(text)
    one_back = np.eye(size, k=-1)
    one_back[0, 0] = 1  # the first character has only itself
    alike = np.tril(np.ones((size, size))) / np.arange(1, size + 1)[:, None]
    return np.stack([one_back, alike])[None], text


def wrap(text: str) -> list[tuple[int, int]]:
    """Where each character goes, (row, column): whole words in rows of `COLUMNS`.

    >>> wrap("ab cd")
    [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]
    """
    places: list[tuple[int, int]] = []
    row = column = 0
    for word in _words(text):
        if column and column + len(word) > COLUMNS:
            row, column = row + 1, 0
        for _ in word:
            if column == COLUMNS:  # a word longer than a row
                row, column = row + 1, 0
            places.append((row, column))
            column += 1
    return places


def _words(text: str) -> list[str]:
    """Cut after every blank, so that a word keeps the blank that ends it."""
    marked = "".join(c + "\0" if c.isspace() else c for c in text)
    return [word for word in marked.split("\0") if word]


def _shown(character: str) -> str:
    # plotly reads < and > as markup, and a sentence reads braces as a field to fill
    return {" ": "·", "\n": "↵", "<": "‹", ">": "›", "{": "❴", "}": "❵"}.get(character, character)


def _names(weights: Weights) -> list[str]:
    layers, heads = weights.shape[:2]
    return [f"layer {i + 1}, head {j + 1}" for i in range(layers) for j in range(heads)]


def frame(weights: Weights, text: str, head: str, query: int) -> Frame:
    """What `head` gives to each character of `text` when it reads character number `query`."""
    row = weights.reshape(-1, *weights.shape[-2:])[_names(weights).index(head), query]
    later = np.arange(len(text)) > query
    shown = np.array([_shown(character) for character in text])
    i, j = wrap(text)[query]
    return Frame(
        traces={
            "seen": {"z": np.where(later, np.nan, row), "text": np.where(later, "", shown)},
            "unseen": {"text": np.where(later, shown, "")},
            "query": {"x": [j - 0.5, j + 0.5, j + 0.5, j - 0.5, j - 0.5],
                      "y": [i - 0.5, i - 0.5, i + 0.5, i + 0.5, i - 0.5]},
        },
        readouts={
            "previous": row[query - 1] if query else 0.0,
            "itself": row[query],
            "distance": row @ (query - np.arange(len(text))),
        },
        sentence=_sentence(text, query),
    )  # fmt: skip


def _sentence(text: str, query: int) -> str:
    here = _named(text[query])
    if query == 0:
        return f"In {{head}}, {here} comes first: there is nothing to attend to but itself."
    return (
        f"In {{head}}, {here} at position {{query}} gives {{previous}} of its attention to "
        f"{_named(text[query - 1])} just before it and {{itself}} to itself; on average it looks "
        "{distance} characters back."
    )


def _named(character: str) -> str:
    return {" ": "the blank", "\n": "the line's end"}.get(character, f"“{_shown(character)}”")


def _checked(weights: ArrayLike, text: str) -> Weights:
    w = np.asarray(weights, dtype=np.float64)
    size = len(text)
    if not 2 <= size <= LONGEST:
        raise ValueError(
            f"text must have 2 to {LONGEST} characters, got {size}:"
            f" the explorer shows a sentence, text[:{LONGEST}] for example."
        )
    if w.ndim != 4 or 0 in w.shape or w.shape[-2:] != (size, size):
        raise ValueError(
            f"weights must be (layers, heads, {size}, {size}) for a text of {size} characters,"
            f" got {w.shape}: pass model.look(vocabulary.encode(text)) of this very text."
        )
    if not np.allclose(w.sum(axis=-1), 1, atol=1e-4) or np.abs(np.triu(w, 1)).max() > 1e-6:
        raise ValueError(
            "weights must sum to 1 in every row and be 0 for later characters:"
            " pass the attention after its causal softmax."
        )
    return w


def build(weights: ArrayLike | None = None, text: str | None = None) -> Explorer:
    """Return the explorer for the attention of `text`, weights of shape (layers, heads, T, T).

    Without arguments it shows `example()`. Raises ValueError if weights and text do not fit.
    """
    if weights is None or text is None:
        if weights is not None or text is not None:
            raise ValueError("weights and text belong together: pass both, or neither.")
        weights, text = example()
    w = _checked(weights, text)
    places = wrap(text)
    rows = places[-1][0] + 1
    return explore(
        partial(frame, w, text),
        name="heads",
        title="One head, one character: where does it look?",
        alt="A sentence laid out one cell a character. The chosen character is framed; the "
        "stronger a cell is coloured, the more attention it gets, in full colour from one half on. "
        "Characters that come later have no cell: they are masked.",
        traces=_traces(places),
        layout=_layout(rows),
        labels={"head": "head", "query": "query character"},
        readouts={
            "previous": ("share on the one before", 2),
            "itself": ("share on itself", 2),
            "distance": ("mean distance back", 1),
        },
        initial={"query": min(len(text) - 1, 12)},
        play="query",
        height=40 * rows + 16,
        head=_names(w),
        query=list(range(len(text))),
    )


def _traces(places: list[tuple[int, int]]) -> dict[str, dict[str, Any]]:
    return {
        "seen": {
            "type": "heatmap",
            "x": [column for _, column in places],
            "y": [row for row, _ in places],
            "texttemplate": "%{text}",
            "textfont": {"size": 17, "color": "$ink"},
            "hovertemplate": "%{text}: %{z:.3f}<extra></extra>",
            "hoverongaps": False,
            "colorscale": "$tint",
            "zmin": 0,
            "zmax": 0.5,  # most heads spread thinly; on a scale to 1 they would look empty
            "xgap": 2,
            "ygap": 2,
            "showscale": False,
        },
        "unseen": {
            "type": "scatter",
            "mode": "text",
            "x": [column for _, column in places],
            "y": [row for row, _ in places],
            "textfont": {"size": 17, "color": "$muted"},
            "hoverinfo": "skip",
            "showlegend": False,
        },
        "query": {
            "type": "scatter",
            "mode": "lines",
            "line": {"color": "$highlight", "width": 3},
            "hoverinfo": "skip",
            "showlegend": False,
        },
    }


def _layout(rows: int) -> dict[str, Any]:
    return {
        "margin": {"l": 4, "r": 4, "t": 8, "b": 8},
        "xaxis": {"visible": False, "range": [-0.6, COLUMNS - 0.4]},
        "yaxis": {"visible": False, "range": [rows - 0.4, -0.6]},
    }
