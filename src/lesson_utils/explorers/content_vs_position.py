"""Explorer `content-vs-position`: what adding the encoding does to t0's shares (chapter 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lesson_utils.attention import attention_weights
from lesson_utils.explore import Frame, explore
from lesson_utils.positions import sinusoidal
from lesson_utils.toy import NAMES, X

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["SCALES", "STARTS", "build", "frame", "shares"]

SCALES = [tenth / 10 for tenth in range(31)]
STARTS = list(range(51))
LENGTH, DIM = X.shape
NEIGHBOUR, PARTNER = 1, 3  # t1 stands beside t0, t3 shares its topic


def shares(scale: float, start: int | None) -> NDArray[np.float64]:
    """How t0 divides its attention: embeddings times `scale`, plus the encoding from `start` on.

    >>> shares(1.0, None).round(3).tolist()
    [0.51, 0.03, 0.015, 0.389, 0.039, 0.016]

    Shapes: the result is (6,). No encoding is added if start is None.
    """
    tokens = scale * X
    if start is not None:
        tokens = tokens + sinusoidal(np.arange(start, start + LENGTH), DIM)
    row: NDArray[np.float64] = attention_weights(tokens[:1], tokens)[0]
    return row


def frame(scale: float, start: int) -> Frame:
    """t0's six shares without and with the encoding, embeddings scaled alike."""
    without, added = shares(scale, None), shares(scale, start)
    return Frame(
        traces={"without": {"y": without}, "with": {"y": added}},
        readouts={
            "partner": float(added[PARTNER]),
            "neighbour": float(added[NEIGHBOUR]),
            "partner_without": float(without[PARTNER]),
            "neighbour_without": float(without[NEIGHBOUR]),
        },
        sentence=_sentence(scale, without, added),
    )


def _sentence(scale: float, without: NDArray[np.float64], added: NDArray[np.float64]) -> str:
    if scale == 0:
        return "Start {start}, content switched off: the shares come from the positions alone."
    who = "topic partner t3" if added[PARTNER] > added[NEIGHBOUR] else "neighbour t1"
    moved = "loses" if added[PARTNER] < without[PARTNER] else "gains"
    return (
        f"Scale {{scale}}, start {{start}}: t0 prefers its {who}; "
        f"adding the encoding, t3 {moved} ({{partner_without}} → {{partner}})."
    )


def build() -> Explorer:
    """Precompute every scale and start and return the explorer."""
    bar = {
        "type": "bar",
        "x": list(NAMES),
        "hovertemplate": "%{x}: %{y:.3f}<extra></extra>",
    }
    return explore(
        frame,
        name="content-vs-position",
        title="Whom t0 reads, without and with the encoding",
        alt="Two bars for each of the six tokens: the share of t0's attention without and with "
        "the sinusoidal encoding added. Larger embeddings move both towards t0 and t3; another "
        "start moves the bars with the encoding only.",
        traces={
            "without": dict(bar, name="content only", marker={"color": "$content"}),
            "with": dict(bar, name="encoding added", marker={"color": "$additive"}),
        },
        layout={
            "barmode": "group",
            "xaxis": {"title": "token that is read"},
            "yaxis": {"title": "share of t0's attention", "range": [0, 1.02]},
        },
        labels={"scale": "embedding scale", "start": "start position"},
        readouts={
            "partner": ("t3, encoding added", 3),
            "neighbour": ("t1, encoding added", 3),
            "partner_without": ("t3, content only", 3),
            "neighbour_without": ("t1, content only", 3),
        },
        initial={"scale": 1.0, "start": 0},
        play="start",
        height=380,
        scale=SCALES,
        start=STARTS,
    )
