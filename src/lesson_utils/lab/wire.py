"""From a line of a child to an answer, trusting nothing.

A line that is not exactly ``[number, nonce, word, ...]`` with the number and nonce of the question
is not an answer. Values are rebuilt from plain JSON: ints, floats, lists, notes on other things.
"""

from __future__ import annotations

import json
import math
from typing import Any

from .calls import Answer, Call, Other


class Garbled(Exception):
    """The line is not an answer to the question that was put."""


def parse(line: bytes, number: int, nonce: str) -> tuple[str, list[Any]]:
    """The word of a line and what follows it."""
    try:
        data = json.loads(line.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Garbled from None
    if not isinstance(data, list) or len(data) < 3 or data[:2] != [number, nonce]:
        raise Garbled
    if not isinstance(data[2], str):
        raise Garbled
    return data[2], data[3:]


def answer(call: Call, word: str, parts: list[Any]) -> Answer:
    """The answer to a call, from the word and the parts of its line."""
    if word == "missing" and not parts:
        return Answer(error="missing")
    if word == "error" and len(parts) == 1:
        return failure(parts[0])
    if word == "value" and len(parts) == 3:
        value = rebuild(parts[0])
        return Answer(value, changed(call, parts[1]), bool(parts[2]))
    raise Garbled


def failure(note: Any) -> Answer:
    """The answer that an exception makes."""
    if not isinstance(note, dict):
        raise Garbled
    texts = [plain(note.get(name)) for name in ("type", "text", "source")]
    line = note.get("line")
    line = line if type(line) is int and 0 <= line < 10**7 else 0
    return Answer(error=texts[0] or "exception", error_text=texts[1], line=line, source=texts[2])


def rebuild(data: Any, depth: int = 0) -> Any:
    """A value from JSON: finite numbers, lists of them, notes on anything else."""
    if type(data) is int or (type(data) is float and math.isfinite(data)):
        return data if abs(data) < 1e300 else Other("int", "a number beyond 1e300")
    if isinstance(data, list) and depth < 8:
        return [rebuild(item, depth + 1) for item in data]
    if isinstance(data, dict):
        return Other(plain(data.get("type")) or "strange type", plain(data.get("text")))
    raise Garbled


def changed(call: Call, after: Any) -> Any:
    """The number of the first argument that is not what was sent; None when all are."""
    sent = [*call.args, list(call.kwargs.values())]
    if not isinstance(after, list) or len(after) != len(sent):
        return 0
    return next((i for i, (a, b) in enumerate(zip(sent, after)) if not _same(a, b)), None)


def _same(sent: Any, after: Any) -> bool:
    if isinstance(sent, (list, tuple)):
        if not isinstance(after, list) or len(after) != len(sent):
            return False
        return all(_same(a, b) for a, b in zip(sent, after))
    if callable(sent):
        return isinstance(after, dict)
    return type(after) is type(sent) and bool(after == sent)


def plain(text: Any) -> str:
    """A submission's text made fit to print: one line, printable, not long."""
    if not isinstance(text, str):
        return ""
    return "".join(c if c.isprintable() else " " for c in text[:240]).strip()


def _no_constant(name: str) -> Any:
    raise ValueError(name)
