"""`everylink check`: finds the cluster, chooses what to measure, measures, confirms, judges, and answers in short."""

import os
import shlex
import shutil
import socket
import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, TextIO

from rich.console import Console

from everylink.cli.answers import Answer, give, is_brief
from everylink.cli.kinds import Against, judged_against
from everylink.cli.measuring import Ran, live_of, measure
from everylink.cli.options.parser import parsed, parsed_in_part
from everylink.cli.options.table import CHECK, RUN
from everylink.cli.reports import write_report
from everylink.cli.settings import NAME, Settings, settings_now
from everylink.cli.stored import keep_in_store
from everylink.errors import CoreError, EverylinkError, UserMistake
from everylink.exit_codes import MEASURED, Exit
from everylink.host_lists import folded, folded_by_reason
from everylink.io.read import read
from everylink.io.topology import given_topology
from everylink.launch.cluster import Cluster, cluster_of_job
from everylink.launch.confirm import confirm
from everylink.launch.core import check_version, find_core
from everylink.launch.job import UnusableHosts, hosts_of
from everylink.launch.launchers import starter, usual_launcher
from everylink.launch.plan import FIRST, SIZES, Plan, plan_of
from everylink.launch.transports import CHOICES, Choice, Refused, adapters_of_each_host, hosts_not_joined
from everylink.model.results import Results
from everylink.store.index import index_of
from everylink.store.layout import Store
from everylink.store.normal import slower_than_normal
from everylink.terminal.console import terminal
from everylink.text.check import Checked, check_headline, check_json, check_text
from everylink.text.drain import scontrol_text
from everylink.text.nagios import as_plugin, nagios_line
from everylink.units import plural

if TYPE_CHECKING:
    from everylink.cli.live import Live

FIRST_FILE = "first.h5"
FEWEST_RANKS, MOST_RANKS = 4, 16  # on a single machine
PART_ALONE = 0.25  # of the time that is left: for measuring suspects alone, in each round of confirming
NODES = Path("/sys/devices/system/node")


@dataclass
class Run:
    """The ranks of a check: where they run, and what could not be used."""

    core: Path
    cluster: Cluster | None  # None: this machine alone
    log: TextIO
    quiet: bool
    unusable: dict[str, str] = field(default_factory=dict)  # reasons by host
    live: "Live | None" = None  # a browser shows it, too
    adapters: int = 1  # of each host, with a rank each, if there are several hosts

    @property
    def hosts(self) -> list[str]:
        """The usable hosts, in the order of their ranks."""
        hosts = [host for host in self.cluster.hosts if host not in self.unusable] if self.cluster else []
        return hosts_of(folded(hosts), "hosts") if hosts else []

    @property
    def ranks_per_host(self) -> int:
        """One per adapter. On a single host one per NUMA node, as far as this machine's tell."""
        return self.adapters if self.cluster and len(self.cluster.hosts) > 1 else ranks_of_this_machine()

    @property
    def ranks(self) -> int:
        return self.ranks_per_host * max(len(self.hosts), 1)

    @property
    def where(self) -> str:
        if self.cluster is None:
            return f"this machine alone ({socket.gethostname()}), {plural(self.ranks_per_host, 'rank')}"
        each = ", one per adapter" if self.adapters > 1 else ""
        return f"{folded(self.hosts)} ({self.cluster.text}), {plural(self.ranks_per_host, 'rank')} per host{each}"

    @property
    def run_words(self) -> list[str]:
        """The options of `everylink run` that start these ranks."""
        if self.cluster is None:
            return ["--np", str(self.ranks_per_host)]
        ranks = [] if self.ranks_per_host == 1 else ["--nranks", str(self.ranks_per_host)]
        rails = ["--rails", "auto"] if self.adapters > 1 else []
        return ["--hosts", folded(self.hosts), *ranks, *rails, "--launcher", self.cluster.launcher]

    def measure(self, core_options: Sequence[str], errors: TextIO | None = None) -> Ran:
        """Run the core once on all usable hosts. Its standard error goes to `errors`, or to ours.

        Hosts that turn out to be unusable are left out, and the others are started without them.
        """
        while True:
            try:
                return self._measure(core_options, errors)
            except UnusableHosts as error:
                self.leave_out(error.reasons)

    def leave_out(self, reasons: Mapping[str, str]) -> None:
        """Measure without these hosts. Raises EverylinkError if fewer than two are left."""
        self.unusable |= reasons
        if len(self.hosts) < 2:
            said = "; ".join(f"{hosts}: {reason}" for hosts, reason in folded_by_reason(self.unusable))
            raise EverylinkError(f"{plural(len(self.hosts), 'host')} left; {said}")

    def _measure(self, core_options: Sequence[str], errors: TextIO | None) -> Ran:
        print(shlex.join(["everylink", "run", *self.run_words, *core_options]), file=self.log, flush=True)
        start = starter(self.core, parsed_in_part(RUN, self.run_words)[0], core_options)
        console = None if self.quiet else terminal()
        return measure(start, core_options, console, self.log, errors=errors, live=self.live)


