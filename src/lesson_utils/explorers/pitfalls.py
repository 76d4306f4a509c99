"""Explorer ``pitfalls``: make one mistake at a time and see which checks of the code notice.

A mistake is a small change to a correct implementation; a check returns how far the result is from
what it should be. Golden values were computed once, with a plain loop over ``cmath`` (the test of
this module does it again).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lesson_utils.explore import Frame, explore
from lesson_utils.rotary import apply_rotary

if TYPE_CHECKING:
    from lesson_utils.widget import Explorer

__all__ = ["CHECKS", "MISTAKES", "TOLERANCE", "Code", "build", "deviations", "frame", "noticed"]

TOLERANCE = 1e-6  # golden values carry 12 decimals, so rounding stays far below it

Vector = NDArray[np.float64]
Turn = Callable[[Vector, float], Vector]


def _right(x: Vector, position: float) -> Vector:
    return apply_rotary(x, position)


@dataclass(frozen=True)
class Code:
    """An implementation under test: how it turns a vector, a key before the score, a value."""

    rotate: Turn = _right
    key: Turn | None = None  # as ``rotate`` unless given
    value: Turn = lambda x, position: x

    def score(self, q: Vector, k: Vector, m: float, n: float) -> float:
        """Return the score of q at position m and k at position n."""
        return float(self.rotate(q, m) @ (self.key or self.rotate)(k, n))


def _with_angles(angles: Callable[[float, NDArray[np.int64], int], Vector]) -> Code:
    """Return code that turns neighbouring pairs by ``angles(position, pair, dim)``."""

    def rotate(x: Vector, position: float) -> Vector:
        pair = np.arange(len(x) // 2)
        turned = (x[0::2] + 1j * x[1::2]) * np.exp(1j * angles(position, pair, len(x)))
        return np.stack([turned.real, turned.imag], axis=-1).reshape(len(x))

    return Code(rotate)


def _bf16(position: float) -> float:
    """Round a position as bfloat16 does: to 8 significant binary digits, ties to even."""
    mantissa, exponent = math.frexp(position)
    return math.ldexp(round(mantissa * 256), exponent - 8)


_RIGHT = Code()

# Mistake → (the code that makes it, what the reader should see).
MISTAKES: dict[str, tuple[Code, str]] = {
    "none": (_RIGHT, "A correct implementation passes every check, up to rounding."),
    "half-split pairs": (
        Code(lambda x, p: apply_rotary(x, p, pairing="half")),
        "A good rotation of other pairs, so every property holds. With d = 2 there is one pair.",
    ),
    "flipped sign": (
        _with_angles(lambda p, i, d: -p * 10_000.0 ** (-2 * i / d)),
        "Turning the wrong way is still turning; a score with q = k is the same for gap and −gap.",
    ),
    "base 500000": (
        _with_angles(lambda p, i, d: p * 500_000.0 ** (-2 * i / d)),
        "Other speeds are still rotations. Pair 0 has speed 1 in every base, so d = 2 is blind.",
    ),
    "exponent i/d": (
        _with_angles(lambda p, i, d: p * 10_000.0 ** (-i / d)),
        "A forgotten factor 2 changes every speed but that of pair 0, and no property.",
    ),
    "pairs from 1": (
        _with_angles(lambda p, i, d: p * 10_000.0 ** (-2 * (i + 1) / d)),
        "Every pair gets its neighbour's speed: no property sees it, golden values do.",
    ),
    "positions from 1": (
        Code(lambda x, p: apply_rotary(x, p + 1)),
        "Query and key move together, so no score can show it; rotate itself can.",
    ),
    "keys turned twice": (
        replace(_RIGHT, key=lambda x, p: apply_rotary(apply_rotary(x, p), p)),
        "The function rotate is right, its use is wrong: only checks of a score can notice.",
    ),
    "values turned too": (
        replace(_RIGHT, value=_right),
        "All scores are right. Only a check of what comes out of attention notices.",
    ),
    "positions in bf16": (
        Code(lambda x, p: apply_rotary(x, _bf16(p))),
        "Small positions are exact, so only the check that starts at 4000 notices.",
    ),
}

_Q = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
_K = np.array([2.0, -1.0, 0.0, 3.0, 1.0, -2.0])
_GOLDEN_2 = np.array([-1.272232512720, -1.838864985141])
_GOLDEN_6 = np.array(
    [
        *(-1.272232512720, -1.838864985141),
        *(2.415769693087, 4.377677099783),
        *(4.961116010194, 6.032190972889),
    ]
)


def _vectors() -> Vector:
    return np.random.default_rng(0).normal(size=(2, 64))


def _relative(code: Code) -> float:
    q, k = _vectors()
    scores = [code.score(q, k, start, start + 2) for start in (3, 10, 100, 4000)]
    return max(scores) - min(scores)


def _composes(code: Code) -> float:
    x = _vectors()[0]
    return _far(code.rotate(code.rotate(x, 5), 12), code.rotate(x, 17))


def _mean_of_equals(code: Code) -> float:
    """Return by how much the mean of two equal unit values at positions 0 and 1 misses norm 1."""
    value = np.array([1.0, 0.0])
    return abs(float(np.linalg.norm((code.value(value, 0) + code.value(value, 1)) / 2)) - 1)


def _far(a: Vector, b: Vector) -> float:
    return float(np.abs(a - b).max())


def _norm_changes(code: Code) -> float:
    x = _vectors()[0]
    return abs(float(np.linalg.norm(code.rotate(x, 7)) - np.linalg.norm(x)))


# Short name on the axis → how far the code is from passing.
CHECKS: dict[str, Callable[[Code], float]] = {
    "norm kept": _norm_changes,
    "gap alone": _relative,
    "composes": _composes,
    "R₀ = I": lambda code: _far(code.rotate(_Q, 0), _Q),
    "golden d = 2": lambda code: _far(code.rotate(_Q[:2], 3), _GOLDEN_2),
    "golden d = 6": lambda code: _far(code.rotate(_Q, 3), _GOLDEN_6),
    "score q = k": lambda code: abs(code.score(_Q, _Q, 5, 3) - 83.811055147396),
    "score m = n": lambda code: abs(code.score(_Q, _K, 5, 5) - 5.0),
    "score, all ≠": lambda code: abs(code.score(_Q, _K, 5, 3) - 1.167253347760),
    "mean of values": _mean_of_equals,
}


def deviations(mistake: str) -> Vector:
    """Return how far the code with this mistake is from passing each check, shape (checks,)."""
    code, _ = MISTAKES[mistake]
    return np.array([check(code) for check in CHECKS.values()])


def noticed(mistake: str) -> NDArray[np.bool_]:
    """Return which checks notice the mistake, shape (checks,)."""
    return deviations(mistake) > TOLERANCE


def frame(mistake: str) -> Frame:
    """Return each check's deviation as a power of ten, and whether the check notices."""
    far = deviations(mistake)
    bad = far > TOLERANCE
    power = np.log10(np.maximum(far, 1e-16))
    return Frame(
        traces={
            "passes": {"x": np.where(bad, np.nan, power)},
            "notices": {"x": np.where(bad, power, np.nan)},
        },
        readouts={"noticed": int(bad.sum())},
        sentence=f"Checks that notice: {{noticed}} of {len(CHECKS)}. {MISTAKES[mistake][1]}",
    )


