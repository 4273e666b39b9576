"""Feeds hostile bytes to the parsers of the Python half (targets.py).

tests/fuzz/python list                  the names of the targets
tests/fuzz/python fuzz TARGET WORDS     under Atheris, with the words of libFuzzer: folders of inputs, options
tests/fuzz/python replay [TARGET]       the corpora and mutations of them, the same in every run
"""

import random
import resource
import signal
import sys
import traceback
from pathlib import Path
from types import FrameType

CORPORA = Path(__file__).resolve().parents[2] / "data/fuzz/python"
MUTATIONS = 100  # of each target
LONGEST = 20  # seconds for one input, on a busy machine
MEMORY = 1 << 30  # bytes above what is used before the first input
TRACED = 3  # entries of a traceback that a fault is told with


def fuzz(name: str, words: list[str]) -> int:
    import atheris  # type: ignore[import-untyped,unused-ignore]  # only `make fuzz` installs it

    with atheris.instrument_imports(include=["everylink", "ClusterShell"]):
        import targets
    # To merge corpora, libFuzzer starts this program again, by a line that it gives to a shell.
    here = " ".join([sys.executable, *sys.argv[:1], "fuzz", name])
    atheris.Setup([here, *words], lambda data: targets.call(name, data))
    atheris.Fuzz()
    return 0


def inputs_of(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPORA / name).iterdir())]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Bytes changed, inserted, removed, duplicated, or set to large numbers, as libFuzzer does."""
    made = bytearray(data)
    for _ in range(1 + draw.randrange(4)):
        at, some = draw.randrange(len(made) + 1), 1 + draw.randrange(16)
        match draw.randrange(6):
            case 0:
                made[at : at + 1] = draw.randbytes(1)
            case 1:
                made[at:at] = draw.randbytes(1)
            case 2:
                del made[at : at + some]
            case 3:
                made += made[:at]
            case 4:
                made[at : at + some] = b"\xff" * some
            case _:
                made[at : at + 1] = bytes(byte ^ 1 << draw.randrange(8) for byte in made[at : at + 1])
    return bytes(made)


def replay(chosen: list[str]) -> int:
    import targets

    def too_long(_: int, frame: FrameType | None) -> None:
        raise SystemError(f"one input takes more than {LONGEST} s")  # an error that nobody catches

    signal.signal(signal.SIGALRM, too_long)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
    faults = 0
    for name in chosen:
        kept, draw = inputs_of(name), random.Random(1)
        mutations = (mutated(draw.choice(kept), draw) for _ in range(MUTATIONS))
        for number, data in enumerate([b"", *kept, *mutations]):
            signal.alarm(LONGEST)
            try:
                targets.call(name, data)
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-TRACED:]
                where = " < ".join(f"{Path(one.filename).name}:{one.lineno}" for one in reversed(last))
                kind = "input" if number <= len(kept) else "mutation"
                print(f"{name}: {kind} {number} ({data[:200]!r}): {error!r} at {where}")
                faults += 1
                break
            finally:
                signal.alarm(0)
    return min(faults, 1)


def names() -> list[str]:
    import targets

    return list(targets.TARGETS)


def main(words: list[str]) -> int:
    match words:
        case ["list"]:
            print("\n".join(names()))
            return 0
        case ["fuzz", name, *more]:
            return fuzz(name, more)
        case ["replay", *some]:
            return replay(some or names())
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
