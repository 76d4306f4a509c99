"""Explorer `integer-start`: attention keeps one column as positions grow (chapter 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lesson_utils.attention import softmax
from lesson_utils.explore import Frame, explore
from lesson_utils.toy import NAMES, X

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["STARTS", "build", "frame", "logit_parts"]

STARTS = list(range(201))
LENGTH, DIM = X.shape
SCALE = float(np.sqrt(DIM + 1))  # the position is one coordinate more


def logit_parts(start: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What content and position add to the logits when the tokens stand at start, start + 1, …

    >>> content, position = logit_parts(100)
    >>> content.shape, round(float(np.ptp(position)), 2)
    ((6, 6), 458.39)

    Shapes: two matrices (6, 6), row = the token that reads, column = the token that is read.
    """
    positions = np.arange(start, start + LENGTH, dtype=np.float64)
    return X @ X.T / SCALE, np.outer(positions, positions) / SCALE


def frame(start: int) -> Frame:
    """The attention weights and the two widths with the first token at position `start`."""
    content, position = logit_parts(start)
    weights = softmax(content + position)
    widths = {
        "content_width": float(np.ptp(content)),
        "position_width": float(np.ptp(position)),
    }
    return Frame(
        traces={
            "weights": {"z": weights},
            "now": {"x": [start, start], "y": list(widths.values())},
        },
        readouts={**widths, "largest": float(weights.max(axis=1).mean())},
        sentence=_sentence(weights),
    )


def _sentence(weights: NDArray[np.float64]) -> str:
    if not (weights.argmax(axis=1) == LENGTH - 1).all():
        return "Start {start}: the rows still disagree on whom to read most."
    if weights.max(axis=1).mean() < 0.9995:
        return "Start {start}: every row reads the last token, t5, more than any other."
    return "Start {start}: every row reads the last token, t5, and nothing else."


def build() -> Explorer:
    """Precompute every start and return the explorer."""
    return explore(
        frame,
        name="integer-start",
        title="Attention with the integer position appended",
        alt="Above, the attention of six tokens as a 6 by 6 heat map, which keeps only its last "
        "column as the start grows. Below, how widely content and position move the logits, on "
        "a logarithmic scale: content stays flat, position climbs.",
        traces=_traces(),
        layout=_layout(),
        labels={"start": "start position"},
        readouts={
            "content_width": ("content width", 2),
            "position_width": ("position width", 2),
            "largest": ("mean largest probability", 3),
        },
        initial={"start": 0},
        play="start",
        height=560,
        start=STARTS,
    )


def _traces() -> dict[str, dict[str, Any]]:
    below = {"xaxis": "x2", "yaxis": "y2"}
    widths = {
        name: {
            "type": "scatter",
            "mode": "lines",
            "name": f"{name} width",
            "x": STARTS,
            "y": [float(np.ptp(logit_parts(start)[part])) for start in STARTS],
            "line": {"color": f"${name}", "width": 3},
            "hoverinfo": "skip",
            **below,
        }
        for part, name in enumerate(("content", "position"))
    }
    return {
        "weights": {
            "type": "heatmap",
            "x": list(range(LENGTH)),
            "y": list(range(LENGTH)),
            "zmin": 0,
            "zmax": 1,
            "colorscale": "$tint",
            "texttemplate": "%{z:.2f}",
            "textfont": {"color": "$ink"},
            "hovertemplate": "t%{y} reads t%{x}: %{z:.3f}<extra></extra>",
            "showscale": False,
            "xgap": 2,
            "ygap": 2,
            "showlegend": False,
        },
        **widths,
        "now": {
            "type": "scatter",
            "mode": "markers",
            "marker": {"size": 11, "color": ["$content", "$position"]},
            "hovertemplate": "start %{x}: %{y:.2f}<extra></extra>",
            "showlegend": False,
            **below,
        },
    }


def _layout() -> dict[str, Any]:
    tokens: dict[str, Any] = {
        "tickvals": list(range(LENGTH)),
        "ticktext": list(NAMES),
        "showgrid": False,
        "zeroline": False,  # it would run through the cells of t0
    }
    reader = {**tokens, "title": "token that reads", "range": [LENGTH - 0.5, -0.5]}
    return {
        "xaxis": {**tokens, "title": "token that is read", "domain": [0, 1], "anchor": "y"},
        "yaxis": {**reader, "domain": [0.47, 1]},
        "xaxis2": {
            "title": "start position",
            "domain": [0, 1],
            "anchor": "y2",
            "range": [-4, 204],
            "zeroline": False,
        },
        # Logarithmic, as content would lie on the axis of a linear scale; the range is in powers
        # of ten.
        "yaxis2": {
            "title": "width",
            "domain": [0, 0.29],
            "anchor": "x2",
            "type": "log",
            "range": [0, 3.1],
            "tickvals": [1, 10, 100, 1000],
            "ticktext": ["1", "10", "100", "1000"],
        },
    }
