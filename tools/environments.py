"""Environments other than .venv: make one, and run the chapters and the package's tests in it.

Used by `make matrix`, `make newest`, `make binder-check` and the tests of Colab's versions; run by
itself it only says so.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"

# What runs the chapters and the tests anywhere; their versions are those of requirements-test.txt.
TOOLS = (
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "mpmath",
    "rotary-embedding-torch",
    "x-transformers",
    "transformers",
)
RUNNERS = ("nbclient", "nbformat", "ipykernel")


class NotMadeError(RuntimeError):
    """An environment could not be made; the message says why."""


def pins(path: Path) -> dict[str, str]:
    """The exact versions that a requirements or constraints file names, by package."""
    lines = (line.split("#")[0].strip() for line in path.read_text("utf-8").splitlines())
    return dict(line.split("==", 1) for line in lines if "==" in line)


def make(place: Path, requirements: Path, python: str = sys.executable) -> str:
    """Bring the environment ``place`` up to ``requirements``; returns its interpreter."""
    done = subprocess.run(
        [python, str(ROOT / "tools" / "install.py"), str(requirements)],
        env={**os.environ, "VENV": str(place)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise NotMadeError((done.stdout + done.stderr).strip())
    return str(place / "bin" / "python")


def write_requirements(name: str, lines: Iterable[str]) -> Path:
    """Write a requirements file under _build/, where generated files belong."""
    path = BUILD / "environments" / f"requirements-{name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(lines) + "\n"
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
    return path


def tool_lines() -> list[str]:
    known = pins(ROOT / "requirements-test.txt")
    return [*RUNNERS, *(f"{name}=={known[name]}" for name in TOOLS)]


def modules_present(python: str, names: Iterable[str]) -> set[str]:
    """Which of these modules that interpreter can import."""
    code = (
        "import importlib.util, json, sys; "
        "print(json.dumps([n for n in sys.argv[1:] if importlib.util.find_spec(n)]))"
    )
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests")])
    done = subprocess.run(
        [python, "-c", code, *sorted(names)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(json.loads(done.stdout))


def imported(source: str) -> set[str]:
    """Dotted names of the modules that this source imports, wherever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def needs(source: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """Top-level modules needed by this source, through our own helpers of the tests too."""
    found: set[str] = set()
    for name in imported(source):
        head, *rest = name.split(".")
        found.add(head)
        helper = ROOT / "tests" / head / ("/".join(rest) + ".py")
        if head == "support" and rest and helper.exists() and name not in seen:
            found |= needs(helper.read_text("utf-8"), seen | {name})
    return found


def package_tests() -> dict[Path, set[str]]:
    """The test modules about lesson_utils itself, and the modules that each one needs."""
    all_needs = {
        path: needs(path.read_text("utf-8")) for path in sorted((ROOT / "tests").glob("test_*.py"))
    }
    return {path: names for path, names in all_needs.items() if "lesson_utils" in names}


def notebook_needs(path: Path) -> set[str]:
    """Top-level modules that a notebook imports."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    plain = re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", code)
    return {name.split(".")[0] for name in imported(plain)} - {"google"}


def run(command: list[str], log: Path) -> tuple[bool, str]:
    """Run a command with its output in a file; returns whether it succeeded, and the output."""
    log.parent.mkdir(parents=True, exist_ok=True)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    log.write_text(done.stdout, "utf-8")
    return done.returncode == 0, done.stdout


if __name__ == "__main__":
    form = argparse.RawDescriptionHelpFormatter
    argparse.ArgumentParser(description=__doc__, formatter_class=form).print_help()
