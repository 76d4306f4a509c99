"""Arguments that must be refused, and what the refusal says: name, expectation, what came."""

from typing import Any

import numpy as np
import torch

BAD_DIMS: list[tuple[Any, str]] = [
    (3, "dim: expected a positive even integer, got 3 .*choose an even size"),
    (0, "dim: expected a positive even integer, got 0"),
    (-2, "dim: expected a positive even integer, got -2"),
    (True, r"dim: expected a positive even integer, got True \(bool\).*Pass an int"),
    (4.0, r"dim: expected a positive even integer, got 4.0 \(float\)"),
    ("4", r"dim: expected a positive even integer, got '4' \(str\)"),
    (None, "dim: expected a positive even integer, got None"),
]
BAD_BASES: list[tuple[Any, str]] = [
    (0, "base: expected a positive finite number, got 0"),
    (-1.0, r"base: expected a positive finite number, got -1.0 \(float\). Pass one int or float"),
    (float("nan"), "base: expected a positive finite number, got nan"),
    (float("inf"), "base: expected a positive finite number, got inf"),
    (True, r"base: expected a positive finite number, got True"),
    ("1e4", r"base: expected a positive finite number, got '1e4' \(str\)"),
    (1j, r"base: expected a positive finite number, got 1j \(complex\)"),
    (10**400, "base: expected a positive finite number, got 'an integer too large for a float'"),
    ([2.0], r"base: expected a positive finite number, got \[2.0\] \(list\)"),
]
BAD_POSITIONS: list[tuple[Any, str]] = [
    (np.nan, r"positions: expected finite numbers, got nan .*Remove NaN"),
    ([1, np.inf], "positions: expected finite numbers, got inf"),
    ("three", r"positions: expected real numbers, got 'three' \(str\).*Convert"),
    ([True, False], r"positions: expected real numbers, got bool array of shape \(2,\)"),
    (1j, "positions: expected real numbers, got 1j"),
    (None, "positions: expected real numbers, got None"),
    ([[1], [2, 3]], "positions: expected a rectangular array of real numbers, got .*equally long"),
    (torch.ones(2, requires_grad=True), r"positions: expected a tensor without.*detach\(\)"),
]
