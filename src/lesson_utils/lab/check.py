"""Check one submission: stages behind the fence, the verdict made here."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from .calls import Answer
from .fence import Limits
from .inmate import LoadFailed, LoadLost
from .judge import FAIL, PASS, StageResult, judge
from .process import CannotRun, Process
from .reference import FUNCTIONS

LARGEST_FILE = 1 << 20


@dataclass
class Report:
    """All that a check found."""

    file: str
    seed: int
    stages: list[StageResult] = field(default_factory=list)
    problem: str = ""  # why rope.py could not be loaded
    runnable: bool = True  # False: it is no Python at all
    seconds: float = 0.0

    @property
    def passed(self) -> int:
        """How many stages pass."""
        return sum(result.status == PASS for result in self.stages)

    @property
    def exit_code(self) -> int:
        """0 all pass, 1 something fails, 2 cannot run."""
        if not self.runnable:
            return 2
        return 0 if self.passed == len(self.stages) else 1


def read_source(path: Path) -> bytes:
    """The bytes of a submission; ``CannotRun`` when it is no readable, ordinary, modest file."""
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise CannotRun(f"{path} is not a file")
        with open(path, "rb") as file:
            source = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise CannotRun(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        raise CannotRun(f"{path} cannot be read: {getattr(error, 'strerror', error)}") from None
    if len(source) > LARGEST_FILE:
        raise CannotRun(f"{path} is larger than {LARGEST_FILE >> 20} MiB")
    return source


def check(
    path: Path,
    seed: int,
    stages: Sequence[int] = tuple(FUNCTIONS),
    limits: Optional[Limits] = None,
    hidden: Sequence[Path] = (),
    each: Callable[[StageResult], None] = lambda result: None,
) -> Report:
    """Try every stage of a submission. ``each`` is called with a result as soon as it is there."""
    limits, source = limits or Limits(), read_source(path)
    report = Report(str(path), seed)
    began = time.monotonic()
    folders = worth_hiding([Path(__file__).parent, path.resolve().parent, *hidden])
    with Process(source, limits, folders) as process:
        for stage in stages:
            result = _stage(report, stage, process)
            report.stages.append(result)
            each(result)
    report.seconds = time.monotonic() - began
    return report


def _stage(report: Report, stage: int, process: Process) -> StageResult:
    """One stage; if rope.py does not load, the next stages know already."""
    if report.problem:
        return StageResult(stage, FAIL, report.problem, "does not load")
    began = time.monotonic()
    try:
        answers, ended = process.run(stage, report.seed)
    except LoadFailed as failed:
        report.problem, report.runnable = _load_problem(failed.answer)
    except LoadLost as lost:
        report.problem = f"rope.py does not load: it {lost}"
    if report.problem:
        return StageResult(stage, FAIL, report.problem, "does not load", fence=process.fence)
    before = [result.mistake for result in report.stages if result.mistake]
    result = judge(stage, report.seed, answers, ended, before)
    result.fence, result.seconds = process.fence, time.monotonic() - began
    first = next((r.stage for r in report.stages if r.mistake and r.mistake == result.mistake), 0)
    if first and result.probably:
        result.probably = f"stage {first}'s mistake shows again here: {result.probably}"
    return result


def _load_problem(answer: Answer) -> tuple[str, bool]:
    """Why rope.py does not load, and whether it is a program at all."""
    if answer.error in ("SyntaxError", "IndentationError", "TabError"):
        if "codec can't decode" in answer.error_text or "encoding" in answer.error_text:
            return "rope.py is not UTF-8 text: save it as UTF-8", False
        return f"rope.py is not Python: {answer.told}", False
    if answer.error == "ValueError" and "null bytes" in answer.error_text:
        return "rope.py is not Python: it holds null bytes", False
    if answer.error in ("ModuleNotFoundError", "ImportError") and answer.error_text:
        name = re.search(r"'([^']+)'", answer.error_text)
        if name and answer.error == "ModuleNotFoundError":
            return (
                f"rope.py does not load: it imports {name[1]} (line {answer.line}), which is not in"
                " the standard library; the lab needs that alone",
                True,
            )
    return f"rope.py does not load: it raised {answer.told}", True


def worth_hiding(folders: Sequence[Path]) -> list[str]:
    """The folders that a submission has no business in, less those that Python itself needs."""
    needed = [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, os.__file__)]
    found = []
    for folder in folders:
        folder = folder.resolve()
        if folder != Path(folder.anchor) and not any(folder in [p, *p.parents] for p in needed):
            found.append(str(folder))
    return found
