"""Every rule of `explore`, and that bad use is caught early by an error one can act on."""

import math

import numpy as np
import pytest

from lesson_utils import palette
from lesson_utils.explore import BUDGET, Frame, compute, explore, page_json
from support.decoder import at_position

TRACE = {"type": "scatter", "mode": "lines"}


def parabola(k):
    return Frame({"now": {"x": [k], "y": [k * k]}}, {"square": k * k}, "{k}² is {square}.")


def make(frame=parabola, **changes):
    settings = {
        "name": "squares",
        "title": "Squares",
        "alt": "A point climbing a parabola.",
        "traces": {"now": dict(TRACE)},
        **({} if "k" in changes or "a" in changes else {"k": [0, 1, 2, 3]}),
        **changes,
    }
    return explore(frame, **{key: value for key, value in settings.items() if value is not ...})


def at(**frames):
    """A frame function that returns ``frames["k3"]`` at k = 3 and ``frames["usual"]`` elsewhere."""
    return lambda k: frames.get(f"k{k}", frames["usual"])


def two(sentence="{k}", **changes):
    return lambda k: Frame({"now": {"y": [k], **changes}}, {"square": k}, sentence)


# ── what works ────────────────────────────────────────────────────────────────────────────────


def test_the_docstrings_example():
    explorer = make()
    assert explorer.values == {"k": 0}
    assert explorer.frame == parabola(0)
    explorer.values = {"k": 3}
    assert explorer.frame == parabola(3)


def test_kinds_follow_from_the_values():
    spec = make(
        lambda a, m, s: Frame(readouts={"r": a}),
        a=np.linspace(0, 1, 3),
        m=["one", "two"],
        s=[False, True],
        traces={},
    ).spec
    assert [(p["name"], p["kind"], p["values"], p["text"]) for p in spec["params"]] == [
        ("a", "slider", [0.0, 0.5, 1.0], ["0", "0.5", "1"]),
        ("m", "menu", ["one", "two"], ["one", "two"]),
        ("s", "switch", [False, True], ["off", "on"]),
    ]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (range(3), ["0", "1", "2"]),
        (np.array([3, 10, 4000]), ["3", "10", "4000"]),
        ([1_000_000, 2_000_000], ["1000000", "2000000"]),
        ([0.1 + 0.2], ["0.3"]),
        ([1 / 3, 2 / 3], ["0.333333", "0.666667"]),
        ([1.0000001, 1.0000002], ["1.0000001", "1.0000002"]),
        ([1.0, np.nextafter(1.0, 2)], ["1.0", "1.0000000000000002"]),
        ([-2, -0.5], ["-2", "-0.5"]),
    ],
)
def test_slider_texts_are_short_and_never_alike(values, texts):
    explorer = make(lambda k: Frame(sentence="{k}"), traces={}, k=values)
    assert explorer.spec["params"][0]["text"] == texts


def test_frames_see_plain_python_numbers():
    seen = []

    def frame(k):
        seen.append(type(k))
        return Frame(readouts={"square": k})

    make(frame, k=np.array([0, 1]), traces={})
    assert set(seen) == {int}


def test_each_position_is_asked_once_before_anything_is_drawn():
    asked = []

    def frame(a, b):
        asked.append((a, b))
        return Frame(readouts={"square": a})

    explorer = make(frame, a=[1, 2], b=["x", "y"], traces={})
    assert asked == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]
    explorer.values = {"a": 2}
    assert len(asked) == 4


def test_labels_initial_play_and_height_arrive():
    spec = make(
        lambda a, b: Frame(readouts={"r": a + b}),
        a=[1, 2],
        b=[3, 4],
        traces={},
        labels={"a": "the first"},
        initial={"b": 4},
        play="a",
        height=200,
        readouts={"r": ("the sum", 1)},
    ).spec
    assert [p["label"] for p in spec["params"]] == ["the first", "b"]
    assert spec["initial"] == {"a": 1, "b": 4}
    assert (spec["play"], spec["height"]) == ("a", 200)
    assert spec["readouts"] == [{"name": "r", "label": "the sum", "digits": 1}]


