"""Additive and rotary scores, against loops from the formula and the figures of chapter 5."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lesson_utils.positions import sinusoidal
from lesson_utils.scores import AdditiveTerms, additive_score, additive_terms, rotary_score
from support import reference
from support.bad_input import BAD_BASES
from support.rotary_checks import close
from support.strategies import anywhere, bases, dims, positions, quick, vectors

STARTS = np.array([3, 10, 100, 4000])
Q, K = np.random.default_rng(0).normal(size=(2, 64))


def test_the_test_that_must_never_break() -> None:
    rotary = rotary_score(Q, K, STARTS, STARTS + 2)
    close(rotary, [-12.638] * 4, 5e-4)
    assert np.ptp(rotary) < 1e-11
    additive = additive_score(Q, K, STARTS, STARTS + 2)
    close(additive, [26.82, 25.09, 17.29, 10.15], 5e-3)
    assert np.ptp(additive) > 3


@given(st.data(), dims, bases, anywhere, anywhere)
@quick
def test_scores_match_fifty_digits(data, dim, base, m, n) -> None:
    q, k = data.draw(vectors(dim)), data.draw(vectors(dim))
    at_m, at_n = (reference.sinusoidal(p, dim, base) for p in (m, n))
    terms = additive_terms(q, k, m, n, base)
    expected = [reference.dot(*pair) for pair in ((q, k), (q, at_n), (at_m, k), (at_m, at_n))]
    close(terms, expected, 1e-8)
    close(additive_score(q, k, m, n, base), sum(expected), 1e-8)
    close(rotary_score(q, k, m, n, base), reference.rotary_score(q, k, m, n, base), 1e-8)


@given(st.data(), dims, positions, positions, positions)
@quick
def test_what_each_score_depends_on(data, dim, m, n, shift) -> None:
    q, k = data.draw(vectors(dim)), data.draw(vectors(dim))
    close(rotary_score(q, k, m, n), rotary_score(q, k, m + shift, n + shift))
    here, there = additive_terms(q, k, m, n), additive_terms(q, k, m + shift, n + shift)
    close([here.content, here.position], [there.content, there.position])
    close(here.query_position, additive_terms(q, k, m + shift, n).query_position)
    close(here.position_key, additive_terms(q, k, m, n + shift).position_key)


def test_terms_are_named_in_the_order_of_the_expansion() -> None:
    terms = additive_terms(Q, K, 3, 5)
    assert AdditiveTerms._fields == ("content", "query_position", "position_key", "position")
    at_m, at_n = sinusoidal([3, 5], 64)
    close(terms, [Q @ K, Q @ at_n, at_m @ K, at_m @ at_n])
    close(sum(terms), (Q + at_m) @ (K + at_n))


@pytest.mark.parametrize(
    ("m", "n", "shape"),
    [
        (3, 5, ()),
        (STARTS, 5, (4,)),
        (3, STARTS, (4,)),
        (STARTS, STARTS, (4,)),
        (STARTS[:, None], np.arange(3), (4, 3)),
        (np.zeros((2, 1, 3)), np.zeros((5, 1)), (2, 5, 3)),
        ([], 0, (0,)),
    ],
)
def test_positions_broadcast(m, n, shape) -> None:
    scores = [additive_score(Q, K, m, n), rotary_score(Q, K, m, n), *additive_terms(Q, K, m, n)]
    assert [np.shape(score) for score in scores] == [shape] * 6
    each = np.broadcast(m, n)
    for score in (additive_score, rotary_score):
        one_by_one = np.reshape([score(Q, K, *pair) for pair in each], shape)
        each.reset()
        close(score(Q, K, m, n), one_by_one)


def test_vectors_broadcast() -> None:
    many = np.random.default_rng(1).normal(size=(7, 1, 64))
    for score in (additive_score, rotary_score):
        together = score(many, K, 3, STARTS)
        assert together.shape == (7, 4)
        close(together[2, 1], score(many[2, 0], K, 3, 10))
        close(score(K, many, STARTS, 3)[2, 1], score(K, many[2, 0], 10, 3))


def test_many_scores_have_the_statistics_of_independent_vectors() -> None:
    """For independent Gaussian q and k the rotary score has mean 0 and spread √dim at any gap."""
    q, k = np.random.default_rng(2).normal(size=(2, 4000, 1, 64))
    scores = rotary_score(q, k, 0, [0, 1, 100, 4000])
    close(scores.mean(axis=0), np.zeros(4), 0.5)
    close(scores.std(axis=0), np.full(4, 8.0), 0.4)


def test_score_of_equal_ones_falls_then_rises() -> None:
    ones = np.ones(64)
    score = rotary_score(ones, ones, 0, np.arange(800)) / 64
    close(score[1:7], [0.9662, 0.8845, 0.7996, 0.7479, 0.7345, 0.7362], 5e-5)
    assert np.flatnonzero(score < 0)[0] == 725
    assert np.flatnonzero(np.diff(score) > 0)[0] + 1 == 6


@pytest.mark.parametrize("score", [additive_score, rotary_score])
def test_every_argument_matters(score) -> None:
    standard = score(Q, K, 3, 5)
    changed = [
        score(Q + 1, K, 3, 5),
        score(Q, K + 1, 3, 5),
        score(Q, K, 4, 5),
        score(Q, K, 3, 6),
        score(Q, K, 3, 5, base=500.0),
    ]
    assert all(abs(other - standard) > 1e-2 for other in changed)
    assert score(Q, K, 3, 5) == standard


def test_integers_lists_and_tensors_are_accepted() -> None:
    for score in (additive_score, rotary_score):
        close(score([1, 2], [3, 4], 5, 6), score(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 5, 6))
        close(score(torch.tensor(Q), torch.tensor(K), torch.tensor(3), 5), score(Q, K, 3, 5))


@pytest.mark.parametrize("score", [additive_terms, additive_score, rotary_score])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1.0, K, 1, 2), r"q: expected shape \(dim,\)"),
        ((Q, 1.0, 1, 2), r"k: expected shape \(dim,\)"),
        ((Q[:3], K[:3], 1, 2), r"q.shape\[-1\] \(dim\): expected a positive even integer, got 3"),
        ((Q[:4], K[:3], 1, 2), r"k.shape\[-1\] \(dim\): expected a positive even integer, got 3"),
        ((Q, K[:4], 1, 2), r"k: expected dim 64 as in q, got float64 array of shape \(4,\)"),
        ((Q * np.nan, K, 1, 2), "q: expected finite numbers, got nan"),
        ((Q, K * np.inf, 1, 2), "k: expected finite numbers, got -?inf"),
        ((Q, K, np.nan, 2), "m: expected finite numbers, got nan"),
        ((Q, K, 1, [np.inf]), "n: expected finite numbers, got inf"),
        ((Q, K, True, 2), "m: expected real numbers, got True"),
        ((Q, K, 1, "2"), "n: expected real numbers, got '2'"),
        ((Q * 1j, K, 1, 2), "q: expected real numbers, got complex128"),
        ((Q, K, [1, 2, 3], [1, 2]), r"q, k, m, n: expected .* broadcast .*got \(\), \(\), \(3,\)"),
    ],
)
def test_bad_input(score, arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        score(*arguments)


@pytest.mark.parametrize(("base", "message"), BAD_BASES)
def test_bad_bases(base, message) -> None:
    for score in (additive_score, rotary_score):
        with pytest.raises(ValueError, match=message):
            score(Q, K, 1, 2, base)
