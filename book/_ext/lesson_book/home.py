"""The book opens at its address: index.html is the start page, not a detour to it.

Jupyter Book would write a page that sends the browser on to ``book/intro.html``. Sphinx would call
that page by the book's title twice, once as the page's and once as the book's.
"""

from __future__ import annotations

import html
import re
from pathlib import Path, PurePosixPath
from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    # Late, after the table of contents has written its detour.
    app.connect("build-finished", _write_index, priority=900)
    app.connect("html-page-context", _title_once)


def same_title(page: str, book: str) -> bool:
    """Whether a page's title, which is HTML, says what the book's says.

    >>> same_title("<em>Waves</em> &amp; turns", "Waves & turns")
    True
    """
    return html.unescape(re.sub(r"<[^>]*>", "", page)).strip() == book.strip()


def _title_once(
    _app: Sphinx, _name: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    if same_title(context.get("title") or "", context.get("docstitle") or ""):
        context["docstitle"] = ""  # or <title> would be "Title — Title"


def at_root(page: str, path: str) -> str:
    """Return the HTML of ``path`` (``"book/intro.html"``) for a file at the root.

    >>> at_root('<head></head><a href="#arc">', "book/intro.html")
    '<head><base href="book/"></head><a href="intro.html#arc">'
    """
    place = PurePosixPath(path)
    page = re.sub(r'href="#', f'href="{place.name}#', page)
    return page.replace("<head>", f'<head><base href="{place.parent}/">', 1)


def _write_index(app: Sphinx, exception: Exception | None) -> None:
    root = app.config.root_doc
    if exception is not None or app.builder.format != "html" or "/" not in root:
        return
    source = Path(app.builder.get_outfilename(root))  # type: ignore[attr-defined]
    if source.exists():
        page = at_root(source.read_text("utf-8"), f"{root}.html")
        (Path(app.outdir) / "index.html").write_text(page, "utf-8")
