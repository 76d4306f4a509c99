"""Make .venv and install the pinned requirements; do nothing when they are there already.

    python tools/install.py [requirements.txt]

VENV names another folder than .venv, TORCH_INDEX the index of PyTorch's CPU builds. Written for any
Python 3, so that an old one gets a sentence and not a syntax error.
"""

import argparse
import hashlib
import os
import subprocess
import sys

OLDEST, NEWEST = (3, 11), (3, 13)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def say(text):
    sys.stderr.write(text + "\n")


def check_python(version):
    """Return what is wrong with this Python version, or None."""
    if OLDEST <= tuple(version[:2]) <= NEWEST:
        return None
    return (
        "This book needs Python {}.{} to {}.{}, but {} is Python {}.{}.\n"
        "Install one of those and run, for example:  make book PYTHON=python3.12".format(
            OLDEST[0], OLDEST[1], NEWEST[0], NEWEST[1], sys.executable, version[0], version[1]
        )
    )


def check_venv():
    """Return what keeps this Python from making environments, or None."""
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        return (
            "{} cannot make environments: its modules venv and ensurepip are missing.\n"
            "On Debian and Ubuntu:  sudo apt install python3-venv".format(sys.executable)
        )
    return None


def fingerprint(paths):
    """Hash of the requirement files and of the Python that would use them."""
    digest = hashlib.sha256(repr(sys.version_info[:3]).encode())
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def requirement_files(name):
    """The file and those it includes with ``-r`` or ``-c``, which count as much."""
    path = os.path.join(ROOT, name)
    with open(path, encoding="utf-8") as file:
        included = [line.split()[1] for line in file if line.startswith(("-r ", "-c "))]
    return [found for each in included for found in requirement_files(each)] + [path]


def pip_command(python, path):
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", path]
    # PyTorch keeps builds without a GPU stack on an index of its own. Name it in TORCH_INDEX to
    # save gigabytes on Linux; the default index works everywhere.
    index = os.environ.get("TORCH_INDEX")
    return command + (["--extra-index-url", index] if index else [])


def lost_kernel(venv, files):
    """True when the requirements bring the notebooks' kernel and it is not there (any more)."""
    wanted = False
    for path in files:
        with open(path, encoding="utf-8") as file:
            wanted = wanted or any(line.startswith("ipykernel") for line in file)
    return wanted and not os.path.exists(
        os.path.join(venv, "share", "jupyter", "kernels", "python3", "kernel.json")
    )


def is_current(venv, stamp, files):
    """True when ``venv`` holds what the requirements ask for, and can still run it."""
    if not os.path.exists(os.path.join(venv, "bin", "python")) or not os.path.exists(stamp):
        return False
    with open(stamp, encoding="utf-8") as file:
        return file.read() == fingerprint(files) and not lost_kernel(venv, files)


def install(venv, name):
    """Bring ``venv`` up to ``name``; returns an exit code."""
    files = requirement_files(name)
    stamp = os.path.join(venv, "installed-" + os.path.basename(name))
    if is_current(venv, stamp, files):
        return 0
    python = os.path.join(venv, "bin", "python")
    try:
        if not os.path.exists(python):
            problem = check_venv()
            if problem:
                say(problem)
                return 1
            say("Making " + venv + " …")
            # Clear: what lies there may belong to a Python that is gone.
            subprocess.check_call([sys.executable, "-m", "venv", "--clear", venv])
        say("Installing {} (a few minutes the first time) …".format(name))
        subprocess.check_call(pip_command(python, files[-1]))
        if lost_kernel(venv, files):
            say("Putting the notebooks' kernel back …")
            subprocess.check_call([python, "-m", "ipykernel", "install", "--sys-prefix"])
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(fingerprint(files))
    except (OSError, subprocess.CalledProcessError) as error:
        say(explain(venv, error, name))
        return 1
    return 0


def explain(venv, error, name="requirements.txt"):
    place = venv
    while not os.path.exists(place):
        place = os.path.dirname(place) or "."
    writable = os.path.isdir(place) and os.access(place, os.W_OK)
    if not writable or isinstance(error, PermissionError):
        return (
            "{} cannot be written, so the book's environment cannot be made there.\n"
            "Copy the checkout to a folder of yours, or name another place:  "
            "make book VENV=~/book-venv BUILD=~/book-build".format(place)
        )
    return (
        "Installing the requirements failed ({}); the lines above say why.\n"
        "Without a network, first fetch the packages on a machine that has one:\n"
        "  pip download -r {} -d wheels\n"
        "then here:  make book PIP_NO_INDEX=1 PIP_FIND_LINKS=wheels\n"
        "Behind a proxy, set HTTPS_PROXY before `make book`.".format(error, os.path.basename(name))
    )


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "file", nargs="?", default="requirements.txt", help="default: requirements.txt"
    )
    given = parser.parse_args(arguments)
    problem = check_python(sys.version_info)
    if problem:
        say(problem)
        return 1
    venv = os.path.abspath(os.path.expanduser(os.environ.get("VENV", os.path.join(ROOT, ".venv"))))
    return install(venv, given.file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
