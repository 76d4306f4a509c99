"""Explorer ``turns``: how far every pair has turned across a gap, and which one is past a turn.

Each bar is one pair of coordinates. Bars grow away from the line of one whole turn: upwards for a
pair that is past it, downwards for a pair that has not reached it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lesson_utils.explore import Frame, explore
from lesson_utils.rotary import turns

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["BASES", "DIM", "GAPS", "build", "frame"]

DIM = 64
BASES = ["10000", "500000"]
GAPS = [
    *range(1, 17),
    20,
    25,
    32,
    40,
    50,
    64,
    80,
    100,
    128,
    160,
    200,
    256,
    320,
    400,
    512,
    640,
    800,
    1000,
    1024,
    1280,
    1600,
    2048,
    2560,
    3200,
    4096,
]

# In powers of ten: 4096/2π = 652 turns at most, 4.8e-7 (pair 31, gap 1, base 500000) at least.
_RANGE = [-6.6, 3.2]


def frame(gap: int, base: str) -> Frame:
    """Return the turns of all 32 pairs across ``gap`` positions, as powers of ten."""
    made = turns(gap, DIM, float(base))
    power = np.log10(made)
    past = made >= 1
    first = int((~past).sum())
    return Frame(
        traces={
            "past": {"y": np.where(past, power, 0.0)},
            "first": {"y": np.where(past, 0.0, power)},
            "hover": {"y": power, "customdata": made},
        },
        readouts={"first": first, "fastest": made[0], "slowest": made[-1]},
        sentence=_sentence(first),
    )


def _sentence(first: int) -> str:
    if first == DIM // 2:
        return (
            "Across a gap of {gap} every pair is still in its first turn; the fastest has made "
            "{fastest} of one."
        )
    return (
        "Across a gap of {gap} the fastest pair has made {fastest} turns, the slowest {slowest}: "
        "{first} of 32 pairs are still in their first turn, where an angle means one gap only."
    )


def _bar(name: str, color: str, pattern: str) -> dict[str, Any]:
    # The pattern repeats what colour and direction say, for eyes that cannot tell the colours.
    hatch = {"shape": pattern, "bgcolor": color, "fgcolor": "$surface", "size": 6, "solidity": 0.25}
    fill = {"color": color, "pattern": hatch}
    pairs = list(range(DIM // 2))
    return {"type": "bar", "name": name, "x": pairs, "marker": fill, "hoverinfo": "skip"}


def build() -> Explorer:
    """Return the explorer: 41 gaps by 2 bases."""
    pairs = list(range(DIM // 2))
    return explore(
        frame,
        name="turns",
        title="Slide the gap: which pairs are past their first turn?",
        alt="One bar for each of 32 pairs of coordinates. Bars above the line of one turn are "
        "pairs that have gone round at least once across the gap, bars below it are still in their "
        "first turn. The pairs go round from left to right as the gap grows.",
        traces={
            "past": _bar("past its first turn", "$muted", "/"),
            "first": _bar("in its first turn", "$rotary", ""),
            "hover": {
                "type": "scatter",
                "mode": "markers",
                "x": pairs,
                "showlegend": False,
                "marker": {"size": 16, "color": "$ink@0"},
                "hovertemplate": "pair %{x}: %{customdata:.3g} turns<extra></extra>",
            },
        },
        layout={
            "barmode": "overlay",
            "bargap": 0.2,
            "xaxis": {
                "title": "pair",
                "range": [-0.8, DIM / 2 - 0.2],
                "tickvals": [0, 8, 16, 24, 31],
                "zeroline": False,
            },
            "yaxis": {
                "title": "turns made",
                "range": _RANGE,
                "zeroline": False,
                "tickvals": [-6, -4, -2, 0, 2],
                "ticktext": ["10⁻⁶", "10⁻⁴", "0.01", "1", "100"],
            },
            "shapes": [
                {
                    "type": "line",
                    "xref": "paper",
                    "x0": 0,
                    "x1": 1,
                    "y0": 0,
                    "y1": 0,
                    "line": {"color": "$ink", "width": 2},
                }
            ],
        },
        labels={"gap": "gap n − m", "base": "base"},
        readouts={
            "first": ("pairs in their first turn", 0),
            "fastest": ("turns of pair 0", 2),
            "slowest": ("turns of pair 31", ".1e"),
        },
        initial={"gap": 10, "base": "10000"},
        play="gap",
        gap=GAPS,
        base=BASES,
    )
