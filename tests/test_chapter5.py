"""Chapter 5: its three explorers, over their whole range, against plain loops and `cmath`.

Nothing here calls `lesson_utils.rotary`, `scores` or `positions`: each formula is written again,
one number at a time, so that a slip in the package cannot hide in its own test.
"""

import cmath
import math
import re
from functools import cache

import numpy as np
import pytest

from lesson_utils.explorers import pitfalls, score_drift, turns

# ── the formulas again ───────────────────────────────────────────────────────────────────────────


def speed(pair, dim, base=10000.0):
    return math.exp(-2 * pair / dim * math.log(base))


def turned(x, position, speeds=None):
    """x with neighbouring pairs multiplied, as complex numbers, by e^(i·position·speed)."""
    speeds = speeds or [speed(pair, len(x)) for pair in range(len(x) // 2)]
    result = []
    for pair, omega in enumerate(speeds):
        z = complex(x[2 * pair], x[2 * pair + 1]) * cmath.exp(1j * position * omega)
        result += [z.real, z.imag]
    return result


def halves(x, position):
    """The half-split pairing: coordinate i with coordinate i + dim/2."""
    half = len(x) // 2
    result = [0.0] * len(x)
    for pair in range(half):
        z = complex(x[pair], x[pair + half]) * cmath.exp(1j * position * speed(pair, len(x)))
        result[pair], result[pair + half] = z.real, z.imag
    return result


def wave(position, dim):
    """The interleaved sinusoidal encoding."""
    result = []
    for pair in range(dim // 2):
        z = cmath.exp(1j * position * speed(pair, dim))
        result += [z.imag, z.real]
    return result


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


@cache
def drawn():
    q, k = np.random.default_rng(0).normal(size=(2, 64)).tolist()
    return tuple(q), tuple(k)


@cache
def at(position):
    """What both sides of a score need at one position: P, R q, R k, q·P, P·k."""
    q, k = drawn()
    p = wave(position, 64)
    return p, turned(q, position), turned(k, position), dot(q, p), dot(p, k)


def expected(start, gap):
    """The four additive terms and the rotary score."""
    q, k = drawn()
    p_m, q_m, _, _, p_k = at(start)
    p_n, _, k_n, q_p, _ = at(start + gap)
    return dot(q, k), q_p, p_k, dot(p_m, p_n), dot(q_m, k_n)


# ── score-drift ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def drift():
    return score_drift.build()


def test_drift_has_the_positions_of_the_text():
    starts, gaps = score_drift.STARTS, score_drift.GAPS
    assert starts[:129] == list(range(129)), "every start up to 128"
    assert {3, 10, 100, 4000, 4096} <= set(starts)
    assert starts == sorted(set(range(4097)) & set(starts))
    assert {1, 2, 3, 5, 8, 16, 32, 64} <= set(gaps)
    assert len(starts) * len(gaps) <= 3000


@pytest.mark.parametrize("gap", score_drift.GAPS)
def test_drift_readouts_and_terms_at_every_position(gap):
    index = {start: i for i, start in enumerate(score_drift.STARTS)}
    for start in score_drift.STARTS:
        content, query_position, position_key, position, rotary = expected(start, gap)
        additive = math.fsum((content, query_position, position_key, position))
        frame = score_drift.frame(start, gap)
        assert frame.readouts == {
            "additive": pytest.approx(additive, abs=1e-9),
            "rotary": pytest.approx(rotary, abs=1e-9),
        }
        shown = {key: trace["x"] for key, trace in frame.traces.items() if "x" in trace}
        assert shown["query-position"] == pytest.approx([query_position], abs=1e-9)
        assert shown["position-key"] == pytest.approx([position_key], abs=1e-9)
        assert shown["position"] == pytest.approx([position], abs=1e-6)
        assert shown["sum"] == pytest.approx([additive], abs=1e-9)
        assert list(shown["guide"]) == [index[start]] * 2
        for key, value in (("additive-now", additive), ("rotary-now", rotary)):
            assert list(shown[key]) == [index[start]]
            assert frame.traces[key]["y"] == pytest.approx([value], abs=1e-9)
        assert words(frame.sentence) == mixed(query_position, position_key)


def words(sentence):
    (found,) = re.findall("are positive|are negative|opposite", sentence)
    return found


def mixed(a, b):
    return "opposite" if (a > 0) != (b > 0) else ("are positive" if a > 0 else "are negative")


@pytest.mark.parametrize("gap", score_drift.GAPS)
def test_drift_curves_hold_every_start(gap):
    traces = score_drift.frame(0, gap).traces
    curve = [*traces["curve"]["y"], *traces["dots"]["y"]]
    for start, shown, flat in zip(score_drift.STARTS, curve, traces["flat"]["y"], strict=True):
        *terms, rotary = expected(start, gap)
        assert shown == pytest.approx(math.fsum(terms), abs=1e-9)
        assert flat == pytest.approx(rotary, abs=1e-9)


@pytest.mark.parametrize("gap", score_drift.GAPS)
def test_drift_says_the_truth_about_both_scores(gap):
    frames = [score_drift.frame(start, gap) for start in (3, 10, 100, 4000)]
    rotary = [frame.readouts["rotary"] for frame in frames]
    additive = [frame.readouts["additive"] for frame in frames]
    assert max(rotary) - min(rotary) < 1e-11
    assert max(additive) - min(additive) > 1


def test_drift_shows_the_figures_of_the_chapter():
    shown = [score_drift.frame(start, 2).readouts for start in (3, 10, 100, 4000)]
    assert [f"{r['additive']:.2f}" for r in shown] == ["26.82", "25.09", "17.29", "10.15"]
    assert [f"{r['rotary']:.3f}" for r in shown] == ["-12.638"] * 4


def test_drift_stays_inside_its_axes(drift):
    layout = drift.spec["layout"]
    low, high = layout["yaxis"]["range"]
    left, right = layout["xaxis2"]["range"]
    for gap in score_drift.GAPS:
        traces = score_drift.frame(0, gap).traces
        for key in ("curve", "dots", "flat"):
            assert low < min(traces[key]["y"])
            assert max(traces[key]["y"]) < high
        for start in score_drift.STARTS:
            terms = expected(start, gap)[:4]
            assert left < sum(t for t in terms if t < 0)
            assert sum(t for t in terms if t > 0) < right
    low, high = layout["xaxis"]["range"]
    assert low < 0
    assert len(score_drift.STARTS) - 1 < high


def test_drift_contract(drift):
    assert (drift.spec["name"], drift.spec["play"]) == ("score-drift", "start")
    assert drift.values == {"start": 3, "gap": 2}
    assert [(r["name"], r["digits"]) for r in drift.spec["readouts"]] == [
        ("additive", 2),
        ("rotary", 3),
    ]
    assert drift.nbytes <= 150_000


# ── turns ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("base", turns.BASES)
def test_turns_frames(base):
    for gap in turns.GAPS:
        made = [gap * speed(pair, 64, float(base)) / (2 * math.pi) for pair in range(32)]
        frame = turns.frame(gap, base)
        assert frame.readouts == {
            "first": sum(gap * speed(pair, 64, float(base)) < 2 * math.pi for pair in range(32)),
            "fastest": pytest.approx(made[0], rel=1e-12),
            "slowest": pytest.approx(made[-1], rel=1e-12),
        }
        past, first = frame.traces["past"]["y"], frame.traces["first"]["y"]
        for pair, turn in enumerate(made):
            height = math.log10(turn)
            assert past[pair] == pytest.approx(max(height, 0), abs=1e-9)
            assert first[pair] == pytest.approx(min(height, 0), abs=1e-9)
            assert frame.traces["hover"]["customdata"][pair] == pytest.approx(turn, rel=1e-12)
            assert frame.traces["hover"]["y"][pair] == pytest.approx(height, abs=1e-9)
        everyone = frame.readouts["first"] == 32
        assert frame.sentence.endswith("of one." if everyone else "one gap only.")


def test_turns_show_the_table_of_the_chapter():
    gaps = (1, 10, 50, 100, 512, 1000, 4096)
    shown = [turns.frame(gap, "10000").readouts["first"] for gap in gaps]
    assert shown == [32, 30, 24, 22, 16, 14, 9]


def test_turns_contract():
    explorer = turns.build()
    assert explorer.spec["name"] == "turns"
    assert explorer.nbytes <= 150_000
    assert {1, 10, 50, 100, 512, 1000, 4096} <= set(turns.GAPS)
    low, high = explorer.spec["layout"]["yaxis"]["range"]
    for base in turns.BASES:
        assert low < min(turns.frame(1, base).traces["hover"]["y"])
        assert max(turns.frame(4096, base).traces["hover"]["y"]) < high


# ── pitfalls ─────────────────────────────────────────────────────────────────────────────────────


def with_speed(rule, sign=1):
    def rotate(x, position):
        return turned(x, sign * position, [rule(pair, len(x)) for pair in range(len(x) // 2)])

    return rotate


def eight_digits(position):
    """The nearest number with eight binary digits, found by trying all of them near by."""
    if position == 0:
        return 0.0
    step = 2.0 ** (math.floor(math.log2(position)) - 7)
    below = math.floor(position / step)
    near = [below * step, (below + 1) * step]
    near.sort(key=lambda value: (abs(value - position), (value / step) % 2))
    return near[0]


def same(x, position):
    return list(x)


# mistake → how it turns a query, a key and a value
ATTEMPTS = {
    "none": (turned, turned, same),
    "half-split pairs": (halves, halves, same),
    "flipped sign": (with_speed(speed, -1),) * 2 + (same,),
    "base 500000": (with_speed(lambda i, d: 500000.0 ** (-2 * i / d)),) * 2 + (same,),
    "exponent i/d": (with_speed(lambda i, d: 10000.0 ** (-i / d)),) * 2 + (same,),
    "pairs from 1": (with_speed(lambda i, d: 10000.0 ** (-2 * (i + 1) / d)),) * 2 + (same,),
    "positions from 1": (lambda x, p: turned(x, p + 1),) * 2 + (same,),
    "keys turned twice": (turned, lambda x, p: turned(turned(x, p), p), same),
    "values turned too": (turned, turned, turned),
    "positions in bf16": (lambda x, p: turned(x, eight_digits(p)),) * 2 + (same,),
}
U, W = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (2.0, -1.0, 0.0, 3.0, 1.0, -2.0)


def far(a, b):
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def measured(mistake):
    """How far off each check finds the attempt, in the order of the explorer's rows."""
    rotate, key, value = ATTEMPTS[mistake]
    q, k = drawn()

    def score(a, b, m, n):
        return dot(rotate(a, m), key(b, n))

    def right(a, b, m, n):
        return dot(turned(a, m), turned(b, n))

    relative = [score(q, k, start, start + 2) for start in (3, 10, 100, 4000)]
    mean = [sum(pair) / 2 for pair in zip(value((1, 0), 0), value((1, 0), 1), strict=True)]
    return {
        "norm kept": abs(math.hypot(*rotate(q, 7)) - math.hypot(*q)),
        "gap alone": max(relative) - min(relative),
        "composes": far(rotate(rotate(q, 5), 12), rotate(q, 17)),
        "R₀ = I": far(rotate(U, 0), U),
        "golden d = 2": far(rotate(U[:2], 3), turned(U[:2], 3)),
        "golden d = 6": far(rotate(U, 3), turned(U, 3)),
        "score q = k": abs(score(U, U, 5, 3) - right(U, U, 5, 3)),
        "score m = n": abs(score(U, W, 5, 5) - right(U, W, 5, 5)),
        "score, all ≠": abs(score(U, W, 5, 3) - right(U, W, 5, 3)),
        "mean of values": abs(math.hypot(*mean) - 1),
    }


# Written down from the text of the chapter: who notices what.
NOTICED = {
    "none": set(),
    "half-split pairs": {"golden d = 6", "score q = k", "score, all ≠"},
    "flipped sign": {"golden d = 2", "golden d = 6", "score, all ≠"},
    "base 500000": {"golden d = 6", "score q = k", "score, all ≠"},
    "exponent i/d": {"golden d = 6", "score q = k", "score, all ≠"},
    "pairs from 1": {"golden d = 2", "golden d = 6", "score q = k", "score, all ≠"},
    "positions from 1": {"composes", "R₀ = I", "golden d = 2", "golden d = 6"},
    "keys turned twice": {"gap alone", "score q = k", "score m = n", "score, all ≠"},
    "values turned too": {"mean of values"},
    "positions in bf16": {"gap alone"},
}


def test_every_mistake_of_the_explorer_is_tested_here():
    assert list(pitfalls.MISTAKES) == list(ATTEMPTS) == list(NOTICED)
    assert pitfalls.build().spec["params"][0]["values"] == list(ATTEMPTS)


@pytest.mark.parametrize("mistake", ATTEMPTS)
def test_pitfalls_frames(mistake):
    here, there = measured(mistake), pitfalls.deviations(mistake)
    assert list(pitfalls.CHECKS) == list(here)
    frame = pitfalls.frame(mistake)
    passes, notices = (frame.traces[key]["x"] for key in ("passes", "notices"))
    for i, (check, off) in enumerate(here.items()):
        assert there[i] == pytest.approx(off, rel=1e-6, abs=1e-9), check
        bad = off > 1e-6
        assert bad == (check in NOTICED[mistake]), check
        assert (math.isnan(passes[i]), math.isnan(notices[i])) == (bad, not bad)
        if bad:
            assert notices[i] == pytest.approx(math.log10(off), abs=1e-6)
    assert frame.readouts == {"noticed": len(NOTICED[mistake])}


def test_nothing_is_a_close_call():
    """No check stands within a factor of 1000 of the tolerance, so rounding decides nothing."""
    for mistake in ATTEMPTS:
        for off in pitfalls.deviations(mistake):
            assert not 1e-9 <= off <= 1e-3


def test_pitfalls_contract():
    explorer = pitfalls.build()
    assert explorer.spec["name"] == "pitfalls"
    assert explorer.values == {"mistake": "none"}
    assert explorer.nbytes <= 150_000
    low, high = explorer.spec["layout"]["xaxis"]["range"]
    for mistake in ATTEMPTS:
        shown = np.concatenate([t["x"] for t in pitfalls.frame(mistake).traces.values()])
        assert low < np.nanmin(shown)
        assert np.nanmax(shown) < high
