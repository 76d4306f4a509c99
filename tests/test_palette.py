"""The palette: readable on its background, told apart by every eye, and the same in the CSS."""

import importlib
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import lesson_utils
from lesson_utils.palette import DARK, DIVERGING, HEAT, LIGHT, TINT
from support.vision import DEFICIENCIES, contrast, distance, linear, seen_by

THEMES = {"light": LIGHT, "dark": DARK}
SERIES = ["additive", "rotary", "content", "position", "cross1", "cross2", "highlight"]
STATIC = Path(lesson_utils.__file__).parent / "static"
CSS = (STATIC / "explorer.css").read_text("utf-8")


def css_colours(theme):
    """The --x-… variables that explorer.css declares for a theme."""
    light, dark = re.findall(r"\{\s*(--x-ink:[^}]*)\}", CSS)
    return dict(
        re.findall(r"--x-([\w-]+):\s*(#[0-9a-f]{6})", {"light": light, "dark": dark}[theme])
    )


def backgrounds(theme):
    return [THEMES[theme]["surface"], css_colours(theme)["card"]]


def test_the_measures_themselves():
    """Known values: white on black, WCAG's own #767676, and a red that a protanope sees dark."""
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)
    assert distance("#ffffff", "#000000") == pytest.approx(100, abs=0.01)
    assert distance("#ff0000", "#00ff00") == pytest.approx(170.6, abs=0.1)
    # Red and green are far apart; to a deuteranope this pair is nearly one colour.
    assert distance("#a5632a", "#6f7f2a") > 25
    assert distance("#a5632a", "#6f7f2a", "deuteranopia") < 8
    for matrix in DEFICIENCIES.values():
        assert np.sum(matrix, axis=1) == pytest.approx(1, abs=1e-5)  # greys stay grey
    assert seen_by(linear("#808080"), "protanopia") == pytest.approx(linear("#808080"), abs=1e-5)


@pytest.mark.parametrize("theme", THEMES)
def test_tokens_are_the_same_in_both_themes(theme):
    assert list(THEMES[theme]) == list(LIGHT)
    assert all(re.fullmatch(r"#[0-9a-f]{6}", colour) for colour in THEMES[theme].values())
    assert len(set(THEMES[theme].values())) == len(LIGHT)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("token", [*SERIES, "ink", "muted"])
def test_every_colour_may_carry_text(theme, token):
    for background in backgrounds(theme):
        assert contrast(THEMES[theme][token], background) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    ("eye", "apart"),
    [(None, 25), ("protanopia", 11), ("deuteranopia", 11), ("tritanopia", 11)],
)
def test_every_eye_tells_any_two_meanings_apart(theme, eye, apart):
    colours = THEMES[theme]
    near = min((distance(colours[a], colours[b], eye), a, b) for a, b in combinations(SERIES, 2))
    assert near[0] >= apart, near


@pytest.mark.parametrize("theme", THEMES)
def test_grid_lines_are_seen_and_stay_behind(theme):
    for background in backgrounds(theme):
        assert 1.15 < contrast(THEMES[theme]["grid"], background) < 2


@pytest.mark.parametrize("theme", THEMES)
def test_the_css_agrees_with_the_palette(theme):
    css, colours = css_colours(theme), THEMES[theme]
    assert css["ink"] == colours["ink"]
    assert css["muted"] == colours["muted"]
    assert css["accent"] == colours["rotary"]
    assert contrast(css["on-accent"], css["accent"]) >= 4.5
    # WCAG 1.4.11: what has to be seen to use a control.
    assert contrast(css["accent"], css["card"]) >= 3
    assert set(css) == {"ink", "muted", "line", "card", "accent", "on-accent"}


def test_the_css_sets_each_variable_it_uses():
    used = set(re.findall(r"var\(--x-([\w-]+)", CSS))
    assert used <= set(css_colours("light"))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", [HEAT, TINT, DIVERGING], ids=["heat", "tint", "diverging"])
def test_scales_start_and_end_and_only_climb(theme, scale):
    stops = scale[theme]
    assert [stop for stop, _ in stops] == sorted({stop for stop, _ in stops})
    assert (stops[0][0], stops[-1][0]) == (0, 1)


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_looks_like_nothing(theme):
    """Zero is nearly the background, the end far from it, and every step takes one further away."""
    surface = THEMES[theme]["surface"]
    middle = len(DIVERGING[theme]) // 2
    assert DIVERGING[theme][middle][0] == 0.5
    for arm in (HEAT[theme], DIVERGING[theme][middle:], DIVERGING[theme][middle::-1]):
        ratios = [contrast(colour, surface) for _, colour in arm]
        assert ratios[0] < 1.2
        assert ratios[-1] > 7
        assert ratios == sorted(ratios)


def inverted(colour):
    """What lesson.css makes of a map's image on a dark page: ``invert(1) hue-rotate(180deg)``."""
    red_green_blue = 255 - np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    weights = np.array([0.213, 0.715, 0.072])  # of the CSS filter; half a turn mirrors at grey
    turned = 2 * weights @ red_green_blue - red_green_blue
    return "#" + "".join(f"{int(np.clip(np.rint(c), 0, 255)):02x}" for c in turned)


def test_text_reads_on_every_tint():
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    assert inverted("#ffffff") == "#000000"
    assert inverted("#202020") == "#dfdfdf"
    for value in np.linspace(0, 1, 101):
        light, dark = (
            to_hex(LinearSegmentedColormap.from_list(theme, TINT[theme])(value)) for theme in THEMES
        )
        assert contrast(light, LIGHT["ink"]) >= 4.5
        assert contrast(dark, DARK["ink"]) >= 4.5
        assert contrast(inverted(light), DARK["ink"]) >= 4.5
    # And still a full cell is nothing like an empty one.
    for theme in THEMES:
        assert contrast(TINT[theme][0][1], TINT[theme][-1][1]) > 2


def test_maps_that_carry_text_are_tinted():
    """Plotly would choose black or white by itself, and miss AA in between."""
    for name in sorted(
        p.stem for p in (Path(lesson_utils.__file__).parent / "explorers").glob("*.py")
    ):
        module = importlib.import_module(f"lesson_utils.explorers.{name}")
        for trace in module.build().spec["traces"] if hasattr(module, "build") else []:
            if trace.get("type") == "heatmap" and "texttemplate" in trace:
                assert trace["colorscale"] == "$tint", name
                assert trace["textfont"]["color"] == "$ink", name


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eye", [None, *DEFICIENCIES])
def test_every_eye_tells_the_signs_apart(theme, eye):
    for low, high in [(0, -1), (1, -2)]:
        a, b = DIVERGING[theme][low][1], DIVERGING[theme][high][1]
        assert distance(a, b, eye) >= 11
