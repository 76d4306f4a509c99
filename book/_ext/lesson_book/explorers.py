"""Explorers in the page: ship the script where one is, and see that each name is there once."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

_NAME = re.compile(r'<figure class="explorer[^"]*" data-explorer="([^"]*)"')


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", _drop_widget_state)
    app.connect("doctree-resolved", _check_names)
    app.connect("html-page-context", _add_script)


def _drop_widget_state(app: Sphinx, doctree: nodes.document) -> None:
    """No kernel will ever read it: the page carries each explorer's own data instead."""
    page = NbMetadataCollector.get_doc_data(app.env)[app.env.docname]
    page.get("js_files", {}).pop("ipywidgets_state", None)


def explorer_names(doctree: nodes.document) -> list[str]:
    return [name for raw in doctree.findall(nodes.raw) for name in _NAME.findall(raw.astext())]


def _check_names(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    names = explorer_names(doctree)
    for name in sorted({n for n in names if names.count(n) > 1}):
        logger.warning(
            "explorer %r appears %d times in this page; give each its own name, "
            "because links such as #%s?… must lead to one of them",
            name, names.count(name), name, location=docname,
        )  # fmt: skip


def _add_script(
    app: Sphinx,
    pagename: str,
    _template: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    if doctree is not None and explorer_names(doctree):
        app.add_js_file("explorers.js", loading_method="defer")
