"""The start page: its example prints what the page says, and its links lead to chapters."""

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INTRO = ROOT / "book" / "intro.md"
CHAPTERS = (
    "01-integer-position",
    "02-sinusoidal",
    "03-shift-as-rotation",
    "04-learned-positions",
    "05-rotary",
)


def text() -> str:
    return INTRO.read_text(encoding="utf-8")


def blocks(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page as (language, content)."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, flags=re.M | re.S)


def printed(code: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(INTRO), "exec"), {"__name__": "intro"})
    return out.getvalue()


def test_the_example_prints_what_the_page_shows() -> None:
    (language, code), (shown_as, shown), *_ = blocks(text())
    assert (language, shown_as) == ("python", "text")
    assert printed(code) == shown


def test_the_comparison_would_notice_another_result() -> None:
    (_, code), (_, shown), *_ = blocks(text())
    assert printed(code.replace("default_rng(0)", "default_rng(1)")) != shown
    assert printed(code.replace("start + 2)", "start + 3)")) != shown


def test_the_example_comes_early_and_is_short() -> None:
    before, (_, code) = text().split("```python")[0], blocks(text())[0]
    assert "\n## " not in before, "the example belongs before the first section"
    assert len(before.split()) < 250
    assert len(code.splitlines()) <= 12


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_arc_links_every_chapter_once(name: str) -> None:
    assert text().count(f"](../notebooks/{name}.ipynb)") == 1


def test_no_link_to_a_file_leads_nowhere() -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", text())
    missing = [target for target in targets if not (INTRO.parent / target).exists()]
    assert not missing, f"links that lead nowhere: {missing}"
