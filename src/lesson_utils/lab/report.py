"""A report as text for people and as JSON for programs."""

from __future__ import annotations

import json
import math
from typing import Any, Optional

from .calls import Answer, Other, shown
from .check import Report
from .judge import FAIL, PASS, TODO, Counterexample, StageResult

WORDS = {PASS: "pass", FAIL: "FAIL", TODO: "todo"}


def stage_text(result: StageResult, again: str) -> str:
    """The line of a stage and, below it, what is wrong and how to see it again."""
    names = ", ".join(result.functions)
    line = f"{WORDS[result.status]}  stage {result.stage}  {names}"
    if result.status == PASS:
        return f"{line}: {result.calls} calls right"
    lines = [f"{line}: {result.message}"]
    if result.status == FAIL and result.counterexample is not None:
        lines += _counterexample_lines(result, result.counterexample)
    if result.probably:
        lines.append(f"        probably  {result.probably}")
    if result.counterexample is not None and result.status == FAIL:
        lines.append(f"        again     {again}")
    return "\n".join(lines)


def _counterexample_lines(result: StageResult, example: Counterexample) -> list[str]:
    got = example.got
    lines = [
        f"        call      {example.call.text()}",
        f"        expected  {shown(example.expected)}",
    ]
    if got is not None and not got.error:
        lines.append(f"        got       {shown(got.value)}")
    elif got is not None and got.error != "missing":
        lines.append(f"        got       {got.told}")
    elif got is None:
        lines.append("        got       no answer")
    count = f"call {example.number} of {result.calls}"
    more = f"; {result.wrong} answers wrong in all" if result.wrong > 1 else ""
    return [*lines, f"        first at  {count}{more}"]


def summary(report: Report) -> str:
    """The last line."""
    total = len(report.stages)
    stages = "stage passes" if total == 1 else "stages pass"
    return f"{report.passed} of {total} {stages} (seed {report.seed}, {report.seconds:.1f} s)"


def as_json(report: Report) -> str:
    """The whole report as one JSON object."""
    data = {
        "file": report.file,
        "seed": report.seed,
        "passed": report.passed,
        "of": len(report.stages),
        "exit_code": report.exit_code,
        "problem": report.problem,
        "seconds": round(report.seconds, 3),
        "stages": [_stage_data(result) for result in report.stages],
    }
    return json.dumps(data, indent=2, allow_nan=False)


def _stage_data(result: StageResult) -> dict[str, Any]:
    return {
        "stage": result.stage,
        "functions": list(result.functions),
        "status": result.status,
        "message": result.message,
        "mistake": result.mistake,
        "probably": result.probably,
        "calls": result.calls,
        "wrong": result.wrong,
        "counterexample": _example_data(result.counterexample),
        "fence": result.fence,
        "seconds": round(result.seconds, 3),
    }


def _example_data(example: Optional[Counterexample]) -> Optional[dict[str, Any]]:
    if example is None:
        return None
    call = example.call
    return {
        "number": example.number,
        "function": call.function,
        "args": _plain(call.args),
        "kwargs": {name: _plain(value) for name, value in call.kwargs.items()},
        "expected": _plain(example.expected),
        "got": _got_data(example.got),
        "reason": example.reason,
    }


def _got_data(got: Optional[Answer]) -> Any:
    if got is None:
        return None
    return {"raised": got.told} if got.error else _plain(got.value)


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, Other):
        return {"type": value.type, "text": value.text}
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    return value if isinstance(value, (int, float, str)) else repr(value)
