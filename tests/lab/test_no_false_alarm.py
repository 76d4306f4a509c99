"""The grader never fails a correct submission: 1,000 seeds, three styles, all stages.

The styles differ where it matters for rounding: a power, an exponential of a logarithm, a running
product; sines and cosines, or complex numbers; both vectors rotated, or their distance only. The
same runs measure the tolerance: how much of it the worst right answer uses up. A second reference
in 50-digit decimals, independent of the grader's, shows that the grader's own values are right.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import pytest
from lab_support import STYLES, ask, loaded

from lesson_utils.lab.challenges import challenges
from lesson_utils.lab.judge import PASS, expected, judge
from lesson_utils.lab.reference import FUNCTIONS, Rope
from lesson_utils.lab.tolerance import RELATIVE, difference

SEEDS = range(1000)


def share_used(wanted, got, tol):
    """The largest part of the tolerance that an answer uses up."""
    if isinstance(wanted, (list, tuple)):
        parts = [share_used(w, g, t) for w, g, t in zip(wanted, got, tol, strict=True)]
        return max(parts, default=0.0)
    return abs(got - wanted) / tol if tol else 0.0


@pytest.mark.slow
@pytest.mark.parametrize("stage", FUNCTIONS)
def test_1000_seeds(stage):
    worst = dict.fromkeys(STYLES, 0.0)
    for seed in SEEDS:
        style = list(STYLES)[seed % 3]
        answers = ask(loaded(STYLES[style]), stage, seed, [])
        result = judge(stage, seed, answers)
        assert result.status == PASS, (style, seed, result.message)
        for (value, tol), answer in zip(expected(stage, seed), answers, strict=True):
            worst[style] = max(worst[style], share_used(value, answer.value, tol))
    print(f"stage {stage}: worst share of the tolerance {worst}")
    assert max(worst.values()) < 0.05


def exact_speeds(d, base):
    """base ** (-2i/d) to 50 digits."""
    return [(Decimal(base).ln() * Decimal(-2 * i) / Decimal(d)).exp() for i in range(d // 2)]


PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")


def exact_sin_cos(angle):
    """Sine and cosine by their series, after whole turns are taken off."""
    x = angle % (2 * PI)
    series = []
    for start in (1, 0):
        term, total, n = (x if start else Decimal(1)), Decimal(0), start
        while abs(term) > Decimal("1e-40"):
            total += term
            term *= -x * x / ((n + 1) * (n + 2))
            n += 2
        series.append(total)
    return series[0], series[1]


class Exact(Rope):
    """The lab's functions with 50-digit speeds and angles, for the comparison with floats."""

    def pair_speeds(self, d, base=None):
        return exact_speeds(d, self.base_of(base))

    def angle(self, pos, speed):
        return Decimal(pos) * speed

    def sin_cos(self, angle):
        s, c = exact_sin_cos(angle if isinstance(angle, Decimal) else Decimal(angle))
        return s, c

    def rotate_pair(self, x0, x1, angle):
        s, c = self.sin_cos(angle)
        x0, x1 = Decimal(x0), Decimal(x1)
        return [x0 * c - x1 * s, x0 * s + x1 * c]

    def additive_score(self, q, k, m, n, base=None):
        vectors = ([Decimal(x) for x in v] for v in (q, k))
        return super().additive_score(*vectors, m, n, base)

    def full_turn(self):
        return 2 * PI

    def turns(self, gap, d, base=None):
        return [Decimal(gap) * w / self.full_turn() for w in self.pair_speeds(d, base)]


def floats(value):
    return [floats(v) for v in value] if isinstance(value, list) else float(value)


@pytest.mark.parametrize("stage", [1, 2, 3, 4, 5, 7, 8])
def test_the_grader_agrees_with_50_digit_decimals(stage):
    exact = Exact()
    with localcontext() as context:
        context.prec = 60
        for seed in (1, 2):
            wanted = expected(stage, seed)
            for call, (value, tol) in zip(challenges(stage, seed), wanted, strict=True):
                if max(len(a) if isinstance(a, list) else 0 for a in call.args) > 70:
                    continue  # slow in decimals
                other = floats(call.on(exact))
                assert share_used(other, value, tol) < 0.05, call.text()


def test_the_tolerance_is_tight():
    """One part in 10**10 in a speed, an angle or a number is seen."""
    for stage in (1, 3, 4, 5, 7):
        for value, tol in expected(stage, 1):
            off = _scaled(value, 1 + 1e-10)
            if _largest(value) > 1e-3:
                assert difference(value, off, tol) or _largest(tol) > 1e-10 * _largest(value)


def _scaled(value, by):
    return [_scaled(v, by) for v in value] if isinstance(value, list) else value * by


def _largest(value):
    return max(map(_largest, value), default=0.0) if isinstance(value, list) else abs(value)


def test_the_tolerance_covers_thousands_of_roundings():
    assert RELATIVE / math.ulp(1.0) == pytest.approx(4503.6, abs=0.1)


def test_the_challenges_hold_what_they_promise():
    """d >= 6 and large, q != k, m != n, far, negative, every way to give a base; all seeds."""
    for seed in range(50):
        for stage in (3, 4, 5):
            calls = challenges(stage, seed)
            vectors = [call for call in calls if isinstance(call.args[0], list)]
            dims = {len(call.args[0]) for call in vectors}
            assert {2, 4, 6} <= dims or stage == 3
            assert max(dims) > 128
            places = [p for call in vectors for p in _places(call)]
            assert max(places) > 10_000
            assert min(places) < -1
            assert any("base" in call.kwargs for call in calls)
            bases = [call for call in vectors if len(call.args) > 1 + len(_places(call))]
            assert bases, "a base given in place"
            assert any(not call.kwargs for call in calls)
        for call in challenges(4, seed):
            q, k = call.args[:2]
            assert q != k
        far = [call.args[2:4] for call in challenges(4, seed)]
        assert sum(m != n for m, n in far) > 15
        assert any(n < m for m, n in far)


def _places(call):
    return call.args[2:4] if len(call.args) > 3 else call.args[1:2]


def test_the_same_seed_asks_the_same_and_another_seed_something_else():
    for stage in FUNCTIONS:
        challenges.cache_clear()
        first = repr(challenges(stage, 7))
        challenges.cache_clear()
        assert repr(challenges(stage, 7)) == first
        assert repr(challenges(stage, 8)) != first
