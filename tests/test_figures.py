"""Static figures: SVG that follows the theme, harms nothing around it and says what it shows."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from lesson_utils import figures
from lesson_utils.palette import DIVERGING, HEAT, LIGHT, TINT

ALT = "Two lines, one rising and one flat."


def drawing(shift=0.0, **changes):
    """What chapters draw: lines, marks, bars, an image, texts, an arrow and a legend."""
    fig, (left, right) = figures.axes(ncols=2, **changes)
    left.plot([0, 1, 2], [0 + shift, 1, 4], color=LIGHT["additive"], marker="o", label="additive")
    left.plot([0, 1, 2], [1, 1, 1], color=LIGHT["rotary"], label="rotary")
    left.bar([0, 1], [0.5, 0.7], color=LIGHT["content"])
    left.set_xticks([0, 1, 2], ["0.005", "1.2345", "2"])
    left.set_title("Scores")
    left.text(1, 2, 'a < b & "c" 0.12345')
    left.annotate("here", (1, 1), (0.5, 3), arrowprops={"arrowstyle": "->"})
    left.legend()
    right.imshow(np.eye(3), cmap=figures.heat())
    return fig


@pytest.fixture(scope="module")
def html():
    return figures.to_html(drawing(), ALT)


def parsed(html):
    return ET.fromstring(re.sub(r"^<figure[^>]*>|</figure>$", "", html))


def texts(html):
    return ["".join(node.itertext()) for node in parsed(html).iter() if node.tag.endswith("}text")]


def ids(html):
    return re.findall(r'\bid="([^"]*)"', html)


def test_it_is_one_well_formed_svg_in_a_figure(html):
    assert html.startswith('<figure class="lesson-figure"><svg role="img" ')
    assert html.endswith("</svg></figure>")
    assert parsed(html).tag == "{http://www.w3.org/2000/svg}svg"
    assert parsed(html).get("viewBox")


def test_it_restyles_nothing_and_fetches_nothing(html):
    assert "<style" not in html
    assert "<script" not in html
    assert "<metadata" not in html
    assert "<!DOCTYPE" not in html
    outside = re.findall(r'(?:href|src)="(?!#|data:)([^"]*)"', html)
    assert outside == []
    # Matplotlib's name for the font would win over the page's.
    assert "DejaVu" not in html.split("sans-serif)")[0]


def test_it_is_scaled_to_the_page_and_never_wider_than_drawn(html):
    style = parsed(html).get("style")
    assert "width:100%" in style
    assert "max-width:4.6in" in style
    assert parsed(html).get("width") is None


def test_palette_colours_are_variables_with_themselves_as_fallback(html):
    for token in ("additive", "rotary", "content", "ink", "muted", "grid"):
        assert f"var(--lesson-{token}, {LIGHT[token]})" in html
    bare = re.sub(r"var\([^)]*\)", "", html)
    left = {colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}\b", bare)}
    assert left.isdisjoint(LIGHT.values())


def test_variables_stand_in_styles_alone_where_they_count(html):
    """A presentation attribute such as fill="var(…)" is ignored by browsers."""
    for node in parsed(html).iter():
        for name, value in node.attrib.items():
            assert name == "style" or "var(" not in value


def test_nothing_is_black_unless_the_page_is(html):
    """Matplotlib's own black (texts, legends, arrows the caller makes) would vanish in the dark."""
    assert "#000000" not in html
    assert f"fill:var(--lesson-ink, {LIGHT['ink']})" in parsed(html).get("style")


def test_a_legend_has_no_box(html):
    # The box would be white, also on a dark page.
    assert "--lesson-surface" not in html
    assert "additive" in texts(html)


def test_text_stays_text_to_the_last_digit(html):
    """Coordinates are shortened, what the reader reads is not."""
    for text in ("0.005", "1.2345", "Scores", 'a < b & "c" 0.12345', "here"):
        assert text in texts(html)


def test_coordinates_are_short(html):
    for tag in re.findall(r"<(?:path|use|text)\b[^>]*>", html):
        assert not re.search(r"\d\.\d{3,}", tag)


def test_ids_are_unique_in_a_page_of_several_figures(html):
    others = [figures.to_html(drawing(shift), ALT) for shift in (0.5, 1.0)]
    everything = [i for each in (html, *others) for i in ids(each)]
    assert everything
    assert len(everything) == len(set(everything))


def test_every_reference_leads_to_an_id_of_its_own_figure_and_back(html):
    refers = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', html))
    assert {a or b for a, b in refers} == set(ids(html))


def test_the_same_drawing_gives_the_same_bytes(html):
    assert figures.to_html(drawing(), ALT) == html


@pytest.mark.parametrize("alt", ["", "   ", "short", None, 3])
def test_a_text_alternative_is_required(alt):
    with pytest.raises(ValueError, match=r"alt must say in a sentence what the figure shows, got"):
        figures.to_html(drawing(), alt)


def test_a_text_alternative_is_escaped():
    alt = 'Says "a < b" & </svg><script>alert(1)</script>.'
    html = figures.to_html(drawing(), alt)
    assert parsed(html).get("aria-label") == alt
    assert "<script" not in html


def test_axes_is_like_subplots_and_leaves_no_state_behind():
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    before, open_figures = dict(mpl.rcParams), plt.get_fignums()
    fig, grid = figures.axes(width=6, height=4, nrows=2, ncols=3, sharex=True)
    assert grid.shape == (2, 3)
    assert tuple(fig.get_size_inches()) == (6, 4)
    figures.to_html(fig, ALT)
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == open_figures


def test_show_displays_the_html(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    assert figures.show(drawing(), ALT) is None
    (element,) = shown
    assert element.data == figures.to_html(drawing(), ALT)


@pytest.mark.parametrize(
    ("colormap", "stops"),
    [
        (figures.heat, HEAT["light"]),
        (figures.tint, TINT["light"]),
        (figures.diverging, DIVERGING["light"]),
    ],
)
def test_colour_maps_pass_through_their_stops(colormap, stops):
    from matplotlib.colors import to_hex

    for at, colour in stops:
        ours = np.array(colormap()(round(at * 255))[:3])
        wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        assert ours == pytest.approx(wanted, abs=0.012), to_hex(ours)
