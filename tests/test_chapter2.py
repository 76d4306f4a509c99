"""Chapter 2: `sinusoid-distance` and `content-vs-position` against plain loops over `math`."""

import itertools
import math
from functools import cache

import pytest

from lesson_utils.explorers import content_vs_position, sinusoid_distance
from lesson_utils.toy import X

TOKENS = [[float(entry) for entry in row] for row in X]


def encode(position, dim):
    """The encoding by the paper's formula, one number at a time."""
    values = []
    for coordinate in range(dim):
        angle = position / math.pow(10000.0, 2 * (coordinate // 2) / dim)
        values.append(math.sin(angle) if coordinate % 2 == 0 else math.cos(angle))
    return values


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@cache
def products(dim):
    """PE(7)·PE(7 + distance): two encodings multiplied, and not the sum of cosines."""
    here = encode(7, dim)
    return [dot(here, encode(7 + distance, dim)) for distance in range(512)]


def shares(scale, start):
    """How t0 divides its attention; no encoding if start is None."""
    tokens = []
    for i, row in enumerate(TOKENS):
        wave = [0.0] * 4 if start is None else encode(start + i, 4)
        tokens.append([scale * x + w for x, w in zip(row, wave, strict=True)])
    exponentials = [math.exp(dot(tokens[0], other) / 2 - 40) for other in tokens]
    return [value / math.fsum(exponentials) for value in exponentials]


# ── sinusoid-distance ────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def distance_explorer():
    return sinusoid_distance.build()


@pytest.mark.parametrize("dim", sinusoid_distance.DIMS)
def test_distance_frames(dim):
    expected = products(dim)
    for distance in sinusoid_distance.DISTANCES:
        frame = sinusoid_distance.frame(distance, dim)
        assert set(frame.readouts) == {"product", "similarity"}
        assert frame.readouts["product"] == pytest.approx(expected[distance], abs=1e-9)
        assert frame.readouts["similarity"] == pytest.approx(expected[distance] / (dim / 2))
        assert frame.traces["now"]["x"] == [distance]
        assert frame.traces["now"]["y"] == pytest.approx([expected[distance] / (dim / 2)])


@pytest.mark.parametrize("dim", sinusoid_distance.DIMS)
def test_distance_curve_is_the_same_at_every_distance(dim):
    expected = [product / (dim / 2) for product in products(dim)]
    for distance in (0, 1, 406, 511):
        curve = sinusoid_distance.frame(distance, dim).traces["curve"]["y"]
        assert list(curve) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("dim", sinusoid_distance.DIMS)
def test_distance_bars(dim):
    for distance in sinusoid_distance.DISTANCES:
        frame = sinusoid_distance.frame(distance, dim)
        bars = list(frame.traces["pairs"]["y"])
        assert len(bars) == 32
        for pair, bar in enumerate(bars[: dim // 2]):
            assert bar == pytest.approx(math.cos(distance / 10000 ** (2 * pair / dim)), abs=1e-9)
        assert all(bar == 0 for bar in bars[dim // 2 :])
        mean = math.fsum(bars) / (dim // 2)
        assert mean == pytest.approx(frame.readouts["similarity"], abs=1e-9)
        assert frame.traces["count"]["x"] == [dim / 2 - 0.5] * 2


@pytest.mark.parametrize("dim", sinusoid_distance.DIMS)
def test_distance_sentences(dim):
    expected = products(dim)
    for distance in sinusoid_distance.DISTANCES:
        sentence = sinusoid_distance.frame(distance, dim).sentence
        assert ("itself" in sentence) == (distance == 0)
        assert ("ends" in sentence) == (distance == 511)
        if 0 < distance < 511:
            rises = expected[distance + 1] > expected[distance]
            assert ("larger" in sentence) == rises
            assert ("smaller" in sentence) == (not rises)


def test_distance_slider_reaches_what_the_text_names(distance_explorer):
    assert {*range(7), 50, 406, 511} <= set(sinusoid_distance.DISTANCES)
    assert {4, 64} <= set(sinusoid_distance.DIMS)
    text = {0: "32.00", 1: "30.92", 2: "28.30", 3: "25.59", 4: "23.93", 5: "23.50", 6: "23.56"}
    for distance, figure in {**text, 406: "2.56", 511: "6.42"}.items():
        assert f"{sinusoid_distance.frame(distance, 64).readouts['product']:.2f}" == figure
    assert distance_explorer.nbytes <= 150_000


def test_distance_axes_hold_every_position(distance_explorer):
    for axis in ("yaxis", "yaxis2"):
        low, high = distance_explorer.spec["layout"][axis]["range"]
        assert low < -1
        assert high > 1
    low, high = distance_explorer.spec["layout"]["xaxis"]["range"]
    assert low < min(sinusoid_distance.DISTANCES)
    assert high > max(sinusoid_distance.DISTANCES)


# ── content-vs-position ──────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def content_explorer():
    return content_vs_position.build()


@pytest.mark.parametrize("scale", content_vs_position.SCALES)
def test_content_frames(scale):
    without = shares(scale, None)
    for start in content_vs_position.STARTS:
        added = shares(scale, start)
        frame = content_vs_position.frame(scale, start)
        assert list(frame.traces["without"]["y"]) == pytest.approx(without, abs=1e-9)
        assert list(frame.traces["with"]["y"]) == pytest.approx(added, abs=1e-9)
        assert frame.readouts == pytest.approx(
            {
                "partner": added[3],
                "neighbour": added[1],
                "partner_without": without[3],
                "neighbour_without": without[1],
            },
            abs=1e-9,
        )


def test_content_sentences():
    for scale, start in itertools.product(content_vs_position.SCALES, content_vs_position.STARTS):
        without, added = shares(scale, None), shares(scale, start)
        sentence = content_vs_position.frame(scale, start).sentence
        if scale == 0:
            assert "switched off" in sentence
        else:
            assert ("partner t3" in sentence) == (added[3] > added[1])
            assert ("loses" in sentence) == (added[3] < without[3])


def test_content_slider_reaches_what_the_text_names(content_explorer):
    assert {0.0, 1.0, 2.0} <= set(content_vs_position.SCALES)
    assert {0, 5, 7} <= set(content_vs_position.STARTS)
    assert content_explorer.values == {"scale": 1.0, "start": 0}
    assert content_explorer.nbytes <= 150_000


@pytest.mark.parametrize(
    ("scale", "start", "figures"),
    [
        (1.0, None, "0.510 0.030 0.015 0.389 0.039 0.016"),
        (1.0, 0, "0.610 0.213 0.020 0.140 0.012 0.004"),
        (1.0, 5, "0.186 0.057 0.030 0.671 0.050 0.007"),
        (2.0, None, "0.746 0.000 0.000 0.254 0.000 0.000"),
        (2.0, 0, "0.923 0.001 0.000 0.077 0.000 0.000"),
    ],
)
def test_content_figures_of_the_text(scale, start, figures):
    row = content_vs_position.shares(scale, start)
    assert " ".join(f"{share:.3f}" for share in row) == figures


def test_content_at_scale_zero_does_not_know_the_start():
    first = content_vs_position.shares(0.0, 0)
    for start in content_vs_position.STARTS:
        assert content_vs_position.shares(0.0, start) == pytest.approx(first, abs=1e-12)
