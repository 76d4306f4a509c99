"""The explorer as a Jupyter widget, and as the figure a built page carries."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .explore import page_json
from .frames import FIELD, Frame
from .readouts import format_number
from .sliders import merge_values

__all__ = ["Explorer", "ValuesError"]

_STATIC = Path(__file__).parent / "static"


class ValuesError(traitlets.TraitError, ValueError):
    """Values the explorer does not have; a ``TraitError`` too, so that traitlets rolls back."""


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
        self._settled = dict(spec["initial"])
        super().__init__(spec=spec, values=spec["initial"])
        self.on_msg(self._answer)

    @property
    def nbytes(self) -> int:
        """Bytes that this explorer adds to a page."""
        return len(self.to_html().encode())

    @property
    def frame(self) -> Frame:
        """What the frame function returns at the current values."""
        return self._frame_at(self.values)

    def _frame_at(self, values: dict[str, Any]) -> Frame:
        if self._frame is None:
            raise ValueError(f"Explorer {self._name!r} was made without its frame function.")
        return self._frame(**values)

    @traitlets.validate("values")
    def _merge(self, proposal: dict[str, Any]) -> dict[str, Any]:
        # Not with self.values: under hold_trait_notifications (and hold_sync) that already is the
        # proposal, and whoever changes the dictionary in place would move where we stand.
        try:
            self._settled = merge_values(self._name, self._params, self._settled, proposal["value"])
        except ValueError as error:
            raise ValuesError(str(error)) from None
        return dict(self._settled)

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
        return (
            f'<figure class="explorer lesson-explorer" data-explorer="{name}" '
            f'id="explorer-{name}" aria-label="{title}" '
            f'style="--chart-height:{int(self.spec["height"])}px">'
            f"<noscript>{self._first_frame()}</noscript>"
            f'<script type="application/json" class="explorer-spec">{page_json(self.spec)}</script>'
            "</figure>"
        )

    def _first_frame(self) -> str:
        if self._frame is None:
            return f"<p>{html.escape(self.spec['alt'])}</p>"
        initial = self.spec["initial"]
        frame = self._frame_at(initial)
        texts = {p["name"]: p["text"][p["values"].index(initial[p["name"]])] for p in self._params}
        for readout in self.spec["readouts"]:
            value = float(frame.readouts[readout["name"]])
            texts[readout["name"]] = format_number(value, readout["digits"])
        rows = "".join(
            f'<tr><th scope="row">{html.escape(shown["label"])}</th>'
            f"<td>{html.escape(texts[shown['name']])}</td></tr>"
            for shown in [*self._params, *self.spec["readouts"]]
        )
        sentence = FIELD.sub(lambda field: texts[field[1]], frame.sentence)
        return (
            f"<table><caption>{html.escape(self.spec['title'])}: {html.escape(self.spec['alt'])} "
            f"Sliding needs JavaScript; this is the first position.</caption>{rows}</table>"
            f"<p>{html.escape(sentence)}</p>"
        )
