"""Try Binder's files without Binder: `make binder-check`.

Makes an environment from binder/environment.yml (with pip, so conda-forge's names are translated),
runs binder/postBuild in a copy of this checkout, and executes every chapter there with what that
installed. What only Binder itself can show is whether conda-forge's builds resolve together.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import environments as env
import yaml

BINDER = env.ROOT / "binder"
PLACE = env.BUILD / "environments" / "binder"

# conda-forge's name: the name pip knows the same library by.
PIP_NAMES = {"pytorch-cpu": "torch"}
# What Binder's own image holds (repo2docker's base environment), as far as the chapters see it.
BROUGHT_BY_BINDER = ("jupyterlab",)


def pip_requirements(environment: dict[str, Any]) -> tuple[str, list[str]]:
    """Translate an environment.yml: the version of Python, and one pip requirement a package.

    ``numpy=2.4`` is conda's way to say ``numpy==2.4.*``; ``numpy==2.4.6`` means the same to both.
    Raises ValueError for a package without a version, and for what this does not understand.
    """
    python, found = "", []
    for entry in environment["dependencies"]:
        if isinstance(entry, dict):
            found += entry["pip"]
            continue
        match = re.fullmatch(r"([\w.-]+)(?:(==?)(\d[\w.]*))?", entry)
        if match is None or not (match[3] or match[1] == "pip"):
            raise ValueError(f"environment.yml: {entry!r} should be NAME=VERSION.")
        name, sign, version = match.groups()
        if name == "python":
            python = version
        elif name != "pip":
            exact = sign == "==" or version.count(".") > 1
            found.append(f"{PIP_NAMES.get(name, name)}=={version}{'' if exact else '.*'}")
    if not python:
        raise ValueError("environment.yml should say python=VERSION.")
    return python, found


def make_environment() -> str:
    """The environment of environment.yml; returns its interpreter."""
    version, lines = pip_requirements(yaml.safe_load((BINDER / "environment.yml").read_text()))
    brought = env.pins(env.ROOT / "requirements-lab.txt")
    lines += [f"{name}=={brought[name]}" for name in BROUGHT_BY_BINDER]
    python = sys.executable if sys.version.startswith(version + ".") else f"python{version}"
    return env.make(PLACE, env.write_requirements("binder", lines), python)


def post_build(python: str, checkout: Path) -> None:
    """Run postBuild as Binder does: in the repository's root, with the environment's Python."""
    path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    environment.pop("PYTHONPATH", None)
    subprocess.run(
        [str(checkout / "binder" / "postBuild")], cwd=checkout, env=environment, check=True
    )


def copy_checkout(target: Path) -> Path:
    """What Binder would clone, as far as the chapters need it."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md"):
        if (env.ROOT / name).exists():
            shutil.copy(env.ROOT / name, target)
    skipped = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.egg-info")
    for name in ("binder", "notebooks", "src"):
        shutil.copytree(env.ROOT / name, target / name, ignore=skipped)
    return target


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args(arguments)
    try:
        python = make_environment()
    except env.NotMadeError as problem:
        print(problem, file=sys.stderr)
        return 1
    checkout = copy_checkout(PLACE.parent / "binder-checkout")
    post_build(python, checkout)
    folder = str(checkout / "notebooks")
    check = [python, str(env.ROOT / "tools" / "check.py"), "--installed", "--folder", folder]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(check, env=clean, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
