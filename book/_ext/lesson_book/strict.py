"""A failed build stays failed until it is mended.

Sphinx forgets: a second run does not read the failing page again and exits 0. So after any warning
the record of what was read is deleted, and every page must exist in the end.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    app.connect("build-finished", _check)


def missing_pages(app: Sphinx) -> list[str]:
    """Pages of the table of contents that were not written."""
    wanted = sorted(app.env.found_docs)
    return [d for d in wanted if not Path(app.builder.get_outfilename(d)).exists()]  # type: ignore[attr-defined]


def _check(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        for docname in missing_pages(app):
            logger.warning("the table of contents lists %s, but no page was written", docname)
    if exception is not None or app._warncount:
        (Path(app.doctreedir) / "environment.pickle").unlink(missing_ok=True)
