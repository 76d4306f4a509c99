"""What a reader does with the book besides reading: arrive, search, leaf, print."""

from __future__ import annotations

import gzip
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from support.browser import open_page

from .test_pages import PAGES

pytestmark = pytest.mark.browser
CHAPTERS = [name for name in PAGES if name.startswith("notebooks/0")]


# ── arriving ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", [*PAGES, "index.html", "search.html", "404.html"])
def test_the_first_view_waits_for_one_style_sheet_and_no_script(
    built_book: Path, name: str
) -> None:
    text = (built_book / name).read_text("utf-8")
    sheets = re.findall(r'<link[^>]*rel="stylesheet"[^>]*href="([^"]*)"', text)
    assert len(sheets) == 1, sheets
    scripts = re.findall(r"<script[^>]*\bsrc=[^>]*>", text)
    assert len(scripts) > 5
    assert [script for script in scripts if " defer" not in script] == []


def test_the_style_sheet_holds_all_of_its_parts_and_finds_its_files(built_book: Path) -> None:
    (path,) = (built_book / "_static").glob("lesson-????????.css")
    css = path.read_text("utf-8")
    parts = css.splitlines()[0].strip("/* ").split()
    assert len(parts) > 8
    assert "@import" not in css
    used = {
        name
        for page in PAGES
        for names in re.findall(r'class="([^"]*)"', (built_book / page).read_text("utf-8"))
        for name in names.split()
    }
    for part in parts:
        rules = re.findall(r"(?<=\.)[a-z][\w-]+(?=\s*\{)", (built_book / part).read_text("utf-8"))
        assert [rule for rule in rules if rule in used and f".{rule}" not in css] == [], part
    files = [
        target
        for target in re.findall(r"url\(\s*[\"']?([^\"')]+)", css)
        if not target.startswith(("data:", "#"))
    ]
    assert any("lesson-math" in target for target in files)
    missing = [
        target for target in files if not (path.parent / unquote(urlsplit(target).path)).is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_first_view_moves_little(browser: Any, served: str, built_book: Path, name: str) -> None:
    """At most 1 MB compressed before an explorer is reached; and no icon font."""
    page, _, _ = open_page(browser, viewport={"width": 1280, "height": 800})
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.split("?")[0]))
    page.goto(served + name, wait_until="networkidle")
    files = [each.removeprefix(served) for each in asked if each.startswith(served)]
    assert name in files
    fonts = [each for each in files if "font" in each or each.endswith((".woff2", ".ttf"))]
    assert fonts == ["_static/lesson-math.woff2"]
    assert sum(len(gzip.compress((built_book / each).read_bytes(), 6)) for each in files) < 1e6
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_known_before_anything_is_shown(browser: Any, served: str, theme: str) -> None:
    page, _, _ = open_page(browser, color_scheme=theme)
    page.route("**/*.js*", lambda route: route.abort())  # no script but the page's own
    page.goto(served + CHAPTERS[0])
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", dark)[:3])) < 200) is (theme == "dark")
    page.context.close()


def test_a_choice_of_theme_is_kept(browser: Any, served: str) -> None:
    page, _, errors = open_page(browser, color_scheme="light")
    page.goto(served + CHAPTERS[0])
    while page.evaluate("document.documentElement.dataset.mode") != "dark":
        page.locator(".theme-switch-button").first.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.goto(served + CHAPTERS[1])
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert errors == []
    page.context.close()


# ── finding ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "page_found"),
    [
        ("permutation", "notebooks/01-integer-position.html"),
        ("rotate_half", "book/symbols.html"),
        ("grader tolerance", "book/lab/grader.html"),
    ],
)
def test_search_finds_offline(browser: Any, base: str, words: str, page_found: str) -> None:
    page, away, errors = open_page(browser, viewport={"width": 1280, "height": 800})
    page.goto(base + CHAPTERS[2])
    page.locator("button[aria-label=Search]:visible").first.click()
    page.locator("input[name=q]:visible").first.fill(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    found = page.locator(f"#search-results a[href*='{page_found}']").first
    found.wait_for()
    found.click()
    page.wait_for_url(f"**/{page_found}*")
    assert words.split()[0] in page.locator("article").inner_text().lower()
    assert (away, errors) == ([], [])
    page.context.close()


def test_the_search_box_hides_no_word(browser: Any, served: str) -> None:
    """The magnifying glass stands in the box, before the words and not on them."""
    page, _, _ = open_page(browser, viewport={"width": 1280, "height": 800})
    page.goto(served + "search.html")
    boxes = page.locator("form.bd-search:visible")
    assert boxes.count() == 1
    glass = boxes.locator(".fa-magnifying-glass").bounding_box()
    inside = boxes.locator("input").evaluate(
        "box => box.getBoundingClientRect().left + parseFloat(getComputedStyle(box).paddingLeft)"
    )
    assert glass["x"] + glass["width"] < inside
    page.context.close()


def test_search_says_when_there_is_nothing(browser: Any, base: str) -> None:
    page, away, errors = open_page(browser)
    page.goto(base + "search.html?q=zyzzyva")
    page.get_by_text("did not match any documents").wait_for()
    assert (away, errors) == ([], [])
    page.context.close()


def test_pages_lead_on_and_back(built_book: Path) -> None:
    """From the start page to the last by "next", and the same way back by "previous"."""
    for way, order in (("right-next", PAGES), ("left-prev", PAGES[::-1])):
        for name, following in pairwise(order):
            text = (built_book / name).read_text("utf-8")
            (link,) = re.findall(rf'<a class="{way}"[^>]*?href="([^"]*)"', text, flags=re.S)
            assert (built_book / name).parent.joinpath(link).resolve() == built_book / following
        assert way not in (built_book / order[-1]).read_text("utf-8")


def test_every_heading_has_an_anchor(built_book: Path) -> None:
    for name in PAGES:
        article = re.sub(
            r"<script.*?</script>", "", (built_book / name).read_text("utf-8"), flags=re.S
        ).partition("<article")[2]
        headings = re.findall(r"<h[1-4][^>]*>.*?</h[1-4]>", article, flags=re.S)
        assert headings, name
        assert [h for h in headings if 'class="headerlink" href="#' not in h] == [], name


# ── printing ──────────────────────────────────────────────────────────────────────────────────


def test_a_chapter_on_paper(browser: Any, served: str) -> None:
    page, _, errors = open_page(browser, viewport={"width": 1000, "height": 1400})
    page.goto(served + "notebooks/05-rotary.html")
    figure = page.locator("figure[data-explorer=score-drift]")
    page.route("**/plotly.min.js", lambda _route: None)  # printing does not wait for it
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = "nodes => nodes.filter(n => n.checkVisibility()).length"
    for unwanted in (
        ".bd-sidebar-primary", ".bd-header-article", ".explorer-controls", ".copybtn",
        ".headerlink", "details:not([open])", ".prev-next-area",
    ):  # fmt: skip
        assert page.locator(unwanted).count() > 0, unwanted
        assert page.locator(unwanted).evaluate_all(shown) == 0, unwanted
    assert page.locator(".h1:visible").count() == 1
    # The chart was never near, so its values stand in a table.
    assert figure.locator(".main-svg").count() == 0
    assert figure.locator(".explorer-table tr:visible").count() == 4
    # No frame stays behind on a page without what it frames.
    styles = page.locator(".cell_input").evaluate_all(
        "ns => ns.map(n => getComputedStyle(n)).map(s => [s.display, s.breakInside].join())"
    )
    assert set(styles) == {"block,avoid"}
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert figure.locator(".explorer-table").get_attribute("open") is None
    assert errors == []
    page.context.close()
