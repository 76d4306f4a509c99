"""`make check`: a true chapter passes, and each way to be wrong is named."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from support.notebooks import ROOT
from support.tools import load_tool

check = load_tool("check")

IMPORT = "from lesson_utils.claims import claim"
TRUE = 'claim("a dozen", 12, 12, 0.5)'
FALSE = 'claim("a baker\'s (dozen), but {odd}\\nand long", [12, 14.25], [13, 13], 5e-1)\nlost = 1'


def notebook(folder: Path, name: str, *cells: str) -> Path:
    ids = [f"cell-{index}" for index in range(len(cells))]
    made = v4.new_notebook(
        cells=[v4.new_code_cell(text, id=i) for text, i in zip(cells, ids, strict=True)]
    )
    nbformat.write(made, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    command = [
        sys.executable,
        str(ROOT / "tools" / "check.py"),
        "--folder",
        str(folder),
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_table_and_exit_code_of_true_chapters(tmp_path: Path) -> None:
    paths = [
        notebook(tmp_path, "01-one", IMPORT, TRUE + "\n" + TRUE, "print('not ✓ counted')"),
        notebook(tmp_path, "02-two", IMPORT, TRUE, 'print("2")'),
    ]
    before = {path: path.read_bytes() for path in paths}
    code, output = run(tmp_path)
    assert code == 0, output
    rows = [line.split() for line in output.splitlines() if line.startswith("0")]
    assert [(name, claims, warned, verdict) for name, _, claims, warned, verdict in rows] == [
        ("01-one", "2", "0", "ok"),
        ("02-two", "1", "0", "ok"),
    ]
    assert "2 of 2 chapters hold; 3 claims" in output
    assert "Python 3." in output
    assert "numpy" in output
    # Nothing is written, and no cache appears.
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_false_claim_is_named_in_full(tmp_path: Path) -> None:
    notebook(tmp_path, "01-one", IMPORT + "\n" + TRUE)
    notebook(tmp_path, "02-two", IMPORT, TRUE, FALSE, 'claim("little", 5.0, at_most=1)', TRUE)
    code, output = run(tmp_path)
    assert code == 1
    assert "02-two, cell 'cell-2': this sentence is false." in output
    assert "  sentence  a baker's (dozen), but {odd} and long\n" in output
    assert "  stated    13, 13 ± 0.5\n" in output
    assert "  measured  12 at index 0 (all: [12, 14.25])" in output
    # It goes on past a false claim, so that one run tells all of them.
    assert "  sentence  little\n  stated    at most 1\n  measured  5\n" in output
    assert "1 of 2 chapters hold; 3 claims" in output
    (line,) = (line for line in output.splitlines() if line.startswith("02-two "))
    assert line.split()[2:] == ["2", "0", "2", "false"]


def test_claim_is_read_from_its_message_when_the_kernel_cannot_tell() -> None:
    text = "this sentence would be false: 'x is (small)' (at most 1), but 5 was measured. Find out"
    found = check.claim_from("c", text)
    assert (found.text, found.stated, found.measured) == ("'x is (small)'", "at most 1", "5")
    odd = check.claim_from("c", "something else entirely")
    assert (odd.text, odd.stated, odd.measured) == ("something else entirely", "?", "?")


@pytest.mark.slow
def test_kernel_that_cannot_answer_does_not_hide_a_false_claim(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(check, "_ASK", "import sys; sys.last_value.odd")
    path = notebook(tmp_path, "01-one", IMPORT, 'claim("little", 5, at_most=1)')
    result = check.execute(path)
    (claim,) = result.false
    assert (claim.stated, claim.measured) == ("at most 1", "5")
    assert "little" in claim.text


@pytest.mark.slow
def test_other_errors_end_the_chapter_and_show_the_line(tmp_path: Path) -> None:
    path = notebook(tmp_path, "01-one", IMPORT + "\n" + FALSE, "x = 1\nlost + x", TRUE)
    result = check.execute(path)
    assert not result.ok
    assert result.verdict == "stopped"
    assert result.claims == 0
    assert "Cell 'cell-1' raised an error" in result.error
    assert "----> 2 lost + x" in result.error
    assert "NameError: name 'lost' is not defined" in result.error
    assert "may follow from the false claim" in result.error
    assert "\x1b" not in result.error


@pytest.mark.slow
def test_a_warning_fails_the_chapter(tmp_path: Path) -> None:
    text = 'import warnings\nwarnings.warn("mend me", DeprecationWarning)'
    result = check.execute(
        notebook(tmp_path, "01-one", text, "import sys\nprint('odd', file=sys.stderr)")
    )
    assert not result.ok
    assert result.warnings == ["DeprecationWarning: mend me", "odd"]
    assert result.verdict == "warned"
    assert "DeprecationWarning: mend me" in check.details(result)


@pytest.mark.slow
def test_endless_cell_and_dead_kernel_get_clear_words(tmp_path: Path) -> None:
    endless = check.execute(notebook(tmp_path, "01-one", "while True: pass"), timeout=2)
    assert "Cell 'cell-0' ran for more than 2 seconds." in endless.error
    dead = check.execute(notebook(tmp_path, "02-two", "import os\nos._exit(1)"))
    assert "The kernel died" in dead.error


@pytest.mark.slow
def test_helpers_come_from_this_checkout_and_no_profile_is_read(
    tmp_path: Path, monkeypatch
) -> None:
    profile = tmp_path / "ipython" / "profile_default" / "startup"
    profile.mkdir(parents=True)
    (profile / "00-spoil.py").write_text("raise SystemExit")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    path = notebook(
        tmp_path, "01-one", "import lesson_utils, os\nassert os.environ['IPYTHONDIR']", TRUE
    )
    text = f"assert lesson_utils.__file__.startswith({str(ROOT)!r})"
    path = notebook(tmp_path, "01-one", "import lesson_utils", text)
    assert check.execute(path).ok
    assert os.environ["IPYTHONDIR"] == str(tmp_path / "ipython")
    assert os.environ["PYTHONPATH"] == str(tmp_path)


@pytest.mark.slow
def test_one_chapter_by_number_or_name(tmp_path: Path) -> None:
    for name in ("01-one", "05-rotary", "lab-rope"):
        notebook(tmp_path, name, "1")

    def found(wanted):
        return [path.stem for path in check.chapters(tmp_path, wanted)]

    assert found("") == ["01-one", "05-rotary", "lab-rope"]
    assert found("05") == found("5") == found("05-rotary.ipynb") == ["05-rotary"]
    assert found("lab") == ["lab-rope"]
    assert found("7") == []
    code, output = run(tmp_path, "7")
    assert code == 2
    assert "No chapter '7'" in output
    assert "01-one, 05-rotary, lab-rope" in output


def test_missing_kernel_gets_clear_words(tmp_path: Path, monkeypatch, capsys) -> None:
    notebook(tmp_path, "01-one", "1")

    class Absent:
        def get_kernel_spec(self, name):
            raise check.NoSuchKernel(name)

    monkeypatch.setattr(check, "KernelSpecManager", Absent)
    assert check.main(["--folder", str(tmp_path)]) == 2
    message = capsys.readouterr().err
    assert "There is no Jupyter kernel 'python3'" in message
    assert "make install" in message


def test_make_target_checks_one_real_chapter() -> None:
    command = ["make", "-s", "check", "CHAPTER=05", f"PYTHON={sys.executable}"]
    dry = subprocess.run([*command, "-n"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 'tools/check.py "$CHAPTER"' in dry.stdout
