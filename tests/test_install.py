"""`make install` in a bad environment: each gets clear words, and what can be mended is mended."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.notebooks import ROOT
from support.tools import load_tool

install = load_tool("install")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose requirements are on disk and small: one empty package."""
    root = tmp_path / "checkout"
    (root / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "install.py", root / "tools")
    shutil.copy(ROOT / "Makefile", root)
    (root / "requirements.txt").write_text("")
    return root


def run(root: Path, python: str = sys.executable, **variables: str) -> tuple[int, str]:
    clean = {n: v for n, v in os.environ.items() if not n.startswith(("PIP_", "VENV"))}
    done = subprocess.run(
        [python, str(root / "tools" / "install.py"), variables.pop("FILE", "requirements.txt")],
        env={**clean, "PIP_RETRIES": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def test_pythons_agree_with_the_package() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (low, high) = (".".join(map(str, v)) for v in (install.OLDEST, install.NEWEST))
    assert f'requires-python = ">={low},<3.{install.NEWEST[1] + 1}"' in project
    assert install.check_python((3, 11, 0)) is install.check_python((3, 13, 9)) is None
    assert (low, high) == ("3.11", "3.13")


@pytest.mark.parametrize("version", [(3, 9, 2), (3, 10, 0), (3, 14, 0), (4, 0, 0), (2, 7, 18)])
def test_python_too_old_or_too_new(version, monkeypatch, capsys, tmp_path) -> None:
    monkeypatch.setattr(install.sys, "version_info", version)
    monkeypatch.setenv("VENV", str(tmp_path / "venv"))
    assert install.main([]) == 1
    message = capsys.readouterr().err
    assert "This book needs Python 3.11 to 3.13" in message
    assert f"is Python {version[0]}.{version[1]}." in message
    assert "make book PYTHON=python3.12" in message
    assert not (tmp_path / "venv").exists()


def test_a_really_old_python_gets_the_same_words(project: Path) -> None:
    kept = [*Path.home().glob(".pyenv/versions/3.*/bin/python")]
    too_old = [p for p in kept if p.exists() and not re.search(r"/3\.1[1-3]\.", str(p))]
    if not too_old:
        pytest.skip("there is no old Python here")
    code, output = run(project, str(sorted(too_old)[0]), VENV=str(project / "venv"))
    assert code == 1
    assert "This book needs Python 3.11 to 3.13" in output
    assert "Traceback" not in output


def test_python_without_venv(project: Path) -> None:
    (project / "tools" / "ensurepip.py").write_text("raise ImportError")  # as on a bare Debian
    code, output = run(project, VENV=str(project / "venv"))
    assert code == 1
    assert "sudo apt install python3-venv" in output
    assert "Traceback" not in output


@pytest.mark.slow
def test_no_network(project: Path) -> None:
    (project / "requirements.txt").write_text("a-package-that-is-not-here==1.0\n")
    nowhere = "http://127.0.0.1:9/simple"
    code, output = run(
        project, VENV=str(project / "venv"), PIP_INDEX_URL=nowhere, PIP_CONFIG_FILE=os.devnull
    )
    assert code == 1
    assert "Installing the requirements failed" in output
    assert "pip download -r requirements.txt -d wheels" in output
    assert "PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels" in output
    assert "HTTPS_PROXY" in output
    assert "Traceback" not in output
    # It does not take the half-made environment for a whole one.
    assert run(project, VENV=str(project / "venv"), PIP_NO_INDEX="1")[0] == 1


@pytest.mark.slow
def test_wheels_from_a_folder_need_no_network(project: Path) -> None:
    wheel = project / "here-1.0-py3-none-any.whl"
    make_wheel(wheel)
    (project / "requirements.txt").write_text("here==1.0\n")
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(project)}
    code, output = run(project, VENV=str(project / "venv"), **offline)
    assert code == 0, output
    # The second time nothing is done, and nothing is said.
    assert run(project, VENV=str(project / "venv")) == (0, "")


def make_wheel(path: Path, extra: dict[str, str] | None = None) -> None:
    import zipfile

    name = path.name.split("-")[0]
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **(extra or {}),
    }
    files[f"{info}/RECORD"] = "".join(f"{each},,\n" for each in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(path, "w") as archive:
        for each, text in files.items():
            archive.writestr(each, text)


@pytest.mark.slow
def test_a_lost_kernel_is_put_back(project: Path) -> None:
    """ipykernel is installed but its kernel is gone: as when a folder was tidied by hand."""
    main = (
        "import pathlib, sys\n"
        "place = pathlib.Path(sys.prefix, 'share/jupyter/kernels/python3')\n"
        "assert sys.argv[1:] == ['install', '--sys-prefix']\n"
        "place.mkdir(parents=True)\n"
        "(place / 'kernel.json').write_text('{}')\n"
    )
    make_wheel(
        project / "ipykernel-1.0-py3-none-any.whl",
        {"ipykernel/__init__.py": "", "ipykernel/__main__.py": main},
    )
    (project / "requirements.txt").write_text("ipykernel==1.0\n")
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(project), "VENV": str(project / "venv")}
    kernel = project / "venv" / "share" / "jupyter" / "kernels" / "python3"
    assert run(project, **offline)[0] == 0
    assert (kernel / "kernel.json").exists()
    shutil.rmtree(kernel)
    code, output = run(project, **offline)
    assert code == 0
    assert "Putting the notebooks' kernel back" in output
    assert (kernel / "kernel.json").exists()


