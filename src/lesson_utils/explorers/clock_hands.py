"""The explorer ``clock-hands``: one turn carries every position to its shifted one.

The upper clocks are a sinusoidal table of eight coordinates, whose four pairs turn by 1, 0.1, 0.01
and 0.001 radians a step: sine to the right, cosine upwards, so each hand starts at twelve and runs
clockwise. The lower clocks are a table of the same shape with every hand at a random angle; it
gets the best matrix that least squares finds.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lesson_utils.explore import Frame, explore
from lesson_utils.positions import frequencies, shift_matrix, sinusoidal

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["DIM", "KS", "LENGTH", "POSITIONS", "build", "fitted_matrix", "frame", "random_table"]

Array = NDArray[np.floating]

DIM = 8  # four clocks a table are readable on a phone
LENGTH = 512  # positions in either table
POSITIONS = [*range(21), 22, 30, 50, 100, 200, 300, 400, 461]
KS = [0, 1, 2, 3, 5, 10, 17, 50]

CENTRES = np.array([0.0, 2.3, 4.6, 6.9])  # of the clocks, in radii of a clock
UPPER, LOWER = 1.75, -1.9
ARC_RADIUS = 0.8
ARC_POINTS = (11, 9, 3, 2)  # slow clocks turn little, so few points draw their arcs
GAP = np.array([np.nan])  # lifts the pen between two clocks

NOTHING = "With k = 0 nothing turns: M is the identity, and both tables are predicted exactly."
TURNED = (
    "From position {position}, M turns each upper hand by {k} times its own speed, straight onto "
    "the hand of the position {k} later. Below, the best matrix misses by up to {random}."
)


@cache
def random_table() -> Array:
    """A table of shape (LENGTH, DIM) whose hands point anywhere; every row is as long as PE's."""
    angle = np.random.default_rng(0).uniform(0, 2 * np.pi, size=(LENGTH, DIM // 2))
    return np.stack((np.sin(angle), np.cos(angle)), axis=-1).reshape(LENGTH, DIM)


@cache
def fitted_matrix(k: int) -> Array:
    """The (DIM, DIM) matrix that best carries every row of the random table to the row k later."""
    table = random_table()
    return np.linalg.lstsq(table[: LENGTH - k], table[k:], rcond=None)[0].T


@cache
def whole_table(k: int) -> tuple[float, float]:
    """Largest error of M_k over the whole table; share of the random table left unexplained."""
    waves, noise = sinusoidal(np.arange(LENGTH), DIM), random_table()
    turned = waves[: LENGTH - k] @ shift_matrix(k, DIM).T
    missed = noise[: LENGTH - k] @ fitted_matrix(k).T - noise[k:]
    share = float(np.linalg.norm(missed) / np.linalg.norm(noise[k:]))
    # Rounding alone is left at k = 0; zero says so better than 7e-16 would.
    return float(np.abs(turned - waves[k:]).max()), share if k else 0.0


def on_clocks(row: Array, height: float) -> Array:
    """Where the hands of one row end: shape (2, DIM/2), x then y of each clock."""
    return np.stack((CENTRES + row[0::2], height + row[1::2]))


def hands(row: Array, height: float) -> list[Array]:
    """Each hand of one row by itself, from the centre to its end: shape (2, 2), x then y."""
    tips = on_clocks(row, height).T
    return [np.stack(((x, height), tip), -1) for x, tip in zip(CENTRES, tips, strict=True)]


def spokes(row: Array, height: float) -> Array:
    """Lines from the centre of each clock to the end of its hand, as one curve with gaps."""
    return _joined([hand.T for hand in hands(row, height)])


def sectors(position: int, k: int) -> Array:
    """What each upper hand sweeps on its way to the shifted position, whole turns left out."""
    outlines = []
    for centre, speed, count in zip(CENTRES, frequencies(DIM), ARC_POINTS, strict=True):
        turn = k * speed % (2 * np.pi)
        angle = position * speed + np.linspace(0, turn, count)
        arc = np.stack(
            (centre + ARC_RADIUS * np.sin(angle), UPPER + ARC_RADIUS * np.cos(angle)), -1
        )
        outlines.append([(centre, UPPER), *arc])
    return _joined(outlines)


def frame(position: int, k: int) -> Frame:
    """What the clocks show at one position and one shift.

    >>> frame(3, 2).readouts["rotation"] < 1e-12
    True
    """
    waves, noise = (
        sinusoidal([position, position + k], DIM),
        random_table()[[position, position + k]],
    )
    turned = shift_matrix(k, DIM) @ waves[0]
    guessed = fitted_matrix(k) @ noise[0]
    misses = np.stack((on_clocks(guessed, LOWER).T, on_clocks(noise[1], LOWER).T), axis=1)
    exact, share = whole_table(k)
    return Frame(
        traces={
            "start": _xy(spokes(waves[0], UPPER)),
            "turn": _xy(sectors(position, k)),
            "truth": _xy(on_clocks(waves[1], UPPER)),
            **{f"turned-{i}": _xy(hand) for i, hand in enumerate(hands(turned, UPPER))},
            "random-start": _xy(spokes(noise[0], LOWER)),
            "miss": _xy(_joined(list(misses))),
        },
        readouts={
            "rotation": exact,
            "random": float(np.abs(guessed - noise[1]).max()) if k else 0.0,
            "share": share,
        },
        sentence=TURNED if k else NOTHING,
    )


def build() -> Explorer:
    """The explorer of chapter 3, with a slider for the position and one for the shift k."""
    return explore(
        frame,
        name="clock-hands",
        title="One turn for every position",
        alt="Two rows of four clocks. In the upper row a shaded turn leads from each hand to the "
        "hand k positions later, and a dot, the matrix's answer, sits inside the ring that marks "
        "the truth. In the lower row, a random table, the dots stay far from their rings.",
        traces=_traces(),
        layout=_layout(),
        labels={"position": "position p", "k": "shift k"},
        readouts={
            "rotation": ("M: largest error, all positions", ".1e"),
            "random": ("random table: largest error here", 2),
            "share": ("random table: share left unexplained", 3),
        },
        initial={"position": 3, "k": 2},
        play="position",
        height=310,
        position=POSITIONS,
        k=KS,
    )


def _joined(lines: list[Any]) -> Array:
    """Join curves, each a list of points, into one of shape (2, points) with a gap after each."""
    pieces = [
        np.concatenate((np.asarray(line, dtype=float).T, [GAP, GAP]), axis=1) for line in lines
    ]
    return np.concatenate(pieces, axis=1)[:, :-1]


def _xy(points: Array) -> dict[str, Array]:
    return {"x": points[0], "y": points[1]}


def _traces() -> dict[str, dict[str, Any]]:
    angle = np.linspace(0, 2 * np.pi, 61)
    circle = np.stack((np.sin(angle), np.cos(angle)))
    dials = _joined([(circle + np.array([[x], [y]])).T for y in (UPPER, LOWER) for x in CENTRES])
    rounded = [[None if np.isnan(v) else round(float(v), 3) for v in axis] for axis in dials]
    lines = {"type": "scatter", "mode": "lines", "hoverinfo": "skip", "showlegend": False}
    hand = dict(lines, line={"color": "$muted", "width": 3})
    ring = {"symbol": "circle-open", "size": 13, "color": "$ink", "line": {"width": 2}}
    end = {"type": "scatter", "mode": "markers", "hoverinfo": "skip"}
    turned = dict(
        end,
        name="M's answer",
        mode="lines+markers",
        line={"color": "$position", "width": 3},
        marker={"size": [0, 8], "color": "$position", "opacity": 1},
    )
    # A dot and its ring alternate along the curve; the third of each three is the gap.
    pattern: dict[str, list[Any]] = {
        "symbol": ["circle", "circle-open", "circle"] * 4,
        "size": [8, 13, 8] * 4,
        "color": ["$highlight", "$ink", "$ink"] * 4,
    }
    marker = {"opacity": 1, **{key: values[:-1] for key, values in pattern.items()}}
    return {
        "dials": dict(lines, x=rounded[0], y=rounded[1], line={"color": "$grid", "width": 2}),
        "turn": dict(
            lines,
            name="the turn",
            fill="toself",
            fillcolor="$position@0.25",
            line={"color": "$position", "width": 2},
            showlegend=True,
        ),
        "start": dict(hand, name="position p", showlegend=True),
        "random-start": hand,
        "truth": dict(end, name="ring: true p + k", marker=ring),
        # One trace a hand: curves without gaps that repeat are stored once.
        **{f"turned-{i}": dict(turned, showlegend=i == 0) for i in range(DIM // 2)},
        "miss": dict(
            end,
            name="fit's answer",
            mode="lines+markers",
            marker=dict(marker, line={"width": 2}),
            line={"color": "$highlight", "width": 2, "dash": "dot"},
        ),
    }


def _layout() -> dict[str, Any]:
    hidden = {"visible": False, "constrain": "domain"}
    label = {"xref": "x", "yref": "y", "showarrow": False}
    speeds: list[dict[str, Any]] = [
        dict(label, x=float(x), y=UPPER - 1.35, text=f"{speed:g}", font={"size": 12})
        for x, speed in zip(CENTRES, frequencies(DIM), strict=True)
    ]
    speeds[0]["text"] = "ω = 1"
    rows = [
        dict(label, x=-1.1, y=y, text=text, xanchor="left", font={"size": 13})
        for y, text in ((3.15, "<b>sinusoidal table</b>"), (-0.5, "<b>random table</b>"))
    ]
    return {
        "xaxis": dict(hidden, range=[-1.2, 8.1]),
        "yaxis": dict(hidden, range=[-3.1, 3.45], scaleanchor="x", scaleratio=1),
        "margin": {"l": 6, "r": 6, "t": 6, "b": 6},
        "annotations": [*speeds, *rows],
    }
