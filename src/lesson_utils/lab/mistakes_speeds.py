"""Well-known mistakes in the speeds (stage 1, and all stages that use them).

Each mistake is the right `Rope` with one part replaced. ``key`` names it for a table, ``text``
tells the learner; within a list the more specific come first.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .calls import Call
from .reference import Rope


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
        "exponent (2i+1)/d",
        "the exponent is (2i+1)/d; it should be 2i/d",
        lambda i, d: -(2 * i + 1) / d,
    ),
    _exponent(
        "floor division",
        "floor division: -2*i//d rounds down to a whole number; divide with a single /",
        lambda i, d: -2 * i // d,
    ),
    _exponent(
        "floor division",
        "all speeds are 1, as if the exponent were rounded to 0: floor division (2*i//d)? Divide"
        " with a single /",
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
        "brackets missing",
        "brackets missing: base ** -2 * i / d is (base ** -2) * i / d, since ** goes first; put the"
        " whole exponent in brackets, base ** (-2 * i / d)",
        speed=lambda self, i, d, base: base**-2.0 * i / d,
    ),
    made(
        "brackets missing",
        "brackets too short: base ** (-2 * i) / d divides the power by d; the exponent is divided,"
        " base ** (-2 * i / d)",
        speed=lambda self, i, d, base: base ** (-2.0 * i) / d,
    ),
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
        "there is a speed for each of the d coordinates; there should be one for each of the d/2"
        " pairs",
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
