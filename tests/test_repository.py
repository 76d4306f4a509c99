"""One URL in one place: the notebooks' first cells and the launch buttons follow `_config.yml`."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from support.notebooks import NOTEBOOKS, ROOT
from support.tools import load_tool

repository = load_tool("repository")
Repository = repository.Repository

OURS = repository.config_repository(repository.read(ROOT / "_config.yml"))
PLACEHOLDER = "OWNER"
FORK = Repository("https://github.com/ada-l/rotations.book", "spring-2027")
COLAB_CELL = (
    "# In Colab this fetches the book's small helper package, and nothing else; "
    "everywhere else it does nothing.\n"
    "import importlib.util, sys\n"
    "\n"
    'if "google.colab" in sys.modules and importlib.util.find_spec("lesson_utils") is None:\n'
    '    %pip install --quiet --no-deps "lesson_utils @ {source}"'
)


# What is stored ------------------------------------------------------------------------------


def test_configuration_holds_a_usable_repository() -> None:
    assert repository.checked_url(OURS.url) == OURS.url
    assert repository.checked_branch(OURS.branch) == OURS.branch


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_first_cell_installs_from_the_configured_repository(path: Path) -> None:
    cell = nbformat.read(path, as_version=nbformat.NO_CONVERT).cells[0]
    assert cell.source == COLAB_CELL.format(source=OURS.source)
    assert cell.metadata.tags == ["remove-cell"]
    assert repository.notebook_repository(path.read_text("utf-8"), path.name) == OURS


def test_url_stands_in_no_other_file() -> None:
    name = OURS.url.removeprefix("https://github.com/")
    folders = ["book", "src", "tools", "binder", ".github", ".ci", "tests"]
    files = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.is_file()]
    files += [p for p in ROOT.glob("*") if p.is_file()]
    texts = [
        p for p in files if p.suffix in {"", ".md", ".py", ".toml", ".txt", ".yml", ".js", ".ipynb"}
    ]
    repeated = [str(p.relative_to(ROOT)) for p in texts if name in p.read_text("utf-8", "replace")]
    assert repeated == ["_config.yml"]


# The rewriting -------------------------------------------------------------------------------


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "_config.yml", tmp_path)
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks", ignore=shutil.ignore_patterns(".*"))
    return tmp_path


def contents(root: Path) -> dict[Path, bytes]:
    return {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_every_file_is_rewritten_and_nothing_else_changes(copy: Path, capsys) -> None:
    before = contents(copy)
    assert repository.main([FORK.url, FORK.branch], copy) == 0
    after = contents(copy)
    assert after.keys() == before.keys()
    for path, text in after.items():
        undone = text.replace(FORK.source.encode(), OURS.source.encode())
        if path.name == "_config.yml":
            undone = text.replace(FORK.url.encode(), OURS.url.encode()).replace(
                b"branch: " + FORK.branch.encode(), b"branch: " + OURS.branch.encode()
            )
            assert repository.config_repository(text.decode()) == FORK
        else:
            assert repository.notebook_repository(text.decode(), path.name) == FORK
        assert text != before[path]
        assert undone == before[path]
    assert FORK.url in capsys.readouterr().out
    # There and back again is where we were; the branch may be left out.
    assert repository.main([FORK.url], copy) == 0
    assert "nothing, it did already" in capsys.readouterr().out
    assert repository.main([*OURS], copy) == 0
    assert contents(copy) == before


def test_make_target(copy: Path) -> None:
    shutil.copy(ROOT / "Makefile", copy)
    shutil.copytree(ROOT / "tools", copy / "tools")
    command = ["make", "-s", "repository", f"PYTHON={sys.executable}", f"URL={FORK.url}/"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    assert f"{FORK.url}, branch {OURS.branch}" in done.stdout
    bad = subprocess.run(
        [*command[:-1], "URL=x; touch hacked"], cwd=copy, capture_output=True, text=True
    )
    assert bad.returncode != 0
    assert "URL is not a GitHub repository" in bad.stderr
    assert not (copy / "hacked").exists()


@pytest.mark.skipif(not NOTEBOOKS, reason="needs a notebook")
def test_one_odd_notebook_and_nothing_is_changed(copy: Path, capsys) -> None:
    last = sorted((copy / "notebooks").glob("*.ipynb"))[-1]
    notebook = json.loads(last.read_text())
    del notebook["cells"][0]
    last.write_text(json.dumps(notebook))
    before = contents(copy)
    assert repository.main([*FORK], copy) == 2
    assert contents(copy) == before
    message = capsys.readouterr().err
    assert last.name in message
    assert "Nothing was changed." in message


def test_failure_while_writing_leaves_no_drafts(copy: Path, monkeypatch, capsys) -> None:
    before = contents(copy)

    def refuse(*paths):
        raise PermissionError(13, "Permission denied", str(paths[1]))

    monkeypatch.setattr(repository.os, "replace", refuse)
    assert repository.main([*FORK], copy) == 1
    assert contents(copy) == before
    assert "cannot be written. Copy the checkout" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "clean"),
    [
        ("https://github.com/ada/book", "https://github.com/ada/book"),
        ("https://github.com/ada/book/", "https://github.com/ada/book"),
        (" https://github.com/ada/book.git\n", "https://github.com/ada/book"),
        ("https://github.com/A-da-1/b.o_o-k", "https://github.com/A-da-1/b.o_o-k"),
    ],
)
def test_good_urls(given: str, clean: str) -> None:
    assert repository.checked_url(given) == clean


@pytest.mark.parametrize(
    ("url", "advice"),
    [
        ("", "make repository URL="),
        ("git@github.com:ada/book.git", "Did you mean https://github.com/ada/book ?"),
        ("github.com/ada/book", "Did you mean https://github.com/ada/book ?"),
        ("http://www.github.com/ada/book/", "Did you mean https://github.com/ada/book ?"),
        (
            "https://github.com/ada/book/tree/dev",
            "Did you mean https://github.com/ada/book ? A branch",
        ),
        ("https://gitlab.com/ada/book", "from GitHub alone"),
        ("https://github.com/ada", "Write it like"),
        ("https://github.com/-ada/book", "Write it like"),
        ("https://github.com/a--da/book", "Write it like"),
        ("https://github.com/ada/b ook", "Write it like"),
        ('https://github.com/ada/book"', "Write it like"),
        ("https://github.com/ada/..", "Write it like"),
        ("https://github.com/adä/book", "Write it like"),
        ("https://github.com.evil.org/ada/book", "Write it like"),
    ],
)
def test_bad_urls_get_clear_words(url: str, advice: str) -> None:
    with pytest.raises(repository.BadRepositoryError) as error:
        repository.checked_url(url)
    assert str(error.value).startswith(f"URL is not a GitHub repository: {url!r}.")
    assert advice in str(error.value)


@pytest.mark.parametrize(
    "branch", ["feature/x", "-f", "", "a b", "a..b", "x.lock", "x.", "a~1", 'a"', "ä"]
)
def test_bad_branches_get_clear_words(branch: str) -> None:
    with pytest.raises(repository.BadRepositoryError, match="BRANCH is not a plain branch name"):
        repository.checked_branch(branch)


@pytest.mark.parametrize(
    "config",
    [
        "title: x\n",
        "repository:\n  url: https://a\n",
        "repository:\n  url: a\n  url: b\n  branch: m\n",
    ],
)
def test_odd_configurations_get_clear_words(config: str) -> None:
    with pytest.raises(repository.BadRepositoryError, match="one section 'repository:'"):
        repository.config_repository(config)


def test_quotes_and_comments_in_the_configuration() -> None:
    config = "title: x\nrepository: # here\n  # why\n  url: 'https://a/b' # one\n\n"
    config += '  branch: "m"\nhtml:\n  url: no\n'
    assert repository.config_repository(config) == ("https://a/b", "m")
    changed = repository.with_repository(config, FORK)
    assert repository.config_repository(changed) == FORK
    assert changed.endswith("html:\n  url: no\n")
    assert "# one" in changed


# The built pages -----------------------------------------------------------------------------


def build(folder: Path, where: Repository) -> tuple[Path, str]:
    """Build a book of two tiny chapters with this project's own configuration and extension."""
    shutil.copytree(
        ROOT / "book" / "_ext",
        folder / "book" / "_ext",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copytree(ROOT / "book" / "_static", folder / "book" / "_static")
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "book" / "intro.md").write_text("# Start\n\nHello.\n")
    (folder / "book" / "references.bib").write_text("")
    (folder / "notebooks").mkdir()
    for name in ("01-one", "02-two"):
        setup = v4.new_code_cell(COLAB_CELL.format(source=OURS.source), id="setup")
        title = v4.new_markdown_cell(f"# Chapter {name}", id="title")
        notebook = v4.new_notebook(cells=[setup, title, v4.new_code_cell("1 + 1", id="sum")])
        notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
        notebook.metadata.language_info = {"name": "python", "pygments_lexer": "ipython3"}
        nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")
    toc = "format: jb-book\nroot: book/intro\nchapters:\n"
    toc += "  - file: notebooks/01-one\n  - file: notebooks/02-two\n"
    (folder / "_toc.yml").write_text(toc)
    config = (ROOT / "_config.yml").read_text("utf-8")
    config, replaced = re.subn(r"execute_notebooks: \w+", 'execute_notebooks: "off"', config)
    assert replaced == 1
    (folder / "_config.yml").write_text(config, "utf-8")
    assert repository.main([*where], folder) == 0
    run = "from jupyter_book.cli.main import main; main()"
    command = [sys.executable, "-c", run, "build", ".", "-W", "-n", "--keep-going"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder / "_build" / "html", done.stdout


def links(page: Path) -> list[str]:
    return re.findall(r'<a [^>]*href="(https?://[^"]+)"', page.read_text("utf-8"))


@pytest.fixture(scope="module")
def fork_pages(tmp_path_factory) -> tuple[Path, str]:
    return build(tmp_path_factory.mktemp("fork"), FORK)


@pytest.fixture(scope="module")
def placeholder_pages(tmp_path_factory) -> tuple[Path, str]:
    url = f"https://github.com/{PLACEHOLDER}/a-book"
    return build(tmp_path_factory.mktemp("placeholder"), Repository(url, "main"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["01-one", "02-two"])
def test_buttons_lead_to_that_notebook_at_that_branch(fork_pages, name: str) -> None:
    pages, output = fork_pages
    found = links(pages / "notebooks" / f"{name}.html")
    place = f"ada-l/rotations.book/{{}}spring-2027{{}}notebooks/{name}.ipynb"
    assert [link for link in found if "mybinder" in link] == [
        "https://mybinder.org/v2/gh/" + place.format("", "?urlpath=lab/tree/")
    ]
    assert [link for link in found if "colab" in link] == [
        "https://colab.research.google.com/github/" + place.format("blob/", "/")
    ]
    assert FORK.url in found
    assert "make repository" not in output


@pytest.mark.slow
def test_every_icon_of_the_buttons_is_drawn(fork_pages) -> None:
    page = (fork_pages[0] / "notebooks" / "01-one.html").read_text("utf-8")
    rules = (fork_pages[0] / "_static" / "lesson-icons.css").read_text("utf-8")
    used = set(re.findall(r'class="fa\w* (fa-[a-z-]+)', page))
    assert {"fa-github", "fa-rocket"} <= used
    assert not [name for name in used if f".{name}{{" not in rules]


@pytest.mark.slow
def test_prose_pages_have_no_launch_button(fork_pages) -> None:
    found = links(fork_pages[0] / "book" / "intro.html")
    assert not [link for link in found if "mybinder" in link or "colab" in link]


@pytest.mark.slow
def test_links_of_the_404_page_start_at_the_published_address(fork_pages) -> None:
    page = (fork_pages[0] / "404.html").read_text("utf-8")
    assert 'href="/rotations.book/notebooks/01-one.html"' in page
    assert not re.findall(r'(?:src|href)="/(?!rotations\.book/)', page)
    canonical = (fork_pages[0] / "notebooks" / "01-one.html").read_text("utf-8")
    address = "https://ada-l.github.io/rotations.book/notebooks/01-one.html"
    assert f'<link rel="canonical" href="{address}"' in canonical


@pytest.mark.slow
def test_placeholder_shows_no_button_and_says_how(placeholder_pages) -> None:
    pages, output = placeholder_pages
    assert "make repository URL=https://github.com/YOU/YOUR-FORK" in output
    for page in pages.rglob("*.html"):
        text = page.read_text("utf-8")
        assert PLACEHOLDER not in re.sub(r"(?s)<pre>.*?</pre>", "", text), page
        assert "mybinder" not in text, page
        assert "colab.research" not in text, page
        assert "launch-buttons" not in text, page


@pytest.mark.slow
def test_buttons_cause_no_request(fork_pages, placeholder_pages) -> None:
    """What a page loads by itself is beside it; an address elsewhere is only ever a link."""
    for pages in (fork_pages[0], placeholder_pages[0]):
        for page in pages.rglob("*.html"):
            loads = re.findall(
                r'<(?:script|img|iframe|source|use)[^>]*(?:src|href)="([^"]+)"', page.read_text()
            )
            loads += re.findall(
                r'<link[^>]*rel="(?:stylesheet|icon|preload|preconnect)"[^>]*href="([^"]+)"',
                page.read_text(),
            )
            assert not [load for load in loads if re.match(r"(https?:)?//", load)], page
    assert (fork_pages[0] / "_static" / "images" / "logo_binder.svg").exists()
    assert (fork_pages[0] / "_static" / "images" / "logo_colab.png").exists()
