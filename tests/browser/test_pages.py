"""Every page of the built book, served and from the disk: nothing leaves, nothing fails."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml

from support.browser import open_page

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.browser


def toc_pages() -> list[str]:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())

    def files(node: Any) -> list[str]:
        if isinstance(node, list):
            return [f for item in node for f in files(item)]
        if isinstance(node, dict):
            own = [node["file"]] if "file" in node else []
            return own + [
                f for key in ("parts", "chapters", "sections") for f in files(node.get(key))
            ]
        return []

    return [toc["root"], *files(toc)]


PAGES = [f"{name}.html" for name in toc_pages()]


def scroll_through(page: Any) -> None:
    """Go past every part of the page, so that what waits for the reader's approach has happened."""
    page.evaluate(
        """async () => {
             for (let y = 0; y < document.body.scrollHeight; y += 500) {
               scrollTo(0, y); await new Promise(r => setTimeout(r, 30)) }
             scrollTo(0, 0) }"""
    )
    page.wait_for_function(
        """() => [...document.querySelectorAll('.explorer-chart')]
             .every(chart => chart.querySelector('.main-svg'))"""
    )


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("name", ["index.html", *PAGES, "search.html"])
def test_page_asks_nobody_and_fits(browser: Any, base: str, name: str, width: int) -> None:
    page, away, errors = open_page(browser, viewport={"width": width, "height": 800})
    page.goto(base + name)
    scroll_through(page)
    assert away == []
    assert errors == []
    sideways = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert sideways == 0
    page.context.close()


@pytest.mark.parametrize("width", [1280, 360])
def test_404_works_where_a_server_shows_it(browser: Any, served: str, width: int) -> None:
    # Its links start at the site's root: a server shows it at any depth. So no file:// here.
    page, away, errors = open_page(browser, viewport={"width": width, "height": 800})
    page.goto(served + "404.html")
    assert page.locator("h1").count() == 1
    assert (away, errors) == ([], [])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_the_address_of_the_book_is_its_start_page(browser: Any, base: str) -> None:
    page, away, errors = open_page(browser, viewport={"width": 1280, "height": 800})
    page.goto(base + "index.html")
    assert page.locator("h1").first.inner_text().startswith("From Integers to Rotations")
    page.locator("article table a").first.click()
    page.wait_for_url("**/notebooks/01-integer-position.html")
    page.goto(base + "index.html")
    page.locator("nav.bd-toc-nav a, .page-toc a").first.click()
    page.wait_for_url("**/book/intro.html#*")
    assert (away, errors) == ([], [])
    page.context.close()


def test_the_counters_can_count(browser: Any, base: str) -> None:
    """The zeroes above mean something: a page that asks and fails is noticed."""
    page, away, errors = open_page(browser)
    page.goto(base + PAGES[0])
    with page.expect_console_message(lambda line: line.text == "failed"):
        page.evaluate("fetch('https://example.org/x').catch(() => console.error('failed'))")
    assert away == ["https://example.org/x"]
    assert any("failed" in error for error in errors)
    page.context.close()


def test_every_page_of_the_contents_exists(built_book: Path) -> None:
    missing = [name for name in PAGES if not (built_book / name).is_file()]
    assert missing == []


def written(built_book: Path) -> dict[str, str]:
    return {
        p.relative_to(built_book).as_posix(): p.read_text("utf-8")
        for p in built_book.rglob("*.html")
        if "_static" not in p.parts
    }


def test_links_inside_the_book_lead_somewhere(built_book: Path) -> None:
    pages = written(built_book)
    ids = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    explorers = {n: set(re.findall(r'data-explorer="([^"]+)"', t)) for n, t in pages.items()}
    broken = []
    for name, text in pages.items():
        if name in {"404.html", "index.html"}:  # links for any depth; a copy with another base
            continue
        for raw in re.findall(r'(?:href|src)="([^"]*)"', text):
            link = urlsplit(html.unescape(raw))
            if link.scheme or link.netloc or raw in {"", "#"}:
                continue
            target = (
                (built_book / name).parent / unquote(link.path) if link.path else built_book / name
            )
            if not target.exists():
                broken.append((name, raw))
                continue
            key = target.resolve().relative_to(built_book.resolve()).as_posix()
            fragment = unquote(link.fragment)
            if fragment and key in ids:
                known = ids[key] | explorers[key]
                if fragment.split("?")[0] not in known:
                    broken.append((name, raw))
    assert broken == []


