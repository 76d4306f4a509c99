"""The book's centrepiece, slid in a real browser by keyboard, mouse, touch, link and script."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.browser import frames, open_page

pytestmark = pytest.mark.browser
PAGE = "notebooks/05-rotary.html"
FIGURE = 'figure[data-explorer="score-drift"]'


def by_hand(start: int, gap: int, dim: int = 64, base: float = 10000.0) -> dict[str, float]:
    """Both scores from the formulas, with nothing of lesson_utils."""
    q, k = np.random.default_rng(0).normal(size=(2, dim))
    m, n = start, start + gap
    additive = rotary = 0.0
    for i in range(dim // 2):
        w = base ** (-2 * i / dim)
        a, b = q[2 * i] + math.sin(m * w), q[2 * i + 1] + math.cos(m * w)
        c, d = k[2 * i] + math.sin(n * w), k[2 * i + 1] + math.cos(n * w)
        additive += a * c + b * d
        z = complex(q[2 * i], q[2 * i + 1]).conjugate() * complex(k[2 * i], k[2 * i + 1])
        rotary += (z * complex(math.cos(gap * w), math.sin(gap * w))).real
    return {"additive": additive, "rotary": rotary}


@pytest.fixture
def page(browser: Any, base: str) -> Iterator[Any]:
    page, away, errors = open_page(browser, viewport={"width": 1100, "height": 900})
    page.goto(base + PAGE)
    page.locator(FIGURE).scroll_into_view_if_needed()
    page.wait_for_selector(f"{FIGURE} .main-svg")
    yield page
    assert away == []
    assert errors == []
    page.context.close()


def read(page: Any, name: str) -> float:
    return float(page.locator(f'{FIGURE} output[data-readout="{name}"]').text_content())


def values(page: Any) -> dict[str, float]:
    return dict(page.evaluate(f"document.querySelector('{FIGURE}').explorer.values"))


def put(page: Any, **some: float) -> None:
    page.evaluate(f"v => document.querySelector('{FIGURE}').explorer.values = v", some)


def slide_to(page: Any, name: str, value: float) -> None:
    """Move the native slider as a reader's drag would: set its index and let it speak."""
    page.evaluate(
        """([figure, name, value]) => {
             const el = document.querySelector(figure);
             const slider = el.querySelector(`input[name=${name}]`);
             const spec = JSON.parse(el.querySelector('.explorer-spec').textContent);
             slider.value = spec.params.find(p => p.name === name).values.indexOf(value);
             slider.dispatchEvent(new Event('input', { bubbles: true })) }""",
        [FIGURE, name, value],
    )


def test_the_additive_score_drifts_and_the_rotary_score_stays(page: Any) -> None:
    slide_to(page, "gap", 2)
    seen = []
    for start in (3, 10, 100, 4000):
        slide_to(page, "start", start)
        expected = by_hand(start, 2)
        assert read(page, "additive") == pytest.approx(expected["additive"], abs=5.1e-3)
        assert read(page, "rotary") == pytest.approx(expected["rotary"], abs=5.1e-4)
        seen.append((read(page, "additive"), read(page, "rotary")))
    additive, rotary = zip(*seen, strict=True)
    assert len(set(rotary)) == 1
    assert all(abs(a - b) > 1 for i, a in enumerate(additive) for b in additive[:i])


@pytest.mark.parametrize("gap", [1, 5, 64])
def test_the_gap_moves_both(page: Any, gap: int) -> None:
    slide_to(page, "gap", gap)
    slide_to(page, "start", 4096)
    expected = by_hand(4096, gap)
    assert read(page, "additive") == pytest.approx(expected["additive"], abs=5.1e-3)
    assert read(page, "rotary") == pytest.approx(expected["rotary"], abs=5.1e-4)


def test_the_chart_follows_the_slider(page: Any) -> None:
    def dot() -> float:
        return page.evaluate(
            f"""() => document.querySelector('{FIGURE} .explorer-chart').data
                 .find(t => t.key === 'additive-now').y[0]"""
        )

    for start in (0, 57, 4000):
        slide_to(page, "start", start)
        frames(page)
        assert dot() == pytest.approx(by_hand(start, 2)["additive"], abs=1e-4)


