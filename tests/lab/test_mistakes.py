"""Each well-known mistake is made in a submission, found, and called by its name.

A case is a piece of code that replaces functions of a correct submission, the stages in which it
must fail, and words that the explanation must hold. Every case is graded with several seeds.
"""

from __future__ import annotations

import pytest
from lab_support import LOOPS, STYLES, graded, with_function

SEEDS = (1, 12345)


def speeds(formula: str) -> str:
    """pair_speeds with another formula for speed i."""
    return f"""
        def pair_speeds(d, base=10000.0):
            return [{formula} for i in range(d // 2)]
        """


CASES = {
    # name: (code, {stage: words})
    "exponent i/d": (speeds("base ** (-i / d)"), {1: "exponent is i/d", 3: "exponent is i/d",
        4: "exponent is i/d", 5: "exponent is i/d", 7: "exponent is i/d", 8: "exponent is i/d"}),
    "exponent 2i/(d-2)": (
        speeds("base ** (-2 * i / (d - 2))"), {1: "2i/(d-2)", 3: "2i/(d-2)", 7: "2i/(d-2)"}),
    "exponent 2i/(d-2) guarded": (
        speeds("base ** (-2 * i / max(d - 2, 1))"), {1: "2i/(d-2)", 4: "2i/(d-2)"}),
    "exponent i/(d/2-1)": (speeds("base ** (-i / max(d // 2 - 1, 1))"), {1: "2i/(d-2)"}),
    "exponent 4i/d": ("""
        def pair_speeds(d, base=10000.0):
            return [base ** (-2 * i / d) for i in range(0, d, 2)]
        """, {1: "4i/d", 3: "4i/d", 8: "4i/d"}),
    "floor division": (speeds("base ** (-2 * i // d)"), {1: "floor division", 3: "floor division",
        5: "floor division", 7: "floor division"}),
    "floor division to 0": (speeds("base ** -(2 * i // d)"), {1: "floor division"}),
    "floor division of the position": ("""
        def position_vector(pos, d, base=10000.0):
            out = []
            for i in range(d // 2):
                angle = pos // base ** (2 * i / d)
                out += [math.sin(angle), math.cos(angle)]
            return out
        """, {5: "floor division"}),
    "brackets missing around the exponent": (
        speeds("base ** -2 * i / d"), {1: "put the whole exponent in brackets",
        3: "brackets missing", 4: "brackets missing", 5: "brackets missing", 7: "brackets missing",
        8: "brackets missing"}),
    "brackets missing, by a quotient": (speeds("1 / base ** 2 * i / d"), {1: "brackets missing"}),
    "brackets too short": (
        speeds("base ** (-2 * i) / d"), {1: "brackets too short", 3: "brackets too short",
        4: "brackets too short", 5: "brackets too short", 7: "brackets too short",
        8: "brackets too short"}),
    "positive exponent": (
        speeds("base ** (2 * i / d)"), {1: "positive exponent", 3: "positive exponent",
        4: "positive exponent", 5: "positive exponent", 7: "positive exponent"}),
    "another base": ("""
        def pair_speeds(d, base=500000.0):
            return [base ** (-2 * i / d) for i in range(d // 2)]
        """, {1: "another base: without a base given it computes with 500000"}),
    "another base, an odd one": ("""
        def pair_speeds(d, base=12345.0):
            return [base ** (-2 * i / d) for i in range(d // 2)]
        """, {1: "another base: without a base given it computes with 12345"}),
    "another base in rotate": ("""
        def rotate(vec, pos, base=1000.0):
            out = []
            for i, speed in enumerate(pair_speeds(len(vec), base)):
                out += rotate_pair(vec[2 * i], vec[2 * i + 1], pos * speed)
            return out
        """, {3: "another base: without a base given it computes with 1000"}),
    "base ignored": (
        speeds("10000.0 ** (-2 * i / d)"), {1: "base ignored", 3: "base ignored",
        4: "base ignored", 5: "base ignored", 7: "base ignored", 8: "base ignored"}),
    "base not handed on": ("""
        def rotate(vec, pos, base=10000.0):
            out = []
            for i, speed in enumerate(pair_speeds(len(vec))):
                out += rotate_pair(vec[2 * i], vec[2 * i + 1], pos * speed)
            return out
        """, {3: "base ignored"}),
    "another base, always": (
        speeds("500000.0 ** (-2 * i / d)"), {1: "base ignored: it always computes with 500000"}),
    "wrong logarithm": (
        speeds("math.exp(-2 * i / d * math.log10(base))"), {1: "logarithm", 3: "logarithm"}),
    "pairs from 1": (speeds("base ** (-2 * (i + 1) / d)"), {1: "pairs are counted from 1",
        3: "pairs are counted from 1", 4: "pairs are counted from 1"}),
    "pairs from 1, by the range": ("""
        def pair_speeds(d, base=10000.0):
            return [base ** (-2 * i / d) for i in range(1, d // 2 + 1)]
        """, {1: "pairs are counted from 1", 7: "pairs are counted from 1"}),
    "positions from 1": ("""
        def rotate(vec, pos, base=10000.0):
            pos = pos + 1
            out = []
            for i, speed in enumerate(pair_speeds(len(vec), base)):
                out += rotate_pair(vec[2 * i], vec[2 * i + 1], pos * speed)
            return out
        """, {3: "positions are counted from 1"}),
    "positions from 1 in the vector": ("""
        def position_vector(pos, d, base=10000.0):
            return [f((pos + 1) * w) for w in pair_speeds(d, base) for f in (math.sin, math.cos)]
        """, {5: "positions are counted from 1"}),
    "sign flipped": ("""
        def rotate_pair(x0, x1, angle):
            c, s = math.cos(angle), math.sin(angle)
            return x0 * c + x1 * s, -x0 * s + x1 * c
        """, {2: "sign flipped", 3: "sign flipped", 4: "sign"}),
    "sign flipped by the angle": ("""
        def rotate_pair(x0, x1, angle):
            c, s = math.cos(-angle), math.sin(-angle)
            return x0 * c - x1 * s, x0 * s + x1 * c
        """, {2: "sign flipped", 3: "sign flipped"}),
    "one sign flipped": ("""
        def rotate_pair(x0, x1, angle):
            c, s = math.cos(angle), math.sin(angle)
            return x0 * c + x1 * s, x0 * s + x1 * c
        """, {2: "sign flipped", 3: "sign flipped", 4: "sign flipped"}),
    "sin and cos swapped": ("""
        def rotate_pair(x0, x1, angle):
            c, s = math.sin(angle), math.cos(angle)
            return x0 * c - x1 * s, x0 * s + x1 * c
        """, {2: "sin and cos are swapped", 3: "sin and cos are swapped"}),
    "degrees": ("""
        def rotate_pair(x0, x1, angle):
            angle = math.radians(angle)
            c, s = math.cos(angle), math.sin(angle)
            return x0 * c - x1 * s, x0 * s + x1 * c
        """, {2: "degrees", 3: "degrees", 4: "degrees"}),
    "degrees, the other way": ("""
        def position_vector(pos, d, base=10000.0):
            angles = [math.degrees(pos * w) for w in pair_speeds(d, base)]
            return [f(a) for a in angles for f in (math.sin, math.cos)]
        """, {5: "degrees"}),
    "degrees in turns": ("""
        def turns(gap, d, base=10000.0):
            return [gap * w / 360 for w in pair_speeds(d, base)]
        """, {7: "degrees"}),
    "overwritten": ("""
        def rotate_pair(x0, x1, angle):
            c, s = math.cos(angle), math.sin(angle)
            x0 = x0 * c - x1 * s
            x1 = x0 * s + x1 * c
            return x0, x1
        """, {2: "new x0", 3: "new x0", 4: "new x0"}),
    "halves": ("""
        def rotate(vec, pos, base=10000.0):
            h = len(vec) // 2
            turned = [rotate_pair(vec[i], vec[i + h], pos * w)
                      for i, w in enumerate(pair_speeds(len(vec), base))]
            return [a for a, _ in turned] + [b for _, b in turned]
        """, {3: "halves instead of neighbours", 4: "halves instead of neighbours"}),
    "neighbours, joined as halves": ("""
        def rotate(vec, pos, base=10000.0):
            turned = [rotate_pair(vec[2 * i], vec[2 * i + 1], pos * w)
                      for i, w in enumerate(pair_speeds(len(vec), base))]
            return [a for a, _ in turned] + [b for _, b in turned]
        """, {3: "before all second"}),
    "rotating twice": ("""
        def rotate(vec, pos, base=10000.0):
            for _ in range(2):
                vec = [x for i, w in enumerate(pair_speeds(len(vec), base))
                       for x in rotate_pair(vec[2 * i], vec[2 * i + 1], pos * w)]
            return vec
        """, {3: "rotating twice", 4: "rotating twice"}),
    "keys rotated twice": ("""
        def rotary_score(q, k, m, n, base=10000.0):
            key = rotate(rotate(k, n, base), n, base)
            return sum(a * b for a, b in zip(rotate(q, m, base), key))
        """, {4: "rotating twice: k"}),
    "one side only": ("""
        def rotary_score(q, k, m, n, base=10000.0):
            return sum(a * b for a, b in zip(rotate(q, m, base), k))
        """, {4: "one side only"}),
    "one side only, k": ("""
        def rotary_score(q, k, m, n, base=10000.0):
            return sum(a * b for a, b in zip(q, rotate(k, n, base)))
        """, {4: "one side only"}),
    "m and n swapped": ("""
        def rotary_score(q, k, m, n, base=10000.0):
            return sum(a * b for a, b in zip(rotate(q, n, base), rotate(k, m, base)))
        """, {4: "swapped"}),
    "score divided": ("""
        def rotary_score(q, k, m, n, base=10000.0):
            total = sum(a * b for a, b in zip(rotate(q, m, base), rotate(k, n, base)))
            return total / math.sqrt(len(q))
        """, {4: "square root"}),
    "waves swapped": ("""
        def position_vector(pos, d, base=10000.0):
            return [f(pos * w) for w in pair_speeds(d, base) for f in (math.cos, math.sin)]
        """, {5: "sin and cos are swapped"}),
    "waves concatenated": ("""
        def position_vector(pos, d, base=10000.0):
            w = pair_speeds(d, base)
            return [math.sin(pos * x) for x in w] + [math.cos(pos * x) for x in w]
        """, {5: "concatenated"}),
    "only q gets its position": ("""
        def additive_score(q, k, m, n, base=10000.0):
            p = position_vector(m, len(q), base)
            return sum((a + b) * c for a, b, c in zip(q, p, k))
        """, {5: "only q"}),
    "middle terms missing": ("""
        def additive_score(q, k, m, n, base=10000.0):
            p, r = position_vector(m, len(q), base), position_vector(n, len(q), base)
            return sum(a * b for a, b in zip(q, k)) + sum(a * b for a, b in zip(p, r))
        """, {5: "missing"}),
    "standard deviation": ("""
        import statistics
        def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
            scores = [score(q, k, s, s + gap) for s in starts]
            return scores, statistics.pstdev(scores)
        """, {6: "standard deviation"}),
    "standard deviation of a sample": ("""
        import statistics
        def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
            scores = [score(q, k, s, s + gap) for s in starts]
            return scores, statistics.stdev(scores) if len(scores) > 1 else 0.0
        """, {6: "standard deviation"}),
    "last less first": ("""
        def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
            scores = [score(q, k, s, s + gap) for s in starts]
            return scores, scores[-1] - scores[0]
        """, {6: "last score less the first"}),
    "gap backwards": ("""
        def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
            scores = [score(q, k, s + gap, s) for s in starts]
            return scores, max(scores) - min(scores)
        """, {6: "swapped"}),
    "completed pairs counted": ("""
        def first_turn_pairs(gap, d, base=10000.0):
            return sum(t >= 1 for t in turns(gap, d, base))
        """, {8: "completed"}),
    "completed turns counted": ("""
        def first_turn_pairs(gap, d, base=10000.0):
            return sum(int(t) for t in turns(gap, d, base))
        """, {8: "completed turns"}),
    "radians for turns": ("""
        def turns(gap, d, base=10000.0):
            return [gap * w for w in pair_speeds(d, base)]
        """, {7: "radians"}),
    "whole turns": ("""
        def turns(gap, d, base=10000.0):
            return [gap * w // (2 * math.pi) for w in pair_speeds(d, base)]
        """, {7: "rounded down"}),
    "brackets missing around a turn": ("""
        def turns(gap, d, base=10000.0):
            return [gap * w / 2 * math.pi for w in pair_speeds(d, base)]
        """, {7: "divide by (2 * math.pi), brackets included"}),
    "brackets missing around a turn, counted": ("""
        def first_turn_pairs(gap, d, base=10000.0):
            return sum(gap * w / 2 * math.pi < 1 for w in pair_speeds(d, base))
        """, {8: "brackets missing"}),
    "half a turn": ("""
        def first_turn_pairs(gap, d, base=10000.0):
            return sum(gap * w < math.pi for w in pair_speeds(d, base))
        """, {8: "half turns"}),
    "in place": ("""
        def rotate(vec, pos, base=10000.0):
            for i, w in enumerate(pair_speeds(len(vec), base)):
                vec[2 * i], vec[2 * i + 1] = rotate_pair(vec[2 * i], vec[2 * i + 1], pos * w)
            return vec
        """, {3: "in place", 4: "in place"}),
    "in place, a copy back": ("""
        def rotate(vec, pos, base=10000.0):
            for i, w in enumerate(pair_speeds(len(vec), base)):
                vec[2 * i : 2 * i + 2] = rotate_pair(vec[2 * i], vec[2 * i + 1], pos * w)
            return list(vec)
        """, {3: "in place"}),
    "in place, added": ("""
        def additive_score(q, k, m, n, base=10000.0):
            for v, pos in ((q, m), (k, n)):
                for i, x in enumerate(position_vector(pos, len(v), base)):
                    v[i] += x
            return sum(a * b for a, b in zip(q, k))
        """, {5: "in place"}),
    "starts sorted in place": ("""
        def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
            scores = [score(q, k, s, s + gap) for s in starts]
            if isinstance(starts, list):
                starts.clear()
            return scores, max(scores) - min(scores)
        """, {6: "in place"}),
    "hard-coded d in the exponent": (
        speeds("base ** (-2 * i / 64)"), {1: "hard-coded d", 3: "hard-coded d", 4: "hard-coded d",
        5: "hard-coded d", 7: "hard-coded d", 8: "hard-coded d"}),
    "hard-coded d everywhere": ("""
        def pair_speeds(d, base=10000.0):
            d = 6
            return [base ** (-2 * i / d) for i in range(d // 2)]
        """, {1: "hard-coded d", 7: "hard-coded d", 8: "hard-coded d"}),
    "hard-coded d in rotate": ("""
        def rotate(vec, pos, base=10000.0):
            out = []
            for i in range(32):
                angle = pos * base ** (-2 * i / 64)
                out += rotate_pair(vec[2 * i], vec[2 * i + 1], angle)
            return out
        """, {3: "hard-coded d"}),
    "hard-coded number of pairs": ("""
        def rotate(vec, pos, base=10000.0):
            out = list(vec)
            for i in range(2):
                angle = pos * base ** (-2 * i / len(vec))
                out[2 * i], out[2 * i + 1] = rotate_pair(vec[2 * i], vec[2 * i + 1], angle)
            return out
        """, {3: "hard-coded d"}),
    "cached, first answer for ever": ("""
        _kept = None
        def pair_speeds(d, base=10000.0):
            global _kept
            if _kept is None:
                _kept = [base ** (-2 * i / d) for i in range(d // 2)]
            return _kept
        """, {1: "cached by the first call"}),
    "cached by d alone": ("""
        _kept = {}
        def pair_speeds(d, base=10000.0):
            if d not in _kept:
                _kept[d] = [base ** (-2 * i / d) for i in range(d // 2)]
            return _kept[d]
        """, {1: "cached by the first call", 3: "cached by the first call",
              4: "cached by the first call", 5: "cached by the first call",
              7: "cached by the first call", 8: "cached by the first call"}),
    "cached by base alone": ("""
        _kept = {}
        def pair_speeds(d, base=10000.0):
            if base not in _kept:
                _kept[base] = [base ** (-2 * i / d) for i in range(d // 2)]
            return _kept[base]
        """, {1: "cached by the first call"}),
    "cached scores": ("""
        _kept = {}
        def rotary_score(q, k, m, n, base=10000.0):
            if (m, n) not in _kept:
                pairs = zip(rotate(q, m, base), rotate(k, n, base))
                _kept[m, n] = sum(a * b for a, b in pairs)
            return _kept[m, n]
        """, {4: "cached by the first call"}),
    "cached position vector": ("""
        _kept = {}
        def position_vector(pos, d, base=10000.0):
            if pos not in _kept:
                _kept[pos] = [f(pos * w) for w in pair_speeds(d, base)
                              for f in (math.sin, math.cos)]
            return _kept[pos]
        def additive_score(q, k, m, n, base=10000.0):
            return 0.0
        """, {}),
    "cached turns": ("""
        _kept = []
        def turns(gap, d, base=10000.0):
            if not _kept:
                _kept.append([gap * w / math.tau for w in pair_speeds(d, base)])
            return _kept[0]
        """, {7: "cached by the first call"}),
    "cached rotation": ("""
        _kept = []
        def rotate_pair(x0, x1, angle):
            if not _kept:
                _kept.append((math.cos(angle), math.sin(angle)))
            c, s = _kept[0]
            return x0 * c - x1 * s, x0 * s + x1 * c
        """, {2: "cached by the first call"}),
    "list kept between calls": ("""
        def position_vector(pos, d, base=10000.0, out=[]):
            for w in pair_speeds(d, base):
                out += [math.sin(pos * w), math.cos(pos * w)]
            return out
        def pair_speeds(d, base=10000.0, out=[]):
            for i in range(d // 2):
                out.append(base ** (-2 * i / d))
            return out
        """, {1: "still holds"}),
    "rounded": (speeds("round(base ** (-2 * i / d), 6)"), {1: "rounded to 6"}),
    "float32": ("""
        import struct
        def pair_speeds(d, base=10000.0):
            speeds = [base ** (-2 * i / d) for i in range(d // 2)]
            return [struct.unpack("f", struct.pack("f", w))[0] for w in speeds]
        """, {1: "float32", 3: "float32", 4: "float32", 7: "float32"}),
    "not returned": ("""
        def rotate(vec, pos, base=10000.0):
            print([x for x in vec])
        """, {3: "without a return"}),
    "two at once": ("""
        def pair_speeds(d, base=10000.0):
            return [base ** (-i / d) for i in range(d // 2)]
        def rotate_pair(x0, x1, angle):
            c, s = math.cos(angle), math.sin(angle)
            return x0 * c + x1 * s, -x0 * s + x1 * c
        """, {1: "i/d", 2: "sign flipped", 3: "two things at once"}),
    "two at once in the vector": ("""
        def position_vector(pos, d, base=10000.0):
            w = [base ** (-i / max(d // 2 - 1, 1)) for i in range(d // 2)]
            return [math.sin(pos * x) for x in w] + [math.cos(pos * x) for x in w]
        """, {5: "two things at once"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_mistake_is_named(name):
    code, stages = CASES[name]
    source = with_function(code)
    for seed in SEEDS:
        for stage, words in stages.items():
            result = graded(source, stage, seed)
            assert result.status == "fail", (stage, seed)
            assert words in result.probably, (stage, seed, result.mistake, result.probably)


@pytest.mark.parametrize("name", CASES)
def test_stages_that_do_not_use_it_pass(name):
    """A mistake in one function fails no stage that does without the function."""
    code, _ = CASES[name]
    if "def pair_speeds" not in code and "def rotate_pair" not in code:
        assert graded(with_function(code), 1, 1).status == "pass"
        assert graded(with_function(code), 2, 1).status == "pass"
    if "def drift" not in code:
        assert graded(with_function(code), 6, 1).status == "pass"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", SEEDS)
def test_correct_submissions_pass(style, seed):
    for stage in range(1, 9):
        result = graded(STYLES[style], stage, seed)
        assert result.status == "pass", result.message


def test_a_mistake_of_an_earlier_stage_goes_first():
    """No score can tell a flipped sign from m and n swapped: what stage 2 showed decides."""
    source = with_function(CASES["sign flipped"][0])
    assert graded(source, 4, 1).mistake == "m and n swapped"
    assert graded(source, 4, 1, before=("sign flipped",)).mistake == "sign flipped"


def test_something_unheard_of_gets_no_name():
    result = graded(with_function(speeds("1 / (1 + i * i)")), 1, 1)
    assert (result.status, result.mistake, result.probably) == ("fail", "", "")


def test_a_stub_is_to_be_done():
    source = LOOPS + "\ndef turns(gap, d, base=1e4):\n    raise NotImplementedError('stage 7')\n"
    assert graded(source, 7, 1).status == "todo"
