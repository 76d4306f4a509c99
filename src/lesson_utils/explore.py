"""Explorers: a figure, its sliders, and every position computed in advance.

:func:`explore` mirrors ``ipywidgets.interact``. A plain Python function says what the figure shows
at given values; Python calls it once for every slider position, and one small front end
(``static/explorer.js``) looks the answers up and draws them. So the same explorer moves in
JupyterLab, VS Code and Colab, and in a built page with neither kernel nor network, and no formula
exists twice.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .packing import Packer
from .palette import DARK, DIVERGING, HEAT, LIGHT

if TYPE_CHECKING:
    from .widget import Explorer

__all__ = ["BUDGET", "Frame", "compute", "explore"]

BUDGET = 150_000  # bytes an explorer may add to a page

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_FIELD = re.compile(r"\{(\w+)\}")


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


def explore(frame: Callable[..., Frame], *, name: str, **settings: Any) -> Explorer:
    """Return an :class:`~lesson_utils.widget.Explorer` of ``frame``, one slider a parameter.

    >>> def frame(k):
    ...     return Frame({"now": {"x": [k], "y": [k * k]}}, {"square": k * k}, "{k}² is {square}.")
    >>> explorer = explore(
    ...     frame, name="squares", title="Squares", alt="A point climbing a parabola.",
    ...     traces={"now": dict(type="scatter", mode="markers")}, k=[0, 1, 2, 3])
    >>> explorer.values
    {'k': 0}

    Parameters
    ----------
    frame: pure function of the parameters, returning a :class:`Frame`.
    name: unique in a page, in kebab-case; links to the explorer carry it.
    settings: see :func:`compute`, which does the work; what is not a setting is a parameter.

    Raises ``ValueError`` that names the explorer and what is wrong with it.
    """
    from .widget import Explorer

    return Explorer(compute(frame, name=name, **settings), frame)


def compute(
    frame: Callable[..., Frame],
    *,
    name: str,
    title: str,
    alt: str,
    traces: Mapping[str, Mapping[str, Any]],
    layout: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    readouts: Mapping[str, tuple[str, int | str]] | None = None,
    initial: Mapping[str, Any] | None = None,
    play: str | None = None,
    height: int = 360,
    budget: int = BUDGET,
    **parameters: Sequence[Any],
) -> dict[str, Any]:
    """Call ``frame`` at every position and return the explorer as one JSON-ready dictionary.

    Parameters
    ----------
    title, alt: the heading, and what the chart shows in a sentence (its text alternative).
    traces: plotly traces by key: the look, and data that never change.
    layout: plotly layout; give every axis a fixed ``range`` that holds all positions.
    labels: names of parameters as the reader sees them.
    readouts: ``{name: (label, decimals)}``; decimals may also be ``".2e"`` for tiny numbers.
    initial: values to open with; the first of each list otherwise.
    play: the parameter that gets a play button.
    height: of the chart, in pixels. budget: bytes at most.
    parameters: increasing numbers (a slider), strings (a menu) or ``[False, True]`` (a switch).

    Colours are tokens of :mod:`lesson_utils.palette`: ``"$additive"``, ``"$heat"``, and with an
    opacity ``"$additive@0.3"``; the page resolves them for its own theme.
    """
    if not _NAME.fullmatch(name or ""):
        raise ValueError(f"An explorer's name is kebab-case like 'score-drift', got {name!r}.")
    for what, text in (("title", title), ("alt", alt)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"Explorer {name!r}: {what} must be a sentence, got {text!r}.")
    params = _parameters(name, parameters, labels or {}, play)
    frames = _frames(name, frame, params)
    spec = {
        "name": name,
        "title": title,
        "alt": alt,
        "height": height,
        "play": play,
        "params": params,
        "initial": _initial(name, params, initial or {}),
        "readouts": _readout_labels(name, frames[0], readouts or {}),
        "traces": [{"key": key, **_titles(trace)} for key, trace in traces.items()],
        "layout": _titles(layout or {}),
        **_packed(name, frames, params, traces),
    }
    _check_plotly(name, spec)
    spec["palette"] = _palette(json.dumps([spec["traces"], spec["layout"]]) + _strings(spec))
    _check_budget(name, spec, budget)
    return spec


def _parameters(
    name: str, parameters: Mapping[str, Sequence[Any]], labels: Mapping[str, str], play: str | None
) -> list[dict[str, Any]]:
    if not parameters:
        raise ValueError(f"Explorer {name!r} has no slider: give at least one, e.g. k=[0, 1, 2].")
    unknown = (set(labels) | ({play} if play else set())) - set(parameters)
    if unknown:
        raise ValueError(
            f"Explorer {name!r}: {sorted(unknown)} is no parameter; they are {sorted(parameters)}."
        )
    return [
        {"name": key, "label": labels.get(key, key), **_parameter(name, key, values)}
        for key, values in parameters.items()
    ]


def _parameter(name: str, key: str, values: Sequence[Any]) -> dict[str, Any]:
    listed = values.tolist() if isinstance(values, np.ndarray) else list(values)
    where = f"Explorer {name!r}, slider {key!r}"
    if not listed:
        raise ValueError(f"{where} has no values: give at least one, e.g. [0, 1, 2].")
    if all(isinstance(v, bool) for v in listed):
        if listed != [False, True]:
            raise ValueError(f"{where}: a switch is [False, True], got {listed}.")
        return {"kind": "switch", "values": listed, "text": ["off", "on"]}
    if all(isinstance(v, str) for v in listed):
        if len(set(listed)) < len(listed):
            twice = sorted({v for v in listed if listed.count(v) > 1})
            raise ValueError(f"{where}: choices must differ, but {twice} came more than once.")
        return {"kind": "menu", "values": listed, "text": listed}
    listed = [v.item() if isinstance(v, np.generic) else v for v in listed]
    if not all(type(v) in (int, float) and math.isfinite(v) for v in listed):
        raise ValueError(f"{where}: values must be all finite numbers or all strings: {listed!r}.")
    for before, after in itertools.pairwise(listed):
        if after <= before:
            raise ValueError(f"{where}: values must increase, but {after} follows {before}.")
    return {"kind": "slider", "values": listed, "text": [format(v, "g") if type(v) is float
                                                         else str(v) for v in listed]}


def _frames(
    name: str, frame: Callable[..., Frame], params: list[dict[str, Any]]
) -> list[dict[tuple[str, ...], np.ndarray]]:
    """Call ``frame`` on the whole grid; each result flattened to {(kind, …): array}."""
    keys = [p["name"] for p in params]
    frames: list[dict[tuple[str, ...], np.ndarray]] = []
    for values in itertools.product(*(p["values"] for p in params)):
        at = dict(zip(keys, values, strict=True))
        try:
            result = frame(**at)
        except Exception as error:
            raise ValueError(f"Explorer {name!r}: the frame function failed at {at}: "
                             f"{type(error).__name__}: {error}") from error
        if not isinstance(result, Frame):
            raise ValueError(f"Explorer {name!r}: the frame function must return a Frame, "
                             f"got {type(result).__name__} at {at}.")
        flat = _flatten(name, result, at)
        if frames:
            _check_same(name, frames[0], flat, at)
        frames.append(flat)
    return frames


def _flatten(name: str, frame: Frame, at: dict[str, Any]) -> dict[tuple[str, ...], np.ndarray]:
    flat: dict[tuple[str, ...], np.ndarray] = {}
    for key, attributes in frame.traces.items():
        for attribute, value in attributes.items():
            array = np.asarray(value)
            if array.dtype.kind not in "fiubU":
                raise ValueError(f"Explorer {name!r}: trace {key!r}, {attribute!r} at {at} must be "
                                 f"real numbers or strings, got {value!r}.")
            flat["trace", key, attribute] = array
    for key, value in frame.readouts.items():
        number = np.asarray(value)
        if number.shape != () or number.dtype.kind not in "fiub" or not np.isfinite(number):
            raise ValueError(f"Explorer {name!r}: readout {key!r} at {at} must be one finite "
                             f"number, got {value!r}.")
        flat["readout", key] = number
    flat["sentence",] = np.asarray(str(frame.sentence))
    unknown = set(_FIELD.findall(frame.sentence)) - set(frame.readouts) - set(at)
    if unknown:
        raise ValueError(f"Explorer {name!r}: the sentence at {at} names {sorted(unknown)}, which "
                         f"is neither a parameter nor a readout: {frame.sentence!r}.")
    return flat


def _check_same(
    name: str,
    first: Mapping[tuple[str, ...], np.ndarray],
    here: Mapping[tuple[str, ...], np.ndarray],
    at: dict[str, Any],
) -> None:
    for key in first.keys() ^ here.keys():
        verb = "appears" if key in here else "is missing"
        raise ValueError(f"Explorer {name!r}: {' '.join(key)} {verb} at {at}; a frame must have "
                         "the same keys at every position.")
    for key, array in here.items():
        if array.shape != first[key].shape:
            raise ValueError(f"Explorer {name!r}: {' '.join(key)} has shape {array.shape} at {at} "
                             f"but {first[key].shape} at the first position; shapes must agree.")
        if (array.dtype.kind == "U") != (first[key].dtype.kind == "U"):
            raise ValueError(f"Explorer {name!r}: {' '.join(key)} mixes text and numbers at {at}.")


def _initial(
    name: str, params: list[dict[str, Any]], initial: Mapping[str, Any]
) -> dict[str, Any]:
    values = {p["name"]: p["values"][0] for p in params}
    return merge_values(name, params, values, initial)


def merge_values(
    name: str,
    params: list[dict[str, Any]],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
) -> dict[str, Any]:
    """Return ``old`` updated by ``new``; ``ValueError`` for an unknown parameter or position."""
    known = {p["name"]: p["values"] for p in params}
    merged = dict(old)
    for key, value in dict(new).items():
        if key not in known:
            raise ValueError(f"Explorer {name!r} has no parameter {key!r}; it has {list(known)}.")
        # 1 == True and 3 == 3.0 in Python; keep the listed object, whose type the page expects.
        hits = [v for v in known[key] if v == value and isinstance(v, bool) == isinstance(value, bool)]
        if not hits:
            raise ValueError(f"Explorer {name!r}: {key}={value!r} is not one of its positions"
                             f"{_nearest(known[key], value)}.")
        merged[key] = hits[0]
    return merged


def _nearest(values: list[Any], value: Any) -> str:
    if isinstance(value, (int, float)) and not isinstance(values[0], (str, bool)):
        near = sorted(sorted(values, key=lambda v: abs(v - value))[:2])
        return f"; the nearest are {near}"
    return f"; they are {values if len(values) <= 12 else [*values[:12], '…']}"


def _readout_labels(
    name: str,
    first: Mapping[tuple[str, ...], np.ndarray],
    readouts: Mapping[str, tuple[str, int | str]],
) -> list[dict[str, Any]]:
    given = [key[1] for key in first if key[0] == "readout"]
    unknown = set(readouts) - set(given)
    if unknown:
        raise ValueError(f"Explorer {name!r}: readouts {sorted(unknown)} are labelled, but the "
                         f"frame gives {given}.")
    labelled = []
    for key in given:
        label, digits = readouts.get(key, (key, 2))
        if not (type(digits) is int and 0 <= digits <= 12) and not re.fullmatch(
            r"\.\d+e", str(digits)
        ):
            raise ValueError(f"Explorer {name!r}, readout {key!r}: decimals must be an integer from "
                             f"0 to 12 or a format like '.1e', got {digits!r}.")
        labelled.append({"name": key, "label": label, "digits": digits})
    return labelled


def _packed(
    name: str,
    frames: list[dict[tuple[str, ...], np.ndarray]],
    params: list[dict[str, Any]],
    traces: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    grid = tuple(len(p["values"]) for p in params)
    packer = Packer()
    data = []
    for key in frames[0]:
        if key[0] == "trace" and key[1] not in traces:
            raise ValueError(f"Explorer {name!r}: the frame sets trace {key[1]!r}, but the traces "
                             f"are {sorted(traces)}.")
        stacked = np.stack([f[key] for f in frames])
        packed = packer.add(stacked.reshape(grid + stacked.shape[1:]), grid)
        data.append({"target": list(key), **packed})
    return {"data": data, "blobs": packer.blobs}


def _check_plotly(name: str, spec: dict[str, Any]) -> None:
    """Let plotly check every attribute's name and value: a typing slip would be drawn as nothing."""
    import plotly.graph_objects as go

    light = {**LIGHT, "heat": [list(s) for s in HEAT["light"]],
             "diverging": [list(s) for s in DIVERGING["light"]]}
    traces = [{k: v for k, v in trace.items() if k != "key"} for trace in spec["traces"]]
    try:
        go.Figure(data=_resolve(traces, light), layout=_resolve(spec["layout"], light))
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"Explorer {name!r}: plotly does not take its traces or layout: "
                         f"{error}") from error


