"""Checks that any rotary encoding can be put to: laws that it obeys, and values that it hits.

Each check takes a function rotary(x, positions) and raises AssertionError if it fails. The laws
hold for many a wrong encoding too; only the values tell them apart (see test_mutants.py).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from support import reference

Rotary = Callable[[Any, Any], Any]

RNG = np.random.default_rng(2104)
Q, K = RNG.normal(size=(2, 8))
SHIFTS = np.array([0, 1, 7, 100, 4000])


def close(measured: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Equal up to rounding, and equal in shape."""
    measured, expected = np.asarray(measured), np.asarray(expected)
    assert measured.shape == expected.shape, (measured.shape, expected.shape)
    # `not <=` rather than `>`: NaN fails.
    worst = np.abs(measured - expected).max(initial=0.0)
    assert worst <= tolerance, f"off by {worst}"


def keeps_norms(rotary: Rotary) -> None:
    """A turn changes no length."""
    for shift in SHIFTS:
        close(np.linalg.norm(rotary(Q, shift)), np.linalg.norm(Q))


def sees_the_gap_alone(rotary: Rotary) -> None:
    """The score of two turned vectors stays when both move together."""
    for gap in (0, 2, 50):
        scores = np.array([rotary(Q, s) @ rotary(K, s + gap) for s in SHIFTS])
        close(scores, np.full(len(SHIFTS), scores[0]))


def composes(rotary: Rotary) -> None:
    """R_a R_b = R_(a + b)."""
    for a, b in ((3, 4), (100, -30), (-5, 5)):
        close(rotary(rotary(Q, b), a), rotary(Q, a + b))


def stays_at_zero(rotary: Rotary) -> None:
    """R_0 = I."""
    close(rotary(Q, 0), Q)


def hits_golden_vectors(rotary: Rotary) -> None:
    """Values of the encoding itself, more than two pairs, positions other than zero."""
    close(rotary(np.arange(1.0, 5.0), 3), [-1.272233, -1.838865, 2.878668, 4.088187], 5e-7)
    for dim, position in ((6, 5), (8, -17), (64, 1000)):
        x = np.arange(1.0, dim + 1)
        close(rotary(x, position), reference.rotary(x, position))


def hits_golden_scores(rotary: Rotary) -> None:
    """Scores of different vectors at different positions."""
    q, k = np.random.default_rng(0).normal(size=(2, 64))
    close(rotary(q, 3) @ rotary(k, 5), -12.638, 5e-4)
    close(rotary(Q, 2) @ rotary(K, 9), reference.rotary_score(Q, K, 2, 9))


def hits_golden_pair(rotary: Rotary) -> None:
    """Values of a single pair, dim 2: too small a test, as test_mutants.py shows."""
    close(rotary(np.array([1.0, 2.0]), 3), reference.rotary([1.0, 2.0], 3))


LAWS = (keeps_norms, sees_the_gap_alone, composes, stays_at_zero)
VALUES = (hits_golden_vectors, hits_golden_scores)
CHECKS = (*LAWS, *VALUES, hits_golden_pair)


def failing(rotary: Rotary) -> set[str]:
    """The names of the checks that a rotary encoding fails."""
    failed = set()
    for check in CHECKS:
        try:
            check(rotary)
        except AssertionError:
            failed.add(check.__name__)
    return failed
