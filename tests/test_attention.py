"""Attention weights against loops, torch, and the tables of chapters 1 and 2."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lesson_utils.attention import attention_weights, softmax
from lesson_utils.positions import sinusoidal
from support.rotary_checks import close
from support.strategies import quick

# The six tokens of chapters 1 and 2: t0 … t5, three topics (t0 ~ t3, t1 ~ t4, t2 ~ t5).
TOKENS = np.array(
    [
        [2.56, 0.58, 1.88, -1.68],
        [2.81, 0.84, 0.09, 0.14],
        [1.99, 0.81, -1.25, -1.75],
        [2.48, 0.72, 1.82, -1.50],
        [2.86, 0.75, 0.11, -0.10],
        [2.03, 0.97, -1.22, -1.73],
    ]
)
scores = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3), elements=st.floats(-1000, 1000))


def by_loop(q, k, scale):
    weights = np.empty((len(q), len(k)))
    for i, query in enumerate(q):
        powers = [
            math.exp(scale * math.fsum(a * b for a, b in zip(query, key, strict=True))) for key in k
        ]
        weights[i] = [power / math.fsum(powers) for power in powers]
    return weights


@given(scores)
@quick
def test_softmax_matches_torch_on_every_axis(x) -> None:
    for axis in range(-x.ndim, x.ndim):
        shares = softmax(x, axis)
        close(shares, torch.softmax(torch.tensor(x), axis), 1e-12)
        close(shares.sum(axis), np.ones(shares.sum(axis).shape), 1e-12)
        close(softmax(x + 3.0, axis), shares, 1e-12)


def test_softmax_hides_minus_infinity_and_does_not_overflow() -> None:
    assert softmax([0.0, -np.inf]).tolist() == [1.0, 0.0]
    assert softmax([1e308, 1e308]).tolist() == [0.5, 0.5]
    close(softmax([0, math.log(3)]), [0.25, 0.75])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_keeps_floats_and_its_input(dtype) -> None:
    x = np.ones(3, dtype=dtype)
    assert softmax(x).dtype == dtype
    assert softmax(x.astype(int)).dtype == np.float64
    assert x.tolist() == [1, 1, 1]


def test_weights_match_a_loop_and_torch() -> None:
    q, k = np.random.default_rng(3).normal(size=(2, 5, 8))
    close(attention_weights(q, k[:3]), by_loop(q, k[:3], 1 / math.sqrt(8)))
    close(attention_weights(q, k, scale=0.7), by_loop(q, k, 0.7))
    batch = np.random.default_rng(4).normal(size=(2, 3, 5, 8))
    keys = batch[:, :1] + 1
    theirs = torch.nn.functional.scaled_dot_product_attention(
        torch.tensor(batch), torch.tensor(keys).expand(2, 3, 5, 8), torch.eye(5).double()
    )
    close(attention_weights(batch, keys), theirs)


def test_tables_of_the_six_tokens() -> None:
    close(attention_weights(TOKENS, TOKENS)[0], [0.510, 0.030, 0.015, 0.389, 0.039, 0.016], 5e-4)
    placed = TOKENS + sinusoidal(np.arange(6), 4)
    close(attention_weights(placed, placed)[0], [0.610, 0.213, 0.020, 0.140, 0.012, 0.004], 5e-4)
    later = TOKENS + sinusoidal(np.arange(5, 11), 4)
    close(attention_weights(later, later)[0, [3, 1]], [0.671, 0.057], 5e-4)


@pytest.mark.parametrize(
    ("positions", "scale", "largest"),
    [
        (None, 4**-0.5, 0.377),
        (None, 5**-0.5, 0.360),
        (np.arange(6), None, 0.626),
        (np.arange(100, 106), None, 1.000),
    ],
)
def test_appended_integers_drown_the_content(positions, scale, largest) -> None:
    x = TOKENS if positions is None else np.column_stack((TOKENS, positions))
    close(attention_weights(x, x, scale).max(axis=1).mean(), largest, 5e-4)


def test_attention_is_equivariant_not_invariant() -> None:
    order = np.random.default_rng(6).permutation(6)
    weights = attention_weights(TOKENS, TOKENS)
    shuffled = attention_weights(TOKENS[order], TOKENS[order])
    close(shuffled, weights[np.ix_(order, order)], 1e-14)
    with pytest.raises(AssertionError):
        close(shuffled, weights, 1e-2)


def test_every_argument_matters() -> None:
    standard = attention_weights(TOKENS, TOKENS)
    for other in (
        attention_weights(TOKENS[::-1], TOKENS),
        attention_weights(TOKENS, TOKENS[::-1]),
        attention_weights(TOKENS, TOKENS, scale=1.0),
    ):
        assert np.abs(other - standard).max() > 0.01
    x = np.array([[0.0, 1.0], [5.0, 2.0]])
    assert np.abs(softmax(x, 0) - softmax(x, 1)).max() > 0.01


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([np.nan, 1.0],), "x: expected a finite largest score, got nan.*remove NaN"),
        (([np.inf, 1.0],), "x: expected a finite largest score, got inf"),
        (([[0.0, 1.0], [-np.inf, -np.inf]],), "x: expected a finite largest score, got -inf"),
        (([],), "x: expected at least one score to share among, got float64 array of shape"),
        (([1.0], 1), r"axis: expected an axis of an array of shape \(1,\), got 1"),
        (([1.0], -2), "axis: expected an axis"),
        (([1.0], "0"), "axis: expected an axis"),
        ((1.0,), "axis: expected an axis"),
        (("abc",), "x: expected real numbers, got 'abc'"),
        (([1j],), "x: expected real numbers, got complex128"),
        (([True],), "x: expected real numbers, got bool"),
    ],
)
def test_bad_scores(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        softmax(*arguments)


@pytest.mark.parametrize(
    ("q", "k", "message"),
    [
        (TOKENS[0], TOKENS, r"q: expected shape \(..., length, dim\), got .*x\[None\]"),
        (TOKENS, TOKENS[0], r"k: expected shape \(..., length, dim\)"),
        (TOKENS, TOKENS[:0], r"k: expected shape \(..., length, dim\)"),
        (TOKENS, TOKENS[:, :3], r"k: expected dim 4 as in q, got float64 array of shape \(6, 3\)"),
        (np.ones((2, 3, 4)), np.ones((3, 3, 4)), r"k: expected leading axes that .* \(2,\) of q"),
        (TOKENS * np.nan, TOKENS, "q: expected finite numbers, got nan"),
        (TOKENS, TOKENS * np.inf, "k: expected finite numbers, got -?inf"),
        (TOKENS * 1j, TOKENS, "q: expected real numbers"),
    ],
)
def test_bad_queries_and_keys(q, k, message) -> None:
    with pytest.raises(ValueError, match=message):
        attention_weights(q, k)


@pytest.mark.parametrize("scale", [0, -1.0, np.nan, np.inf, True, "1", 1j])
def test_bad_scales(scale) -> None:
    with pytest.raises(ValueError, match="scale: expected a positive finite number, got"):
        attention_weights(TOKENS, TOKENS, scale)
