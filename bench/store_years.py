"""How large a store of five years of 1,000 hosts is, and how long its questions take.

    python3 bench/store_years.py STORE [NIGHTS [HOSTS]]

A few nights are measured (simulated), judged and kept as a check keeps them; their single links stand for those of the
newest 90 nights, their results file and report for those of the newest 3. The medians of hosts of all other nights are
drawn at random. A store that is there already is only asked. Fails above 2 GB, or if a question takes 2 s of processor
time: each runs in one thread, and a busy machine makes it wait.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from nights import inventory_of

from everylink.cli.kinds import judged
from everylink.cli.reports import write_report
from everylink.io.results_file import write_results
from everylink.model.inventory import Facts, Inventory
from everylink.model.results import Results
from everylink.simulate.fabric import Fabric, all_links
from everylink.simulate.faults import Fault
from everylink.simulate.results import measured
from everylink.store.folder import HOSTS, KEPT, LINKS, RUN, OfHosts, read_summary, write_hosts
from everylink.store.index import index_of
from everylink.store.keep import LINK_DAYS, RESULT_DAYS, folder_name, put, summarised
from everylink.store.layout import RUNS, opened_or_new
from everylink.store.normal import normal_of
from everylink.store.summary import Summary, file_entry, seen_in, text_of_summary
from everylink.units import utc_text

SIZES, REAL, DAY = (8, 65536, 2**20), 3, 86400.0
FACTS = 120  # of each host, of which one in ten is its own
DEFAULT = ["1826", "1000"]  # nights, hosts
LIMIT_BYTES, LIMIT_SECONDS = 2e9, 2.0
BEGIN = 1_640_998_800.0  # 2022-01-01 01:00 UTC


def facts_of(hosts: int) -> Inventory:
    """As many facts as a host of today has."""
    few = inventory_of(1, hosts)
    texts = list(few.texts)
    rows = []
    for fact in range(FACTS):
        name = len(texts)
        texts += [f"fact_{fact}", f"value {fact}"]
        for host in range(hosts):
            if fact % 10 == 0:
                texts.append(f"{fact:04x}:{host * 7919:08x}")
            rows.append((host, 1, name, len(texts) - 1 if fact % 10 == 0 else name + 1))
    columns = [np.array(column, np.uint32) for column in zip(*rows, strict=True)]
    more = Facts(columns[0], np.zeros_like(columns[0]), *columns[1:])
    joined = {name: np.concatenate([getattr(few.facts, name), getattr(more, name)]) for name in vars(more)}
    return replace(few, texts=tuple(texts), facts=Facts(**joined))


def measured_at(seconds: float, hosts: int, seed: int, inventory: Inventory) -> Results:
    fabric = Fabric(
        hosts=hosts, ranks_per_host=1, group_size=50, noise=0.02, transient=0.005, messages=100, seed=seed,
        faults=(Fault("slow-host", ("n17",), 0.8),), both_directions=True,
    )  # fmt: skip
    results = measured(fabric, all_links(hosts), list(SIZES), Path(f"night-{seed}.h5"), "everylink simulate")
    facts = replace(results.facts, created=utc_text(seconds))
    return replace(results, facts=facts, read_inventory=lambda: inventory)


def keep_real(folder: Path, nights: int, hosts: int) -> list[Path]:
    """Keep the newest nights as checks do; returns their folders."""
    store, inventory = opened_or_new(folder), facts_of(hosts)
    folders = []
    for number in range(REAL):
        results = measured_at(BEGIN + DAY * (nights - REAL + number), hosts, number + 1, inventory)
        run = judged(results)
        found, said = seen_in(run, {}), run.judgement.conclusion
        summary = summarised(index_of(store), run, said, found, f"{hosts} hosts", "simulate", is_check=True)
        new = store.new_folder(folder_name(summary))
        write_results(replace(results, path=new / "results.h5"), force=False)
        write_report([run], new / "report.html", force=False)
        folders.append(put(store, new, results, summary))
    return folders


def keep_drawn(folder: Path, real: Path, number: int, nights: int, random: np.random.Generator) -> None:
    """A night before those that are real, like one of them."""
    model, entries = read_summary(real)
    seconds = BEGIN + DAY * number
    summary = replace(model, id=f"{number:016x}", time=utc_text(seconds), place=seconds)
    target = folder / RUNS / utc_text(seconds)[:4] / folder_name(summary)
    target.mkdir(parents=True)
    for name in entries:
        days = {"links": LINK_DAYS, "results": RESULT_DAYS}.get(KEPT[name], nights)
        if nights - number <= days and name != HOSTS:
            shutil.copy(real / name, target / name)
    write_hosts(target / HOSTS, drawn(summary, number, nights, random))
    files = {path.name: file_entry(path, KEPT[path.name]) for path in sorted(target.iterdir())}
    (target / RUN).write_text(text_of_summary(summary, files))


def drawn(summary: Summary, number: int, nights: int, random: np.random.Generator) -> OfHosts:
    """Medians of hosts with a noise of 0.2 %; n17 degrades, and a tenth of the hosts changes once."""
    shape = (len(SIZES), len(summary.hosts))
    values = random.normal(0, 0.002, (2, *shape))
    values[:, 2, 17] += 0.2 * number / nights
    values[:, 2, 100:200] += 0.05 if number > nights // 2 else 0.0
    links = np.full(shape, 2 * (len(summary.hosts) - 1))
    return OfHosts(values[0], values[1], links, np.zeros(shape, np.int64))


def fill(folder: Path, nights: int, hosts: int) -> None:
    """Make the store."""
    real = keep_real(folder, nights, hosts)
    random = np.random.default_rng(1)
    for number in range(nights - REAL):
        keep_drawn(folder, real[number % REAL], number, nights, random)


def size_of(folder: Path) -> tuple[int, int]:
    """Bytes, and bytes on a file system of blocks of 4 KiB."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return sum(sizes), sum(-(-size // 4096) * 4096 for size in sizes)


