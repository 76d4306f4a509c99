"""Frames: what an explorer shows at each position, asked of the author's function and checked."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packing import Packer
from .readouts import float32_as_printed

__all__ = ["FIELD", "Flat", "Frame", "evaluate", "every_position", "pack"]

FIELD = re.compile(r"\{(\w+)\}", re.ASCII)  # as in explorer.js

# One frame, flattened: ("trace", key, attribute), ("readout", name) or ("sentence",) → array.
Flat = dict[tuple[str, ...], NDArray[Any]]


@dataclass(frozen=True)
class Frame:
    """What an explorer shows at one position of its sliders.

    >>> Frame(traces={"now": {"y": [0.5]}}, readouts={"score": 0.5}, sentence="It is {score}.")
    Frame(traces={'now': {'y': [0.5]}}, readouts={'score': 0.5}, sentence='It is {score}.')

    ``traces`` maps a trace's key to the attributes that change (arrays, numbers, strings; dotted
    names reach inside, ``"marker.color"``). ``readouts`` maps names to finite numbers. ``sentence``
    says in words what the reader sees; ``{name}`` stands for a parameter or a readout.
    """

    traces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    readouts: Mapping[str, float] = field(default_factory=dict)
    sentence: str = ""


def every_position(params: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every position of the sliders, the last parameter changing fastest."""
    keys = [p["name"] for p in params]
    grid = itertools.product(*(p["values"] for p in params))
    return [dict(zip(keys, values, strict=True)) for values in grid]


def evaluate(
    name: str, frame: Callable[..., Frame], params: list[dict[str, Any]], traces: Mapping[str, Any]
) -> list[Flat]:
    """Call ``frame`` at every position; a ``ValueError`` names explorer, values and key."""
    flats: list[Flat] = []
    for at in every_position(params):
        where = f"Explorer {name!r} at {at}"
        try:
            result = frame(**at)
        except Exception as error:
            raise ValueError(
                f"{where}: the frame function failed with {type(error).__name__}: {error}"
            ) from error
        if not isinstance(result, Frame):
            raise ValueError(
                f"{where}: the frame function must return a Frame, got {type(result).__name__}."
            )
        flat = _flatten(where, result, at, traces)
        if flats:
            _check_same(where, flats[0], flat)
        flats.append(flat)
    return flats


def _flatten(where: str, frame: Frame, at: Mapping[str, Any], traces: Mapping[str, Any]) -> Flat:
    flat: Flat = {}
    for key, attributes in frame.traces.items():
        if key not in traces:
            raise ValueError(
                f"{where}: the frame sets trace {key!r}, but the traces are {sorted(traces)}."
            )
        for attribute, value in attributes.items():
            flat["trace", key, attribute] = _array(f"{where}: trace {key!r}, {attribute!r}", value)
    for key, value in frame.readouts.items():
        flat["readout", key] = _number(f"{where}: readout {key!r}", value)
        if key in at:
            raise ValueError(f"{where}: readout {key!r} bears the name of a parameter; rename it.")
    flat["sentence",] = np.asarray(_sentence(where, frame, at))
    return flat


def _array(what: str, value: Any) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{what} must be rectangular: its rows differ in length.") from None
    if array.dtype.kind not in "fiubU":
        raise ValueError(f"{what} must be real numbers or strings, got {value!r}.")
    # numpy would spell the numbers of a mixed list as text.
    if array.dtype.kind == "U" and not all(
        isinstance(v, str) for v in np.asarray(value, dtype=object).ravel()
    ):
        raise ValueError(f"{what} mixes text and numbers: {value!r}.")
    return array


def _number(what: str, value: Any) -> NDArray[np.float64]:
    try:
        number = np.asarray(value)
        fits = number.shape == () and number.dtype.kind in "fiub" and bool(np.isfinite(number))
    except (ValueError, TypeError):
        fits = False
    if not fits:
        raise ValueError(f"{what} must be one finite number, got {value!r}.")
    return number.astype(np.float64)


def _sentence(where: str, frame: Frame, at: Mapping[str, Any]) -> str:
    text = frame.sentence
    if not isinstance(text, str):
        raise ValueError(f"{where}: the sentence must be text, got {text!r}.")
    unknown = set(FIELD.findall(text)) - set(frame.readouts) - set(at)
    if unknown:
        raise ValueError(
            f"{where}: the sentence names {sorted(unknown)}, which is neither a parameter nor a "
            f"readout: {text!r}."
        )
    if set("{}") & set(FIELD.sub("", text)):
        raise ValueError(
            f"{where}: the sentence may use braces for {{name}} alone, without a format: {text!r}."
        )
    return text


def _kind(array: NDArray[Any]) -> str:
    return {"U": "text", "b": "true or false"}.get(array.dtype.kind, "numbers")


def _check_same(where: str, first: Flat, here: Flat) -> None:
    for key in sorted(first.keys() ^ here.keys()):
        verb = "appears" if key in here else "is missing"
        raise ValueError(
            f"{where}: {' '.join(key)} {verb}; a frame must have the same keys at every position."
        )
    for key, array in here.items():
        if array.shape != first[key].shape:
            raise ValueError(
                f"{where}: {' '.join(key)} has shape {array.shape}, but {first[key].shape} at the "
                "first position; shapes must agree."
            )
        if _kind(array) != _kind(first[key]):
            raise ValueError(
                f"{where}: {' '.join(key)} is {_kind(array)}, but {_kind(first[key])} at the first "
                "position."
            )


def pack(
    name: str, flats: list[Flat], params: list[dict[str, Any]], labels: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return ``data`` and ``blobs``: every datum at every position, as the page looks it up."""
    grid = tuple(len(p["values"]) for p in params)
    digits = {label["name"]: label["digits"] for label in labels}
    packer = Packer()
    data = []
    for key in flats[0]:
        stacked = np.stack([flat[key] for flat in flats])
        try:
            if key[0] == "readout":
                stacked = float32_as_printed(stacked, digits[key[1]])
            elif stacked.dtype.kind in "fiu":
                stacked = _finite32(stacked)
            packed = packer.add(stacked.reshape(grid + stacked.shape[1:]), grid)
        except ArithmeticError as error:
            index = error.args[0]
            raise ValueError(
                f"Explorer {name!r} at {every_position(params)[index]}: {' '.join(key)} holds "
                f"{flats[index][key].tolist()}, which the page's numbers (float32, about 7 digits) "
                "cannot show. Use fewer decimals or smaller numbers, and NaN for a gap in a curve."
            ) from None
        except ValueError as error:
            raise ValueError(f"Explorer {name!r}: {' '.join(key)}: {error}") from error
        data.append({"target": list(key), **packed})
    return {"data": data, "blobs": packer.blobs}


def _finite32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Return float32; ``ArithmeticError`` with the first position that overflows or is infinite."""
    with np.errstate(over="ignore"):
        small = values.astype(np.float32)
    bad = np.isinf(small).reshape(len(small), -1).any(axis=1)
    if bad.any():
        raise ArithmeticError(int(bad.argmax()))
    return small
