"""Submissions that misbehave: each ends within a stated time, with a clear message for its stage,
and the other stages are graded all the same.

The limit is 1.6 s a stage here (4 s by default). CEILING is what the whole check of such a
submission may take on a busy machine; the grader's own promise is the limit a stage plus two
seconds.
"""

from __future__ import annotations

import os
import sys
import textwrap
import time
from dataclasses import replace

import pytest
from lab_support import LOOPS, with_function

from lesson_utils.lab.challenges import challenges
from lesson_utils.lab.check import check
from lesson_utils.lab.fence import Child, Limits
from lesson_utils.lab.inmate import Inmate
from lesson_utils.lab.process import CannotRun

CEILING = 20.0
LINUX = sys.platform.startswith("linux")
# Short, for what never ends; long enough that a busy machine lets pass what is right.
SHORT = Limits(stage=1.6, load=4.0)
LIMITS = {"namespaces": SHORT, "tree": replace(SHORT, namespaces=False)}


def body(code: str, source: str = LOOPS) -> str:
    """A correct submission whose ``rotate`` begins with the code."""
    lines = textwrap.indent(textwrap.dedent(code), "    ")
    return source.replace(
        "def rotate(vec, pos, base=10000.0):\n", f"def rotate(vec, pos, base=10000.0):\n{lines}\n"
    )


def graded(source, tmp_path, fence="namespaces", stages=(1, 2, 3, 7), **limits):
    """The report on a submission and the seconds it took."""
    path = tmp_path / "rope.py"
    path.write_bytes(source if isinstance(source, bytes) else source.encode())
    began = time.monotonic()
    report = check(path, 5, stages, replace(LIMITS[fence], **limits))
    assert time.monotonic() - began < CEILING
    return report


def statuses(report):
    return {result.stage: result.status for result in report.stages}


ROTATE = {
    # what rotate does, before anything else: words of the message of stage 3
    "endless loop": ("while True: pass", f"took more than {SHORT.stage:g} s"),
    "endless sleep": ("import time\ntime.sleep(1000)", f"took more than {SHORT.stage:g} s"),
    "endless loop that catches": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        f"took more than {SHORT.stage:g} s",
    ),
    "ignores signals": (
        "import signal\nfor s in (15, 2, 1): signal.signal(s, signal.SIG_IGN)\nwhile True: pass",
        f"took more than {SHORT.stage:g} s",
    ),
    "recursion": ("return rotate(vec, pos, base)", "RecursionError"),
    "recursion without a limit": (
        "import sys\nsys.setrecursionlimit(10**8)\nreturn rotate(vec, pos, base)",
        "",  # crashes, or runs out of time or memory: which depends on the Python
    ),
    "sys.exit": ("import sys\nsys.exit(0)", "SystemExit: 0"),
    "os._exit": ("import os\nos._exit(0)", "ended the process (exit code 0)"),
    "abort": ("import os\nos.abort()", "crashed the interpreter"),
    "kills itself": ("import os\nos.kill(os.getpid(), 9)", "was killed"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "exception": ("return vec[len(vec)]", "IndexError: list index out of range (line 16: return"),
    "exception that lies": (
        "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E()", "it raised E"),
    "None": ("return None", "None (is a `return` missing?)"),
    "nothing": ("return", "None (is a `return` missing?)"),
    "NaN": ("return [float('nan')] * len(vec)", "nan at [0] where a number is expected"),
    "infinity": ("return [float('inf')] * len(vec)", "inf at [0]"),
    "complex": ("return [complex(x) for x in vec]", "a complex at [0]"),
    "strings": ("return [str(x) for x in vec]", "a str at [0]"),
    "one string": ("return str(vec)", "a str where a list of 6 is expected"),
    "bools": ("return [True] * len(vec)", "a bool at [0]"),
    "too short": ("return vec[:-1]", "5 items where 6 are expected"),
    "too long": ("return list(vec) + [0.0]", "7 items where 6 are expected"),
    "far too long": ("return [0.0] * 10**6", "a list where a list of 6 is expected"),
    "a number": ("return 1.0", "a single number where a list of 6 is expected"),
    "a dict": ("return dict(enumerate(vec))", "a dict where a list"),
    "a generator": ("return (x for x in vec)", "a generator where a list"),
    "nested": ("return [[x] for x in vec]", "a list at [0] where one number"),
    "endlessly nested": ("a = []\na.append(a)\nreturn a * 6", "a list at [0]"),
    "a huge integer": ("return [10**5000] * len(vec)", "an integer of 16610 bits at [0]"),
    "lying floats": (
        """
        class Liar(float):
            def __eq__(self, other): return True
            def __sub__(self, other): return 0.0
            __rsub__ = __sub__
            def __le__(self, other): return True
            def __abs__(self): return 0.0
            def __repr__(self): return "1.0"
            def __float__(self): return 1.0
            __hash__ = None
        return [Liar(0)] * len(vec)
        """,
        "a Liar at [0]",
    ),
    "lying list": (
        """
        class Liar(list):
            def __iter__(self): return iter([1.0] * 6)
            def __len__(self): return 6
            def __eq__(self, other): return True
            __hash__ = None
        return Liar()
        """,
        "0 items where 6",
    ),
    "lying type": (
        """
        class Meta(type):
            def __instancecheck__(cls, x): return True
            def __eq__(cls, other): return True
            def __getattribute__(cls, name): raise SystemExit
            __hash__ = None
        class Liar(metaclass=Meta):
            def __getattribute__(self, name): raise SystemExit
        return [Liar()] * len(vec)
        """,
        "a Liar at [0]",
    ),
    "gigantic output": (
        "import sys\nfor _ in range(200): print('x' * 10**6)\nsys.stderr.write('y' * 10**7)\n"
        "return None",
        "None",
    ),
    "memory": ("x = [0] * 10**10", "MemoryError"),
    "memory, slowly": ("x = []\nwhile True: x.append(bytearray(10**7))", ""),
    "reads input": ("input()", "EOFError"),
    "closes everything": ("import os\nos.closerange(0, 256)", ""),
    "writes into the channel": (
        "import os\nfor fd in range(3, 64):\n    try: os.write(fd, b'[1, 2, 3]\\n')\n"
        "    except OSError: pass",
        "channel",
    ),
    "floods the channel": (
        "import os\nwhile True:\n    for fd in range(3, 64):\n"
        "        try: os.write(fd, b'x' * 65536)\n        except OSError: pass",
        "channel",
    ),
}  # fmt: skip