@pytest.mark.slow
def test_an_environment_whose_python_is_gone_is_made_anew(project: Path) -> None:
    place = project / "venv"
    assert run(project, VENV=str(place))[0] == 0
    for link in (place / "bin").glob("python*"):
        link.unlink()
        link.symlink_to("/nowhere/python3")
    code, output = run(project, VENV=str(place))
    assert code == 0, output
    assert subprocess.run([str(place / "bin" / "python"), "-c", ""], check=True).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("included", ["-r more.txt", "-c more.txt"])
def test_a_change_in_an_included_file_counts(project: Path, included: str) -> None:
    (project / "requirements.txt").write_text(included + "\n")
    (project / "more.txt").write_text("")
    assert "Installing" in run(project, VENV=str(project / "venv"))[1]
    assert run(project, VENV=str(project / "venv")) == (0, "")
    (project / "more.txt").write_text("# changed\n")
    assert "Installing" in run(project, VENV=str(project / "venv"))[1]


@pytest.mark.slow
def test_a_place_that_cannot_be_written(project: Path) -> None:
    (project / "file").write_text("")
    code, output = run(project, VENV=str(project / "file" / "venv"))
    assert code == 1
    assert "cannot be written, so the book's environment cannot be made there" in output
    assert "make book VENV=~/book-venv BUILD=~/book-build" in output
    assert "Traceback" not in output


def test_a_read_only_checkout() -> None:
    """For real: as a user who may read the checkout and not write to it."""
    other = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "tools" / "install.py", folder)
        code = f"import sys; sys.path.insert(0, {folder!r}); import install; "
        code += "assert not install.check_python(sys.version_info) and not install.check_venv(); "
        code += f"sys.exit(install.install({folder + '/.venv'!r}, {os.devnull!r}) + 10)"
        os.chmod(folder, 0o555)
        for python in (sys.executable, "/usr/bin/python3"):
            with contextlib.suppress(OSError):
                command = [python, "-c", code]
                done = subprocess.run(command, capture_output=True, text=True, check=False, **other)
                if done.returncode == 11:
                    break
        else:
            pytest.skip("no Python here that another user may run")
        assert f"{folder} cannot be written" in done.stderr
        assert "Traceback" not in done.stderr
        os.chmod(folder, 0o755)


def test_a_read_only_place_is_explained_whatever_failed(monkeypatch, tmp_path) -> None:
    failed = subprocess.CalledProcessError(1, "python -m venv")
    assert "Installing the requirements failed" in install.explain(str(tmp_path / "venv"), failed)
    monkeypatch.setattr(install.os, "access", lambda path, mode: False)
    words = install.explain(str(tmp_path / "checkout" / "venv"), failed)
    assert words.startswith(f"{tmp_path} cannot be written")


def test_a_build_folder_that_cannot_be_written(tmp_path, monkeypatch, capsys) -> None:
    (tmp_path / "file").write_text("")
    book = load_tool("book")
    monkeypatch.setattr(book.sys, "argv", ["book.py", "--output", str(tmp_path / "file")])
    assert book.main() == 1
    words = capsys.readouterr().err
    assert "_build cannot be written (Not a directory)" in words
    assert "make book VENV=~/book-venv BUILD=~/book-build" in words
    assert book.not_writable(tmp_path / "new" / "_build") == ""
    assert list((tmp_path / "new" / "_build").iterdir()) == []


def test_permission_denied_is_explained_wherever_it_happens(monkeypatch, capsys, tmp_path) -> None:
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(install.subprocess, "check_call", refuse)
    assert install.install(str(tmp_path / "venv"), "requirements.txt") == 1
    assert "cannot be written" in capsys.readouterr().err


def test_torch_index_is_used_when_named(monkeypatch) -> None:
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    plain = install.pip_command("python", "requirements.txt")
    assert "--extra-index-url" not in plain
    monkeypatch.setenv("TORCH_INDEX", "")  # an unset variable of a workflow
    assert install.pip_command("python", "requirements.txt") == plain
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cpu")
    named = install.pip_command("python", "requirements.txt")
    assert named == [*plain, "--extra-index-url", "https://example.org/cpu"]
