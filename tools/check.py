"""Execute every chapter again and check what it states: `make check [CHAPTER=05]`.

Each notebook runs from its first cell in a fresh kernel; no cache is read and nothing is written. A
line of the table tells the seconds, the claims that held, and the warnings; below it stands every
sentence that would be false, with what it states and what was measured. Exit 1 on any.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

ROOT = Path(__file__).resolve().parent.parent
HELD = "✓ "
LIBRARIES = ("numpy", "torch", "matplotlib", "plotly", "anywidget", "ipywidgets", "ipykernel")

# Asked of the kernel after a ClaimError: the exception itself knows more than its printed message.
_ASK = """
__import__("sys").stdout.write(__import__("json").dumps(
    {key: value if key == "text" else repr(value)
     for key, value in vars(__import__("sys").last_value).items()}))
"""


@dataclass(frozen=True)
class FalseClaim:
    """A sentence of a chapter that would be false."""

    cell: str
    text: str
    stated: str
    measured: str


@dataclass
class Result:
    """What came of one chapter."""

    name: str
    seconds: float = 0.0
    claims: int = 0
    warnings: list[str] = field(default_factory=list)
    false: list[FalseClaim] = field(default_factory=list)
    error: str = ""

    @property
    def ok(self) -> bool:
        return not (self.warnings or self.false or self.error)

    @property
    def verdict(self) -> str:
        if self.error:
            return "stopped"
        if self.false:
            return f"{len(self.false)} false"
        return "warned" if self.warnings else "ok"


def execute(path: Path, src: Path | None = ROOT / "src", timeout: int = 600) -> Result:
    """Run one notebook to its end, past false claims, and report."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    result = Result(path.stem)
    begun = time.perf_counter()
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=[
            "--IPKernelApp.log_level=ERROR"
        ],  # its start-up notes are not the chapter's
    )
    try:
        with kernel_environment(src), client.setup_kernel():
            for index, cell in enumerate(list(notebook.cells)):
                _run_cell(client, cell, index, result)
                if result.error:
                    break
    except DeadKernelError:
        result.error = "The kernel died; out of memory is the usual reason."
    result.seconds = time.perf_counter() - begun
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            _read_stream(output, result)
    return result


@contextmanager
def kernel_environment(src: Path | None) -> Iterator[None]:
    """Kernels see the helpers in ``src`` first, and no settings of the person who runs this."""
    paths = [str(src or ""), os.environ.get("PYTHONPATH", "")]
    changed = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "IPYTHONDIR")}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(changed, IPYTHONDIR=folder)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _run_cell(client: NotebookClient, cell: Any, index: int, result: Result) -> None:
    name = cell.get("id", f"#{index}")
    try:
        client.execute_cell(cell, index)
    except CellTimeoutError:
        result.error = f"Cell {name!r} ran for more than {client.timeout} seconds."
    except CellExecutionError as error:
        if error.ename == "ClaimError":
            result.false.append(_false_claim(client, name, error))
        else:
            result.error = f"Cell {name!r} raised an error:\n{_readable(error)}"
            if result.false:
                result.error += (
                    "\n(It may follow from the false claim above, which ended its cell.)"
                )


def _false_claim(client: NotebookClient, cell: str, error: CellExecutionError) -> FalseClaim:
    """Ask the kernel what the claim was; make do with the message if it cannot tell."""
    question = nbformat.v4.new_code_cell(_ASK)  # type: ignore[no-untyped-call]
    patience, client.timeout = client.timeout, 30
    client.nb.cells.append(question)
    try:
        client.execute_cell(question, len(client.nb.cells) - 1, store_history=False)
        text = "".join(output.get("text", "") for output in question.outputs)
        told = json.loads(text)
        return claim_from(cell, error.evalue, told["text"], told["measured"])
    except (CellExecutionError, CellTimeoutError, ValueError, KeyError):
        return claim_from(cell, error.evalue)
    finally:
        client.nb.cells.pop()
        client.timeout = patience


# Greedy, because the sentence itself may hold brackets and the word "but".
_MESSAGE = re.compile(
    r"be false: (?P<text>.*) \((?P<stated>[^()]*)\), "
    r"but (?P<worst>\S+) was measured(?P<place> at index [\d(), ]+)?",
    re.DOTALL,
)


