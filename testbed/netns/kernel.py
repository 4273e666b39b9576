"""The system calls and commands that beds use."""

import contextlib
import ctypes
import fcntl
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET = 0x20000, 0x4000000, 0x8000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2
BASE = Path("/run/everylink-bed")  # the state of beds
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True)


class BedError(Exception):
    """One sentence for the user; exit code 1."""


class CannotHere(BedError):
    """The reason why this machine cannot have a bed; exit code 77, which test harnesses count as skipped."""


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    _call("unshare", flags)


def setns(path: str | Path, flag: int) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _call("setns", descriptor, flag)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def inside(path: Path, kind: str, flag: int) -> Iterator[None]:
    """Enter another namespace for the duration of a `with` block."""
    home = os.open(f"/proc/self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        setns(path, flag)
        yield
        setns(f"/proc/self/fd/{home}", flag)
    finally:
        os.close(home)


def mount(source: str, target: str | Path, kind: str = "", flags: int = 0) -> None:
    _call("mount", source.encode(), os.fsencode(target), kind.encode() or None, ctypes.c_ulong(flags), None)


def unmount(target: str | Path) -> bool:
    """Unmount it with everything mounted in it; false if nothing was mounted there."""
    return _libc.umount2(os.fsencode(target), MNT_DETACH) == 0  # type: ignore[no-any-return]


def set_host_name(name: str) -> None:
    _call("sethostname", name.encode(), ctypes.c_size_t(len(name)))


def die_with_parent() -> None:
    _call("prctl", PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))


def need(tools: dict[str, str]) -> None:
    """Raise CannotHere unless this is root and these tools exist; maps each tool to its Debian package."""
    if os.geteuid() != 0:
        raise CannotHere("a bed of network namespaces requires root")
    for tool, package in tools.items():
        if not shutil.which(tool):
            raise CannotHere(f"a bed of network namespaces requires {tool} (Debian's package {package})")


def run(*command: str, text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()
        raise BedError(f"{' '.join(command)}: {said[0]}")
    return done.stdout


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """Serialize making, changing and removing beds. The last bed's removal also removes the folder."""
    while True:
        BASE.mkdir(mode=0o755, exist_ok=True)
        try:
            folder = os.open(BASE, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        fcntl.flock(folder, fcntl.LOCK_EX)
        if os.fstat(folder).st_nlink > 0 and BASE.exists() and os.path.samestat(os.fstat(folder), BASE.stat()):
            break
        os.close(folder)  # its last user has removed it in the meantime
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # not empty: there are other beds
            BASE.rmdir()
        os.close(folder)


def processes_in(namespaces: list[Path]) -> list[int]:
    """The ids of other processes in these network namespaces."""
    wanted = {(found.st_dev, found.st_ino) for found in (space.stat() for space in namespaces)}
    pids = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                found = Path(f"/proc/{entry.name}/ns/net").stat()
            except OSError:
                continue  # it has ended
            if (found.st_dev, found.st_ino) in wanted:
                pids.append(int(entry.name))
    return pids


def kill(pid: int, namespaces: list[Path]) -> int | None:
    """Kill a process if it is in these namespaces; return a descriptor that is readable once it has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    # Checked again: from now on, the id cannot be reused for another process.
    if pid not in processes_in(namespaces):
        os.close(descriptor)
        return None
    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    return descriptor


def wait_for(descriptors: list[int], seconds: float) -> bool:
    """Wait; true if all these processes have ended."""
    ended = True
    for descriptor in descriptors:
        ended &= bool(select.select([descriptor], [], [], seconds)[0])
        os.close(descriptor)
    return ended
