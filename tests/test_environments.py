"""Oldest and newest, Binder and Colab: the version files agree, and their tools work."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
import zipfile
from importlib.metadata import version
from pathlib import Path

import nbformat
import pytest
import yaml

from support.notebooks import NOTEBOOKS, ROOT
from support.tools import load_tool

matrix = load_tool("matrix")
env = matrix.env
binder = load_tool("binder")
lab = load_tool("lab")
install = load_tool("install")


def pins(name: str) -> dict[str, str]:
    return env.pins(ROOT / name)


# The version files ---------------------------------------------------------------------------


def test_oldest_is_the_lower_end_of_every_range() -> None:
    lower = {name: spec.removeprefix(">=") for name, spec in matrix.dependencies().items()}
    oldest = pins("constraints-oldest.txt")
    assert {name: oldest[name] for name in lower} == lower
    assert set(lower) >= {"numpy", "torch", "plotly", "anywidget", "ipywidgets", "matplotlib"}


def test_newest_is_what_the_book_is_built_and_tested_with() -> None:
    pinned, newest = pins("requirements.txt"), pins("constraints-newest.txt")
    assert newest == {name: pinned[name] for name in newest}
    assert newest.keys() >= matrix.dependencies().keys()
    # So in .venv, where `make test` and `make book` run, the newest are already tried.
    if {name: version(name).split("+")[0] for name in newest} == newest:
        assert matrix.environment(matrix.HERE, "newest", False)[0] == sys.executable


def test_newest_is_not_older_than_oldest() -> None:
    def number(text: str) -> list[int]:
        return list(map(int, text.split(".")))

    oldest, newest = pins("constraints-oldest.txt"), pins("constraints-newest.txt")
    assert not [name for name in newest if number(newest[name]) < number(oldest[name])]


def test_colab_is_the_oldest_generation() -> None:
    oldest, colab = pins("constraints-oldest.txt"), pins("requirements-colab.txt")
    assert {name: colab[name] for name in oldest} == oldest


def test_pythons_agree_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert matrix.PYTHONS == ("3.11", "3.12", "3.13")
    ends = (install.OLDEST, install.NEWEST)
    assert [".".join(map(str, end)) for end in ends] == [matrix.PYTHONS[0], matrix.PYTHONS[-1]]
    assert binder_files()[0] in matrix.PYTHONS


def test_the_symbols_page_names_the_release_that_is_compared_with() -> None:
    page = (ROOT / "book" / "symbols.md").read_text("utf-8")
    (release,) = re.findall(r"in transformers, whose release ([\d.]+) our tests", page)
    assert release == pins("requirements-test.txt")["transformers"]


def test_every_pin_says_why_it_is_there() -> None:
    for name in ("requirements.txt", "requirements-lab.txt", "requirements-test.txt"):
        for line in (ROOT / name).read_text("utf-8").splitlines():
            assert line.startswith(("#", "-r ")) or " # " in line, f"{name}: {line}"


# `make matrix` -------------------------------------------------------------------------------


def test_package_tests_are_found_with_what_they_need() -> None:
    found = {path.name: names for path, names in env.package_tests().items()}
    assert {"test_rotary.py", "test_positions.py", "test_scores.py"} <= found.keys()
    assert {"numpy", "torch", "x_transformers", "mpmath"} <= found[
        "test_rotary.py"
    ]  # through support
    assert not {"test_build.py", "test_repository.py", "test_workflow.py"} & found.keys()


def test_needs_of_a_source() -> None:
    source = (
        "import numpy as np, os.path\ndef f():\n    from torch.nn import Linear\n    import a.b"
    )
    assert env.needs(source) == {"numpy", "os", "torch", "a"}
    assert "nbformat" in env.needs("from support.notebooks import read")
    assert env.needs("from . import x") == set()


def test_needs_of_a_notebook(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_markdown_cell("import nothing")]
    cells += [nbformat.v4.new_code_cell("import torch\nif torch:\n    %pip install x\n!ls")]
    path = tmp_path / "a.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    assert env.notebook_needs(path) == {"torch"}


def test_modules_present() -> None:
    names = {"numpy", "support", "lesson_utils", "not_there_at_all"}
    assert env.modules_present(sys.executable, names) == names - {"not_there_at_all"}


def test_pins_are_read_without_comments(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("# a==1\n-r b.txt\na==1.0  # why == not\nb>=2\n\nc==3\n")
    assert env.pins(tmp_path / "r.txt") == {"a": "1.0", "c": "3"}


def test_requirements_of_each_kind() -> None:
    oldest = matrix.requirements("oldest", False).read_text().splitlines()
    assert oldest[0] == f"-c {ROOT / 'constraints-oldest.txt'}"
    assert "setuptools" in oldest
    assert any(line.startswith("torch>=") for line in oldest)
    latest = matrix.requirements("latest", False).read_text()
    assert "-c " not in latest
    assert "numpy>=" in latest
    without = matrix.requirements("newest", True).read_text()
    assert not re.search("(?m)^(torch|transformers|x-transformers|rotary)", without)
    assert "pytest==" in without


def test_interpreters() -> None:
    assert matrix.interpreter(matrix.HERE) == sys.executable
    assert matrix.interpreter("3.99") is None


def row(python: str, kind: str, failed: bool = False) -> object:
    return matrix.Row(python, kind, "5 passed", "6 of 6 hold", 1.0, failed, ("skipped this",))


def test_matrix_says_what_it_skipped(monkeypatch, capsys) -> None:
    def try_out(version, kind, without_torch):
        if version == "3.12":
            raise env.NotMadeError("Python 3.12 is not on this machine\nreally")
        return row(version, kind)

    monkeypatch.setattr(matrix, "try_out", try_out)
    assert matrix.main([]) == 0
    output = capsys.readouterr().out
    assert output.count("skipped: Python 3.12 is not on this machine") == 2
    assert output.count("skipped this") == 4
    assert "4 of 4 environments hold, 2 skipped." in output


def test_matrix_fails_when_one_fails_or_none_ran(monkeypatch, capsys) -> None:
    monkeypatch.setattr(matrix, "try_out", lambda v, kind, _: row(v, kind, failed=kind == "newest"))
    assert matrix.main(["--python", "here"]) == 1
    assert matrix.main(["--python", "here", "--kind", "oldest"]) == 0
    assert matrix.main(["--python", "3.99", "--kind", "oldest"]) == 0  # the stand-in runs anything
    monkeypatch.undo()
    assert matrix.main(["--python", "3.99", "--kind", "oldest"]) == 1
    assert "skipped: Python 3.99 is not on this machine" in capsys.readouterr().out


def test_a_failing_test_and_a_false_chapter_are_reported(monkeypatch, tmp_path) -> None:
    said = {"pytest": "E  boom\nFAILED tests/a.py::b - boom\n1 failed in 2s", "check.py": "ok"}

    def run(command, log):
        name = "pytest" if "pytest" in command else "check.py"
        return (False, said[name]) if name == "pytest" else (True, said[name])

    monkeypatch.setattr(env, "run", run)
    notes: list[str] = []
    assert matrix.run_tests(sys.executable, ROOT / "_build" / "logs", notes) == ("FAILED", False)
    assert "FAILED tests/a.py::b - boom" in notes
    text, ok = matrix.run_chapters(sys.executable, ROOT / "_build" / "logs", notes)
    assert ok
    assert text == f"{len(NOTEBOOKS)} of {len(NOTEBOOKS)} hold"


# Binder --------------------------------------------------------------------------------------


def binder_files() -> tuple[str, list[str]]:
    return binder.pip_requirements(
        yaml.safe_load((ROOT / "binder" / "environment.yml").read_text())
    )


def test_binder_pins_what_the_book_pins() -> None:
    _, lines = binder_files()
    pinned = pins("requirements.txt")
    wanted = matrix.dependencies()
    assert sorted(lines) == sorted(f"{name}=={pinned[name]}" for name in wanted)


def test_binder_takes_the_cpu_build_and_names_no_host() -> None:
    environment = yaml.safe_load((ROOT / "binder" / "environment.yml").read_text())
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    text = "".join(p.read_text() for p in (ROOT / "binder").iterdir() if p.is_file())
    assert "pytorch-cpu=" in text
    assert "://" not in text


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (["python=3.11", "pip", "numpy=2.4"], ("3.11", ["numpy==2.4.*"])),
        (["python=3.12", "numpy==2.4"], ("3.12", ["numpy==2.4"])),
        (["python=3.11", "pytorch-cpu=2.13.0"], ("3.11", ["torch==2.13.0"])),
        (["python=3.11", {"pip": ["a==1", "b"]}], ("3.11", ["a==1", "b"])),
    ],
)
def test_environment_files_are_translated(entries, expected) -> None:
    assert binder.pip_requirements({"dependencies": entries}) == expected


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (["python=3.11", "numpy"], "'numpy' should be NAME=VERSION"),
        (["python=3.11", "numpy>=2"], "should be NAME=VERSION"),
        (["numpy=2.4"], "should say python=VERSION"),
    ],
)
def test_odd_environment_files_get_clear_words(entries, message) -> None:
    with pytest.raises(ValueError, match=message):
        binder.pip_requirements({"dependencies": entries})


def test_post_build_installs_the_helpers_and_opens_in_notebooks(tmp_path: Path) -> None:
    """With a stand-in for pip that writes down what it was asked for."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
    fake = fake_pip(tmp_path)
    path = os.pathsep.join([str(tmp_path / "env" / "bin"), os.environ["PATH"]])
    command = [ROOT / "binder" / "postBuild"]
    assert os.access(command[0], os.X_OK)
    variables = {**os.environ, "PATH": path, "PYTHONPATH": str(fake.parent)}
    subprocess.run(command, cwd=tmp_path, env=variables, check=True)
    (asked,) = asked_of(fake)
    assert asked == ["install", "--quiet", "--no-deps", "--no-cache-dir", "--editable", "."]
    settings = tmp_path / "env" / "etc" / "jupyter"
    for name, app in (("server", "ServerApp"), ("notebook", "JupyterNotebookApp")):
        config = json.loads((settings / f"jupyter_{name}_config.json").read_text())
        assert config == {app: {"default_url": "/lab/tree/notebooks"}}
    (tmp_path / "notebooks").mkdir()
    # And Jupyter heeds it.
    start = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={tmp_path}"]
    with Server(start, {**os.environ, "JUPYTER_CONFIG_PATH": str(settings)}) as server:
        assert server.get("").url.split("?")[0] == server.address + "lab/tree/notebooks"