@as_plugin
def main(arguments: Sequence[str]) -> int:
    """Check a cluster, or this machine. Exit codes: 0 healthy, 3 faults, 4 nothing proven but something is suspect."""
    began = time.monotonic()
    options = parsed(CHECK, arguments)
    settings = settings_now()
    core = find_core()
    check_version(core)
    cluster = _cluster(options, settings)
    for name in ("mode", "within", "store"):
        setattr(options, name, settings.of(options, name))
    if options.dry_run:
        if options.live is not None:
            raise UserMistake("--live and --dry-run exclude each other")
        return _print_plan(cluster, options, settings)
    with live_of(options) as live:
        return _checked(options, settings, arguments, core, cluster, live, began)


def _checked(
    options: Namespace,
    settings: Settings,
    arguments: Sequence[str],
    core: Path,
    cluster: Cluster | None,
    live: "Live | None",
    began: float,
) -> int:
    topology = given_topology(settings.topology)
    store = None if options.store is None else settings.store_to_fill(options)
    folder = _new_folder(cluster, store)
    with _log(folder, shlex.join(["everylink", "check", *arguments])) as log:
        if settings.files:
            print(_files_text(settings), file=log)
        run = Run(core, cluster, log, quiet=is_brief(options), live=live)
        choice, first = _chosen(run, folder, options.mode)
        if cluster and len(cluster.hosts) > 1:
            run.adapters = adapters_of_each_host(first, choice.mode)
        plan = plan_of(first, run.ranks, options.within)
        _say(run, f"{run.where}: {choice.mode}, because {choice.reason}; {plan.text}")
        results = _measured(run, folder, choice, plan, began + options.within)
    normal = None if store is None else slower_than_normal(index_of(store), results)
    judgement = judged_against(results, Against(topology, settings.expect, normal=normal))
    if plan.too_short:
        remarks = (plan.too_short, *judgement.judgement.remarks)
        judgement = replace(judgement, judgement=replace(judgement.judgement, remarks=remarks))
    checked = Checked(
        judgement, run.where, cluster is None, run.unusable, choice.mode, choice.reason, plan.is_complete, folder
    )
    if live:
        live.end(checked.run)
    if store is None:
        _keep(checked, checked.folder)
    else:
        try:
            checked = keep_in_store(store, checked, _keep, options, settings.kept)
        except (EverylinkError, OSError):
            give(_answer(checked), options)  # a full disk must not hide what was found
            raise
    give(_answer(checked), options)
    return checked.conclusion.exit_code


def _answer(checked: Checked) -> Answer:
    def text(console: Console) -> None:
        console.print(check_text(checked), soft_wrap=True)

    line, judgement = check_headline(checked), checked.run.judgement
    forms = {
        "nagios": partial(nagios_line, line.plain, judgement, checked.conclusion),
        "scontrol": partial(scontrol_text, checked.run.results, judgement, checked.unusable),
    }
    return Answer(text, line, partial(check_json, checked), forms)


