"""The theme's own templates and scripts with small changes, made from the installed theme.

Copies kept in the repository would go stale with the next version of the theme; a change that no
longer fits stops the build instead.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from .assets import generated, package_folder, write_if_changed

# (theme, template, what to find, what to put there), each with its reason.
CHANGES = [
    # 1.5 MB of script for a dozen icons; lesson-icons.css draws them.
    (
        "pydata_sphinx_theme",
        "static/webpack-macros.html",
        r"<script[^>]*fontawesome\.js[^>]*></script>",
        "",
    ),
    # The title stood outside every landmark, so that jumping from landmark to landmark missed it.
    (
        "pydata_sphinx_theme",
        "components/navbar-logo.html",
        r'<a class="navbar-brand logo"(.*)</a>',
        r'<nav aria-label="Home"><a class="navbar-brand logo"\1</a></nav>',
    ),
    # The title for print would be a second heading in the page, and an empty one on the 404 page.
    (
        "sphinx_book_theme",
        "layout.html",
        r"<h1>\{\{ pagetitle \}\}</h1>",
        r'<p class="h1">{{ pagetitle }}</p>',
    ),
    # The theme was worked out by a script at the end, which styled the whole page a second time;
    # and who likes it dark saw a white page first.
    (
        "pydata_sphinx_theme",
        "pydata_sphinx_theme/layout.html",
        r'localStorage\.getItem\("theme"\) \|\| "\{\{ default_mode \}\}"',
        """{"light": "light", "dark": "dark"}[document.documentElement.dataset.mode]
      || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")""",
    ),
    # It asked whether a box scrolls and wrote the answer, box by box, and for each of a chapter's
    # 150 the browser worked out the page's style again. Now all questions come first.
    (
        "pydata_sphinx_theme",
        "static/scripts/pydata-sphinx-theme.js",
        r"(document\.querySelectorAll\(\[[^]]*\]\.join\(\W+\)\))\.forEach\(\(?(\w)\)?=>"
        r"\{\2\.tabIndex=(\2\.scrollWidth>[^{}]*)\}\)",
        r"Array.from(\1,\2=>[\2,\3]).forEach(([box,stop])=>{box.tabIndex=stop})",
    ),
]


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _write)


def changed(theme: Path, name: str, find: str, put: str) -> str:
    """Return the theme's template ``name`` with its change; ``ValueError`` if it does not fit."""
    (template,) = theme.rglob(name)
    text, count = re.subn(find, put, template.read_text("utf-8"), flags=re.S)
    if count != 1:
        raise ValueError(f"{name}: expected one {find!r} in the theme's template, found {count}.")
    return text


def _write(app: Sphinx, config: Config) -> None:
    folder = generated(app) / "templates"
    for theme, name, find, put in CHANGES:
        text = changed(package_folder(theme), name, find, put)
        if name.endswith(".js"):
            targets = {generated(app) / name}  # assets.py has static/ copied over the theme's own
        else:
            targets = {folder / name}
            if name.startswith("components/"):  # asked for by their bare name too
                targets.add(folder / Path(name).name)
        for target in targets:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_if_changed(target, text)
    config.templates_path.append(str(folder))
