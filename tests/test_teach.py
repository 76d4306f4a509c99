"""The instructor pages say what is there: sections, minutes, commands, messages and files."""

import re
from pathlib import Path

import pytest

from support.notebooks import NOTEBOOKS, ROOT, read, sources

PAGES = sorted((ROOT / "book" / "teach").glob("*.md"))
PLAN = (ROOT / "book" / "teach" / "plan.md").read_text("utf-8")
PARTS = re.split(r"(?m)^## ", PLAN)[1:]
TABLES = {
    found[1]: part for part in PARTS if (found := re.search(r"notebooks/([\w-]+)\.ipynb\)", part))
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_plan_has_minutes_for_every_section(path: Path) -> None:
    text = "\n".join(part for _, part in sources(read(path), "markdown"))
    plain = re.sub(r"(?ms)^```.*?^```", "", text)
    rows = re.findall(r"(?m)^\| (.+?) \| (\d+) \|", TABLES[path.stem])
    assert [section for section, _ in rows] == re.findall(r"(?m)^## (.+)$", plain)
    total, *_ = re.findall(r"(\d+) minutes", TABLES[path.stem])
    assert sum(int(minutes) for _, minutes in rows) == int(total)


def test_the_courses_fit_into_their_lessons() -> None:
    rows = {name: re.findall(r"(?m)^\| (.+?) \| (\d+) \|", part) for name, part in TABLES.items()}
    everything = sum(int(minutes) for part in rows.values() for _, minutes in part)
    left_out = {"Exercises", "Louder content", "Two layouts, and two encodings"}
    chapters = [row for name, part in rows.items() if name[0] == "0" for row in part]
    without = sum(int(minutes) for section, minutes in chapters if section not in left_out)
    assert f"{everything} minutes with the lab" in PLAN
    assert f"the five chapters, {without} minutes" in PLAN
    assert everything <= 9 * 90
    assert without <= 6 * 90


def span(part: str, last: str) -> int:
    """Minutes of a chapter up to a section, which counts too."""
    rows = re.findall(r"(?m)^\| (.+?) \| (\d+) \|", part)
    until = [section for section, _ in rows].index(last)
    return sum(int(minutes) for _, minutes in rows[: until + 1])


def test_the_three_lessons_name_sections_and_add_their_minutes() -> None:
    by_chapter = {int(name[:2]): part for name, part in TABLES.items() if name[0] == "0"}
    table = PLAN.split("### The three double lessons")[1].split("\n## ")[0]
    lessons = re.findall(r"(?m)^\| (\d) \| (.+) \| (\d+) \|$", table)
    assert [number for number, *_ in lessons] == ["1", "2", "3"]
    for _, sections, minutes in lessons:
        total, chapter = 0, 0
        for digit, until, name in re.findall(r"chapter (\d)|(up to )?\*(.+?)\*", sections):
            chapter = int(digit) if digit else chapter
            if until:
                total += span(by_chapter[chapter], name)
            elif name:
                (alone,) = re.findall(
                    rf"(?m)^\| {re.escape(name)} \| (\d+) \|", by_chapter[chapter]
                )
                total += int(alone)
        assert total == int(minutes) <= 90, sections
    stated = ", ".join(m for *_, m in lessons[:2]) + f" and {lessons[2][2]} minutes"
    assert stated in PLAN


def test_chapters_are_called_by_their_own_titles() -> None:
    """In the plan, on the start page and in the README, as in their notebooks."""
    intro = (ROOT / "book" / "intro.md").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    for path in NOTEBOOKS:
        if path.stem[0] != "0":
            continue
        number, text = int(path.stem[:2]), "\n".join(s for _, s in sources(read(path), "markdown"))
        title = re.findall(r"(?m)^# (.+)$", text)[0]
        assert f"\n## Chapter {number}. {title}\n" in PLAN
        assert f"\n| {number}. [{title}](../notebooks/{path.name})" in intro
        assert f"\n| {number}. {title} | [{path.stem}]" in readme


def test_the_workflows_table_lists_its_commands() -> None:
    workflow = (ROOT / ".github" / "workflows" / "book.yml").read_text("utf-8")
    page = (ROOT / "book" / "teach" / "execute.md").read_text("utf-8")
    table = page.split("## In your fork's workflow")[1]
    runs = set(re.findall(r"(?m)run: (make .+)$", workflow))
    assert {f"make {rest}" for rest in re.findall(r"`make ([^`]+)`", table)} == runs


def test_the_plan_names_explorers_that_are_there() -> None:
    there = {
        p.stem.replace("_", "-") for p in (ROOT / "src/lesson_utils/explorers").glob("[a-z]*.py")
    }
    named = set(re.findall(r"`([a-z]+-[a-z-]+|turns|heads|pitfalls)`", PLAN))
    assert named
    assert named <= there


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_commands_files_and_variables_are_there(path: Path) -> None:
    text = path.read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?:`|^|\$ |: )make ([a-z-]+)", text, re.M):
        assert re.search(rf"(?m)^{target}:", makefile), f"no target {target}"
    for name in re.findall(r"\b([A-Z]+)=", "".join(re.findall(r"make [a-z -]*[A-Z].*", text))):
        assert re.search(rf"\b{name}\b", makefile), f"no variable {name}"
    files = re.findall(
        r"`((?:src|book|tests|tools|binder|\.github)/[\w./-]*|[\w-]+\.(?:txt|toml))`", text
    )
    for file in files:
        assert (ROOT / file).exists() or file.startswith("_build"), f"no {file}"


def test_messages_of_the_troubleshooting_page_are_said_somewhere() -> None:
    page = (ROOT / "book" / "teach" / "troubleshooting.md").read_text("utf-8")
    table = page.split("## Messages of")[1].split("\n## ")[0]
    messages = re.findall(r"(?m)^\| `(.+?)` \|", table)
    code = [*(ROOT / "tools").glob("*.py"), *(ROOT / "book/_ext").rglob("*.py")]
    code += [*(ROOT / "src").rglob("claims.py")]
    said = " ".join(p.read_text("utf-8") for p in code)
    said += " This book needs Python 3.11 to 3.13"  # put together from the two ends
    assert len(messages) > 6
    assert [m for m in messages if m not in said] == []


def test_the_explorer_in_the_changing_page_runs() -> None:
    page = (ROOT / "book" / "teach" / "change.md").read_text("utf-8")
    (code,) = (
        block for block in re.findall(r"(?s)```python\n(.*?)```", page) if "explore(" in block
    )
    before, last = code.split("\nexplore(")
    scope: dict = {}
    exec(before + "\nmade = explore(" + last, scope)
    assert scope["made"].nbytes < 20_000
    scope["made"].values = {"speed": 3}
    assert scope["made"].frame.readouts == {"turns": 3}


def test_every_page_is_described_and_listed() -> None:
    index = (ROOT / "book" / "teach" / "index.md").read_text("utf-8")
    for path in PAGES:
        found = re.search(r'description: "(.+)"', path.read_text("utf-8"))
        assert found
        assert 80 <= len(found[1]) <= 160, path.name
        assert path.stem == "index" or f"({path.name})" in index