def _marks(name: str, color: str, symbol: str, size: int) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": name,
        "y": list(CHECKS),
        "text": [name] * len(CHECKS),
        "textposition": "middle left" if name == "notices" else "middle right",
        "textfont": {"color": color},
        "marker": {"color": color, "symbol": symbol, "size": size},
        "hovertemplate": "%{y}: off by 10^%{x:.1f}<extra></extra>",
    }


def build() -> Explorer:
    """Return the explorer: one menu of mistakes."""
    line = {"type": "line", "xref": "x", "yref": "paper", "x0": -6, "x1": -6, "y0": 0, "y1": 1}
    return explore(
        frame,
        name="pitfalls",
        title="Make a mistake: which checks notice?",
        alt="Ten checks, one a row, each with a mark that says how far the code is from passing. "
        "Marks to the left of the tolerance of one millionth are circles and read 'passes'; marks "
        "to the right of it are crosses and read 'notices'.",
        traces={
            "passes": _marks("passes", "$muted", "circle", 9),
            "notices": _marks("notices", "$highlight", "x", 12),
        },
        layout={
            "showlegend": False,
            "xaxis": {
                "title": "how far off",
                "range": [-16.8, 2.8],
                "zeroline": False,
                "tickvals": [-15, -6, 0],
                "ticktext": ["10⁻¹⁵", "10⁻⁶", "1"],
            },
            "yaxis": {"range": [len(CHECKS) - 0.4, -0.6], "automargin": True},
            "shapes": [dict(**line, line={"color": "$ink", "width": 1.5, "dash": "dash"})],
        },
        labels={"mistake": "mistake"},
        readouts={"noticed": ("checks that notice", 0)},
        initial={"mistake": "none"},
        height=400,
        mistake=list(MISTAKES),
    )
