"""The sliders of an explorer: which positions there are, and where they stand.

A parameter is a *slider* (increasing numbers), a *menu* (strings) or a *switch*
(``[False, True]``).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["initial_values", "merge_values", "parameters"]

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")  # goes into links and into sentences


def parameters(
    name: str, given: Mapping[str, Sequence[Any]], labels: Mapping[str, str], play: str | None
) -> list[dict[str, Any]]:
    """Return each parameter as ``name``, ``label``, ``kind``, ``values`` and their ``text``."""
    if not given:
        raise ValueError(f"Explorer {name!r} has no slider: give at least one, e.g. k=[0, 1, 2].")
    unknown = set(labels) - set(given)
    if unknown:
        raise ValueError(
            f"Explorer {name!r}: labels name {sorted(unknown)}, which is no parameter; "
            f"they are {sorted(given)}."
        )
    params = [
        {"name": key, "label": _label(name, key, labels), **_parameter(name, key, values)}
        for key, values in given.items()
    ]
    sliders = [p["name"] for p in params if p["kind"] != "switch"]
    if play is not None and play not in sliders:
        raise ValueError(f"Explorer {name!r}: play={play!r} cannot be played; it has {sliders}.")
    return params


def _label(name: str, key: str, labels: Mapping[str, str]) -> str:
    if not _WORD.fullmatch(key):
        raise ValueError(
            f"Explorer {name!r}: a parameter is named with ASCII letters, digits and '_', "
            f"got {key!r}; labels may say it in any letters."
        )
    label = labels.get(key, key)
    if not isinstance(label, str) or not label.strip():
        raise ValueError(f"Explorer {name!r}: the label of {key!r} must be text, got {label!r}.")
    return label


def _parameter(name: str, key: str, values: Sequence[Any]) -> dict[str, Any]:
    where = f"Explorer {name!r}, slider {key!r}"
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        raise ValueError(f"{where}: give a list of values, e.g. [0, 1, 2], got {values!r}.")
    listed = [v.item() if isinstance(v, np.generic) else v for v in values]
    if not listed:
        raise ValueError(f"{where} has no values: give at least one, e.g. [0, 1, 2].")
    if all(isinstance(v, bool) for v in listed):
        if listed != [False, True]:
            raise ValueError(f"{where}: a switch is [False, True], got {listed}.")
        return {"kind": "switch", "values": listed, "text": ["off", "on"]}
    if all(isinstance(v, str) for v in listed):
        _check_choices(where, listed)
        return {"kind": "menu", "values": listed, "text": listed}
    if not all(type(v) in (int, float) and math.isfinite(v) for v in listed):
        raise ValueError(f"{where}: values must be all finite numbers or all strings: {listed!r}.")
    for before, after in itertools.pairwise(listed):
        if after <= before:
            raise ValueError(f"{where}: values must increase, but {after} follows {before}.")
    return {"kind": "slider", "values": listed, "text": _texts(listed)}


def _check_choices(where: str, listed: list[str]) -> None:
    twice = sorted({v for v in listed if listed.count(v) > 1})
    if twice:
        raise ValueError(f"{where}: choices must differ, but {twice} came more than once.")
    if not all(v.strip() for v in listed):
        raise ValueError(f"{where}: a choice must say something, got {listed!r}.")


def _texts(values: list[Any]) -> list[str]:
    """Say each number as briefly as keeps it apart from the others."""
    for digits in (6, 9, 12):
        texts = [format(v, f".{digits}g") if isinstance(v, float) else str(v) for v in values]
        if len(set(texts)) == len(texts):
            return texts
    return [repr(v) for v in values]


def initial_values(
    name: str, params: list[dict[str, Any]], initial: Mapping[str, Any]
) -> dict[str, Any]:
    """Return where the sliders stand at first: ``initial``, else the first of each list."""
    return merge_values(name, params, {p["name"]: p["values"][0] for p in params}, initial)


def merge_values(
    name: str,
    params: list[dict[str, Any]],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
) -> dict[str, Any]:
    """Return ``old`` updated by ``new``; ``ValueError`` for an unknown parameter or position."""
    if not isinstance(new, Mapping):
        raise ValueError(
            f"Explorer {name!r}: values are a dictionary like {dict(old)}, got {new!r}."
        )
    known = {p["name"]: p["values"] for p in params}
    merged = dict(old)
    for key, value in new.items():
        if key not in known:
            raise ValueError(f"Explorer {name!r} has no parameter {key!r}; it has {list(known)}.")
        hit = _position(known[key], value)
        if hit is None:
            raise ValueError(
                f"Explorer {name!r}: {key}={value!r} is not one of its positions"
                f"{_nearest(known[key], value)}."
            )
        merged[key] = known[key][hit]  # the listed object: its type is the one the page expects
    return merged


def _position(values: list[Any], value: Any) -> int | None:
    value = value.item() if isinstance(value, np.generic) else value
    # 1 == True in Python, and an array compares element by element.
    fits = isinstance(value, (bool, int, float, str)) and isinstance(value, bool) == isinstance(
        values[0], bool
    )
    return values.index(value) if fits and value in values else None


def _nearest(values: list[Any], value: Any) -> str:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and math.isfinite(value) and not isinstance(values[0], (str, bool)):
        near = sorted(sorted(values, key=lambda v: abs(v - value))[:2])
        return f"; the nearest are {near}" if len(near) > 1 else f"; the only one is {near[0]}"
    return f"; they are {values if len(values) <= 12 else [*values[:12], '…']}"
