"""The book's own Sphinx extension: one small module a job.

mathml        formulas are set at build time, not in the reader's browser
formula_font  as much of the formulas' font as the pages show
assets        everything a page needs is made here and served from beside the page
templates     the theme's own templates with a few small changes
explorers     an explorer's cell output becomes a live figure; names are unique in a page
lean          pages without the markup that shows nothing
cache         notebooks run again when the code they import has changed
bundle        one style sheet a page, and scripts that the first view does not wait for
unused        the style rules for what no page shows are left out
home          the book's address opens the start page
launch        buttons to Binder and Colab, once the repository's URL is set
strict        a failed build stays failed until it is mended
report        how long each chapter took
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

# Plain `jupyter-book build .` must work where lesson_utils is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "src"))

from . import (  # fmt: skip
    assets,
    bundle,
    cache,
    explorers,
    formula_font,
    home,
    launch,
    lean,
    mathml,
    report,
    strict,
    templates,
)

PARTS = (
    mathml, formula_font, assets, templates, explorers, lean, cache, bundle, home, launch, strict,
    report,
)  # fmt: skip


def setup(app: Sphinx) -> dict[str, Any]:
    for part in PARTS:
        part.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
