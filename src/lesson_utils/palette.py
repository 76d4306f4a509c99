"""The book's colours: one meaning each, in every chapter, for a light and a dark page.

Blue, orange, green, ochre, violet, pink and red were moved, each within its own hue, until readers
with the common colour-vision deficiencies can tell any two apart (ΔE of 11 and more), and every
colour reaches the WCAG AA contrast of 4.5 : 1 against its own background, so that it may carry text
as well as lines (`tests/test_palette.py` computes both).
"""

from __future__ import annotations

__all__ = ["DARK", "DIVERGING", "HEAT", "LIGHT", "TINT"]

LIGHT: dict[str, str] = {
    "additive": "#bc5111",  # anything that adds the position: scores that drift
    "rotary": "#0b63b0",  # anything that rotates by the position: scores that stay
    "content": "#0c7358",  # what the words alone contribute
    "position": "#644f00",  # what the positions alone contribute
    "cross1": "#7042cc",  # q · P_n, the first mixed term
    "cross2": "#b0307a",  # P_m · k, the second mixed term
    "highlight": "#c4122f",  # "look here": a mistake, a miss
    "ink": "#1d2430",
    "muted": "#5b6472",
    "grid": "#dfe3e8",
    "surface": "#ffffff",
}

DARK: dict[str, str] = {
    "additive": "#ff9a57",
    "rotary": "#6db9ff",
    "content": "#48cfa5",
    "position": "#f0c850",
    "cross1": "#b68ddf",
    "cross2": "#ff93c9",
    "highlight": "#ff7b86",
    "ink": "#e6e9ee",
    "muted": "#a3adba",
    "grid": "#353c47",
    "surface": "#14181e",
}

# Colour scales by name: (position from 0 to 1, colour), for light and for dark pages. Both start at
# the page's own background, so "nothing" looks like nothing in either theme.
HEAT: dict[str, list[tuple[float, str]]] = {
    "light": [(0.0, "#f3f6fa"), (0.35, "#a8cbe8"), (0.7, "#3b82c4"), (1.0, "#083a75")],
    "dark": [(0.0, "#1c222b"), (0.35, "#1f4f80"), (0.7, "#4397e0"), (1.0, "#c9e6ff")],
}
# For cells that carry text: on each of its colours the page's ink keeps a contrast of 4.5 : 1.
TINT: dict[str, list[tuple[float, str]]] = {
    "light": [(0.0, "#f3f6fa"), (0.5, "#a8cbe8"), (1.0, "#6aa9df")],
    "dark": [(0.0, "#1c222b"), (0.5, "#1e4a77"), (1.0, "#2868a8")],
}
DIVERGING: dict[str, list[tuple[float, str]]] = {
    "light": [
        (0.0, "#8c3606"),
        (0.25, "#e09a66"),
        (0.5, "#f5f6f8"),
        (0.75, "#74aede"),
        (1.0, "#084a8c"),
    ],
    "dark": [
        (0.0, "#ffb27d"),
        (0.25, "#a85a20"),
        (0.5, "#1c222b"),
        (0.75, "#2b6ca8"),
        (1.0, "#9bd0ff"),
    ],
}
