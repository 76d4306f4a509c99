"""One style sheet for the pages: nothing that a page uses is lost, and files are found."""

import doctest
import importlib
import sys

import pytest

from support.notebooks import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))
bundle = importlib.import_module("lesson_book.bundle")
unused = importlib.import_module("lesson_book.unused")


@pytest.mark.parametrize("name", ["formula_font", "home", "lean", "unused"])
def test_what_the_examples_say_is_true(name):
    module = importlib.import_module(f"lesson_book.{name}")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        (".a{x:y}.z{x:y}", ".a{x:y}"),
        (".a,.z,.b{x:y}", ".a,.b{x:y}"),
        (".a .z{x:y}", ""),
        (".a>p:not(.z){x:y}", ".a>p:not(.z){x:y}"),
        ("#b #z{x:y}p{x:y}", "p{x:y}"),
        ("a[href='.z']{x:y}", 'a[href=".z"]{x:y}'),
        ("@media print{.z{x:y}.a{x:y}}", "@media print{.a{x:y}}"),
        ("@media print{.z{x:y}}", ""),
        ("@supports (x:y){@media print{.a{x:y}}}", "@supports (x:y){@media print{.a{x:y}}}"),
        ("@font-face{font-family:z}", "@font-face{font-family:z}"),
        ("@keyframes z{0%{x:y}}", "@keyframes z{0%{x:y}}"),
        (':root{--z:".z"}', ':root{--z:".z"}'),
        ('.a{content:"}.z{"}.b{x:y}', '.a{content:"}.z{"}.b{x:y}'),
        ("/* .a{ */.a{x:y}", ".a{x:y}"),
    ],
)
def test_a_rule_stays_if_it_may_match(css, kept):
    assert unused.without_unused(css, {"a", "b"}) == kept


@pytest.fixture
def site(tmp_path):
    """A site of three sheets in two folders, one of them imported."""
    static = tmp_path / "_static"
    for path, text in {
        "basic.css": '@charset "utf-8";.a{background:url(file.png)}',
        "styles/theme.css": '@import "../basic.css";\n.b{background:url("../vendor/x y.svg")}',
        "own.css": ".a{color:red}.z{color:red}.s{mask:url(data:image/svg+xml,%3Csvg)}",
        "documentation_options.js": "const DOCUMENTATION_OPTIONS = {};",
        "app.js": "node.className = 's'",
    }.items():
        (static / path).parent.mkdir(parents=True, exist_ok=True)
        (static / path).write_text(text, "utf-8")
    return tmp_path


PAGE = """<head>
<script src="../_static/early.js"></script>
<link href="../_static/styles/theme.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="../_static/own.css?v=2" />
<link rel="icon" href="../_static/favicon.svg"/>
<script src="../_static/documentation_options.js?v=3"></script>
<script data-x="y" src="../_static/app.js"></script>
<script>DOCUMENTATION_OPTIONS.pagename = 'a';</script>
<script defer src="../_static/late.js"></script>
</head><p class="a">"""


def finish(site):
    class App:
        outdir = site

        class builder:  # noqa: N801
            format = "html"

    bundle._bundle(App, None)
    (css,) = site.glob("_static/lesson-????????.css")
    return css


def test_imports_come_along_and_addresses_stay_right(site):
    css = bundle.sheet(site, "_static/styles/theme.css")
    assert css.split() == [
        '.a{background:url("file.png")}',
        '.b{background:url("vendor/x',
        'y.svg")}',
    ]


def test_a_page_gets_one_sheet_and_scripts_that_wait(site):
    (site / "sub").mkdir()
    page = site / "sub" / "page.html"
    page.write_text(PAGE)
    css = finish(site)
    text = page.read_text()
    assert text.count('rel="stylesheet"') == 1
    assert f'href="../_static/{css.name}?v=' in text
    assert 'rel="icon"' in text
    assert '<script defer data-x="y" src="../_static/app.js">' in text
    assert text.count("defer") == 3
    # What the page's own lines need at once is in the page.
    assert text.index("const DOCUMENTATION_OPTIONS") < text.index("DOCUMENTATION_OPTIONS.pagename")
    rules = css.read_text().splitlines()[-1]
    assert (
        rules
        == '.a{background:url("file.png")}.a{color:red}.s{mask:url(data:image/svg+xml,%3Csvg)}'
    )


def test_a_change_in_a_sheet_alone_reaches_pages_that_were_not_written_again(site):
    page = site / "page.html"
    page.write_text(PAGE.replace("../", ""))
    before = finish(site).read_text(), page.read_text()
    assert (finish(site).read_text(), page.read_text()) == before
    (site / "_static" / "own.css").write_text(".a{color:blue}")
    after = finish(site).read_text(), page.read_text()
    assert "blue" in after[0]
    assert after[1] != before[1]  # another ?v=, so that no browser keeps the old one
    assert after[1].count('rel="stylesheet"') == 1


def test_a_bundle_that_no_page_links_any_more_goes(site):
    """After an update other sheets are linked, and those of before may be gone."""
    page = site / "page.html"
    page.write_text(PAGE.replace("../", ""))
    before = finish(site)
    (site / "_static" / "own.css").rename(site / "_static" / "newer.css")
    page.write_text(PAGE.replace("../", "").replace("own.css", "newer.css"))
    after = finish(site)  # one is left: this very helper finds no second
    assert after != before
    assert f"{after.name}?v=" in page.read_text()
