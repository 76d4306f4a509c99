"""What the pages need, made at build time from installed packages and from lesson_utils.

The built book asks nobody for anything: plotly.js is copied from the installed plotly package, the
icons are the few that the theme uses, and the colours come from :mod:`lesson_utils.palette`.
"""

from __future__ import annotations

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
    # The theme's style sheet knows some more as letters of a font, in variables.
    sheet = next(theme.rglob("static/styles/pydata-sphinx-theme.css")).read_text("utf-8")
    letters = set(re.findall(r'--pst-icon-([a-z-]+):"', sheet)) & drawn.keys()
    kinds = re.findall(r"--pst-icon-admonition-([a-z]+):", sheet)

    def url(name: str) -> str:
        return f'url("data:image/svg+xml,{quote(drawn[name])}")'

    box = (
        "width:1em;height:1em;background:currentColor;"
        "-webkit-mask:var(--icon) center/contain no-repeat;"
        "mask:var(--icon) center/contain no-repeat"
    )
    rules = [
        f".fa-solid,.fa-brands,.fa-regular,.fas,.fab,.far,.fa{{display:inline-block;{box};flex:none;"
        "vertical-align:-.125em}",
        # Or the letter, and with it 150 KB of font, would come too.
        *(f".{c}:before{{content:none}}" for c in ("fa-solid", "fa-brands", "fa-regular")),
        *(f".fa-{name}{{--icon:{url(name)}}}" for name in sorted(used & drawn.keys())),
        "html:root{" + "".join(f"--pst-icon-{n}:{url(n)};" for n in sorted(letters)) + "}",
        *(
            f".admonition.{kind}>.admonition-title:after{{--icon:var(--pst-icon-admonition-{kind})}}"
            for kind in kinds
        ),
    ]
    for where, icon in _DRAWN.items():
        rules.append(
            f'{where}{{content:""!important;display:inline-block;padding:0!important;{box}}}'
            f":where({where.rpartition(':')[0]})::{where.rpartition(':')[2]}{{--icon:{icon}}}"
        )
    return "\n".join(rules) + "\n"


# What the theme draws with letters of a font, and the icon it shows there.
_DRAWN = {
    ".admonition>.admonition-title:after": "var(--pst-icon-admonition-default)",
    "a.reference.download:before": "var(--pst-icon-download);margin-right:.25em",
    "div#searchbox p.highlight-link a:before": "var(--pst-icon-search-minus)",
    ".nav-link.nav-external:after": "var(--pst-icon-external-link)",
    "nav.bd-links li>a.reference.external:after": "var(--pst-icon-external-link)",
    "span.versionmodified:before": "var(--pst-icon-exclamation-circle)",
    "ul.bd-breadcrumbs li.breadcrumb-item:not(.breadcrumb-home):before": (
        "var(--pst-icon-angle-right);margin:0 .5rem"
    ),
}


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
