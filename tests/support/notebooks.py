"""Find and read the stored notebooks; a checkout that has only some of them is fine."""

from pathlib import Path

import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """Read a notebook as it is stored, without converting it to another version."""
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def sources(notebook: NotebookNode, cell_type: str) -> list[tuple[str, str]]:
    """The id and text of every cell of one type."""
    return [
        (cell.get("id", f"#{index}"), cell.source)
        for index, cell in enumerate(notebook.cells)
        if cell.cell_type == cell_type
    ]
