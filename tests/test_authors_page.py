"""The page for authors: its very example is built, shown and slid; what it lists is complete."""

import ast
import inspect
import math
import re
import shutil
import sys
from pathlib import Path

import pytest

from lesson_utils import explore as explore_module
from lesson_utils import palette
from lesson_utils.readouts import format_number
from lesson_utils.widget import Explorer
from support.browser import launch, open_page
from support.decoder import at_position, every_position

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "book" / "authors.md").read_text("utf-8")
CELLS = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```", PAGE, re.S | re.M)


def run(source, names):
    """Execute a cell as a notebook does; returns the value of its last line."""
    body = ast.parse(source)
    last = body.body.pop() if isinstance(body.body[-1], ast.Expr) else None
    exec(compile(body, "authors.md", "exec"), names)
    if last is not None:
        return eval(compile(ast.Expression(last.value), "authors.md", "eval"), names)
    return None


@pytest.fixture(scope="module")
def explorer():
    return run(CELLS[0], {})


def test_it_is_about_fifteen_lines_one_function_and_one_call(explorer):
    lines = [line for line in CELLS[0].splitlines() if line.strip()]
    assert len(lines) <= 16
    tree = ast.parse(CELLS[0])
    assert [type(node).__name__ for node in tree.body] == [
        "Import", "ImportFrom", "FunctionDef", "Expr",
    ]  # fmt: skip
    assert isinstance(explorer, Explorer)


def test_it_says_what_a_formula_of_our_own_says(explorer):
    seen = 0
    for indices, at in every_position(explorer.spec):
        found = at_position(explorer.spec, indices)
        speed = 1 / math.sqrt(math.sqrt(at["base"]))
        turned = at["position"] * speed / math.tau
        assert found["readout", "turned"] == pytest.approx(turned, abs=5e-3, rel=1e-6)
        x, y = (found["trace", "hand", axis][1] for axis in "xy")
        assert x == pytest.approx(math.sin(math.tau * turned), abs=1e-5)
        assert y == pytest.approx(math.cos(math.tau * turned), abs=1e-5)
        seen += 1
    assert f"here {seen} times" in PAGE
    assert explorer.nbytes < 15_000


def test_every_cell_of_the_page_runs(capsys):
    names = {}
    for cell in CELLS:
        run(cell, names)
    assert "✓ the slowest of 32 hands" in capsys.readouterr().out
    assert len(CELLS) >= 3


def test_every_setting_and_every_colour_is_explained():
    settings = inspect.signature(explore_module.compute).parameters
    for name in settings.keys() - {"frame", "given", "budget"}:
        assert f"`{name}`" in PAGE, name
    for token in [*palette.LIGHT, "heat", "tint", "diverging"]:
        assert f"`${token}`" in PAGE, token
    for field in ("traces", "readouts", "sentence"):
        assert f"`{field}`" in PAGE
    assert f"{explore_module.BUDGET // 1000} KB" in PAGE


def test_it_is_in_the_table_of_contents():
    assert "book/authors" in (ROOT / "_toc.yml").read_text("utf-8")


@pytest.fixture(scope="module")
def mini_page(explorer, tmp_path_factory):
    """The smallest page an explorer lives in: its figure, the book's script and plotly.js."""
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    try:
        from lesson_book.assets import explorers_script, package_folder
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("mini")
    plotly = package_folder("plotly") / "package_data" / "plotly.min.js"
    shutil.copy(plotly, folder)
    shutil.copy(Path(explore_module.__file__).parent / "static" / "explorer.css", folder)
    (folder / "explorers.js").write_text(explorers_script(), "utf-8")
    (folder / "index.html").write_text(
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<title>mini</title><link rel="stylesheet" href="explorer.css">'
        '<script src="explorers.js" defer></script></head>'
        f"<body>{explorer.to_html()}</body></html>",
        "utf-8",
    )
    return (folder / "index.html").as_uri()


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 1000])
def test_it_is_drawn_and_slides(explorer, mini_page, width):
    with launch() as browser:
        page, away, errors = open_page(browser, viewport={"width": width, "height": 800})
        page.goto(mini_page)
        page.wait_for_selector(".explorer-chart .js-line", state="attached")
        position, base = page.locator("input[name=position]"), page.locator("input[name=base]")
        for keys, values in [
            ([], {"position": 0, "base": 16}),
            (["ArrowRight", "ArrowRight", "ArrowRight"], {"position": 3, "base": 16}),
            (["End"], {"position": 100, "base": 16}),
        ]:
            for key in keys:
                position.press(key)
            check(page, values)
        base.press("End")
        check(page, {"position": 100, "base": 10000})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert away == []
        assert errors == []
        page.context.close()


def check(page, values):
    turned = values["position"] * values["base"] ** -0.25 / math.tau
    text = format_number(turned, 2)
    assert page.locator("[data-readout=turned]").inner_text() == text
    says = f"At position {values['position']} the hand has made {text} turns."
    assert page.locator(".explorer-sentence").inner_text() == says
    page.wait_for_function(
        """([x, y]) => {
          const hand = document.querySelector(".explorer-chart").data[0];
          return Math.abs(hand.x[1] - x) < 1e-5 && Math.abs(hand.y[1] - y) < 1e-5;
        }""",
        arg=[math.sin(turned * math.tau), math.cos(turned * math.tau)],
    )
    assert page.evaluate("document.querySelector('figure').explorer.values") == values


@pytest.mark.browser
def test_a_link_opens_it_where_it_says(mini_page):
    with launch() as browser:
        page, away, errors = open_page(browser)
        page.goto(f"{mini_page}#one-hand?position=50&base=256")
        page.wait_for_selector(".explorer-chart .js-line", state="attached")
        check(page, {"position": 50, "base": 256})
        assert (away, errors) == ([], [])
        page.context.close()


@pytest.mark.browser
def test_without_javascript_its_first_frame_is_read(mini_page):
    with launch() as browser:
        page, away, _ = open_page(browser, java_script_enabled=False)
        page.goto(mini_page)
        text = page.locator("figure").inner_text()
        assert "At position 0 the hand has made 0.00 turns." in text
        assert "turns made\t0.00" in text
        assert away == []
        page.context.close()
