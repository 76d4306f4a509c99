"""The build executes what has changed, only that, and a failure stays a failure.

Each test works on a small copy of the project: the real configuration, extension and helper code
with two tiny chapters, built by the same command as `make book`.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow

TOC = """\
format: jb-book
root: book/intro
parts:
  - caption: Chapters
    numbered: 1
    chapters:
      - file: notebooks/one
      - file: notebooks/two
"""


def notebook(path: Path, *sources: str) -> None:
    cells = [
        nbformat.v4.new_markdown_cell(f"# {path.stem.title()}\n\nA sum $\\sum_i x_i$.", id="title")
    ]
    cells += [nbformat.v4.new_code_cell(s, id=f"code-{i}") for i, s in enumerate(sources)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nb = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nb, path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project"  # a space in the path must not matter
    root.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", "*.md", "lab")
    for folder in ("book", "src", "tools"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignore)
    for name in ("_config.yml", "requirements.txt"):
        shutil.copy(ROOT / name, root / name)
    (root / "_toc.yml").write_text(TOC)
    (root / "book" / "intro.md").write_text("# Start\n\nRead [one](../notebooks/one.ipynb).\n")
    notebook(
        root / "notebooks" / "one.ipynb",
        "from lesson_utils import palette\nprint(len(palette.LIGHT))",
    )
    notebook(root / "notebooks" / "two.ipynb", "print('two')")
    return root


def make_book(project: Path, command: Sequence[str] = ()) -> tuple[int, str]:
    run = list(command) or [sys.executable, "tools/book.py"]
    done = subprocess.run(run, cwd=project, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr + done.stdout


def executed(project: Path) -> set[str]:
    report = json.loads((project / "_build" / "execution.json").read_text())
    return {name.split("/")[1] for name, chapter in report.items() if chapter["executed_now"]}


def build(project: Path) -> set[str]:
    code, text = make_book(project)
    assert code == 0, text
    return executed(project)


def test_only_what_changed_runs_again(project: Path) -> None:
    code, text = make_book(project)
    assert code == 0, text
    assert executed(project) == {"one", "two"}
    last = text.strip().splitlines()[-1]
    assert last.endswith(str(project / "_build" / "html" / "index.html"))  # the page to open
    assert "notebooks/one" in text.split("Seconds each chapter took")[1]

    assert build(project) == set()

    notebook(project / "notebooks" / "two.ipynb", "print('two, mended')")
    assert build(project) == {"two"}
    page = project / "_build" / "html" / "notebooks" / "two.html"
    assert "two, mended" in page.read_text()

    helper = project / "src" / "lesson_utils" / "palette.py"
    helper.write_text(helper.read_text().replace("LIGHT: dict", "EXTRA = 1\nLIGHT: dict"))
    assert build(project) == {"one", "two"}

    # The code that writes the pages writes all of them again, and executes none.
    lean = project / "book" / "_ext" / "lesson_book" / "lean.py"
    lean.write_text(
        lean.read_text().replace('return _PLAIN.sub(r"\\1", html)', 'return html + "<!--new-->"')
    )
    assert build(project) == set()
    assert "<!--new-->" in page.read_text()

    # Compiled files come and go by themselves and mean nothing.
    (helper.parent / "__pycache__").mkdir(exist_ok=True)
    (helper.parent / "__pycache__" / "new.pyc").write_bytes(b"x")
    assert build(project) == set()


def test_new_helper_code_reaches_the_page(project: Path) -> None:
    helper = project / "src" / "lesson_utils" / "fresh.py"
    helper.write_text("WORD = 'before'\n")
    notebook(
        project / "notebooks" / "one.ipynb", "from lesson_utils import fresh\nprint(fresh.WORD)"
    )
    page = project / "_build" / "html" / "notebooks" / "one.html"
    build(project)
    assert "before" in page.read_text()
    helper.write_text("WORD = 'afterwards'\n")
    build(project)
    assert "afterwards" in page.read_text()


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("raise RuntimeError('this cell fails')", "this cell fails"),
        (
            "from lesson_utils.claims import claim\nclaim('two is three', 2, 3, tol=0)",
            "two is three",
        ),
        ("import sys\nprint('a warning', file=sys.stderr)", "stderr"),
    ],
    ids=["error", "false-claim", "stderr"],
)
def test_a_failure_stays_until_mended(project: Path, cell: str, said: str) -> None:
    notebook(project / "notebooks" / "two.ipynb", cell)
    for _ in range(2):  # Sphinx alone forgets by the second run
        code, text = make_book(project)
        assert code != 0
        assert "NOT built" in text
    log = "".join(p.read_text() for p in (project / "_build").rglob("*.err.log"))
    assert said in text + log
    notebook(project / "notebooks" / "two.ipynb", "print('mended')")
    build(project)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# Start\n\nA formula $\\frac{1}{$ that cannot be set.\n", "formula cannot be set"),
        ("# Start\n\nA [link](nowhere.md) to nowhere.\n", "nowhere.md"),
    ],
    ids=["formula", "link"],
)
def test_a_page_that_is_wrong_fails(project: Path, text: str, said: str) -> None:
    (project / "book" / "intro.md").write_text(text)
    for _ in range(2):
        code, output = make_book(project)
        assert code != 0
        assert said in output


def test_two_explorers_of_one_name_fail(project: Path) -> None:
    cell = (
        "from lesson_utils.explore import Frame, explore\n"
        "explore(lambda k: Frame({'p': {'y': [k]}}), name='twin', title='Twin', alt='A point.',\n"
        "        traces={'p': {'type': 'scatter'}}, k=[0, 1])"
    )
    notebook(project / "notebooks" / "one.ipynb", cell, cell)
    code, text = make_book(project)
    assert code != 0
    assert "'twin' appears 2 times" in text


def test_no_title_repeats_itself(project: Path) -> None:
    """<title> is the page's own and the book's; on the start page the two are one."""
    intro = project / "book" / "intro.md"
    intro.write_text(intro.read_text().replace("# Start", "# *From Integers* to Rotations"))
    build(project)
    html = project / "_build" / "html"
    parts = {
        page.relative_to(html).as_posix(): [
            [part.strip() for part in re.split(r" (?:&#8212;|—|-) ", title)]
            for title in re.findall("<title>(.*?)</title>", page.read_text(), flags=re.S)
        ]
        for page in html.rglob("*.html")
    }
    assert parts["book/intro.html"] == parts["index.html"] == [["From Integers to Rotations"]]
    assert parts["notebooks/one.html"] == [["1. One", "From Integers to Rotations"]]
    said = [(name, title) for name, titles in parts.items() for title in titles]
    assert [each for each in said if len(set(each[1])) < len(each[1])] == []


def test_plain_jupyter_book_gives_the_same_pages(project: Path) -> None:
    build(project)
    html = project / "_build" / "html"
    ours = {p.relative_to(html): p.read_bytes() for p in html.rglob("*.html")}
    shutil.rmtree(project / "_build")
    program = Path(sys.executable).with_name("jupyter-book")
    code, text = make_book(project, [str(program), "build", "."])
    assert code == 0, text
    plain = {p.relative_to(html): p.read_bytes() for p in html.rglob("*.html")}
    assert plain.keys() == ours.keys()
    assert [str(name) for name in ours if ours[name] != plain[name]] == []
