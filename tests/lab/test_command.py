"""The commands as people run them: check, starter, a copied folder, a bare Python 3.9."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from lab_support import LOOPS, STYLES, loaded, with_function

import lesson_utils.lab
from lesson_utils.lab.command import interpreter
from lesson_utils.lab.reference import FUNCTIONS

LAB = Path(lesson_utils.lab.__file__).parent
WRONG = with_function(
    "def turns(gap, d, base=1e4):\n    return [gap * w for w in pair_speeds(d, base)]"
)
COMMAND = [sys.executable, "-m", "lesson_utils.lab"]


def run(*arguments, folder, command=COMMAND, **options):
    """A command's result, as text."""
    environment = {**os.environ, "PYTHONPATH": str(LAB.parent.parent)}
    command = [*command, *map(str, arguments)]
    quiet = {"capture_output": True, "text": True, "timeout": 60, "check": False}
    return subprocess.run(command, cwd=folder, env=environment, **quiet, **options)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rope.py").write_text(LOOPS)
    (tmp_path / "wrong.py").write_text(WRONG)
    return tmp_path


@pytest.mark.parametrize("style", STYLES)
def test_a_correct_submission_exits_0(style, folder):
    (folder / "rope.py").write_text(STYLES[style])
    result = run("check", "rope.py", folder=folder)
    assert result.returncode == 0, result.stdout
    lines = result.stdout.splitlines()
    assert [line[:13] for line in lines[:8]] == [f"pass  stage {i}" for i in range(1, 9)]
    assert lines[8].startswith("8 of 8 stages pass")
    assert result.stderr == ""


def test_a_failure_exits_1_and_says_what_was_called(folder):
    result = run("check", "wrong.py", "--seed", 3, folder=folder)
    assert result.returncode == 1
    for words in ("FAIL  stage 7  turns", "call      turns(", "expected  [", "got       [",
                  "probably  these are angles in radians", "--seed 3 --stage 7",
                  "7 of 8 stages pass"):  # fmt: skip
        assert words in result.stdout


def test_the_seed_repeats_the_counterexample(folder):
    first = run("check", "wrong.py", "--json", folder=folder)
    seed = json.loads(first.stdout)["seed"]
    again = run("check", "wrong.py", "--json", "--stage", 7, "--seed", seed, folder=folder)
    (alone,) = json.loads(again.stdout)["stages"]
    among = json.loads(first.stdout)["stages"][6]
    assert alone["counterexample"] == among["counterexample"]
    assert alone["mistake"] == among["mistake"] == "radians for turns"
    example = alone["counterexample"]
    names = loaded(WRONG)
    assert names["turns"](*example["args"], **example["kwargs"]) == example["got"]


def test_two_runs_ask_differently(folder):
    command = ("check", "rope.py", "--json", "--stage", 2)
    seeds = {json.loads(run(*command, folder=folder).stdout)["seed"] for _ in range(3)}
    assert len(seeds) > 1


def test_one_stage_alone(folder):
    result = run("check", "wrong.py", "--stage", "6", folder=folder)
    assert (result.returncode, len(result.stdout.splitlines())) == (0, 2)


def test_a_folder_is_searched_for_rope(folder):
    assert run("check", ".", "--stage", 1, folder=folder).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "absent.py"], "cannot run: absent.py does not exist"),
        (["check", "rope.py", "--stage", "9"], "invalid choice"),
        (["check"], "required"),
        ([], "required"),
        (["grade", "absent", "--csv", "r.csv"], "cannot run: absent cannot be listed"),
        (["grade", ".", "--csv", "r.csv", "--jobs", "0"], "invalid"),
        (["starter", "rope.py"], "cannot run: rope.py exists already"),
    ],
)
def test_what_cannot_run_exits_2(arguments, words, folder):
    result = run(*arguments, folder=folder)
    assert result.returncode == 2
    assert words in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("content", [b"x = '\xff'", b"not python at all", b"x\0"])
def test_no_program_exits_2_and_says_so_for_every_stage(content, folder):
    (folder / "rope.py").write_bytes(content)
    result = run("check", "rope.py", folder=folder)
    assert result.returncode == 2
    assert result.stdout.count("FAIL  stage") == 8
    assert "rope.py is not" in result.stdout
    result = run("check", "rope.py", "--json", folder=folder)
    assert result.returncode == json.loads(result.stdout)["exit_code"] == 2