def claim_from(cell: str, message: str, text: str = "", measured: str = "") -> FalseClaim:
    """Put a false claim together from the exception's fields and its message.

    The fields hold the sentence and everything that was measured; the message says in words what
    was stated, with the tolerance or the bounds, and which entry of an array is off.
    """
    said = _MESSAGE.search(message)
    if said is None:
        return FalseClaim(cell, text or message, "?", measured or "?")
    stated = said["stated"].removeprefix("stated ")
    whole = " ".join(measured.split())
    detail = f" (all: {_short(whole)})" if re.search(r"[,\[]", whole) else ""
    return FalseClaim(
        cell, text or said["text"], stated, said["worst"] + (said["place"] or "") + detail
    )


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[:limit] + " …"


def _readable(error: CellExecutionError, lines: int = 12) -> str:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", error.traceback or "")
    tail = [line for line in plain.splitlines() if line.strip()][-lines:]
    last = f"{error.ename}: {error.evalue}".splitlines()[0]
    return "\n".join(tail if tail and last in tail[-1] else [*tail, last])


def _read_stream(output: Any, result: Result) -> None:
    if output.output_type != "stream":
        return
    if output.name == "stdout":
        result.claims += sum(line.startswith(HELD) for line in output.text.splitlines())
    else:
        warned = re.findall(r"(?m)^.*?(\w*Warning: .*)$", output.text)
        result.warnings += warned or [
            output.text.strip().splitlines()[-1] if output.text.strip() else ""
        ]


def chapters(folder: Path, wanted: str = "") -> list[Path]:
    """All notebooks, or those whose name starts with ``wanted``: 5, 05, 05-rotary, lab."""
    found = sorted(folder.glob("*.ipynb"))
    if not wanted:
        return found
    prefix = wanted.removesuffix(".ipynb")
    prefix = prefix.zfill(2) if prefix.isdigit() else prefix
    return [path for path in found if path.stem.startswith(prefix)]


def versions() -> str:
    """Which Python and libraries this run tells about."""
    known = [f"Python {'.'.join(map(str, sys.version_info[:3]))}"]
    for name in LIBRARIES:
        try:
            known.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            known.append(f"no {name}")
    return ", ".join(known)


def row(result: Result, width: int) -> str:
    columns = f"{result.seconds:8.1f} {result.claims:7d} {len(result.warnings):9d}"
    return f"{result.name:{width}} {columns}  {result.verdict}"


def details(result: Result) -> str:
    """What is wrong with a chapter, in full."""
    lines = []
    for claim in result.false:
        lines += [
            "",
            f"{result.name}, cell {claim.cell!r}: this sentence is false.",
            f"  sentence  {' '.join(claim.text.split())}",
            f"  stated    {claim.stated}",
            f"  measured  {claim.measured}",
        ]
    if result.error:
        lines += ["", f"{result.name}: " + result.error.replace("\n", "\n  ")]
    if result.warnings:
        lines += ["", f"{result.name} warns:", *(f"  {_short(text)}" for text in result.warnings)]
    return "\n".join(lines)


def kernel_problem() -> str:
    """Why no notebook can run here, or nothing."""
    try:
        command = KernelSpecManager().get_kernel_spec("python3").argv  # type: ignore[no-untyped-call]
    except NoSuchKernel:
        command = None
    if command and (command[0].startswith("python") or Path(command[0]).exists()):
        return ""
    return (
        f"There is no Jupyter kernel 'python3' for {sys.executable}.\n"
        "`make install` puts it back; elsewhere:  python -m pip install ipykernel"
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "chapter", nargs="?", default="", help="05, 05-rotary, lab-rope …; default: all"
    )
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "notebooks", help="where the notebooks are"
    )
    parser.add_argument("--timeout", type=int, default=600, help="seconds that one cell may take")
    parser.add_argument("--installed", action="store_true", help="use the installed lesson_utils")
    given = parser.parse_args(arguments)
    src = None if given.installed else ROOT / "src"
    paths = chapters(given.folder, given.chapter)
    if not paths:
        names = ", ".join(path.stem for path in chapters(given.folder)) or "none at all"
        print(
            f"No chapter {given.chapter!r} in {given.folder}; there are: {names}.", file=sys.stderr
        )
        return 2
    if problem := kernel_problem():
        print(problem, file=sys.stderr)
        return 2
    width = max(len(path.stem) for path in paths)
    print(versions())
    print(f"\n{'chapter':{width}} {'seconds':>8} {'claims':>7} {'warnings':>9}", flush=True)
    results = []
    for path in paths:
        results.append(execute(path, src, given.timeout))
        print(row(results[-1], width), flush=True)
    total = Result("all", sum(r.seconds for r in results), sum(r.claims for r in results))
    bad = [result for result in results if not result.ok]
    for result in bad:
        print(details(result))
    print(
        f"\n{len(results) - len(bad)} of {len(results)} chapters hold; {total.claims} claims, ",
        end="",
    )
    print(f"{total.seconds:.0f} seconds.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
