"""The workflow of GitHub Actions: valid, modest in what it may do, and made of make targets."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.notebooks import ROOT
from support.tools import load_tool

PATH = ROOT / ".github" / "workflows" / "book.yml"
TEXT = PATH.read_text("utf-8")
WORKFLOW: dict[Any, Any] = yaml.safe_load(TEXT)
ON = WORKFLOW[True]  # YAML 1.1 reads the key `on` as a truth value
JOBS: dict[str, dict[str, Any]] = WORKFLOW["jobs"]
STEPS = [(name, step) for name, job in JOBS.items() for step in job["steps"]]
RUNS = sorted({step["run"].strip() for _, step in STEPS if "run" in step})


def validate(path: Path) -> subprocess.CompletedProcess[str]:
    schema = ["--builtin-schema", "vendor.github-workflows"]
    command = [sys.executable, "-m", "check_jsonschema", *schema, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_it_follows_the_schema_of_workflows() -> None:
    done = validate(PATH)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_would_notice(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yml"
    bad.write_text(TEXT.replace("runs-on:", "run-on:", 1))
    assert validate(bad).returncode == 1


@pytest.mark.parametrize("command", RUNS)
def test_every_step_is_a_make_target_that_exists_here(command: str) -> None:
    assert re.fullmatch(r"make [a-z-]+( [A-Z]+=[\w.]+)*", command)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(rf"(?m)^{command.split()[1]}:.*##", makefile), "not in the list of `make help`"
    dry = subprocess.run(
        [*command.split(), "-n", f"PYTHON={sys.executable}"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert dry.returncode == 0, dry.stderr
    # Variables named in a step are used by its target.
    for value in re.findall(r"=(\S+)", command):
        assert value in dry.stdout


def test_it_does_what_a_reader_expects() -> None:
    targets = {(name, step["run"].split()[1]) for name, step in STEPS if "run" in step}
    assert {
        ("test", "lint"),
        ("test", "types"),
        ("test", "test"),
        ("book", "check"),
        ("book", "book"),
        ("versions", "matrix"),
        ("newest", "newest"),
    } == targets


def test_triggers() -> None:
    assert set(ON) == {"push", "pull_request", "workflow_dispatch", "schedule"}
    (entry,) = ON["schedule"]
    _, _, day, month, weekday = entry["cron"].split()
    assert (day, month) == ("*", "*")
    assert weekday in "0123456"  # once a week
    for name, job in JOBS.items():
        weekly = "github.event_name == 'schedule'" in job.get("if", "")
        assert weekly == (name == "newest")


def test_permissions_are_the_least() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    more = {name: job["permissions"] for name, job in JOBS.items() if "permissions" in job}
    assert more == {"publish": {"pages": "write", "id-token": "write"}}
    # The job that may publish runs nothing of this repository.
    assert not [step for step in JOBS["publish"]["steps"] if "run" in step]
    for name, step in STEPS:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"] == {"persist-credentials": False}, name


def test_no_event_text_reaches_a_shell() -> None:
    assert not [run for run in RUNS if "${{" in run]
    assert "pull_request_target" not in TEXT


def test_an_older_run_is_cancelled() -> None:
    assert WORKFLOW["concurrency"]["cancel-in-progress"] is True
    assert "github.ref" in WORKFLOW["concurrency"]["group"]


def test_every_job_ends() -> None:
    assert {
        name for name, job in JOBS.items() if not 0 < job.get("timeout-minutes", 0) <= 60
    } == set()


def test_actions_are_pinned_to_a_version() -> None:
    used = [step["uses"] for _, step in STEPS if "uses" in step]
    assert used
    assert not [each for each in used if not re.fullmatch(r"actions/[a-z-]+@v\d+(\.\d+)*", each)]


def test_execution_is_cached_by_the_helper_code() -> None:
    (cache,) = (step["with"] for _, step in STEPS if "actions/cache@" in step.get("uses", ""))
    assert cache["path"] == "_build/.jupyter_cache"
    helpers = "hashFiles('src/lesson_utils/**', 'requirements*.txt')"
    assert helpers in cache["key"]
    # A cache of other helper code is never taken up, not even in part.
    assert all(helpers in line for line in cache["restore-keys"].splitlines())
    # And the check that trusts no cache comes first, in the same job.
    order = [step.get("run", step.get("uses")) for step in JOBS["book"]["steps"]]
    assert order.index("make check") < order.index("actions/cache@v5") < order.index("make book")


def test_what_is_kept() -> None:
    uploads = {
        step["with"].get("name", "pages"): step
        for _, step in STEPS
        if "upload" in step.get("uses", "")
    }
    assert set(uploads) == {"execution-reports", "book", "pages"}
    assert uploads["execution-reports"]["if"] == "failure()"
    assert uploads["book"]["with"]["path"] == uploads["pages"]["with"]["path"] == "_build/html"
    assert "if" not in uploads["book"]


def test_pages_are_published_from_the_default_branch_after_all_checks() -> None:
    job = JOBS["publish"]
    for condition in (
        job["if"],
        next(s["if"] for _, s in STEPS if "pages-artifact" in s.get("uses", "")),
    ):
        assert "github.event_name != 'pull_request'" in condition
        assert "github.ref_name == github.event.repository.default_branch" in condition
    assert set(job["needs"]) == {"test", "book"}
    assert job["environment"]["name"] == "github-pages"


def test_pythons_are_those_the_package_supports() -> None:
    matrix = load_tool("matrix")
    assert tuple(JOBS["versions"]["strategy"]["matrix"]["python"]) == matrix.PYTHONS
    fixed = {
        str(step["with"]["python-version"])
        for _, step in STEPS
        if "actions/setup-python@" in step.get("uses", "")
    } - {"${{ matrix.python }}"}
    assert fixed <= set(matrix.PYTHONS)
