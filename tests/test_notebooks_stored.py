"""Stored notebooks keep the rules that readers, Colab and the builder rely on."""

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
from nbformat import NotebookNode, v4

from support import stored
from support.notebooks import NOTEBOOKS, read

Rule = Callable[[NotebookNode], list[str]]

EVERYWHERE: list[Rule] = [
    stored.format_problems,
    stored.id_problems,
    stored.markup_problems,
    stored.paragraph_problems,
    stored.opening_problems,
]
# The lab goes by its stages instead of sections and exercises.
CHAPTERS_ONLY: list[Rule] = [stored.section_problems, stored.exercise_problems]


CASES = [
    pytest.param(path, rule, id=f"{path.stem}-{rule.__name__}")
    for path in NOTEBOOKS
    for rule in EVERYWHERE + ([] if path.stem.startswith("lab-") else CHAPTERS_ONLY)
]


@pytest.mark.parametrize(("path", "rule"), CASES)
def test_rule_is_kept(path: Path, rule: Rule) -> None:
    assert rule(read(path)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_first_cell_is_the_same_everywhere(path: Path) -> None:
    assert read(path).cells[0] == read(NOTEBOOKS[0]).cells[0]


@pytest.mark.parametrize("path", NOTEBOOKS[:1], ids=lambda path: path.stem)
def test_first_cell_is_hidden_and_fetches_only_in_colab(path: Path) -> None:
    cell = read(path).cells[0]
    assert cell.cell_type == "code"
    assert cell.id == "setup"
    assert cell.metadata == {"tags": ["remove-cell"]}
    assert 'if "google.colab" in sys.modules' in cell.source


def good_notebook() -> NotebookNode:
    """The smallest chapter that keeps every rule."""
    sections = "\n\ntext\n\n## ".join([*stored.OPENING, "Body", *stored.CLOSING[:1]])
    title = "# Title\n\nA sentence.\n\n*About 20 minutes to read; runs in about 5 seconds.*"
    cells = [
        v4.new_code_cell("1", id="setup", metadata={"tags": ["remove-cell"]}),
        v4.new_markdown_cell(title, id="title"),
        v4.new_markdown_cell(f"## {sections}", id="sections"),
    ]
    for n in range(1, 5):
        hidden = {"source_hidden": True, "outputs_hidden": True}
        metadata = {"tags": sorted(stored.HIDDEN), "jupyter": hidden}
        cells += [
            v4.new_markdown_cell(f"### Exercise {n}: more", id=f"exercise-{n}"),
            v4.new_code_cell("1", id=f"solution-{n}", metadata=metadata),
        ]
    discussion = "<details><summary>Discussion</summary>\n\nIt depends.\n\n</details>"
    closing = "## What we learnt\n\n- much\n\n## The flaw that leads on\n\ntext"
    cells += [
        v4.new_markdown_cell(discussion, id="discussion"),
        v4.new_markdown_cell(closing, id="closing"),
    ]
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "myst": {"html_meta": {"description": "d" * 100}},
    }
    notebook = v4.new_notebook(cells=cells, metadata=metadata)
    notebook.nbformat_minor = 5
    return notebook


@pytest.mark.parametrize("rule", EVERYWHERE + CHAPTERS_ONLY, ids=lambda rule: rule.__name__)
def test_a_good_notebook_passes(rule: Rule) -> None:
    assert rule(good_notebook()) == []


def add(text: str) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells[2].source += "\n\n" + text

    return spoil


def put(index: int, **fields: object) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells[index].update(fields)

    return spoil


def drop(index: int) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        del notebook.cells[index]

    return spoil


def describe(length: int) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.metadata["myst"]["html_meta"]["description"] = "d" * length

    return spoil


@pytest.mark.parametrize(
    ("rule", "spoil", "message"),
    [
        (stored.format_problems, lambda nb: nb.update(nbformat_minor=4), "not 4.5"),
        (stored.format_problems, put(0, outputs=[v4.new_output("stream", text="1")]), "output"),
        (stored.format_problems, put(0, execution_count=3), "execution count"),
        (stored.format_problems, lambda nb: nb.metadata.pop("kernelspec"), "kernelspec"),
        (stored.format_problems, lambda nb: nb.metadata.update(widgets={}), "widget state"),
        (stored.format_problems, lambda nb: nb.cells[0].pop("metadata"), "not valid"),
        (stored.id_problems, put(3, id="Exercise_1"), "is not of a-z"),
        (stored.id_problems, put(3, id="title"), "used twice"),
        (stored.markup_problems, add("```{note}\nHello\n```"), "directive"),
        (stored.markup_problems, add("::: note\n:::"), "colon fence"),
        (stored.markup_problems, add("see {ref}`there`"), "a role"),
        (stored.markup_problems, add("(my-target)="), "a target"),
        (stored.markup_problems, add("{{ name }}"), "substitution"),
        (stored.markup_problems, add("+++"), "block break"),
        (stored.markup_problems, add("### About $x$"), "formula in the heading"),
        (stored.markup_problems, add("<details><summary>A</summary>\nb\n\n</details>"), "blank"),
        (stored.markup_problems, add("<details><summary>A</summary>\n\nb\n</details>"), "blank"),
        (stored.markup_problems, add("<details>"), "not closed"),
        (stored.paragraph_problems, add("word " * 121), "121 words"),
        (stored.paragraph_problems, add("- short\n- " + "word " * 121), "121 words"),
        (stored.opening_problems, describe(79), "79 characters"),
        (stored.opening_problems, describe(161), "161 characters"),
        (stored.opening_problems, add("# Another title"), "one title"),
        (stored.opening_problems, put(1, source="# Title"), "how long"),
        (stored.section_problems, drop(2), "sections should be"),
        (stored.section_problems, add("## One more"), "sections should be"),
        (stored.exercise_problems, drop(3), "count from 1"),
        (stored.exercise_problems, drop(4), "exercise 1 has no solution"),
        (stored.exercise_problems, drop(-2), "exercise 4 has no discussion"),
        (stored.exercise_problems, put(4, metadata={"tags": ["solution"]}), "not a hidden"),
        (stored.exercise_problems, put(4, metadata={}), "not a hidden"),
    ],
)
def test_each_rule_can_fail(rule: Rule, spoil: Callable[[NotebookNode], None], message: str):
    notebook = copy.deepcopy(good_notebook())
    spoil(notebook)
    assert any(message in problem for problem in rule(notebook)), rule(notebook)


def test_tables_formulas_and_code_are_no_paragraphs() -> None:
    notebook = good_notebook()
    words = "word " * 130
    add(f"| {words} |\n|---|\n\n```\n{words}\n```\n\n$$\n{words}\n$$\n\n$ {words}$")(notebook)
    assert stored.paragraph_problems(notebook) == []
