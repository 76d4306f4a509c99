"""One call of a learner's function, and one answer to it, as the grader sees them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional


class Probe:
    """A score function written for one check of ``drift``; its repr is the source that makes it.

    The child builds it from that source, so the learner's function can call it; the grader
    evaluates the same source on its own side of the fence.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._call = eval(source, {"__builtins__": {}})  # our own text, never a submission's

    def __call__(self, *args: Any, **kwargs: Any) -> float:
        return float(self._call(*args, **kwargs))

    def __repr__(self) -> str:
        return self.source


@dataclass(frozen=True)
class Call:
    """``function(*args, **kwargs)``."""

    function: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def on(self, rope: Any) -> Any:
        """The value of this call on an object whose methods are the lab's functions."""
        return getattr(rope, self.function)(*self.args, **self.kwargs)

    def text(self, most: int = 12) -> str:
        """The call as Python source; of a longer vector only the first ``most`` numbers."""
        parts = [shown(a, most) for a in self.args]
        parts += [f"{name}={shown(a, most)}" for name, a in self.kwargs.items()]
        return f"{self.function}({', '.join(parts)})"


@dataclass(frozen=True)
class Other:
    """Something that came back and is neither a number nor a list of numbers."""

    type: str
    text: str = ""

    def __repr__(self) -> str:
        return self.text or f"an object of type {self.type}"


@dataclass(frozen=True)
class Answer:
    """What came back: a value (numbers, lists, ``Other``), or the exception that was raised."""

    value: Any = None
    changed: Optional[int] = None  # the argument that the call changed, counted from 0
    same_object: bool = False  # the very list that was handed in came back
    error: str = ""  # the exception's type, empty when there was none
    error_text: str = ""
    line: int = 0
    source: str = ""

    @property
    def told(self) -> str:
        """The exception in a phrase: what, what it says, and where."""
        text = f"{self.error}: {self.error_text}" if self.error_text else self.error
        where = f" (line {self.line}: {self.source})" if self.line else ""
        return text + where


def shown(value: Any, most: int = 12) -> str:
    """A value as text; of a longer list only the beginning and its length."""
    if isinstance(value, (list, tuple)):
        inner = ", ".join(shown(v, most) for v in value[:most])
        if len(value) > most:
            return f"[{inner}, ... {len(value)} items]"
        if isinstance(value, tuple):
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        return f"[{inner}]"
    return repr(value)
