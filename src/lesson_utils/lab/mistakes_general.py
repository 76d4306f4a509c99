"""Mistakes that come with a number: another base, another logarithm, a hard-coded d."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Optional

from .mistakes_speeds import Mistake, made
from .reference import BASE, Rope, Vector

BASES = (
    500000,
    1000,
    100,
    100000,
    1000000,
    10,
    2,
    1024,
    512,
    5000,
    8192,
    20000,
    50000,
    9999,
    10001,
)


def base_always(base: float) -> type[Mistake]:
    """The caller's base has no effect."""
    text = f"base ignored: it always computes with {base:g}, whatever base the caller gives"
    return made("base ignored", text, base_of=lambda self, given: base)


def base_by_default(base: float) -> type[Mistake]:
    """Another base where the caller gives none."""
    text = f"another base: without a base given it computes with {base:g}; the default is 10000"
    return made("another base", text, default_base=base)


def base_estimated(speed: float, d: int) -> float:
    """The base behind the speed of pair 1, rounded to a short number when it is near one."""
    base = speed ** (-d / 2)
    short = float(f"{base:.6g}")
    return short if abs(short / base - 1) < 1e-9 else base


def wrong_logarithm(name: str, log: Any) -> type[Mistake]:
    """exp(-2i/d * log(base)) with another logarithm than the natural one."""
    text = f"wrong logarithm: exp(-2i/d * {name}(base)); exp goes with math.log, the natural one"
    return made(
        "wrong logarithm",
        text,
        speed=lambda self, i, d, base: math.exp(self.exponent(i, d) * log(base)),
    )


def fixed_d_exponent(fixed: int) -> type[Mistake]:
    """The exponent uses a fixed d, the number of pairs is right."""
    text = f"hard-coded d: the exponent always uses d = {fixed}, not the vector's own length"
    return made("hard-coded d", text, exponent=lambda self, i, d: -2 * i / fixed)


def fixed_d(fixed: int) -> type[Mistake]:
    """Everything uses a fixed d: the result has always the same length."""
    text = f"hard-coded d: it always computes with d = {fixed}"

    def rotate(self: Rope, vec: Vector, pos: float, base: Optional[float] = None) -> list[float]:
        return Rope.rotate(self, [vec[i] for i in range(fixed)], pos, base)

    def pair_speeds(self: Rope, d: int, base: Optional[float] = None) -> list[float]:
        return Rope.pair_speeds(self, fixed, base)

    return made("hard-coded d", text, rotate=rotate, pair_speeds=pair_speeds)


def fixed_d_partly(fixed: int) -> type[Mistake]:
    """Only the first ``fixed`` coordinates are turned, the rest is left as it was."""
    text = f"hard-coded d: only the first {fixed} coordinates are turned"

    def rotate(self: Rope, vec: Vector, pos: float, base: Optional[float] = None) -> list[float]:
        vec[fixed - 1]  # a shorter vector raises, as it does in such a loop
        return Rope.rotate(self, vec, pos, base)[:fixed] + list(vec[fixed:])

    return made("hard-coded d", text, rotate=rotate)


def base_candidates(default: Iterable[float] = ()) -> Iterator[type[Mistake]]:
    """Wrong and ignored bases: those estimated from the answers first, then the usual ones."""
    yield base_always(BASE)
    for base in (*default, *BASES):
        yield base_by_default(base)
        yield base_always(base)
    yield base_always(math.e)
    yield wrong_logarithm("log10", math.log10)
    yield wrong_logarithm("log2", math.log2)


def fixed_candidates() -> Iterator[type[Mistake]]:
    """Every even d up to 256, the usual ones first."""
    usual = [64, 6, 4, 8, 128, 16, 32, 256, 512, 2, 10, 12]
    for fixed in [*usual, *(d for d in range(14, 256, 2) if d not in usual)]:
        yield fixed_d(fixed)
        yield fixed_d_exponent(fixed)
        yield fixed_d_partly(fixed)