def ranks_of_this_machine() -> int:
    """One rank per NUMA node, but 4 to 16."""
    nodes = len(list(NODES.glob("node[0-9]*")))
    return min(max(nodes, FEWEST_RANKS), MOST_RANKS)


def _cluster(options: Namespace, settings: Settings) -> Cluster | None:
    """The hosts that the user names, else those of the batch job, else those of everylink.toml, else None: this machine
    alone. Raises UserMistake."""
    launcher = options.launcher or settings.launcher
    if options.nodes and options.hosts is not None:
        raise UserMistake("HOSTS and --hosts exclude each other: both name hosts")
    if options.nodes or options.hosts is not None:
        text = ",".join(options.nodes) if options.nodes else options.hosts
        hosts = hosts_of(text, "HOSTS" if options.nodes else "--hosts", settings.groups)
        return Cluster(tuple(hosts), "named hosts", launcher or usual_launcher())
    job = cluster_of_job(os.environ)
    if job:
        return Cluster(job.hosts, job.found_by, launcher) if launcher else job
    if settings.hosts is not None:
        hosts = hosts_of(settings.hosts, f"check.hosts of {NAME}:", settings.groups)
        return Cluster(tuple(hosts), f"hosts of {NAME}", launcher or usual_launcher())
    if options.launcher:
        raise UserMistake(f"--launcher {options.launcher}: requires hosts; name them, as in everylink check 'n[8-11]'")
    return job


def _files_text(settings: Settings) -> str:
    return f"settings: {', '.join(map(str, settings.files))}"


def _print_plan(cluster: Cluster | None, options: Namespace, settings: Settings) -> int:
    if settings.files:
        print(_files_text(settings))
    run = Run(Path("everylink-measure"), cluster, sys.stdout, quiet=True)
    print(f"hosts: {run.where}")
    modes = [options.mode] if options.mode else [choice.mode for choice in CHOICES]
    print(f"mode: {', else '.join(modes)}; a first run of one step over all ranks decides, and times a step")
    print(f"then, within {options.within:.0f} s: as many partners per rank as fit, suspects again, judgement, report")
    for mode in modes:
        print(shlex.join(["everylink", "run", *run.run_words, "-m", mode, "-s", SIZES, *FIRST]))
    print(shlex.join(["everylink", "run", *run.run_words, "--confirm", "-m", modes[0], "-s", SIZES]))
    return 0


