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
EXECUTED_WITH = ("src/lesson_utils/**/*", "requirements.txt")
WRITTEN_WITH = ("book/_ext/**/*", "book/_static/*")


def setup(app: Sphinx) -> None:
    # The kernels inherit this; so the book builds whether or not lesson_utils is installed.
    paths = [str(SRC), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(p for p in paths if p))
    # A page is written again when the code that writes pages has changed.
    app.add_config_value("lesson_pages_made_by", "", "html")
    # Not builder-inited: Sphinx must see the new value to re-read every page.
    app.connect("config-inited", _name_cache)


def fingerprint(root: Path, *patterns: str) -> str:
    """Hash of the files under ``root`` that match, and of the Python that runs them."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for path in sorted(p for pattern in patterns for p in root.glob(pattern) if p.is_file()):
        if "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _name_cache(app: Sphinx, config: Config) -> None:
    caches = Path(app.outdir).parent / ".jupyter_cache"
    root = Path(app.srcdir)
    config.nb_execution_cache_path = str(caches / fingerprint(root, *EXECUTED_WITH))
    config.lesson_pages_made_by = fingerprint(root, *WRITTEN_WITH)
