"""Mistakes that are not in the formula: answers kept from before, grown lists, rounding.

These models are asked the calls of a stage in their order, as the submission was, since what they
answer may depend on what came first.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Optional

from .calls import Call
from .mistakes_speeds import Mistake
from .reference import Rope

CACHED = "answers cached by the first call"


class Kept(Mistake):
    """Right at the first call with a key, then the same again; the key leaves out too much."""

    key = CACHED

    def __init__(self, function: str, keyed: tuple[str, ...], names: tuple[str, ...]) -> None:
        self.function, self.keyed = function, keyed
        self.memory: dict[str, Any] = {}
        out = " and ".join(name for name in names if name not in keyed)
        how = f"without regard to {out}" if keyed else "whatever the arguments"
        what = (
            "the sine and cosine of an earlier angle serve"
            if function == "sin_cos"
            else (f"{function} hands out an earlier answer")
        )
        self.text = f"answers cached by the first call: {what} again, {how}"

    def keep(self, function: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The remembered answer, if this function is the one that remembers."""
        if function != self.function:
            return value(*args, **kwargs)
        bound = inspect.signature(getattr(Rope, function)).bind(self, *args, **kwargs)
        bound.apply_defaults()
        key = repr([bound.arguments[name] for name in self.keyed])
        if key not in self.memory:
            self.memory[key] = value(*args, **kwargs)
        return self.memory[key]

    def predict(self, call: Call) -> Any:
        """Through the memory, if the function called is the one that remembers."""
        if call.function == "pair_speeds":
            return call.on(self)
        return self.keep(call.function, getattr(self, call.function), *call.args, **call.kwargs)

    def pair_speeds(self, d: int, base: Optional[float] = None) -> list[float]:
        """Speeds, possibly remembered: the usual place for a cache."""
        return list(self.keep("pair_speeds", super().pair_speeds, d, self.base_of(base)))

    def sin_cos(self, angle: float) -> tuple[float, float]:
        """Sine and cosine, possibly remembered."""
        kept: tuple[float, float] = self.keep("sin_cos", super().sin_cos, angle)
        return kept


def _kept(function: str) -> Iterator[Mistake]:
    names = tuple(inspect.signature(getattr(Rope, function)).parameters)[1:]
    for size in range(len(names)):
        for keyed in combinations(names, size):
            yield Kept(function, keyed, names)


class Grown(Mistake):
    """A list made once, as a default argument or a global, to which every call appends."""

    key = "list kept between calls"
    text = (
        "the result still holds what earlier calls put in it: make a new list inside the function"
        " (a default argument like out=[] is made only once)"
    )

    def __init__(self) -> None:
        self.so_far: list[Any] = []

    def predict(self, call: Call) -> Any:
        """Everything so far."""
        value = call.on(self)
        if not isinstance(value, list):
            raise TypeError("only lists grow")
        self.so_far += value
        return list(self.so_far)


class Rounded(Mistake):
    """Results rounded to some decimals."""

    key = "rounded"

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.text = f"the results are rounded to {digits} decimals; return them as they are"

    def predict(self, call: Call) -> Any:
        """The right value, rounded."""
        return self._round(call.on(self))

    def _round(self, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [self._round(v) for v in value]
        return round(value, self.digits)


class Whole(Rounded):
    """Results cut to whole numbers."""

    key = "whole numbers"

    def __init__(self) -> None:
        super().__init__(0)
        self.text = "the results are cut to whole numbers with int(); return floats"

    def _round(self, value: Any) -> Any:
        return [self._round(v) for v in value] if isinstance(value, (list, tuple)) else int(value)


def memories(function: str) -> Iterator[Mistake]:
    """All of the above that concern a function."""
    yield from _kept(function)
    if function != "pair_speeds":
        yield from _kept("pair_speeds")
        yield Kept("sin_cos", (), ("angle",))
    yield Grown()
    yield Whole()
    for digits in range(12):
        yield Rounded(digits)
