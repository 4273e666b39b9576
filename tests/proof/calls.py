"""Every call fails once: runs in which the n-th call of one kind fails, for all n, and what became of them."""

import argparse
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import get_ident

sys.path.insert(0, str(Path(__file__).parents[1] / "whole"))

from failing_calls import ERRORS, FOLLOWER, RANK_0, STARTER, Command, Core, Ended, Failure, failures, temporary

SLOW = 20  # seconds
Try = Callable[[Failure, Path], tuple[Ended, list[str]]]


@dataclass
class Sums:
    """Of one kind of call: a line of the table."""

    calls: str
    codes: Counter[int | None] = field(default_factory=Counter)
    missed: int = 0  # the run took another way and had fewer calls
    longest: float = 0
    problems: list[str] = field(default_factory=list)

    def add(self, ended: Ended, problems: Sequence[str]) -> None:
        self.missed += not ended.reached
        self.longest = max(self.longest, ended.seconds)
        if ended.reached:
            self.codes[ended.code] += 1
        self.problems += [f"{ended.failure}: {one}; {ended.err.strip()[:300]!r}" for one in problems]

    def row(self, name: str) -> str:
        codes = ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items(), key=str))
        runs = sum(self.codes.values())
        return f"| {name} | {self.calls} | {runs} | {codes} | {self.longest:.1f} s | {len(self.problems)} |"


def main(words: list[str]) -> int:
    chosen = arguments(words)
    folder = temporary()
    try:
        problems = [one for part in chosen.parts for one in PARTS[part](chosen, folder)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{len(problems)} problems")
    return 1 if problems else 0


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make proof PART=calls", description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--kinds", default="", help="kinds of calls, joined by commas; default: all")
    parser.add_argument("--processes", default="-1,0,1", help="of the core: -1 starts the ranks, 0 and up are ranks")
    parser.add_argument("--most", type=int, default=1 << 30, help="draw at most this many calls of each kind")
    parser.add_argument("--drawn", type=int, default=100, help="calls of each kind, where not all of them fail")
    parser.add_argument("--allocations", type=int, default=1000, help="drawn of each command of everylink")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    return parser.parse_args(words)


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def campaign(
    name: str, calls: dict[str, str], plan: Sequence[Failure], attempt: Try, folder: Path, jobs: int
) -> list[str]:
    """Do all runs and print a table."""
    sums = {kind: Sums(calls[kind]) for kind in dict.fromkeys(failure.kind for failure in plan)}
    with ThreadPoolExecutor(jobs) as pool:
        for ended, problems in pool.map(lambda one: attempt(one, folder / str(get_ident())), plan):
            of_kind = sums[ended.failure.kind if ended.failure else ""]
            before = len(of_kind.problems)
            of_kind.add(ended, problems)
            if ended.seconds > SLOW:
                tell(f"slow: {ended.failure}: {ended.seconds:.0f} s, exit code {ended.code}, {ended.err!r}")
            for one in of_kind.problems[before:]:
                tell(f"PROBLEM {name}: {one}")
    print(f"\n### {name}")
    print("| call | calls in a run | runs | exit code: runs | longest | problems |\n|---|---|---|---|---|---|")
    for kind, total in sums.items():
        print(total.row(kind.rstrip("_")))
    return [problem for one in sums.values() for problem in one.problems]


def of_core(core: Core, chosen: argparse.Namespace, folder: Path, kinds: Sequence[str], most: int) -> list[str]:
    usual = core.run(folder / "usual")
    if found := core.problems(usual, folder / "usual"):
        sys.exit(f"a run without a failure: {found}, {usual.err}")
    processes = [int(one) for one in chosen.processes.split(",")]
    names = {STARTER: "starter", RANK_0: "rank 0", FOLLOWER: "follower"}
    there = [(kind, process) for kind in kinds for process in processes if usual.counts[kind, process]]
    calls = {
        kind: ", ".join(f"{names.get(p, f'rank {p}')} {usual.counts[kind, p]}" for one, p in there if one == kind)
        for kind in kinds
    }

    def attempt(failure: Failure, own: Path) -> tuple[Ended, list[str]]:
        ended = core.run(own, failure)
        return ended, core.problems(ended, own)

    plan = list(failures(usual.counts, kinds, processes, most, chosen.seed))
    return campaign(f"--mode {core.mode}" + (", facts of the host read" if core.sysfs == "/" else ""), calls, plan,
                    attempt, folder, chosen.jobs)  # fmt: skip