def test_the_starter_loads_and_is_all_to_be_done(folder):
    assert run("starter", "new.py", folder=folder).returncode == 0
    result = run("check", "new.py", folder=folder)
    assert result.returncode == 1
    assert result.stdout.count("todo  stage") == 8
    assert "0 of 8" in result.stdout


def test_the_starter_is_documented():
    names = loaded((LAB / "starter" / "rope.py").read_text())
    for functions in FUNCTIONS.values():
        for name in functions:
            assert ">>>" in names[name].__doc__


def test_odd_characters_reach_no_terminal(folder):
    (folder / "rope.py").write_text("raise ValueError('\\x1b[2J\\x07 \\u202e \\ud800 \\U0001f600')")
    environment = {**os.environ, "PYTHONPATH": str(LAB.parent.parent)}
    for encoding in ("ascii", "utf-8"):
        result = subprocess.run(
            [*COMMAND, "check", "rope.py"],
            cwd=folder, capture_output=True, timeout=60, check=False,
            env={**environment, "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        assert b"\x1b" not in result.stdout
        assert b"\x07" not in result.stdout
        assert b"Traceback" not in result.stderr


def test_modules_beside_rope_are_not_taken_for_the_graders(folder):
    """A json.py or random.py in the learner's folder is run neither by the grader nor its child."""
    for name in ("json", "random", "argparse", "subprocess", "math", "tempfile", "queue", "csv"):
        (folder / f"{name}.py").write_text("raise SystemExit('taken')")
    result = run("check", "rope.py", folder=folder)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("way", ["module", "folder's module", "folder", "folder elsewhere"])
def test_the_again_line_works_as_printed(way, folder):
    """However the lab was started, the line repeats the check when it is typed as it stands."""
    (folder / "my rope.py").write_text(WRONG)
    at, path = folder, folder / "lab"
    if way != "module":
        copied(folder)
    if way == "folder elsewhere":
        (folder / "a subfolder").mkdir()
        path = path.rename(folder / "a subfolder" / "lab")
    words = {
        "module": ["-m", "lesson_utils.lab"],
        "folder's module": ["-m", "lab"],
        "folder": ["lab"],
        "folder elsewhere": [str(path.relative_to(at))],
    }[way]
    options = ["--stage", "7", "--limit", "5"]
    first = run("check", "my rope.py", *options, folder=at, command=[sys.executable, *words])
    again = re.search(r"^ +again +(.*)$", first.stdout, re.MULTILINE)[1]
    assert shlex.split(again)[1:-6] == [*words, "check", "my rope.py"]
    assert again.endswith(" --stage 7 --limit 5")
    environment = {**os.environ, "PYTHONPATH": str(LAB.parent.parent)}
    second = subprocess.run(
        again, shell=True, cwd=at, env=environment, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert (second.returncode, second.stderr) == (1, "")
    assert without_times(second.stdout) == without_times(first.stdout)
    usage = run("check", "--help", folder=at, command=[sys.executable, *words]).stdout
    assert f"{shlex.join(words)} check" in " ".join(usage.split())


def without_times(text):
    """A check's text without the seconds that it took."""
    return re.sub(r"[\d.]+ s\)", "", text)


def test_the_interpreter_goes_by_its_short_name_if_that_finds_it(folder, monkeypatch):
    bin_folder = folder / "some" / "bin"
    bin_folder.mkdir(parents=True)
    for name in ("python3", "python.exe"):
        (bin_folder / name).write_text("")
        (bin_folder / name).chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python3"))
    monkeypatch.setenv("PATH", str(bin_folder))
    assert interpreter() == "python3"
    monkeypatch.setenv("PATH", str(folder))
    assert interpreter() == os.path.join("some", "bin", "python3")
    monkeypatch.chdir(bin_folder)
    assert interpreter() == str(bin_folder / "python3")
    monkeypatch.setenv("PATH", str(bin_folder))
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python.exe"))
    assert interpreter() == "python"
    monkeypatch.setattr(sys, "executable", "")
    monkeypatch.setenv("PATH", "")
    assert interpreter() == "python"


def test_the_again_line_can_be_worded_otherwise(folder):
    wording = ["--again", "check({stage}, seed={seed})"]
    result = run("check", "wrong.py", "--seed", 3, *wording, folder=folder)
    assert "        again     check(7, seed=3)\n" in result.stdout


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("check", "0 all stages pass; 1 something fails or is still to be done; 2 cannot run; 130"),
        ("grade", "0 every submission has its row; 2 the folder or the report cannot be used; 130"),
        ("starter", "0 written; 2 the file is there already"),
    ],
)
def test_each_command_tells_its_own_exit_codes(command, codes, folder):
    text = " ".join(run(command, "--help", folder=folder).stdout.split())
    assert f"exit codes: {codes}" in text
    assert text.count("exit codes") == 1


def names_of_processes():
    for path in Path("/proc").glob("[0-9]*/comm"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            yield path.read_text().rstrip("\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_an_interrupted_check_exits_130(folder):
    # A process's own name is all that can be seen from outside of what runs behind the fence.
    name = f"rope {os.getpid()}"
    source = f"import ctypes; ctypes.CDLL(None).prctl(15, {name.encode()!r})\nwhile True: pass"
    (folder / "rope.py").write_text(source)
    environment = {**os.environ, "PYTHONPATH": str(LAB.parent.parent)}
    process = subprocess.Popen(
        [*COMMAND, "check", "rope.py", "--limit", "60"],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while process.poll() is None and name not in names_of_processes():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    "code", ["raise ValueError('at once')", "while True: pass", "import absent_module"]
)
def test_python_that_stops_while_it_is_loaded_exits_1(code, folder):
    (folder / "rope.py").write_text(code)
    result = run("check", "rope.py", "--limit", "0.5", folder=folder)
    assert (result.returncode, result.stdout.count("not tried")) == (1, 8)
    assert "rope.py does not load" in result.stdout


def copied(folder, name="lab"):
    """The lab's folder, copied alone."""
    shutil.copytree(LAB, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return name


def pythons():
    """Every Python of 3.9 or newer that is installed, this one and 3.9 among them if possible."""
    found = {"this": sys.executable}
    for minor in (9, 10, 12, 13):
        at = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python"))
        plain = shutil.which(f"python3.{minor}")
        if at or (plain and "shims" not in plain):
            found[f"3.{minor}"] = str(at[-1]) if at else str(plain)
    return found


PYTHONS = pythons()


@pytest.mark.parametrize("version", ["this", "3.9", "3.10", "3.12", "3.13"])
def test_a_copy_alone_on_a_bare_python(version, folder):
    if version not in PYTHONS:
        pytest.skip(f"Python {version} is not installed")
    python = PYTHONS[version]
    assert copied(folder) == "lab"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    for command in (["-I", "-S", "-W", "error", "lab"], ["-S", "-m", "lab"]):
        result = subprocess.run(
            [python, *command, "check", "rope.py", "--json"],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (result.returncode, result.stderr) == (0, "")
        assert json.loads(result.stdout)["passed"] == 8


@pytest.mark.skipif("3.9" not in PYTHONS, reason="Python 3.9 is not installed")
def test_mistakes_are_named_on_3_9_too(folder):
    copied(folder, "a folder, renamed")
    result = subprocess.run(
        [PYTHONS["3.9"], "-I", "-S", "a folder, renamed", "check", "wrong.py"],
        cwd=folder, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "probably  these are angles in radians" in result.stdout
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not os.path.exists("/usr/bin/python3"),
    reason="only root can become somebody else",
)
def test_it_works_as_an_ordinary_user():
    """The fence is built otherwise for root; here both ways are walked, with and without room."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "rope.py").write_text(LOOPS)
        escape = "import os\nassert os.getuid() == 4242\nopen('/tmp/escaped', 'w')"
        (folder / "escape.py").write_text(LOOPS + escape)
        copied(folder)
        folder.chmod(0o755)
        for command, code in (("rope.py", 0), ("escape.py", 1)):
            result = subprocess.run(
                ["/usr/bin/python3", "-B", "lab", "check", command, "--json"],
                user=4242, group=4242,
                cwd=folder, capture_output=True, text=True, timeout=60, check=False, env={},
            )  # fmt: skip
            assert (result.returncode, result.stderr) == (code, ""), result.stdout
        if json.loads(result.stdout)["stages"][0]["fence"] == "namespaces":
            assert "Read-only file system: '/tmp/escaped'" in result.stdout


def test_the_lab_imports_nothing_but_the_standard_library():
    code = (
        "import sys, importlib, pathlib\n"
        "import lesson_utils.lab\n"
        "for f in pathlib.Path(lesson_utils.lab.__path__[0]).glob('*.py'):\n"
        "    if f.stem != '__main__': importlib.import_module('lesson_utils.lab.' + f.stem)\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('numpy', 'torch', 'plotly')])\n"
    )
    result = run("-c", code, folder=LAB, command=[sys.executable, "-S"])
    assert (result.stdout.strip(), result.stderr) == ("[]", "")
