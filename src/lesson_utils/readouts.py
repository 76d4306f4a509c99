"""Readouts: the numbers an explorer shows, printed alike by Python and by the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
from numpy.typing import NDArray

__all__ = ["float32_as_printed", "format_number", "readout_labels"]

_EXPONENT = re.compile(r"\.\d{1,2}e")
_LARGEST = 1e21  # from here on JavaScript's toFixed changes its notation


def format_number(value: float, digits: int | str) -> str:
    """Format a readout as the page does: fixed decimals, or ``".1e"`` for an exponent.

    >>> format_number(-12.63849, 3), format_number(2.5e-14, ".1e"), format_number(-0.001, 2)
    ('-12.638', '2.5e-14', '0.00')

    JavaScript rounds a tie away from zero where Python's ``format`` rounds it to the even digit.
    """
    exact = Decimal(float(value))
    if isinstance(digits, str):
        places = int(digits[1:-1])
        rounding = Context(prec=places + 1, rounding=ROUND_HALF_UP)
        text = format(rounding.create_decimal(exact), digits) if exact else f"{0:.{places}f}e+0"
    else:
        step, rounding = Decimal(1).scaleb(-digits), Context(prec=400, rounding=ROUND_HALF_UP)
        text = format(exact.quantize(step, context=rounding), "f")
    # "-0.00" says less than nothing.
    return text.lstrip("-") if not text.split("e")[0].strip("-0.") else text


def readout_labels(
    name: str, given: list[str], readouts: Mapping[str, tuple[str, int | str]]
) -> list[dict[str, str | int]]:
    """Return ``name``, ``label`` and ``digits`` of each readout the frame gives."""
    unknown = set(readouts) - set(given)
    if unknown:
        raise ValueError(
            f"Explorer {name!r}: readouts {sorted(unknown)} are labelled, "
            f"but the frame gives {given}."
        )
    labelled: list[dict[str, str | int]] = []
    for key in given:
        entry = readouts.get(key, (key, 2))
        if not isinstance(entry, (tuple, list)) or len(entry) != 2 or not isinstance(entry[0], str):
            raise ValueError(
                f"Explorer {name!r}, readout {key!r}: give (label, decimals), got {entry!r}."
            )
        label, digits = entry
        fixed = type(digits) is int and 0 <= digits <= 12
        if not fixed and not _EXPONENT.fullmatch(str(digits)):
            raise ValueError(
                f"Explorer {name!r}, readout {key!r}: decimals must be an integer from 0 to 12 "
                f"or a format like '.1e', got {digits!r}."
            )
        labelled.append({"name": key, "label": label, "digits": digits})
    return labelled


def float32_as_printed(values: NDArray[np.float64], digits: int | str) -> NDArray[np.float32]:
    """Return ``values`` as float32 that print the same digits; same shape (positions,).

    The page holds float32. Next to a rounding edge the nearest one may print another last digit
    than the number itself, and then its neighbour on the right side of the edge is taken. Raises
    ``ArithmeticError`` with the position's index where none prints the same.
    """
    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
    for i, (value, candidate) in enumerate(zip(values.tolist(), near, strict=True)):
        want = format_number(value, digits)
        around = (candidate, *(np.nextafter(candidate, np.float32(s * np.inf)) for s in (-1, 1)))
        fits = [c for c in around if np.isfinite(c) and format_number(float(c), digits) == want]
        if not fits or (isinstance(digits, int) and abs(value) >= _LARGEST):
            raise ArithmeticError(i)
        near[i] = fits[0]
    return near
