"""A submission behind the fence: load it once, then call its functions one at a time."""

from __future__ import annotations

import secrets
import time
from typing import Any

from .calls import Answer, Call
from .fence import Child, ChildLost, Limits
from .wire import Garbled, answer, failure, parse


class LoadFailed(Exception):
    """rope.py raised while it was loaded; ``answer`` tells what."""

    def __init__(self, told: Answer) -> None:
        super().__init__(told.told)
        self.answer = told


class TimeUp(ChildLost):
    """The child did not answer in time."""


class LoadLost(ChildLost):
    """The child stopped answering while rope.py was loaded."""


class Inmate:
    """A loaded submission. ``ask`` raises ``ChildLost`` with the reason when it stops answering."""

    def __init__(self, child: Child, source: bytes, limits: Limits) -> None:
        self.child, self.number = child, 0
        deadline = time.monotonic() + limits.load
        late = f"took more than {limits.load:g} s (an endless loop?)"
        try:
            word, parts = self._exchange(lambda n, nonce: repr((n, nonce, source)), deadline, late)
        except ChildLost as lost:
            raise LoadLost(str(lost)) from None
        if word == "error" and len(parts) == 1:
            raise LoadFailed(failure(parts[0]))
        if word != "loaded":
            raise LoadLost("wrote into the grader's channel")
        self.limit = limits.stage
        self.begin_stage()

    def begin_stage(self) -> None:
        """From now on the time of a stage runs."""
        self.deadline = time.monotonic() + self.limit
        self.late = f"took more than {self.limit:g} s (an endless loop?)"

    def ask(self, call: Call) -> Answer:
        """The answer to one call, within what is left of the stage's time."""

        def request(number: int, nonce: str) -> str:
            return repr((number, nonce, call.function, call.args, call.kwargs))

        word, parts = self._exchange(request, self.deadline, self.late)
        try:
            return answer(call, word, parts)
        except Garbled:
            raise ChildLost("wrote into the grader's channel") from None

    def _exchange(self, request: Any, deadline: float, late: str) -> tuple[str, list[Any]]:
        self.number += 1
        nonce = secrets.token_hex(8)
        try:
            self.child.send(request(self.number, nonce))
            return parse(self.child.receive(deadline), self.number, nonce)
        except Garbled:
            raise ChildLost("wrote into the grader's channel") from None
        except ChildLost as lost:
            raise (ChildLost(str(lost)) if str(lost) else TimeUp(late)) from None
