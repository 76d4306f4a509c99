"""The process in which a submission answers, and when a fresh one is taken.

Starting a process is what a check costs most. So the stages share one as long as all is well. What
goes wrong in a process that answered earlier stages might be their fault (a patched function, a
thread left running): that stage is asked again in a fresh process, and only this counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from .calls import Answer
from .challenges import challenges
from .fence import Child, ChildLost, Limits
from .inmate import Inmate, TimeUp
from .judge import reasons_against


class CannotRun(Exception):
    """There is no program to try, or no way to try it. The message says which."""


class Process:
    """A submission that answers stages. As a context manager it surely ends."""

    def __init__(self, source: bytes, limits: Limits, hidden: Sequence[str]) -> None:
        self.source, self.limits, self.hidden = source, limits, hidden
        self.child: Optional[Child] = None
        self.inmate: Optional[Inmate] = None
        self.fence = ""

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process, if there is one; the next run starts a fresh one."""
        if self.child is not None:
            self.child.end()
        self.child = self.inmate = None

    def run(self, stage: int, seed: int) -> tuple[list[Answer], str]:
        """The answers to a stage, and why there are no more if some are missing."""
        used = self.inmate is not None
        answers, ended, late = self._ask(stage, seed)
        wrong = ended or any(reasons_against(stage, seed, answers))
        if used and wrong and not late:
            self.end()
            answers, ended, late = self._ask(stage, seed)
        if ended:
            self.end()
        return answers, ended

    def _ask(self, stage: int, seed: int) -> tuple[list[Answer], str, bool]:
        """Answers, why they ended early, and whether time was up (not worth a second try)."""
        answers: list[Answer] = []
        inmate = self._ready()
        inmate.begin_stage()
        try:
            for call in challenges(stage, seed):
                answers.append(inmate.ask(call))
        except ChildLost as lost:
            return answers, str(lost), isinstance(lost, TimeUp)
        return answers, "", False

    def _ready(self) -> Inmate:
        """The loaded submission, in the process at hand or in a fresh one."""
        if self.inmate is None:
            self.child = start(self.limits, self.hidden)
            self.fence = self.child.fence
            self.inmate = Inmate(self.child, self.source, self.limits)
        return self.inmate


def start(limits: Limits, hidden: Sequence[str]) -> Child:
    """A child behind the strongest fence that starts here."""
    try:
        return Child(limits, hidden)
    except OSError as error:
        raise CannotRun(f"no process can be started to try rope.py in: {error}") from None
    except ChildLost:
        weaker = Limits(limits.stage, limits.load, limits.memory, namespaces=False)
        try:
            return Child(weaker, hidden)
        except ChildLost as lost:
            raise CannotRun(f"no process can be started to try rope.py in: {lost}") from None
