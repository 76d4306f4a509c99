"""Submissions for the lab's tests, and a way to grade one without a process (for speed)."""

from __future__ import annotations

import copy
import json
import textwrap
from typing import Any

from lesson_utils.lab import inside_run
from lesson_utils.lab.calls import Answer
from lesson_utils.lab.challenges import challenges
from lesson_utils.lab.judge import StageResult, judge
from lesson_utils.lab.wire import answer, parse

LOOPS = """
import math

def pair_speeds(d, base=10000.0):
    speeds = []
    for i in range(d // 2):
        speeds.append(base ** (-2 * i / d))
    return speeds

def rotate_pair(x0, x1, angle):
    c = math.cos(angle)
    s = math.sin(angle)
    return x0 * c - x1 * s, x0 * s + x1 * c

def rotate(vec, pos, base=10000.0):
    out = []
    speeds = pair_speeds(len(vec), base)
    for i in range(len(vec) // 2):
        a, b = rotate_pair(vec[2 * i], vec[2 * i + 1], pos * speeds[i])
        out.append(a)
        out.append(b)
    return out

def rotary_score(q, k, m, n, base=10000.0):
    total = 0.0
    for a, b in zip(rotate(q, m, base), rotate(k, n, base)):
        total += a * b
    return total

def position_vector(pos, d, base=10000.0):
    out = []
    for speed in pair_speeds(d, base):
        out.append(math.sin(pos * speed))
        out.append(math.cos(pos * speed))
    return out

def additive_score(q, k, m, n, base=10000.0):
    p = position_vector(m, len(q), base)
    r = position_vector(n, len(k), base)
    total = 0.0
    for i in range(len(q)):
        total += (q[i] + p[i]) * (k[i] + r[i])
    return total

def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
    scores = []
    for start in starts:
        scores.append(score(q, k, start, start + gap))
    return scores, max(scores) - min(scores)

def turns(gap, d, base=10000.0):
    return [gap * speed / (2 * math.pi) for speed in pair_speeds(d, base)]

def first_turn_pairs(gap, d, base=10000.0):
    count = 0
    for speed in pair_speeds(d, base):
        if gap * speed < 2 * math.pi:
            count += 1
    return count
"""

COMPLEX = '''
"""Complex numbers, generators joined into tuples, nothing shared between the stages."""
from cmath import exp
from math import exp as real_exp, log, tau

def _speed(i, d, base):
    return real_exp(-2.0 * i / d * log(base))

def pair_speeds(d, base=1e4):
    return tuple(_speed(i, d, base) for i in range(d // 2))

def rotate_pair(x0, x1, angle):
    z = complex(x0, x1) * exp(1j * angle)
    return [z.real, z.imag]

def rotate(vec, pos, base=1e4):
    pairs = [complex(*pair) for pair in zip(vec[::2], vec[1::2])]
    turned = [z * exp(1j * pos * w) for z, w in zip(pairs, pair_speeds(len(vec), base))]
    return tuple(x for z in turned for x in (z.real, z.imag))

def rotary_score(q, k, m, n, base=1e4):
    """Only the distance enters: Re(q conj(k) e^{i(m-n)w})."""
    total = 0j
    for i in range(len(q) // 2):
        a, b = complex(q[2 * i], q[2 * i + 1]), complex(k[2 * i], k[2 * i + 1])
        total += a * b.conjugate() * exp(1j * (m - n) * _speed(i, len(q), base))
    return total.real

def position_vector(pos, d, base=1e4):
    waves = [exp(1j * pos * w) for w in pair_speeds(d, base)]
    return tuple(x for z in waves for x in (z.imag, z.real))

def additive_score(q, k, m, n, base=1e4):
    p, r = position_vector(m, len(q), base), position_vector(n, len(q), base)
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    return dot(q, k) + dot(q, r) + dot(p, k) + dot(p, r)

def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
    scores = tuple(score(q, k, m=s, n=s + gap) for s in starts)
    low, *_, high = sorted(scores) if len(scores) > 1 else scores * 2
    return [scores, high - low]

def turns(gap, d, base=1e4):
    return tuple(gap / (tau / w) for w in pair_speeds(d, base))

def first_turn_pairs(gap, d, base=1e4):
    return len([t for t in turns(gap, d, base) if t < 1])
'''

