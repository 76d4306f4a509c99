"""Grading many: a row each as it is done, the same seed for all, nothing lost, fast enough."""

from __future__ import annotations

import contextlib
import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lab_support import LOOPS, STYLES, with_function

import lesson_utils.lab
from lesson_utils.lab.fence import Limits
from lesson_utils.lab.grade import grade
from lesson_utils.lab.process import CannotRun
from lesson_utils.lab.submissions import submissions
from lesson_utils.lab.table import COLUMNS, harmless

LAB = Path(lesson_utils.lab.__file__).parent
QUICK = Limits(stage=1.6, load=4.0)
WRONG = with_function(
    "def pair_speeds(d, base=1e4):\n    return [base ** (-i / d) for i in range(d // 2)]"
)


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


@pytest.fixture
def folder(tmp_path):
    """Submissions in files and folders, good, bad and odd."""
    at = tmp_path / "submissions"
    for name in ("alice", "bob", "carol", "dave", "eve", "__pycache__", ".git"):
        (at / name).mkdir(parents=True)
    (at / "ann.py").write_text(LOOPS)
    (at / "ben.py").write_text(WRONG)
    (at / "cem.py").write_bytes(b"x = '\xff'")
    (at / "readme.txt").write_text("no submission")
    (at / "alice" / "rope.py").write_text(STYLES["complex"])
    (at / "bob" / "my_rope.py").write_text(STYLES["product"])
    (at / "carol" / "notes.txt").write_text("nothing yet")
    (at / "dave" / "one.py").write_text(LOOPS)
    (at / "dave" / "two.py").write_text(LOOPS)
    (at / "eve" / "rope.py").write_text("while True: pass")
    (at / "=cmd.py").write_text("raise ValueError('=1+1')")
    return at


def test_every_submission_gets_its_row(folder, tmp_path, capsys):
    report = tmp_path / "report.csv"
    assert grade(folder, report, 5, 2, QUICK) == 0
    found = rows(report)
    assert {name: row["passed"] for name, row in found.items()} == {
        "ann.py": "8", "ben.py": found["ben.py"]["passed"], "cem.py": "0", "alice": "8", "bob": "8",
        "carol": "0", "dave": "0", "eve": "0", "'=cmd.py": "0",
    }  # fmt: skip
    assert {row["seed"] for row in found.values()} == {"5"}
    assert found["ben.py"]["probable_mistake"].startswith("stage 1: the exponent is i/d")
    assert [found["ben.py"][f"stage_{i}"] for i in (1, 2)] == ["fail", "pass"]
    assert found["cem.py"]["first_problem"] == "rope.py is not UTF-8 text: save it as UTF-8"
    assert found["carol"]["first_problem"] == "no rope.py in this folder"
    assert found["dave"]["first_problem"] == "2 .py files, none of them rope.py"
    assert f"took more than {QUICK.load:g} s" in found["eve"]["first_problem"]
    assert float(found["eve"]["seconds"]) >= 1.0
    err = capsys.readouterr().err
    assert "[9/9]" in err
    assert "9 submissions, seed 5" in err


def test_a_second_run_goes_on_where_the_first_ended(folder, tmp_path, capsys):
    report = tmp_path / "report.csv"
    (folder / "eve" / "rope.py").unlink()
    assert grade(folder, report, 5, 2, QUICK) == 0
    whole = report.read_text()
    lines = whole.splitlines(keepends=True)
    report.write_text("".join(lines[:4]) + lines[4][:20])  # cut off within a row
    (folder / "ann.py").write_text(WRONG)  # handed in anew
    assert grade(folder, report, None, 2, QUICK) == 0
    assert "already" in capsys.readouterr().err
    found = rows(report)
    assert len(found) == 9
    assert len(report.read_text().splitlines()) == 10
    assert {row["seed"] for row in found.values()} == {"5"}
    assert found["ann.py"]["stage_1"] == "fail"


def test_another_seed_keeps_the_earlier_report(folder, tmp_path):
    report = tmp_path / "report.csv"
    for name in ("eve", "dave", "carol"):
        for file in (folder / name).iterdir():
            file.unlink()
    grade(folder, report, 5, 2, QUICK)
    first = report.read_text()
    grade(folder, report, 6, 2, QUICK)
    assert (tmp_path / "report-1.csv").read_text() == first
    assert {row["seed"] for row in rows(report).values()} == {"6"}


