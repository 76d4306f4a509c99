"""The last resort: find and end what a child left behind when it could not clean up itself."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress


def sweep(process: subprocess.Popen[bytes], name: str, mark: str) -> None:
    """End the child's session, and on Linux every process that carries its mark."""
    if os.name == "nt":
        _end_tree_on_windows(process.pid)
        return
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    for _ in range(20):
        marked = _marked(f"{name}={mark}".encode())
        if not marked:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in marked:
                with suppress(OSError):
                    os.kill(pid, number)


def _marked(entry: bytes) -> list[int]:
    """Processes that were started with this environment variable, forks included."""
    found = []
    try:
        names = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for pid in names:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if entry in file.read().split(b"\0") and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            continue
    return found


def _end_tree_on_windows(pid: int) -> None:
    command = ["taskkill", "/PID", str(pid), "/T", "/F"]
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, timeout=10, check=False)
