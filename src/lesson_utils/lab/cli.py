"""The commands: ``check``, ``grade`` and ``starter``."""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from .check import Report, check
from .command import line, program
from .fence import Limits
from .judge import StageResult
from .process import CannotRun
from .reference import FUNCTIONS
from .report import as_json, stage_text, summary

LIMIT = 4.0
FENCE = (
    "The fence around a submission stops accidents and cheap tricks; it is not a security sandbox."
)
EXITS = {
    "check": "exit codes: 0 all stages pass; 1 something fails or is still to be done; 2 cannot"
    f" run; 130 interrupted. {FENCE}",
    "grade": "exit codes: 0 every submission has its row; 2 the folder or the report cannot be"
    f" used; 130 interrupted (the same command goes on). {FENCE}",
    "starter": "exit codes: 0 written; 2 the file is there already, or cannot be written.",
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    prog = line(program())
    top = argparse.ArgumentParser(prog=prog, description="Check rope.py.", epilog=FENCE)
    commands = top.add_subparsers(dest="command", required=True, metavar="check | grade | starter")
    one = commands.add_parser("check", help="try one rope.py", epilog=EXITS["check"])
    one.add_argument("file", type=Path, help="the file to try, or a folder that holds rope.py")
    one.add_argument("--stage", type=int, choices=sorted(FUNCTIONS), help="this stage alone")
    one.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    one.add_argument(
        "--again", metavar="TEXT",
        help="what the `again` line says instead of this command; {stage} and {seed} are filled in",
    )  # fmt: skip
    many = commands.add_parser(
        "grade", help="try every submission in a folder", epilog=EXITS["grade"]
    )
    many.add_argument("folder", type=Path, help="a file each, or a folder each with its rope.py")
    many.add_argument("--csv", type=Path, required=True, help="the report; one row a submission")
    many.add_argument("--jobs", type=_positive, help="submissions at a time (default: CPU cores)")
    many.add_argument(
        "--fresh", action="store_true", help="grade again what the report has already"
    )
    for command in (one, many):
        command.add_argument("--seed", type=_seed, help="repeat the calls of an earlier run")
        command.add_argument(
            "--limit", type=_seconds, default=LIMIT, metavar="S",
            help="wall-clock seconds a stage may take (default 4), and loading rope.py as much",
        )  # fmt: skip
    stubs = commands.add_parser(
        "starter", help="write the stubs to fill in", epilog=EXITS["starter"]
    )
    stubs.add_argument("file", type=Path, nargs="?", default=Path("rope.py"))
    return top


def _positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise ValueError
    return int(text)


def _seconds(text: str) -> float:
    if not 0.1 <= float(text) <= 3600:
        raise ValueError
    return float(text)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run a command. Returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return {"check": run_check, "grade": run_grade, "starter": run_starter}[options.command](
            options
        )
    except CannotRun as problem:
        print(f"cannot run: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def run_check(options: argparse.Namespace) -> int:
    """``check``: one line a stage, as each is done."""
    path: Path = options.file / "rope.py" if options.file.is_dir() else options.file
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6)
    stages = [options.stage] if options.stage else sorted(FUNCTIONS)
    limits = Limits(stage=options.limit, load=options.limit)

    def each(result: StageResult) -> None:
        if not options.json and result.mistake != "does not load":
            print(stage_text(result, _again(options, seed, result.stage)), flush=True)

    report = check(path, seed, stages, limits, each=each)
    if options.json:
        print(as_json(report))
    else:
        _print_end(report)
    return report.exit_code


def _again(options: argparse.Namespace, seed: int, stage: int) -> str:
    """What asks a stage the same questions once more."""
    if options.again:
        return str(options.again).replace("{stage}", str(stage)).replace("{seed}", str(seed))
    words = [*program(), "check", str(options.file), "--seed", str(seed), "--stage", str(stage)]
    return line(words if options.limit == LIMIT else [*words, "--limit", f"{options.limit:g}"])


def _print_end(report: Report) -> None:
    if report.problem:
        print(report.problem)
        for result in report.stages:
            if result.mistake == "does not load":
                print(f"FAIL  stage {result.stage}  {', '.join(result.functions)}: not tried")
    print(summary(report))


def run_grade(options: argparse.Namespace) -> int:
    """``grade``: many submissions, a row each."""
    from .grade import grade

    limits = Limits(stage=options.limit, load=options.limit)
    return grade(options.folder, options.csv, options.seed, options.jobs, limits, options.fresh)


def run_starter(options: argparse.Namespace) -> int:
    """``starter``: write the stubs, and never over a file that is there."""
    source = (Path(__file__).parent / "starter" / "rope.py").read_text("utf-8")
    try:
        with open(options.file, "x", encoding="utf-8") as file:
            file.write(source)
    except FileExistsError:
        raise CannotRun(f"{options.file} exists already; name another file") from None
    except OSError as error:
        raise CannotRun(f"{options.file} cannot be written: {error.strerror}") from None
    check_it = line([*program(), "check", str(options.file)])
    print(f"wrote {options.file}; fill in stage 1, then: {check_it}")
    return 0
