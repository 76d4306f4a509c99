"""The packed data against a second reader (`support.decoder`): every value, at every position."""

import base64
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lesson_utils.explore import Frame, explore
from lesson_utils.packing import Packer
from support.decoder import at_position, every_position, same
from support.strategies import quick


def built(frame, **parameters):
    traces = {"t": {"type": "scatter"}}
    return explore(frame, name="packed", title="t", alt="a", traces=traces, **parameters).spec


def spec_of(values, grid):
    """Pack one array alone; returns a spec that the decoder can read."""
    packer = Packer()
    entry = {"target": ["x"], **packer.add(values, grid)}
    params = [{"name": f"p{i}", "values": list(range(n))} for i, n in enumerate(grid)]
    # Through JSON, as the page gets it.
    return json.loads(json.dumps({"params": params, "data": [entry], "blobs": packer.blobs}))


def check(values, grid):
    spec = spec_of(values, grid)
    for indices, _ in every_position(spec):
        assert same(at_position(spec, indices)["x",], values[tuple(indices)].tolist())
    return spec


numbers = st.one_of(
    st.floats(width=32, allow_infinity=False),
    st.integers(-(2**24), 2**24).map(float),
    st.sampled_from([0.0, -0.0, math.nan]),
)
words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@st.composite
def arrays(draw):
    """Values on a grid of 1–3 sliders, each datum depending on some of them, with repeats."""
    grid = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=2)))
    kept = tuple(n if draw(st.booleans()) else 1 for n in grid)
    leaves = draw(st.sampled_from([numbers, words, st.booleans()]))
    few = draw(st.lists(leaves, min_size=1, max_size=4))
    size = math.prod(kept + shape)
    chosen = draw(st.lists(st.sampled_from(few), min_size=size, max_size=size))
    dtype = float if leaves is numbers else str if leaves is words else bool
    values = np.array(chosen, dtype=dtype).reshape(kept + shape)
    return np.broadcast_to(values, grid + shape), grid


@quick
@given(arrays())
def test_every_value_comes_back(case):
    check(*case)


@quick
@given(arrays())
def test_packing_twice_gives_the_same_bytes(case):
    assert spec_of(*case) == spec_of(*case)


@quick
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.data(),
)
def test_axes_are_exactly_those_a_datum_depends_on(grid, data):
    grid = tuple(grid)
    depends = [data.draw(st.booleans()) and n > 1 for n in grid]
    ramp = sum(
        np.arange(n).reshape([-1 if i == axis else 1 for i in range(len(grid))]) * 10.0**axis
        for axis, (n, yes) in enumerate(zip(grid, depends, strict=True))
        if yes
    )
    spec = check(np.broadcast_to(np.asarray(ramp, float), grid), grid)
    assert spec["data"][0]["axes"] == [axis for axis, yes in enumerate(depends) if yes]


@pytest.mark.parametrize(
    ("distinct", "width"), [(1, 1), (2, 1), (255, 1), (256, 1), (257, 2), (65535, 2), (65536, 2)]
)
def test_index_of_numbers_has_the_width_it_needs(distinct, width):
    # Each row comes twice, so that an index pays.
    index = np.arange(2 * distinct) % distinct
    values = np.stack([index, index**2, -index, index], axis=1).astype(np.float32)
    packer = Packer()
    entry = packer.add(values, (2 * distinct,))
    if distinct == 1:
        assert entry["axes"] == []
        return
    assert entry["index"]["bytes"] == width
    raw = base64.b64decode(packer.blobs[entry["index"]["blob"]])
    assert np.array_equal(np.frombuffer(raw, f"<u{width}"), index)
    rows = np.frombuffer(base64.b64decode(packer.blobs[entry["rows"]]), "<f4").reshape(-1, 4)
    assert np.array_equal(rows[index], values)


@pytest.mark.parametrize(("distinct", "width"), [(255, 1), (256, 1), (257, 2), (65536, 2)])
def test_index_of_strings_has_the_width_it_needs(distinct, width):
    words = np.array([f"w{i:05}" for i in range(distinct)])
    packer = Packer()
    entry = packer.add(words, (distinct,))
    assert entry["index"]["bytes"] == width
    raw = base64.b64decode(packer.blobs[entry["index"]["blob"]])
    found = np.array(entry["table"])[np.frombuffer(raw, f"<u{width}")]
    assert np.array_equal(found, words)


