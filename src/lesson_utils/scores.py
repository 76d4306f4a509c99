"""Two ways to let a score know positions: add them to q and k, or turn q and k by them.

The expansion of the additive score into four terms goes back to Dai et al. 2019, Transformer-XL
(https://arxiv.org/abs/1901.02860); the rotary score is that of Su et al. 2021, RoFormer
(https://arxiv.org/abs/2104.09864). Scores are plain dot products, not yet divided by √dim.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lesson_utils._checks import even_dim, finite_array, reject
from lesson_utils.positions import sinusoidal
from lesson_utils.rotary import apply_rotary

__all__ = ["AdditiveTerms", "additive_score", "additive_terms", "rotary_score"]

Array = NDArray[np.float64]


class AdditiveTerms(NamedTuple):
    """The four parts of (q + P_m)·(k + P_n), all of one shape; their sum is the score.

    >>> print(sum(additive_terms([1.0, 0.0], [0.0, 1.0], m=0, n=0)))
    2.0
    """

    content: Array  # q·k, sees no position
    query_position: Array  # q·P_n, sees the key's position n alone
    position_key: Array  # P_m·k, sees the query's position m alone
    position: Array  # P_m·P_n, sees the distance alone


def additive_terms(
    q: ArrayLike, k: ArrayLike, m: ArrayLike, n: ArrayLike, base: float = 10000.0
) -> AdditiveTerms:
    """Expand the score of q at position m with k at position n, positions added.

    >>> terms = additive_terms([1.0, 0.0], [0.0, 1.0], m=0, n=[0, 1, 2])
    >>> terms.query_position.round(3).tolist()
    [0.0, 0.841, 0.909]

    Shapes: q and k (dim,); m and n numbers or arrays that broadcast together, and every term has
    the broadcast shape. So m=starts, n=starts + 2 gives one score a start. q and k may also carry
    leading axes (..., dim), which broadcast in the same way.
    P is the interleaved sinusoidal encoding with the given base.
    Raises ValueError if q and k differ in dim, if dim is odd, if shapes do not broadcast, or for
    NaN or infinity.
    """
    q, k, m, n, shape = _inputs(q, k, m, n)
    at_m, at_n = (sinusoidal(position, q.shape[-1], base) for position in (m, n))
    products = (_dot(q, k), _dot(q, at_n), _dot(at_m, k), _dot(at_m, at_n))
    # Adding zeros spreads each term to the common shape; a single score stays a plain number.
    return AdditiveTerms(*(product + np.zeros(shape) for product in products))


def additive_score(
    q: ArrayLike, k: ArrayLike, m: ArrayLike, n: ArrayLike, base: float = 10000.0
) -> Array:
    """The score (q + P_m)·(k + P_n): the sum of the four `additive_terms`.

    >>> q, k = np.random.default_rng(0).normal(size=(2, 64))
    >>> starts = np.array([3, 10, 100, 4000])
    >>> additive_score(q, k, starts, starts + 2).round(2).tolist()
    [26.82, 25.09, 17.29, 10.15]

    Shapes and errors: those of `additive_terms`.
    """
    content, query_position, position_key, position = additive_terms(q, k, m, n, base)
    return content + query_position + position_key + position


def rotary_score(
    q: ArrayLike, k: ArrayLike, m: ArrayLike, n: ArrayLike, base: float = 10000.0
) -> Array:
    """The score of q turned by its position m with k turned by its position n.

    >>> q, k = np.random.default_rng(0).normal(size=(2, 64))
    >>> starts = np.array([3, 10, 100, 4000])
    >>> rotary_score(q, k, starts, starts + 2).round(3).tolist()
    [-12.638, -12.638, -12.638, -12.638]

    Shapes and errors: those of `additive_terms`. Both vectors really are turned: that only n − m
    matters is left for the reader to see. Neighbouring coordinates form the pairs.
    """
    q, k, m, n, shape = _inputs(q, k, m, n)
    turned = (_turn(q, m, base), _turn(k, n, base))
    return _dot(*turned) + np.zeros(shape)


def _dot(a: Array, b: Array) -> Array:
    product: Array = np.sum(a * b, axis=-1)
    return product


def _turn(x: Array, position: Array, base: float) -> Array:
    leading = np.broadcast_shapes(x.shape[:-1], position.shape)
    return apply_rotary(np.broadcast_to(x, leading + x.shape[-1:]), position, base)


def _inputs(
    q: ArrayLike, k: ArrayLike, m: ArrayLike, n: ArrayLike
) -> tuple[Array, Array, Array, Array, tuple[int, ...]]:
    vectors = finite_array(q, "q"), finite_array(k, "k")
    for name, array in zip("qk", vectors, strict=True):
        if array.ndim == 0:
            reject(name, "shape (dim,)", array, "Pass a vector.")
        even_dim(array.shape[-1], f"{name}.shape[-1] (dim)")
    if vectors[0].shape[-1] != vectors[1].shape[-1]:
        expected = f"dim {vectors[0].shape[-1]} as in q"
        reject("k", expected, vectors[1], "Use a query and a key of one head.")
    places = finite_array(m, "m"), finite_array(n, "n")
    leading = [array.shape[:-1] for array in vectors] + [place.shape for place in places]
    try:
        shape = np.broadcast_shapes(*leading)
    except ValueError:
        raise ValueError(
            "q, k, m, n: expected leading axes of q and k and shapes of m and n that broadcast "
            f"together, got {', '.join(map(str, leading))}. Give m and n equal shapes, or one of "
            "them as a single number."
        ) from None
    return (*vectors, *places, shape)