def _titles(value: Any) -> Any:
    """Spell ``title="x"`` as ``title={"text": "x"}``: plotly.js 3 and later ignore the short form."""
    if not isinstance(value, Mapping):
        return value
    return {
        k: {"text": v} if k == "title" and isinstance(v, str) else _titles(v)
        for k, v in value.items()
    }


def _resolve(value: Any, colours: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {k: _resolve(v, colours) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_resolve(v, colours) for v in value]
    if isinstance(value, str) and value.startswith("$"):
        token = value[1:].split("@")[0]
        if token not in colours:
            raise ValueError(f"{value!r} is no colour of the palette: {sorted(colours)}.")
        return colours[token]
    return value


def _strings(spec: dict[str, Any]) -> str:
    return " ".join(s for entry in spec["data"] for s in entry.get("table", []))


def _palette(text: str) -> dict[str, dict[str, Any]]:
    """Only the colours this explorer uses, and those the front end always needs."""
    used = set(re.findall(r"\$([a-z0-9]+)", text)) | {"ink", "muted", "grid", "surface"}
    pages = {"light": LIGHT, "dark": DARK}
    return {
        theme: {**{k: v for k, v in colours.items() if k in used},
                **({"heat": HEAT[theme]} if "heat" in used else {}),
                **({"diverging": DIVERGING[theme]} if "diverging" in used else {})}
        for theme, colours in pages.items()
    }


def _check_budget(name: str, spec: dict[str, Any], budget: int) -> None:
    size = len(json.dumps(spec))
    if size <= budget:
        return
    heavy = max(spec["data"], key=lambda entry: _entry_size(spec, entry))
    raise ValueError(
        f"Explorer {name!r} weighs {size:,} bytes, more than its budget of {budget:,}. The heaviest "
        f"datum is {' '.join(heavy['target'])} ({_entry_size(spec, heavy):,} bytes over "
        f"{[spec['params'][a]['name'] for a in heavy['axes']]}): use fewer positions or points."
    )


def _entry_size(spec: dict[str, Any], entry: dict[str, Any]) -> int:
    size = len(spec["blobs"][entry["rows"]]) if "rows" in entry else len(str(entry["table"]))
    return size + (len(spec["blobs"][entry["index"]["blob"]]) if "index" in entry else 0)
