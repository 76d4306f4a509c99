"""The formulas once more, slowly and to fifty digits, sharing no line with `lesson_utils`.

A pair (a, b) is the complex number a + bi, and turning it is one complex product.
"""

from collections.abc import Sequence

import mpmath

mpmath.mp.dps = 50


def speed(pair: int, dim: int, base: float = 10000) -> mpmath.mpf:
    """base^(−2i/dim), with an exact exponent."""
    return mpmath.power(base, -mpmath.mpf(2 * pair) / dim)


def partners(dim: int, pairing: str = "interleaved") -> list[tuple[int, int]]:
    """Which coordinates turn together."""
    if pairing == "half":
        return [(i, i + dim // 2) for i in range(dim // 2)]
    return [(2 * i, 2 * i + 1) for i in range(dim // 2)]


def rotary(
    x: Sequence[float], position: float, base: float = 10000, pairing: str = "interleaved"
) -> list[float]:
    """Turn one vector."""
    turned = [mpmath.mpf(0)] * len(x)
    for pair, (a, b) in enumerate(partners(len(x), pairing)):
        angle = mpmath.mpf(position) * speed(pair, len(x), base)
        z = mpmath.mpc(float(x[a]), float(x[b])) * mpmath.expj(angle)
        turned[a], turned[b] = z.real, z.imag
    return list(map(float, turned))


def sinusoidal(position: float, dim: int, base: float = 10000) -> list[float]:
    """Encode one position: sin, cos, sin, cos, …"""
    encoded: list[mpmath.mpf] = []
    for pair in range(dim // 2):
        angle = mpmath.mpf(position) * speed(pair, dim, base)
        encoded += [mpmath.sin(angle), mpmath.cos(angle)]
    return list(map(float, encoded))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """A dot product in fifty digits."""
    return float(mpmath.fdot(list(map(float, a)), list(map(float, b))))


def rotary_score(
    q: Sequence[float], k: Sequence[float], m: float, n: float, base: float = 10000
) -> float:
    """Turn both, then multiply."""
    return dot(rotary(q, m, base), rotary(k, n, base))
