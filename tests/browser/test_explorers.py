"""Every explorer in the built page, at several positions, against values computed here alone."""

from __future__ import annotations

import cmath
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from support.browser import frames, open_page

pytestmark = pytest.mark.browser

# The toy tokens of chapters 1 and 2, as printed in chapter 1.
TOKENS = np.array(
    [
        [2.56, 0.58, 1.88, -1.68],
        [2.81, 0.84, 0.09, 0.14],
        [1.99, 0.81, -1.25, -1.75],
        [2.48, 0.72, 1.82, -1.50],
        [2.86, 0.75, 0.11, -0.10],
        [2.03, 0.97, -1.22, -1.73],
    ]
)


def rows_softmax(logits: np.ndarray) -> np.ndarray:
    return np.array([[math.exp(x - max(row)) for x in row] for row in logits]) / np.array(
        [[sum(math.exp(x - max(row)) for x in row)] for row in logits]
    )


def integer_start(start: int) -> dict[str, float]:
    content = TOKENS @ TOKENS.T / math.sqrt(5)
    positions = np.arange(start, start + 6)
    position = np.outer(positions, positions) / math.sqrt(5)
    return {
        "content_width": content.max() - content.min(),
        "position_width": position.max() - position.min(),
        "largest": rows_softmax(content + position).max(axis=1).mean(),
    }


