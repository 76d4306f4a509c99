"""The font of the formulas: as much of STIX Two Math as the built pages show.

Cut from the font that ships with ziamath (OFL). Whole blocks of mathematical signs weighed 155 KB,
the signs in use a third of that.
"""

from __future__ import annotations

import hashlib
import html
import re
from pathlib import Path

from sphinx.application import Sphinx

from .assets import generated, package_folder

# Whatever the pages show: ASCII, and the italics that a browser makes of a lone letter in <mi>.
ALWAYS = {*range(0x20, 0x7F), 0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C)}
# Script-size shapes, dotless letters under accents, flat accents; none of the stylistic sets. The
# font's own table then adds the pieces that tall brackets and big sums are assembled from.
FEATURES = ["ssty", "dtls", "flac", "ccmp", "mark", "mkmk", "kern"]


def setup(app: Sphinx) -> None:
    app.connect("build-finished", _write)


def signs(page: str) -> set[str]:
    """The characters of a page's formulas.

    >>> sorted(signs("x <math><mi>&#952;</mi><mo>=</mo></math>"))
    ['=', 'θ']
    """
    formulas = re.findall(r"<math\b.*?</math>", page, flags=re.S)
    return set(html.unescape(re.sub(r"<[^>]*>", "", "".join(formulas))))


def cut(source: Path, target: Path, characters: set[int]) -> None:
    """Write those characters of a font as woff2."""
    from fontTools import subset

    options = subset.Options(
        flavor="woff2", layout_features=FEATURES, hinting=False, desubroutinize=True
    )
    options.name_IDs, options.notdef_outline = ["*"], True  # the licence stays in the file
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    subset.save_font(font, str(target), options)


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.format != "html":
        return
    used = {sign for p in Path(app.outdir).rglob("*.html") for sign in signs(p.read_text("utf-8"))}
    characters = ALWAYS | {ord(sign) for sign in used}
    source = package_folder("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf"
    made_of = hashlib.sha256(
        source.read_bytes() + repr((sorted(characters), FEATURES)).encode()
    ).hexdigest()
    target = Path(app.outdir) / "_static" / "lesson-math.woff2"
    stamp = generated(app) / "lesson-math.sha256"
    if not (target.exists() and stamp.exists() and stamp.read_text() == made_of):
        cut(source, target, characters)
        stamp.write_text(made_of)
