"""Well-known mistakes in the scores, the position vector, the drift and the turns (stages 4 to 8)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any, Optional

from .mistakes_turning import Mistake, made
from .reference import STARTS, Rope, Score, Vector, dot


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

    def position_vector(self: Rope, pos: float, d: int, base: Optional[float] = None) -> list[float]:
        return order(Rope.position_vector(self, pos, d, base))

    def wave_speeds(self: Rope, d: int, base: Optional[float] = None) -> list[float]:
        return order(Rope.wave_speeds(self, d, base))

    return made(key, text, position_vector=position_vector, wave_speeds=wave_speeds)


def _drift(key: str, text: str, result: Callable[..., Any]) -> type[Mistake]:
    """A drift otherwise, given score(m, n), gap and starts."""

    def drift(
        self: Rope, score: Score, q: Vector, k: Vector, gap: int = 2, starts: Sequence[int] = STARTS
    ) -> Any:
        return result(self, lambda m, n: score(q, k, m, n), gap, starts)

    return made(key, text, drift=drift)


def _spread(key: str, text: str, spread: Callable[[Sequence[float]], float]) -> type[Mistake]:
    return made(key, text, spread=lambda self, scores: spread(scores))


def _pair_of(self: Rope, scores: list[float]) -> list[Any]:
    return [scores, self.spread(scores)]


SCORES = [
    _rotary("one side only", "rotating one side only: k is left as it was",
            lambda turn, q, k, m, n: dot(turn(q, m), k)),
    _rotary("one side only", "rotating one side only: q is left as it was",
            lambda turn, q, k, m, n: dot(q, turn(k, n))),
    _rotary("rotating twice", "rotating twice: k is rotated to n and then rotated once more",
            lambda turn, q, k, m, n: dot(turn(q, m), turn(turn(k, n), n))),
    _rotary("rotating twice", "rotating twice: q is rotated to m and then rotated once more",
            lambda turn, q, k, m, n: dot(turn(turn(q, m), m), turn(k, n))),
    _rotary("m and n swapped", "m and n are swapped: q stands at m, k at n (or the sign is flipped: it"
            " turns clockwise)", lambda turn, q, k, m, n: dot(turn(q, n), turn(k, m))),
    _rotary("one position for both", "q and k are both rotated to the same position",
            lambda turn, q, k, m, n: dot(turn(q, m), turn(k, m))),
    _rotary("divided by sqrt(d)", "the score is divided by the square root of d; here it is the plain"
            " dot product", lambda turn, q, k, m, n: dot(turn(q, m), turn(k, n)) / math.sqrt(len(q))),
    _rotary("one vector for both", "q is used on both sides; the second is k",
            lambda turn, q, k, m, n: dot(turn(q, m), turn(q, n))),
]

ADDITIVE = [
    _waves("sine and cosine swapped", "sin and cos are swapped: each pair is (sine, cosine), in this"
           " order", lambda v: [v[i ^ 1] for i in range(len(v))]),
    _waves("sines and cosines concatenated", "sin and cos are concatenated: all sines, then all cosines;"
           " they should alternate", lambda v: v[::2] + v[1::2]),
    _waves("sines and cosines concatenated", "sin and cos are concatenated: all cosines, then all sines;"
           " they should alternate, sine first", lambda v: v[1::2] + v[::2]),
    _waves("only sines", "only the sines are there; each pair has a sine and a cosine",
           lambda v: v[::2]),
    _additive("one side only", "only q gets its position vector; k needs its own",
              lambda at, q, k, m, n: dot(_added(q, at(m)), k)),
    _additive("one side only", "only k gets its position vector; q needs its own",
              lambda at, q, k, m, n: dot(q, _added(k, at(n)))),
    _additive("middle terms missing", "q.P_n and P_m.k are missing: add first, then take the product",
              lambda at, q, k, m, n: dot(q, k) + dot(at(m), at(n))),
    _additive("m and n swapped", "m and n are swapped: q stands at m, k at n",
              lambda at, q, k, m, n: dot(_added(q, at(n)), _added(k, at(m)))),
    _additive("one position for both", "q and k both get the vector of position m",
              lambda at, q, k, m, n: dot(_added(q, at(m)), _added(k, at(m)))),
    _additive("no position", "the positions are left out: this is q.k",
              lambda at, q, k, m, n: dot(q, k)),
    _additive("divided by sqrt(d)", "the score is divided by the square root of d; here it is the plain"
              " dot product",
              lambda at, q, k, m, n: dot(_added(q, at(m)), _added(k, at(n))) / math.sqrt(len(q))),
    made("rotary instead of additive", "this is the rotary score; the additive one adds the position"
         " vectors", additive_score=lambda self, *a, **b: self.rotary_score(*a, **b)),
]

DRIFT = [
    _spread("standard deviation", "the spread is the standard deviation; it should be max - min",
            statistics.pstdev),
    _spread("standard deviation", "the spread is the standard deviation (of a sample, n - 1); it should"
            " be max - min", statistics.stdev),
    _spread("variance", "the spread is the variance; it should be max - min", statistics.pvariance),
    _spread("variance", "the spread is the variance (of a sample); it should be max - min",
            statistics.variance),
    _spread("first to last", "the spread is the last score less the first; it should be max - min",
            lambda s: s[-1] - s[0]),
    _spread("first to last", "the spread is the distance of the first and the last score; it should be"
            " max - min", lambda s: abs(s[-1] - s[0])),
    _spread("min - max", "the spread is min - max; it should be max - min",
            lambda s: min(s) - max(s)),
    _spread("largest score", "the spread is the largest score; the smallest is to be taken off", max),
    _spread("mean deviation", "the spread is a mean distance from the mean; it should be max - min",
            lambda s: sum(abs(x - sum(s) / len(s)) for x in s) / len(s)),
    _drift("spread first", "the scores come first and the spread second, not the other way round",
           lambda self, f, gap, starts: _pair_of(self, [f(s, s + gap) for s in starts])[::-1]),
    _drift("spread missing", "the spread is missing: return the scores and their spread",
           lambda self, f, gap, starts: [f(s, s + gap) for s in starts]),
    _drift("scores missing", "the scores are missing: return the scores and their spread",
           lambda self, f, gap, starts: self.spread([f(s, s + gap) for s in starts])),
    _drift("gap backwards", "the key stands at start - gap; it should stand at start + gap",
           lambda self, f, gap, starts: _pair_of(self, [f(s, s - gap) for s in starts])),
    _drift("m and n swapped", "m and n are swapped: the query stands at start, the key at start + gap",
           lambda self, f, gap, starts: _pair_of(self, [f(s + gap, s) for s in starts])),
    _drift("gap as position", "the key stands at gap; it should stand at start + gap",
           lambda self, f, gap, starts: _pair_of(self, [f(s, gap) for s in starts])),
    _drift("gap ignored", "the gap is ignored: the key always stands two after the query",
           lambda self, f, gap, starts: _pair_of(self, [f(s, s + 2) for s in starts])),
    _drift("starts ignored", "the starts are ignored: always 3, 10, 100, 4000",
           lambda self, f, gap, starts: _pair_of(self, [f(s, s + gap) for s in STARTS])),
    _drift("scores sorted", "the scores are sorted; keep them in the order of the starts",
           lambda self, f, gap, starts: _pair_of(self, sorted(f(s, s + gap) for s in starts))),
]

TURNS = [
    made("whole turns", "the turns are rounded down to whole numbers; keep the fraction",
         turns=lambda self, gap, d, base=None: [
             float(math.floor(t)) for t in Rope.turns(self, gap, d, base)]),
    made("radians for turns", "these are angles in radians, not turns: divide by 2*pi",
         full_turn=lambda self: 1.0),
    made("half turns", "this counts half turns: a turn is 2*pi, not pi",
         full_turn=lambda self: math.pi),
    made("degrees", "degrees: a turn is 2*pi radians, not 360", full_turn=lambda self: 360.0),
    made("wavelengths for turns", "these are the gaps of one turn each; the turns are their inverse"
         " times the gap", turns=lambda self, gap, d, base=None: [
             2 * math.pi / s for s in self.pair_speeds(d, base)]),
]

FIRST_TURN = [
    made("completed pairs counted", "it counts the pairs that have completed a turn; it should count"
         " those still in their first", first_turn_pairs=lambda self, gap, d, base=None: sum(
             gap * s >= self.full_turn() for s in self.pair_speeds(d, base))),
    made("completed turns counted", "it counts completed turns; it should count the pairs that are"
         " still in their first turn", first_turn_pairs=lambda self, gap, d, base=None: sum(
             int(t) for t in Rope.turns(self, gap, d, base))),
    made("completed turns counted", "it counts the completed turns of the fastest pair; it should count"
         " the pairs that are still in their first turn",
         first_turn_pairs=lambda self, gap, d, base=None: int(Rope.turns(self, gap, d, base)[0])),
    made("completed turns counted", "it adds up turns; it should count the pairs that are still in"
         " their first turn", first_turn_pairs=lambda self, gap, d, base=None: sum(
             Rope.turns(self, gap, d, base))),
    made("coordinates counted", "it counts coordinates; there are two to a pair",
         first_turn_pairs=lambda self, gap, d, base=None: 2 * Rope.first_turn_pairs(self, gap, d, base)),
    made("index for count", "it returns the index of the last pair in its first turn, or one too few",
         first_turn_pairs=lambda self, gap, d, base=None: Rope.first_turn_pairs(self, gap, d, base) - 1),
]

SCORING = SCORES + ADDITIVE + DRIFT + TURNS + FIRST_TURN
