"""The rules that a stored notebook keeps; each is a function from a notebook to its problems."""

import re

import nbformat
from nbformat import NotebookNode

from support.notebooks import sources

OPENING = ["Where we are", "What you will be able to do", "The question"]
CLOSING = ["Exercises", "What we learnt", "The flaw that leads on"]
HIDDEN = {"solution", "hide-input", "hide-output"}
MYST = {
    "a directive or raw block": r"^\s*(?:```+|~~~+|:::+)\s*\{",
    "a colon fence": r"^\s*:::+",
    "a role": r"\{[a-zA-Z][\w:.+-]*\}`",
    "a target": r"^\([\w:.-]+\)=\s*$",
    "a substitution": r"\{\{\s*\w+\s*\}\}",
    "a block break": r"^\+\+\+",
}


def format_problems(notebook: NotebookNode) -> list[str]:
    """Valid nbformat 4.5, kernelspec python3, no outputs and no execution counts."""
    problems = []
    if (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        problems.append(f"nbformat is {notebook.nbformat}.{notebook.nbformat_minor}, not 4.5")
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        problems.append(f"not valid: {error.message}")
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        problems.append("kernelspec is not python3")
    if "widgets" in notebook.metadata:
        problems.append("widget state is stored")
    for cell in notebook.cells:
        if cell.get("outputs") or cell.get("execution_count") is not None:
            problems.append(f"cell {cell.get('id')} stores an output or an execution count")
    return problems


def id_problems(notebook: NotebookNode) -> list[str]:
    """Cell ids are unique lower-case words."""
    ids = [cell.get("id", "") for cell in notebook.cells]
    bad = [f"id {name!r} is not of a-z, 0-9 and -" for name in ids if not _is_word(name)]
    return bad + [f"id {name!r} is used twice" for name in sorted({*ids}) if ids.count(name) > 1]


def markup_problems(notebook: NotebookNode) -> list[str]:
    """Portable markdown: no MyST, no formula in a heading, blank lines around <details> content."""
    problems = []
    for cell, text in sources(notebook, "markdown"):
        for name, pattern in MYST.items():
            if re.search(pattern, text, re.MULTILINE):
                problems.append(f"{cell}: {name} of MyST shows as raw text elsewhere")
        for heading in _headings(text):
            if "$" in heading or r"\(" in heading:
                problems.append(f"{cell}: formula in the heading {heading!r}")
        if re.search(r"</summary>(?!\s*\n\s*\n)|[^\n]\n?</details>", text):
            problems.append(f"{cell}: <details> needs blank lines around its content")
        if text.count("<details") != text.count("</details>"):
            problems.append(f"{cell}: <details> is not closed")
    return problems


def paragraph_problems(notebook: NotebookNode, limit: int = 120) -> list[str]:
    """Paragraphs and list items of at most 120 words."""
    return [
        f"{cell}: {len(block.split())} words in the paragraph {block[:40]!r}"
        for cell, text in sources(notebook, "markdown")
        for block in _paragraphs(text)
        if len(block.split()) > limit
    ]


def opening_problems(notebook: NotebookNode) -> list[str]:
    """A description for search engines, one title, and the line that says how long it takes."""
    problems = []
    html_meta = notebook.metadata.get("myst", {}).get("html_meta", {})
    description = html_meta.get("description", "")
    if not 80 <= len(description) <= 160:
        problems.append(f"the description has {len(description)} characters, not 80 to 160")
    titles = [h for _, text in sources(notebook, "markdown") for h in _headings(text, level=1)]
    first = notebook.cells[1].source if len(notebook.cells) > 1 else ""
    if len(titles) != 1 or not first.startswith("# "):
        problems.append(f"cell 1 should hold the one title, found {titles}")
    if not re.search(
        r"^\*About \d+ minutes to read; runs in about \d+ seconds?\.\*$", first, re.MULTILINE
    ):
        problems.append("cell 1 does not say how long the chapter takes")
    return problems


def section_problems(notebook: NotebookNode) -> list[str]:
    """Every chapter opens and closes with the same sections."""
    found = [h for _, text in sources(notebook, "markdown") for h in _headings(text, level=2)]
    if found[:3] == OPENING and found[-3:] == CLOSING and len(found) > 6:
        return []
    return [f"sections should be {OPENING}, the body, {CLOSING}; found {found}"]


def exercise_problems(notebook: NotebookNode) -> list[str]:
    """Four or more exercises counted from 1, with hidden solutions; the last is discussed."""
    problems = _hidden_problems(notebook)
    exercises = _exercises(notebook)
    numbers = [number for number, _ in exercises]
    if numbers != list(range(1, len(numbers) + 1)) or len(numbers) < 4:
        problems.append(f"exercises should count from 1 to 4 or more, found {numbers}")
    for number, cells in exercises:
        last = number == len(exercises)
        discussed = any("<details" in cell.source for cell in cells if cell.cell_type != "code")
        solved = any("solution" in cell.metadata.get("tags", []) for cell in cells)
        if not (discussed if last else solved):
            problems.append(f"exercise {number} has no {'discussion' if last else 'solution cell'}")
    return problems


def _exercises(notebook: NotebookNode) -> list[tuple[int, list[NotebookNode]]]:
    """The number of each exercise and its cells, up to the next exercise or section."""
    parts: list[tuple[int, list[NotebookNode]]] = [(0, [])]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = re.search(r"^### Exercise (\d+)", cell.source, re.MULTILINE)
            if heading or _headings(cell.source, level=2):
                parts.append((int(heading[1]) if heading else 0, []))
        parts[-1][1].append(cell)
    return [(number, cells) for number, cells in parts if number]


def _hidden_problems(notebook: NotebookNode) -> list[str]:
    problems = []
    for cell in notebook.cells:
        tags = set(cell.metadata.get("tags", []))
        if "solution" in tags or "solution" in cell.get("id", "").split("-"):
            flags = cell.metadata.get("jupyter", {})
            hidden = flags.get("source_hidden") and flags.get("outputs_hidden")
            if cell.cell_type != "code" or not tags >= HIDDEN or not hidden:
                problems.append(f"solution {cell.get('id')} is not a hidden code cell")
    return problems


def _is_word(name: str) -> bool:
    return re.fullmatch(r"[a-z0-9-]+", name) is not None


def _headings(text: str, level: int | None = None) -> list[str]:
    marks = "#{1,6}" if level is None else "#" * level
    plain = re.sub(r"^(```+|~~~+).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(rf"^{marks} (.+?)\s*$", plain, re.MULTILINE)


def _paragraphs(text: str) -> list[str]:
    """Blocks of prose: list items apart, a formula as one word, without tables and code."""
    text = re.sub(r"^(```+|~~~+).*?^\1", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$", "formula", text, flags=re.DOTALL)
    text = re.sub(r"^\s*(?:\|.*|#{1,6} .*)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"</?[a-zA-Z][^>]*>", " ", text)
    return [block for block in re.split(r"\n\s*\n|\n\s*(?:[-*+]|\d+[.)])\s", text) if block.strip()]
