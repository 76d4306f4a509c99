"""What Lighthouse says of served pages: a part of `make bench`, for machines with Node and npm.

Lighthouse is a tool of the web, not of Python; it is installed once under _build/lighthouse, and
where that cannot be done the bench says so and goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path

VERSION = "12.2.3"
GOALS = {"performance": 90, "accessibility": 100, "best-practices": 95, "seo": 95}
RUNS = 3  # the middle one counts: on a shared machine the speed of one run wanders by some points


class NotMeasuredError(Exception):
    """Lighthouse cannot run on this machine. The message says why."""


def install(folder: Path) -> Path:
    """The lighthouse command, installed into the folder unless it is there."""
    program = folder / "node_modules" / ".bin" / "lighthouse"
    told = folder / "node_modules" / "lighthouse" / "package.json"
    if program.exists() and json.loads(told.read_text("utf-8"))["version"] == VERSION:
        return program
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise NotMeasuredError("Node and npm are not installed")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--prefix", str(folder), "--no-save", "--no-audit", "--no-fund"]
    done = subprocess.run(
        [*command, f"lighthouse@{VERSION}"], capture_output=True, text=True, check=False
    )
    if done.returncode or not program.exists():
        raise NotMeasuredError(
            f"npm could not install lighthouse {VERSION}: {done.stderr.strip()[-300:]}"
        )
    return program


def audit(program: Path, chromium: str, address: str) -> dict[str, int]:
    """Scores of one page as a phone sees it, 0 to 100 each: medians of a few runs."""
    found: dict[str, list[float]] = {name: [] for name in GOALS}
    command = [str(program), address, "--quiet", "--output=json", "--output-path=stdout"]
    command += [f"--only-categories={','.join(GOALS)}"]
    command += ["--chrome-flags=--headless=new --no-sandbox --disable-gpu"]
    for _ in range(RUNS):
        done = subprocess.run(
            command, env={**os.environ, "CHROME_PATH": chromium}, capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        if done.returncode:
            raise NotMeasuredError(
                f"Lighthouse failed: {(done.stderr or done.stdout).strip()[-300:]}"
            )
        for name, category in json.loads(done.stdout)["categories"].items():
            if category["score"] is None:
                raise NotMeasuredError(f"Lighthouse could not judge {name} of {address}")
            found[name].append(100 * category["score"])
    return {name: round(statistics.median(scores)) for name, scores in found.items()}


def report(folder: Path, chromium: str, address: str, pages: list[str]) -> dict[str, object]:
    """Print the scores of these pages beside the goals; returns them, or why there are none."""
    print(f"\nLighthouse {VERSION}, mobile, served compressed (median of {RUNS} runs)")
    try:
        program = install(folder)
        print(f"  {'':34}" + "".join(f"{name:>16}" for name in GOALS))
        scores = {}
        for page in pages:
            scores[page] = audit(program, chromium, f"{address}/{page}")
            marks = (
                f"{score}{' ' if score >= GOALS[name] else '*'}"
                for name, score in scores[page].items()
            )
            print(f"  {page:34}" + "".join(f"{mark:>16}" for mark in marks))
    except (NotMeasuredError, subprocess.TimeoutExpired) as reason:
        print(f"  not measured: {reason}")
        return {"not measured": str(reason)}
    print(f"  {'goal (* missed)':34}" + "".join(f"{goal:>15} " for goal in GOALS.values()))
    return dict(scores)


if __name__ == "__main__":
    form = argparse.RawDescriptionHelpFormatter
    argparse.ArgumentParser(description=__doc__, formatter_class=form).print_help()
