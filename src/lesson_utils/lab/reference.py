"""What ``rope.py`` should return: the grader's own values.

``Rope`` holds the lab's ten functions as methods that call one another, so that a mistake
(`mistakes.py`) is a subclass which overrides one of them and shows wherever it is used.
Angles are in radians and in Python's floats, which are float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Optional

BASE = 10000.0
STARTS = (3, 10, 100, 4000)

Vector = Sequence[float]
Score = Callable[..., float]

FUNCTIONS: dict[int, tuple[str, ...]] = {
    1: ("pair_speeds",),
    2: ("rotate_pair",),
    3: ("rotate",),
    4: ("rotary_score",),
    5: ("position_vector", "additive_score"),
    6: ("drift",),
    7: ("turns",),
    8: ("first_turn_pairs",),
}


def dot(a: Vector, b: Vector) -> float:
    """The dot product of two vectors of equal length."""
    return sum(x * y for x, y in zip(a, b))


class Rope:
    """The ten functions of the lab. ``base=None`` means that the caller gave no base."""

    default_base = BASE

    # --- the parts that a mistake may replace -----------------------------------------------
    def base_of(self, base: Optional[float]) -> float:
        """The base in force: the caller's, or the default."""
        return self.default_base if base is None else base

    def exponent(self, i: int, d: int) -> float:
        """Pair i turns by base ** exponent a position."""
        return -2 * i / d

    def speed(self, i: int, d: int, base: float) -> float:
        """The angle that pair i turns by from one position to the next."""
        return math.pow(base, self.exponent(i, d))

    def place(self, pos: float) -> float:
        """The position that counts."""
        return pos

    def angle(self, pos: float, speed: float) -> float:
        """How far a pair of this speed has turned at this position."""
        return self.place(pos) * speed

    def sin_cos(self, angle: float) -> tuple[float, float]:
        """Sine and cosine of an angle in radians."""
        return math.sin(angle), math.cos(angle)

    def pairs(self, d: int) -> list[tuple[int, int]]:
        """The indices of the two coordinates of each pair: neighbours."""
        return [(2 * i, 2 * i + 1) for i in range(d // 2)]

    # --- the functions of rope.py ----------------------------------------------------------
    def pair_speeds(self, d: int, base: Optional[float] = None) -> list[float]:
        """Stage 1: d -> d/2 speeds."""
        return [self.speed(i, d, self.base_of(base)) for i in range(d // 2)]

    def rotate_pair(self, x0: float, x1: float, angle: float) -> list[float]:
        """Stage 2: one pair, turned anticlockwise."""
        s, c = self.sin_cos(angle)
        return [x0 * c - x1 * s, x0 * s + x1 * c]

    def rotate(self, vec: Vector, pos: float, base: Optional[float] = None) -> list[float]:
        """Stage 3: (d,) -> (d,), pair i turned by pos times its speed."""
        out = list(vec)
        speeds = self.pair_speeds(len(vec), base)
        for i, (a, b) in enumerate(self.pairs(len(vec))):
            out[a], out[b] = self.rotate_pair(vec[a], vec[b], self.angle(pos, speeds[i]))
        return out

    def rotary_score(
        self, q: Vector, k: Vector, m: float, n: float, base: Optional[float] = None
    ) -> float:
        """Stage 4: the dot product of q rotated to m and k rotated to n."""
        return dot(self.rotate(q, m, base), self.rotate(k, n, base))

    def position_vector(self, pos: float, d: int, base: Optional[float] = None) -> list[float]:
        """Stage 5: d numbers, a sine and a cosine for each pair."""
        out: list[float] = []
        for speed in self.pair_speeds(d, base):
            out.extend(self.sin_cos(self.angle(pos, speed)))
        return out

    def wave_speeds(self, d: int, base: Optional[float] = None) -> list[float]:
        """The speed behind each coordinate of a position vector (for the tolerance)."""
        return [speed for speed in self.pair_speeds(d, base) for _ in range(2)]

    def additive_score(
        self, q: Vector, k: Vector, m: float, n: float, base: Optional[float] = None
    ) -> float:
        """Stage 5: (q + P_m) . (k + P_n)."""
        p, r = self.position_vector(m, len(q), base), self.position_vector(n, len(k), base)
        return dot([a + b for a, b in zip(q, p)], [a + b for a, b in zip(k, r)])

    def drift(
        self, score: Score, q: Vector, k: Vector, gap: int = 2, starts: Sequence[int] = STARTS
    ) -> list[object]:
        """Stage 6: the scores at each start, and their spread."""
        scores = [score(q, k, start, start + gap) for start in starts]
        return [scores, self.spread(scores)]

    def spread(self, scores: Sequence[float]) -> float:
        """Largest less smallest."""
        return max(scores) - min(scores)

    def turns(self, gap: float, d: int, base: Optional[float] = None) -> list[float]:
        """Stage 7: the turns that each pair has made over the gap."""
        return [gap * speed / self.full_turn() for speed in self.pair_speeds(d, base)]

    def full_turn(self) -> float:
        """One turn, as an angle."""
        return 2 * math.pi

    def first_turn_pairs(self, gap: float, d: int, base: Optional[float] = None) -> int:
        """Stage 8: how many pairs have not completed one turn."""
        return sum(gap * speed < self.full_turn() for speed in self.pair_speeds(d, base))
