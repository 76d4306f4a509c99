"""Validation that every module shares: a bad argument is a ValueError with a remedy.

Each message names the argument, says what was expected and what came, and ends with what to do.
"""

import sys
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "even_dim",
    "finite_array",
    "finite_number",
    "is_tensor",
    "one_of",
    "real_array",
    "reject",
]


def reject(name: str, expected: str, got: object, remedy: str) -> NoReturn:
    """Raise the ValueError that all checks share."""
    raise ValueError(f"{name}: expected {expected}, got {describe(got)}. {remedy}")


def describe(value: Any) -> str:
    """Say in a few words what came: the shape of an array, the value of anything short."""
    if hasattr(value, "dtype") and getattr(value, "shape", None):
        return f"{value.dtype} array of shape {tuple(value.shape)}"
    text = repr(value)
    short = text if len(text) <= 60 else text[:57] + "..."
    return f"{short} ({type(value).__name__})"


def is_tensor(value: object) -> bool:
    """Tell whether value is a torch tensor, without importing torch to find out."""
    # Nobody can hold a tensor unless torch has been imported already.
    return isinstance(value, getattr(sys.modules.get("torch"), "Tensor", ()))


def even_dim(value: Any, name: str = "dim") -> int:
    """Return value as an int if it is a positive even integer."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        reject(name, "a positive even integer", value, f"Pass an int such as {name}=64.")
    if value <= 0 or value % 2:
        remedy = "Coordinates are used in pairs, so choose an even size such as 64."
        reject(name, "a positive even integer", value, remedy)
    return int(value)


def finite_number(value: Any, name: str, *, positive: bool = False) -> float:
    """Return value as a float if it is one finite real number (above zero, if positive)."""
    expected = "a positive finite number" if positive else "a finite number"
    remedy = f"Pass one int or float as {name}."
    if isinstance(value, bool) or not isinstance(value, Real):
        reject(name, expected, value, remedy)
    try:
        number = float(value)
    except OverflowError:
        reject(name, expected, "an integer too large for a float", remedy)
    if not np.isfinite(number) or (positive and number <= 0):
        reject(name, expected, value, remedy)
    return number


def one_of(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return value if it is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        listed = " or ".join(repr(choice) for choice in choices)
        reject(name, listed, value, f"Choose {listed}.")
    return value


def real_array(value: Any, name: str) -> NDArray[Any]:
    """Return value as a numpy array of real numbers; integers become float64."""
    if is_tensor(value):
        value = _from_tensor(value, name)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        remedy = "Make its rows equally long."
        reject(name, "a rectangular array of real numbers", value, remedy)
    if array.dtype.kind not in "iuf":
        remedy = "Convert it with np.asarray(..., dtype=float) if that is what you mean."
        reject(name, "real numbers", array if array.ndim else value, remedy)
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def finite_array(value: Any, name: str) -> NDArray[np.float64]:
    """Return value as a float64 array without NaN and infinity."""
    array = real_array(value, name).astype(np.float64)
    bad = ~np.isfinite(array)
    if bad.any():
        came = float(array[bad][0])
        reject(name, "finite numbers", came, f"Remove NaN and infinity from {name} first.")
    return array


def _from_tensor(tensor: Any, name: str) -> Any:
    if tensor.requires_grad:
        remedy = f"No gradient would flow through it here; pass {name}.detach()."
        reject(name, "a tensor without gradient", tensor, remedy)
    # numpy has no bfloat16; float64 holds every value of the smaller types exactly.
    return (tensor.double() if tensor.is_floating_point() else tensor).cpu().numpy()
