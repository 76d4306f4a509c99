"""Sinusoidal positions: hands of clocks that turn at different speeds.

Positions are counted in tokens, angles in radians. Formula and base 10000 are those of
Vaswani et al. 2017, "Attention Is All You Need" (https://arxiv.org/abs/1706.03762), section 3.5.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lesson_utils._checks import even_dim, finite_array, finite_number

__all__ = ["angles", "frequencies", "shift_matrix", "sinusoidal"]


def frequencies(dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """How far each pair of coordinates turns from one position to the next.

    >>> frequencies(4).tolist()
    [1.0, 0.01]

    Shapes: dim is a number of coordinates, the result has shape (dim/2,), in radians per position.
    Pair i, counted from 0, gets ω_i = base^(−2i/dim) (called θ_i in RoFormer).
    Raises ValueError unless dim is a positive even integer and base a positive number.
    """
    dim = even_dim(dim)
    base = finite_number(base, "base", positive=True)
    exponents = np.arange(0, dim, 2, dtype=np.float64) / dim
    return base**-exponents


def angles(positions: ArrayLike, dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """The angle p·ω_i of every pair i at every position p.

    >>> angles([0, 1, 100], dim=4).tolist()
    [[0.0, 0.0], [1.0, 0.01], [100.0, 1.0]]

    Shapes: positions of any shape, the result positions.shape + (dim/2,), in radians, float64.
    A position may be negative, fractional or huge. Raises ValueError for NaN or infinity.
    """
    # float32 would be off by whole hundredths of a radian at position 1,000,000.
    return finite_array(positions, "positions")[..., np.newaxis] * frequencies(dim, base)


def sinusoidal(positions: ArrayLike, dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """Encode positions as sines and cosines, interleaved: sin, cos, sin, cos, …

    >>> sinusoidal([0, 1], dim=4).round(3).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.841, 0.54, 0.01, 1.0]]

    Shapes: positions of any shape, the result positions.shape + (dim,), without a unit.
    PE(p)[2i] = sin(p·ω_i) and PE(p)[2i+1] = cos(p·ω_i), the layout of Vaswani et al.
    Raises ValueError for an odd dim, a base that is not positive, NaN or infinite positions.
    """
    angle = angles(positions, dim, base)
    waves = np.stack((np.sin(angle), np.cos(angle)), axis=-1)
    return waves.reshape((*angle.shape[:-1], dim))


def shift_matrix(k: float, dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """The matrix M_k that moves every encoding by k: PE(p + k) = M_k PE(p), whatever p is.

    >>> shifted = shift_matrix(3, dim=64) @ sinusoidal(10, dim=64)
    >>> bool(np.allclose(shifted, sinusoidal(13, dim=64)))
    True

    Shapes: k is one number of positions (negative: backwards), the result is (dim, dim).
    Each pair (sin, cos) meets the block [[c, s], [−s, c]] with c, s = cos, sin of k·ω_i. That is a
    clockwise turn: the transpose of the block with which `rotary.apply_rotary` turns (x, y).
    Raises ValueError for an odd dim, a base that is not positive, a k that is not a finite number.
    Vaswani et al. state in section 3.5 that such a linear map exists.
    """
    angle = finite_number(k, "k") * frequencies(dim, base)
    c, s = np.cos(angle), np.sin(angle)
    even = np.arange(0, dim, 2)
    odd = even + 1
    matrix = np.zeros((dim, dim))
    matrix[even, even], matrix[even, odd] = c, s
    matrix[odd, even], matrix[odd, odd] = -s, c
    return matrix
