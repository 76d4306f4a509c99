"""What a stage is asked: fresh calls for every seed, the readable ones first.

Each stage gets some twenty to forty calls. Wherever the function has such an argument, there are
always among them: d of 6 and more (at d = 2 the one speed is 1 whatever the base, and there is only
one way to pair), one d above 128, q other than k and m other than n, negative positions, positions
beyond 10,000, the base left out, given by keyword and given in place, and the same d again with
another base (a wrongly kept answer shows). Gaps are negative in stage 6 alone. The same seed gives
the same calls, whether one stage is checked or all.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Optional

from .calls import Call, Probe
from .reference import Rope

Rng = random.Random


@lru_cache(maxsize=64)
def challenges(stage: int, seed: int) -> tuple[Call, ...]:
    """The calls of one stage."""
    rng = random.Random(f"lab rope stage {stage} seed {seed}")
    return tuple(_STAGES[stage](rng))


# --- ingredients ---------------------------------------------------------------------------
def _vector(rng: Rng, d: int) -> list[float]:
    return [rng.choice((-1, 1)) * rng.randrange(5, 300) / 100 for _ in range(d)]


def _dims(rng: Rng) -> list[int]:
    """Even numbers, small ones first; 6 comes back, and the largest is above 128."""
    small = [6, 4, 2, 8, 6, 2 * rng.randrange(5, 16)]
    large = [64, 2 * rng.randrange(16, 32), 2 * rng.randrange(33, 65), 2 * rng.randrange(65, 97)]
    return [*small, *large, 6, 4]


def _bases(rng: Rng) -> Iterator[Optional[float]]:
    """None (leave it out) and other bases by turns, so that each d meets several."""
    while True:
        yield None
        yield float(rng.randrange(2, 100))
        yield rng.choice((500000.0, 1000000.0, 100000.0, 1000.0))
        yield None
        yield rng.randrange(100, 1_000_000)
        yield round(rng.uniform(1.1, 20000.0), 2)


def _position(rng: Rng, size: int) -> int:
    """Of size 0: exactly 0; then within a dozen, a thousand, 10,000, and beyond it."""
    low, high = ((0, 1), (1, 13), (13, 1000), (1000, 10_000), (10_001, 250_000))[size]
    return rng.randrange(low, high)


def _places(rng: Rng) -> Iterator[int]:
    while True:
        for size, sign in ((1, 1), (2, 1), (4, 1), (1, -1), (0, 1), (3, 1), (2, -1), (4, -1)):
            yield sign * _position(rng, size)


def _with_base(rng: Rng, function: str, args: tuple[Any, ...], base: Optional[float]) -> Call:
    if base is None:
        return Call(function, args)
    if rng.random() < 0.5:
        return Call(function, args, {"base": base})
    return Call(function, (*args, base))


# --- the stages ----------------------------------------------------------------------------
def _speeds(rng: Rng) -> Iterator[Call]:
    bases = _bases(rng)
    for d in _dims(rng):
        yield _with_base(rng, "pair_speeds", (d,), next(bases))
    for d in (2, 6, 64, 128):
        yield _with_base(rng, "pair_speeds", (d,), 500000.0)
        yield Call("pair_speeds", (d,))


def _pair(rng: Rng) -> Iterator[Call]:
    angles = [1.0, 0.5, math.pi / 2, 0.0, -1.0, 3, math.pi, 4.5, -2.5, 100.0]
    angles += [rng.uniform(-math.pi, math.pi) for _ in range(6)]
    angles += [_position(rng, 3) + 0.5, -_position(rng, 4), 1e-4 * _position(rng, 2)]
    for angle in angles:
        x0, x1 = _vector(rng, 2)
        yield Call("rotate_pair", (x0, x1, angle))
    yield Call("rotate_pair", (rng.randrange(1, 9), 0, 1))
    yield Call("rotate_pair", (0, rng.randrange(1, 9), round(rng.uniform(0.1, 3), 2)))


def _rotate(rng: Rng) -> Iterator[Call]:
    bases, places = _bases(rng), _places(rng)
    yield Call("rotate", (_vector(rng, 6), 1))
    for d in _dims(rng):
        yield _with_base(rng, "rotate", (_vector(rng, d), next(places)), next(bases))
    vec = _vector(rng, 8)
    for pos in (2, -2, 0, _position(rng, 4)):
        yield Call("rotate", (list(vec), pos))
        yield _with_base(rng, "rotate", (list(vec), pos), next(_bases(rng)) or 100.0)


def _rotary(rng: Rng) -> Iterator[Call]:
    yield from _scores(rng, "rotary_score")


def _scores(rng: Rng, function: str) -> Iterator[Call]:
    bases, places = _bases(rng), _places(rng)
    for d in _dims(rng):
        m, n = next(places), next(places)
        args = (_vector(rng, d), _vector(rng, d), m, n)
        yield _with_base(rng, function, args, next(bases))
    q, k = _vector(rng, 6), _vector(rng, 6)
    far = _position(rng, 4)
    for m, n in ((2, 7), (7, 2), (5, 5), (0, 3), (3, 0), (far, far + 2), (-4, 9), (1, -far)):
        yield Call(function, (list(q), list(k), m, n))
    yield Call(function, (list(q), list(k), 2, 7), {"base": 500.0})
    yield Call(function, ([1, 2, 3, 4], [2, -1, 1, 3], 1, 4))


def _additive(rng: Rng) -> Iterator[Call]:
    bases, places = _bases(rng), _places(rng)
    yield Call("position_vector", (1, 6))
    for d in _dims(rng):
        yield _with_base(rng, "position_vector", (next(places), d), next(bases))
    for pos in (0, 3, -3):
        yield Call("position_vector", (pos, 8))
        yield Call("position_vector", (pos, 8), {"base": 500.0})
    yield from _scores(rng, "additive_score")


def _probe(rng: Rng) -> Probe:
    """A score that depends on q, k, m and n each in its own way, and on their order."""
    a, b, c, e = (rng.choice((-1, 1)) * rng.randrange(1, 40) / 8 for _ in range(4))
    x, y, z = rng.randrange(3, 9), rng.randrange(11, 20), rng.choice((23, 29, 31))
    formula = f"{a}*q[0] + {b}*k[-1] + {c}*m + {e}*n + ({x}*m + {y}*n) % {z}"
    return Probe(f"(lambda q, k, m, n: {formula})")


def _starts(rng: Rng, count: int) -> tuple[int, ...]:
    return tuple(rng.choice((1, 1, 1, -1)) * _position(rng, rng.randrange(5)) for _ in range(count))


def _drift(rng: Rng) -> Iterator[Call]:
    for gap in (None, 5, -3, 0, 1, _position(rng, 2), -_position(rng, 3)):
        d = rng.choice((2, 4, 6))
        args = (_probe(rng), _vector(rng, d), _vector(rng, d))
        yield Call("drift", args if gap is None else (*args, gap))
        starts = _starts(rng, rng.randrange(3, 7))
        named = {"gap": gap} if gap is not None else {}
        yield Call("drift", args, {**named, "starts": starts})
    args = (_probe(rng), _vector(rng, 4), _vector(rng, 4))
    yield Call("drift", (*args, 3, [8, 1, 5, 2]))
    yield Call("drift", (*args, 4, _starts(rng, 1)))
    yield Call("drift", (*args, 4, (7, 7, 7)))
    two = (_position(rng, 1), _position(rng, 2))
    yield Call("drift", (*args, 4, two))
    yield Call("drift", (*args, 4, two[::-1]))
    yield Call("drift", args)


def _gaps(rng: Rng, function: str) -> Iterator[Call]:
    bases = _bases(rng)
    sizes = (2, 1, 4, 3, 0, 2, 2, 3, 4, 2, 3, 1)
    for d, size in zip(_dims(rng), sizes):
        yield _with_base(rng, function, (_position(rng, size), d), next(bases))
    for gap in (0, 1, 6, 7, 12, 13, 50, _position(rng, 4)):
        yield Call(function, (gap, 64))
        yield Call(function, (gap, 6), {"base": 500.0})


def _turns(rng: Rng) -> Iterator[Call]:
    yield from _gaps(rng, "turns")


def _first_turn(rng: Rng) -> Iterator[Call]:
    for call in _gaps(rng, "first_turn_pairs"):
        if not _on_the_edge(call):
            yield call


def _on_the_edge(call: Call) -> bool:
    """Whether a pair is so near to one full turn that rounding would decide the count."""
    turned = Rope().turns(*call.args, **call.kwargs)
    return any(abs(turn - 1) < 1e-9 for turn in turned)


_STAGES: dict[int, Callable[[Rng], Iterator[Call]]] = {
    1: _speeds,
    2: _pair,
    3: _rotate,
    4: _rotary,
    5: _additive,
    6: _drift,
    7: _turns,
    8: _first_turn,
}
