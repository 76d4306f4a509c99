"""The lab's pages and starter: their examples run and their links lead somewhere."""

from __future__ import annotations

import doctest
import math
import re
from pathlib import Path

import pytest
from lab_support import STYLES, loaded

import lesson_utils.lab
from lesson_utils.lab.fence import Limits
from lesson_utils.lab.reference import FUNCTIONS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "book" / "lab").glob("*.md"))
STARTER = Path(lesson_utils.lab.__file__).parent / "starter" / "rope.py"


def run_examples(text, name, names):
    """Run the >>> examples of a text; returns how many there were."""
    test = doctest.DocTestParser().get_doctest(text, dict(names), name, name, 0)
    result = doctest.DocTestRunner(verbose=False).run(test)
    assert result.failed == 0
    return result.attempted


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_the_pages_hold(page, style):
    """In every correct style: lists or tuples come back, and their last digits vary."""
    text = "\n".join(re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL))
    run_examples(text, page.name, {"math": math, **loaded(STYLES[style])})


@pytest.mark.parametrize("style", STYLES)
def test_every_function_has_an_example_that_holds(style):
    """The stubs' examples hold for a correct submission."""
    stubs = loaded(STARTER.read_text("utf-8"))
    right = {"math": math, **loaded(STYLES[style])}
    for functions in FUNCTIONS.values():
        for function in functions:
            assert run_examples(stubs[function].__doc__, function, right) >= 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_descriptions(page):
    text = page.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)", text) + re.findall(r"<(\.\./[^>]+)>`", text):
        assert (page.parent / target).exists(), target
    description = re.search(r'description: "(.*)"', text)[1]
    assert 80 <= len(description) <= 155
    for paragraph in text.split("\n\n"):
        if not paragraph.lstrip().startswith(("|", "```", "-", "<", ">", "1.")):
            assert len(paragraph.split()) <= 120, paragraph


def test_the_limits_are_as_stated():
    """The grader's page names each of them."""
    page, limits = (ROOT / "book" / "lab" / "grader.md").read_text("utf-8"), Limits()
    for words in (
        f"A stage may take {limits.stage:g} seconds",
        f"loading your file may take {limits.load:g} more",
        f"{limits.memory >> 20} MiB of memory",
        f"{limits.processor} seconds of processor time",
    ):
        assert words in page, words


def test_every_stage_has_its_five_parts():
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    stages = re.split(r"^## Stage ", text, flags=re.MULTILINE)[1:]
    assert sorted(int(stage[0]) for stage in stages) == list(range(1, 9))
    for stage in stages:
        for part in (
            "**Why.**",
            "**Contract.**",
            "**By hand.**",
            "<summary>Hint</summary>",
            "**Check.**",
        ):
            assert part in stage, (stage[0], part)
        for function in FUNCTIONS[int(stage[0])]:
            assert f"`{function}(" in stage