def test_more_rows_than_an_index_can_name_are_stored_in_full():
    rows = np.arange(65537, dtype=np.float32)
    values = np.repeat(rows, 2)[:, None] * np.ones(8, np.float32)
    packer = Packer()
    entry = packer.add(values, (len(values),))
    assert "index" not in entry
    raw = base64.b64decode(packer.blobs[entry["rows"]])
    assert np.array_equal(np.frombuffer(raw, "<f4").reshape(-1, 8), values)


def test_more_strings_than_an_index_can_name_are_refused():
    words = np.array([f"w{i}" for i in range(65537)])
    with pytest.raises(ValueError, match=r"65537 distinct values .* use at most 65536"):
        Packer().add(words, (65537,))


def test_rows_with_a_gap_are_recognised_as_equal():
    row = np.array([1.0, np.nan, 3.0, 4.0, 5.0, 6.0])
    other = np.where(np.arange(6) == 2, np.nan, row)
    values = np.array([row, other] * 20)
    packer = Packer()
    entry = packer.add(values, (40,))
    assert len(base64.b64decode(packer.blobs[entry["rows"]])) == 2 * 6 * 4
    check(values, (40,))


def test_a_gap_everywhere_alike_needs_no_axis():
    values = np.full((30, 4), np.nan)
    assert spec_of(values, (30,))["data"][0]["axes"] == []


def test_negative_zero_is_no_second_zero():
    assert spec_of(np.array([0.0, -0.0, 0.0]), (3,))["data"][0]["axes"] == []


def test_equal_buffers_are_stored_once_for_the_whole_explorer():
    packer = Packer()
    values = np.random.default_rng(0).normal(size=(20, 7))
    first, second = packer.add(values, (20,)), packer.add(values.copy(), (20,))
    assert first == second
    assert len(packer.blobs) == 1


def test_a_curve_that_depends_on_one_slider_is_stored_once_a_value_of_it():
    curve = np.random.default_rng(0).normal(size=(8, 300))
    values = np.broadcast_to(curve, (307, 8, 300))
    packer = Packer()
    entry = packer.add(values, (307, 8))
    assert entry["axes"] == [1]
    assert sum(map(len, packer.blobs)) == pytest.approx(8 * 300 * 4 * 4 / 3, rel=0.01)


def test_truth_values_stay_truth_values():
    """plotly.js takes neither 0 nor 1 for `visible`."""

    def frame(k):
        return Frame({"t": {"visible": k > 1, "y": [k]}})

    spec = built(frame, k=[0, 1, 2])
    found = [at_position(spec, [i])["trace", "t", "visible"] for i in range(3)]
    assert found == [False, False, True]
    assert all(isinstance(value, bool) for value in found)


@quick
@given(st.data())
def test_whole_explorers_come_back(data):
    """Several sliders of every kind, strings, gaps and all: decoder == frame() everywhere."""
    sizes = data.draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    table = data.draw(st.lists(numbers, min_size=16, max_size=16))
    templates = data.draw(st.lists(st.sampled_from(["at {a}", "{menu}: {r}", "", "r"]), min_size=2))
    length = data.draw(st.integers(0, 3))

    def frame(a, menu, flag):
        ys = [table[(a * (i + 1) + len(menu)) % 16] for i in range(length)]
        return Frame(
            {"t": {"y": ys, "x": [[1, 2], [3, a]], "name": menu, "opacity": 0.5 if flag else 1}},
            {"r": a * 10 + flag},
            templates[a % len(templates)],
        )

    menu = ["p", "qq", "rrr", "ssss"][: sizes[1]]
    spec = json.loads(
        json.dumps(built(frame, a=list(range(sizes[0])), menu=menu, flag=[False, True]))
    )
    count = 0
    for indices, values in every_position(spec):
        wanted = frame(**values)
        found = at_position(spec, indices)
        for key, attributes in wanted.traces.items():
            for attribute, value in attributes.items():
                assert same(found.pop(("trace", key, attribute)), value)
        assert same(found.pop(("readout", "r")), wanted.readouts["r"])
        assert found == {("sentence",): wanted.sentence}
        count += 1
    assert count == 2 * sizes[0] * sizes[1]


def test_the_decoder_itself_can_say_no():
    """A comparison that never fails proves nothing."""
    values = np.random.default_rng(0).normal(size=(6, 3))
    spec = spec_of(values, (6,))
    assert not same(at_position(spec, [0])["x",], values[1])
    assert not same([1.0, 2.0], [1.0])
    assert not same(math.nan, 1.0)
    assert not same("1", 1.0)
    assert not same(1.0000002, 1.0)
