"""Sinusoidal positions against the formula, another library, and figures worked out before."""

import numpy as np
import pytest
import torch
from hypothesis import given
from x_transformers.x_transformers import ScaledSinusoidalEmbedding

from lesson_utils.positions import angles, frequencies, shift_matrix, sinusoidal
from support import reference
from support.bad_input import BAD_BASES, BAD_DIMS, BAD_POSITIONS
from support.rotary_checks import close
from support.strategies import anywhere, bases, dims, positions, quick

TABLE = sinusoidal(np.arange(512), 64)


def test_frequencies_follow_the_formula() -> None:
    for dim, base in ((2, 10000), (6, 10000), (64, 500000)):
        close(
            frequencies(dim, base), [float(reference.speed(i, dim, base)) for i in range(dim // 2)]
        )


def test_longest_wavelengths() -> None:
    assert round(2 * np.pi / frequencies(512)[-1]) == 60611
    assert round(2 * np.pi / frequencies(64)[-1]) == 47117
    assert round(frequencies(64)[1], 5) == 0.74989


@given(anywhere, dims, bases)
@quick
def test_sinusoidal_matches_fifty_digits(position: float, dim: int, base: float) -> None:
    close(sinusoidal(position, dim, base), reference.sinusoidal(position, dim, base), 2e-9)


def test_sinusoidal_matches_x_transformers() -> None:
    """Their layout is all sines, then all cosines, with the exponent 2i/d, in float32."""
    theirs = ScaledSinusoidalEmbedding(64, theta=10000)
    table = (theirs(torch.zeros(1, 512, 64)) / theirs.scale).detach().numpy()
    close(np.concatenate((TABLE[:, 0::2], TABLE[:, 1::2]), axis=1), table, 1e-4)


def test_every_row_has_the_same_norm() -> None:
    norms = np.linalg.norm(TABLE, axis=1)
    close(norms, np.full(512, 5.6569), 5e-5)
    assert np.ptp(norms) < 1e-14


def test_dot_products_depend_on_the_distance_alone() -> None:
    gram = TABLE @ TABLE.T
    for distance in range(512):
        assert np.ptp(np.diag(gram, distance)) < 1e-12
    close(gram[0, :7], [32.00, 30.92, 28.30, 25.59, 23.93, 23.50, 23.56], 5e-3)
    assert (np.diff(gram[0]) > 0).sum() == 244
    assert gram[0].argmin() == 406
    close(gram[0, [406, 511]], [2.56, 6.42], 5e-3)
    close(gram[0], np.cos(np.outer(np.arange(512), frequencies(64))).sum(axis=1), 1e-13)


def test_far_positions_are_defined() -> None:
    far, next_to_it = sinusoidal([4000, 4001], 64)
    close(np.linalg.norm(far), 5.6569, 5e-5)
    close(far @ next_to_it, 30.917, 5e-4)


def test_shapes() -> None:
    assert angles(3, 8).shape == (4,)
    assert sinusoidal(3, 8).shape == (8,)
    assert sinusoidal(np.zeros((2, 5)), 8).shape == (2, 5, 8)
    assert sinusoidal([], 8).shape == (0, 8)
    assert sinusoidal(np.arange(3, dtype=np.float32), 8).dtype == np.float64
    close(sinusoidal(torch.arange(3), 8), sinusoidal(np.arange(3), 8))


@given(positions, positions, dims, bases)
@quick
def test_shift_matrix_shifts(k: int, p: int, dim: int, base: float) -> None:
    close(shift_matrix(k, dim, base) @ sinusoidal(p, dim, base), sinusoidal(p + k, dim, base))


@given(positions, positions, dims, bases)
@quick
def test_shift_matrices_form_a_group(a: int, b: int, dim: int, base: float) -> None:
    close(shift_matrix(a, dim, base) @ shift_matrix(b, dim, base), shift_matrix(a + b, dim, base))
    close(shift_matrix(a, dim, base).T, shift_matrix(-a, dim, base))
    close(shift_matrix(a, dim, base).T @ shift_matrix(a, dim, base), np.eye(dim))
    assert np.array_equal(shift_matrix(0, dim, base), np.eye(dim))


def test_shift_matrix_is_block_diagonal_and_clockwise() -> None:
    matrix = shift_matrix(0.5, 4)
    c, s = np.cos(0.5), np.sin(0.5)
    close(matrix[:2, :2], [[c, s], [-s, c]])
    assert not matrix[:2, 2:].any()
    assert not matrix[2:, :2].any()
    with pytest.raises(AssertionError):
        close(matrix.T @ sinusoidal(3, 4), sinusoidal(3.5, 4))


def test_every_argument_matters() -> None:
    standard = sinusoidal([3, 4], 8)
    assert not np.allclose(standard, sinusoidal([3, 5], 8))
    assert not np.allclose(standard[:, :4], sinusoidal([3, 4], 4))
    assert not np.allclose(standard, sinusoidal([3, 4], 8, base=500.0))
    assert np.array_equal(standard, sinusoidal([3, 4], 8))
    assert not np.allclose(shift_matrix(3, 8), shift_matrix(4, 8))
    assert not np.allclose(shift_matrix(3, 8), shift_matrix(3, 8, base=500.0))


@pytest.mark.parametrize(("dim", "message"), BAD_DIMS)
@pytest.mark.parametrize(
    "call", [frequencies, lambda dim: sinusoidal(1, dim), lambda dim: shift_matrix(1, dim)]
)
def test_bad_dims(call, dim, message) -> None:
    with pytest.raises(ValueError, match=message):
        call(dim)


@pytest.mark.parametrize(("base", "message"), BAD_BASES)
@pytest.mark.parametrize(
    "call",
    [
        lambda base: frequencies(4, base),
        lambda base: sinusoidal(1, 4, base),
        lambda base: shift_matrix(1, 4, base),
    ],
)
def test_bad_bases(call, base, message) -> None:
    with pytest.raises(ValueError, match=message):
        call(base)


@pytest.mark.parametrize(("bad", "message"), BAD_POSITIONS)
def test_bad_positions(bad, message) -> None:
    with pytest.raises(ValueError, match=message):
        sinusoidal(bad, 4)


@pytest.mark.parametrize("k", [np.nan, np.inf, "1", True, 1j, [1], None])
def test_bad_shifts(k) -> None:
    with pytest.raises(ValueError, match=r"k: expected a finite number, got .*Pass one int"):
        shift_matrix(k, 4)
