"""Leave out what a page does not need: code tokens that look like plain code.

Every name, bracket and blank gets a span of its own from Pygments, in the colour of plain text. A
chapter has three thousand of them: a fifth of its weight and a third of its elements.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

# Pygments' short classes for names, punctuation and white space.
_PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')
# Roles that docutils gives a bibliography and that ARIA has withdrawn or forbids there.
_WITHDRAWN = re.compile(r' role="(?:doc-biblioentry|list)"(?=[^>]*>)')


def lighten(html: str) -> str:
    """Drop the spans of plain tokens.

    >>> lighten('<span class="n">x</span><span class="p">(</span><span class="mi">1</span>')
    'x(<span class="mi">1</span>'
    """
    return _PLAIN.sub(r"\1", html)


def valid_roles(html: str) -> str:
    """Drop roles that a screen reader would be misled by.

    >>> valid_roles('<div class="citation" id="a" role="doc-biblioentry">')
    '<div class="citation" id="a">'
    """
    return _WITHDRAWN.sub("", html)


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _lighten_page)


def _lighten_page(
    _app: Sphinx, _name: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    if "body" in context:
        context["body"] = valid_roles(lighten(context["body"]))
