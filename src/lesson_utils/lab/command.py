"""How the lab was started, as words that start it again."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys


def program() -> list[str]:
    """The words before ``check``: the interpreter, then ``-m`` and a package, or a folder."""
    if __package__ == "lesson_lab":  # the name __main__ gives to a folder started by its path
        return [interpreter(), sys.argv[0]]
    return [interpreter(), "-m", str(__package__)]


def interpreter() -> str:
    """This Python by its short name if the name alone finds it, else by its path."""
    path = sys.executable or "python"
    name = os.path.basename(path)
    found = shutil.which(name)
    if found and os.path.normcase(found) == os.path.normcase(path):
        return name[:-4] if name.lower().endswith(".exe") else name
    here = os.path.join(os.getcwd(), "")
    below = path[len(here) :] if path.startswith(here) else ""
    return below if os.sep in below else path  # a bare file name would be looked for on PATH


def line(words: list[str]) -> str:
    """The words as a line that a terminal takes."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
