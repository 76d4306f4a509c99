"""The widget: values merge and are checked, `observe` fires, its HTML carries the data safely."""

import json
import math
from html.parser import HTMLParser
from pathlib import Path

import anywidget
import numpy as np
import pytest
import traitlets
from hypothesis import given
from hypothesis import strategies as st

from lesson_utils import widget
from lesson_utils.explore import Frame, explore
from lesson_utils.readouts import float32_as_printed
from lesson_utils.widget import Explorer, format_number
from support.browser import launch, open_page
from support.decoder import at_position, every_position
from support.strategies import quick


def frame(start, gap, words, flag):
    return Frame(
        {"now": {"x": [start], "y": [start + gap]}},
        {"total": start + gap + flag},
        "{words}: {start} and {gap} make {total}.",
    )


def make(**changes):
    settings = {
        "name": "sums",
        "title": "Sums",
        "alt": "A point.",
        "traces": {"now": {"type": "scatter"}},
        "readouts": {"total": ("the total", 1)},
        "initial": {"gap": 2},
        "start": [0, 3, 10.5, 4000],
        "gap": [1, 2, 5],
        "words": ["one", "two"],
        "flag": [False, True],
    }
    return explore(frame, **{**settings, **changes})


@pytest.fixture
def explorer():
    return make()


FIRST = {"start": 0, "gap": 2, "words": "one", "flag": False}


# ── values ────────────────────────────────────────────────────────────────────────────────────


def test_it_is_an_anywidget_and_opens_at_its_first_values(explorer):
    assert isinstance(explorer, anywidget.AnyWidget)
    assert explorer.values == explorer.spec["initial"] == FIRST


def test_setting_values_keeps_what_is_not_named(explorer):
    explorer.values = {"start": 4000}
    assert explorer.values == {**FIRST, "start": 4000}
    explorer.values = {"words": "two", "flag": True}
    assert explorer.values == {"start": 4000, "gap": 2, "words": "two", "flag": True}
    explorer.values = {}
    assert explorer.values["start"] == 4000


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (3.0, 3),
        (np.int64(3), 3),
        (np.float32(10.5), 10.5),
        (np.array(4000)[()], 4000),
    ],
)
def test_a_number_becomes_the_listed_one_of_its_type(explorer, given, kept):
    explorer.values = {"start": given}
    assert explorer.values["start"] == kept
    assert type(explorer.values["start"]) is type(kept)


def test_a_switch_takes_numpys_truth(explorer):
    explorer.values = {"flag": np.True_}
    assert explorer.values["flag"] is True


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"begin": 1},
            r"'sums' has no parameter 'begin'; it has \['start', 'gap', 'words', 'flag'\]",
        ),
        (
            {"start": 4},
            r"'sums': start=4 is not one of its positions; the nearest are \[0, 3\]",
        ),
        ({"start": 10**9}, r"start=1000000000 is not .* nearest are \[10\.5, 4000\]"),
        (
            {"start": math.nan},
            r"start=nan is not one of its positions; they are \[0, 3, 10\.5, 4000",
        ),
        ({"start": "3"}, r"start='3' is not one of its positions; they are"),
        ({"start": False}, "start=False is not one of its positions"),
        ({"start": None}, "start=None is not"),
        ({"start": [3]}, r"start=\[3\] is not"),
        ({"start": np.arange(3)}, r"start=array\(\[0, 1, 2\]\) is not one of its positions"),
        ({"words": "three"}, r"words='three' is not .*; they are \['one', 'two'\]"),
        ({"flag": 1}, r"flag=1 is not one of its positions; they are \[False, True\]"),
        ({"gap": 5, "start": 4}, "start=4 is not"),
    ],
)
def test_a_wrong_value_is_named_and_changes_nothing(explorer, values, message):
    with pytest.raises(ValueError, match=message):
        explorer.values = values
    assert explorer.values == FIRST
    explorer.values = {"gap": 5}
    assert explorer.values == {**FIRST, "gap": 5}


