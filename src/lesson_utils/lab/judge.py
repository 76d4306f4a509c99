"""The verdict on one stage, from the answers alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Optional

from .calls import Answer, Call
from .challenges import challenges
from .diagnosis import Model, diagnose
from .reference import FUNCTIONS, Rope
from .tolerance import difference, tolerance

PASS, FAIL, TODO = "pass", "fail", "todo"


@dataclass(frozen=True)
class Counterexample:
    """The first call whose answer is wrong."""

    call: Call
    number: int
    expected: Any
    got: Optional[Answer]
    reason: str


@dataclass
class StageResult:
    """What came of one stage. ``status`` is pass, fail, or todo (a stub not yet filled in)."""

    stage: int
    status: str
    message: str = ""
    mistake: str = ""
    probably: str = ""
    counterexample: Optional[Counterexample] = None
    calls: int = 0
    wrong: int = 0
    seconds: float = 0.0
    fence: str = ""
    functions: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        self.functions = FUNCTIONS[self.stage]


@lru_cache(maxsize=64)
def expected(stage: int, seed: int) -> tuple[tuple[Any, Any], ...]:
    """The right value and its tolerance for every call of a stage."""
    rope = Rope()
    wanted = [(call, call.on(rope)) for call in challenges(stage, seed)]
    return tuple((value, tolerance(rope, call, value)) for call, value in wanted)


def wrong_with(answer: Answer, wanted: Any, tol: Any) -> str:
    """Why an answer is wrong, in a phrase; empty when it is right."""
    if answer.error == "missing":
        return "there is no such function in rope.py"
    if answer.error:
        return f"it raised {answer.told}"
    reason = difference(wanted, answer.value, tol)
    if not reason and answer.changed is not None:
        return f"the result is right, but argument {answer.changed + 1} was changed in place"
    if not reason and answer.same_object:
        return "the result is the very list that came in; a new list is asked for"
    return reason


def reasons_against(stage: int, seed: int, answers: Sequence[Answer]) -> list[str]:
    """For each answer why it is wrong; an empty text for a right one. This is the verdict."""
    wanted = expected(stage, seed)
    return [wrong_with(a, value, tol) for a, (value, tol) in zip(answers, wanted)]


def judge(
    stage: int, seed: int, answers: Sequence[Answer], ended: str = "", before: Sequence[str] = ()
) -> StageResult:
    """Judge the answers to the first calls of a stage; ``ended`` says why there are no more."""
    calls, wanted = challenges(stage, seed), expected(stage, seed)
    reasons = reasons_against(stage, seed, answers)
    first = next((i for i, reason in enumerate(reasons) if reason), None)
    if first is None and not ended and len(answers) == len(calls):
        return StageResult(stage, PASS, calls=len(calls))
    result = StageResult(stage, FAIL, calls=len(calls), wrong=sum(map(bool, reasons)))
    if first is None:
        at = min(len(answers), len(calls) - 1)
        reason, got = ended or "no answer", None
        result.wrong += 1
    else:
        at, reason, got = first, reasons[first], answers[first]
    result.counterexample = Counterexample(calls[at], at + 1, wanted[at][0], got, reason)
    several = len(result.functions) > 1
    result.message = f"{calls[at].function}: {reason}" if several else reason
    if ended and first is not None:
        result.message += f"; later it {ended}"
    off = [bool(a.error or difference(v, a.value, tol)) for a, (v, tol) in zip(answers, wanted)]
    wrong = [answer for answer, reason in zip(answers, reasons) if reason]
    seen = [(call, answer, not o) for call, answer, o in zip(calls, answers, off)]
    _explain(result, wrong, diagnose(stage, seed, seen, before) if any(off) else None)
    return result


def _explain(result: StageResult, wrong: Sequence[Answer], model: Optional[Model]) -> None:
    """Fill in what is probably wrong: a mistake that fits, or what the answers alone suggest."""
    errors = {answer.error for answer in wrong}
    if errors == {"NotImplementedError"}:
        result.status, result.message = TODO, "not written yet"
    elif model is not None:
        result.mistake, result.probably = model.key, model.text
    elif errors == {"missing"}:
        result.mistake = "missing function"
    elif wrong and "" not in errors:
        result.mistake, result.probably = _about_errors(wrong[0])
    elif any(answer.changed is not None for answer in wrong):
        result.mistake = "changing the input in place"
        result.probably = (
            "changing the input in place: the function writes into the list that it was given;"
            " build a new list and leave the input alone"
        )
    elif wrong and all(getattr(answer.value, "type", "") == "NoneType" for answer in wrong):
        result.mistake = "nothing returned"
        result.probably = "the function ends without a return (or it prints instead of returning)"


def _about_errors(first: Answer) -> tuple[str, str]:
    """What an exception alone suggests."""
    if first.error == "RecursionError":
        return "endless recursion", "the function calls itself without end"
    if first.error == "MemoryError":
        return "out of memory", "the function asks for more memory than a stage may use"
    if first.error == "TypeError" and "argument" in first.error_text:
        return "other parameters", "the function's parameters differ from the stage's contract"
    return first.error, ""
