"""Attention weights: who looks at whom, and how much.

softmax(q kᵀ / √d) is scaled dot-product attention of Vaswani et al. 2017
(https://arxiv.org/abs/1706.03762), section 3.2.1, without the projections.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lesson_utils._checks import finite_array, finite_number, real_array, reject

__all__ = ["attention_weights", "softmax"]


def softmax(x: ArrayLike, axis: int = -1) -> NDArray[Any]:
    """Turn scores into shares that are positive and sum to one.

    >>> softmax([[0.0, 0.0], [0.0, -np.inf]]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]

    Shapes: like x. Floating types are kept, integers become float64. A score of −inf hides an
    entry. Raises ValueError for NaN, +inf, or a slice in which every entry is hidden.
    """
    scores = real_array(x, "x")
    if not isinstance(axis, int) or not -scores.ndim <= axis < scores.ndim:
        reject("axis", f"an axis of an array of shape {scores.shape}", axis, "Count from 0 or −1.")
    if scores.shape[axis] == 0:
        reject("x", "at least one score to share among", scores, "Pass a longer axis.")
    top = scores.max(axis=axis, keepdims=True)
    if not np.isfinite(top).all():
        remedy = "Leave a finite score in every slice, and remove NaN and +inf."
        reject("x", "a finite largest score", float(top[~np.isfinite(top)][0]), remedy)
    # Subtracting the largest score changes no share and keeps exp from overflowing.
    shares: NDArray[Any] = np.exp(scores - top)
    shares /= shares.sum(axis=axis, keepdims=True)
    return shares


def attention_weights(
    q: ArrayLike, k: ArrayLike, scale: float | None = None
) -> NDArray[np.float64]:
    """How much each query looks at each key: softmax(q kᵀ · scale).

    >>> tokens = np.eye(3)
    >>> attention_weights(tokens, tokens).round(2).tolist()
    [[0.47, 0.26, 0.26], [0.26, 0.47, 0.26], [0.26, 0.26, 0.47]]

    Shapes: q (..., Lq, dim) and k (..., Lk, dim) with leading axes that broadcast; the result is
    (..., Lq, Lk), float64, and every row sums to one. scale is 1/√dim unless given.
    Raises ValueError if shapes do not fit, for NaN or infinity, or a scale that is not positive.
    """
    queries, keys = finite_array(q, "q"), finite_array(k, "k")
    for name, array in (("q", queries), ("k", keys)):
        if array.ndim < 2 or 0 in array.shape[-2:]:
            reject(name, "shape (..., length, dim)", array, "Write one vector x as x[None].")
    if queries.shape[-1] != keys.shape[-1]:
        reject("k", f"dim {queries.shape[-1]} as in q", keys, "Project q and k to the same dim.")
    try:
        np.broadcast_shapes(queries.shape[:-2], keys.shape[:-2])
    except ValueError:
        expected = f"leading axes that broadcast with {queries.shape[:-2]} of q"
        reject("k", expected, keys, "Batch and head axes of q and k must agree.")
    factor = queries.shape[-1] ** -0.5
    if scale is not None:
        factor = finite_number(scale, "scale", positive=True)
    return softmax(queries @ keys.swapaxes(-1, -2) * factor)