def test_a_long_list_of_choices_is_cut():
    words = [f"w{i}" for i in range(30)]
    with pytest.raises(ValueError, match=r"they are \['w0', .*'w11', '…'\]"):
        make(words=words).values = {"words": "none"}


def test_values_that_are_no_dictionary_are_refused(explorer):
    with pytest.raises(traitlets.TraitError):
        explorer.values = [1]
    assert explorer.values == FIRST


def test_observe_fires_once_a_change_with_old_and_new(explorer):
    seen = []
    explorer.observe(lambda change: seen.append((change.old["start"], change.new)), "values")
    explorer.values = {"start": 3}
    explorer.values = {"start": 3}
    explorer.values = {"start": 4000, "gap": 5}
    assert seen == [
        (0, {**FIRST, "start": 3}),
        (3, {**FIRST, "start": 4000, "gap": 5}),
    ]


@pytest.mark.parametrize("hold", ["hold_trait_notifications", "hold_sync"])
def test_holding_back_notifications_still_merges(explorer, hold):
    with getattr(explorer, hold)():
        explorer.values = {"start": 4000}
    assert explorer.values == {**FIRST, "start": 4000}


def test_a_wrong_value_while_holding_back_is_rolled_back(explorer):
    with pytest.raises(ValueError, match="start=4 is not"), explorer.hold_trait_notifications():
        explorer.values = {"start": 4}
    assert explorer.values == FIRST


def test_a_state_from_the_page_merges_and_notifies(explorer):
    seen = []
    explorer.observe(lambda change: seen.append(change.new), "values")
    explorer.set_state({"values": {"start": 10.5}})
    assert explorer.values == {**FIRST, "start": 10.5}
    assert seen == [{**FIRST, "start": 10.5}]


def test_changing_the_dictionary_in_place_does_not_move_where_we_stand(explorer):
    explorer.values["start"] = 17
    explorer.values = {"gap": 5}
    assert explorer.values == {**FIRST, "gap": 5}
    assert explorer.spec["initial"] == FIRST


def test_two_explorers_of_one_spec_move_apart(explorer):
    other = Explorer(explorer.spec, frame)
    other.values = {"start": 3}
    assert explorer.values == FIRST


def test_it_composes_with_ipywidgets(explorer):
    ipywidgets = pytest.importorskip("ipywidgets")
    slider = ipywidgets.IntSlider(min=0, max=4000)
    explorer.observe(lambda c: setattr(slider, "value", int(c.new["start"])), "values")
    explorer.values = {"start": 4000}
    assert slider.value == 4000
    assert ipywidgets.VBox([explorer, slider]).children[0] is explorer


def test_frame_is_what_the_function_says_here(explorer):
    explorer.values = {"start": 3, "flag": True}
    assert explorer.frame == frame(3, 2, "one", True)


def test_without_its_function_it_still_shows_but_says_so_when_asked(explorer):
    bare = Explorer(explorer.spec)
    assert "A point." in bare.to_html()
    with pytest.raises(ValueError, match="'sums' was made without its frame function"):
        _ = bare.frame


# ── the kernel's side of plotly.js ────────────────────────────────────────────────────────────


def test_plotly_travels_only_when_asked_and_never_as_state(explorer, monkeypatch):
    sent = []
    monkeypatch.setattr(
        explorer, "send", lambda content, buffers=None: sent.append((content, buffers))
    )
    for message in [{"type": "hello"}, "plotly", None, {}]:
        explorer._handle_custom_msg(message, [])
    assert sent == []
    explorer._handle_custom_msg({"type": "plotly"}, [])
    ((content, (script,)),) = sent
    assert content == {"type": "plotly"}
    assert len(script) > 1_000_000
    assert b"plotly.js" in script[:200]
    state = json.dumps({k: v for k, v in explorer.get_state().items() if k in {"spec", "values"}})
    assert len(state) < explorer.nbytes
    assert "Plotly" not in state


