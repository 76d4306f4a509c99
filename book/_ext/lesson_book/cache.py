"""Execute again what has changed, and only that.

The execution cache compares notebook cells alone, so an edit in ``src/lesson_utils`` would publish
yesterday's numbers. Its folder is therefore named after everything else a chapter depends on.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from .assets import ROOT

SRC = ROOT / "src"


def setup(app: Sphinx) -> None:
    # The kernels inherit this; so the book builds whether or not lesson_utils is installed.
    paths = [str(SRC), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(p for p in paths if p))
    # Not builder-inited: Sphinx must see the new value to re-read every page.
    app.connect("config-inited", _name_cache)


def fingerprint(root: Path = ROOT) -> str:
    """Hash of the helper code, the requirements and the Python that runs them."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    helpers = sorted(p for p in (root / "src" / "lesson_utils").rglob("*") if p.is_file())
    for path in [*helpers, *sorted(root.glob("requirements*.txt"))]:
        if "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _name_cache(app: Sphinx, config: Config) -> None:
    caches = Path(app.outdir).parent / ".jupyter_cache"
    config.nb_execution_cache_path = str(caches / fingerprint(Path(app.srcdir)))
