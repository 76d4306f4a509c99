"""Explorer ``score-drift``: the additive score wanders with the start, the rotary score does not.

A query sits at position m = start and a key at n = start + gap. The upper chart shows both scores
at every start the slider knows, the lower one the four terms that add up to the additive score.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lesson_utils.explore import Frame, explore
from lesson_utils.scores import AdditiveTerms, additive_terms, rotary_score

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["DIM", "FINE", "GAPS", "STARTS", "build", "frame", "vectors"]

DIM = 64
FINE = 128  # up to here the slider has every start
STARTS = sorted(
    {*range(FINE + 1), *range(136, 513, 8), *range(528, 1025, 16), *range(1056, 4097, 32)}
    | {200, 1000, 2000, 4000}
)
GAPS = [1, 2, 3, 5, 8, 16, 32, 64]

_TOP, _BOTTOM = 40.0, -20.0  # holds every score: additive −15.8 … 38.6, rotary −13.0 … −2.4
_TICKS = [0, 64, 128, 1024, 4096]


def vectors() -> NDArray[np.float64]:
    """Return the chapter's query and key, drawn once from a standard normal, shape (2, 64)."""
    return np.random.default_rng(0).normal(size=(2, DIM))


@cache
def _scores(gap: int) -> tuple[AdditiveTerms, NDArray[np.float64]]:
    """Return the four terms and the rotary score at every start, each of shape (starts,)."""
    q, k = vectors()
    m = np.array(STARTS)
    return additive_terms(q, k, m, m + gap), rotary_score(q, k, m, m + gap)


def frame(start: int, gap: int) -> Frame:
    """Return both scores of the query at ``start`` and the key ``gap`` further on."""
    here = STARTS.index(start)
    terms, rotary = _scores(gap)
    _, query_position, position_key, position = (float(term[here]) for term in terms)
    curve = terms.content + terms.query_position + terms.position_key + terms.position
    additive, turned = float(curve[here]), float(rotary[here])
    return Frame(
        traces={
            "curve": {"y": curve[: FINE + 1]},
            "dots": {"y": curve[FINE + 1 :]},
            "flat": {"y": rotary},
            "guide": {"x": [here, here]},
            "additive-now": {"x": [here], "y": [additive]},
            "rotary-now": {"x": [here], "y": [turned]},
            "query-position": {"x": [query_position]},
            "position-key": {"x": [position_key]},
            # Relative up to rounding: without its last bits it needs storing once a gap.
            "position": {"x": [round(position, 6)]},
            "sum": {"x": [additive]},
        },
        readouts={"additive": additive, "rotary": turned},
        sentence=_sentence(query_position, position_key),
    )


def _sentence(query_position: float, position_key: float) -> str:
    if query_position > 0 and position_key > 0:
        what = "both mixed terms are positive and lift"
    elif query_position < 0 and position_key < 0:
        what = "both mixed terms are negative and pull down"
    else:
        what = "the mixed terms pull in opposite directions in"
    return (
        f"With the query at {{start}} and the key {{gap}} further on, {what} the additive score: "
        "it is {additive}. The rotary score is {rotary}, as at every other start."
    )


def _line(color: str, **more: Any) -> dict[str, Any]:
    return dict(type="scatter", mode="lines", line={"color": color, "width": 2.5}, **more)


def _dot(color: str, symbol: str, **more: Any) -> dict[str, Any]:
    marker = {
        "color": color,
        "size": 13,
        "symbol": symbol,
        "line": {"color": "$surface", "width": 2},
    }
    return dict(
        type="scatter", mode="markers", marker=marker, showlegend=False, hoverinfo="skip", **more
    )


def _bar(name: str, color: str, **more: Any) -> dict[str, Any]:
    return dict(
        type="bar",
        orientation="h",
        name=name,
        y=["terms"],
        xaxis="x2",
        yaxis="y2",
        marker={"color": color},
        hovertemplate=f"{name} = %{{x:.2f}}<extra></extra>",
        **more,
    )


def _traces() -> dict[str, dict[str, Any]]:
    q, k = vectors()
    index = list(range(len(STARTS)))
    tip = "start %{customdata}: %{y:.2f}<extra></extra>"
    return {
        "guide": _line("$muted@0.5", y=[_BOTTOM, _TOP], showlegend=False, hoverinfo="skip"),
        "curve": _line(
            "$additive",
            name="additive score",
            x=index[: FINE + 1],
            customdata=STARTS[: FINE + 1],
            hovertemplate=tip,
        ),
        "dots": {
            "type": "scatter",
            "mode": "markers",
            "marker": {"color": "$additive", "size": 4},
            "showlegend": False,
            "x": index[FINE + 1 :],
            "customdata": STARTS[FINE + 1 :],
            "hovertemplate": tip,
        },
        "flat": _line(
            "$rotary",
            name="rotary score",
            x=index,
            customdata=STARTS,
            hovertemplate="start %{customdata}: %{y:.3f}<extra></extra>",
        ),
        "additive-now": _dot("$additive", "circle"),
        "rotary-now": _dot("$rotary", "diamond"),
        # The constant terms come first, next to zero: stacked outside them, the others move alone.
        "content": _bar("q·k", "$content", x=[float(q @ k)]),
        "position": _bar("Pₘ·Pₙ", "$position"),
        "query-position": _bar("q·Pₙ", "$cross1"),
        "position-key": _bar("Pₘ·k", "$cross2"),
        "sum": _dot("$additive", "circle", y=["terms"], xaxis="x2", yaxis="y2"),
    }


def _layout() -> dict[str, Any]:
    at = [STARTS.index(tick) for tick in _TICKS]
    edge = {
        "type": "line",
        "x0": FINE,
        "x1": FINE,
        "y0": _BOTTOM,
        "y1": _TOP,
        "layer": "below",
        "line": {"color": "$muted", "width": 1, "dash": "dot"},
    }
    return {
        "barmode": "relative",
        "bargap": 0.25,
        "xaxis": {
            "title": "start (wider steps after 128)",
            "range": [-4, len(STARTS) + 3],
            "tickvals": at,
            "ticktext": [str(tick) for tick in _TICKS],
            "tickangle": 0,
            "zeroline": False,
        },
        "yaxis": {"title": "score", "range": [_BOTTOM, _TOP], "domain": [0.44, 1]},
        "xaxis2": {"title": "the four terms; ● their sum", "range": [-36, 54], "anchor": "y2"},
        "yaxis2": {
            "domain": [0, 0.2],
            "range": [-0.5, 0.5],
            "anchor": "x2",
            "showticklabels": False,
            "showgrid": False,
        },
        "shapes": [edge],
    }


def build() -> Explorer:
    """Return the explorer: 8 gaps by some 300 starts."""
    return explore(
        frame,
        name="score-drift",
        title="Slide the start: which score moves?",
        alt="Two scores of one query and one key against the position where they start. The "
        "additive score wanders up and down, the rotary score is a flat line. Below, a stacked "
        "bar shows the four terms whose sum is the additive score.",
        traces=_traces(),
        layout=_layout(),
        labels={"start": "start: query at m", "gap": "gap: key at m +"},
        readouts={"additive": ("additive score", 2), "rotary": ("rotary score", 3)},
        initial={"start": 3, "gap": 2},
        play="start",
        height=480,
        start=STARTS,
        gap=GAPS,
    )
