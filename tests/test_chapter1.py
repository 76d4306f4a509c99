"""Chapter 1: the toy tokens, and `integer-start` against formulas written out in plain loops."""

import math

import numpy as np
import pytest

from lesson_utils.explorers import integer_start
from lesson_utils.toy import NAMES, TOPICS, X

ROOT5 = math.sqrt(5)


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def softmax_row(logits):
    exponentials = [math.exp(value - max(logits)) for value in logits]
    return [value / math.fsum(exponentials) for value in exponentials]


def expected(start):
    """Append the position to each token, then attend: no splitting into parts, no numpy."""
    tokens = [[*map(float, row), float(start + i)] for i, row in enumerate(X)]
    return [softmax_row([dot(a, b) / ROOT5 for b in tokens]) for a in tokens]


@pytest.fixture(scope="module")
def explorer():
    return integer_start.build()


def test_toy_tokens_are_those_of_the_book():
    table = """2.56 0.58 1.88 -1.68  2.81 0.84 0.09 0.14  1.99 0.81 -1.25 -1.75
               2.48 0.72 1.82 -1.50  2.86 0.75 0.11 -0.10  2.03 0.97 -1.22 -1.73"""
    assert X.ravel().tolist() == [float(entry) for entry in table.split()]
    assert NAMES == ("t0", "t1", "t2", "t3", "t4", "t5")


def test_toy_topics_are_as_the_docstring_says():
    for i in range(6):
        for j in range(i):
            cosine = dot(X[i], X[j]) / math.sqrt(dot(X[i], X[i]) * dot(X[j], X[j]))
            assert cosine > 0.99 if (j, i) in TOPICS else cosine < 0.78


def test_toy_tokens_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        X[0, 0] = 1.0


def test_every_start_from_0_to_200_can_be_reached():
    assert list(range(201)) == integer_start.STARTS


@pytest.mark.parametrize("start", range(201))
def test_frame(start):
    frame = integer_start.frame(start)
    weights = expected(start)
    shown = np.asarray(frame.traces["weights"]["z"])
    assert shown.shape == (6, 6)
    for i in range(6):
        for j in range(6):
            assert shown[i, j] == pytest.approx(weights[i][j], abs=1e-9)

    products = [dot(a, b) / ROOT5 for a in X for b in X]
    content = max(products) - min(products)
    position = ((start + 5) ** 2 - start**2) / ROOT5
    largest = math.fsum(max(row) for row in weights) / 6
    assert set(frame.readouts) == {"content_width", "position_width", "largest"}
    assert frame.readouts["content_width"] == pytest.approx(content, abs=1e-9)
    assert frame.readouts["position_width"] == pytest.approx(position, abs=1e-9)
    assert frame.readouts["largest"] == pytest.approx(largest, abs=1e-9)
    assert frame.traces["now"]["x"] == [start, start]
    assert frame.traces["now"]["y"] == pytest.approx([content, position], abs=1e-9)


@pytest.mark.parametrize("start", range(201))
def test_sentence_says_what_is_drawn(start):
    weights = expected(start)
    same_last = all(row.index(max(row)) == 5 for row in weights)
    alone = f"{math.fsum(max(row) for row in weights) / 6:.3f}" == "1.000"
    sentence = integer_start.frame(start).sentence
    assert ("disagree" in sentence) == (not same_last)
    assert ("nothing else" in sentence) == (same_last and alone)


@pytest.mark.parametrize(
    ("start", "position", "largest"), [(0, "11.18", "0.626"), (100, "458.39", "1.000")]
)
def test_figures_of_the_text(start, position, largest):
    readouts = integer_start.frame(start).readouts
    assert f"{readouts['content_width']:.2f}" == "3.30"
    assert f"{readouts['position_width']:.2f}" == position
    assert f"{readouts['largest']:.3f}" == largest


def test_lines_of_the_widths_pass_through_every_point(explorer):
    lines = {trace["key"]: trace for trace in explorer.spec["traces"]}
    for index, start in enumerate(integer_start.STARTS):
        now = integer_start.frame(start).traces["now"]["y"]
        for key, here in zip(("content", "position"), now, strict=True):
            assert lines[key]["x"][index] == start
            assert lines[key]["y"][index] == pytest.approx(here, abs=1e-9)


def test_explorer_fits_its_page(explorer):
    assert explorer.nbytes <= 150_000
    assert explorer.values == {"start": 0}
    axis = explorer.spec["layout"]["yaxis2"]
    assert axis["type"] == "log"
    low, high = axis["range"]
    for start in integer_start.STARTS:
        for value in integer_start.frame(start).traces["now"]["y"]:
            assert low < math.log10(value) < high


def test_setting_the_start_moves_the_frame(explorer):
    explorer.values = {"start": 100}
    assert explorer.frame.readouts["position_width"] == pytest.approx(1025 / ROOT5)
    explorer.values = {"start": 0}
