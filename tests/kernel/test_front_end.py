"""explorer.js alone, in a blank page with a model made for the test: no kernel, no book."""

import importlib
import json
import pkgutil
from pathlib import Path

import pytest

import lesson_utils.explorers
from lesson_utils.explore import Frame, explore
from lesson_utils.readouts import format_number
from support.browser import frames, launch, open_page
from support.decoder import at_position, every_position, same, shown_sentence
from support.listeners import COUNT, living

pytestmark = pytest.mark.browser

STATIC = Path(lesson_utils.__file__).parent / "static"
MODULES = sorted(m.name for m in pkgutil.iter_modules(lesson_utils.explorers.__path__))

HARNESS = """
globalThis.heard = [];
document.addEventListener("explorer:drawn", (event) => heard.push(event.detail));
class FakeModel {
  constructor(spec, answer) {
    const state = { spec, values: { ...spec.initial } };
    Object.assign(this, { answer, state, sent: [], saved: 0, ears: {} });
  }
  get(key) { return this.state[key]; }
  set(key, value) { this.state[key] = value; this.emit(`change:${key}`, value); }
  save_changes() { this.saved += 1; }
  on(event, ear) { (this.ears[event] ??= []).push(ear); }
  off(event, ear) { this.ears[event] = (this.ears[event] ?? []).filter((each) => each !== ear); }
  emit(event, ...what) { for (const ear of [...(this.ears[event] ?? [])]) ear(...what); }
  send(message) { this.sent.push(message); this.answer?.(); }
  listening() { return Object.values(this.ears).flat().length; }
}
globalThis.models = [];
globalThis.start = (spec) => models.push(new FakeModel(spec)) - 1;
// Shows a model in an element of its own; returns the number of the view.
globalThis.views = [];
globalThis.show = (which) => {
  const el = document.createElement("div");
  document.querySelector("main").append(el);
  return views.push({ el, cleanup: explorerModule.render({ model: models[which], el }) }) - 1;
};
globalThis.move = (which, values) =>
  models[which].set("values", { ...models[which].get("values"), ...values });
"""


def numbers(a, b, word, flag):
    return Frame(
        {"dot": {"x": [a], "y": [b], "marker.color": ["$rotary" if flag else "$additive"]}},
        {"sum": a + b},
        "{word}: {a} and {b} make {sum}.",
    )


def small(**changes):
    settings = {
        "name": "small",
        "title": "Small <img src=x onerror=console.error(1)>",
        "alt": "A dot.",
        "traces": {
            "dot": {"type": "scatter", "mode": "markers", "name": "the dot", "marker": {"size": 9}},
            "line": {"type": "scatter", "x": [0, 9], "y": [0, 9], "line": {"color": "$content"}},
        },
        "layout": {"xaxis": {"range": [-1, 10]}, "yaxis": {"range": [-1, 10]}},
        "readouts": {"sum": ("the sum", 1)},
        "play": "a",
        "a": list(range(10)),
        "b": [0, 1, 2],
        "word": ["one", "two"],
        "flag": [False, True],
        "height": 200,
    }
    return explore(numbers, **{**settings, **changes}).spec


@pytest.fixture(scope="module")
def browser():
    with launch() as browser:
        yield browser


@pytest.fixture(scope="module")
def plotly():
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


