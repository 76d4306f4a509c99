"""Open the chapters in JupyterLab: `make lab`. Needs no network.

Further arguments go to JupyterLab:  make lab LAB="--no-browser --port 9000"
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command(extra: list[str]) -> list[str]:
    """JupyterLab on notebooks/, without what it would ask the network for by itself."""
    return [
        sys.executable, "-m", "jupyterlab",
        f"--ServerApp.root_dir={ROOT / 'notebooks'}",
        "--LabApp.news_url=None",  # no news feed
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",  # no list of extensions from a registry
        *extra,
    ]  # fmt: skip


def environment() -> dict[str, str]:
    """The kernels find the helpers of this checkout, so that an edit in src/ counts at once."""
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [-h] [OPTION OF JUPYTERLAB ...]",
        allow_abbrev=False,  # everything but --help is for JupyterLab
    )
    _, extra = parser.parse_known_args(arguments)
    line = command(extra)
    os.execve(line[0], line, environment())


if __name__ == "__main__":
    main()
