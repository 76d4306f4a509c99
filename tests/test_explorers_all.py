"""Every explorer of the book, over its whole range: what any of them must keep to.

A new module in `lesson_utils.explorers` is found by itself. What an explorer shows is checked
against independent formulas in the test of its chapter.
"""

import importlib
import itertools
import json
import math
import pkgutil
import re
import time

import numpy as np
import pytest

import lesson_utils.explorers
from lesson_utils.explore import BUDGET, Frame
from lesson_utils.readouts import format_number
from lesson_utils.widget import Explorer
from support.decoder import at_position, every_position, same

MODULES = sorted(m.name for m in pkgutil.iter_modules(lesson_utils.explorers.__path__))
MAX_FRAMES, MAX_SECONDS = 3000, 6  # the aim is 3 s on an idle machine
SATURATES = {"heads"}  # shares of .5 to 1 are equally "nearly all", and most are far below
NARROW = 44  # characters of body text that fit on a line of a phone


@pytest.fixture(scope="module", params=MODULES)
def built(request):
    """(explorer, spec as the page reads it, seconds to build, every position)."""
    module = importlib.import_module(f"lesson_utils.explorers.{request.param}")
    started = time.process_time()
    explorer = module.build()
    seconds = time.process_time() - started
    page = explorer.to_html().split('class="explorer-spec">')[1].split("</script>")[0]
    spec = json.loads(page)
    return explorer, spec, seconds, list(every_position(spec))


def looked_up(spec, positions):
    for indices, values in positions:
        yield values, at_position(spec, indices)


def texts_at(spec, indices, found):
    """Each parameter's and readout's text as the page prints it here."""
    texts = {p["name"]: p["text"][i] for p, i in zip(spec["params"], indices, strict=True)}
    for readout in spec["readouts"]:
        texts[readout["name"]] = format_number(found["readout", readout["name"]], readout["digits"])
    return texts


def test_the_book_has_its_explorers():
    wanted = {
        "integer_start", "sinusoid_distance", "content_vs_position", "clock_hands",
        "heads", "score_drift", "turns", "pitfalls",
    }  # fmt: skip
    assert wanted <= set(MODULES)


def test_names_differ_and_follow_their_modules():
    for name in MODULES:
        module = importlib.import_module(f"lesson_utils.explorers.{name}")
        assert module.build().spec["name"] == name.replace("_", "-")


def test_it_is_an_explorer_within_its_budget(built):
    explorer, _, seconds, positions = built
    assert isinstance(explorer, Explorer)
    assert explorer.nbytes <= BUDGET + 3000  # the budget is of the data; the table is beside it
    assert len(positions) <= MAX_FRAMES
    assert seconds <= MAX_SECONDS


def test_the_page_holds_exactly_what_the_function_says(built):
    explorer, spec, _, positions = built
    for indices, values in positions:
        wanted, found = explorer._frame(**values), at_position(spec, indices)
        assert isinstance(wanted, Frame)
        for key, attributes in wanted.traces.items():
            for attribute, value in attributes.items():
                value = np.asarray(value).tolist()
                assert same(found.pop(("trace", key, attribute)), value), (values, key, attribute)
        for readout in spec["readouts"]:
            shown = found.pop(("readout", readout["name"]))
            given = float(wanted.readouts[readout["name"]])
            assert format_number(shown, readout["digits"]) == format_number(
                given, readout["digits"]
            )
        assert found == {("sentence",): wanted.sentence}, values