class Bench:
    """A blank page with explorer.js in it."""

    def __init__(self, browser, **options):
        self.page, self.away, self.errors = open_page(browser, **options)
        self.page.add_init_script(COUNT)
        self.page.route(
            "http://localhost/**",
            lambda route: route.fulfill(
                content_type="text/html; charset=utf-8",
                body="<!doctype html><html><body><main></main></body></html>",
            ),
        )
        self.page.goto("http://localhost/blank")
        self.page.add_style_tag(path=STATIC / "explorer.css")
        self.page.add_script_tag(content=HARNESS)
        self.page.evaluate(
            """async (text) => {
              const module = new Blob([text], { type: "text/javascript" });
              globalThis.explorerModule = (await import(URL.createObjectURL(module))).default;
            }""",
            (STATIC / "explorer.js").read_text("utf-8"),
        )

    def give_plotly(self, text):
        """Let every model answer the question for plotly.js as the kernel does."""
        self.page.evaluate("text => void (globalThis.plotlyText = text)", text)
        self.page.evaluate(
            """() => void (globalThis.answer = (model) => () => setTimeout(() => {
              const bytes = new TextEncoder().encode(plotlyText);
              model.emit("msg:custom", { type: "plotly" }, [new DataView(bytes.buffer)]);
            }, 20))"""
        )

    def start(self, spec, views=1, wait=True):
        """Show a new model in that many views; returns its number."""
        page = self.page
        which = page.evaluate("spec => start(spec)", json.loads(json.dumps(spec)))
        page.evaluate("i => void (models[i].answer = globalThis.answer?.(models[i]))", which)
        for _ in range(views):
            page.evaluate("i => show(i)", which)
        if wait:
            self.drawn()
        return which

    def drawn(self):
        self.page.wait_for_function(
            "views.filter(v => v.el.isConnected && v.el.firstChild)"
            ".every(v => v.el.querySelector('.plot-container'))"
        )

    def settle(self):
        """What was asked for has been drawn."""
        frames(self.page)

    def seconds_a_step(self):
        """How long the player waits, by the page's own clock: the shortest of three waits."""
        return self.page.evaluate(
            """() => new Promise((resolve) => {
              const at = [performance.now()];
              models[0].on("change:values", () => {
                at.push(performance.now());
                if (at.length === 4)
                  resolve(Math.min(...at.slice(1).map((t, i) => t - at[i])) / 1000);
              });
              document.querySelector(".explorer-play").click();
            })"""
        )

    def view(self, index=0):
        return self.page.locator("main > div").nth(index)

    def text(self, name, index=0):
        return self.view(index).locator(f"[data-readout={name}]").inner_text()

    def values(self, which=0):
        return self.page.evaluate("i => models[i].get('values')", which)


@pytest.fixture
def bench(browser, plotly):
    bench = Bench(browser, viewport={"width": 800, "height": 900})
    bench.give_plotly(plotly)
    yield bench
    bench.page.context.close()
    assert bench.away == []


@pytest.fixture
def clean(bench):
    yield bench
    assert bench.errors == []


