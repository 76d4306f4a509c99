"""Well-known mistakes in the speeds and in the turning (stages 1 to 3, and all that use them).

Each mistake is the right `Rope` with one part replaced. ``key`` names it for a table, ``text`` tells
the learner; within a list the more specific come first.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any, Optional

from .calls import Call
from .reference import Rope, Vector


class Mistake(Rope):
    """A `Rope` that is wrong in one way."""

    key = ""
    text = ""

    def predict(self, call: Call) -> Any:
        """What a submission with this mistake answers to the call."""
        return call.on(self)


def made(key: str, text: str, **parts: Any) -> type[Mistake]:
    """A mistake from the parts it replaces."""
    return type("Made", (Mistake,), {"key": key, "text": text, **parts})


def _exponent(key: str, text: str, exponent: Callable[[int, int], float]) -> type[Mistake]:
    return made(key, text, exponent=lambda self, i, d: exponent(i, d))


def _pair(key: str, text: str, turned: Callable[..., list[float]]) -> type[Mistake]:
    """A pair turned otherwise, given x0, x1, sine and cosine."""

    def rotate_pair(self: Rope, x0: float, x1: float, angle: float) -> list[float]:
        return turned(x0, x1, *self.sin_cos(angle))

    return made(key, text, rotate_pair=rotate_pair)


def _float32(x: float) -> float:
    return float(struct.unpack("f", struct.pack("f", x))[0])


EXPONENTS = [
    _exponent(
        "exponent 2i/(d-2)",
        "the exponent is 2i/(d-2), as in the layout of tensor2tensor; it should be 2i/d",
        lambda i, d: -2 * i / (d - 2),
    ),
    _exponent("exponent i/d", "the exponent is i/d; it should be 2i/d", lambda i, d: -i / d),
    _exponent(
        "exponent 4i/d",
        "the exponent is 4i/d: the 2 counts twice (does i already go in steps of 2, or is d already"
        " halved?); it should be 2i/d",
        lambda i, d: -4 * i / d,
    ),
    _exponent(
        "pairs from 1",
        "pairs are counted from 1; the first pair is i = 0, and its speed is 1",
        lambda i, d: -2 * (i + 1) / d,
    ),
    _exponent(
        "exponent (2i+1)/d", "the exponent is (2i+1)/d; it should be 2i/d", lambda i, d: -(2 * i + 1) / d
    ),
    _exponent(
        "floor division",
        "floor division: -2*i//d rounds down to a whole number; divide with a single /",
        lambda i, d: -2 * i // d,
    ),
    _exponent(
        "floor division",
        "all speeds are 1, as if the exponent were rounded to 0: floor division (2*i//d)? Divide with"
        " a single /",
        lambda i, d: -(2 * i // d),
    ),
    _exponent(
        "positive exponent",
        "positive exponent: the speeds grow from pair to pair; the exponent is -2i/d, with a minus",
        lambda i, d: 2 * i / d,
    ),
    _exponent(
        "exponent not divided", "the exponent is 2i, not divided by d", lambda i, d: -2.0 * i
    ),
]

SPEEDS = [
    made(
        "float32",
        "the speeds are rounded to float32; Python's own floats are float64, keep them",
        speed=lambda self, i, d, base: _float32(Rope.speed(self, i, d, base)),
    ),
    made(
        "speeds reversed",
        "the speeds come in reverse order: pair 0 is the fastest, with speed 1",
        pair_speeds=lambda self, d, base=None: Rope.pair_speeds(self, d, base)[::-1],
    ),
    made(
        "d speeds",
        "there is a speed for each of the d coordinates; there should be one for each of the d/2 pairs",
        pair_speeds=lambda self, d, base=None: [
            self.speed(i, d, self.base_of(base)) for i in range(d)
        ],
    ),
    made(
        "d speeds",
        "each speed comes twice, once a coordinate; there should be one for each of the d/2 pairs",
        pair_speeds=lambda self, d, base=None: [
            s for s in Rope.pair_speeds(self, d, base) for _ in range(2)
        ],
    ),
]

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
    made(
        "position left out", "the position is left out of the angle", place=lambda self, pos: 1
    ),
]

PAIRS = [
    _pair(
        "sign flipped",
        "sign flipped: it turns clockwise; the minus belongs to the first coordinate, x0*cos - x1*sin",
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
