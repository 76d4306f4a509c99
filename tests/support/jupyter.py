"""Real Jupyter servers for the tests, and one way to talk to the kernel behind a page.

    with serve(LAB, folder) as url:
        page.goto(f"{url}/lab/tree/test.ipynb?reset")
        run(page, "print(explorer.values)")     # → what the kernel printed

The servers listen on this machine alone, keep everything they write in ``folder`` and need no
network.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = [
    "BIG", "BOOK", "CLASSIC", "EXPLORERS", "LAB", "ROOT", "big_frames", "charts", "held", "run",
    "serve", "values", "write_notebook",
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[2]
BIG = 1_000_000  # bytes; of all messages only plotly.js is larger

LAB = [
    "jupyterlab", "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly",
    "--ServerApp.port={port}", "--ServerApp.root_dir={folder}", "--IdentityProvider.token=",
    "--ServerApp.password=", "--ServerApp.disable_check_xsrf=True",
]  # fmt: skip
CLASSIC = [
    "notebook", "--NotebookApp.port={port}", "--NotebookApp.notebook_dir={folder}",
    "--NotebookApp.token=", "--NotebookApp.password=",
]  # fmt: skip


# What the kernel tests show: two explorers that note what their views ask for.
EXPLORERS = [
    """from lesson_utils.explorers import score_drift
explorer = score_drift.build()
asked, seen = [], []
explorer.on_msg(lambda _, content, buffers: asked.append(content))
explorer.observe(lambda change: seen.append((change.old, change.new)), "values")
explorer""",
    """from lesson_utils.explorers import turns
second = turns.build()
second.on_msg(lambda _, content, buffers: asked.append(content))
second""",
]
# The additive and the rotary score that the book states for gap 2.
BOOK = {3: ("26.82", "-12.638"), 10: ("25.09", "-12.638"), 4000: ("10.15", "-12.638")}


def write_notebook(path: Path, cells: list[str]) -> None:
    """Write a notebook of code cells."""
    import nbformat

    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells],
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
        },
    )
    nbformat.write(notebook, path)


@contextmanager
def serve(
    module: list[str], folder: Path, python: str = sys.executable, patience: float = 60
) -> Iterator[str]:
    """Start a Jupyter server on a free port; yields its address, and ends it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = folder / ".jupyter"
    (home / "labconfig").mkdir(parents=True, exist_ok=True)
    # The one extension that would ask for news.
    quiet = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (home / "labconfig" / "page_config.json").write_text(json.dumps(quiet))
    places = {
        name: str(home)
        for name in (
            "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR",
            "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR",
        )
    }  # fmt: skip
    environment = {**os.environ, **places, "PYTHONPATH": str(ROOT / "src")}
    command = [part.format(port=port, folder=folder) for part in module]
    log = folder / ".server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            [python, "-m", *command, "--no-browser", "--allow-root"],
            env=environment, cwd=folder, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(address, server, log, patience)
        yield address
    finally:
        server.terminate()  # it ends its kernels first
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(20)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path, patience: float) -> None:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if server.poll() is not None:
            raise RuntimeError(f"the Jupyter server ended:\n{log.read_text()[-2000:]}")
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{address}/api")
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the Jupyter server did not answer:\n{log.read_text()[-2000:]}")


_RUN = """async ([code, end]) => {
  let out = "", finish;
  // Replies and outputs come on two channels in any order: what the code prints last ends it.
  const done = new Promise((resolve) => (finish = resolve));
  const hear = ({ header, content }) => {
    if (header.msg_type === "stream") out += content.text;
    if (header.msg_type === "error") out += `${content.ename}: ${content.evalue}${end}`;
    if (out.endsWith(end)) finish(out.slice(0, -end.length));
  };
  code += `\\nprint(${JSON.stringify(end)}, end="", flush=True)`;
  // Where code raises on purpose, what was asked next must not be thrown away unanswered.
  const options = { code, silent: false, store_history: false, stop_on_error: false };
  if (globalThis.jupyterapp) {
    const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    kernel.requestExecute(options).onIOPub = hear;
  } else {
    Jupyter.notebook.kernel.execute(code, { iopub: { output: hear } }, options);
  }
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), 60000));
  return Promise.race([done, late]);
}"""


def run(page: Any, code: str) -> str:
    """Execute code in the page's kernel, beside its cells; returns what it printed."""
    return page.evaluate(_RUN, [code, "\u0004"])


def values(page: Any, name: str = "explorer") -> dict[str, Any]:
    """The explorer's values as the kernel holds them now."""
    return dict(json.loads(run(page, f"import json; print(json.dumps({name}.values))")))


def held(page: Any, name: str = "explorer", **wanted: Any) -> dict[str, Any]:
    """The kernel's values once they are the ones wanted, or what they are when patience ends.

    A move in the page reaches the kernel a moment later. Use: ``assert held(page, a=3)["b"] == 2``.
    """
    for _ in range(100):
        found = values(page, name)
        if found.items() >= wanted.items():
            break
        page.wait_for_timeout(100)
    return found


def big_frames(page: Any) -> list[int]:
    """A list that fills with the size of every message above ``BIG`` bytes that the page gets."""
    sizes: list[int] = []

    def listen(ws: Any) -> None:
        ws.on("framereceived", lambda data: len(data) > BIG and sizes.append(len(data)))

    page.on("websocket", listen)
    return sizes


def charts(page, count):
    """Wait until that many charts are drawn."""
    page.wait_for_function(
        "n => document.querySelectorAll('.explorer-chart .plot-container').length === n",
        arg=count,
        timeout=90_000,
    )