# ── what is shown ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("module", MODULES)
def test_the_page_shows_what_the_data_say(clean, module):
    """At the first, the last and some positions between: readouts, sentence and every datum."""
    explorer = importlib.import_module(f"lesson_utils.explorers.{module}").build()
    spec = json.loads(json.dumps(explorer.spec))
    clean.start(spec)
    positions = list(every_position(spec))
    for indices, values in positions[:: max(1, len(positions) // 4)] + positions[-1:]:
        clean.page.evaluate("values => move(0, values)", values)
        clean.settle()
        found, wanted = at_position(spec, indices), explorer._frame(**values)
        texts = {p["name"]: p["text"][i] for p, i in zip(spec["params"], indices, strict=True)}
        for readout in spec["readouts"]:
            name = readout["name"]
            texts[name] = format_number(float(wanted.readouts[name]), readout["digits"])
            assert clean.text(name) == texts[name]
        sentence = clean.view().locator(".explorer-sentence").text_content()
        assert sentence == shown_sentence(spec, indices, texts)
        drawn = clean.page.evaluate(
            """() => {
              const plain = (v) => ArrayBuffer.isView(v) ? [...v].map(plain)
                : Array.isArray(v) ? v.map(plain) : Number.isNaN(v) ? null : v;
              return Object.fromEntries(document.querySelector(".explorer-chart").data.map(
                (t) => [t.key, { x: plain(t.x), y: plain(t.y), z: plain(t.z) }]));
            }"""
        )
        for (kind, *rest), value in found.items():
            if kind == "trace" and rest[1] in {"x", "y", "z"}:
                assert same_or_gap(drawn[rest[0]][rest[1]], value), (values, rest)


def same_or_gap(shown, value):
    if isinstance(value, list):
        return len(shown) == len(value) and all(map(same_or_gap, shown, value))
    return value != value if shown is None else shown == value or same(shown, value)


def test_a_chart_has_a_name_and_its_values_stand_in_a_table(clean):
    clean.start(small())
    chart = clean.view().locator(".explorer-chart")
    assert (chart.get_attribute("role"), chart.get_attribute("aria-label")) == ("img", "A dot.")
    assert clean.view().locator(".explorer-title").inner_text() == small()["title"]
    clean.page.evaluate("move(0, { a: 3, word: 'two', flag: true })")
    rows = clean.view().locator("tr")
    assert [row.split("\t") for row in rows.evaluate_all("rs => rs.map(r => r.textContent)")] == [
        ["a3"], ["b0"], ["wordtwo"], ["flagon"], ["the sum3.0"],
    ]  # fmt: skip


def test_controls_are_native_and_labelled(clean):
    clean.start(small())
    by_label = {
        "a": ("INPUT", "range"), "b": ("INPUT", "range"),
        "word": ("SELECT", "select-one"), "flag": ("INPUT", "checkbox"),
    }  # fmt: skip
    for name, kind in by_label.items():
        control = clean.view().get_by_label(name, exact=True)
        assert control.evaluate("c => [c.tagName, c.type]") == list(kind)
        assert control.get_attribute("name") == name
    slider = clean.view().get_by_label("a", exact=True)
    assert [slider.get_attribute(a) for a in ("min", "max", "step")] == ["0", "9", "1"]
    slider.press("End")
    assert slider.get_attribute("aria-valuetext") == "9"
    clean.view().get_by_label("word").select_option(label="two")
    clean.view().get_by_label("flag").check()
    assert clean.values() == {"a": 9, "b": 0, "word": "two", "flag": True}
    assert clean.page.evaluate("models[0].saved") == 3  # each move is told to the kernel


@pytest.mark.parametrize("width", [320, 360, 1200])
def test_nothing_sticks_out_sideways(browser, plotly, width):
    bench = Bench(browser, viewport={"width": width, "height": 800}, has_touch=width < 500)
    bench.give_plotly(plotly)
    bench.start(small())
    assert bench.page.evaluate("document.documentElement.scrollWidth") <= width
    chart = bench.view().locator(".explorer-chart .main-svg").first.bounding_box()
    assert chart["width"] <= width
    bench.page.set_viewport_size({"width": 500, "height": 800})
    bench.page.wait_for_function(
        "[...document.querySelectorAll('.explorer-chart .main-svg')].every("
        "  (svg) => { const { left, width } = svg.getBoundingClientRect();"
        "    return left >= 0 && width > 320 && left + width <= 500 })"
    )
    bench.page.context.close()


# ── moving ────────────────────────────────────────────────────────────────────────────────────


def test_two_views_of_one_model_follow_each_other(clean):
    clean.start(small(), views=2)
    clean.view(1).get_by_label("a", exact=True).press("ArrowRight")
    assert clean.text("sum", 0) == clean.text("sum", 1) == "1.0"
    clean.view(0).get_by_label("b", exact=True).press("End")
    assert clean.text("sum", 1) == "3.0"
    ids = clean.page.evaluate("[...document.querySelectorAll('[id]')].map(n => n.id)")
    assert len(ids) == len(set(ids))
    # One closed, the other goes on.
    clean.page.evaluate("views[0].cleanup()")
    clean.page.evaluate("move(0, { a: 5 })")
    clean.settle()
    assert clean.view(1).locator("[data-readout=sum]").inner_text() == "7.0"
    assert clean.page.evaluate("heard.at(-1).a") == 5


def test_keys_do_not_reach_the_notebook_around(clean):
    clean.start(small())
    clean.page.evaluate(
        "globalThis.keys = []; document.addEventListener('keydown', (e) => keys.push(e.key))"
    )
    for label in ("a", "word", "flag"):
        control = clean.view().get_by_label(label, exact=True)
        for key in ("ArrowDown", "ArrowUp", "Home", "PageDown", "x"):
            control.press(key)
    for part in (".explorer-play", "summary"):
        clean.view().locator(part).focus()
        for key in ("Space", "Enter", "Space", "Enter"):
            clean.page.keyboard.press(key)
    assert clean.page.evaluate("keys") == []
    clean.page.keyboard.press("Control+s")  # saving is the notebook's
    clean.page.evaluate("document.activeElement.blur()")
    clean.page.keyboard.press("y")
    assert clean.page.evaluate("keys") == ["Control", "s", "y"]


def test_of_many_moves_in_one_frame_the_first_and_the_last_are_drawn(clean):
    clean.start(small())
    clean.settle()
    clean.page.evaluate("heard.length = 0; for (let a = 1; a < 10; a++) move(0, { a })")
    assert clean.page.evaluate("document.querySelector('.explorer-chart').data[0].x[0]") in {1, 9}
    clean.settle()
    drawn = clean.page.evaluate("document.querySelector('.explorer-chart').data[0].x[0]")
    assert drawn == 9
    assert clean.page.evaluate("heard.length") == 2
    assert clean.page.evaluate("heard.at(-1).a") == 9


def test_every_drawing_says_which_values_it_shows(clean):
    clean.start(small())
    clean.settle()
    clean.page.evaluate("heard.length = 0; move(0, { a: 4, word: 'two' })")
    clean.settle()
    assert clean.page.evaluate("heard") == [{"a": 4, "b": 0, "word": "two", "flag": False}]


def test_the_screen_reader_hears_once_and_only_after_the_last_move(clean):
    clean.start(small())
    clean.page.evaluate(
        """() => {
          globalThis.said = [];
          const region = document.querySelector("[aria-live=polite]");
          new MutationObserver(() => said.push(region.textContent)).observe(region,
            { childList: true, characterData: true, subtree: true });
        }"""
    )
    # Timers of one page come in their order however slow the machine is: move on before it speaks.
    early = clean.page.evaluate(
        """async () => {
          for (let a = 1; a <= 6; a++) {
            move(0, { a });
            await new Promise((done) => setTimeout(done, 60));
          }
          return [...said];
        }"""
    )
    assert early == []
    clean.page.wait_for_function("said.length > 0")
    assert clean.page.evaluate("said") == ["one: 6 and 0 make 6.0."]
    # <output> is a live region by itself, unless told not to be.
    live = clean.page.evaluate("[...document.querySelectorAll('output')].map(o => o.ariaLive)")
    assert live == ["off"]


def test_the_screen_reader_hears_the_readouts_where_there_is_no_sentence(clean):
    spec = explore(
        lambda k: Frame(readouts={"r": k, "s": -k}), name="quiet", title="t", alt="a", traces={},
        readouts={"r": ("first", 0), "s": ("second", 1)}, k=[0, 1],
    ).spec  # fmt: skip
    clean.start(spec)
    clean.view().get_by_label("k").press("ArrowRight")
    clean.page.wait_for_function(
        "document.querySelector('[aria-live=polite]').textContent === 'first 1, second -1.0'"
    )


def test_play_walks_to_the_end_and_stops(clean):
    clean.start(small())
    button = clean.view().locator(".explorer-play")
    assert button.get_attribute("aria-label").startswith("Play")
    button.click()
    assert button.get_attribute("aria-label") == "Pause"
    clean.page.wait_for_function("models[0].get('values').a === 9")
    clean.page.wait_for_function(
        "document.querySelector('.explorer-play').ariaLabel.startsWith('Play')"
    )
    assert living(clean.page)["timers"] <= 1  # the sentence still to be spoken
    assert clean.values() == {"a": 9, "b": 0, "word": "one", "flag": False}
    button.click()  # at the end it starts again
    clean.page.wait_for_function("models[0].get('values').a < 5")
    button.click()
    stopped = clean.values()["a"]
    clean.page.wait_for_timeout(300)
    assert clean.values()["a"] == stopped


def test_the_readers_own_move_stops_the_player(clean):
    clean.start(small(a=list(range(300))))
    clean.view().locator(".explorer-play").click()
    clean.page.wait_for_function("models[0].get('values').a > 1")
    clean.view().get_by_label("b", exact=True).press("ArrowRight")
    at = clean.values()["a"]
    clean.page.wait_for_timeout(300)
    assert clean.values()["a"] == at
    assert clean.view().locator(".explorer-play").get_attribute("aria-label").startswith("Play")


def test_who_wants_less_motion_gets_less(browser, plotly):
    bench = Bench(browser, reduced_motion="reduce")
    bench.give_plotly(plotly)
    bench.start(small())
    assert bench.seconds_a_step() > 0.6
    bench.page.context.close()


def test_who_wants_motion_gets_it(bench):
    """The counterpart: the bound above is one that the usual pace does not keep."""
    bench.start(small(a=list(range(50))))
    assert bench.seconds_a_step() < 0.6


# ── themes ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("dark", "light"),
    [
        ("document.documentElement.dataset.theme = 'dark'",
         "document.documentElement.dataset.theme = 'light'"),
        ("document.body.dataset.jpThemeLight = 'false'",
         "document.body.dataset.jpThemeLight = 'true'"),
        ("document.documentElement.className = 'x', document.body.style.color = '#eee'",
         "document.documentElement.className = 'y', document.body.style.color = '#111'"),
    ],
    ids=["this book", "JupyterLab", "by its ink"],
)  # fmt: skip
def test_a_change_of_theme_is_followed_at_once(clean, dark, light):
    spec = small()
    clean.start(spec)
    for change, theme in ((light, "light"), (dark, "dark"), (light, "light")):
        clean.page.evaluate(f"void ({change})")
        clean.page.wait_for_function(
            f"document.querySelector('.explorer-body').dataset.lessonTheme === '{theme}'"
        )
        clean.settle()
        line = clean.page.evaluate("document.querySelector('.explorer-chart').data[1].line.color")
        assert line == spec["palette"][theme]["content"]
        dot = clean.page.evaluate(
            "document.querySelector('.explorer-chart').data[0].marker.color[0]"
        )
        assert dot == spec["palette"][theme]["additive"]


def test_the_systems_theme_is_followed_where_the_page_says_nothing(browser, plotly):
    bench = Bench(browser, color_scheme="light")
    bench.give_plotly(plotly)
    bench.page.add_style_tag(
        content="@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } }"
    )
    bench.start(small())
    theme = "document.querySelector('.explorer-body').dataset.lessonTheme"
    assert bench.page.evaluate(theme) == "light"
    bench.page.emulate_media(color_scheme="dark")
    bench.page.wait_for_function(f"{theme} === 'dark'")
    bench.page.context.close()


# ── plotly.js ─────────────────────────────────────────────────────────────────────────────────


def test_explorers_of_one_page_ask_for_plotly_once(clean):
    for _ in range(3):
        clean.start(small(), wait=False)
    clean.drawn()
    assert clean.page.evaluate("models.map(m => m.sent.length)") == [1, 0, 0]
    assert clean.page.evaluate("models[0].sent") == [{"type": "plotly"}]


def test_requirejs_does_not_take_plotly_for_itself(clean):
    clean.page.evaluate(
        """() => {
          globalThis.taken = 0;
          globalThis.define = () => (taken += 1);
          globalThis.define.amd = {};
        }"""
    )
    clean.start(small())
    assert clean.page.evaluate("[taken, typeof Plotly.react]") == [0, "function"]


def test_without_plotly_the_message_says_so_and_the_numbers_still_move(bench):
    bench.page.evaluate(
        """() => void (globalThis.answer = (model) => () => setTimeout(() =>
          model.emit("msg:custom", { type: "plotly", error: "it is not there" })))"""
    )
    bench.start(small(), wait=False)
    chart = bench.view().locator(".explorer-chart")
    bench.page.wait_for_function(
        "document.querySelector('.explorer-chart').textContent.includes('cannot be drawn')"
    )
    assert "(it is not there). The sliders and numbers still hold." in chart.text_content()
    assert chart.get_attribute("role") is None  # text is read as text, not as a picture
    bench.view().get_by_label("a", exact=True).press("End")
    assert bench.text("sum") == "9.0"
    assert bench.page.evaluate("models[0].ears['msg:custom'].length") == 0


def test_a_kernel_that_never_answers_is_given_up(bench):
    bench.page.clock.install()
    bench.page.evaluate("void (globalThis.answer = undefined)")
    bench.start(small(), wait=False)
    bench.page.clock.fast_forward(60_001)
    bench.page.wait_for_function("models[0].sent.length === 2")  # it asks once more, for itself
    bench.page.clock.fast_forward(60_001)
    bench.page.wait_for_function(
        "document.querySelector('.explorer-chart').textContent.includes('run the cell again')"
    )
    assert bench.page.evaluate("models[0].listening()") == 1


def test_after_a_failure_the_next_explorer_may_have_better_luck(clean, plotly):
    clean.page.evaluate("void (globalThis.good = globalThis.answer)")
    clean.page.evaluate(
        """() => void (globalThis.answer = (model) => () =>
          setTimeout(() => model.emit("msg:custom", { type: "plotly", error: "no" })))"""
    )
    clean.start(small(), wait=False)
    clean.page.wait_for_function("document.querySelector('.explorer-chart').textContent !== ''")
    clean.page.evaluate("void (globalThis.answer = globalThis.good)")
    clean.start(small(), wait=False)
    clean.page.wait_for_function("views[1].el.querySelector('.plot-container')")


# ── closing ───────────────────────────────────────────────────────────────────────────────────

NOTHING = {"listeners": [], "observers": [], "timers": 0}


def test_closing_leaves_nothing_behind(clean):
    clean.start(small(a=list(range(300))))  # it plays for longer than this test takes
    clean.view().get_by_label("a", exact=True).press("ArrowRight")
    clean.view().locator(".explorer-play").click()
    clean.settle()
    alive = living(clean.page)
    assert alive["listeners"] == ["MediaQueryList change"]
    assert sorted(alive["observers"]) == ["MutationObserver", "ResizeObserver"]
    assert alive["timers"] >= 2  # playing, and a sentence to be spoken
    assert clean.page.evaluate("models[0].listening()") == 1
    clean.page.evaluate("heard.length = 0; views[0].cleanup()")
    assert living(clean.page) == NOTHING
    assert clean.page.evaluate("models[0].listening()") == 0
    assert clean.page.evaluate("views[0].el.children.length") == 0
    clean.page.evaluate("move(0, { a: 7 }); document.documentElement.dataset.theme = 'dark'")
    clean.page.wait_for_timeout(800)
    assert clean.page.evaluate("heard") == []
    assert living(clean.page) == NOTHING


def test_closing_before_plotly_came_draws_nothing(clean):
    clean.page.evaluate(
        """() => {
          const give = answer;
          globalThis.answer = (model) => () => void (globalThis.deliver = give(model));
        }"""
    )
    clean.start(small(), wait=False)
    clean.page.evaluate("views[0].cleanup(); deliver()")
    clean.page.wait_for_function("globalThis.Plotly")
    clean.settle()
    assert clean.page.evaluate("heard") == []
    assert clean.page.evaluate("models[0].listening()") == 0
    assert living(clean.page) == NOTHING


def test_opening_and_closing_many_times_piles_nothing_up(clean):
    clean.start(small())
    for _ in range(10):
        clean.page.evaluate("views.at(-1).cleanup(); show(0)")
    clean.drawn()
    clean.settle()
    assert clean.page.evaluate("models[0].listening()") == 1
    assert len(living(clean.page)["observers"]) == 2
    assert len(living(clean.page)["listeners"]) == 1


# ── drawing again ─────────────────────────────────────────────────────────────────────────────


# The drawing of the first view, and of one opened at this moment and closed again. Names that
# plotly.js makes up, the order of a style's parts and the opacity of no filling are left out.
_BOTH = r"""async () => {
  const style = (_, text) => text.replace(/;$/, "").split("; ").sort();
  const drawing = (el) => [...el.querySelectorAll(".main-svg .cartesianlayer")]
    .map((node) => node.innerHTML
      .replace(/ (id|class|clip-path)="[^"]*"/g, "")
      .replace(/url\([^)]*\)/g, "")
      .replace(/ fill-opacity: 1;/g, "")
      .replace(/style="([^"]*)"/g, style)).join();
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const which = show(0);
  const ready = () => views[which].el.querySelector(".cartesianlayer .plot");
  for (let i = 0; i < 60 && !ready(); i++) await frame();
  await frame();
  const both = [drawing(views[0].el), drawing(views[which].el)];
  views[which].cleanup();
  views[which].el.remove();
  return both;
}"""


@pytest.mark.parametrize("module", MODULES)
def test_a_chart_that_was_moved_looks_like_one_drawn_anew(clean, module):
    """Whatever was shown before, the drawing is the very one that a new view makes."""
    explorer = importlib.import_module(f"lesson_utils.explorers.{module}").build()
    clean.start(json.loads(json.dumps(explorer.spec)))
    clean.settle()
    positions = [values for _, values in every_position(explorer.spec)]
    for values in positions[:: max(1, len(positions) // 5)] + positions[-1:]:
        clean.page.evaluate("values => move(0, values)", values)
        clean.settle()
        moved, anew = clean.page.evaluate(_BOTH)
        assert len(anew) > 200
        assert moved == anew, values
