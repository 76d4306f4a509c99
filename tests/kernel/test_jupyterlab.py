"""Explorers in a real JupyterLab: live both ways, light, and gone without a trace when closed."""

import json
from types import SimpleNamespace

import pytest

from support.browser import frames, launch, open_page
from support.jupyter import (
    BOOK,
    EXPLORERS,
    LAB,
    big_frames,
    charts,
    held,
    run,
    serve,
    values,
    write_notebook,
)
from support.listeners import COUNT, living

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELLS = [
    *EXPLORERS,
    "explorer  # a second view of the same model",
]
READY = "jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    write_notebook(folder / "test.ipynb", CELLS)
    with serve(LAB, folder) as url, launch() as browser:
        page, away, errors = open_page(browser, viewport={"width": 1300, "height": 1600})
        page.add_init_script(COUNT)
        sizes = big_frames(page)
        page.goto(f"{url}/lab/tree/test.ipynb?reset")
        page.wait_for_function(f"globalThis.{READY}", timeout=90_000)
        page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
        charts(page, 3)
        yield SimpleNamespace(page=page, away=away, errors=errors, sizes=sizes)
        page.context.close()


def cell(page, index):
    return page.locator(".jp-Cell").nth(index)


def slider(page, name, index=0):
    return cell(page, index).locator(f"input[name={name}]")


def shown(page, name, index=0):
    return cell(page, index).locator(f"[data-readout={name}]").inner_text()


def wait_until(page, name, text, index=0):
    page.wait_for_function(
        "([i, name, text]) => document.querySelectorAll('.jp-Cell')[i]"
        ".querySelector(`input[name=${name}]`).getAttribute('aria-valuetext') === text",
        arg=[index, name, text],
    )


@pytest.mark.parametrize("start", BOOK)
def test_python_moves_the_page_and_keeps_the_gap(lab, start):
    run(lab.page, "explorer.values = {'start': 100, 'gap': 2}")
    run(lab.page, f"explorer.values = {{'start': {start}}}")
    wait_until(lab.page, "start", str(start))
    assert slider(lab.page, "gap").get_attribute("aria-valuetext") == "2"
    assert (shown(lab.page, "additive"), shown(lab.page, "rotary")) == BOOK[start]
    assert values(lab.page) == {"start": start, "gap": 2}