def test_the_function_is_pure(built):
    """Called again, in another order, it says the same: nothing depends on what was seen last."""
    explorer, _, _, positions = built
    some = positions[:: max(1, len(positions) // 40)]

    def ask(each):
        return {str(v): repr(explorer._frame(**v)) for _, v in each}

    assert ask(some) == ask(reversed(some))


def test_no_placeholder_is_left_and_no_number_is_odd(built):
    _, spec, _, positions = built
    templates = set()
    for indices, values in positions:
        found = at_position(spec, indices)
        sentence = found["sentence",]
        templates.add(sentence)
        texts = texts_at(spec, indices, found)
        shown = re.sub(r"\{(\w+)\}", lambda field: texts[field[1]], sentence)  # noqa: B023
        assert not set("{}$") & set(shown), (values, shown)
        assert not re.search(r"nan|inf\b|None|  ", shown), (values, shown)
        assert shown.rstrip()[-1:] in ".?!)”", (values, shown)
    assert len(templates) <= 200


def test_words_are_there_and_fit_a_phone(built):
    _, spec, _, positions = built
    assert len(spec["title"]) <= 70
    assert 30 <= len(spec["alt"]) <= 450
    for param in spec["params"]:
        assert len(param["label"]) <= 30
        assert max(map(len, param["text"])) <= 30
    for readout in spec["readouts"]:
        assert len(readout["label"]) <= NARROW
    for _, found in looked_up(spec, positions):
        assert len(found["sentence",]) <= 330
        for readout in spec["readouts"]:
            assert len(format_number(found["readout", readout["name"]], readout["digits"])) <= 9
    legend = [
        t["name"] for t in spec["traces"] if t.get("name") and t.get("showlegend") is not False
    ]
    assert all(len(name) <= 32 for name in legend)
    assert len(legend) == len(set(legend))


# ── axes ──────────────────────────────────────────────────────────────────────────────────────


def axis_names(trace):
    """The layout's names of a trace's x and y axis: "x2" → "xaxis2"."""
    return [
        f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}"
        for letter in "xy"
        if trace["type"] in {"scatter", "bar", "heatmap", "scattergl"}
    ]


def with_data(spec, found):
    """Each trace with what the page puts into it at one position."""
    traces = [dict(trace) for trace in spec["traces"]]
    by_key = {trace["key"]: trace for trace in traces}
    for target, value in found.items():
        if target[0] == "trace":
            by_key[target[1]][target[2]] = value
    return traces


def flat(values):
    return (
        list(itertools.chain.from_iterable(map(flat, values)))
        if isinstance(values, list)
        else [values]
    )


def numbers(values):
    return [
        v
        for v in flat(values if values is not None else [])
        if isinstance(v, (int, float)) and not isinstance(v, bool) and not math.isnan(v)
    ]


def still(spec):
    """Axes along which nothing ever moves: such an axis cannot jump."""
    moving = {tuple(entry["target"][1:]) for entry in spec["data"] if entry["target"][0] == "trace"}
    seen = {}
    for trace in spec["traces"]:
        for letter, axis in zip("xy", axis_names(trace), strict=False):
            constant = letter in trace and (trace["key"], letter) not in moving
            seen.setdefault(axis, []).append(constant)
    return {axis for axis, constant in seen.items() if all(constant)}


def test_every_axis_in_use_has_a_fixed_range(built):
    _, spec, _, _ = built
    used = {axis for trace in spec["traces"] for axis in axis_names(trace)}
    for axis in used - still(spec):
        given = spec["layout"].get(axis, {}).get("range")
        assert given is not None, f"{axis} has no range: it would jump as the reader slides"
        assert len(given) == 2
        assert all(isinstance(end, (int, float)) for end in given)


def test_the_fixed_ranges_hold_every_datum(built):
    """Bars are stacked as plotly stacks them, heat maps reach half a cell beyond their centres."""
    _, spec, _, positions = built
    reach = {}
    for _, found in looked_up(spec, positions):
        traces = with_data(spec, found)
        for trace in traces:
            if not axis_names(trace):
                continue
            for letter, axis in zip("xy", axis_names(trace), strict=True):
                values = list(numbers(trace.get(letter)))
                if trace["type"] == "heatmap" and values:
                    half = (max(values) - min(values)) / max(len(values) - 1, 1) / 2
                    values = [min(values) - half, max(values) + half]
                reach.setdefault(axis, []).extend(values and [min(values), max(values)])
        for axis, ends in stacked(spec, traces).items():
            reach.setdefault(axis, []).extend(ends)
    for axis, ends in reach.items():
        layout = spec["layout"].get(axis, {})
        if not ends or "range" not in layout:  # the test above says where one must be
            continue
        if layout.get("type") == "log":
            ends = [math.log10(end) for end in ends if end > 0]
        low, high = sorted(layout["range"])
        assert low - 1e-6 <= min(ends), f"{axis}: {min(ends)} is left of {low}"
        assert max(ends) <= high + 1e-6, f"{axis}: {max(ends)} is right of {high}"


def stacked(spec, traces):
    """Where the bars of each axis end when they are stacked, apart by sign."""
    if spec["layout"].get("barmode") not in {"relative", "stack"}:
        return {}
    ends, sums = {}, {}
    for trace in traces:
        if trace["type"] != "bar":
            continue
        along, across = ("x", "y") if trace.get("orientation") == "h" else ("y", "x")
        axis = axis_names(trace)["xy".index(along)]
        lengths, places = flat(trace.get(along)), flat(trace.get(across) or [])
        for i, length in enumerate(lengths):
            if length is None or math.isnan(length):
                continue
            place = (axis, places[i] if i < len(places) else i, length >= 0)
            sums[place] = sums.get(place, 0) + length
            ends.setdefault(axis, []).append(sums[place])
    return ends


def test_heat_maps_have_a_fixed_colour_range_that_holds_every_value(built):
    _, spec, _, positions = built
    for trace in spec["traces"]:
        if trace["type"] != "heatmap":
            continue
        assert {"zmin", "zmax"} <= trace.keys(), (
            f"{trace['key']}: colours would change their meaning"
        )
        for _, found in looked_up(spec, positions):
            values = numbers(found.get(("trace", trace["key"], "z"), trace.get("z")))
            assert values
            assert min(values) >= trace["zmin"] - 1e-6
            assert max(values) <= trace["zmax"] + 1e-6 or spec["name"] in SATURATES


def test_colours_are_tokens_so_that_they_follow_the_theme(built):
    _, spec, _, _ = built

    def colours(node, path=""):
        for key, value in node.items() if isinstance(node, dict) else []:
            if isinstance(value, dict):
                yield from colours(value, f"{path}.{key}")
            elif isinstance(value, list):
                for each in value:
                    yield from colours(each, f"{path}.{key}")
            elif key.endswith("color") or key == "colorscale":
                yield f"{path}.{key}", value

    for where, value in colours({"traces": spec["traces"], "layout": spec["layout"]}):
        transparent = value in ("rgba(0,0,0,0)", "transparent")
        assert transparent or not isinstance(value, str) or value.startswith("$"), (where, value)


def test_each_slider_matters(built):
    """Moving any slider changes something somewhere."""
    _, spec, _, _ = built
    moved = {axis for entry in spec["data"] for axis in entry["axes"]}
    assert moved == set(range(len(spec["params"])))
