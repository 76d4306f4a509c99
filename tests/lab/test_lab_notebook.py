"""The lab's notebook runs from top to bottom: as it is stored, and with every stage filled in."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import nbformat
import pytest
from lab_support import LOOPS
from nbclient import NotebookClient

from lesson_utils.lab.reference import FUNCTIONS

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "notebooks" / "lab-rope.ipynb"


def executed(notebook):
    """The text that each code cell printed, by the cell's name."""
    where = {"metadata": {"path": str(NOTEBOOK.parent)}}
    before = sorted(NOTEBOOK.parent.iterdir())
    NotebookClient(notebook, timeout=120, resources=where).execute()
    assert sorted(NOTEBOOK.parent.iterdir()) == before, "files were left beside the notebook"
    return {
        cell.id: "".join(output.get("text", "") for output in cell.outputs)
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


@pytest.fixture
def notebook(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src")]))
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.mark.slow
def test_with_the_stubs_it_shows_what_is_to_be_done(notebook):
    text = executed(notebook)
    assert "FAIL  stage 1" in text["guess-check"]
    assert "probably  all speeds are 1" in text["guess-check"]
    assert re.search(r"again     check\(1, seed=\d+\)\n", text["guess-check"])
    for stage in FUNCTIONS:
        assert text[f"check-{stage}"].startswith(f"todo  stage {stage}")
    assert "0 of 8 stages pass" in text["check-all"]


@pytest.mark.slow
def test_the_again_line_and_the_call_can_be_run_in_a_cell(notebook):
    """As the notebook says below its first look at the grader; the seed repeats a check."""
    first = [cell.id for cell in notebook.cells].index("guess-check")
    notebook.cells = notebook.cells[: first + 1]
    for name, source in (
        ("again", "check(1, seed=5)"),
        ("once-more", "check(1, seed=5)"),
        ("all", "check(seed=5)"),
        ("call", "%run rope.py\nprint(pair_speeds(6))"),
    ):
        notebook.cells.append(nbformat.v4.new_code_cell(source, id=name))
    text = executed(notebook)
    repeated = [re.sub(r", [\d.]+ s", "", text[name]) for name in ("again", "once-more")]
    assert repeated[0] == repeated[1]
    for line in (
        "call      pair_speeds(6)",
        "got       [1.0, 1.0, 1.0]",
        "again     check(1, seed=5)",
    ):
        assert line in repeated[0]
    assert "of 8 stages pass (seed 5" in text["all"]
    assert text["call"] == "[1.0, 1.0, 1.0]\n"


@pytest.mark.slow
def test_filled_in_it_passes(notebook):
    tree = ast.parse(LOOPS)
    sources = {f.name: ast.unparse(f) for f in tree.body if isinstance(f, ast.FunctionDef)}
    for cell in notebook.cells:
        for stage, functions in FUNCTIONS.items():
            if cell.id == f"write-{stage}":
                assert all(f"def {function}(" in cell.source for function in functions)
                body = "\n\n".join(["import math", *(sources[f] for f in functions)])
                cell.source = f"%%writefile stage_{stage}.py\n{body}\n"
    assert "8 of 8 stages pass" in executed(notebook)["check-all"]