def kinds_of(chosen: argparse.Namespace, among: Sequence[str]) -> list[str]:
    return [kind for kind in among if not chosen.kinds or kind in chosen.kinds.split(",")]


def tcp(chosen: argparse.Namespace, folder: Path) -> list[str]:
    return of_core(Core("tcp"), chosen, folder, kinds_of(chosen, list(ERRORS)), chosen.most)


def sim(chosen: argparse.Namespace, folder: Path) -> list[str]:
    return of_core(Core("sim"), chosen, folder, kinds_of(chosen, list(ERRORS)), chosen.most)


def inventory(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """The same run where it reads facts of the host: of these many calls some are drawn."""
    kinds = kinds_of(chosen, ["read", "open", "stat", "socket", "control", "interfaces", "thread", "dlopen", "new_"])
    return of_core(Core("sim", sysfs="/"), chosen, folder, kinds, min(chosen.most, chosen.drawn))


def of_command(words: Sequence[str], output: str, chosen: argparse.Namespace, folder: Path) -> list[str]:
    source = folder / "results.h5"
    if not source.exists():
        Core("tcp").run(folder / "core")
        shutil.copy(folder / "core/x.h5", source)
    plan: list[tuple[Command, Ended, Failure]] = []
    calls: defaultdict[str, list[str]] = defaultdict(list)
    half = chosen.allocations // 2
    for after, mallocs, most in (
        ("x.h5", False, chosen.most),
        ("/dev/null", False, chosen.drawn),
        ("x.h5", True, half),
        ("/dev/null", True, half),
    ):
        command = Command((*words, "x.h5"), source, after, output, mallocs)
        usual = command.run(folder / "usual")
        if found := command.problems(usual, folder / "usual", usual):
            sys.exit(f"a run without a failure: {found}, {usual.err}")
        kinds = ["malloc"] if mallocs else [one for one in ERRORS if one not in ("hdf5", "new_")]
        for kind in kinds_of(chosen, kinds):
            if number := usual.counts.get((kind, STARTER)):
                calls[kind].append(f"{number} {'once the file is opened' if after == 'x.h5' else 'in all'}")
        plan += [(command, usual, one) for one in
                 failures(usual.counts, kinds_of(chosen, kinds), [STARTER], most, chosen.seed, errors=1)]  # fmt: skip
    of_failure = {id(failure): (command, usual) for command, usual, failure in plan}

    def attempt(failure: Failure, own: Path) -> tuple[Ended, list[str]]:
        command, usual = of_failure[id(failure)]
        ended = command.run(own, failure)
        return ended, command.problems(ended, own, usual)

    return campaign(f"everylink {words[0]}", {kind: ", ".join(texts) for kind, texts in calls.items()},
                    [failure for _, _, failure in plan], attempt, folder, chosen.jobs)  # fmt: skip


def show(chosen: argparse.Namespace, folder: Path) -> list[str]:
    return of_command(["show"], "", chosen, folder)


def diagnose(chosen: argparse.Namespace, folder: Path) -> list[str]:
    return of_command(["diagnose"], "", chosen, folder)


def report(chosen: argparse.Namespace, folder: Path) -> list[str]:
    return of_command(["report", "-o", "x.html"], "x.html", chosen, folder)


PARTS = {
    "tcp": tcp, "sim": sim, "inventory": inventory, "show": show, "diagnose": diagnose, "report": report,
}  # fmt: skip