def test_the_page_moves_python_and_observe_fires(lab):
    run(lab.page, "explorer.values = {'start': 4000, 'gap': 2}; seen.clear()")
    wait_until(lab.page, "start", "4000")
    slider(lab.page, "start").focus()
    for key, start in [("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2), ("ArrowLeft", 1)]:
        lab.page.keyboard.press(key)
        wait_until(lab.page, "start", str(start))
        # Of moves that come while one is on its way, ipywidgets sends the last.
        assert held(lab.page, start=start) == {"start": start, "gap": 2}
    changes = json.loads(run(lab.page, "import json; print(json.dumps(seen))"))
    assert [new for _, new in changes] == [{"start": s, "gap": 2} for s in (0, 1, 2, 1)]
    assert changes[0][0] == {"start": 4000, "gap": 2}
    # And Python sees the frame that the reader sees.
    additive = run(lab.page, "print(f'{explorer.frame.readouts[\"additive\"]:.2f}')").strip()
    assert additive == shown(lab.page, "additive")


def test_both_sliders_and_the_mouse(lab):
    run(lab.page, "explorer.values = {'start': 10, 'gap': 2}")
    wait_until(lab.page, "start", "10")
    box = slider(lab.page, "gap").bounding_box()
    lab.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    wait_until(lab.page, "gap", "64")
    assert held(lab.page, gap=64) == {"start": 10, "gap": 64}


def test_keys_at_a_slider_do_not_reach_the_notebook(lab):
    """JupyterLab would move to the next cell, delete or cut it."""
    active = "jupyterapp.shell.currentWidget.content.activeCellIndex"
    slider(lab.page, "start").click()
    before = lab.page.evaluate(active), lab.page.locator(".jp-Cell").count()
    for key in ["ArrowDown", "ArrowUp", "j", "x", "d", "d", "PageDown", "End", "Home"]:
        lab.page.keyboard.press(key)
    assert (lab.page.evaluate(active), lab.page.locator(".jp-Cell").count()) == before
    wait_until(lab.page, "start", "0")


def test_two_views_of_one_explorer_move_together(lab):
    run(lab.page, "explorer.values = {'start': 3, 'gap': 2}")
    wait_until(lab.page, "start", "3", index=2)
    slider(lab.page, "start", index=2).focus()
    lab.page.keyboard.press("ArrowRight")
    wait_until(lab.page, "start", "4", index=0)
    assert shown(lab.page, "additive", 0) == shown(lab.page, "additive", 2)
    assert held(lab.page, start=4)["start"] == 4


def test_a_wrong_value_is_refused_and_the_page_stays(lab):
    run(lab.page, "explorer.values = {'start': 3, 'gap': 2}")
    wait_until(lab.page, "start", "3")
    message = run(lab.page, "explorer.values = {'start': 4001}")
    assert "'score-drift': start=4001 is not one of its positions; the nearest are" in message
    assert values(lab.page) == {"start": 3, "gap": 2}
    assert slider(lab.page, "start").get_attribute("aria-valuetext") == "3"


def test_three_views_share_one_plotly_js(lab):
    assert json.loads(run(lab.page, "import json; print(json.dumps(asked))")) == [
        {"type": "plotly"}
    ]
    assert len(lab.sizes) == 1
    assert 3_000_000 < lab.sizes[0] < 6_000_000
    # The document itself never holds it: it would be saved with the notebook.
    assert lab.page.evaluate("document.documentElement.outerHTML.length") < 2_000_000


def test_it_follows_jupyterlabs_theme_at_once(lab):
    page = lab.page
    line = page.locator(".explorer-chart .scatterlayer .js-line").first
    colours = {}

    def change(name, theme):
        page.evaluate(
            "name => jupyterapp.commands.execute('apputils:change-theme', { theme: name })", name
        )
        page.wait_for_function(
            "theme => document.querySelector('.explorer-body').dataset.lessonTheme === theme",
            arg=theme,
        )
        frames(page)
        colours[theme] = line.evaluate("node => node.style.stroke")
        # JupyterLab puts a sheet over the page meanwhile; one that is still to be taken away when
        # the next one comes is taken away twice, and its second removal fails.
        page.wait_for_function("document.querySelector('#jupyterlab-splash') === null")

    assert page.locator(".explorer-body").first.get_attribute("data-lesson-theme") == "light"
    try:
        change("JupyterLab Dark", "dark")
    finally:
        change("JupyterLab Light", "light")
    assert colours["light"] != colours["dark"]


# How often explorer.js listens to its model in the page, by event. (ipywidgets' own view adds a
# bound, hence "native", listener to msg:custom for each view and never takes it away.)
_MODEL = """async (id) => {
  if (!globalThis.theManager) {
    const inside = (w) => [...(w.widgets ?? w.layout?.widgets ?? [])];
    const find = (w) => w._manager ?? inside(w).map(find).find(Boolean);
    for (const each of jupyterapp.shell.currentWidget.content.widgets)
      globalThis.theManager ??= find(each.outputArea);
  }
  const model = await (await theManager.promise).get_model(id);
  const counts = {};
  for (const event of ["change:values", "msg:custom"])
    counts[event] = (model._events?.[event] ?? []).filter(
      ({ callback }) => !String(callback).includes("[native code]")).length;
  return counts;
}"""


def test_closing_a_cells_output_leaves_nothing_behind(lab):
    """Each view closed takes its own listeners with it; when all are closed, none is left."""
    page = lab.page
    model_id = run(page, "print(explorer.model_id)").strip()
    page.wait_for_function("livingExplorers().timers === 0")  # what was to be read aloud has been
    before = living(page)
    assert len(before["observers"]) == 3 * 2
    assert before["listeners"] == ["MediaQueryList change"] * 3
    assert before["timers"] == 0
    assert page.evaluate(_MODEL, model_id) == {"change:values": 2, "msg:custom": 0}

    def clear(index):
        page.evaluate(
            """i => {
              jupyterapp.shell.currentWidget.content.activeCellIndex = i;
              return jupyterapp.commands.execute('notebook:clear-cell-output');
            }""",
            index,
        )

    clear(2)
    charts(page, 2)
    assert page.evaluate(_MODEL, model_id) == {"change:values": 1, "msg:custom": 0}
    assert len(living(page)["observers"]) == 2 * 2
    # The other view lives on.
    run(page, "explorer.values = {'start': 200}")
    wait_until(page, "start", "200")

    clear(0)
    clear(1)
    charts(page, 0)
    assert page.evaluate(_MODEL, model_id) == {"change:values": 0, "msg:custom": 0}
    # The model moves on without a page, and nothing draws or waits.
    page.evaluate("void (Plotly.react = () => console.error('drawn after it was closed'))")
    run(page, "explorer.values = {'start': 10}; second.values = {'gap': 2}")
    page.wait_for_timeout(900)
    assert living(page) == {"listeners": [], "observers": [], "timers": 0}


def test_nothing_left_the_machine_and_nothing_went_wrong(lab):
    assert lab.away == []
    assert lab.errors == []
