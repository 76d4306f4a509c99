"""One style sheet a page, and no script that the first view waits for.

The theme and the extensions link thirteen style sheets and twelve scripts, and a phone shows
nothing before the last of them has come. Here the sheets become one file, without what no page
shows (unused.py), and the scripts run in their order once the page is there.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from pathlib import Path

from sphinx.application import Sphinx

from .assets import write_if_changed
from .unused import without_unused, words

_SHEET = re.compile(
    r'[ \t]*<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="([^"?]*?)(_static/[^"?]+)[^"]*"[^>]*>\n?'
)
_BUNDLE = re.compile(r"(_static/lesson-[0-9a-f]{8}\.css)\?v=\w*")
_SCRIPT = re.compile(r'<script\b(?![^>]*\b(?:defer|async)\b)(?=[^>]*\bsrc=")')
_OPTIONS = re.compile(r'<script src="[^"]*_static/documentation_options\.js[^"]*"></script>')
_LINKED = re.compile(
    r"""@import\s+(?:url\(\s*)?["']?(?P<sheet>[^"')]+)["']?\s*\)?\s*;"""
    r"""|url\(\s*["']?(?!data:|[a-z]+:|/|\#)(?P<file>[^"')]+)["']?\s*\)"""
)
_USELESS = re.compile(
    r'@charset "[^"]*";|/\*# sourceMappingURL=.*?\*/'
    r"|@font-face\{[^}]*Font Awesome[^}]*\}"  # lesson-icons.css draws the icons
)
# What the sheets say of themselves in their comments, which are left out.
_LICENCES = (
    "/*! Parts: Bootstrap 5 (MIT, The Bootstrap Authors), pydata-sphinx-theme and "
    "sphinx-book-theme (BSD-3-Clause), Font Awesome Free (CSS: MIT, icons: CC BY 4.0, "
    "Fonticons, Inc.), Sphinx (BSD-2-Clause) */"
)


def setup(app: Sphinx) -> None:
    # After every page is written, before the start page is copied (home.py).
    app.connect("build-finished", _bundle, priority=850)


def sheet(out: Path, path: str, place: str = "_static") -> str:
    """The text of a style sheet, with those it imports, for a file in the folder ``place``."""

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(
            posixpath.join(posixpath.dirname(path), link["sheet"] or link["file"])
        )
        if link["sheet"]:
            return sheet(out, target, place)
        return f'url("{posixpath.relpath(target, place)}")'

    return _LINKED.sub(moved, _USELESS.sub("", (out / path).read_text("utf-8")))


def bundled(page: str, out: Path) -> tuple[str, list[str]]:
    """The page with one style sheet and deferred scripts, and the sheets that it linked."""
    links = list(_SHEET.finditer(page))
    sheets = [link[2] for link in links] if len(links) > 1 else []
    if sheets:
        one = f'<link rel="stylesheet" href="{links[0][1]}{name(sheets)}?v=0" />\n'
        places = iter([one, *[""] * len(links)])
        page = _SHEET.sub(lambda _: next(places), page)
    page = _OPTIONS.sub(lambda _: _inlined(out), page)  # the scripts in the page need it at once
    return _SCRIPT.sub("<script defer", page), sheets


def name(sheets: list[str]) -> str:
    """Where the bundle of these sheets stands. The order counts: later rules win."""
    return f"_static/lesson-{hashlib.sha256(' '.join(sheets).encode()).hexdigest()[:8]}.css"


def _inlined(out: Path) -> str:
    return f"<script>{(out / '_static' / 'documentation_options.js').read_text('utf-8')}</script>"


def _scripts(out: Path) -> list[Path]:
    """Those that may put something into a page; plotly.js brings its own style."""
    return [path for path in out.glob("_static/**/*.js") if path.name != "plotly.min.js"]


def _bundle(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    pages = [path for path in out.rglob("*.html") if "_static" not in path.parts]
    texts = {path: path.read_text("utf-8") for path in pages}
    bundles = set()
    for path in pages:
        texts[path], sheets = bundled(texts[path], out)
        bundles |= {" ".join(sheets)} if sheets else set()
    linked = {link[1] for text in texts.values() for link in _BUNDLE.finditer(text)}
    for path in out.glob(f"_static/lesson-{'[0-9a-f]' * 8}.css"):
        # A bundle begins with the names of its sheets, so it can be made again where no page was.
        if f"_static/{path.name}" in linked:
            bundles.add(path.read_text("utf-8").splitlines()[0][3:-3])
        else:
            path.unlink()  # of an earlier set of sheets
    stamps = {}
    scripts = (path.read_text("utf-8") for path in _scripts(out))
    known = words([*texts.values(), *scripts])
    for sources in bundles:
        css = "\n".join(sheet(out, each) for each in sources.split())
        css = f"/* {sources} */\n{_LICENCES}\n{without_unused(css, known)}\n"
        where = name(sources.split())
        write_if_changed(out / where, css)
        stamps[where] = hashlib.sha256(css.encode()).hexdigest()[:8]
    for path, text in texts.items():
        write_if_changed(path, _BUNDLE.sub(lambda b: f"{b[1]}?v={stamps.get(b[1], 0)}", text))