def _new_folder(cluster: Cluster | None, store: Store | None) -> Path:
    """A folder that did not exist, everylink-NAME-TIME, here or in a store. Raises EverylinkError."""
    job = os.environ.get("SLURM_CLUSTER_NAME") if cluster else None
    name = job or (cluster.hosts[0] if cluster else socket.gethostname()).partition(".")[0]
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    if store is not None:
        return store.new_folder(f"everylink-{name}-{stamp}")
    for more in ("", *(f"-{number}" for number in range(2, 100))):
        folder = Path(f"everylink-{name}-{stamp}{more}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            raise EverylinkError(f"{folder}: cannot be created: {error.strerror}; change to another folder") from None
        return folder
    raise EverylinkError(f"everylink-{name}-{stamp}: exists a hundred times; change to another folder")


def _log(folder: Path, line: str) -> TextIO:
    """The log with its first line. Raises EverylinkError, and leaves nothing, where that cannot be written."""
    log = (folder / "log.txt").open("w", encoding="utf-8")
    try:
        print(line, file=log, flush=True)
    except OSError as error:
        shutil.rmtree(folder)
        raise EverylinkError(f"{folder}: cannot be written: {error.strerror}; change to another folder") from None
    return log


def _chosen(run: Run, folder: Path, mode: str | None) -> tuple[Choice, Results]:
    """The first choice that works on all hosts, and what its first run measured. Raises EverylinkError with reasons."""
    refused: list[str] = []
    for choice in [Choice(mode, lambda results: "you chose it")] if mode else CHOICES:
        try:
            first = _tried(run, folder, choice.mode)
            reason = choice.accept(first)
        except Refused as why:
            refused.append(str(why))
            continue
        first.path.unlink(missing_ok=True)
        return choice.because("; ".join(refused) or reason), first
    raise CoreError(f"no mode works on all hosts: {'; '.join(refused)}; see {folder / 'log.txt'}")


def _tried(run: Run, folder: Path, mode: str) -> Results:
    """The first run of a mode: what its library and the core print belongs to the log. Raises Refused."""
    with TemporaryFile("w+", encoding="utf-8", errors="replace", dir=folder) as errors:
        try:
            return _first_run(run, folder, mode, errors)
        finally:
            errors.seek(0)
            run.log.write(errors.read())


def _first_run(run: Run, folder: Path, mode: str, errors: TextIO) -> Results:
    """What a short run measures; a host whose rank did not join is left out from then on.

    The first host, which all ranks join, is left out if the others work without it. Raises Refused, with what the core
    says in `errors`, if no run starts, and EverylinkError if its results file is refused.
    """
    settings = ["-m", mode, "-s", SIZES, *FIRST, "--force", "-o", str(folder / FIRST_FILE)]
    ran = _started(run, settings, errors)
    if ran.code == Exit.FAILURE and len(run.hosts) > 2:
        leader = run.hosts[0]
        run.leave_out({leader: "no rank joined it as the first host; without it the others work"})
        ran = _started(run, settings, errors)
        if ran.code not in MEASURED:
            del run.unusable[leader]
    if ran.code not in MEASURED or ran.output is None:
        said = _said_by_core(errors, mode)
        if said.startswith("--output"):
            raise EverylinkError(said)  # no other mode helps
        raise Refused(f"{mode} does not start ({said or f'exit code {ran.code}'})")
    first = read(ran.output)
    if missing := hosts_not_joined(first, run.hosts):
        leader = run.hosts[0]
        run.leave_out(dict.fromkeys(missing, f"its rank did not join; can it reach {leader} over the network?"))
    return first


def _started(run: Run, settings: Sequence[str], errors: TextIO) -> Ran:
    """A run that may fail as a whole; its log has the reason."""
    try:
        return run.measure(settings, errors)
    except CoreError as error:
        print(error, file=run.log)
        return Ran(Exit.FAILURE, None, 0)


def _said_by_core(errors: TextIO, mode: str) -> str:
    """The last message of the core in this file, if any."""
    errors.seek(0)
    messages = [said for line in errors if (said := line.partition("everylink-measure: ")[2].strip())]
    return messages[-1].removeprefix(f"--mode {mode}: ") if messages else ""


def _measured(run: Run, folder: Path, choice: Choice, plan: Plan, until: float) -> Results:
    """The results of the whole plan, and of suspects that were measured again while there was time."""
    settings = ["-m", choice.mode, *plan.core_options, "-o", str(folder / "results.h5")]
    ran = run.measure(settings)
    if ran.output is None or not ran.output.exists() or ran.code not in MEASURED:
        raise CoreError(f"the measurement ended with exit code {ran.code}; see {folder / 'log.txt'}")

    def again(more: Sequence[str]) -> int:
        left = max(until - time.monotonic(), 1.0)
        return run.measure([*settings, "--retest-budget", f"{left * PART_ALONE:.0f}", *more]).code

    confirm(ran.output, again, until)
    return read(ran.output)


def _keep(checked: Checked, folder: Path) -> None:
    (folder / "verdict.json").write_text(check_json(checked) + "\n", encoding="utf-8")
    write_report([checked.run], folder / "report.html", force=False)


def _say(run: Run, line: str) -> None:
    print(line, file=run.log, flush=True)
    if not run.quiet:
        terminal().print(line, soft_wrap=True, highlight=False, markup=False)
