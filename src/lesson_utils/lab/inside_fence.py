# ruff: noqa: SIM105  (contextlib would cost every child a millisecond)
"""Inside the fence, before the submission: what a child does to shut itself in.

This text is sent to a fresh Python (``-I -S -c``); it may import the standard library only, and it
never sees a challenge. The strongest of these that the machine allows is used, and reported:

``namespaces``  Linux: own process tree, read-only files, no network, grader and classmates hidden
``tree``        Linux: every descendant, daemons included, is found and ended
``group``       other POSIX systems: the child's session is ended
``process``     elsewhere (Windows): the process is ended
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # importing typing would cost every child milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

DEATH_SIGNAL, KEEP_CAPABILITIES, SUBREAPER, NO_NEW_POWERS = 1, 8, 36, 38  # of prctl(2)
NEW_MOUNTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = 1 << 17, 1 << 27, 1 << 28, 1 << 29, 1 << 30
READ_ONLY, RECURSIVE, PRIVATE = 1, 1 << 14, 1 << 18  # flags of mount(2)
MOUNT_SETATTR, AT_RECURSIVE, AT_FDCWD = 442, 0x8000, -100
READ_ANY_FILE = 2  # CAP_DAC_READ_SEARCH
SPARE_UID = 1_900_000_000  # a root grader's children get a user each that owns nothing


def load_libc() -> Any:
    """The C library, or None where its Linux calls are not to be had."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        import ctypes

        return ctypes.CDLL(None, use_errno=True)
    except (ImportError, OSError):
        return None


def enter(config: dict[str, Any], descriptors: Sequence[int]) -> str:
    """Fork a runner behind the strongest fence allowed. Only the runner returns, with its name."""
    if not hasattr(os, "fork"):
        return "process"
    libc = load_libc()
    if libc is not None:
        libc.prctl(DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)  # do not outlive the grader
    if libc is not None and config["namespaces"] and new_namespaces(libc):
        return in_namespaces(libc, config, descriptors)
    level = "group" if libc is None else "tree"
    if libc is not None:
        libc.prctl(SUBREAPER, 1, 0, 0, 0)
    fork_watched(libc, descriptors, level)
    os.setsid()
    if libc is not None:
        drop_powers(libc, SPARE_UID + os.getpid(), config["work"])
    os.chdir(config["work"])
    return level


def new_namespaces(libc: Any) -> bool:
    """Whether the processes forked from now on live in namespaces of their own."""
    flags = NEW_PIDS | NEW_MOUNTS | NEW_IPC | NEW_NET
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        return bool(libc.unshare(flags) == 0)
    if libc.unshare(flags | NEW_USER) != 0:
        return False
    for name, line in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(line)
    return True


def in_namespaces(libc: Any, config: dict[str, Any], descriptors: Sequence[int]) -> str:
    """Process 1 of the namespace mounts and waits; when it ends, the kernel ends all in it."""
    uid = SPARE_UID + os.getpid()
    fork_watched(libc, descriptors, "namespaces")
    shut_files(libc, config)
    runner = os.fork()
    if runner == 0:
        os.setsid()
        drop_powers(libc, uid, config["work"])
        return "namespaces"
    for fd in descriptors:
        os.close(fd)
    while True:
        pid, status = os.wait()
        if pid == runner:
            os._exit(exit_code(status))


def shut_files(libc: Any, config: dict[str, Any]) -> None:
    """All files read-only, a small empty folder to work in, other folders hidden."""
    libc.mount(None, b"/", None, PRIVATE | RECURSIVE, None)
    import ctypes

    attributes = (ctypes.c_uint64 * 4)(READ_ONLY, 0, 0, 0)
    libc.syscall(MOUNT_SETATTR, AT_FDCWD, b"/", AT_RECURSIVE, attributes, 32)
    libc.mount(b"proc", b"/proc", b"proc", 0, None)
    for folder in config["hidden"]:
        libc.mount(b"none", os.fsencode(folder), b"tmpfs", READ_ONLY, b"size=4k,mode=555")
    work = os.fsencode(config["work"])
    libc.mount(b"none", work, b"tmpfs", 0, b"size=8m,nr_inodes=512,mode=777")
    os.chdir(work)


def drop_powers(libc: Any, uid: int, work: str) -> None:
    """Give up every capability; root also becomes a user who owns nothing.

    Of root's powers at most the right to read stays: Python's library may be root's alone.
    """
    import ctypes

    wide = ctypes.c_uint32
    header, sets = (wide * 2)(0x20080522, 0), (wide * 6)()
    libc.capget(header, sets)
    kept = 0
    if os.geteuid() == 0:
        kept = sets[1] & (1 << READ_ANY_FILE)
        if not kept and not open_to_all(os.path.dirname(os.path.realpath(os.__file__))):
            return
        libc.prctl(KEEP_CAPABILITIES, 1, 0, 0, 0)
        try:
            os.chown(work, uid, uid)
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        except OSError:
            return
    libc.capset(header, (wide * 6)(kept, kept, 0, 0, 0, 0))
    libc.prctl(NO_NEW_POWERS, 1, 0, 0, 0)
    libc.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)  # a change of user clears it


def open_to_all(folder: str) -> bool:
    """Whether every user may read a folder."""
    while True:
        if not os.stat(folder).st_mode & 0o001:
            return False
        parent = os.path.dirname(folder)
        if parent == folder:
            return True
        folder = parent


def fork_watched(libc: Any, descriptors: Sequence[int], level: str) -> None:
    """Fork; only the child returns. The parent waits, cleans up and exits with its code.

    The parent asks for its signals instead of being interrupted by them: an order to end that
    comes while it is cleaning up must not stop the cleaning.
    """
    watcher = os.getpid()
    orders = {signal.SIGTERM, signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, lambda *_: None)  # an ignored signal may not be kept for us
    before = signal.pthread_sigmask(signal.SIG_BLOCK, orders)
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if libc is not None:
            libc.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
            if level == "tree" and os.getppid() != watcher:
                os._exit(1)
        return
    for fd in descriptors:
        os.close(fd)
    ended = 0
    while not ended:
        if signal.sigwait(orders) == signal.SIGTERM:
            os.kill(pid, signal.SIGKILL)  # not waited for yet: the number is still its own
        ended, status = os.waitpid(pid, os.WNOHANG)
    if level == "tree":
        end_descendants()
    elif level == "group":
        end_group(pid)
    os._exit(exit_code(status))


def exit_code(status: int) -> int:
    """As a shell tells it: the exit code, or 128 and the signal."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def end_group(pid: int) -> None:
    """End what is left of the session that the runner led."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass


def end_descendants() -> None:
    """End every process below this one; orphans come to us, since we are their reaper."""
    for _ in range(100):
        below = descendants()
        if not below:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in below:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except OSError:
            pass


def descendants() -> list[int]:
    """The ids of all processes below this one, as /proc tells them; zombies left out."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except OSError:
                continue
            if state not in (b"Z", b"X"):
                parents[int(name)] = int(parent)
    found: list[int] = []
    fresh = [os.getpid()]
    while fresh:
        fresh = [pid for pid, parent in parents.items() if parent in fresh]
        found += fresh
    return found
