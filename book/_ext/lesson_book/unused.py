"""Leave out the style rules for what no page shows: more than half of the theme's.

The theme brings all of Bootstrap. A rule stays unless it asks for a class or an id that stands in
no page and in no script; what is inside ``:not(…)``, ``:is(…)`` and the like is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import tinycss2  # type: ignore[import-untyped]

_WORD = re.compile(r"[A-Za-z_][\w-]*")
_NESTED = {"media", "supports", "container", "layer"}


def words(texts: Iterable[str]) -> set[str]:
    """Everything that could be the name of a class or an id in these pages and scripts.

    >>> sorted(words(['<p class="lead x-2">', 'node.id = "here"']))
    ['class', 'here', 'id', 'lead', 'node', 'p', 'x-2']
    """
    return {word for text in texts for word in _WORD.findall(text)}


def without_unused(css: str, known: set[str]) -> str:
    """The style sheet without the rules that cannot match anything.

    >>> without_unused(".a:hover,.b .c{x:y}@media print{#d{x:y}}p:not(.e){x:y}", {"a", "b"})
    '.a:hover{x:y}p:not(.e){x:y}'
    """
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(_rule(rule, known) for rule in rules)


def _rule(rule: Any, known: set[str]) -> str:
    if rule.type == "qualified-rule":
        kept = [selector for selector in _selectors(rule.prelude) if _may_match(selector, known)]
        return ",".join(map(tinycss2.serialize, kept)) + _block(rule.content) if kept else ""
    if rule.type == "at-rule" and rule.at_keyword in _NESTED and rule.content is not None:
        inner = tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True)
        body = "".join(_rule(each, known) for each in inner)
        return f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{body}}}" if body else ""
    return str(rule.serialize())


def _block(content: Any) -> str:
    return f"{{{tinycss2.serialize(content).strip()}}}"


def _selectors(prelude: list[Any]) -> list[list[Any]]:
    """The prelude, cut at its commas, without blanks at the ends."""
    selectors: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            selectors.append([])
        elif token.type != "whitespace" or selectors[-1]:
            selectors[-1].append(token)
    for selector in selectors:
        while selector and selector[-1].type == "whitespace":
            selector.pop()
    return selectors


def _may_match(selector: list[Any], known: set[str]) -> bool:
    after_dot = False
    for token in selector:
        named = token.type == "hash" or (after_dot and token.type == "ident")
        if named and token.value not in known:
            return False
        after_dot = token == "."
    return True
