"""What a head attends to, in one number: arrays of attention weights (..., T, T), row = query."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["mean_distance", "previous_share"]


def _square(weights: ArrayLike) -> NDArray[np.float64]:
    w = np.asarray(weights, dtype=np.float64)
    if w.ndim < 2 or w.shape[-1] != w.shape[-2] or w.shape[-1] < 2:
        raise ValueError(
            f"weights must be (..., T, T) with T of at least 2, got {w.shape}:"
            " pass the attention of a text with two characters or more."
        )
    return w


def mean_distance(weights: ArrayLike) -> NDArray[np.float64]:
    """How many characters back a head looks on average: (..., T, T) -> (...).

    Equal weights on everything seen so far give (T - 1) / 4.
    """
    w = _square(weights)
    row, column = np.indices(w.shape[-2:])
    return np.asarray((w * (row - column)).sum(axis=-1).mean(axis=-1))


def previous_share(weights: ArrayLike) -> NDArray[np.float64]:
    """The mean weight on the character just before, of all but the first: (..., T, T) -> (...).

    Equal weights on everything seen so far give (1/2 + 1/3 + ... + 1/T) / (T - 1).
    """
    return np.asarray(np.diagonal(_square(weights), offset=-1, axis1=-2, axis2=-1).mean(axis=-1))
