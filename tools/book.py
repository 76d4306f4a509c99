"""Build the book strictly and say how it went: `make book`.

Jupyter Book does the work (plain ``jupyter-book build .`` makes the same pages); this adds the
flags that turn a warning into a failure, and an ending that a reader can use.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build(source: Path, output: Path, *, quiet: bool = False) -> int:
    """Run Jupyter Book on ``source`` into ``output/_build``; returns its exit code."""
    run = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", run, "build", str(source)]
    command += ["-W", "-n", "--keep-going", "--path-output", str(output)]
    return subprocess.run(command + (["-q"] if quiet else []), check=False).returncode


def summary(output: Path) -> str:
    """How long each chapter took when it was last executed, and the page to open."""
    built = output / "_build"
    chapters = json.loads((built / "execution.json").read_text())
    lines = ["", "Seconds each chapter took to execute:"]
    for name, chapter in chapters.items():
        source = "" if chapter["executed_now"] else "  (from the cache)"
        lines.append(f"  {chapter['seconds']:7.1f}  {name}{source}")
    return "\n".join([*lines, "", f"The book is built. Open {built / 'html' / 'index.html'}"])


def not_writable(folder: Path) -> str:
    """Why nothing can be built into this folder, or nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return (
            f"{folder} cannot be written ({error.strerror}), so the book cannot be built there.\n"
            "Name another place:  make book VENV=~/book-venv BUILD=~/book-build"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT, help="folder that gets _build/")
    parser.add_argument("--quiet", action="store_true", help="show warnings only")
    arguments = parser.parse_args()
    output = arguments.output.expanduser().resolve()
    if problem := not_writable(output / "_build"):
        print(problem, file=sys.stderr)
        return 1
    code = build(ROOT, output, quiet=arguments.quiet)
    if code:
        print(
            "\nThe book was NOT built: see the warnings above. It stays so until they are mended."
        )
        return code
    print(summary(output))
    return 0


if __name__ == "__main__":
    sys.exit(main())
