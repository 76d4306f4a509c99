"""How near is near enough, and how two answers are compared.

A float holds a number to one part in 4.5e15 (EPS = 2.2e-16). Two right ways to write a speed
(``base ** (-2 * i / d)``, ``exp(-2 * i / d * log(base))``, a running product) differ by some
dozens of such roundings, and an angle is a position times a speed, so what is off by r in the speed
is off by r * angle in the angle. Turning a pair by an angle that is off by e moves it by e times
its length; by Cauchy-Schwarz a score moves by at most e * |q| * |k|. Hence the tolerance:

    RELATIVE * size * (1 + angle)

with the size of what is turned and the angle it has turned by; for a drift, where nothing is
turned, with the largest of its numbers alone. RELATIVE = 1e-12 is 4,500 roundings.
Over 1,000 seeds the worst of the three styles above stays below a hundredth of the tolerance
(``tests/lab/test_no_false_alarm.py`` measures it). The best-known slip in precision, angles in
float32, is off by up to 6e-8 of the angle: up to 60,000 times the tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .calls import Call, Other
from .reference import Rope, Vector

RELATIVE = 1e-12


def norm(vec: Vector) -> float:
    """Euclidean length."""
    return math.sqrt(sum(x * x for x in vec))


def tolerance(rope: Rope, call: Call, wanted: Any) -> Any:
    """For each number of ``wanted`` how far an answer may be off; nested like ``wanted``."""
    return _SIZES[call.function](rope, wanted, *call.args, **call.kwargs)


def _relative(rope: Rope, wanted: Any, *args: Any, **kwargs: Any) -> Any:
    return [RELATIVE * abs(w) for w in wanted]


def _pair(rope: Rope, wanted: Any, x0: float, x1: float, angle: float) -> Any:
    return [RELATIVE * math.hypot(x0, x1) * (1 + abs(angle))] * 2


def _rotated(rope: Rope, wanted: Any, vec: Vector, pos: float, base: Any = None) -> Any:
    tol = [0.0] * len(wanted)
    for (a, b), speed in zip(rope.pairs(len(vec)), rope.pair_speeds(len(vec), base)):
        if b < len(tol):
            size = math.hypot(vec[a], vec[b])
            tol[a] = tol[b] = RELATIVE * size * (1 + abs(pos) * abs(speed))
    return tol


def _fastest(rope: Rope, d: int, base: Any) -> float:
    return max(map(abs, rope.pair_speeds(d, base)), default=1.0)


def _rotary(rope: Rope, w: Any, q: Vector, k: Vector, m: float, n: float, base: Any = None) -> Any:
    angle = (abs(m) + abs(n)) * _fastest(rope, len(q), base)
    return RELATIVE * norm(q) * norm(k) * (1 + angle)


def _waves(rope: Rope, wanted: Any, pos: float, d: int, base: Any = None) -> Any:
    return [RELATIVE * (1 + abs(pos * speed)) for speed in rope.wave_speeds(d, base)]


def _added(rope: Rope, w: Any, q: Vector, k: Vector, m: float, n: float, base: Any = None) -> Any:
    waves = math.sqrt(len(q) / 2)
    angle = (abs(m) + abs(n)) * _fastest(rope, len(q), base)
    return RELATIVE * (norm(q) + waves) * (norm(k) + waves) * (1 + angle)


def _drift(rope: Rope, wanted: Any, *args: Any, **kwargs: Any) -> Any:
    flat = [x for x in _flat(wanted) if isinstance(x, (int, float))]
    return _filled(wanted, RELATIVE * max((abs(x) for x in flat), default=1.0))


def _count(rope: Rope, wanted: Any, *args: Any, **kwargs: Any) -> Any:
    return 0.0


_SIZES: dict[str, Callable[..., Any]] = {
    "pair_speeds": _relative,
    "rotate_pair": _pair,
    "rotate": _rotated,
    "rotary_score": _rotary,
    "position_vector": _waves,
    "additive_score": _added,
    "drift": _drift,
    "turns": _relative,
    "first_turn_pairs": _count,
}


def _flat(value: Any) -> list[Any]:
    return [x for v in value for x in _flat(v)] if isinstance(value, (list, tuple)) else [value]


def _filled(like: Any, x: float) -> Any:
    return [_filled(v, x) for v in like] if isinstance(like, (list, tuple)) else x


def difference(wanted: Any, got: Any, tol: Any, where: str = "") -> str:
    """Why ``got`` is not ``wanted``, in a phrase; empty when it is."""
    if isinstance(wanted, (list, tuple)):
        return _list_difference(wanted, got, tol, where)
    at = f" at {where}" if where else ""
    if isinstance(got, list):
        return f"a list{at} where one number is expected"
    if isinstance(got, Other):
        return f"{_what(got)}{at} where a number is expected"
    if abs(got - wanted) <= tol:
        return ""
    return f"off by {abs(got - wanted):.3g}{at} (tolerance {tol:.1g})"


def _list_difference(wanted: Any, got: Any, tol: Any, where: str) -> str:
    at = f" at {where}" if where else ""
    if not isinstance(got, list):
        what = _what(got) if isinstance(got, Other) else "a single number"
        return f"{what}{at} where a list of {len(wanted)} is expected"
    if len(got) != len(wanted):
        return f"{len(got)} items{at} where {len(wanted)} are expected"
    pairs = enumerate(zip(wanted, got, tol))
    return next((s for i, (w, g, t) in pairs if (s := difference(w, g, t, f"{where}[{i}]"))), "")


def _what(got: Other) -> str:
    if got.type == "NoneType":
        return "None (is a `return` missing?)"
    return repr(got) if got.type in ("float", "int") else f"a {got.type}"
