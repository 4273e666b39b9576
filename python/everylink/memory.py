"""Available memory. Requests that need more are refused with a message, before the kernel kills the process."""

from pathlib import Path

from everylink.errors import NotEnoughMemory
from everylink.units import about_bytes_text

MEMINFO = Path("/proc/meminfo")
LIMITS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)


def available() -> int | None:
    """Bytes that this process can still allocate, by /proc/meminfo and the cgroup's limit; None if unknown."""
    known = [_of_machine()]
    for limit, used in LIMITS:
        most, now = _number(limit), _number(used)
        if most is not None and now is not None:
            known.append(max(most - now, 0))
    return min((size for size in known if size is not None), default=None)


def require_memory(needed: int, what: str) -> None:
    """Raise NotEnoughMemory if `needed` bytes are not available. `what` is the subject of the message."""
    there = available()
    if there is not None and needed > there:
        raise NotEnoughMemory(
            f"{what} takes {about_bytes_text(needed)} of memory, but only {about_bytes_text(there)} are free"
        )


def _of_machine() -> int | None:
    try:
        lines = MEMINFO.read_text().splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def _number(path: Path) -> int | None:
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None
