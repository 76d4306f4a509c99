"""The instructor's table: one row a submission, on disk as soon as it is known."""

from __future__ import annotations

import csv
import io
import os
from itertools import count
from pathlib import Path
from typing import Any, Optional

from .check import Report
from .judge import PASS
from .process import CannotRun
from .reference import FUNCTIONS
from .submissions import Submission

STAGES = [f"stage_{stage}" for stage in FUNCTIONS]
COLUMNS = [
    *("submission", "passed", "of", *STAGES, "probable_mistake", "first_problem"),
    *("seconds", "seed", "fingerprint"),
]


def row(
    submission: Submission, report: Optional[Report], problem: str, seed: int
) -> dict[str, str]:
    """One row, from a report or from the reason why there is none."""
    data: dict[str, Any] = dict.fromkeys(COLUMNS, "")
    data.update(submission=submission.name, passed=0, of=len(FUNCTIONS), seconds="0.0")
    data.update(seed=seed, fingerprint=submission.fingerprint, first_problem=problem)
    data.update(dict.fromkeys(STAGES, "not run"))
    if report is not None:
        failing = [result for result in report.stages if result.status != PASS]
        mistakes = [f"stage {r.stage}: {r.probably or r.mistake}" for r in failing if r.mistake]
        data.update({f"stage_{r.stage}": r.status for r in report.stages})
        data.update(passed=report.passed, seconds=f"{report.seconds:.2f}")
        data["probable_mistake"] = mistakes[0] if mistakes else ""
        if report.problem:
            data["probable_mistake"], data["first_problem"] = "does not load", report.problem
        elif failing:
            data["first_problem"] = f"stage {failing[0].stage}: {failing[0].message}"
    return {name: harmless(value) for name, value in data.items()}


def harmless(value: Any) -> str:
    """A cell that no spreadsheet takes for a formula."""
    text = str(value)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


class Table:
    """A CSV file that only ever grows by whole rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, dict[str, str]] = {}

    def read(self) -> Optional[int]:
        """Take up the whole rows of an earlier run. Returns their seed, None if there are none."""
        try:
            text = self.path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CannotRun(f"{self.path} cannot be read: {error.strerror}") from None
        if text and not text.startswith(",".join(COLUMNS)):
            raise CannotRun(f"{self.path} is there and is no report of this grader; name another")
        whole = text[: text.rfind("\n") + 1]  # a row that was cut off does not count
        for found in csv.DictReader(io.StringIO(whole, newline="")):
            if None not in found and None not in found.values() and found["seed"].isdecimal():
                self.rows[found["submission"]] = found
        seeds = {found["seed"] for found in self.rows.values()}
        return int(seeds.pop()) if len(seeds) == 1 else None

    def has(self, submission: Submission) -> bool:
        """Whether this very submission has its row."""
        found = self.rows.get(harmless(submission.name))
        return found is not None and bool(submission.fingerprint) and (
            found["fingerprint"] == submission.fingerprint
        )  # fmt: skip

    def put_aside(self) -> Optional[Path]:
        """Keep an earlier report under another name. Returns that name."""
        if not self.path.exists() or not self.path.stat().st_size:
            return None
        names = (f"{self.path.stem}-{number}{self.path.suffix}" for number in count(1))
        aside = next(p for p in map(self.path.with_name, names) if not p.exists())
        self.path.rename(aside)
        self.rows.clear()
        return aside

    def begin(self, keep: set[str]) -> None:
        """Start the file with the rows to keep; replaced in one step, so that none is ever lost."""
        self.rows = {name: found for name, found in self.rows.items() if name in keep}
        fresh = self.path.with_name(self.path.name + ".part")
        try:
            fresh.write_bytes(_lines(dict(zip(COLUMNS, COLUMNS)), *self.rows.values()))
            os.replace(fresh, self.path)
            self.file = open(self.path, "ab", buffering=0)  # noqa: SIM115  (until the run ends)
        except OSError as error:
            raise CannotRun(f"{self.path} cannot be written: {error.strerror}") from None

    def add(self, data: dict[str, Any]) -> None:
        """Write one row, whole, now."""
        self.file.write(_lines(data))


def _lines(*rows: dict[str, Any]) -> bytes:
    text = io.StringIO(newline="")
    csv.DictWriter(text, COLUMNS, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")
