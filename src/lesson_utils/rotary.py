"""Rotary position encoding: turn each pair of coordinates by an angle that grows with position.

Su et al. 2021, "RoFormer" (https://arxiv.org/abs/2104.09864), whose base 10000 is the default and
whose neighbouring pairs are the default pairing. Pairs of halves are the convention of GPT-NeoX
and of Llama in Hugging Face transformers. Positions count tokens; angles are float64 radians.
"""

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lesson_utils._checks import even_dim, is_tensor, one_of, real_array, reject
from lesson_utils.positions import angles

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["apply_rotary", "turns"]

Pairing = Literal["interleaved", "half"]


@overload
def apply_rotary(
    x: "Tensor", positions: Any, base: float = ..., pairing: Pairing = ...
) -> "Tensor": ...
@overload
def apply_rotary(
    x: ArrayLike, positions: Any, base: float = ..., pairing: Pairing = ...
) -> NDArray[Any]: ...
def apply_rotary(
    x: Any, positions: Any, base: float = 10000.0, pairing: Pairing = "interleaved"
) -> Any:
    """Turn pair i of every vector by its position times base^(−2i/dim), anticlockwise.

    >>> apply_rotary([[1.0, 2.0, 3.0, 4.0]], [3]).round(6).tolist()
    [[-1.272233, -1.838865, 2.878668, 4.088187]]
    >>> apply_rotary([1.0, 2.0, 3.0, 4.0], 3, pairing="half").round(6).tolist()
    [-1.413353, 1.879118, -2.828857, 4.058191]

    Shapes: x (..., L, dim), a numpy array, a nested list or a torch tensor; positions (L,) or any
    shape that broadcasts to x's leading axes x.shape[:-1]; the result is like x. A single number
    serves every vector alike, so x may be (dim,). With x (batch, heads, L, dim) and positions
    (batch, L), insert the heads: positions[:, None, :].
    pairing "interleaved" turns (x_0, x_1), (x_2, x_3), …; "half" turns x_i with x_(i + dim/2).
    A floating type is kept and cast to once, at the end; integers become float64. Tensors stay on
    their device and pass gradients. Positions may be negative, fractional or huge.
    Raises ValueError for an odd dim, shapes that do not fit, positions that are not finite real
    numbers, a base that is not positive, an unknown pairing. Values of x are not inspected.
    """
    axis = -1 if one_of(pairing, "pairing", ("interleaved", "half")) == "interleaved" else -2
    vectors: Any = _tensor(x) if is_tensor(x) else real_array(x, "x")
    if vectors.ndim == 0:
        reject("x", "shape (..., L, dim)", x, "The last axis holds the coordinates.")
    angle = angles(positions, even_dim(vectors.shape[-1], "x.shape[-1] (dim)"), base)
    _check_fit(angle.shape[:-1], tuple(vectors.shape[:-1]))
    if is_tensor(x):
        return _rotate_tensor(vectors, angle, axis)
    return _rotate(vectors, np.cos(angle), np.sin(angle), axis, np).astype(
        vectors.dtype, copy=False
    )


def turns(gap: ArrayLike, dim: int, base: float = 10000.0) -> NDArray[np.float64]:
    """How many full turns each pair makes between two positions that lie gap apart.

    >>> turns(100, dim=4).round(3).tolist()
    [15.915, 0.159]

    Shapes: gap is a number of positions or an array of them; the result is gap.shape + (dim/2,),
    in turns of 2π radians, negative for a negative gap. A pair is in its first turn below 1.
    Raises ValueError for an odd dim, a base that is not positive, a gap that is not finite.
    """
    return angles(gap, dim, base) / (2 * np.pi)


def _rotate(x: Any, cos: Any, sin: Any, axis: int, xp: Any) -> Any:
    # A pairing is nothing but the axis that tells a pair's two members apart: (…, dim/2, 2) has
    # neighbours together, (…, 2, dim/2) halves. xp is numpy or torch: both know these functions.
    half = x.shape[-1] // 2
    split = (half, 2) if axis == -1 else (2, half)
    first, second = xp.moveaxis(x.reshape(tuple(x.shape[:-1]) + split), axis, 0)
    turned = (first * cos - second * sin, first * sin + second * cos)
    return xp.stack(turned, axis).reshape(x.shape)


def _rotate_tensor(x: "Tensor", angle: NDArray[np.float64], axis: int) -> "Tensor":
    import torch  # already loaded: x is a tensor

    # Apple's GPUs have no float64; the angles keep it, as they are computed by numpy.
    work = torch.float32 if x.device.type == "mps" else torch.float64
    turn = torch.as_tensor(np.stack((np.cos(angle), np.sin(angle))), dtype=work, device=x.device)
    rotated: Tensor = _rotate(x.to(work), turn[0], turn[1], axis, torch)
    return rotated.to(x.dtype)


def _tensor(x: "Tensor") -> "Tensor":
    if x.is_complex() or str(x.dtype) == "torch.bool":
        reject("x", "real numbers", x, "Convert it with x.to(torch.float64) if you mean that.")
    return x if x.is_floating_point() else x.double()


def _check_fit(positions: tuple[int, ...], leading: tuple[int, ...]) -> None:
    try:
        fits = np.broadcast_shapes(positions, leading) == leading
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"positions: expected a shape that broadcasts to x's leading axes {leading}, got shape "
            f"{positions}. Give one position a vector of x; insert axes of length 1 where vectors "
            "share one, e.g. positions[:, None, :]."
        )
