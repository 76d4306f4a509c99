"""Well-known mistakes in the two scores and the position vector (stages 4 and 5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Optional

from .mistakes_speeds import Mistake, made
from .reference import Rope, Vector, dot


def _rotary(key: str, text: str, score: Callable[..., float]) -> type[Mistake]:
    """A rotary score otherwise, given a function that rotates, then q, k, m and n."""

    def rotary_score(
        self: Rope, q: Vector, k: Vector, m: float, n: float, base: Optional[float] = None
    ) -> float:
        return score(lambda vec, pos: self.rotate(vec, pos, base), q, k, m, n)

    return made(key, text, rotary_score=rotary_score)


def _added(a: Vector, b: Vector) -> list[float]:
    return [x + y for x, y in zip(a, b)]


def _additive(key: str, text: str, score: Callable[..., float]) -> type[Mistake]:
    """An additive score otherwise, given a function that encodes a position, then q, k, m and n."""

    def additive_score(
        self: Rope, q: Vector, k: Vector, m: float, n: float, base: Optional[float] = None
    ) -> float:
        return score(lambda pos: self.position_vector(pos, len(q), base), q, k, m, n)

    return made(key, text, additive_score=additive_score)


def _waves(key: str, text: str, order: Callable[[list[float]], list[float]]) -> type[Mistake]:
    """A position vector with its numbers in another order."""

    def position_vector(
        self: Rope, pos: float, d: int, base: Optional[float] = None
    ) -> list[float]:
        return order(Rope.position_vector(self, pos, d, base))

    def wave_speeds(self: Rope, d: int, base: Optional[float] = None) -> list[float]:
        return order(Rope.wave_speeds(self, d, base))

    return made(key, text, position_vector=position_vector, wave_speeds=wave_speeds)


SCORES = [
    _rotary(
        "one side only",
        "rotating one side only: k is left as it was",
        lambda turn, q, k, m, n: dot(turn(q, m), k),
    ),
    _rotary(
        "one side only",
        "rotating one side only: q is left as it was",
        lambda turn, q, k, m, n: dot(q, turn(k, n)),
    ),
    _rotary(
        "rotating twice",
        "rotating twice: k is rotated to n and then rotated once more",
        lambda turn, q, k, m, n: dot(turn(q, m), turn(turn(k, n), n)),
    ),
    _rotary(
        "rotating twice",
        "rotating twice: q is rotated to m and then rotated once more",
        lambda turn, q, k, m, n: dot(turn(turn(q, m), m), turn(k, n)),
    ),
    _rotary(
        "m and n swapped",
        "m and n are swapped: q stands at m, k at n (or the sign is flipped: it turns clockwise)",
        lambda turn, q, k, m, n: dot(turn(q, n), turn(k, m)),
    ),
    _rotary(
        "one position for both",
        "q and k are both rotated to the same position",
        lambda turn, q, k, m, n: dot(turn(q, m), turn(k, m)),
    ),
    _rotary(
        "divided by sqrt(d)",
        "the score is divided by the square root of d; here it is the plain dot product",
        lambda turn, q, k, m, n: dot(turn(q, m), turn(k, n)) / math.sqrt(len(q)),
    ),
    _rotary(
        "one vector for both",
        "q is used on both sides; the second is k",
        lambda turn, q, k, m, n: dot(turn(q, m), turn(q, n)),
    ),
]

ADDITIVE = [
    _waves(
        "sine and cosine swapped",
        "sin and cos are swapped: each pair is (sine, cosine), in this order",
        lambda v: [v[i ^ 1] for i in range(len(v))],
    ),
    _waves(
        "sines and cosines concatenated",
        "sin and cos are concatenated: all sines, then all cosines; they should alternate",
        lambda v: v[::2] + v[1::2],
    ),
    _waves(
        "sines and cosines concatenated",
        "sin and cos are concatenated: all cosines, then all sines;"
        " they should alternate, sine first",
        lambda v: v[1::2] + v[::2],
    ),
    _waves(
        "only sines",
        "only the sines are there; each pair has a sine and a cosine",
        lambda v: v[::2],
    ),
    _additive(
        "one side only",
        "only q gets its position vector; k needs its own",
        lambda at, q, k, m, n: dot(_added(q, at(m)), k),
    ),
    _additive(
        "one side only",
        "only k gets its position vector; q needs its own",
        lambda at, q, k, m, n: dot(q, _added(k, at(n))),
    ),
    _additive(
        "middle terms missing",
        "q.P_n and P_m.k are missing: add first, then take the product",
        lambda at, q, k, m, n: dot(q, k) + dot(at(m), at(n)),
    ),
    _additive(
        "m and n swapped",
        "m and n are swapped: q stands at m, k at n",
        lambda at, q, k, m, n: dot(_added(q, at(n)), _added(k, at(m))),
    ),
    _additive(
        "one position for both",
        "q and k both get the vector of position m",
        lambda at, q, k, m, n: dot(_added(q, at(m)), _added(k, at(m))),
    ),
    _additive(
        "no position", "the positions are left out: this is q.k", lambda at, q, k, m, n: dot(q, k)
    ),
    _additive(
        "divided by sqrt(d)",
        "the score is divided by the square root of d; here it is the plain dot product",
        lambda at, q, k, m, n: dot(_added(q, at(m)), _added(k, at(n))) / math.sqrt(len(q)),
    ),
    made(
        "rotary instead of additive",
        "this is the rotary score; the additive one adds the position vectors",
        additive_score=lambda self, *a, **b: self.rotary_score(*a, **b),
    ),
]

SCORING = SCORES + ADDITIVE
