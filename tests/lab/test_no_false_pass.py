"""The grader passes no submission that returns anything else: random mutations of correct ones.

Every mutant is tried on calls drawn here, not by the grader. If one of the returned values is off
by more than the tolerance, the grader must fail the stage; whatever seed it is given.
"""

from __future__ import annotations

import ast
import copy
import os
import random

import pytest
from lab_support import STYLES, ask, loaded

from lesson_utils.lab import inside_run
from lesson_utils.lab.calls import Call, Probe
from lesson_utils.lab.judge import reasons_against
from lesson_utils.lab.reference import FUNCTIONS, Rope
from lesson_utils.lab.tolerance import difference, tolerance
from lesson_utils.lab.wire import answer, parse

MUTANTS = int(os.environ.get("LAB_MUTANTS", "100"))  # a style; 500 were tried too


class Mutate(ast.NodeTransformer):
    """Change one randomly chosen spot of a syntax tree."""

    OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow, ast.Mod)
    COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)

    def __init__(self, rng: random.Random, spot: int) -> None:
        self.rng, self.spot, self.seen = rng, spot, 0

    def here(self) -> bool:
        self.seen += 1
        return self.seen - 1 == self.spot

    def visit_Constant(self, node):
        if type(node.value) in (int, float) and self.here():
            x = node.value
            options = [x + 1, x - 1, -x, 2 * x, x / 2, 0, 1, x * (1 + 1e-9), x + 0.5]
            return ast.Constant(self.rng.choice([o for o in options if o != x]))
        return node

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if self.here():
            if self.rng.random() < 0.25:
                return ast.BinOp(node.right, node.op, node.left)
            if self.rng.random() < 0.25:
                return self.rng.choice([node.left, node.right])
            others = [op for op in self.OPERATORS if not isinstance(node.op, op)]
            return ast.BinOp(node.left, self.rng.choice(others)(), node.right)
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return node.operand if self.here() else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if self.here():
            others = [op for op in self.COMPARISONS if not isinstance(node.ops[0], op)]
            node.ops = [self.rng.choice(others)()]
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if len(node.args) > 1 and self.here():
            i = self.rng.randrange(len(node.args) - 1)
            node.args[i], node.args[i + 1] = node.args[i + 1], node.args[i]
        elif node.args and len(node.args) > 2 and self.here():
            node.args.pop()
        return node

    def visit_Attribute(self, node):
        swaps = {
            "sin": "cos",
            "cos": "sin",
            "real": "imag",
            "imag": "real",
            "pi": "tau",
            "pow": "hypot",
        }
        if node.attr in swaps and self.here():
            node.attr = swaps[node.attr]
        return self.generic_visit(node)

    def visit_Name(self, node):
        swaps = {"m": "n", "n": "m", "q": "k", "k": "q", "p": "r", "r": "p", "x0": "x1", "x1": "x0",
                 "max": "min", "min": "max", "s": "c", "c": "s", "start": "gap", "i": "d",
                 "base": "d"}  # fmt: skip
        if isinstance(node.ctx, ast.Load) and node.id in swaps and self.here():
            node.id = swaps[node.id]
        return node

    def visit_Expr(self, node):
        self.generic_visit(node)
        return ast.Pass() if self.here() else node

    def visit_Return(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Tuple) and self.here():
            node.value.elts.reverse()
        return node


def own_calls(stage, rng):
    """Calls within the contract, drawn independently of the grader's."""
    for function in FUNCTIONS[stage]:
        for _ in range(10):
            yield own_call(function, rng)


def own_call(function, rng):
    d = 2 * rng.choice((1, 2, 3, 4, 5, 11, 20, 35))
    q, k = ([rng.uniform(-2, 2) for _ in range(d)] for _ in range(2))
    m, n = (rng.choice((-1, 1)) * rng.choice((0, 1, 2, 5, 77, 3000, 40_000)) for _ in range(2))
    base = {"base": rng.choice((10.0, 777.5, 500000, 10000.0))} if rng.random() < 0.5 else {}
    arguments = {
        "pair_speeds": (d,),
        "rotate_pair": (q[0], q[1], rng.uniform(-10, 10)),
        "rotate": (q, m),
        "rotary_score": (q, k, m, n),
        "position_vector": (m, d),
        "additive_score": (q, k, m, n),
        "turns": (abs(m), d),
        "first_turn_pairs": (abs(m), d),
    }
    if function == "drift":
        probe = Probe(f"(lambda q, k, m, n: {rng.uniform(-2, 2)} * m * m - n * q[0] + k[1] * m)")
        starts = tuple(rng.randint(-50, 5000) for _ in range(rng.randint(2, 6)))
        named = [{}, {"gap": rng.randint(-9, 9)}, {"starts": starts}, {"gap": 7, "starts": starts}]
        return Call(function, (probe, q, k), rng.choice(named))
    return Call(function, arguments[function], {} if function == "rotate_pair" else base)


def misbehaves(names, stage, rng):
    """Whether one of our own calls gets an answer that is off by more than the tolerance."""
    rope = Rope()
    for call in own_calls(stage, rng):
        arguments, named = copy.deepcopy((list(call.args), call.kwargs))
        parts = inside_run.respond(names, call.function, arguments, named, [])
        text = f'[1, "n", "{parts[0]}"' + "".join(f", {p}" for p in parts[1:]) + "]"
        got = answer(call, *parse(text.encode(), 1, "n"))
        wanted = call.on(rope)
        if got.error or difference(wanted, got.value, tolerance(rope, call, wanted)):
            return call.text()
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_every_mutant_that_misbehaves_is_failed(style):
    rng = random.Random(f"mutants of {style}")
    counter = Mutate(rng, -1)
    counter.visit(ast.parse(STYLES[style]))
    failed = 0
    for number in range(MUTANTS):
        tree = Mutate(rng, rng.randrange(counter.seen)).visit(ast.parse(STYLES[style]))
        source = ast.unparse(ast.fix_missing_locations(tree))
        try:
            names = loaded(source)
        except Exception:  # such a mutant does not even load
            continue
        for stage in FUNCTIONS:
            call = misbehaves(names, stage, rng)
            if call:
                answers = ask(loaded(source), stage, number, [])
                assert any(reasons_against(stage, number, answers)), (stage, number, call, source)
                failed += 1
    print(f"{style}: {failed} stages of {MUTANTS} mutants misbehave, all failed")
    assert failed > MUTANTS
