"""The explorer as a Jupyter widget, and as the figure a built page carries."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .explore import Frame, merge_values

__all__ = ["Explorer"]

_STATIC = Path(__file__).parent / "static"


class Explorer(anywidget.AnyWidget):
    """A figure with sliders whose every position is known; made by :func:`explore`.

    ``values`` is synced both ways: setting it moves the page (what is not named keeps its value),
    and moving the page changes it. ``observe`` works as for any widget. Raises ``ValueError`` for
    an unknown parameter or a value between two positions.
    """

    _esm = _STATIC / "explorer.js"
    _css = _STATIC / "explorer.css"
    spec = traitlets.Dict().tag(sync=True)
    values = traitlets.Dict().tag(sync=True)

    def __init__(self, spec: dict[str, Any], frame: Callable[..., Frame] | None = None) -> None:
        # Before super(), because the validator of `values` runs inside it.
        self._frame = frame
        self._params = spec["params"]
        self._name = spec["name"]
        super().__init__(spec=spec, values=spec["initial"])
        self.on_msg(self._answer)

    @property
    def nbytes(self) -> int:
        """Bytes that this explorer adds to a page."""
        return len(json.dumps(self.spec))

    @property
    def frame(self) -> Frame:
        """What the frame function returns at the current values."""
        if self._frame is None:
            raise ValueError(f"Explorer {self._name!r} was made without its frame function.")
        return self._frame(**self.values)

    @traitlets.validate("values")
    def _merge(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return merge_values(self._name, self._params, self.values, proposal["value"])

    def _answer(self, _widget: Any, content: Any, _buffers: Any) -> None:
        # plotly.js (4.8 MB) travels once per page and only when asked for, never as widget state,
        # which would be saved into every notebook.
        if isinstance(content, dict) and content.get("type") == "plotly":
            from plotly.offline import get_plotlyjs

            self.send({"type": "plotly"}, buffers=[get_plotlyjs().encode()])

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        return {**(data or {}), "text/html": self.to_html()}, metadata

    def to_html(self) -> str:
        """The explorer for a page without a kernel: its data, and its first frame as a table."""
        name, title = html.escape(self._name), html.escape(self.spec["title"])
        # "</" would end the script element early, "<!--" would start a comment.
        payload = json.dumps(self.spec, separators=(",", ":")).replace("<", "\\u003c")
        return (
            f'<figure class="explorer lesson-explorer" data-explorer="{name}" '
            f'id="explorer-{name}" aria-label="{title}" '
            f'style="--chart-height:{int(self.spec["height"])}px">'
            f'<noscript>{self._first_frame()}</noscript>'
            f'<script type="application/json" class="explorer-spec">{payload}</script></figure>'
        )

    def _first_frame(self) -> str:
        if self._frame is None:
            return f"<p>{html.escape(self.spec['alt'])}</p>"
        initial = self.spec["initial"]
        frame = self._frame(**initial)
        shown = {p["label"]: p["text"][p["values"].index(initial[p["name"]])] for p in self._params}
        texts = {p["name"]: shown[p["label"]] for p in self._params}
        for readout in self.spec["readouts"]:
            text = format_number(float(frame.readouts[readout["name"]]), readout["digits"])
            texts[readout["name"]] = shown[readout["label"]] = text
        rows = "".join(
            f'<tr><th scope="row">{html.escape(k)}</th><td>{html.escape(v)}</td></tr>'
            for k, v in shown.items()
        )
        sentence = frame.sentence.format_map(texts) if frame.sentence else ""
        return (
            f"<table><caption>{html.escape(self.spec['title'])}: {html.escape(self.spec['alt'])} "
            f"Sliding needs JavaScript; this is the first position.</caption>{rows}</table>"
            f"<p>{html.escape(sentence)}</p>"
        )


def format_number(value: float, digits: int | str) -> str:
    """Format a readout as the page does: fixed decimals, or ``".1e"`` for an exponent.

    >>> format_number(-12.63849, 3), format_number(2.5e-14, ".1e"), format_number(-0.001, 2)
    ('-12.638', '2.5e-14', '0.00')
    """
    text = format(value, digits if isinstance(digits, str) else f".{digits}f")
    text = re.sub(r"e([+-])0+(?=\d)", r"e\1", text)  # e-5 as in JavaScript, not e-05
    # "-0.00" says less than nothing.
    return text.lstrip("-") if not text.lower().split("e")[0].strip("-0.") else text
