"""Static figures that belong to the page: inline SVG in the page's own colours and font.

Matplotlib draws, :func:`show` turns the drawing into an SVG element whose palette colours are CSS
variables. A picture file could not follow the page from light to dark; an element in the page can.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
from typing import Any

from .palette import DIVERGING as _DIVERGING
from .palette import HEAT as _HEAT
from .palette import LIGHT
from .palette import TINT as _TINT

__all__ = ["axes", "diverging", "heat", "show", "tint", "to_html"]

_STYLE: Any = {
    "axes.edgecolor": LIGHT["muted"],
    "axes.labelcolor": LIGHT["ink"],
    "axes.titlecolor": LIGHT["ink"],
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.labelsize": 10.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LIGHT["grid"],
    "text.color": LIGHT["ink"],
    "xtick.color": LIGHT["muted"],
    "ytick.color": LIGHT["muted"],
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "lines.linewidth": 2,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "font.family": "DejaVu Sans",
    "svg.fonttype": "none",  # text stays text: small, searchable, readable aloud
    "svg.hashsalt": "lesson_utils",  # the same drawing gives the same bytes
}


_INK = f"var(--lesson-ink, {LIGHT['ink']})"


def axes(
    width: float = 4.6, height: float = 2.8, nrows: int = 1, ncols: int = 1, **kwargs: Any
) -> Any:
    """Return ``(figure, axes)`` in the book's style; like ``plt.subplots``.

    >>> fig, ax = axes(width=4.6, height=2.5)
    >>> ax.get_xlabel()
    ''

    Parameters: ``width`` and ``height`` in inches (wider than 4.6 is hard to read on a phone,
    where the drawing shrinks to the screen); ``kwargs`` go to ``Figure.subplots``.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # A plain Figure, never pyplot: without global state a cell can run twice and show once.
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(nrows, ncols, **kwargs)


def heat() -> Any:
    """Return the sequential colour map (0 is the page's background)."""
    return _colormap("heat", _HEAT["light"])


def tint() -> Any:
    """Return the sequential colour map for cells that carry text in the page's ink."""
    return _colormap("tint", _TINT["light"])


def diverging() -> Any:
    """Return the signed colour map (orange below zero, background at zero, blue above)."""
    return _colormap("diverging", _DIVERGING["light"])


def to_html(figure: Any, alt: str) -> str:
    """Return the figure as one ``<svg>`` element in ``<figure class="lesson-figure">``.

    ``alt`` is the text alternative: one or two sentences that say what the figure shows.
    Raises ``ValueError`` if it is missing.
    """
    if not isinstance(alt, str) or len(alt.strip()) < 10:
        raise ValueError(
            f"alt must say in a sentence what the figure shows, got {alt!r}. "
            "Readers who cannot see the figure rely on it."
        )
    import matplotlib as mpl

    for ax in figure.axes:
        # Legends and texts are made by the caller, outside the style that made the axes.
        if ax.get_legend() is not None:
            ax.get_legend().set_frame_on(False)
    buffer = io.StringIO()
    with mpl.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    # A style element inside an SVG in the page would restyle the whole page.
    svg = re.sub(r"<style.*?</style>", "", svg, flags=re.S)
    # Inside tags alone: what the text between them says (a tick of 0.005) stays as it is.
    svg = re.sub(r"<[^>]*>", lambda tag: _themed(_short(tag[0])), _own_ids(svg))
    svg = re.sub(r"\s*\n\s*", " ", svg).replace("> <", "><")
    label = html.escape(alt.strip(), quote=True)
    box = re.search(r'viewBox="([^"]*)"', svg)
    opening = (
        f'<svg role="img" aria-label="{label}" viewBox="{box.group(1) if box else ""}"'
        ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
        f' style="width:100%;max-width:{figure.get_figwidth():g}in;height:auto;'
        f'stroke-linejoin:round;stroke-linecap:butt;fill:var(--lesson-ink, {LIGHT["ink"]})">'
    )
    svg = re.sub(r"<svg [^>]*>", lambda _: opening, svg, count=1)
    return f'<figure class="lesson-figure">{svg.strip()}</figure>'


def _short(tag: str) -> str:
    """A hundredth of a point is finer than any screen; six decimals double the page's weight."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", tag)


def _themed(tag: str) -> str:
    """Replace palette colours, black and the font by the page's own variables."""
    tag = tag.replace("'DejaVu Sans'", "var(--lesson-font, system-ui, sans-serif)")
    tag = tag.replace("#000000", LIGHT["ink"])  # matplotlib's own black
    for token, colour in LIGHT.items():
        tag = re.sub(colour, f"var(--lesson-{token}, {colour})", tag, flags=re.I)
    return tag


def _own_ids(svg: str) -> str:
    """Drop the ids nobody refers to, and make the others this figure's own.

    Matplotlib names groups alike in every figure ("axes_1") and derives a clip path's id from its
    shape; an id must be unique in a page.
    """
    mark = "f" + hashlib.sha256(svg.encode()).hexdigest()[:8]
    used = re.findall(r'(?:url\(#|href="#)([^")]+)', svg)
    own = {name: f"{mark}-{i}" for i, name in enumerate(dict.fromkeys(used))}

    def rename(found: re.Match[str]) -> str:
        return f' id="{own[found[1]]}"' if found[1] in own else ""

    svg = re.sub(r'\s+id="([^"]*)"', rename, svg)
    return re.sub(r'(url\(#|href="#)([^")]+)', lambda found: found[1] + own[found[2]], svg)


def show(figure: Any, alt: str) -> None:
    """Display the figure in the notebook or the book; ``alt`` says what it shows."""
    from IPython.display import HTML, display

    display(HTML(to_html(figure, alt)))  # type: ignore[no-untyped-call]


def _colormap(name: str, stops: list[tuple[float, str]]) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(name, stops)
