"""Well-known mistakes in the drift and the turns (stages 6 to 8)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from .mistakes_speeds import Mistake, made
from .reference import STARTS, Rope, Score, Vector


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


DRIFT = [
    _spread(
        "standard deviation",
        "the spread is the standard deviation; it should be max - min",
        statistics.pstdev,
    ),
    _spread(
        "standard deviation",
        "the spread is the standard deviation (of a sample, n - 1); it should be max - min",
        statistics.stdev,
    ),
    _spread("variance", "the spread is the variance; it should be max - min", statistics.pvariance),
    _spread(
        "variance",
        "the spread is the variance (of a sample); it should be max - min",
        statistics.variance,
    ),
    _spread(
        "first to last",
        "the spread is the last score less the first; it should be max - min",
        lambda s: s[-1] - s[0],
    ),
    _spread(
        "first to last",
        "the spread is the distance of the first and the last score; it should be max - min",
        lambda s: abs(s[-1] - s[0]),
    ),
    _spread(
        "min - max", "the spread is min - max; it should be max - min", lambda s: min(s) - max(s)
    ),
    _spread(
        "largest score", "the spread is the largest score; the smallest is to be taken off", max
    ),
    _spread(
        "mean deviation",
        "the spread is a mean distance from the mean; it should be max - min",
        lambda s: sum(abs(x - sum(s) / len(s)) for x in s) / len(s),
    ),
    _drift(
        "spread first",
        "the scores come first and the spread second, not the other way round",
        lambda self, f, gap, starts: _pair_of(self, [f(s, s + gap) for s in starts])[::-1],
    ),
    _drift(
        "spread missing",
        "the spread is missing: return the scores and their spread",
        lambda self, f, gap, starts: [f(s, s + gap) for s in starts],
    ),
    _drift(
        "scores missing",
        "the scores are missing: return the scores and their spread",
        lambda self, f, gap, starts: self.spread([f(s, s + gap) for s in starts]),
    ),
    _drift(
        "gap backwards",
        "the key stands at start - gap; it should stand at start + gap",
        lambda self, f, gap, starts: _pair_of(self, [f(s, s - gap) for s in starts]),
    ),
    _drift(
        "m and n swapped",
        "m and n are swapped: the query stands at start, the key at start + gap",
        lambda self, f, gap, starts: _pair_of(self, [f(s + gap, s) for s in starts]),
    ),
    _drift(
        "gap as position",
        "the key stands at gap; it should stand at start + gap",
        lambda self, f, gap, starts: _pair_of(self, [f(s, gap) for s in starts]),
    ),
    _drift(
        "gap ignored",
        "the gap is ignored: the key always stands two after the query",
        lambda self, f, gap, starts: _pair_of(self, [f(s, s + 2) for s in starts]),
    ),
    _drift(
        "starts ignored",
        "the starts are ignored: always 3, 10, 100, 4000",
        lambda self, f, gap, starts: _pair_of(self, [f(s, s + gap) for s in STARTS]),
    ),
    _drift(
        "scores sorted",
        "the scores are sorted; keep them in the order of the starts",
        lambda self, f, gap, starts: _pair_of(self, sorted(f(s, s + gap) for s in starts)),
    ),
]

TURNS = [
    made(
        "whole turns",
        "the turns are rounded down to whole numbers; keep the fraction",
        turns=lambda self, gap, d, base=None: [
            float(math.floor(t)) for t in Rope.turns(self, gap, d, base)
        ],
    ),
    made(
        "radians for turns",
        "these are angles in radians, not turns: divide by 2*pi",
        full_turn=lambda self: 1.0,
    ),
    made(
        "half turns",
        "this counts half turns: a turn is 2*pi, not pi",
        full_turn=lambda self: math.pi,
    ),
    made(
        "brackets missing",
        "brackets missing: x / 2 * math.pi halves x and multiplies it by pi; divide by"
        " (2 * math.pi), brackets included",
        full_turn=lambda self: 2 / math.pi,
    ),
    made("degrees", "degrees: a turn is 2*pi radians, not 360", full_turn=lambda self: 360.0),
    made(
        "wavelengths for turns",
        "these are the gaps of one turn each; the turns are their inverse times the gap",
        turns=lambda self, gap, d, base=None: [2 * math.pi / s for s in self.pair_speeds(d, base)],
    ),
]

FIRST_TURN = [
    made(
        "completed pairs counted",
        "it counts the pairs that have completed a turn; it should count"
        " those still in their first",
        first_turn_pairs=lambda self, gap, d, base=None: sum(
            gap * s >= self.full_turn() for s in self.pair_speeds(d, base)
        ),
    ),
    made(
        "completed turns counted",
        "it counts completed turns; it should count the pairs that are still in their first turn",
        first_turn_pairs=lambda self, gap, d, base=None: sum(
            int(t) for t in Rope.turns(self, gap, d, base)
        ),
    ),
    made(
        "completed turns counted",
        "it counts the completed turns of the fastest pair; it should count"
        " the pairs that are still in their first turn",
        first_turn_pairs=lambda self, gap, d, base=None: int(Rope.turns(self, gap, d, base)[0]),
    ),
    made(
        "completed turns counted",
        "it adds up turns; it should count the pairs that are still in their first turn",
        first_turn_pairs=lambda self, gap, d, base=None: sum(Rope.turns(self, gap, d, base)),
    ),
    made(
        "coordinates counted",
        "it counts coordinates; there are two to a pair",
        first_turn_pairs=lambda self, gap, d, base=None: (
            2 * Rope.first_turn_pairs(self, gap, d, base)
        ),
    ),
    made(
        "index for count",
        "it returns the index of the last pair in its first turn, or one too few",
        first_turn_pairs=lambda self, gap, d, base=None: (
            Rope.first_turn_pairs(self, gap, d, base) - 1
        ),
    ),
]

MEASURING = DRIFT + TURNS + FIRST_TURN
