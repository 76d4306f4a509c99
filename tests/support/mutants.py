"""Wrong rotary encodings: a formula with a switch for each mistake, and edits of our source."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

import lesson_utils

SOURCE = Path(lesson_utils.__file__).parent


def by_formula(
    x: Any,
    position: Any,
    *,
    half: bool = False,
    sign: int = 1,
    base: float = 10000.0,
    step: int = 2,
    first_pair: int = 0,
    first_position: int = 0,
) -> Any:
    """A loop over pairs. With the defaults it is right; each switch is one mistake."""
    dim = len(x)
    turned = np.empty(dim)
    for i in range(dim // 2):
        a, b = (i, i + dim // 2) if half else (2 * i, 2 * i + 1)
        speed = base ** (-step * (i + first_pair) / dim)
        angle = sign * (position + first_position) * speed
        turned[a] = x[a] * np.cos(angle) - x[b] * np.sin(angle)
        turned[b] = x[a] * np.sin(angle) + x[b] * np.cos(angle)
    return turned


SWITCHES: dict[str, dict[str, Any]] = {
    "half-split pairing": {"half": True},
    "flipped sign": {"sign": -1},
    "another base": {"base": 500000.0},
    "exponent i/d": {"step": 1},
    "pairs counted from 1": {"first_pair": 1},
    "positions counted from 1": {"first_position": 1},
}

# mistake: (module, what stands there, what to write instead)
EDITS: dict[str, tuple[str, str, str]] = {
    "half-split pairing": ("rotary", '== "interleaved" else', '!= "interleaved" else'),
    "flipped sign": (
        "rotary",
        "(first * cos - second * sin, first * sin + second * cos)",
        "(first * cos + second * sin, second * cos - first * sin)",
    ),
    "another base": ("positions", "return base**-exponents", "return (50 * base) ** -exponents"),
    "exponent i/d": (
        "positions",
        "exponents = np.arange(0, dim, 2, dtype=np.float64) / dim",
        "exponents = np.arange(0, dim // 2, dtype=np.float64) / dim",
    ),
    "pairs counted from 1": (
        "positions",
        "exponents = np.arange(0, dim, 2, dtype=np.float64) / dim",
        "exponents = np.arange(2, dim + 2, 2, dtype=np.float64) / dim",
    ),
    "positions counted from 1": (
        "positions",
        'finite_array(positions, "positions")[',
        '(finite_array(positions, "positions") + 1)[',
    ),
}


def by_edit(mistake: str | None) -> ModuleType:
    """Load rotary.py once more, with one mistake edited into it or into positions.py."""
    loaded: dict[str, ModuleType] = {}
    edited, old, new = EDITS[mistake] if mistake else ("", "", "")
    for name in ("positions", "rotary"):
        text = (SOURCE / f"{name}.py").read_text(encoding="utf-8")
        if name == edited:
            assert text.count(old) == 1, f"{name}.py no longer has just one {old!r}"
            text = text.replace(old, new)
        module = ModuleType(f"lesson_utils.{name}")
        with mock.patch.dict(sys.modules, loaded):
            exec(compile(text, f"{name}.py", "exec"), module.__dict__)
        loaded[module.__name__] = module
    return loaded["lesson_utils.rotary"]