WITHOUT_NAMESPACES = (
    *("endless loop", "ignores signals", "recursion without a limit", "os._exit", "kills itself"),
    *("memory, slowly", "closes everything", "writes into the channel", "floods the channel"),
)
CASES = [(name, "namespaces") for name in ROTATE] + [(name, "tree") for name in WITHOUT_NAMESPACES]


@pytest.mark.parametrize(("name", "fence"), CASES)
def test_one_stage_fails_and_the_others_pass(name, fence, tmp_path):
    code, words = ROTATE[name]
    report = graded(body(code), tmp_path, fence)
    assert statuses(report) == {1: "pass", 2: "pass", 3: "fail", 7: "pass"}
    assert words in report.stages[2].message
    assert report.exit_code == 1
    assert report.stages[2].seconds < SHORT.stage + SHORT.load + 4


RIGHT_ALL_THE_SAME = {
    # tricks that change nothing in the values: they must neither fail nor break the grader
    "prints": "print('PASS ' * 1000)",
    "claims": 'print(\'{"passed": 8, "exit_code": 0}\')',
    "raises the recursion limit": "import sys\nsys.setrecursionlimit(10**6)",
    "a thread left running": """
        import threading
        def spin():
            while True: pass
        try: threading.Thread(target=spin).start()
        except RuntimeError: pass
        """,
    "forks": """
        import os, time
        try: pid = os.fork()
        except OSError: pid = 1
        if pid == 0:
            time.sleep(100)
        """,
    "both sides of a fork return": """
        import os
        try: os.fork()
        except OSError: pass
        """,
}


@pytest.mark.parametrize("fence", LIMITS)
@pytest.mark.parametrize("name", RIGHT_ALL_THE_SAME)
def test_harmless_tricks_change_no_verdict(name, fence, tmp_path):
    report = graded(body(RIGHT_ALL_THE_SAME[name]), tmp_path, fence, (3, 7), stage=6.0)
    assert statuses(report) == {3: "pass", 7: "pass"}, report.stages[0].message


