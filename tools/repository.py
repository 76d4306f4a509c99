"""Say where this copy of the book lives: `make repository URL=… [BRANCH=…]`.

The URL and the branch stand in ``_config.yml``. The first cell of each notebook repeats them,
because Colab opens a notebook alone; this rewrites both, and nothing else. Standard library only,
so that it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "https://github.com/YOU/YOUR-FORK"

# What GitHub allows in the names of an owner and of a repository.
_URL = re.compile(
    r"https://github\.com/((?!-)(?!.*--)[A-Za-z0-9-]{1,39}(?<!-))/((?!\.{1,2}$)[\w.-]{1,100})",
    re.ASCII,
)
_BRANCH = re.compile(r"[A-Za-z0-9_][\w.-]*", re.ASCII)
_SECTION = re.compile(r"(?m)^repository:.*\n(?:[ #].*\n|\n)*")
_SOURCE = re.compile(r'git\+(https://[^\s"@\\]+)@([^\s"\\]+)')


class BadRepositoryError(ValueError):
    """What is wrong, and what to type instead."""


class Repository(NamedTuple):
    url: str
    branch: str

    @property
    def source(self) -> str:
        """How pip is told to fetch the helper package from here."""
        return f"git+{self.url}@{self.branch}"


def checked_url(url: str) -> str:
    """Return the URL as Binder, Colab and pip want it; raises ``BadRepositoryError`` for any other.

    >>> checked_url("https://github.com/ada/book.git")
    'https://github.com/ada/book'
    """
    given = url.strip()
    found = _URL.fullmatch(re.sub(r"(\.git)?/?$", "", given))
    if found:
        return found[0]
    advice = f"Write it like {EXAMPLE}"
    guess = re.fullmatch(
        r"(?:https?://(?:www\.)?|git@|ssh://git@)?github\.com[:/]([^/]+/[^/]+?)(\.git)?/?", given
    )
    deeper = re.match(r"(https://github\.com/[^/]+/[^/]+)/(?:tree|blob|edit)/", given)
    if guess and _URL.fullmatch("https://github.com/" + guess[1]):
        advice = f"Did you mean https://github.com/{guess[1]} ?"
    elif deeper:
        advice = f"Did you mean {deeper[1]} ? A branch goes into BRANCH=…"
    elif not given:
        advice = f"Run:  make repository URL={EXAMPLE}"
    elif "github.com" not in given:
        advice += "; Colab opens notebooks from GitHub alone."
    raise BadRepositoryError(f"URL is not a GitHub repository: {url!r}. {advice}")


def checked_branch(branch: str) -> str:
    """Return the branch if links to it work everywhere; ``BadRepositoryError`` if not."""
    if _BRANCH.fullmatch(branch) and ".." not in branch and not branch.endswith((".", ".lock")):
        return branch
    raise BadRepositoryError(
        f"BRANCH is not a plain branch name: {branch!r}. Use letters, digits, '-', '_' and '.'; "
        "a '/' breaks the links of Binder and Colab."
    )


def config_repository(config: str) -> Repository:
    """Read the URL and the branch from the text of ``_config.yml``."""
    section = _SECTION.search(config)
    values = [
        re.findall(rf"(?m)^  {key}: *([^\s#]+)", section[0] if section else "")
        for key in ("url", "branch")
    ]
    if [len(found) for found in values] != [1, 1]:
        raise BadRepositoryError(
            "_config.yml should hold one section 'repository:' with one 'url:' and one 'branch:'."
        )
    return Repository(*(found[0].strip("\"'") for found in values))


def with_repository(config: str, repository: Repository) -> str:
    """The text of ``_config.yml`` with another URL and branch; comments and order stay."""
    config_repository(config)  # refuses what the substitution below would not fit
    section = _SECTION.search(config)
    assert section is not None
    text = section[0]
    for key, value in repository._asdict().items():
        text = re.sub(rf"(?m)^(  {key}: *)[^\s#]+", rf"\g<1>{value}", text)
    return config[: section.start()] + text + config[section.end() :]


def notebook_repository(text: str, name: str) -> Repository:
    """Read what the first cell of a stored notebook installs from."""
    cell = json.loads(text)["cells"][0]
    found = _SOURCE.findall("".join(cell["source"]))
    if len(found) != 1 or len(_SOURCE.findall(text)) != 1:
        raise BadRepositoryError(
            f"{name}: the first cell, and no other, should install from git+URL@BRANCH once."
        )
    return Repository(*found[0])


def notebook_with(text: str, name: str, repository: Repository) -> str:
    """The notebook's text with another source in its first cell; every other byte stays."""
    notebook_repository(text, name)
    return _SOURCE.sub(lambda _: repository.source, text)


def planned(root: Path, repository: Repository) -> dict[Path, str]:
    """Every file to write, with its new text; nothing is written before all of them are known."""
    config = root / "_config.yml"
    texts = {config: with_repository(read(config), repository)}
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        texts[path] = notebook_with(read(path), path.name, repository)
    return {path: text for path, text in texts.items() if text != read(path)}


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")  # line endings as they are


def write(texts: dict[Path, str]) -> None:
    """Replace the files; each is there whole, old or new, whatever happens."""
    drafts = []
    try:
        for path, text in texts.items():
            drafts.append(path.with_name(path.name + ".new"))
            drafts[-1].write_bytes(text.encode("utf-8"))
        for path, draft in zip(texts, drafts, strict=True):
            os.replace(draft, path)
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url", nargs="?", default="", help=f"for example {EXAMPLE}")
    parser.add_argument("branch", nargs="?", default="", help="default: the branch set now")
    given = parser.parse_args(arguments)
    try:
        current = config_repository(read(root / "_config.yml"))
        wanted = Repository(checked_url(given.url), checked_branch(given.branch or current.branch))
        texts = planned(root, wanted)
        write(texts)
    except BadRepositoryError as problem:
        print(f"{problem}\nNothing was changed.", file=sys.stderr)
        return 2
    except PermissionError as problem:
        print(
            f"{problem.filename} cannot be written. Copy the checkout to a folder of yours.",
            file=sys.stderr,
        )
        return 1
    print(f"This book lives at {wanted.url}, branch {wanted.branch}.")
    names = ", ".join(str(path.relative_to(root)) for path in texts)
    print(f"Rewritten: {names or 'nothing, it did already'}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
