"""Sentences with a number in them, checked whenever the chapter runs.

A chapter's prose cannot go stale: what it states is measured again, and a false sentence fails.
"""

from math import floor, isfinite, log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lesson_utils._checks import finite_array, finite_number, real_array, reject

__all__ = ["ClaimError", "claim"]

Array = NDArray[np.float64]


class ClaimError(AssertionError):
    """The text would be false: what it states is not what was measured.

    >>> try:
    ...     claim("a dozen", measured=11, stated=12, tol=0)
    ... except ClaimError as error:
    ...     print(error.text, error.measured, error.stated)
    a dozen 11 12

    `text`, `measured` and `stated` are what `claim` was given; for a claim with bounds alone,
    `stated` is the pair (at_least, at_most).
    """

    def __init__(self, message: str, text: str, measured: Any, stated: Any) -> None:
        super().__init__(message)
        self.text, self.measured, self.stated = text, measured, stated


def claim(
    text: str,
    measured: ArrayLike,
    stated: ArrayLike | None = None,
    tol: float | None = None,
    *,
    at_most: ArrayLike | None = None,
    at_least: ArrayLike | None = None,
) -> None:
    """Print the text if it is true of what was measured, raise `ClaimError` if it is not.

    >>> claim("norm of every row", measured=5.656854, stated=5.6569, tol=5e-5)
    ✓ norm of every row: measured 5.65685 (stated 5.6569 ± 5e-05)
    >>> claim("spread of the norms", measured=1.8e-15, at_most=1e-14)
    ✓ spread of the norms: measured 1.8e-15 (at most 1e-14)

    Shapes: measured is a number or an array; stated and the bounds have its shape or are one
    number for all. True means, everywhere, |measured − stated| ≤ tol and at_least ≤ measured ≤
    at_most, for as many of these as are given. NaN and infinity are never true.
    Raises ValueError for a malformed claim: an empty text, nothing measured, neither a stated
    value nor a bound, a tol that is missing, negative or without a stated value, other shapes.
    """
    if not isinstance(text, str) or not text.strip():
        reject("text", "a sentence", text, "Say what the number is about.")
    values = real_array(measured, "measured").astype(np.float64)
    if values.size == 0:
        reject("measured", "at least one number", values, "Nothing was measured.")
    conditions = _conditions(values, stated, tol, at_least, at_most)
    wanted = ", ".join(words for words, _ in conditions)
    # NaN compares false with everything and so fails; infinity would satisfy a bound.
    true = np.isfinite(values) & np.logical_and.reduce([holds for _, holds in conditions])
    if not true.all():
        expected = stated if stated is not None else (at_least, at_most)
        raise ClaimError(_failure(text, values, true, wanted), text, measured, expected)
    print(f"✓ {text}: measured {_show(values, tol)} ({wanted})")


def _conditions(
    values: Array, stated: Any, tol: Any, at_least: Any, at_most: Any
) -> list[tuple[str, NDArray[np.bool_]]]:
    """Pair each condition in words with the places where it holds."""
    found = []
    if stated is not None:
        target = _like(values, stated, "stated")
        width = _tolerance(tol)
        words = f"stated {_show(target, width)} ± {width:g}"
        found.append((words, np.abs(values - target) <= width))
    elif tol is not None:
        reject("tol", "a stated value beside it", tol, "Pass stated=..., or drop tol.")
    if at_least is not None:
        bound = _like(values, at_least, "at_least")
        found.append((f"at least {_show(bound, 0)}", values >= bound))
    if at_most is not None:
        bound = _like(values, at_most, "at_most")
        found.append((f"at most {_show(bound, 0)}", values <= bound))
    if not found:
        reject("stated", "a stated value or a bound", None, "Pass stated and tol, or at_most=...")
    return found


def _like(values: Array, given: Any, name: str) -> Array:
    array = finite_array(given, name)
    if array.shape not in ((), values.shape):
        expected = f"one number or the shape {values.shape} of measured"
        reject(name, expected, array, "State one value for each measured value.")
    return array


def _tolerance(tol: Any) -> float:
    remedy = "Half a unit of the last digit in the text is the norm, e.g. 5e-3 for 3.14."
    if tol is None:
        reject("tol", "a tolerance for the stated value", tol, remedy)
    width = finite_number(tol, "tol")
    if width < 0:
        reject("tol", "a tolerance of zero or more", tol, remedy)
    return width


def _failure(text: str, values: Array, true: NDArray[np.bool_], wanted: str) -> str:
    where = tuple(int(i) for i in np.argwhere(~true)[0])
    place = f" at index {where[0] if len(where) == 1 else where}" if where else ""
    worst = float(values[where])
    return (
        f"this sentence would be false: {text!r} ({wanted}), but {worst:.10g} was measured{place}. "
        "Find out what changed and correct the sentence or the code; do not widen the tolerance."
    )


def _show(values: Array, tol: float | None) -> str:
    """Write one number, a short list, or the range of a long one."""
    numbers = [_digits(float(value), tol) for value in values.flat]
    if len(numbers) == 1:
        return numbers[0]
    if len(numbers) <= 8:
        return ", ".join(numbers)
    least, most = (_digits(float(end), tol) for end in (values.min(), values.max()))
    return f"{len(numbers)} values from {least} to {most}"


def _digits(x: float, tol: float | None) -> str:
    """Write x with one digit more than tol resolves: all of them for 0, four for None."""
    if x == 0 or not isfinite(x):
        return f"{x:g}"
    size = floor(log10(abs(x)))
    digits = size - floor(log10(tol)) + 1 if tol else 12 if tol == 0 else 4
    # Whole numbers below ten million keep all their digits instead of an exponent.
    return f"{x:.{min(max(digits, 1, size + 1 if size < 7 else 1), 17)}g}"