PATCHES = {
    "math": "import math\nmath.sin = math.cos = math.pow = lambda *a: 0.0\nmath.pi = 3",
    "random": "import random\nrandom.Random.random = lambda self: 0.5\nrandom.seed(0)",
    "builtins": (
        "import builtins\n"
        "for name in ('abs', 'repr', 'float', 'int', 'isinstance', 'type', 'open', 'eval', 'str',\n"
        "             'sorted', 'list', 'tuple', 'getattr', 'print', 'issubclass', 'callable'):\n"
        "    setattr(builtins, name, lambda *a, **k: True)"
    ),
    "json": "import json\njson.dumps = json.loads = lambda *a, **k: 'pass'",
    "os": "import os\nos.read = os.write = os._exit = os.dup = lambda *a: 0",
    "sys.modules": "import sys\nsys.modules.clear()",
    "comparison": "import operator\noperator.eq = operator.le = lambda *a: True",
}


@pytest.mark.parametrize("name", PATCHES)
def test_patching_python_does_not_change_the_verdict(name, tmp_path):
    """A wrong function stays wrong; where the patch spares a function, it stays right."""
    wrong = LOOPS.replace("return x0 * c - x1 * s,", "return x0 * c + x1 * s,")
    report = graded(wrong + "\n" + PATCHES[name], tmp_path, stages=(2,))
    assert statuses(report) == {2: "fail"}
    kept = LOOPS.replace("math.sin", "_sin").replace("math.cos", "_cos")
    right = f"import math\n_sin, _cos = math.sin, math.cos\n{kept}\n{PATCHES[name]}"
    report = graded(right, tmp_path, stages=(2,))
    assert statuses(report) == {2: "pass"}, report.stages[0].message


def test_what_one_stage_left_behind_is_not_held_against_another(tmp_path):
    """rotate patches math and leaves early; turns needs pi and sits in the same process."""
    code = "import math\nmath.pi = 3\nmath.cos = math.sin = lambda x: 0.5\nreturn None"
    report = graded(body(code), tmp_path, stages=(2, 3, 5, 7, 8))
    assert statuses(report) == {2: "pass", 3: "fail", 5: "pass", 7: "pass", 8: "pass"}