def seconds_of(call: Callable[[], object]) -> tuple[float, float]:
    """Real and processor time, the shortest of five: other work on the machine only lengthens."""
    took = []
    for _ in range(5):
        began = time.perf_counter(), processor_time()
        call()
        took.append((time.perf_counter() - began[0], processor_time() - began[1]))
    return min(real for real, _ in took), min(used for _, used in took)


def processor_time() -> float:
    """Of this process and its children, in seconds."""
    return sum(os.times()[:4])


def main() -> int:
    """Returns 1 if a limit is exceeded."""
    folder = Path(sys.argv[1])
    nights, hosts = (int(given) for given in (sys.argv[2:4] + DEFAULT[len(sys.argv) - 2 :])[:2])
    if not folder.exists():
        fill(folder, nights, hosts)
    store = opened_or_new(folder)
    began = time.perf_counter()
    index = index_of(store, anew=True)
    print(f"index made from {len(index)} folders: {time.perf_counter() - began:.1f} s")
    of_links = sum(path.stat().st_size for path in folder.rglob(LINKS))
    total, on_disk = size_of(folder)
    of_results = sum(path.stat().st_size for name in ("results.h5", "report.html") for path in folder.rglob(name))
    print(
        f"size: {total / 1e9:.2f} GB, in blocks {on_disk / 1e9:.2f} GB; single links {of_links / 1e9:.2f} GB, "
        f"results and reports {of_results / 1e9:.2f} GB, index {store.index.stat().st_size / 1e6:.0f} MB"
    )
    slowest = 0.0
    for words in (
        ["history"],
        ["history", "--nights", str(nights)],
        ["history", "n17", "--nights", str(nights)],
        ["history", "n3>n9", "--nights", str(LINK_DAYS)],
        ["store", "--quiet"],
    ):
        command = [sys.executable, "-m", "everylink", *words, "--store", str(folder)]
        took, used = seconds_of(partial(subprocess.run, command, check=True, capture_output=True, env=os.environ))
        slowest = max(slowest, used)
        print(f"everylink {' '.join(words)}: {took:.2f} s, processor time {used:.2f} s")
    newest = measured_at(BEGIN + DAY * nights, hosts, 9, inventory_of(1, hosts))
    took, used = seconds_of(lambda: normal_of(index_of(store), newest))
    print(f"learning what is normal for a check: {took:.2f} s, processor time {used:.2f} s")
    return int(on_disk > LIMIT_BYTES or slowest > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
