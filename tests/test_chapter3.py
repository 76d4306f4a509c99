"""Chapter 3 and its explorer, against formulas written a second time with plain loops."""

import itertools
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lesson_utils.explorers import clock_hands
from lesson_utils.positions import shift_matrix, sinusoidal

DIM, LENGTH = 64, 512
SHIFTS = (1, 2, 5, 17, 50)
SRC = Path(__file__).parents[1] / "src"


def encode(position: float, dim: int) -> list[float]:
    """PE(p) of Vaswani et al., one coordinate at a time."""
    row = []
    for i in range(dim // 2):
        angle = position / 10000 ** (2 * i / dim)
        row += [math.sin(angle), math.cos(angle)]
    return row


def turn_clockwise(row: list[float], k: float) -> list[float]:
    """Turn the clock hands of a row by complex multiplication: no matrix, no block."""
    turned = []
    for i in range(len(row) // 2):
        hand = complex(row[2 * i + 1], row[2 * i])  # cos + i sin
        hand *= complex(
            math.cos(k * 10000 ** (-2 * i / len(row))), math.sin(k * 10000 ** (-2 * i / len(row)))
        )
        turned += [hand.imag, hand.real]
    return turned


def solve(matrix: list[list[float]], right: list[list[float]]) -> list[list[float]]:
    """Gauss elimination with pivots, in pure Python."""
    rows = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(rows[r][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for r in range(size):
            if r != column:
                factor = rows[r][column] / rows[column][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[column], strict=True)]
    return [[x / rows[i][i] for x in rows[i][size:]] for i in range(size)]


def best_matrix(before: list[list[float]], after: list[list[float]]) -> list[list[float]]:
    """Least squares by the normal equations; row-vector convention, row · X."""
    size = len(before[0])
    gram = [[sum(r[i] * r[j] for r in before) for j in range(size)] for i in range(size)]
    mixed = [
        [sum(r[i] * s[j] for r, s in zip(before, after, strict=True)) for j in range(size)]
        for i in range(size)
    ]
    return solve(gram, mixed)


def times(row: list[float], matrix: list[list[float]]) -> list[float]:
    return [sum(row[i] * matrix[i][j] for i in range(len(row))) for j in range(len(matrix[0]))]


# ── the facts of the chapter ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("k", [0, *SHIFTS, -3, 0.5])
def test_one_turn_takes_every_position_to_its_shifted_one(k: float) -> None:
    matrix = shift_matrix(k, DIM)
    for p in (0, 1, 2, 3, 100, 511, 4000):
        wanted = encode(p + k, DIM)
        assert np.allclose(matrix @ encode(p, DIM), wanted, rtol=0, atol=1e-11)
        assert np.allclose(turn_clockwise(encode(p, DIM), k), wanted, rtol=0, atol=1e-11)


def test_the_block_turns_clockwise_and_its_transpose_misses_by_the_chord() -> None:
    for k, stated in zip(SHIFTS, (1.683, 1.995, 2.000, 1.983, 2.000), strict=True):
        worst = 0.0
        for p in range(LENGTH):
            wrong = turn_clockwise(encode(p, DIM), -k)
            right = encode(p + k, DIM)
            worst = max(worst, *(abs(a - b) for a, b in zip(wrong, right, strict=True)))
        assert worst == pytest.approx(stated, abs=5e-4)
    assert shift_matrix(1, 2)[0, 1] == pytest.approx(math.sin(1))  # +s above the diagonal


def test_a_gaussian_table_leaves_the_stated_part_over() -> None:
    noise = np.random.default_rng(0).normal(size=(LENGTH, DIM))
    for k, stated in zip(SHIFTS, (0.935, 0.936, 0.935, 0.933, 0.926), strict=True):
        before, after = noise[:-k], noise[k:]
        basis, _ = np.linalg.qr(before)  # the projection, instead of lstsq
        rest = after - basis @ (basis.T @ after)
        assert np.linalg.norm(rest) / np.linalg.norm(after) == pytest.approx(stated, abs=5e-4)


def test_up_to_64_equations_any_rows_fit() -> None:
    noise = np.random.default_rng(0).normal(size=(LENGTH, DIM))
    matrix = np.linalg.solve(noise[:64], noise[1:65])
    assert np.abs(noise[:64] @ matrix - noise[1:65]).max() < 1e-10
    rest = noise[:65] @ np.linalg.lstsq(noise[:65], noise[1:66], rcond=None)[0] - noise[1:66]
    assert np.abs(rest).max() > 0.1


def test_three_back_in_plain_loops() -> None:
    rows = [encode(p, DIM) for p in range(40)]
    for p in range(3, 40):
        query = turn_clockwise(rows[p], -3)
        scores = [sum(a * b for a, b in zip(query, row, strict=True)) for row in rows]
        assert scores.index(max(scores)) == p - 3


RECOVERY = """
import numpy as np
from lesson_utils.positions import shift_matrix, sinusoidal
table, M = sinusoidal(np.arange(512), 64), shift_matrix(1, 64)
fit = np.linalg.lstsq(table[:-1], table[1:], rcond=None)[0].T
far = np.abs(fit @ sinusoidal(4000, 64) - sinusoidal(4001, 64)).max()
assert np.linalg.matrix_rank(table) == 40
assert np.abs(table[:-1] @ fit.T - table[1:]).max() < 1e-12
assert abs(np.abs(fit - M).max() - 0.998) < 5e-4
assert np.abs(fit.T @ fit - np.eye(64)).max() > 0.99
assert abs(far - 1.14) < 5e-3
for i in range(0, 64, 2):
    pair = np.linalg.lstsq(table[:-1, i:i + 2], table[1:, i:i + 2], rcond=None)[0].T
    assert np.abs(pair - M[i:i + 2, i:i + 2]).max() < 1e-13
spread = np.linspace(0, 47117, 512).round()
found = np.linalg.lstsq(sinusoidal(spread, 64), sinusoidal(spread + 1, 64), rcond=None)[0].T
assert np.abs(found - M).max() < 1e-10
print("ok")
"""


@pytest.mark.parametrize("kernel", [None, "Haswell", "Prescott"])
def test_a_tiny_residual_is_not_the_matrix_on_any_blas_kernel(kernel: str | None) -> None:
    env = {key: value for key, value in os.environ.items() if key != "OPENBLAS_CORETYPE"}
    env |= {"PYTHONPATH": str(SRC), "OPENBLAS_NUM_THREADS": "1"}
    if kernel:
        env["OPENBLAS_CORETYPE"] = kernel
    done = subprocess.run([sys.executable, "-c", RECOVERY], env=env, capture_output=True, text=True)
    assert done.stdout == "ok\n", done.stderr


# ── the explorer, over its whole range ────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def random_rows() -> list[list[float]]:
    return clock_hands.random_table().tolist()


@pytest.fixture(scope="module")
def fits(random_rows: list[list[float]]) -> dict[int, list[list[float]]]:
    """The normal equations' answer for every k: independent of lstsq."""
    return {k: best_matrix(random_rows[: LENGTH - k], random_rows[k:]) for k in clock_hands.KS}


EVERYWHERE = [(p, k) for p in clock_hands.POSITIONS for k in clock_hands.KS]


def tips(row: list[float], height: float) -> list[tuple[float, float]]:
    return [(clock_hands.CENTRES[i] + row[2 * i], height + row[2 * i + 1]) for i in range(4)]


def test_every_hand_of_every_frame(random_rows, fits) -> None:
    for position, k in EVERYWHERE:
        traces = clock_hands.frame(position, k).traces
        now = tips(encode(position, 8), clock_hands.UPPER)
        later = tips(encode(position + k, 8), clock_hands.UPPER)
        guess = tips(times(random_rows[position], fits[k]), clock_hands.LOWER)
        truth = tips(random_rows[position + k], clock_hands.LOWER)
        started = tips(random_rows[position], clock_hands.LOWER)
        for i in range(4):
            centre = clock_hands.CENTRES[i]
            assert_points(traces["start"], 3 * i, [(centre, clock_hands.UPPER), now[i]])
            assert_points(traces["random-start"], 3 * i, [(centre, clock_hands.LOWER), started[i]])
            assert_points(traces[f"turned-{i}"], 0, [(centre, clock_hands.UPPER), later[i]])
            assert_points(traces["truth"], i, [later[i]])
            assert_points(traces["miss"], 3 * i, [guess[i], truth[i]])


def assert_points(trace, first: int, expected: list[tuple[float, float]]) -> None:
    for offset, (x, y) in enumerate(expected):
        assert float(trace["x"][first + offset]) == pytest.approx(x, abs=1e-8)
        assert float(trace["y"][first + offset]) == pytest.approx(y, abs=1e-8)


def test_the_shaded_turn_has_the_same_angle_at_every_position() -> None:
    for position, k in EVERYWHERE:
        x, y = clock_hands.sectors(position, k)
        first = 0
        for i, count in enumerate(clock_hands.ARC_POINTS):
            speed = 10.0**-i
            assert (x[first], y[first]) == (clock_hands.CENTRES[i], clock_hands.UPPER)
            angle = [
                math.atan2(x[first + j] - x[first], y[first + j] - y[first])
                for j in range(1, count + 1)
            ]  # clockwise from twelve
            assert same_angle(angle[0], position * speed)
            assert same_angle(angle[-1], (position + k) * speed)
            steps = [(b - a) % (2 * math.pi) for a, b in itertools.pairwise(angle)]
            swept = sum(step if step < 2 * math.pi - 1e-9 else 0.0 for step in steps)
            assert swept == pytest.approx((k * speed) % (2 * math.pi), abs=1e-8)
            first += count + 2


def same_angle(a: float, b: float) -> bool:
    return abs(math.remainder(a - b, 2 * math.pi)) < 1e-9


def test_every_readout_and_sentence(random_rows, fits) -> None:
    for k in clock_hands.KS:
        exact, missed, size = 0.0, 0.0, 0.0
        for p in range(LENGTH - k):
            turned = turn_clockwise(encode(p, 8), k)
            exact = max(exact, *(abs(a - b) for a, b in zip(turned, encode(p + k, 8), strict=True)))
            guess = times(random_rows[p], fits[k])
            missed += sum((a - b) ** 2 for a, b in zip(guess, random_rows[p + k], strict=True))
            size += sum(a * a for a in random_rows[p + k])
        assert exact < 1e-12
        for p in clock_hands.POSITIONS:
            frame = clock_hands.frame(p, k)
            guess = times(random_rows[p], fits[k])
            here = max(abs(a - b) for a, b in zip(guess, random_rows[p + k], strict=True))
            assert 0 <= frame.readouts["rotation"] < 1e-12
            assert frame.readouts["random"] == pytest.approx(here, abs=1e-9)
            assert frame.readouts["share"] == pytest.approx(math.sqrt(missed / size), abs=1e-7)
            assert (frame.sentence == clock_hands.NOTHING) == (k == 0)
            if k:
                assert frame.readouts["random"] > 0.5, "the random table's prediction misses"
                chance = math.sqrt(1 - 8 / (LENGTH - k))
                assert frame.readouts["share"] == pytest.approx(chance, abs=0.01)


def test_the_random_table_is_as_long_as_the_sinusoidal_one(random_rows) -> None:
    for row in random.Random(0).sample(random_rows, 50):
        assert [math.hypot(row[i], row[i + 1]) for i in range(0, 8, 2)] == pytest.approx([1] * 4)


def test_everything_lies_inside_the_fixed_axes() -> None:
    explorer = clock_hands.build()
    ranges = {axis: explorer.spec["layout"][f"{axis}axis"]["range"] for axis in "xy"}
    for position, k in EVERYWHERE:
        for trace in clock_hands.frame(position, k).traces.values():
            for axis, (low, high) in ranges.items():
                values = np.asarray(trace[axis], dtype=float)
                assert low < np.nanmin(values)
                assert np.nanmax(values) < high


def test_the_explorer_has_the_positions_the_chapter_speaks_of_and_fits_its_budget() -> None:
    explorer = clock_hands.build()
    names = {p["name"]: p["values"] for p in explorer.spec["params"]}
    assert set(names) == {"position", "k"}
    assert max(names["position"]) + max(names["k"]) < LENGTH
    assert {0, 3, 22} <= set(names["position"])
    assert {0, *SHIFTS} <= set(names["k"])
    assert explorer.nbytes <= 150_000
    explorer.values = {"position": 22, "k": 17}
    assert explorer.frame.readouts == clock_hands.frame(22, 17).readouts


def test_both_parameters_change_the_picture() -> None:
    at = {key: clock_hands.frame(*key) for key in ((3, 2), (4, 2), (3, 5))}
    for other in ((4, 2), (3, 5)):
        for name in ("turn", "truth", "turned-0", "miss"):
            x, y = (np.asarray(at[key].traces[name]["x"]) for key in ((3, 2), other))
            assert not np.allclose(x, y, equal_nan=True), (name, other)


def test_sinusoidal_agrees_with_the_loop_used_here() -> None:
    assert np.allclose(sinusoidal(range(30), 8), [encode(p, 8) for p in range(30)], atol=1e-13)
