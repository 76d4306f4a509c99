"""axe-core on every page: light and dark, wide and phone, with every unfolding part open."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest

from support.browser import open_page

from .test_pages import PAGES, scroll_through

pytestmark = [pytest.mark.browser, pytest.mark.slow]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


# Colours have faded in, and the theme's script has made focusable what scrolls at this width.
SETTLED = """() => document.getAnimations().every((a) => a.playState !== "running")
  && [...document.querySelectorAll("pre, .cell_output > .output, .pst-scrollable-table-container")]
    .every((box) => (box.tabIndex === 0)
      === (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight))"""


def violations(page: Any) -> list[str]:
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [f"{v['id']}, {len(v['nodes'])} times: {v['nodes'][0]['html'][:150]}" for v in found]


@pytest.mark.parametrize("name", [*PAGES, "search.html", "404.html"])
def test_axe_finds_nothing(browser: Any, served: str, name: str) -> None:
    page, _, _ = open_page(browser)
    page.goto(served + name)
    page.set_viewport_size({"width": 1280, "height": 800})
    scroll_through(page)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    page.evaluate(AXE)
    found = {}
    for theme in ("light", "dark"):
        for width in (1280, 360):
            page.evaluate("theme => document.documentElement.dataset.theme = theme", theme)
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
            page.wait_for_function(SETTLED)
            found[f"{theme} {width}"] = violations(page)
    assert {view: some for view, some in found.items() if some} == {}
    page.context.close()


def test_axe_can_find(browser: Any, served: str) -> None:
    """The silence above means something."""
    page, _, _ = open_page(browser)
    page.goto(served + PAGES[0])
    page.evaluate(
        "document.querySelector('article').insertAdjacentHTML('beforeend', '<img src=\"\">')"
    )
    page.evaluate(AXE)
    assert any("image-alt" in some for some in violations(page))
    page.context.close()


def test_every_figure_has_words(built_book: Path) -> None:
    for name in PAGES:
        text = (built_book / name).read_text("utf-8")
        for figure in re.findall(r'<figure class="lesson-figure">(<svg[^>]*>)', text):
            label = re.search(r'aria-label="([^"]*)"', figure)
            assert label, (name, figure[:80])
            assert len(label[1]) > 30, (name, label[1])
        for image in re.findall(r"<img [^>]*>", re.sub(r"<nav.*?</nav>", "", text, flags=re.S)):
            assert "alt=" in image, (name, image)


@pytest.mark.parametrize("width", [1280, 360])
def test_keyboard_reaches_what_moves_and_shows_where_it_is(
    browser: Any, served: str, width: int
) -> None:
    page, _, _ = open_page(browser, viewport={"width": width, "height": 800})
    page.goto(served + "notebooks/05-rotary.html")
    scroll_through(page)
    reached: set[str] = set()
    for selector in ("input[name=start]", ".explorer-play", ".explorer-link", "summary", "select"):
        control = page.locator(f"article {selector}").first
        control.evaluate("node => node.focus({ focusVisible: true })")
        outline = control.evaluate("node => getComputedStyle(node).outlineStyle")
        if outline != "none":
            reached.add(selector)
    assert reached == {"input[name=start]", ".explorer-play", ".explorer-link", "summary", "select"}
    # So does every other stop of the Tab key, from the top of the page: links, menus, boxes.
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    kinds: set[str] = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        kind, outline, width_of_it, shown = page.evaluate(
            """() => {
                 const here = document.activeElement, style = getComputedStyle(here);
                 return [here.localName, style.outlineStyle, parseFloat(style.outlineWidth),
                   here.checkVisibility({ visibilityProperty: true, opacityProperty: true })] }"""
        )
        assert (outline, width_of_it >= 2, shown) == ("solid", True, True), kind
        kinds.add(kind)
    assert kinds >= {"a", "button", "pre", "div"}
    page.locator("article details summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("article details").first.get_attribute("open") is not None
    page.context.close()