# Colab's first cell --------------------------------------------------------------------------


def fake_pip(folder: Path) -> Path:
    """A package `pip` that only notes its arguments, one line a call; returns the notes' path."""
    (folder / "fake" / "pip").mkdir(parents=True)
    notes = folder / "fake" / "notes.txt"
    code = (
        f"import json, sys\nopen({str(notes)!r}, 'a').write(json.dumps(sys.argv[1:]) + chr(10))\n"
    )
    (folder / "fake" / "pip" / "__init__.py").write_text("")
    (folder / "fake" / "pip" / "__main__.py").write_text(code)
    return notes


def asked_of(notes: Path) -> list[list[str]]:
    return [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []


RUN_CELL = """
import sys, types
if {colab}:
    sys.modules["google"] = types.ModuleType("google")
    sys.modules["google.colab"] = types.ModuleType("google.colab")
from IPython.core.interactiveshell import InteractiveShell
before = set(sys.modules)
result = InteractiveShell.instance().run_cell({source!r})
result.raise_error()
touched = {{"numpy", "torch", "plotly", "ipywidgets"}} & (set(sys.modules) - before)
assert not touched, touched
"""


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    ("colab", "present", "calls"),
    [(True, False, 1), (True, True, 0), (False, False, 0), (False, True, 0)],
    ids=["Colab", "Colab, again", "elsewhere, missing", "elsewhere"],
)
def test_first_cell_installs_only_the_helpers_and_only_in_colab(
    notebook: Path, colab: bool, present: bool, calls: int, tmp_path: Path
) -> None:
    notes = fake_pip(tmp_path)
    source = nbformat.read(notebook, as_version=4).cells[0].source
    paths = [str(notes.parent), *([str(ROOT / "src")] if present else [])]
    done = subprocess.run(
        [sys.executable, "-c", RUN_CELL.format(colab=colab, source=source)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "IPYTHONDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    asked = asked_of(notes)
    assert len(asked) == calls
    for arguments in asked:
        assert arguments[:3] == ["install", "--quiet", "--no-deps"]
        (package,) = arguments[3:]
        assert package.startswith("lesson_utils @ git+https://")


@pytest.mark.slow
def test_the_wheel_holds_everything_the_notebooks_and_the_lab_read(tmp_path: Path) -> None:
    """What Colab gets is a built package, not this checkout."""
    source = tmp_path / "source"
    shutil.copytree(
        ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info")
    )
    shutil.copy(ROOT / "pyproject.toml", source)
    (source / "README.md").write_text("x")
    build = "import sys; from setuptools import build_meta as b; b.build_wheel(sys.argv[1])"
    command = [sys.executable, "-c", build, str(tmp_path)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("lesson_utils/")}
    files = (p for p in (source / "src" / "lesson_utils").rglob("*") if p.is_file())
    assert held == {str(p.relative_to(source / "src")) for p in files}


# `make lab` ----------------------------------------------------------------------------------


class Server:
    """A Jupyter server on a free port of this machine, stopped in the end."""

    def __init__(self, command: list[str], variables: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        options = ["--no-browser", "--allow-root", "--IdentityProvider.token="]
        options += ["--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}"]
        self.address = f"http://127.0.0.1:{port}/"
        self.process = subprocess.Popen(
            [*command, *options],
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def __enter__(self) -> "Server":
        for _ in range(300):
            with contextlib.suppress(OSError):
                self.get("api").close()
                return self
            assert self.process.poll() is None, "the server has ended"
            time.sleep(0.2)
        raise AssertionError("the server does not answer")

    def get(self, path: str):
        return urllib.request.urlopen(self.address + path, timeout=60)

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.communicate(timeout=60)


@pytest.mark.slow
def test_lab_opens_on_the_chapters_and_asks_the_network_for_nothing() -> None:
    with Server(lab.command([]), lab.environment()) as server:
        listing = json.load(server.get("api/contents?content=1"))
        names = [entry["name"] for entry in listing["content"] if entry["type"] == "notebook"]
        assert sorted(names) == [path.name for path in NOTEBOOKS]
        page = server.get("lab").read().decode()
        settings = json.loads(
            re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.S)[1]
        )
    assert settings["news"] == {"disabled": True}
    assert not re.findall(r'(?:src|href)="(?:https?:)?//(?!127\.0\.0\.1|localhost)', page)
    assert lab.environment()["PYTHONPATH"].split(os.pathsep)[0] == str(ROOT / "src")


def test_make_lab_passes_arguments_on() -> None:
    command = ["make", "-n", "lab", "LAB=--no-browser --port 9000", f"PYTHON={sys.executable}"]
    dry = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "tools/lab.py --no-browser --port 9000" in dry.stdout
    assert lab.command(["--port", "9000"])[-2:] == ["--port", "9000"]
