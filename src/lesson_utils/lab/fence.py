"""The grader's side of the fence: one child process, asked line by line, and surely ended.

The child is a fresh Python that knows nothing of this package: it gets the texts of
``inside_fence.py`` and ``inside_run.py``, then the submission. Only lines of text come back,
bounded in length and number; nothing is imported or unpickled. A fence, not a sandbox: it stops
accidents and cheap tricks, not somebody who attacks Python or the kernel.
"""

from __future__ import annotations

import marshal
import os
import queue
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Optional

from .sweep import sweep

LONGEST_LINE = 1 << 19  # bytes; an honest answer needs less than a tenth of it
MOST_WAITING = 64  # lines that nobody asked for
MARK = "LAB_FENCE"  # an environment variable by which a child's descendants are known


@dataclass(frozen=True)
class Limits:
    """What a stage may use. Seconds are wall-clock; loading rope.py counts by itself."""

    stage: float = 4.0
    load: float = 4.0
    memory: int = 512 << 20
    namespaces: bool = True

    @property
    def processor(self) -> int:
        """Seconds of processor time for a process: loading, all eight stages, and a little more."""
        return int(8 * self.stage + self.load) + 2


class ChildLost(Exception):
    """No answer: the message says what happened, as the learner should read it."""


class Child:
    """A fenced process. Use as a context manager; leaving it ends every process it started."""

    running: ClassVar[set[Child]] = set()

    def __init__(self, limits: Limits, hidden: Sequence[str] = ()) -> None:
        self.limits = limits
        self.mark = secrets.token_hex(8)
        self.work = tempfile.mkdtemp(prefix="lab-")
        self.lines: queue.Queue[Optional[bytes]] = queue.Queue()
        self.trouble = ""
        self.fence = ""
        self._start()
        self._configure(hidden)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()

    # --- starting ----------------------------------------------------------------------------
    def _start(self) -> None:
        windows = os.name == "nt"
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-W", "ignore", "-c", _program()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=self.work,
            env=_environment(self.work, self.mark),
            start_new_session=not windows,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) if windows else 0,
        )
        Child.running.add(self)
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _configure(self, hidden: Sequence[str]) -> None:
        nonce = secrets.token_hex(8)
        config = {
            "nonce": nonce,
            "namespaces": self.limits.namespaces,
            "hidden": [f for f in hidden if Path(f) not in Path(self.work).parents],
            "work": self.work,
            "memory": self.limits.memory,
            "seconds": self.limits.processor,
        }
        try:
            self.send(repr(config))
            words = self.receive(time.monotonic() + 20).decode("ascii", "replace").split('"')
        except ChildLost:
            self.end()
            raise
        self.fence = words[3] if len(words) > 3 and words[1] == nonce else ""

    # --- talking -----------------------------------------------------------------------------
    def send(self, text: str) -> None:
        """Send one line."""
        data = memoryview(text.encode("utf-8", "backslashreplace") + b"\n")
        try:
            assert self.process.stdin is not None
            while data:
                data = data[self.process.stdin.write(data) or 0 :]
        except (OSError, ValueError):
            raise ChildLost(self._farewell()) from None

    def receive(self, deadline: float) -> bytes:
        """The next line from the child; ``ChildLost`` when there is none in time."""
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise ChildLost("") from None
        if line is None:
            raise ChildLost(self.trouble or self._farewell())
        return line

    def _listen(self) -> None:
        """Cut what the child writes into lines; stop listening when it writes too much."""
        assert self.process.stdout is not None
        fd, rest = self.process.stdout.fileno(), b""
        while not self.trouble:
            try:
                chunk = os.read(fd, 1 << 16)
            except OSError:
                break
            if not chunk:
                break
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self.lines.put(line)
            if len(rest) > LONGEST_LINE or self.lines.qsize() > MOST_WAITING:
                self.trouble = "wrote into the grader's channel"
        self.lines.put(None)

    def _farewell(self) -> str:
        """How the child ended, in words."""
        try:
            code = self.process.wait(3)
        except subprocess.TimeoutExpired:
            return "closed the grader's channel"
        code = 128 - code if code < 0 else code
        if code > 128:
            return _SIGNALS.get(code - 128, f"was ended by signal {code - 128}")
        return f"ended the process (exit code {code}) instead of returning"

    # --- ending ------------------------------------------------------------------------------
    def end(self) -> None:
        """End the child and all that descends from it; remove its folder."""
        process = self.process
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(2)
        if process.poll() is None or process.returncode < 0 or os.name == "nt":
            sweep(process, MARK, self.mark)
        if process.poll() is None:
            process.kill()
            process.wait()
        Child.running.discard(self)
        self.listener.join(2)
        if process.stdout is not None and not self.listener.is_alive():
            process.stdout.close()
        _remove(self.work)


_SIGNALS = {
    getattr(signal, name).value: words
    for name, words in {
        "SIGSEGV": "crashed the interpreter (SIGSEGV: endless recursion, most likely)",
        "SIGABRT": "crashed the interpreter (SIGABRT)",
        "SIGXCPU": "used up its processor time",
        "SIGKILL": "was killed (processor time or memory used up, or it killed itself)",
    }.items()
    if hasattr(signal, name)
}


@lru_cache(maxsize=1)
def _program() -> str:
    """The child's program: two modules in name spaces of their own, one handed to the other.

    They go as code that this very Python compiled, which saves each child the compiling.
    """
    here = Path(__file__).parent
    parts = [
        marshal.dumps(compile((here / name).read_text("utf-8"), "<fence>", "exec"))
        for name in ("inside_fence.py", "inside_run.py")
    ]
    return (
        "from marshal import loads\n"
        "a = {'__name__': 'fence'}; b = {'__name__': 'run'}\n"
        f"exec(loads({parts[0]!r}), a); exec(loads({parts[1]!r}), b)\n"
        "a, b = a['enter'], b['main']\nb(a)"
    )


def _environment(work: str, mark: str) -> dict[str, str]:
    kept = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env.update({"HOME": work, "TMPDIR": work, "TEMP": work, "TMP": work, MARK: mark})
    return env


def _remove(folder: str) -> None:
    """Delete a child's folder, with what a submission made undeletable in it as far as we may."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(folder):
        for root, folders, _ in os.walk(folder):
            for name in folders:
                with suppress(OSError):
                    os.chmod(os.path.join(root, name), 0o700)
        shutil.rmtree(folder, ignore_errors=True)