def test_the_cell_carries_both_the_widget_and_its_html(explorer):
    data, _ = explorer._repr_mimebundle_()
    assert data["text/html"] == explorer.to_html()
    view = data["application/vnd.jupyter.widget-view+json"]
    assert view["model_id"] == explorer.model_id


# ── html ──────────────────────────────────────────────────────────────────────────────────────

NASTY = '</script><script>alert(1)</script> <!-- & "q" \' <b>é</b> \u2028 ]]>'


class Reader(HTMLParser):
    """Collects tags, the spec inside the script, and the text outside it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.script, self.text, self._inside = [], "", "", False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._inside = tag == "script"

    def handle_endtag(self, tag):
        self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.script += data
        else:
            self.text += data

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


def nasty_frame(k):
    return Frame(
        {"t": {"y": [1], "text": NASTY}}, {"r": 1}, f"{NASTY} {{k}} {{r}}".replace("\u2028", "")
    )


def nasty():
    return explore(
        nasty_frame,
        name="nasty",
        title=NASTY,
        alt=NASTY,
        traces={"t": {"type": "scatter", "name": NASTY}},
        labels={"k": NASTY},
        readouts={"r": (NASTY, 0)},
        k=[NASTY, "plain"],
    )


def test_whatever_a_text_holds_the_page_stays_whole():
    explorer = nasty()
    read = Reader(explorer.to_html())
    assert [tag for tag, _ in read.tags] == [
        "figure", "noscript", "table", "caption", "tr", "th", "td", "tr", "th", "td", "p", "script",
    ]  # fmt: skip
    assert json.loads(read.script) == explorer.spec
    (figure,) = read.named("figure")
    assert figure["aria-label"] == NASTY
    assert read.text.count(NASTY) == 6  # caption twice, two labels, the menu's value, the sentence


def test_a_browser_reads_the_spec_back_and_runs_nothing_in_it():
    explorer = nasty()
    # One parse by the rules of HTML, where "<!--<script" opens a state that "</script>" alone ends.
    tricky = explore(
        lambda k: Frame(sentence="<!--<script> {k}"),
        name="tricky", title="<!-- <script", alt="-->", traces={}, k=["<!--<script>", "</SCRIPT "],
    )  # fmt: skip
    for each in (explorer, tricky):
        payload = each.to_html().split('class="explorer-spec">')[1].split("</script>")[0]
        assert "<" not in payload
        assert json.loads(payload) == each.spec


def test_first_frame_is_a_table_for_readers_without_javascript(explorer):
    text = Reader(explorer.to_html()).text
    assert "Sums: A point. Sliding needs JavaScript" in text
    assert "one: 0 and 2 make 2.0." in text
    for label, value in {"start": "0", "gap": "2", "words": "one", "flag": "off"}.items():
        assert f'<th scope="row">{label}</th><td>{value}</td>' in explorer.to_html()
    assert '<th scope="row">the total</th><td>2.0</td>' in explorer.to_html()


def test_first_frame_keeps_rows_with_equal_labels():
    explorer = make(labels={"start": "value", "gap": "value"}, readouts={"total": ("value", 0)})
    assert explorer.to_html().count('<th scope="row">value</th>') == 3


def test_first_frame_does_not_follow_the_sliders(explorer):
    before = explorer.to_html()
    explorer.values = {"start": 4000}
    assert explorer.to_html() == before


def test_the_figure_is_what_the_page_looks_for(explorer):
    (figure,) = Reader(explorer.to_html()).named("figure")
    assert figure == {
        "class": "explorer lesson-explorer",
        "data-explorer": "sums",
        "id": "explorer-sums",
        "aria-label": "Sums",
        "style": "--chart-height:360px",
    }


# ── numbers as the page prints them ───────────────────────────────────────────────────────────

ROUNDING = [0.5, 1.5, 2.5, -0.5, -2.5, 0.125, 0.375, -0.125, 2.675, 1.005, 1e-7, -1e-7, 0.0, -0.0,
            9.995, 0.05, 0.25, 999.9995, 123456.789, -12.63849, 2.5e-14, 1e20, 5e-324, 9.5e10,
            float(np.float32(0.1)), 16640.0, 3.4e38]  # fmt: skip
DIGITS = [0, 1, 2, 3, 6, 12, ".0e", ".1e", ".3e", ".12e"]


def test_format_number_by_hand():
    assert format_number(0.125, 2) == "0.13"  # a tie, away from zero; format() says 0.12
    assert format_number(-2.5, 0) == "-3"
    assert format_number(2.675, 2) == "2.67"  # no tie: the double is below
    assert format_number(-0.001, 2) == "0.00"
    assert format_number(-0.0, ".1e") == "0.0e+0"
    assert format_number(0.25, ".0e") == "3e-1"
    assert format_number(9.96, ".1e") == "1.0e+1"
    assert format_number(1e20, 1) == "100000000000000000000.0"


@pytest.mark.browser
def test_format_number_is_what_javascript_gives():
    """The front end's own function, in Chromium, on edges and on 3,000 random float32."""
    rng = np.random.default_rng(0)
    scale = 10.0 ** rng.integers(-9, 15, 3000)
    random = (rng.normal(size=3000) * scale).astype(np.float32).astype(float)
    ties = rng.integers(-(10**6), 10**6, 1000) / 2.0 ** rng.integers(1, 8, 1000)
    numbers = [*ROUNDING, *random.tolist(), *ties.tolist()]
    # toFixed changes its notation at 1e21, where a readout is refused.
    cases = [(v, d) for d in DIGITS for v in numbers if isinstance(d, str) or abs(v) < 1e21]
    source = (Path(widget.__file__).parent / "static" / "explorer.js").read_text("utf-8")
    start = source.index("function format(")
    function = source[start : source.index("\n}", start) + 2]
    with launch() as browser:
        page, _, _ = open_page(browser)
        shown = page.evaluate(
            f"cases => {{ {function}; return cases.map(c => format(...c)) }}", cases
        )
    wrong = [
        (case, ours, theirs)
        for case, theirs in zip(cases, shown, strict=True)
        if (ours := format_number(*case)) != theirs
    ]
    assert wrong == []


