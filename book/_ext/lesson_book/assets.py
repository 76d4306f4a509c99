"""What the pages need, made at build time from installed packages and from lesson_utils.

The built book asks nobody for anything: plotly.js is copied from the installed plotly package, the
formula font is cut from the STIX Two Math that ships with ziamath, the icons are the few that the
theme uses, and the colours come from :mod:`lesson_utils.palette`.
"""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from sphinx.application import Sphinx
from sphinx.config import Config

from lesson_utils import palette

ROOT = Path(__file__).resolve().parents[3]
EXPLORER = ROOT / "src" / "lesson_utils" / "static"

# Blocks that the book's formulas draw from; the font's own table then adds the pieces that tall
# brackets and big sums are assembled from.
_UNICODES = [
    *range(0x20, 0x7F), *range(0xA0, 0x100), *range(0x2B0, 0x370), *range(0x370, 0x400),
    *range(0x2010, 0x2060), *range(0x20D0, 0x20F0), *range(0x2100, 0x2150), *range(0x2190, 0x2200),
    *range(0x2200, 0x2300), *range(0x2308, 0x2310), *range(0x23B0, 0x23E0), *range(0x27E6, 0x2800),
    # Mathematical alphabets: bold, italic, script, double-struck, sans, italic Greek.
    *range(0x1D400, 0x1D468), *range(0x1D49C, 0x1D4D0), *range(0x1D538, 0x1D56C),
    *range(0x1D5A0, 0x1D5D4), *range(0x1D6E2, 0x1D71C),
]  # fmt: skip
# Script-size shapes, dotless letters under accents, flat accents; none of the stylistic sets.
_FEATURES = ["ssty", "dtls", "flac", "ccmp", "mark", "mkmk", "kern"]


def package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{name} is not installed; run `make book`, which installs it.")
    return Path(next(iter(spec.submodule_search_locations)))


def generated(app: Sphinx) -> Path:
    """The folder for what is made at build time, beside the pages."""
    return Path(app.outdir).parent / ".generated"


def setup(app: Sphinx) -> None:
    app.connect("config-inited", _generate)


def _generate(app: Sphinx, config: Config) -> None:
    folder = generated(app) / "static"
    folder.mkdir(parents=True, exist_ok=True)
    plotly = package_folder("plotly") / "package_data" / "plotly.min.js"
    shutil.copyfile(plotly, folder / "plotly.min.js")
    shutil.copyfile(EXPLORER / "explorer.css", folder / "explorer.css")
    write_if_changed(folder / "explorers.js", explorers_script())
    write_if_changed(folder / "lesson-colours.css", colours())
    write_if_changed(folder / "lesson-icons.css", icons())
    math_font(package_folder("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf", folder)
    config.html_static_path.append(str(folder))
    for css in ("lesson-colours.css", "lesson-icons.css", "lesson.css", "explorer.css"):
        app.add_css_file(css)


def write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def explorers_script() -> str:
    """The widget's own front end and the page's loader as one classic script.

    ES modules do not load from ``file://``, so the one ``export`` becomes a constant.
    """
    module = (EXPLORER / "explorer.js").read_text("utf-8")
    body, exported, rest = module.partition("export default { render };")
    if not exported or rest.strip():
        raise ValueError("explorer.js must end with 'export default { render };'.")
    loader = (Path(__file__).parent / "page.js").read_text("utf-8")
    return f"(() => {{\n{body}\n{loader}\n}})();\n"


def colours() -> str:
    def block(selector: str, tokens: dict[str, str]) -> str:
        return selector + "{" + "".join(f"--lesson-{k}:{v};" for k, v in tokens.items()) + "}\n"

    return block(":root", palette.LIGHT) + block('html[data-theme="dark"]', palette.DARK)


def icons() -> str:
    """CSS masks for the icons that the theme's templates and scripts name.

    The theme ships every Font Awesome icon as 1.5 MB of script for a dozen of them.
    """
    theme = package_folder("pydata_sphinx_theme")
    script = next(theme.rglob("static/scripts/fontawesome.js")).read_text("utf-8")
    drawn: dict[str, str] = {}
    # The script lists brands, regular and solid shapes in this order; the last one of a name wins.
    entry = r'"?([\w-]+)"?:\[(\d+),(\d+),\[([^\]]*)\],"[0-9a-f]+",(?:"([^"]+)"|\[([^\]]*)\])\]'
    for name, width, height, aliases, path, paths in re.findall(entry, script):
        shape = path or "".join(re.findall(r'"([^"]*)"', paths))
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
            f'<path d="{shape}"/></svg>'
        )
        for each in (name, *re.findall(r'"([^"]+)"', aliases)):
            drawn[each] = svg
    used = _icon_names([theme, package_folder("sphinx_book_theme")])
    used.add("github")  # the repository button's, whose name a template puts together
    names = sorted(used & drawn.keys())
    rules = [
        ".fa-solid,.fa-brands,.fa-regular,.fas,.fab,.far,.fa{display:inline-block;width:1em;height:1em;"
        "vertical-align:-.125em;background:currentColor;"
        "-webkit-mask:var(--icon) center/contain no-repeat;"
        "mask:var(--icon) center/contain no-repeat}"
    ]
    rules += [f'.fa-{n}{{--icon:url("data:image/svg+xml,{quote(drawn[n])}")}}' for n in names]
    return "\n".join(rules) + "\n"


def _icon_names(folders: Iterable[Path]) -> set[str]:
    found: set[str] = set()
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix in {".html", ".py"} or path.name in {
                "pydata-sphinx-theme.js",
                "sphinx-book-theme.js",
            }:
                found.update(re.findall(r"\bfa-([a-z0-9-]+)", path.read_text("utf-8", "replace")))
    return found


def math_font(source: Path, folder: Path) -> None:
    """Write the subset of STIX Two Math (OFL) as woff2, unless it is already there."""
    made_of = hashlib.sha256(
        source.read_bytes() + repr((_UNICODES, _FEATURES)).encode()
    ).hexdigest()
    target, stamp = folder / "lesson-math.woff2", folder.parent / "lesson-math.sha256"
    if target.exists() and stamp.exists() and stamp.read_text() == made_of:
        return
    from fontTools import subset

    options = subset.Options(
        flavor="woff2", layout_features=_FEATURES, hinting=False, desubroutinize=True
    )
    options.name_IDs, options.notdef_outline = ["*"], True  # the licence stays in the file
    font = subset.load_font(str(source), options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=_UNICODES)
    cutter.subset(font)
    subset.save_font(font, str(target), options)
    stamp.write_text(made_of)