def sinusoid_distance(distance: int, dim: int) -> dict[str, float]:
    product = sum(math.cos(distance * 10000 ** (-2 * i / dim)) for i in range(dim // 2))
    return {"product": product, "similarity": product / (dim / 2)}


def content_vs_position(scale: float, start: int) -> dict[str, float]:
    def encoding(p: int) -> list[float]:
        return [f(p * 10000 ** (-2 * i / 4)) for i in range(2) for f in (math.sin, math.cos)]

    added = scale * TOKENS + np.array([encoding(p) for p in range(start, start + 6)])
    with_it = rows_softmax(added @ added.T / 2)[0]
    without = rows_softmax(scale**2 * TOKENS @ TOKENS.T / 2)[0]
    return {
        "partner": with_it[3], "neighbour": with_it[1],
        "partner_without": without[3], "neighbour_without": without[1],
    }  # fmt: skip


def clock_hands(position: int, k: int) -> dict[str, float]:
    angles = np.random.default_rng(0).uniform(0, 2 * math.pi, size=(512, 4))
    table = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(512, 8)
    before, after = table[: 512 - k], table[k:]
    fitted = np.linalg.solve(before.T @ before, before.T @ after)  # normal equations
    missed = table[position] @ fitted - table[position + k]
    share = np.linalg.norm(before @ fitted - after) / np.linalg.norm(after)
    # The largest miss in any one coordinate.
    return {"random": np.abs(missed).max(), "share": share}


def turns(gap: int, base: str) -> dict[str, float]:
    made = [gap * float(base) ** (-2 * i / 64) / (2 * math.pi) for i in range(32)]
    return {"first": sum(t < 1 for t in made), "fastest": made[0]}


CASES: list[tuple[str, str, Callable[..., dict[str, float]], list[dict[str, Any]]]] = [
    (
        "01-integer-position", "integer-start", integer_start,
        [{"start": s} for s in (0, 4, 100, 200)],
    ),
    (
        "02-sinusoidal", "sinusoid-distance", sinusoid_distance,
        [{"distance": d, "dim": 64} for d in (0, 1, 6, 406, 511)] + [{"distance": 6, "dim": 4}],
    ),
    (
        "02-sinusoidal", "content-vs-position", content_vs_position,
        [{"scale": 1.0, "start": 0}, {"scale": 1.0, "start": 5}, {"scale": 2.0, "start": 0}],
    ),
    (
        "03-shift-as-rotation", "clock-hands", clock_hands,
        [{"position": p, "k": k} for p, k in ((3, 2), (100, 17), (0, 50), (20, 1))],
    ),
    (
        "05-rotary", "turns", turns,
        [{"gap": g, "base": "10000"} for g in (1, 10, 100, 4096)]
        + [{"gap": 512, "base": "500000"}],
    ),
]  # fmt: skip


class Figure:
    """One explorer in a page."""

    def __init__(self, page: Any, name: str) -> None:
        self.page, self.name = page, name
        self.selector = f'figure[data-explorer="{name}"]'
        page.locator(self.selector).scroll_into_view_if_needed()
        page.wait_for_selector(f"{self.selector} .main-svg")

    def move(self, values: dict[str, Any]) -> None:
        """Move the page's own controls, as a reader does."""
        self.page.evaluate(
            """([selector, values]) => {
                 const el = document.querySelector(selector);
                 const spec = JSON.parse(el.querySelector('.explorer-spec').textContent);
                 for (const [name, value] of Object.entries(values)) {
                   const control = el.querySelector(`[name="${name}"]`);
                   const index = spec.params.find(p => p.name === name).values.indexOf(value);
                   if (index < 0) throw new Error(`${name}=${value} is no position`);
                   control.value = index;
                   control.dispatchEvent(new Event('input', { bubbles: true })) } }""",
            [self.selector, values],
        )

    def spec(self) -> dict[str, Any]:
        text = self.page.locator(f"{self.selector} .explorer-spec").text_content()
        return dict(json.loads(text))

    def shown(self, readout: str) -> str:
        return str(
            self.page.locator(f'{self.selector} output[data-readout="{readout}"]').text_content()
        )

    def chart(self) -> list[dict[str, Any]]:
        frames(self.page)
        return list(
            self.page.evaluate(
                f"""() => document.querySelector('{self.selector} .explorer-chart').data
                     .map(t => JSON.parse(JSON.stringify(
                       t, (k, v) => ArrayBuffer.isView(v) ? [...v] : v)))"""
            )
        )


@pytest.fixture
def figure(browser: Any, served: str) -> Iterator[Callable[[str, str], Figure]]:
    opened = []

    def open_figure(chapter: str, name: str) -> Figure:
        page, away, errors = open_page(browser, viewport={"width": 1100, "height": 900})
        opened.append((page, away, errors))
        page.goto(f"{served}notebooks/{chapter}.html")
        return Figure(page, name)

    yield open_figure
    for page, away, errors in opened:
        assert (away, errors) == ([], [])
        page.context.close()


@pytest.mark.parametrize(
    ("chapter", "name", "compute", "positions"), CASES, ids=[c[1] for c in CASES]
)
def test_readouts(
    figure: Any, chapter: str, name: str, compute: Any, positions: list[dict[str, Any]]
) -> None:
    explorer = figure(chapter, name)
    digits = {r["name"]: r["digits"] for r in explorer.spec()["readouts"]}
    seen = []
    for values in positions:
        explorer.move(values)
        expected = compute(**values)
        for readout, value in expected.items():
            unit = 10.0 ** -digits[readout]
            assert float(explorer.shown(readout)) == pytest.approx(value, abs=0.51 * unit), (
                readout,
                values,
            )
        seen.append(tuple(explorer.shown(r) for r in expected))
    assert len(set(seen)) > 1  # the readouts do move


def test_integer_start_collapses_onto_one_column(figure: Any) -> None:
    explorer = figure("01-integer-position", "integer-start")

    def weights(start: int) -> np.ndarray:
        explorer.move({"start": start})
        heat = next(t for t in explorer.chart() if t["type"] == "heatmap")
        return np.array(heat["z"])

    first, later = weights(0), weights(100)
    content = TOKENS @ TOKENS.T / math.sqrt(5)
    np.testing.assert_allclose(
        first, rows_softmax(content + np.outer(range(6), range(6)) / math.sqrt(5)), atol=1e-6
    )
    assert (later[:, -1] > 0.999).all()
    assert (first[:, -1] < 0.999).any()


def test_clock_hands_the_turn_ends_on_the_true_hand(figure: Any) -> None:
    explorer = figure("03-shift-as-rotation", "clock-hands")
    for position, k in ((3, 2), (100, 17)):
        explorer.move({"position": position, "k": k})
        assert float(explorer.shown("rotation")) < 1e-12


def test_pitfalls_counts_the_checks_that_notice(figure: Any) -> None:
    explorer = figure("05-rotary", "pitfalls")
    counts = {}
    for mistake in explorer.spec()["params"][0]["values"]:
        explorer.move({"mistake": mistake})
        counts[mistake] = int(explorer.shown("noticed"))
    assert counts["none"] == 0
    assert all(count > 0 for mistake, count in counts.items() if mistake != "none")


def test_heads_readouts_follow_from_the_weights_it_draws(figure: Any) -> None:
    """The weights are this run's own, so the readouts are worked out from the drawn ones."""
    explorer = figure("04-learned-positions", "heads")
    seen = set()
    for head, query in (("layer 1, head 1", 0), ("layer 1, head 3", 20), ("layer 2, head 1", 45)):
        explorer.move({"head": head, "query": query})
        drawn = next(t for t in explorer.chart() if t["key"] == "seen")["z"]
        weights = [w or 0.0 for w in drawn]
        assert sum(weights[: query + 1]) == pytest.approx(1, abs=1e-4)
        assert not any(weights[query + 1 :])  # nobody sees what comes later
        expected = {
            "itself": weights[query],
            "previous": weights[query - 1] if query else 0.0,
            "distance": sum(w * (query - j) for j, w in enumerate(weights)),
        }
        for readout, value in expected.items():
            unit = 0.1 if readout == "distance" else 0.01
            assert float(explorer.shown(readout)) == pytest.approx(value, abs=0.51 * unit)
        seen.add(tuple(explorer.shown(r) for r in expected))
    assert len(seen) == 3


def test_half_split_differs_from_neighbours_as_stated() -> None:
    """The two golden vectors of the text, with complex numbers and nothing else."""
    x, position, speeds = (1.0, 2.0, 3.0, 4.0), 3, (1.0, 0.01)
    turn = [cmath.exp(1j * position * s) for s in speeds]
    neighbours = [complex(x[0], x[1]) * turn[0], complex(x[2], x[3]) * turn[1]]
    halves = [complex(x[0], x[2]) * turn[0], complex(x[1], x[3]) * turn[1]]
    assert [round(v, 6) for z in neighbours for v in (z.real, z.imag)] == [
        -1.272233, -1.838865, 2.878668, 4.088187,
    ]  # fmt: skip
    assert [round(halves[i].real, 6) for i in (0, 1)] == [-1.413353, 1.879118]
    assert [round(halves[i].imag, 6) for i in (0, 1)] == [-2.828857, 4.058191]


def test_every_explorer_of_the_book_is_tried_here(built_book: Any) -> None:
    found = {
        name
        for page in built_book.glob("notebooks/*.html")
        for name in re.findall(r'data-explorer="([^"]+)"', page.read_text("utf-8"))
    }
    tried = {case[1] for case in CASES} | {"score-drift", "pitfalls", "heads"}
    assert found <= tried
