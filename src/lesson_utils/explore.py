"""Explorers: a figure, its sliders, and every position computed in advance.

:func:`explore` mirrors ``ipywidgets.interact``. A plain Python function says what the figure shows
at given values; Python calls it once for every slider position, and one small front end
(``static/explorer.js``) looks the answers up and draws them. So the same explorer moves in
JupyterLab, VS Code and Colab, and in a built page with neither kernel nor network, and no formula
exists twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .frames import Frame, evaluate, pack
from .looks import check_looks, palette_of, plain
from .readouts import readout_labels
from .sliders import initial_values, parameters

if TYPE_CHECKING:
    from .widget import Explorer

__all__ = ["BUDGET", "Frame", "compute", "explore", "page_json"]

BUDGET = 150_000  # bytes an explorer may add to a page

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", re.ASCII)


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
    **given: Sequence[Any],
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
    given: the parameters, each a list: increasing numbers (a slider), strings (a menu) or
        ``[False, True]`` (a switch).

    Colours are tokens of :mod:`lesson_utils.palette`: ``"$additive"``, ``"$heat"``, and with an
    opacity ``"$additive@0.3"``; the page resolves them for its own theme.
    """
    _check_words(name, title, alt, height)
    params = parameters(name, given, labels or {}, play)
    flats = evaluate(name, frame, params, traces)
    shown = [key[1] for key in flats[0] if key[0] == "readout"]
    labelled = readout_labels(name, shown, readouts or {})
    spec = {
        "name": name,
        "title": title,
        "alt": alt,
        "height": height,
        "play": play,
        "params": params,
        "initial": initial_values(name, params, initial or {}),
        "readouts": labelled,
        "traces": [_trace(name, key, trace) for key, trace in traces.items()],
        "layout": plain(f"Explorer {name!r}: layout", layout or {}),
        **pack(name, flats, params, labelled),
    }
    check_looks(name, spec, flats)
    spec["palette"] = palette_of(spec)
    _check_budget(name, spec, budget)
    return spec


def page_json(spec: Mapping[str, Any]) -> str:
    """Return ``spec`` as the page carries it, safe inside a script element."""
    # "</" would end the element early and "<!--" would start a comment.
    return json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _check_words(name: str, title: str, alt: str, height: int) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"An explorer's name is kebab-case like 'score-drift', got {name!r}.")
    for what, text in (("title", title), ("alt", alt)):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"Explorer {name!r}: {what} must be a sentence, got {text!r}.")
    if type(height) is not int or not 40 <= height <= 2000:
        raise ValueError(
            f"Explorer {name!r}: height is in pixels, an integer from 40 to 2000, got {height!r}."
        )


def _trace(name: str, key: str, trace: Mapping[str, Any]) -> dict[str, Any]:
    where = f"Explorer {name!r}: trace {key!r}"
    if not isinstance(trace, Mapping):
        raise ValueError(f"{where} must be a dictionary of plotly attributes, got {trace!r}.")
    return {"key": key, "type": "scatter", **plain(where, trace)}


def _check_budget(name: str, spec: dict[str, Any], budget: int) -> None:
    size = len(page_json(spec))
    if size <= budget:
        return
    weights = {_describe(spec, entry): _entry_size(spec, entry) for entry in spec["data"]}
    weights["the traces' constant part"] = len(page_json({"": spec["traces"]}))
    heaviest = max(weights, key=weights.__getitem__)
    raise ValueError(
        f"Explorer {name!r} weighs {size:,} bytes, more than its budget of {budget:,}. The "
        f"heaviest part is {heaviest} ({weights[heaviest]:,} bytes): use fewer positions or points."
    )


def _describe(spec: dict[str, Any], entry: dict[str, Any]) -> str:
    along = [spec["params"][axis]["name"] for axis in entry["axes"]]
    return f"{' '.join(entry['target'])}, which changes with {' and '.join(along) or 'nothing'}"


def _entry_size(spec: dict[str, Any], entry: dict[str, Any]) -> int:
    size = len(spec["blobs"][entry["rows"]]) if "rows" in entry else len(str(entry["table"]))
    return size + (len(spec["blobs"][entry["index"]["blob"]]) if "index" in entry else 0)
