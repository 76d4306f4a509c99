"""The prose pages: one voice, one spelling, short paragraphs, a description for search engines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.notebooks import NOTEBOOKS, read, sources

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "book").rglob("*.md"))
TEXTS = [*PAGES, *NOTEBOOKS]

# American spellings of words this book uses, each beside the British one. (-ise and -ize are both
# British; we write -ise.)
AMERICAN = {
    "color": "colour", "colors": "colours", "colored": "coloured", "neighbor": "neighbour",
    "neighbors": "neighbours", "center": "centre", "centered": "centred", "behavior": "behaviour",
    "favor": "favour", "gray": "grey", "labeled": "labelled", "modeling": "modelling",
    "normalize": "normalise", "normalized": "normalised", "generalize": "generalise",
    "recognize": "recognise", "summarize": "summarise", "analyze": "analyse",
}  # fmt: skip


def markdown_of(path: Path) -> str:
    return "\n\n".join(text for _, text in sources(read(path), "markdown"))


def prose(path: Path) -> str:
    """The text of a page without code, links' targets, markup and names spelled as they are."""
    text = markdown_of(path) if path.suffix == ".ipynb" else path.read_text("utf-8")
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^(```|~~~|:::).*?^\1\s*$", "", text, flags=re.S | re.M)
    text = re.sub(r"`[^`]*`", "", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"<[^>]*>", "", text)
    return re.sub(r"Gray code", "", text)  # Frank Gray's


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.name)
def test_british_spelling(path: Path) -> None:
    words = set(re.findall(r"[a-z]+", prose(path).lower()))
    assert {word: AMERICAN[word] for word in words & AMERICAN.keys()} == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_paragraphs_are_short(path: Path) -> None:
    paragraphs = [p for p in re.split(r"\n\s*\n", prose(path)) if not p.lstrip().startswith("|")]
    items = [i for p in paragraphs for i in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", p)]
    long = {len(i.split()): i.strip()[:60] for i in items if len(i.split()) > 120}
    assert long == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_pages_describe_themselves(path: Path) -> None:
    text = path.read_text("utf-8")
    description = re.search(r'^\s*description:\s*"([^"]+)"', text, flags=re.M)
    assert description, "say in front matter (myst.html_meta.description) what the page offers"
    assert 60 <= len(description[1]) <= 170, len(description[1])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_chapters_say_how_long_they_take(path: Path) -> None:
    """The stated reading time is right within a factor of two at 200 words a minute."""
    text = markdown_of(path)
    stated = re.search(r"About (\d+) minutes", text)
    assert stated
    minutes = len(text.split()) / 200
    assert minutes / 2 <= int(stated[1]) <= 5 * minutes, minutes


@pytest.mark.parametrize("path", [ROOT / "book" / "intro.md", *NOTEBOOKS], ids=lambda p: p.name)
def test_goals_are_whole_sentences(path: Path) -> None:
    """What a reader will be able to do is told in one style everywhere."""
    text = markdown_of(path) if path.suffix == ".ipynb" else path.read_text("utf-8")
    goals = text.split("## What you will be able to do\n")[1].split("\n#")[0]
    items = re.findall(r"(?m)^- (.+)$", goals)
    assert len(items) > 3
    assert [item for item in items if not re.fullmatch(r"[A-Z].*\.", item)] == []


def test_the_rules_can_fail() -> None:
    assert "neighbor" in AMERICAN
    assert set(re.findall(r"[a-z]+", "The neighbor's color".lower())) & AMERICAN.keys() == {
        "neighbor", "color",
    }  # fmt: skip
