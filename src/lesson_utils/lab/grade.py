"""Grade many submissions: in parallel, each with the same seed, a row as each is finished."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Optional

from .check import Report, check
from .fence import Child, Limits
from .process import CannotRun
from .submissions import Submission, submissions
from .table import Table, row


def grade(
    folder: Path,
    csv: Path,
    seed: Optional[int],
    jobs: Optional[int],
    limits: Limits,
    fresh: bool = False,
) -> int:
    """Grade a folder into a CSV file. Returns 0 when all have their row, 130 on Ctrl-C."""
    found = submissions(folder)
    table, earlier = Table(csv), None
    if not fresh:
        earlier = table.read()
    if seed is None:
        seed = earlier if earlier is not None else random.SystemRandom().randrange(10**6)
    if fresh or (table.rows and seed != earlier):
        aside = table.put_aside()
        if aside is not None:
            _say(f"the earlier report is kept as {aside}")
    done = [submission for submission in found if table.has(submission)]
    table.begin({row(submission, None, "", seed)["submission"] for submission in done})
    if done:
        _say(f"{len(done)} of {len(found)} are in {csv} already (--fresh grades them again)")
    todo = [submission for submission in found if submission not in done]
    return Run(table, seed, limits, [folder, csv.resolve().parent], len(found)).work(todo, jobs)


class Run:
    """One run over the submissions that have no row yet."""

    def __init__(
        self, table: Table, seed: int, limits: Limits, hidden: list[Path], total: int
    ) -> None:
        self.table, self.seed, self.limits, self.hidden = table, seed, limits, hidden
        self.total, self.count = total, total
        self.stop = threading.Event()

    def work(self, todo: list[Submission], jobs: Optional[int]) -> int:
        """Grade them all; rows are written by this thread alone."""
        self.count = self.total - len(todo)
        began = time.monotonic()
        sys.setswitchinterval(0.0005)  # many short exchanges by several threads
        pool = ThreadPoolExecutor(jobs or os.cpu_count() or 1)
        waiting = {pool.submit(self.one, submission): submission for submission in todo}
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    self._finish(waiting.pop(future), future)
        except KeyboardInterrupt:
            self._interrupt(pool)
            return 130
        pool.shutdown()
        _say(f"{self.total} submissions, seed {self.seed}, {time.monotonic() - began:.1f} s")
        return 0

    def one(self, submission: Submission) -> dict[str, str]:
        """The row of one submission, whatever it does."""
        report: Optional[Report] = None
        problem = submission.problem
        if submission.file is not None and not self.stop.is_set():
            try:
                report = check(
                    submission.file, self.seed, limits=self.limits, hidden=self.hidden,
                    each=self._unless_stopped,
                )  # fmt: skip
            except CannotRun as cannot:
                problem = str(cannot)
            except Exception as error:  # our own fault: it must not cost the others their rows
                problem = f"the grader failed: {type(error).__name__}: {error}"
        return row(submission, report, problem, self.seed)

    def _unless_stopped(self, result: object) -> None:
        if self.stop.is_set():
            raise CannotRun("interrupted")

    def _finish(self, submission: Submission, future: Future[dict[str, str]]) -> None:
        data = future.result()
        self.table.add(data)
        self.count += 1
        what = data["probable_mistake"] or data["first_problem"]
        score = f"{data['passed']}/{data['of']}"
        name = submission.name.encode("unicode_escape").decode()
        _say(f"[{self.count}/{self.total}] {name}  {score}  {data['seconds']} s  {what[:90]}")

    def _interrupt(self, pool: ThreadPoolExecutor) -> None:
        """Stop at once: what is half graded gets no row and is graded by the next run."""
        self.stop.set()
        pool.shutdown(wait=False, cancel_futures=True)
        while Child.running:
            for child in list(Child.running):
                child.process.kill() if os.name == "nt" else child.process.terminate()
            time.sleep(0.05)
        _say(f"interrupted: {self.count} of {self.total} rows are written; run again to go on")


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
