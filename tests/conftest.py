"""Fixtures that several folders of tests share."""

from __future__ import annotations

import fcntl
import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def built_book() -> Path:
    """The folder of the built pages, brought up to date first (nothing happens when they are)."""
    output = ROOT / "_build"
    output.mkdir(exist_ok=True)
    with (output / ".lock").open("w") as lock:  # two test processes must not build at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        build = subprocess.run(
            [sys.executable, str(ROOT / "tools" / "book.py")],
            capture_output=True, text=True, cwd=ROOT, check=False,
        )  # fmt: skip
    assert build.returncode == 0, build.stdout[-4000:] + build.stderr[-4000:]
    return output / "html"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def served(built_book: Path) -> Iterator[str]:
    """The address of a server of the built pages."""
    handler = functools.partial(_Quiet, directory=str(built_book))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()
