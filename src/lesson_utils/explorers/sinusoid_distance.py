"""Explorer `sinusoid-distance`: the dot product of two encodings, pair by pair (chapter 2)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lesson_utils.explore import Frame, explore
from lesson_utils.positions import frequencies

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["DIMS", "DISTANCES", "build", "frame", "pair_cosines"]

LAST = 511  # the largest distance inside 512 positions
DIMS = [4, 16, 32, 64]
# Every distance at first, then wider steps; at 406 the product is smallest (64 coordinates).
DISTANCES = sorted({*range(49), *range(50, 131, 4), *range(138, LAST, 12), 406, LAST})
PAIRS = max(DIMS) // 2


@cache
def pair_cosines(dim: int) -> NDArray[np.float64]:
    """cos(distance · ω_i) for every distance from 0 to 511 and every pair i.

    >>> pair_cosines(64).shape
    (512, 32)
    """
    return np.cos(np.multiply.outer(np.arange(LAST + 1), frequencies(dim)))


def frame(distance: int, dim: int) -> Frame:
    """The similarity at one distance, among all distances, and the pairs it is the mean of."""
    cosines = pair_cosines(dim)
    similarity = cosines.mean(axis=1)
    here = float(similarity[distance])
    bars = np.zeros(PAIRS)  # pairs that a smaller dim does not have keep an empty bar
    bars[: dim // 2] = cosines[distance]
    return Frame(
        traces={
            "curve": {"y": similarity},
            "now": {"x": [distance], "y": [here]},
            "pairs": {"y": bars},
            "count": {"x": [dim / 2 - 0.5] * 2},
        },
        readouts={"product": here * dim / 2, "similarity": here},
        sentence=_sentence(distance, similarity),
    )


def _sentence(distance: int, similarity: NDArray[np.float64]) -> str:
    if distance == 0:
        return "A position and itself: every pair agrees, the product is {product}."
    if distance == LAST:
        return "Distance {distance}, the two ends of 512 positions: product {product}."
    if similarity[distance + 1] > similarity[distance]:
        return "Distance {distance}: product {product}, and one step farther it would be larger."
    return "Distance {distance}: product {product}, and one step farther it would be smaller."


def build() -> Explorer:
    """Precompute every distance and dim and return the explorer."""
    return explore(
        frame,
        name="sinusoid-distance",
        title="Two encodings, a distance apart",
        alt="Above, the dot product of two sinusoidal encodings divided by its largest value, "
        "against their distance from 0 to 511: a steep fall, then waves. Below, one bar per "
        "pair, the cosine of the angle between its two hands; the curve is the mean of the bars.",
        traces={
            "curve": {
                "type": "scatter",
                "mode": "lines",
                "name": "similarity",
                "x": list(range(LAST + 1)),
                "line": {"color": "$position", "width": 2},
                "hovertemplate": "distance %{x}: %{y:.3f}<extra></extra>",
                "showlegend": False,
            },
            "now": {
                "type": "scatter",
                "mode": "markers",
                "name": "here",
                "marker": {"size": 13, "color": "$highlight"},
                "hovertemplate": "distance %{x}: %{y:.3f}<extra></extra>",
                "showlegend": False,
            },
            "pairs": {
                "type": "bar",
                "name": "pairs",
                "x": list(range(PAIRS)),
                "marker": {"color": "$position"},
                "hovertemplate": "pair %{x}: %{y:.3f}<extra></extra>",
                "showlegend": False,
                "xaxis": "x2",
                "yaxis": "y2",
            },
            # Where the pairs of this dim end.
            "count": {
                "type": "scatter",
                "mode": "lines",
                "y": [-1.05, 1.05],
                "line": {"color": "$muted", "width": 1, "dash": "dot"},
                "hoverinfo": "skip",
                "showlegend": False,
                "xaxis": "x2",
                "yaxis": "y2",
            },
        },
        layout={
            "xaxis": {
                "title": "distance",
                "domain": [0, 1],
                "anchor": "y",
                "range": [-8, LAST + 8],
            },
            "yaxis": {
                "title": "similarity",
                "domain": [0.6, 1],
                "range": [-1.08, 1.08],
            },
            "xaxis2": {
                "title": "pair, fast to slow",
                "domain": [0, 1],
                "anchor": "y2",
                "range": [-0.8, PAIRS - 0.2],
            },
            "yaxis2": {
                "title": "cosine",
                "domain": [0, 0.4],
                "anchor": "x2",
                "range": [-1.08, 1.08],
            },
        },
        labels={"distance": "distance", "dim": "coordinates d"},
        readouts={
            "product": ("dot product", 2),
            "similarity": ("÷ its largest, d/2", 3),
        },
        initial={"distance": 1, "dim": 64},
        play="distance",
        height=480,
        distance=DISTANCES,
        dim=DIMS,
    )
