"""The submissions in a folder: a file each, or a folder each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from .check import read_source
from .process import CannotRun


@dataclass(frozen=True)
class Submission:
    """A name for the report, the file to try (None when a folder holds none), and a fingerprint."""

    name: str
    file: Optional[Path]
    problem: str = ""
    fingerprint: str = ""


def submissions(folder: Path) -> list[Submission]:
    """Every submission in a folder, by name. Hidden names and __pycache__ are no submissions."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise CannotRun(f"{folder} cannot be listed: {error.strerror}") from None
    found = []
    for entry in entries:
        if entry.name.startswith((".", "__")):
            continue
        if entry.is_dir():
            found.append(_in_folder(entry))
        elif entry.suffix == ".py":
            found.append(_with_fingerprint(entry.name, entry))
    if not found:
        raise CannotRun(f"{folder} holds no submissions: neither .py files nor folders")
    return found


def _in_folder(folder: Path) -> Submission:
    """A folder's rope.py, or else its only .py file, possibly one folder further down."""
    for pattern in ("rope.py", "*.py", "*/rope.py", "*/*.py"):
        files = [f for f in sorted(folder.glob(pattern)) if not f.name.startswith((".", "__"))]
        if len(files) == 1:
            return _with_fingerprint(folder.name, files[0])
        if files:
            return Submission(folder.name, None, f"{len(files)} .py files, none of them rope.py")
    return Submission(folder.name, None, "no rope.py in this folder")


def _with_fingerprint(name: str, file: Path) -> Submission:
    try:
        digest = hashlib.sha256(read_source(file)).hexdigest()[:12]
    except CannotRun as problem:
        return Submission(name, None, str(problem))
    return Submission(name, file, "", digest)
