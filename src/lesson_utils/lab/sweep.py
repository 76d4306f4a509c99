"""The last resort: find and end what a child left behind when it could not clean up itself."""

from __future__ import annotations

import os
import signal
import subprocess


def sweep(process: subprocess.Popen[bytes], name: str, mark: str) -> None:
    """End the child's session, and on Linux every process that carries its mark."""
    if os.name == "nt":
        _end_tree_on_windows(process.pid)
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    for _ in range(20):
        marked = _marked(f"{name}={mark}".encode())
        if not marked:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in marked:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass


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
    try:
        quiet = subprocess.DEVNULL
        subprocess.run(command, stdout=quiet, stderr=quiet, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        pass
