"""Say how long each chapter took, on screen and in ``_build/execution.json``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from jupyter_cache import get_cache
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> None:
    # The record that the execution cache keeps of a notebook says when it really ran.
    started = datetime.now(UTC).replace(tzinfo=None)
    app.connect("build-finished", lambda app, exception: _report(app, exception, started))


def _executed_since(app: Sphinx, started: datetime) -> set[str]:
    folder = app.config.nb_execution_cache_path
    if not Path(folder).is_dir():
        return set()
    records = get_cache(folder).list_cache_records()
    return {str(Path(r.uri).resolve()) for r in records if r.created >= started}


def _report(app: Sphinx, exception: Exception | None, started: datetime) -> None:
    if exception is not None or app.env is None:
        return
    ran = _executed_since(app, started)
    chapters = {}
    for docname in sorted(app.env.found_docs):
        data = NbMetadataCollector.get_exec_data(app.env, docname)
        if data and data.get("runtime") is not None:
            chapters[docname] = {
                "seconds": round(data["runtime"], 2),
                "executed_now": str(Path(app.env.doc2path(docname)).resolve()) in ran,
            }
    path = Path(app.outdir).parent / "execution.json"
    path.write_text(json.dumps(chapters, indent=1) + "\n")
    for docname, chapter in chapters.items():
        source = "" if chapter["executed_now"] else "  (from the cache)"
        logger.info("%8.1f s  %s%s", chapter["seconds"], docname, source)