def test_readouts_without_a_label_use_their_name_and_two_decimals():
    assert make().spec["readouts"] == [{"name": "square", "label": "square", "digits": 2}]


def test_titles_are_spelled_as_plotly_js_3_reads_them():
    layout = {"xaxis": {"title": "start", "range": [0, 1]}, "title": {"text": "whole"}}
    spec = make(layout=layout).spec
    assert spec["layout"]["xaxis"]["title"] == {"text": "start"}
    assert spec["layout"]["title"] == {"text": "whole"}
    bar = {"type": "heatmap", "z": [[1]], "colorbar": {"title": "share"}}
    made = make(lambda k: Frame(readouts={"r": k}), traces={"h": bar})
    assert made.spec["traces"][0]["colorbar"]["title"] == {"text": "share"}


def test_traces_may_hold_arrays_and_gaps():
    trace = {
        **TRACE,
        "x": np.arange(3),
        "y": (np.float32(0.5), math.nan, 2),
        "opacity": np.float64(1),
    }
    (made,) = make(traces={"now": trace}).spec["traces"]
    assert made == {"key": "now", **TRACE, "x": [0, 1, 2], "y": [0.5, None, 2], "opacity": 1.0}


def test_a_trace_without_a_type_is_a_scatter_for_the_page_too():
    assert make(traces={"now": {"mode": "lines"}}).spec["traces"][0]["type"] == "scatter"


def test_what_comes_in_is_never_changed():
    trace, layout, k = {**TRACE, "line": {"color": "$ink"}}, {"xaxis": {"title": "x"}}, [0, 1]
    make(two(**{"line.width": 2}), traces={"now": trace}, layout=layout, k=k)
    assert trace == {**TRACE, "line": {"color": "$ink"}}
    assert layout == {"xaxis": {"title": "x"}}
    assert k == [0, 1]


def test_dotted_names_reach_inside():
    made = make(lambda k: Frame({"now": {"marker.color": ["$ink" if k else "$rotary"], "y": [k]}}))
    found = [at_position(made.spec, [i])["trace", "now", "marker.color"] for i in (0, 1)]
    assert found == [["$rotary"], ["$ink"]]


def test_palette_holds_the_colours_in_use_for_both_themes():
    def frame(k):
        return Frame({"now": {"marker.color": ["$content" if k > 2 else "$position"], "y": [k]}})

    heat = {"type": "heatmap", "z": [[1]], "colorscale": "$heat"}
    layout = {"shapes": [{"type": "line", "line": {"color": "$cross1@0.5"}}]}
    spec = make(frame, traces={"now": dict(TRACE), "h": heat}, layout=layout).spec
    always = {"ink", "muted", "grid", "surface"}
    assert set(spec["palette"]["light"]) == always | {"content", "position", "cross1", "heat"}
    assert set(spec["palette"]["dark"]) == set(spec["palette"]["light"])
    assert spec["palette"]["dark"]["content"] == palette.DARK["content"]
    assert spec["palette"]["dark"]["heat"] == palette.HEAT["dark"]


def test_a_readout_named_after_a_colour_has_it_even_if_no_trace_does():
    spec = make(lambda k: Frame(readouts={"rotary": k}), traces={}).spec
    assert spec["palette"]["light"]["rotary"] == palette.LIGHT["rotary"]


def test_an_explorer_may_show_words_alone():
    spec = make(lambda k: Frame(sentence="k is {k}."), traces={}).spec
    assert [entry["target"] for entry in spec["data"]] == [["sentence"]]


def test_nbytes_is_what_the_page_carries():
    explorer = make()
    assert explorer.nbytes == len(explorer.to_html().encode())
    assert len(page_json(explorer.spec)) < explorer.nbytes < BUDGET


def test_compute_alone_needs_no_widget():
    settings = {"title": "t", "alt": "a", "traces": {"now": TRACE}, "k": [0, 1]}
    assert compute(parabola, name="x", **settings) == make(**settings, name="x").spec


# ── what is refused ───────────────────────────────────────────────────────────────────────────

