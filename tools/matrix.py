"""The package's tests and every chapter, with the oldest and the newest libraries: `make matrix`.

    python tools/matrix.py [--python 3.12 …] [--kind oldest …] [--without-torch]

*oldest* is constraints-oldest.txt, the lower ends of pyproject.toml's ranges; *newest* is
constraints-newest.txt; *latest* is whatever those ranges admit today. Each pair of a Python and a
kind gets an environment under _build/environments/. What is not there, or cannot be installed, is
skipped and said. Exit 1 if anything that ran has failed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

import environments as env

PYTHONS = ("3.11", "3.12", "3.13")
KINDS = ("oldest", "newest", "latest")
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


class Row(NamedTuple):
    """One line of the table."""

    python: str
    kind: str
    tests: str
    chapters: str
    seconds: float
    failed: bool
    notes: tuple[str, ...]


def interpreter(version: str) -> str | None:
    """The interpreter of that version on this machine: on the path, or one that pyenv keeps."""
    if version == HERE:
        return sys.executable
    found = shutil.which(f"python{version}")
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    for candidate in [found, *map(str, kept)]:
        # A shim of pyenv is on the path for versions that it then refuses to run.
        code = "import sys; print('%d.%d' % sys.version_info[:2])"
        if candidate:
            done = subprocess.run(
                [candidate, "-c", code], capture_output=True, text=True, check=False
            )
            if done.stdout.strip() == version:
                return candidate
    return None


def dependencies() -> dict[str, str]:
    """What pyproject.toml asks for, torch included: ``{"numpy": ">=2.1.3", …}``."""
    project = tomllib.loads((env.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["torch"]]
    found = (re.fullmatch(r"([\w-]+)(.*)", entry) for entry in listed)
    return {match[1]: match[2] for match in found if match}


def requirements(kind: str, without_torch: bool) -> Path:
    """The file that pip installs for one kind."""
    wanted = {
        name: spec
        for name, spec in dependencies().items()
        if not (without_torch and name == "torch")
    }
    lines = [f"{name}{spec}" for name, spec in wanted.items()]
    constraints = env.ROOT / f"constraints-{kind}.txt"
    if constraints.exists():
        lines.insert(0, f"-c {constraints}")
        lines += [
            line for line in ["setuptools"] if re.search(f"(?m)^{line}", constraints.read_text())
        ]
    tools = [line for line in env.tool_lines() if not (without_torch and "transformers" in line)]
    tools = [line for line in tools if not (without_torch and "torch" in line)]
    return env.write_requirements(
        kind + ("-without-torch" if without_torch else ""), [*lines, *tools]
    )


def environment(version: str, kind: str, without_torch: bool) -> tuple[str, str]:
    """Make the environment; returns its interpreter and a note on where it comes from."""
    if version == HERE and kind == "newest" and _is_newest(sys.executable):
        return sys.executable, "this environment holds the newest libraries already"
    python = interpreter(version)
    if python is None:
        raise env.NotMadeError(f"Python {version} is not on this machine")
    place = (
        env.BUILD / "environments" / f"{version}-{kind}{'-without-torch' if without_torch else ''}"
    )
    note = ""
    if version == HERE and kind == "oldest" and not without_torch:
        # Colab's versions are the oldest ones, and the explorers' tests need that one anyway.
        place = env.BUILD / "venv-colab"
        env.make(place, env.ROOT / "requirements-colab.txt", python)
        note = "the environment of requirements-colab.txt"
    return env.make(place, requirements(kind, without_torch), python), note


def _is_newest(python: str) -> bool:
    wanted = env.pins(env.ROOT / "constraints-newest.txt")
    code = "import sys; from importlib.metadata import version as v; "
    code += "print([v(name).split('+')[0] for name in sys.argv[1:]])"
    done = subprocess.run(
        [python, "-c", code, *wanted], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() == str(list(wanted.values()))


def try_out(version: str, kind: str, without_torch: bool) -> Row:
    """Tests and chapters of one environment."""
    begun = time.perf_counter()
    python, note = environment(version, kind, without_torch)
    logs = env.BUILD / "environments" / f"{version}-{kind}-logs"
    notes = [note] if note else []
    tests, tests_ok = run_tests(python, logs, notes)
    chapters, chapters_ok = run_chapters(python, logs, notes)
    seconds = time.perf_counter() - begun
    return Row(
        version, kind, tests, chapters, seconds, not (tests_ok and chapters_ok), tuple(notes)
    )


def run_tests(python: str, logs: Path, notes: list[str]) -> tuple[str, bool]:
    wanted = env.package_tests()
    present = env.modules_present(python, set().union(*wanted.values()))
    chosen = []
    for path, names in wanted.items():
        missing = sorted(names - present)
        if missing:
            notes.append(f"skipped {path.name}: no {', '.join(missing)}")
        else:
            chosen.append(str(path))
    options = ["-q", "-n", "2", "-p", "no:cacheprovider", "-m", "not slow and not browser"]
    ok, output = env.run([python, "-m", "pytest", *options, *chosen], logs / "tests.txt")
    last = (output.strip().splitlines() or ["no output"])[-1]
    summary = re.sub(r" in .*|=+", "", last).strip()
    return (
        (summary, ok) if ok else (_failed(notes, logs / "tests.txt", output, "FAILED|ERROR"), False)
    )


def run_chapters(python: str, logs: Path, notes: list[str]) -> tuple[str, bool]:
    held, count, ok = 0, 0, True
    for path in sorted((env.ROOT / "notebooks").glob("*.ipynb")):
        names = env.notebook_needs(path)
        missing = sorted(names - env.modules_present(python, names))
        if missing:
            notes.append(f"skipped {path.name}: no {', '.join(missing)}")
            continue
        count += 1
        log = logs / f"{path.stem}.txt"
        held_now, output = env.run([python, str(env.ROOT / "tools" / "check.py"), path.stem], log)
        held += held_now
        if not held_now:
            ok = False
            _failed(notes, log, output, r"  (?:sentence|stated|measured)|.*(?:Error|Warning)\b")
    return f"{held} of {count} hold", ok


def _failed(notes: list[str], log: Path, output: str, interesting: str) -> str:
    lines = [line for line in output.splitlines() if re.match(interesting, line)]
    notes += [f"FAILED, see {log.relative_to(env.ROOT)}", *(line.strip() for line in lines[:12])]
    return "FAILED"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", action="append", help="3.11, 3.12 …, or here; default: all")
    parser.add_argument("--kind", action="append", choices=KINDS, help="default: oldest and newest")
    parser.add_argument(
        "--without-torch",
        action="store_true",
        help="leave torch out, and the chapters that need it",
    )
    given = parser.parse_args(arguments)
    versions = [HERE if version == "here" else version for version in given.python or PYTHONS]
    kinds = given.kind or KINDS[:2]
    print(f"{'Python':6}  {'kind':7} {'seconds':>7}  {'package tests':32} chapters", flush=True)
    failed = ran = 0
    for version in versions:
        for kind in kinds:
            try:
                row = try_out(version, kind, given.without_torch)
            except env.NotMadeError as problem:
                lines = str(problem).splitlines()
                print(
                    f"{version:6}  {kind:7} skipped: {lines[0]}",
                    *lines[1:],
                    sep="\n        ",
                    flush=True,
                )
                continue
            ran, failed = ran + 1, failed + row.failed
            print(f"{row.python:6}  {row.kind:7} {row.seconds:7.0f}  {row.tests:32} {row.chapters}")
            print(
                *(f"        {note}" for note in row.notes),
                sep="\n",
                end="\n" if row.notes else "",
                flush=True,
            )
    skipped = len(versions) * len(kinds) - ran
    print(f"\n{ran - failed} of {ran} environments hold, {skipped} skipped.")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