PRODUCT = '''
"""A running product for the speeds, numbers with units kept in a class, rotation by a matrix."""
from __future__ import annotations
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate, chain, repeat
from operator import mul
import math

@dataclass(frozen=True)
class Turn:
    c: float
    s: float
    def __matmul__(self, pair):
        x, y = pair
        return (self.c * x - self.s * y, self.s * x + self.c * y)

@lru_cache(maxsize=None)
def _speeds(d, base):
    ratio = math.pow(base, -2 / d)
    return tuple(accumulate(repeat(ratio, d // 2 - 1), mul, initial=1.0))

def pair_speeds(d: int, base: float = 10_000) -> list[float]:
    return list(_speeds(d, base))

def rotate_pair(x0, x1, angle):
    return Turn(math.cos(angle), math.sin(angle)) @ (x0, x1)

def rotate(vec, pos, base=10_000):
    out = vec[:]
    for j in range(0, len(vec), 2):
        angle = pos / (1 / _speeds(len(vec), base)[j // 2])
        out[j : j + 2] = rotate_pair(*vec[j : j + 2], angle)
    return out

def rotary_score(q, k, m, n, base=10_000):
    return math.fsum(map(mul, rotate(q, m, base), rotate(k, n, base)))

def position_vector(pos, d, base=10_000):
    waves = ((math.sin(pos * w), math.cos(pos * w)) for w in _speeds(d, base))
    return list(chain.from_iterable(waves))

def additive_score(q, k, m, n, base=10_000):
    add = lambda a, b: [x + y for x, y in zip(a, b)]
    left, right = (add(v, position_vector(p, len(v), base)) for v, p in ((q, m), (k, n)))
    return reduce(lambda t, xy: t + xy[0] * xy[1], zip(left, right), 0)

def drift(score, q, k, gap=2, starts=(3, 10, 100, 4000)):
    values = [score(q, k, *(s, s + gap)) for s in starts]
    return values, max(a - b for a in values for b in values)

def turns(gap, d, base=10_000):
    return [math.degrees(gap * w) / 360 for w in _speeds(d, base)]

def first_turn_pairs(gap, d, base=10_000):
    return d // 2 - sum(math.floor(t) >= 1 for t in turns(gap, d, base))
'''

STYLES = {"loops": LOOPS, "complex": COMPLEX, "product": PRODUCT}


def with_function(code: str, source: str = LOOPS) -> str:
    """A submission in which the functions of ``code`` replace those of the same name."""
    return source + "\n" + textwrap.dedent(code)


def loaded(source: str) -> dict[str, Any]:
    """The names of a trusted submission, loaded in this very process."""
    names: dict[str, Any] = {}
    exec(compile(source, "rope.py", "exec", dont_inherit=True), names)
    return names


def ask(names: dict[str, Any], stage: int, seed: int, lines: list[str]) -> list[Answer]:
    """The answers to a stage, through the same words and lines as from a child."""
    answers = []
    for call in challenges(stage, seed):
        arguments, named = copy.deepcopy((list(call.args), call.kwargs))
        parts = inside_run.respond(names, call.function, arguments, named, lines)
        text = json.dumps([1, "nonce", parts[0]])[:-1] + "".join(f", {p}" for p in parts[1:]) + "]"
        answers.append(answer(call, *parse(text.encode(), 1, "nonce")))
    return answers


def graded(source: str, stage: int, seed: int, before: tuple[str, ...] = ()) -> StageResult:
    """The verdict on one stage of a trusted submission, afresh loaded."""
    return judge(stage, seed, ask(loaded(source), stage, seed, source.splitlines()), "", before)