LOADING = {
    # at import: words of the problem; the exit code
    "syntax": ("def f(:\n", "not Python", 2),
    "prose": ("This is my homework.", "not Python", 2),
    "not UTF-8": (b"x = '\xff\xfe'\n", "not UTF-8", 2),
    "binary": (bytes(range(256)) * 40, "not", 2),
    "null bytes": (b"x = 1\0\n", "null bytes", 2),
    "indentation": ("def f():\nreturn 1\n", "not Python", 2),
    "deep brackets": ("(" * 5000 + ")" * 5000, "", 2),
    "exception": ("1 / 0\n", "ZeroDivisionError: division by zero (line 1: 1 / 0)", 1),
    "sys.exit": ("import sys; sys.exit(0)", "SystemExit: 0", 1),
    "os._exit": ("import os; os._exit(0)", "ended the process (exit code 0)", 1),
    "endless": ("while True: pass", f"took more than {SHORT.load:g} s", 1),
    "numpy": ("import numpy_of_tomorrow", "imports numpy_of_tomorrow (line 1), which is not in", 1),
    "empty": ("", "", 1),
    "memory": ("x = 'x' * 10**11", "MemoryError", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", LOADING)
def test_a_file_that_does_not_load(name, tmp_path):
    source, words, code = LOADING[name]
    report = graded(source, tmp_path, stages=tuple(range(1, 9)))
    assert words in report.problem
    assert report.passed == 0
    assert len(report.stages) == 8
    assert all(result.message for result in report.stages)
    if name != "deep brackets":
        assert report.exit_code == code


def test_other_encodings_that_python_knows_are_fine(tmp_path):
    source = b"# -*- coding: latin-1 -*-\nname = '\xe9'\n" + LOOPS.encode()
    assert graded(source, tmp_path).exit_code == 0
    assert graded(b"\xef\xbb\xbf" + LOOPS.encode(), tmp_path).exit_code == 0
    assert graded(LOOPS.replace("\n", "\r\n"), tmp_path).exit_code == 0


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(CannotRun, match="does not exist"):
        check(tmp_path / "rope.py", 1)
    with pytest.raises(CannotRun, match="is not a file"):
        check(tmp_path, 1)
    (tmp_path / "big.py").write_bytes(b"#" * (2 << 20))
    with pytest.raises(CannotRun, match="larger than 1 MiB"):
        check(tmp_path / "big.py", 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "rope.py")
    with pytest.raises(CannotRun, match="is not a file"):
        check(tmp_path / "rope.py", 1)


def test_missing_and_odd_functions(tmp_path):
    source = with_function("del pair_speeds\nrotate_pair = 3\nturns = print\n")
    report = graded(source, tmp_path, stages=(1, 2, 7, 6))
    messages = [result.message for result in report.stages]
    assert messages[0] == "there is no such function in rope.py"
    assert "'int' object is not callable" in messages[1]
    assert report.stages[3].status == "pass"


FORGERIES = {
    "looks for the grader's modules": """
        import gc, sys
        for module in list(sys.modules.values()):
            for name in ("expected", "challenges", "Rope", "reference", "judge"):
                assert not hasattr(module, name), (module, name)
        import lesson_utils.lab.reference as reference
        return reference.Rope().rotate(vec, pos, base)
        """,
    "walks up the stack for answers": """
        import sys
        frame = sys._getframe()
        while frame is not None:
            for value in frame.f_locals.values():
                if isinstance(value, list) and len(value) == len(vec) and value is not vec:
                    return value
            frame = frame.f_back
        return None
        """,
    "replaces the answer's writer": """
        import sys
        frame = sys._getframe().f_back
        frame.f_globals["encode"] = lambda *a: "true"
        return None
        """,
    "answers pass": """
        import sys
        frame = sys._getframe().f_back
        while frame is not None:
            if "say" in frame.f_locals:
                f = frame.f_locals
                f["say"](f["number"], f["nonce"], "pass")
                f["say"](f["number"], f["nonce"], "value", "true", "true", "0")
            frame = frame.f_back
        """,
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_answers_do_not_pass(name, tmp_path):
    report = graded(body(FORGERIES[name]), tmp_path, stages=(3, 7))
    assert statuses(report) == {3: "fail", 7: "pass"}


# Twice forked, in a session of its own, deaf to signals and without the grader's pipes.
DAEMON = """
    import os, signal, time
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 64)
                for s in (1, 2, 15):
                    signal.signal(s, signal.SIG_IGN)
                time.sleep(300)
            os._exit(0)
    except OSError: pass
    """


@pytest.mark.skipif(not LINUX, reason="looks into /proc")
@pytest.mark.parametrize("fence", LIMITS)
def test_no_process_is_left_behind(fence, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    report = graded(body(DAEMON), tmp_path, fence, (3,))
    assert report.stages[0].fence in LIMITS
    nothing_is_left(tmp_path)


@pytest.mark.skipif(not LINUX, reason="looks into /proc")
@pytest.mark.parametrize("fence", LIMITS)
def test_being_told_to_end_again_and_again_does_not_stop_the_cleaning(fence, tmp_path, monkeypatch):
    """The order to end may come while the child is ending by itself, and is cleaning up."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Child(LIMITS[fence]) as child:
        inmate = Inmate(child, body(DAEMON).encode(), LIMITS[fence])
        for call in challenges(3, 5):
            inmate.ask(call)
        assert len(list(_alive(f"HOME={tmp_path}".encode()))) > 3  # there is something to clean
        child.process.stdin.close()
        while child.process.poll() is None:
            child.process.terminate()
        assert child.process.returncode in (0, 128 + 9)  # the runner's end, not a traceback's
        nothing_is_left(tmp_path)


def nothing_is_left(folder):
    """Wait until no process is alive that was started with its home below the folder."""
    for _ in range(200):
        left = list(_alive(f"HOME={folder}".encode()))
        if not left:
            return
        time.sleep(0.05)
    raise AssertionError(f"{len(left)} processes are left")


def _alive(mark):
    """Live processes that were started with this in their environment."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read():
                    yield int(name)
        except OSError:
            continue


@pytest.mark.skipif(not LINUX, reason="what other systems allow differs")
def test_the_submission_cannot_reach_the_grader(tmp_path):
    """Killing the parent ends the submission's own process, not the grader."""
    report = graded(body("import os\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)"), tmp_path)
    assert statuses(report)[7] == "pass"


def test_nothing_is_left_in_the_folders(tmp_path, monkeypatch):
    """Files written by a submission go with its folder; beside rope.py nothing appears."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    code = "import os\nos.makedirs('deep/er', exist_ok=True)\nopen('deep/x', 'w').write('x')\n"
    code += "os.chmod('deep', 0)"
    for fence in LIMITS:
        (tmp_path / fence).mkdir()
        graded(body(code), tmp_path / fence, fence, (3,))
        assert os.listdir(tmp_path / fence) == ["rope.py"]
    assert os.listdir(temporary) == []
