"""Well-known mistakes in the turning (stages 2 and 3, and all stages that use them)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Optional

from .mistakes_speeds import EXPONENTS, SPEEDS, Mistake, made
from .reference import Rope, Vector


def _pair(key: str, text: str, turned: Callable[..., list[float]]) -> type[Mistake]:
    """A pair turned otherwise, given x0, x1, sine and cosine."""

    def rotate_pair(self: Rope, x0: float, x1: float, angle: float) -> list[float]:
        return turned(x0, x1, *self.sin_cos(angle))

    return made(key, text, rotate_pair=rotate_pair)


ANGLES = [
    made(
        "degrees",
        "degrees: the angle goes through math.radians, but it is in radians already",
        sin_cos=lambda self, angle: Rope.sin_cos(self, math.radians(angle)),
    ),
    made(
        "degrees",
        "degrees: the angle goes through math.degrees, but math.sin and math.cos take radians",
        sin_cos=lambda self, angle: Rope.sin_cos(self, math.degrees(angle)),
    ),
    made(
        "positions from 1",
        "positions are counted from 1: everything is turned by one position too many",
        place=lambda self, pos: pos + 1,
    ),
    made(
        "positions from 1",
        "positions are shifted: everything is turned by one position too few",
        place=lambda self, pos: pos - 1,
    ),
    made(
        "floor division",
        "floor division: the position is divided with //, so the angle is a whole number",
        angle=lambda self, pos, speed: pos // (1 / speed),
    ),
    made("position left out", "the position is left out of the angle", place=lambda self, pos: 1),
]

PAIRS = [
    _pair(
        "sign flipped",
        "sign flipped: it turns clockwise; the minus belongs to the first coordinate,"
        " x0*cos - x1*sin",
        lambda x0, x1, s, c: [x0 * c + x1 * s, -x0 * s + x1 * c],
    ),
    _pair(
        "sine and cosine swapped",
        "sin and cos are swapped: x0 goes with the cosine in the first coordinate",
        lambda x0, x1, s, c: [x0 * s - x1 * c, x0 * c + x1 * s],
    ),
    _pair(
        "first coordinate overwritten",
        "the second coordinate is computed from the new x0: keep the old x0 until both are done",
        lambda x0, x1, s, c: [x0 * c - x1 * s, (x0 * c - x1 * s) * s + x1 * c],
    ),
    _pair(
        "sign flipped",
        "sign flipped: both coordinates have a plus; the first is x0*cos - x1*sin",
        lambda x0, x1, s, c: [x0 * c + x1 * s, x0 * s + x1 * c],
    ),
    _pair(
        "sign flipped",
        "sign flipped: both coordinates have a minus; the second is x0*sin + x1*cos",
        lambda x0, x1, s, c: [x0 * c - x1 * s, x0 * s - x1 * c],
    ),
    _pair(
        "sign flipped",
        "sign flipped: the second coordinate is x1*cos - x0*sin, it should be x0*sin + x1*cos",
        lambda x0, x1, s, c: [x0 * c - x1 * s, x1 * c - x0 * s],
    ),
    _pair(
        "coordinates swapped",
        "the two turned coordinates come in the wrong order",
        lambda x0, x1, s, c: [x0 * s + x1 * c, x0 * c - x1 * s],
    ),
    _pair(
        "coordinates not mixed",
        "each coordinate is only scaled; a rotation mixes the two",
        lambda x0, x1, s, c: [x0 * c, x1 * s],
    ),
    made(
        "rotating twice",
        "rotating twice: the angle counts double",
        rotate_pair=lambda self, x0, x1, angle: Rope.rotate_pair(self, x0, x1, 2 * angle),
    ),
]


def _split(self: Rope, vec: Vector, pos: float, base: Optional[float] = None) -> list[float]:
    turned = Rope.rotate(self, vec, pos, base)
    return turned[::2] + turned[1::2]


LAYOUTS = [
    made(
        "halves instead of neighbours",
        "halves instead of neighbours: coordinate i is paired with i + d/2; here the pairs are"
        " neighbours, (0, 1), (2, 3), ...",
        pairs=lambda self, d: [(i, i + d // 2) for i in range(d // 2)],
    ),
    made(
        "halves joined",
        "the pairs are turned rightly, but all first coordinates come before all second ones; each"
        " pair should stay in its place",
        rotate=_split,
    ),
    made(
        "pairs overlap",
        "the pairs overlap: (0, 1), (1, 2), ...; pair i is made of the coordinates 2i and 2i + 1",
        pairs=lambda self, d: [(i, i + 1) for i in range(d // 2)],
    ),
    made(
        "not rotated",
        "the vector comes back as it was, not rotated",
        rotate=lambda self, vec, pos, base=None: list(vec),
    ),
]

TURNING = EXPONENTS + SPEEDS + ANGLES + PAIRS + LAYOUTS