SQUARES = r"Explorer 'squares'"
AT_3 = SQUARES + r" at \{'k': 3\}: "
CASES = {
    # name, title, alt, height
    "name with a capital": ({"name": "Squares"}, "kebab-case like 'score-drift', got 'Squares'"),
    "name with a space": ({"name": "two words"}, "kebab-case"),
    "name with two dashes": ({"name": "two--words"}, "kebab-case"),
    "name in other letters": ({"name": "größe"}, "kebab-case"),
    "name with a line end": ({"name": "squares\n"}, "kebab-case"),
    "no name": ({"name": ""}, "kebab-case like 'score-drift', got ''"),
    "name is None": ({"name": None}, "kebab-case like 'score-drift', got None"),
    "empty title": ({"title": " "}, SQUARES + ": title must be a sentence, got ' '"),
    "title is None": ({"title": None}, SQUARES + ": title must be a sentence, got None"),
    "empty alt": ({"alt": ""}, SQUARES + ": alt must be a sentence, got ''"),
    "height as text": ({"height": "tall"}, SQUARES + r": height .* from 40 to 2000, got 'tall'"),
    "height of nothing": ({"height": 0}, SQUARES + ": height .* got 0"),
    # sliders
    "no slider": ({"k": ...}, SQUARES + r" has no slider: give at least one, e\.g\. k=\[0, 1, 2\]"),
    "no values": ({"k": []}, SQUARES + r", slider 'k' has no values: give at least one"),
    "no values, array": ({"k": np.array([])}, "slider 'k' has no values"),
    "not increasing": ({"k": [0, 2, 1]}, "slider 'k': values must increase, but 1 follows 2"),
    "repeated": ({"k": [0, 1, 1]}, "slider 'k': values must increase, but 1 follows 1"),
    "repeated across types": ({"k": [1, 1.0]}, r"values must increase, but 1\.0 follows 1"),
    "not finite": ({"k": [0, math.inf]}, r"slider 'k': values must be all finite .*\[0, inf\]"),
    "NaN": ({"k": [math.nan]}, "slider 'k': values must be all finite numbers or all strings"),
    "mixed": ({"k": [0, "one"]}, r"finite numbers or all strings: \[0, 'one'\]"),
    "number and truth": ({"k": [0, True]}, r"finite numbers or all strings: \[0, True\]"),
    "two-dimensional": ({"k": np.zeros((2, 2))}, "finite numbers or all strings"),
    "complex": ({"k": [1j]}, "finite numbers or all strings"),
    "one word for a list": ({"k": "abc"}, "slider 'k': give a list of values.* got 'abc'"),
    "one number for a list": ({"k": 5}, "slider 'k': give a list of values.* got 5"),
    "a dictionary for a list": ({"k": {1: 2}}, "slider 'k': give a list of values"),
    "doubled choices": (
        {"k": ["b", "a", "b", "a"]},
        r"slider 'k': choices must differ, but \['a', 'b'\] came more than once",
    ),
    "empty choice": ({"k": ["a", ""]}, "slider 'k': a choice must say something"),
    "half a switch": ({"k": [True]}, r"slider 'k': a switch is \[False, True\], got \[True\]"),
    "switch reversed": ({"k": [True, False]}, r"a switch is \[False, True\], got \[True, False\]"),
    "unknown label": (
        {"labels": {"gap": "g"}},
        SQUARES + r": labels name \['gap'\], which is no parameter; they are \['k'\]",
    ),
    "label not text": ({"labels": {"k": 3}}, SQUARES + ": the label of 'k' must be text, got 3"),
    "parameter in other letters": ({"a": ..., "größe": [1]}, "named with ASCII letters.*'größe'"),
    "unknown play": ({"play": "gap"}, SQUARES + r": play='gap' cannot be played; it has \['k'\]"),
    # initial
    "unknown initial": ({"initial": {"gap": 1}}, SQUARES + r" has no parameter 'gap'; it has"),
    "initial between two": (
        {"initial": {"k": 1.5}},
        SQUARES + r": k=1\.5 is not one of its positions; the nearest are \[1, 2\]",
    ),
    "initial a truth value": ({"initial": {"k": True}}, r"k=True is not one of its positions"),
    "initial not a dictionary": ({"initial": [1]}, r"values are a dictionary like \{'k': 0\}"),
    # frame
    "frame fails": (
        {"frame": lambda k: 1 / (3 - k)},
        SQUARES + r" at \{'k': 0\}: the frame function must return a Frame, got float",
    ),
    "frame fails later": (
        {"frame": lambda k: parabola(k) if k < 3 else 1 / 0},
        AT_3 + "the frame function failed with ZeroDivisionError: division by zero",
    ),
    "frame lacks the parameter": (
        {"frame": lambda j: parabola(j)},
        r"at \{'k': 0\}: the frame function failed with TypeError: .*'k'",
    ),
    "frame returns nothing": ({"frame": lambda k: None}, "must return a Frame, got NoneType"),
    "key appears": (
        {"frame": at(usual=Frame({"now": {"y": [1]}}), k3=Frame({"now": {"y": [1], "x": [1]}}))},
        AT_3 + "trace now x appears; a frame must have the same keys at every position",
    ),
    "key is missing": (
        {"frame": at(usual=Frame({"now": {"y": [1], "x": [1]}}), k3=Frame({"now": {"y": [1]}}))},
        AT_3 + "trace now x is missing; a frame must have the same keys",
    ),
    "readout is missing": (
        {"frame": at(usual=Frame(readouts={"r": 1}), k3=Frame())},
        AT_3 + "readout r is missing",
    ),
    "shape changes": (
        {"frame": at(usual=Frame({"now": {"y": [1, 2]}}), k3=Frame({"now": {"y": [1]}}))},
        AT_3 + r"trace now y has shape \(1,\), but \(2,\) at the first position; shapes must agree",
    ),
    "numbers become text": (
        {"frame": at(usual=Frame({"now": {"y": [1]}}), k3=Frame({"now": {"y": ["a"]}}))},
        AT_3 + "trace now y is text, but numbers at the first position",
    ),
    "text becomes numbers": (
        {"frame": at(usual=Frame({"now": {"text": "a"}}), k3=Frame({"now": {"text": 1}}))},
        AT_3 + "trace now text is numbers, but text at the first position",
    ),
    "truth becomes a number": (
        {"frame": at(usual=Frame({"now": {"visible": True}}), k3=Frame({"now": {"visible": 1}}))},
        AT_3 + "trace now visible is numbers, but true or false at the first position",
    ),
    "text and numbers in one list": (
        {"frame": two(text=["a", 1])},
        r"at \{'k': 0\}: trace 'now', 'text' mixes text and numbers: \['a', 1\]",
    ),
    "ragged": ({"frame": two(x=[[1], [1, 2]])}, "trace 'now', 'x' must be rectangular"),
    "None in a list": ({"frame": two(x=[None, 1])}, "trace 'now', 'x' must be real numbers or st"),
    "complex numbers": ({"frame": two(x=[1j])}, "trace 'now', 'x' must be real numbers"),
    "infinite datum": (
        {"frame": at(usual=Frame({"now": {"y": [1]}}), k3=Frame({"now": {"y": [math.inf]}}))},
        AT_3 + r"trace now y holds \[inf\].*NaN for a gap",
    ),
    "datum beyond float32": (
        {"frame": at(usual=Frame({"now": {"y": [1.0]}}), k3=Frame({"now": {"y": [1e39]}}))},
        AT_3 + r"trace now y holds \[1e\+39\].*float32",
    ),
    "unknown trace": (
        {"frame": lambda k: Frame({"then": {"y": [k]}})},
        r"at \{'k': 0\}: the frame sets trace 'then', but the traces are \['now'\]",
    ),
    # readouts
    "readout NaN": (
        {"frame": at(usual=Frame(readouts={"r": 1}), k3=Frame(readouts={"r": math.nan}))},
        AT_3 + "readout 'r' must be one finite number, got nan",
    ),
    "readout infinite": (
        {"frame": at(usual=Frame(readouts={"r": 1}), k3=Frame(readouts={"r": -math.inf}))},
        AT_3 + "readout 'r' must be one finite number, got -inf",
    ),
    "readout is a list": (
        {"frame": lambda k: Frame(readouts={"r": [1]})},
        r"readout 'r' must be one finite number, got \[1\]",
    ),
    "readout is text": (
        {"frame": lambda k: Frame(readouts={"r": "1"})},
        "readout 'r' must be one finite number, got '1'",
    ),
    "readout is None": (
        {"frame": lambda k: Frame(readouts={"r": None})},
        "readout 'r' must be one finite number, got None",
    ),
    "readout is ragged": (
        {"frame": lambda k: Frame(readouts={"r": [[1], [1, 2]]})},
        "readout 'r' must be one finite number",
    ),
    "readout named like a parameter": (
        {"frame": lambda k: Frame(readouts={"k": k})},
        "readout 'k' bears the name of a parameter; rename it",
    ),
    "more digits than float32 holds": (
        {"frame": lambda k: Frame(readouts={"r": 16_777_216 + k})},
        r"at \{'k': 1\}: readout r holds 16777217\.0, .*Use fewer decimals",
    ),
    "more decimals than float32 holds": (
        {"frame": lambda k: Frame(readouts={"r": 0.1}), "readouts": {"r": ("r", 12)}},
        "readout r holds 0.1, .*Use fewer decimals",
    ),
    "readout beyond toFixed": (
        {"frame": lambda k: Frame(readouts={"r": 2.0**100})},
        "readout r holds .*Use fewer decimals or smaller numbers",
    ),
    "label for no readout": (
        {"readouts": {"cube": ("cube", 2)}},
        SQUARES + r": readouts \['cube'\] are labelled, but the frame gives \['square'\]",
    ),
    "label without decimals": (
        {"readouts": {"square": "the square"}},
        SQUARES + r", readout 'square': give \(label, decimals\), got 'the square'",
    ),
    "label is a number": ({"readouts": {"square": (2, 2)}}, r"give \(label, decimals\)"),
    "negative decimals": (
        {"readouts": {"square": ("s", -1)}},
        SQUARES + r", readout 'square': decimals must be an integer from 0 to 12 .* got -1",
    ),
    "too many decimals": ({"readouts": {"square": ("s", 13)}}, "decimals must be .* got 13"),
    "decimals as truth": ({"readouts": {"square": ("s", True)}}, "decimals must be .* got True"),
    "decimals as percent": ({"readouts": {"square": ("s", ".1%")}}, "decimals must be .* '.1%'"),
    # sentence
    "unknown placeholder": (
        {"frame": two("{k} and {gap}")},
        r"at \{'k': 0\}: the sentence names \['gap'\], which is neither a parameter nor a readout",
    ),
    "placeholder at one branch": (
        {"frame": lambda k: two("{gone}" if k == 3 else "{k}")(k)},
        AT_3 + r"the sentence names \['gone'\]",
    ),
    "placeholder with a format": ({"frame": two("{k:.2f}")}, r"braces for \{name\} alone"),
    "empty placeholder": ({"frame": two("{}")}, r"braces for \{name\} alone"),
    "a set in braces": ({"frame": two("the set {1, 2}")}, r"braces for \{name\} alone"),
    "sentence is no text": ({"frame": two(None)}, "the sentence must be text, got None"),
    # looks
    "attribute misspelled": (
        {"traces": {"now": {**TRACE, "linewidth": 3}}},
        SQUARES + ": plotly does not take its traces or layout: .*linewidth",
    ),
    "attribute's value": (
        {"traces": {"now": {**TRACE, "mode": "liness"}}},
        SQUARES + ": plotly does not take .*liness",
    ),
    "layout misspelled": (
        {"layout": {"xaxes": {"range": [0, 1]}}},
        SQUARES + ": plotly does not take .*xaxes",
    ),
    "name joined by underscore": (
        {"traces": {"now": {**TRACE, "marker_color": "$ink"}}},
        "marker_color is not an attribute's full name; nest it in dicts",
    ),
    "layout joined by underscore": (
        {"layout": {"xaxis_title": "x"}},
        "xaxis_title is not an attri",
    ),
    "deep name joined by underscore": (
        {"layout": {"shapes": [{"type": "line", "line_color": "$ink"}]}},
        r"layout\.shapes\.0\.line_color is not an attribute's full name",
    ),
    "frame's attribute misspelled": (
        {"frame": two(yy=[1])},
        SQUARES + ": plotly does not take .*yy",
    ),
    "frame's dotted attribute misspelled": (
        {"frame": two(**{"marker.colour": ["$ink"]})},
        SQUARES + ": plotly does not take .*colour",
    ),
    "dotted attribute inside a value": (
        {"frame": two(**{"name.text": "x"}), "traces": {"now": {**TRACE, "name": "n"}}},
        "trace 'now' has no 'name.text': 'name' is a value",
    ),
    "frame's word at one position": (
        {"frame": lambda k: two(**{"marker.symbol": "crcle" if k == 2 else "circle"})(k)},
        SQUARES + ": plotly does not take .*crcle",
    ),
    "unknown colour": (
        {"traces": {"now": {**TRACE, "line": {"color": "$rotarry"}}}},
        SQUARES + r": plotly does not take .*'\$rotarry' is no colour of the palette: \['additive'",
    ),
    "unknown colour in the layout": (
        {"layout": {"shapes": [{"type": "line", "line": {"color": "$blue"}}]}},
        r"'\$blue' is no colour of the palette",
    ),
    "unknown colour at one position": (
        {"frame": lambda k: two(**{"marker.color": ["$red" if k == 3 else "$ink"]})(k)},
        r"'\$red' is no colour of the palette",
    ),
    "opacity beyond one": (
        {"traces": {"now": {**TRACE, "line": {"color": "$ink@1.5"}}}},
        r"'\$ink@1.5' is no colour of the palette.* or like '\$ink@0.3'",
    ),
    "opacity of a scale": (
        {"traces": {"now": {"type": "heatmap", "z": [[1]], "colorscale": "$heat@0.5"}}},
        "a colour scale takes no opacity",
    ),
    "trace is no dictionary": ({"traces": {"now": "lines"}}, "trace 'now' must be a dictionary"),
    "trace with an object": (
        {"traces": {"now": {**TRACE, "x": {1, 2}}}},
        r"trace 'now'\.x is \{1, 2\}, a set, which a page cannot carry",
    ),
    "infinite constant": ({"traces": {"now": {**TRACE, "x": [math.inf]}}}, r"'now'\.x is infinite"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_use_is_caught_early(case):
    changes, message = CASES[case]
    with pytest.raises(ValueError, match=message) as caught:
        make(**changes)
    # Whoever reads it must know which explorer to mend.
    name = changes.get("name", "squares")
    assert (repr(name) if name else "explorer's name") in str(caught.value)


def test_the_frames_own_error_stays_in_the_chain():
    with pytest.raises(ValueError, match="ZeroDivisionError") as caught:
        make(lambda k: 1 / 0)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_budget_names_the_heaviest_part():
    noise = np.random.default_rng(0)

    def frame(k):
        return Frame({"now": {"y": noise.normal(size=400)}}, {"square": k})

    with pytest.raises(
        ValueError, match=r"weighs [\d,]+ bytes, more than its budget of 150,000"
    ) as e:
        make(frame, k=range(100))
    assert "trace now y, which changes with k" in str(e.value)
    assert "use fewer positions or points" in str(e.value)
    assert make(frame, k=range(100), budget=300_000).nbytes > BUDGET


def test_budget_blames_constants_where_they_weigh():
    trace = {**TRACE, "x": list(range(40_000))}
    with pytest.raises(ValueError, match="heaviest part is the traces' constant part"):
        make(traces={"now": trace})


def test_budget_counts_what_the_page_carries():
    size = len(page_json(make().spec))
    assert make(budget=size)
    with pytest.raises(
        ValueError, match=f"weighs {size:,} bytes, more than its budget of {size - 1:,}"
    ):
        make(budget=size - 1)


def test_too_many_sentences_say_which_datum_it_is(monkeypatch):
    monkeypatch.setattr("lesson_utils.packing._MOST", 3)
    with pytest.raises(ValueError, match="Explorer 'squares': sentence: 4 distinct values"):
        make(lambda k: Frame(sentence=f"k is {k}."), traces={})