def test_keyboard(page: Any) -> None:
    slider = page.locator(f"{FIGURE} input[name=start]")
    slider.focus()
    page.keyboard.press("Home")
    assert values(page)["start"] == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert values(page)["start"] == 2
    page.keyboard.press("PageUp")
    beyond = values(page)["start"]
    assert beyond > 3  # a stride, not a step
    page.keyboard.press("PageDown")
    assert values(page)["start"] == 2
    page.keyboard.press("End")
    assert values(page)["start"] == 4096
    assert slider.get_attribute("aria-valuetext") == "4096"
    assert read(page, "additive") == pytest.approx(by_hand(4096, 2)["additive"], abs=5.1e-3)


def test_mouse(page: Any) -> None:
    box = page.locator(f"{FIGURE} input[name=start]").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 15, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, y, steps=5)
    page.mouse.up()
    here = values(page)
    assert here["start"] > 10
    assert read(page, "additive") == pytest.approx(
        by_hand(int(here["start"]), int(here["gap"]))["additive"], abs=5.1e-3
    )


def test_touch_slides_and_leaves_the_page_where_it_is(browser: Any, served: str) -> None:
    page, away, errors = open_page(
        browser, viewport={"width": 360, "height": 760}, has_touch=True, is_mobile=True
    )
    page.goto(served + PAGE)
    page.locator(f"{FIGURE} input[name=start]").scroll_into_view_if_needed()
    page.wait_for_selector(f"{FIGURE} .main-svg")
    frames(page)
    box = page.locator(f"{FIGURE} input[name=start]").bounding_box()
    before = page.evaluate("scrollY")
    session = page.context.new_cdp_session(page)
    y = box["y"] + box["height"] / 2

    def touch(kind: str, x: float | None) -> None:
        points = [] if x is None else [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", box["x"] + 14)
    for share in (0.2, 0.4, 0.6):
        touch("touchMove", box["x"] + share * box["width"])
    touch("touchEnd", None)
    page.wait_for_function(f"document.querySelector('{FIGURE}').explorer.values.start > 10")
    assert page.evaluate("scrollY") == before
    assert (away, errors) == ([], [])
    page.context.close()


def test_values_and_observe_from_a_script(page: Any) -> None:
    put(page, start=100)
    put(page, gap=5)
    assert values(page) == {"start": 100, "gap": 5}  # what is not named keeps its value
    heard = page.evaluate(
        f"""() => {{ const e = document.querySelector('{FIGURE}').explorer, heard = [];
              const stop = e.observe(v => heard.push(v.start));
              e.values = {{ start: 4000 }}; stop(); e.values = {{ start: 3 }}; return heard }}"""
    )
    assert heard == [4000]
    wrong = page.evaluate(
        f"""() => {{
              try {{ document.querySelector('{FIGURE}').explorer.values = {{ nonsense: 1 }} }}
              catch (error) {{ return error.message }} }}"""
    )
    assert "nonsense" in wrong
    assert "start" in wrong


def test_a_link_opens_with_its_values(browser: Any, base: str) -> None:
    page, away, errors = open_page(browser, viewport={"width": 1100, "height": 900})
    page.goto(f"{base}{PAGE}#score-drift?start=4000&gap=5")
    page.wait_for_selector(f"{FIGURE} .main-svg")
    assert values(page) == {"start": 4000, "gap": 5}
    box = page.locator(FIGURE).bounding_box()
    assert box["y"] < 900  # scrolled to
    assert box["y"] + box["height"] > 0
    page.evaluate("location.hash = '#score-drift?start=10'")
    page.wait_for_function(f"document.querySelector('{FIGURE}').explorer.values.start === 10")
    assert values(page) == {"start": 10, "gap": 5}
    page.evaluate("location.hash = '#score-drift?start=2000.4&unknown=1&gap=abc'")
    page.wait_for_function(f"document.querySelector('{FIGURE}').explorer.values.start !== 10")
    assert abs(values(page)["start"] - 2000.4) < 40  # the nearest position
    assert (away, errors) == ([], [])
    page.context.close()


def test_the_button_copies_that_link(browser: Any, served: str) -> None:
    page, _, _ = open_page(
        browser, viewport={"width": 1100, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )  # fmt: skip
    page.goto(served + PAGE)
    put(page, start=100, gap=3)
    page.locator(f"{FIGURE} .explorer-link").click()
    page.wait_for_function(
        f"document.querySelector('{FIGURE} .explorer-link').textContent !== 'Copy link'"
    )
    assert page.evaluate("navigator.clipboard.readText()") == (
        f"{served}{PAGE}#score-drift?start=100&gap=3"
    )
    page.context.close()


def test_play_walks_and_the_readers_move_stops_it(page: Any) -> None:
    slide_to(page, "start", 0)
    button = page.locator(f"{FIGURE} .explorer-play")
    button.click()
    page.wait_for_function(f"document.querySelector('{FIGURE}').explorer.values.start >= 3")
    assert button.get_attribute("aria-label").startswith("Pause")
    slide_to(page, "start", 100)
    page.wait_for_timeout(400)
    assert values(page)["start"] == 100
    assert button.get_attribute("aria-label").startswith("Play")


def test_theme_toggle_repaints_at_once(page: Any) -> None:
    def colours() -> list[str]:
        return page.evaluate(
            f"""() => {{ const f = document.querySelector('{FIGURE}');
                  const trace = f.querySelector('.explorer-chart').data.find(t => t.key === 'flat');
                  const body = f.querySelector('.explorer-body');
                  return [trace.line.color, getComputedStyle(body).backgroundColor] }}"""
        )

    page.evaluate("document.documentElement.dataset.theme = 'light'")
    frames(page)
    light = colours()
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    frames(page)
    dark = colours()
    assert light[0] != dark[0]
    assert light[1] != dark[1]


def test_words_for_those_who_do_not_see_the_chart(page: Any) -> None:
    chart = page.locator(f"{FIGURE} .explorer-chart")
    assert chart.get_attribute("role") == "img"
    assert len(chart.get_attribute("aria-label")) > 40
    slide_to(page, "start", 10)
    cells = page.locator(f"{FIGURE} .explorer-table td").all_text_contents()
    assert cells[:2] == ["10", "2"]
    assert float(cells[2]) == pytest.approx(by_hand(10, 2)["additive"], abs=5.1e-3)
    sentence = page.locator(f"{FIGURE} .explorer-sentence").text_content()
    assert f"{by_hand(10, 2)['additive']:.2f}" in sentence
    spoken = page.locator(f"{FIGURE} .explorer-spoken")
    page.wait_for_function(
        f"document.querySelector('{FIGURE} .explorer-spoken').textContent.includes('25.09')"
    )
    assert spoken.get_attribute("aria-live") == "polite"
    outputs = page.locator(f"{FIGURE} output")
    assert {outputs.nth(i).get_attribute("aria-live") for i in range(outputs.count())} == {"off"}


def test_without_script_the_first_frame_is_a_table(browser: Any, base: str) -> None:
    page, _, _ = open_page(browser, java_script_enabled=False)
    page.goto(base + PAGE)
    text = page.locator(f"{FIGURE} noscript").text_content()
    expected = by_hand(3, 2)
    assert f"{expected['additive']:.2f}" in text
    assert f"{expected['rotary']:.3f}" in text
    page.context.close()


def test_plotly_waits_for_the_reader(browser: Any, served: str) -> None:
    page, _, _ = open_page(browser, viewport={"width": 1100, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(served + PAGE)
    page.wait_for_timeout(400)
    assert not any("plotly" in url for url in asked)
    page.locator(FIGURE).scroll_into_view_if_needed()
    page.wait_for_selector(f"{FIGURE} .main-svg")
    page.keyboard.press("End")
    page.wait_for_timeout(800)
    assert sum("plotly" in url for url in asked) == 1  # once for all explorers of the page
    page.context.close()