@quick
@given(st.floats(-1e6, 1e6), st.integers(0, 2))
def test_float32_prints_as_the_number_itself(value, digits):
    try:
        (small,) = float32_as_printed(np.array([value]), digits)
    except ArithmeticError:
        # Refused only where float32 has too few digits for it.
        assert abs(value) * 10**digits > 2**22
        return
    assert format_number(float(small), digits) == format_number(value, digits)


def test_a_number_by_a_rounding_edge_is_nudged_to_its_own_side():
    """0.124999999 prints 0.12, but the float32 nearest to it is a tie, 0.125, printed as 0.13."""
    value = 0.124999999
    assert format_number(float(np.float32(value)), 2) == "0.13"
    (small,) = float32_as_printed(np.array([value]), 2)
    assert format_number(float(small), 2) == format_number(value, 2) == "0.12"
    assert abs(float(small) - value) < 1e-7


def test_every_readout_of_an_explorer_prints_as_python_prints_it():
    values = (np.arange(200) * 0.005 - 0.5).tolist()  # half of them by a rounding edge

    def edges(k):
        return Frame(readouts={"r": values[k]})

    spec = explore(edges, name="e", title="t", alt="a", traces={}, k=range(200)).spec
    for indices, at in every_position(spec):
        shown = at_position(spec, indices)["readout", "r"]
        assert format_number(shown, 2) == format_number(values[at["k"]], 2)