def test_a_file_that_is_no_report_is_left_alone(folder, tmp_path):
    other = tmp_path / "marks.csv"
    other.write_text("name,mark\nalice,1\n")
    with pytest.raises(CannotRun, match="is no report of this grader"):
        grade(folder, other, 5, 2, QUICK)
    assert other.read_text() == "name,mark\nalice,1\n"


def test_an_empty_folder_cannot_be_graded(tmp_path):
    with pytest.raises(CannotRun, match="holds no submissions"):
        submissions(tmp_path)


def test_a_fault_of_the_grader_costs_one_row_only(folder, tmp_path, monkeypatch):
    from lesson_utils.lab import grade as module

    def broken(path, *args, **kwargs):
        if path.name == "ann.py":
            raise RuntimeError("our fault")
        return check(path, *args, **kwargs)

    check = module.check
    monkeypatch.setattr(module, "check", broken)
    assert grade(folder, tmp_path / "r.csv", 5, 2, QUICK) == 0
    found = rows(tmp_path / "r.csv")
    assert found["ann.py"]["first_problem"] == "the grader failed: RuntimeError: our fault"
    assert len(found) == 9


def command(*arguments):
    environment = {**os.environ, "PYTHONPATH": str(LAB.parent.parent)}
    return subprocess.Popen(
        [sys.executable, "-m", "lesson_utils.lab", "grade", *map(str, arguments)],
        stderr=subprocess.PIPE, env=environment, text=True, start_new_session=True,
        # Tests that run in the background inherit that Ctrl-C is not for them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def assert_no_child_is_left(temporary):
    """No process that was started in a folder below this one (seen on Linux only)."""
    home = f"HOME={temporary}".encode()
    for _ in range(60):
        left = []
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                left += [path] if home in path.read_bytes() else []
        if not left:
            return
        time.sleep(0.05)
    raise AssertionError(left)


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_an_interruption_loses_no_row(number, tmp_path, monkeypatch):
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(60):
        (folder / f"s{i:03}.py").write_text(LOOPS)
    (folder / "s005.py").write_text("while True: pass")
    (folder / "s009.py").write_text("import time; time.sleep(300)")
    report, temporary = tmp_path / "report.csv", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    process = command(folder, "--csv", report, "--seed", 1, "--jobs", 2)
    seen = 0
    while seen < 8:
        seen += process.stderr.readline().startswith("[")
    process.send_signal(getattr(signal, number))
    began = time.monotonic()
    rest = process.communicate(timeout=20)[1]
    assert time.monotonic() - began < 10
    if number != "SIGKILL":
        assert process.returncode == 130
        assert "run again to go on" in rest
    seen += sum(line.startswith("[") for line in rest.splitlines())
    assert_no_child_is_left(temporary)
    assert report.read_text().endswith("\n")
    written = rows(report)
    assert len(written) >= seen >= 8
    assert all(
        row["passed"] == "8" for name, row in written.items() if name not in ("s005.py", "s009.py")
    )
    for row in written.values():
        assert "grader failed" not in row["first_problem"]
        assert "interrupted" not in row["first_problem"]


@pytest.mark.slow
def test_200_submissions_in_under_a_minute(tmp_path):
    """On two idle cores it takes about a quarter of that; the processor time is checked too."""
    folder = tmp_path / "many"
    folder.mkdir()
    kinds = [*STYLES.values(), WRONG]
    for i in range(200):
        (folder / f"s{i:03}.py").write_text(kinds[i % 4])
    before = os.times()
    process = command(folder, "--csv", tmp_path / "r.csv", "--seed", 1, "--jobs", 2)
    began = time.monotonic()
    process.communicate(timeout=300)
    wall, after = time.monotonic() - began, os.times()
    used = sum(after[2:4]) - sum(before[2:4])
    print(f"200 submissions: {wall:.1f} s, {used:.1f} s of processor time")
    assert len(rows(tmp_path / "r.csv")) == 200
    busy = os.getloadavg()[0] > 3 if hasattr(os, "getloadavg") else False
    assert used < 60  # two cores have 120 s of processor time in a minute
    assert wall < 60 or busy


def test_cells_are_no_formulas():
    assert harmless("=1+1") == "'=1+1"
    assert harmless("alice") == "alice"
    assert "seconds" in COLUMNS
