"""What the README says of the chapters is so."""

from __future__ import annotations

import re
from pathlib import Path

from support.notebooks import NOTEBOOKS, read, sources

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
ROWS = [
    [c.strip() for c in r.strip("|").split("|")] for r in README.splitlines() if "](notebooks/" in r
]


def test_every_notebook_has_its_row() -> None:
    linked = [name for row in ROWS for name in re.findall(r"\((notebooks/[^)]+)\)", row[1])]
    assert linked == [p.relative_to(ROOT).as_posix() for p in NOTEBOOKS]


def test_explorers_and_exercises_are_counted_right() -> None:
    for row, path in zip(ROWS, NOTEBOOKS, strict=True):
        notebook = read(path)
        code = "\n".join(text for _, text in sources(notebook, "code"))
        used = re.findall(r"^from lesson_utils\.explorers import (\w+)", code, flags=re.M)
        built = sorted(set(used))
        assert sorted(re.findall(r"`([\w-]+)`", row[2])) == [n.replace("_", "-") for n in built]
        text = "\n".join(text for _, text in sources(notebook, "markdown"))
        exercises = len(re.findall(r"^### Exercise", text, flags=re.M))
        if exercises:
            assert row[3] == str(exercises), path.name


def test_the_example_is_the_start_pages() -> None:
    example = re.search(r"```text\n(.*?)```", README, flags=re.S)
    assert example
    assert example[1] in (ROOT / "book" / "intro.md").read_text("utf-8")


def test_files_it_names_exist() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
