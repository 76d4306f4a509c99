"""Looks: plotly attributes and colour tokens, checked by plotly itself before a page sees them."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .frames import Flat
from .palette import DARK, DIVERGING, HEAT, LIGHT, TINT

__all__ = ["check_looks", "in_light", "palette_of", "plain"]

_TOKEN = re.compile(r"\$([a-z0-9]+)(?:@(0|1|0?\.\d+|1\.0+))?", re.ASCII)
_SCALES = {"heat": HEAT, "tint": TINT, "diverging": DIVERGING}
_ALWAYS = {"ink", "muted", "grid", "surface"}  # what the front end itself draws with


def plain(what: str, value: Any) -> Any:
    """Return a trace or layout as JSON can carry it: arrays as lists, a gap (NaN) as null.

    Spells ``title="x"`` as ``title={"text": "x"}``: plotly.js 3 and later ignore the short form.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, Mapping):
        short = isinstance(value.get("title"), str)
        value = {**value, "title": {"text": value["title"]}} if short else value
        return {str(k): plain(f"{what}.{k}", v) for k, v in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain(what, v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        raise ValueError(f"{what} is infinite; use NaN for a gap.")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ValueError(f"{what} is {value!r}, a {type(value).__name__}, which a page cannot carry.")


def check_looks(name: str, spec: Mapping[str, Any], flats: list[Flat]) -> None:
    """Let plotly judge every attribute: a typing slip would be drawn as nothing at all."""
    import plotly.graph_objects as go

    try:
        for flat in _samples(flats):
            traces = [_drawn(trace, flat) for trace in spec["traces"]]
            ours = {"data": in_light(traces), "layout": in_light(spec["layout"])}
            _check_taken(ours, go.Figure(**ours).to_plotly_json())
        for token in _tokens(spec):
            in_light(token)
    except (ValueError, TypeError, KeyError) as error:
        # Plotly lists everything it would have taken, which may be pages.
        why = textwrap.shorten(str(error), 400, placeholder=" …")
        raise ValueError(
            f"Explorer {name!r}: plotly does not take its traces or layout: {why}"
        ) from error


def _samples(flats: list[Flat]) -> list[Flat]:
    """The first frame, and the first of each choice of words such as a marker's symbol."""
    found: dict[tuple[str, ...], Flat] = {}
    for flat in flats:
        words = (k for k in flat if k[0] == "trace" and flat[k].dtype.kind == "U")
        found.setdefault(tuple(str(flat[k]) for k in words if flat[k].ndim == 0), flat)
    return list(found.values())[:50]


def _drawn(trace: Mapping[str, Any], flat: Flat) -> dict[str, Any]:
    """The trace with what ``flat`` puts into it, as the page does."""
    drawn = {k: _copy(v) for k, v in trace.items() if k != "key"}
    for (kind, *rest), array in flat.items():
        if kind != "trace" or rest[0] != trace["key"]:
            continue
        node = drawn
        *path, last = rest[1].split(".")
        for step in path:
            node = node.setdefault(step, {})
            if not isinstance(node, dict):
                raise ValueError(f"trace {rest[0]!r} has no {rest[1]!r}: {step!r} is a value.")
        node[last] = array.tolist()
    return drawn


def _copy(value: Any) -> Any:
    return {k: _copy(v) for k, v in value.items()} if isinstance(value, dict) else value


def _check_taken(ours: Any, taken: Any, path: str = "") -> None:
    """See that plotly kept each attribute where we put it.

    Python's plotly understands ``marker_color``; the page's plotly.js ignores it.
    """
    if isinstance(ours, dict):
        for key, value in ours.items():
            if value is None:
                continue
            if not isinstance(taken, dict) or key not in taken:
                raise ValueError(f"{path}{key} is not an attribute's full name; nest it in dicts.")
            _check_taken(value, taken[key], f"{path}{key}.")
    elif isinstance(ours, list) and any(isinstance(v, dict) for v in ours):
        for i, (value, kept) in enumerate(zip(ours, taken, strict=True)):
            _check_taken(value, kept, f"{path}{i}.")


def in_light(value: Any) -> Any:
    """Return ``value`` with its colour tokens resolved for a light page."""
    if isinstance(value, Mapping):
        return {k: in_light(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [in_light(v) for v in value]
    return _colour(value) if isinstance(value, str) and value.startswith("$") else value


def _colour(token: str) -> Any:
    found = _TOKEN.fullmatch(token)
    known = sorted([*LIGHT, *_SCALES])
    if not found or found[1] not in known:
        raise ValueError(f"{token!r} is no colour of the palette: {known}, or like '$ink@0.3'.")
    if found[1] not in _SCALES:
        return LIGHT[found[1]]
    if found[2]:
        raise ValueError(f"{token!r}: a colour scale takes no opacity.")
    return [list(stop) for stop in _SCALES[found[1]]["light"]]


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _tokens(spec: Mapping[str, Any]) -> set[str]:
    """Every colour token that the traces, the layout or a frame may show."""
    tables = [e.get("table", []) for e in spec["data"] if e["target"][0] == "trace"]
    return {s for s in _strings([spec["traces"], spec["layout"], tables]) if s.startswith("$")}


def palette_of(spec: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the colours this explorer uses, for a light and for a dark page."""
    used = {token[1:].split("@")[0] for token in _tokens(spec)} | _ALWAYS
    # A readout is printed in the colour of its name where there is one.
    plain_colours = used | {readout["name"] for readout in spec["readouts"]}
    return {
        theme: {
            **{k: v for k, v in colours.items() if k in plain_colours},
            **{k: scale[theme] for k, scale in _SCALES.items() if k in used},
        }
        for theme, colours in (("light", LIGHT), ("dark", DARK))
    }