def test_formulas_are_set_and_their_signs_are_in_the_font(built_book: Path) -> None:
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO((built_book / "_static" / "lesson-math.woff2").read_bytes()))
    drawn = set(font.getBestCmap())
    signs: set[str] = set()
    for name, text in written(built_book).items():
        assert "MathJax" not in text, name
        for formula in re.findall(r"<math.*?</math>", text, flags=re.S):
            signs |= set(html.unescape(re.sub(r"<[^>]+>", "", formula)))
    assert len(signs) > 50  # the book is full of formulas
    invisible = {chr(c) for c in range(0x2060, 0x2065)} | {"\n", "\t"}
    # A browser turns a single letter in <mi> into its mathematical italic.
    assert sorted(s for s in signs - invisible if ord(s) not in drawn) == []
    assert "MATH" in font  # without its table no bracket would stretch


def test_every_icon_is_drawn(built_book: Path) -> None:
    css = (built_book / "_static" / "lesson-icons.css").read_text()
    rules = set(re.findall(r"\.fa-([\w-]+)\{", css))
    used = {
        name
        for text in written(built_book).values()
        for classes in re.findall(r'class="([^"]*\bfa-[^"]*)"', text)
        for name in re.findall(r"\bfa-([\w-]+)", classes)
    } - {"solid", "brands", "regular", "lg", "fw", "2x"}
    assert used
    assert used <= rules


def test_nothing_of_a_widget_manager_is_shipped(built_book: Path) -> None:
    for name, text in written(built_book).items():
        for unwanted in (
            "widget-state+json",
            "html-manager",
            "require.js",
            "fontawesome.js",
            "cdn.",
        ):
            assert unwanted not in text, f"{unwanted} in {name}"


def test_explorer_names_are_unique_in_a_page(built_book: Path) -> None:
    for name, text in written(built_book).items():
        found = re.findall(r'data-explorer="([^"]+)"', text)
        assert len(found) == len(set(found)), name


def test_no_scroll_bar_hides_in_an_output(browser: Any, served: str) -> None:
    """What is wider than a phone scrolls in a box of its own, and the keyboard can scroll it."""
    page, _, _ = open_page(browser, viewport={"width": 360, "height": 800})
    for name in PAGES:
        page.goto(served + name)
        unreachable = page.evaluate(
            """() => [...document.querySelectorAll('.math-block')]
                 .filter(b => b.scrollWidth > b.clientWidth + 1 && b.tabIndex < 0).length"""
        )
        assert unreachable == 0, name
    page.context.close()


def test_labels_of_figures_can_be_read_on_a_phone(browser: Any, served: str) -> None:
    """A drawing shrinks to the screen, and its labels with it (exponents are smaller still)."""
    page, _, _ = open_page(browser, viewport={"width": 360, "height": 800})
    seen = 0
    for name in PAGES:
        page.goto(served + name)
        sizes = page.evaluate(
            """() => {
              for (const each of document.querySelectorAll("details")) each.open = true;
              return [...document.querySelectorAll("figure.lesson-figure > svg")].map((svg) => {
                const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
                const texts = [...svg.querySelectorAll("text")];
                const size = (text) => parseFloat(getComputedStyle(text).fontSize);
                return [svg.ariaLabel, scale * Math.min(...texts.map(size))];
              });
            }"""
        )
        assert [(name, label, size) for label, size in sizes if size < 9] == []
        seen += len(sizes)
    assert seen > 15
    page.context.close()


def test_no_page_is_heavy(built_book: Path) -> None:
    """At most 400 KB of HTML a page, explorers' data and all."""
    sizes = {name: len(text.encode()) for name, text in written(built_book).items()}
    assert {name: size for name, size in sizes.items() if size > 400_000} == {}


def test_only_links_that_were_written_are_links(built_book: Path) -> None:
    """A name such as rope.py must not become the address of a web site."""
    for name, text in written(built_book).items():
        assert re.findall(r'href="(http://[^"]*)"', text) == [], name
