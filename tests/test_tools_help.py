"""Every script in tools/ explains itself when asked to, and does nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.notebooks import ROOT
from support.tools import load_tool

TOOLS = sorted((ROOT / "tools").glob("*.py"))


@pytest.mark.parametrize("path", TOOLS, ids=lambda path: path.stem)
@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_is_given_and_nothing_is_done(path: Path, asked: str, tmp_path: Path) -> None:
    before = set((ROOT / "_build" / "environments").glob("*"))
    done = subprocess.run(
        [sys.executable, str(path), asked], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith(f"usage: {path.name}")
    first = (load_tool(path.stem).__doc__ or "").split(":")[0].split()
    assert " ".join(first) in " ".join(done.stdout.split())
    assert list(tmp_path.iterdir()) == []
    assert set((ROOT / "_build" / "environments").glob("*")) == before


def test_jupyterlab_still_gets_what_the_lab_does_not_know(monkeypatch) -> None:
    lab, ran = load_tool("lab"), []
    monkeypatch.setattr(lab.os, "execve", lambda *line: ran.append(line))
    lab.main(["--no-browser", "--port", "9000", "--h=1"])
    ((program, line, environment),) = ran
    assert (program, line[-4:]) == (line[0], ["--no-browser", "--port", "9000", "--h=1"])
    assert environment["PYTHONPATH"].startswith(str(ROOT / "src"))


def test_an_option_that_is_none_is_refused_before_anything_runs() -> None:
    for name in ("binder", "install"):
        tool = load_tool(name)
        with pytest.raises(SystemExit) as stop:
            tool.main(["--hepl"])
        assert stop.value.code == 2
