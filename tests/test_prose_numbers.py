"""Prose that cannot go stale: every number a chapter states stands in that chapter's code."""

from decimal import Decimal
from pathlib import Path

import pytest
from nbformat import v4

from support.notebooks import NOTEBOOKS, read
from support.prose_numbers import code_numbers, prose_numbers, unbacked


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_number_of_the_prose_stands_in_the_code(path: Path) -> None:
    missing = unbacked(read(path))
    assert not missing, "no literal backs " + "; ".join(missing)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the width is 3.30", ["3.30"]),
        ("16,640 weights", ["16640"]),
        ("$16{,}640$ weights", ["16640"]),
        (r"$1\,000\,000$ steps", ["1000000"]),
        ("16\u202f640 weights", ["16640"]),
        ("a score of −12.638", ["-12.638"]),
        ("$-12.638$ and (-1.25, −2.50)", ["-12.638", "-1.25", "-2.50"]),
        ("from 223.6–234.8", ["223.6", "234.8"]),
        ("positions 100-105", ["100", "105"]),
        ("starts 3, 10, 100, 4000.", ["100", "4000"]),
        (r"$(105^2 - 100^2)/\sqrt{5}$", ["105", "100"]),
        ("105² − 100²", ["105", "100"]),
        ("| t3 | .671 |\n|---|---|\n| t4 | 0.510 |", ["0.671", "0.510"]),
        (r"$1.234 \cdot 10^{-14}$", ["1.234e-14"]),
        ("1.234·10⁻¹⁴ and 2.345e-13", ["1.234e-14", "2.345e-13"]),
        (r"about 5·10^{-14}, 5e-14, $5 \times 10^{-14}$, 10⁻¹², $10^{100}$", []),
        ("two digits: 0.0078, 64, 1.5, 0.50, 007", []),
        (r"$10000^{-2i/d}$ and $P_{100}$", ["10000", "100"]),
        ("`4096` entries, `16_640` weights", ["4096", "16640"]),
        ("a 512-dimensional vector, the 4000th, 124×64", ["512", "4000", "124"]),
        ("**0.377** *0.626* ~0.360", ["0.377", "0.626", "0.360"]),
        ("a length\n512. The next", ["512"]),
        ("the base is 2000. Position 2017 is late; in 2000 steps", ["2000", "2017", "2000"]),
        ("&minus;1.25 &asymp; 1.26", ["-1.25", "1.26"]),
        ("```\n26.82\n```", ["26.82"]),
        ("[the score 26.82](05-rotary.ipynb) at 2000, [a](b) 512", ["26.82", "2000", "512"]),
        ("$x = 3.14$.", ["3.14"]),
        (
            r"$100 \cdot 101 = 10100$, $64\times512$, $1/\sqrt{128}$",
            ["100", "101", "10100", "512", "128"],
        ),
        (r"$x\approx0.377$ and $i<j$, 0.510, $j>i$", ["0.377", "0.510"]),
        ("_0.377_ and __0.510__ and 0..100", ["0.377", "0.510", "100"]),
        (
            "The figure 11.18, the length (2000), starts (3, 10, 2000), from 2000.",
            ["11.18"] + ["2000"] * 3,
        ),
        ("1,2345 and (1, 100)", ["2345", "100"]),
    ],
)
def test_numbers_are_collected(text: str, expected: list[str]) -> None:
    assert [number.values[0] for number in prose_numbers(text)] == list(map(Decimal, expected))


@pytest.mark.parametrize(
    "text",
    [
        "[Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)",
        "[arXiv 1706.03762](https://arxiv.org/abs/1706.03762), [2104.09864](https://x.org/1)",
        "[Gehring et al.](https://arxiv.org/abs/1705.03122) in 2017 and [GPT](u) (2018)",
        "Su et al. 2021; Su et al. (2021); Su et al., 2021",
        "RoFormer (2021) and (Transformer-XL, 2019)",
        "In 2017, they wrote; in 2017 Vaswani wrote; since 2019.",
        "arXiv:1706.03762v7 and arXiv 2203.16634",
        "see https://example.org/1234/5678 and <https://example.org/4321>",
        "`x = 1234`, `range(1000)`, `sha256`",
        "```python\nx = 1234\n```",
        "Python 3.11, version 2.13, torch 2.13.0, numpy 2.14",
        "1. one\n2. two",
        "100. a marker\n\n101. another",
        "chapter 100, Section 3.14, figure 123, Fig. 456, exercises 101",
        "float32, bfloat16, int8, t100, x_127, GPT2, L1000",
        '<img width="720"> <details open="100">',
        "![a figure](images/1234.png)",
    ],
)
def test_exempt_by_rule(text: str) -> None:
    assert prose_numbers(text, packages=["numpy"]) == []


def test_percentages_may_be_shares() -> None:
    (percent,) = prose_numbers("a share of 87.3%")
    assert percent.values == (Decimal("87.3"), Decimal("0.873"))
    (escaped,) = prose_numbers(r"$87.3\%$")
    assert escaped.values == percent.values


def test_literals_are_read_with_sign_and_separators() -> None:
    code = "%pip install x\n!ls 777\nf = lambda a=16_640: a - 4000\nclaim('1234', x, -12.638, 5e-4)"
    assert code_numbers(code) == set(map(Decimal, ["16640", "4000", "-12.638", "0.0005"]))


def notebook(prose: str, *code: str):
    cells = [v4.new_markdown_cell(prose, id="prose"), *map(v4.new_code_cell, code)]
    return v4.new_notebook(cells=cells)


def test_backed_numbers_pass() -> None:
    prose = "16,640 weights, a share of 87.3%, −12.638, 32.00, $1.234·10^{-14}$ ([2017](u))"
    code = "import numpy\nclaim('', n, 16_640, 0)\nx = 0.873, -12.638", "y = [32, 1.234e-14]"
    assert unbacked(notebook(prose, *code)) == []


@pytest.mark.parametrize(
    ("prose", "code"),
    [
        ("the width is 3.31", "x = 3.30"),
        ("the width is 3.30", "x = '3.30'"),
        ("the width is 3.30", "x = 1  # 3.30"),
        ("a score of 12.638", "x = -12.638"),
        ("a score of −12.638", "x = 12.638"),
        ("a share of 87.3%", "x = 8.73"),
        ("$1.234·10^{-14}$", "x = 1.234"),
        ("16,640", "x = 16, 640"),
        ("| a | 458.39 |", "x = 458.4"),
        ("<details>\n\n0.377\n\n</details>", "x = 0.378"),
    ],
)
def test_unbacked_numbers_fail(prose: str, code: str) -> None:
    (message,) = unbacked(notebook(prose, code))
    assert message.endswith("in markdown cell prose")
