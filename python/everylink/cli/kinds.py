"""The kinds of measurements, links and load patterns. Each is one object, with a method for each thing commands do.

Only this module checks what a file holds: commands call `kind_of` and use the object that it returns. Methods import
what most commands do not need, so that `show` starts soon.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

from rich.console import Console

from everylink.cli.answers import Answer
from everylink.cli.sizes import chosen_size
from everylink.errors import FileOfAnotherKind, UserMistake
from everylink.explain.actions import with_actions
from everylink.explain.because import explained
from everylink.inventory.cables import wiring_of_run
from everylink.inventory.cluster import cluster_of
from everylink.inventory.versus import Versus, versus
from everylink.io.foreign import inventory_losses
from everylink.io.formats import FORMATS
from everylink.io.read import read
from everylink.io.topology import Topology, grouping_of
from everylink.judge.expect import parse_expectation
from everylink.judge.judge import Earlier, judge
from everylink.judge.stored import judged_once
from everylink.judge.verdict import JudgedRun, Judgement
from everylink.model.plan import Plan
from everylink.model.results import Results
from everylink.terminal.questions import print_fits, print_host_pairs, print_hosts, print_outside, print_switches
from everylink.terminal.summary import SLOWEST, print_judgement, print_summary
from everylink.terminal.tables import need_bandwidth
from everylink.text.bundle import Subject, links_of_host, table_text
from everylink.text.json_text import json_text
from everylink.text.summary import host_fields, host_pair_fields, outside_fields, summary_fields, switch_fields
from everylink.text.verdicts import headline
from everylink.units import plural, size_text

FITS = "everylink-fits/1"

if TYPE_CHECKING:  # matplotlib takes longer to load than `show` to run
    from everylink.figure.files import Draw


@dataclass(frozen=True)
class Against:
    """The references that a run is judged against: the options of `diagnose`, as the user gave them but for the
    topology, whose file is read; and `normal`, what a store says is slower than it was."""

    topology: Topology | None = None
    expect: str | None = None
    baseline: Path | None = None
    alone: Path | None = None
    normal: Earlier | None = None


@dataclass(frozen=True)
class Shown:
    """What `show` prints besides the summary; `below` and `above` in bytes per second."""

    slowest: int = SLOWEST
    below: float | None = None
    above: float | None = None
    hosts: bool = False
    host_pairs: bool = False
    switches: bool = False
    everything: bool = False  # no table is cut

    @property
    def most(self) -> int | None:
        """How many pairs of hosts and cables."""
        return None if self.everything else self.slowest

    @property
    def limited(self) -> bool:
        return self.below is not None or self.above is not None


@dataclass(frozen=True)
class Compared:
    """A comparison; `regression`: something became slower or failed."""

    regression: bool
    answer: Answer


@dataclass(frozen=True)
class Written:
    """A summary of a file that was written, and one line for each thing that it cannot hold."""

    said: str
    losses: list[str]


class Kind(ABC):
    """A kind of measurement; `noun` is what its files hold. Methods raise UserMistake for what does not apply."""

    noun: ClassVar[str]

    def read(self, path: Path) -> Results:
        """Read a file of this kind. Raises ResultsError, also if it is of another kind."""
        results = read(path)
        if (kind := kind_of(results)) is not self:
            reason = f"holds {kind.name(results)}, not {self.noun}; use show, report or diagnose"
            raise FileOfAnotherKind(results.path, reason)
        return results

    @abstractmethod
    def holds(self, results: Results) -> bool:
        """Whether a file is of this kind."""

    @abstractmethod
    def name(self, results: Results) -> str:
        """What this file holds, for messages."""

    @abstractmethod
    def judge(self, results: Results, against: Against) -> Judgement:
        """Judge a run."""

    @abstractmethod
    def plan(self, results: Results, topology: Topology | None) -> Plan:
        """What `--confirm` would measure next."""

    @abstractmethod
    def compare(self, base: Results, new: Results, least: float, everything: bool = False) -> Compared:
        """Find changes of at least `least`, a fraction; `everything`: no list of them is cut."""

    @abstractmethod
    def show(self, run: JudgedRun, shown: Shown) -> Answer:
        """What there is to say of a run."""

    @abstractmethod
    def fit(self, results: Results, everything: bool) -> Answer:
        """The lines fitted to the times of all sizes; `everything`: no table is cut."""

    @abstractmethod
    def page(self, runs: Sequence[JudgedRun], path: Path, tiles: bool) -> list[Path]:
        """Write one HTML page for all runs, and with `tiles` every single link beside it. Returns the files written."""

    @abstractmethod
    def pages(self, run: JudgedRun) -> "list[Draw]":
        """One function per printed page of a run, which draws it."""

    @abstractmethod
    def csv(self, results: Results, size: int | None, force: bool) -> Written:
        """Write comma-separated values of all sizes, or only of `size` bytes, to the path of the results."""

    @abstractmethod
    def tables_of_host(self, subject: Subject) -> dict[str, str]:
        """What was measured with one host, as comma-separated values by the names of their files."""

    @abstractmethod
    def plots_of_host(self, subject: Subject) -> "dict[str, Draw]":
        """Functions that draw what was measured with one host, by the names of their files."""

    @property
    @abstractmethod
    def formats(self) -> Collection[str]:
        """The formats that can hold results of this kind, as suffixes of file names."""


class Links(Kind):
    """A time for each link and message size."""

    noun = "links"

    def holds(self, results: Results) -> bool:
        return True  # even before anything was measured

    def name(self, results: Results) -> str:
        return self.noun

    def judge(self, results: Results, against: Against) -> Judgement:
        expected = None if against.expect is None else parse_expectation(against.expect)
        baseline, alone = (None if path is None else self.read(path) for path in (against.baseline, against.alone))
        earlier = against.normal if baseline is None else _earlier(baseline, results)
        grouping = grouping_of(results, against.topology)
        if expected is None and earlier is None and alone is None:
            judgement = judged_once(results, grouping)
        else:
            judgement = judge(results, grouping, expected, earlier, alone)
        return with_actions(results, explained(results, judgement, against.topology), against.topology)

    def plan(self, results: Results, topology: Topology | None) -> Plan:
        from everylink.judge.confirm import plan_to_confirm

        return plan_to_confirm(results, grouping_of(results, topology))

    def compare(self, base: Results, new: Results, least: float, everything: bool = False) -> Compared:
        from everylink.compare.comparison import compare
        from everylink.terminal.comparison import changes_text, comparison_json, print_comparison

        found = compare(base, new, least)
        hosts = _changed_hosts(base, new)
        text, json = partial(print_comparison, found, hosts, everything), partial(comparison_json, found, hosts)
        return Compared(found.regression, Answer(text, changes_text(found), json))

    def show(self, run: JudgedRun, shown: Shown) -> Answer:
        results, largest = run.results, run.results.sizes[-1:]
        if shown.limited and largest:
            need_bandwidth(largest[0])
        wiring = wiring_of_run(results, run.topology) if shown.switches else None

        def text(console: Console) -> None:
            print_summary(run, console, shown.slowest, shown.everything)
            for size in largest:
                if shown.limited:
                    print_outside(results, size, shown.below, shown.above, console, shown.everything)
                if shown.hosts:
                    print_hosts(results, size, console, shown.everything)
                if shown.host_pairs:
                    print_host_pairs(results, size, shown.most, console)
                if shown.switches:
                    print_switches(run, size, wiring, shown.most, console, shown.everything)
            print_judgement(run, console, shown.everything)

        def json() -> str:
            fields = summary_fields(run, shown.slowest)
            for size in largest:
                if shown.limited:
                    fields["outside"] = outside_fields(results, size, shown.below, shown.above)
                if shown.hosts:
                    fields["hosts"] = host_fields(results, size)
                if shown.host_pairs:
                    fields["host_pairs"] = host_pair_fields(results, size, shown.most)
                if shown.switches:
                    fields |= switch_fields(run, size, wiring)
            return json_text(fields)

        return Answer(text, headline(run.judgement), json)

    def fit(self, results: Results, everything: bool) -> Answer:
        from everylink.predict.fit import line_fits

        fits = line_fits(results, grouping_of(results))
        if not fits:
            raise UserMistake(
                f"--fit: {results.path} has no times at two sizes or more; measure with -s 8,1MiB at least"
            )
        fields = {"schema": FITS, "file": results.path, "fits": [vars(fit) for fit in fits]}
        return Answer(partial(print_fits, results, fits, everything), "", partial(json_text, fields))

    def page(self, runs: Sequence[JudgedRun], path: Path, tiles: bool) -> list[Path]:
        from everylink.page.html import write_html

        return write_html(runs, path, path.with_suffix(".tiles") if tiles else None)

    def pages(self, run: JudgedRun) -> "list[Draw]":
        from everylink.figure.page import link_pages

        return link_pages(run)

    def csv(self, results: Results, size: int | None, force: bool) -> Written:
        from everylink.io.csv_matrix import write_csv

        chosen = results if size is None else replace(results, sizes=(chosen_size(results, size),))
        return Written(links_text(chosen), write_csv(chosen, force))

    def tables_of_host(self, subject: Subject) -> dict[str, str]:
        return {"links.csv": table_text(links_of_host(subject.results, subject))}

    def plots_of_host(self, subject: Subject) -> "dict[str, Draw]":
        from everylink.figure.host import host_page

        page = partial(host_page, subject.results, subject.index, subject.names)
        return {"links.png": page} if subject.results.sizes else {}

    @property
    def formats(self) -> Collection[str]:
        return FORMATS


class LoadPatterns(Kind):
    """Flows that run at the same time, in scenes."""

    noun = "load pattern"

    def holds(self, results: Results) -> bool:
        return bool(results.loads)

    def name(self, results: Results) -> str:
        return f"the {self.noun} {_names(results)}"

    def judge(self, results: Results, against: Against) -> Judgement:
        from everylink.load.judge import judge_patterns

        for option in ("expect", "baseline", "alone"):
            if getattr(against, option) is not None:
                raise UserMistake(f"--{option}: applies only to links; {results.path} holds a load pattern")
        judgement = judge_patterns(results, grouping_of(results, against.topology))
        return with_actions(results, explained(results, judgement, against.topology), against.topology)

    def plan(self, results: Results, topology: Topology | None) -> Plan:
        raise UserMistake(f"--plan: applies only to links; {results.path} holds a load pattern, which has no plan")

    def compare(self, base: Results, new: Results, least: float, everything: bool = False) -> Compared:
        from everylink.load.compare import compare_loads
        from everylink.load.compare_text import load_comparison_json, print_load_comparison
        from everylink.terminal.comparison import changes_text

        found = compare_loads(base, new, least)
        hosts = _changed_hosts(base, new)
        text, json = (
            partial(print_load_comparison, found, hosts, everything),
            partial(load_comparison_json, found, hosts),
        )
        return Compared(found.regression, Answer(text, changes_text(found), json))

    def show(self, run: JudgedRun, shown: Shown) -> Answer:
        from everylink.load.show import print_load_hosts, print_loads
        from everylink.load.summary import load_summary_fields

        if shown.limited or shown.host_pairs or shown.switches:
            self._refuse_links_only(run.results)

        def text(console: Console) -> None:
            print_loads(run, console, shown.slowest, shown.everything)
            if shown.hosts:
                print_load_hosts(run.results, console, shown.everything)
            print_judgement(run, console, shown.everything)

        return Answer(text, headline(run.judgement), lambda: json_text(load_summary_fields(run, shown.hosts)))

    def fit(self, results: Results, everything: bool) -> Answer:
        self._refuse_links_only(results)

    def _refuse_links_only(self, results: Results) -> NoReturn:
        options = "--fit, --below, --above, --host-pairs and --switches"
        raise UserMistake(f"{options}: apply only to links; {results.path} holds a load pattern")

    def page(self, runs: Sequence[JudgedRun], path: Path, tiles: bool) -> list[Path]:
        from everylink.load.page import write_load_html

        if tiles:
            raise UserMistake(f"--tiles: applies only to links; {runs[0].results.path} holds a load pattern")
        return write_load_html(runs, path)

    def pages(self, run: JudgedRun) -> "list[Draw]":
        from everylink.load.figure import load_pages

        return load_pages(run)

    def csv(self, results: Results, size: int | None, force: bool) -> Written:
        from everylink.load.csv import write_load_csv

        there = sorted({known for load in results.loads for known in load.sizes})
        if size is not None and size not in there:
            raise UserMistake(f"--size {size}: was not measured; {results.path} has {', '.join(map(size_text, there))}")
        count = write_load_csv(results, force, size)
        said = f"{plural(count, 'flow')} of {_names(results)}, {plural(len(results.ranks), 'rank')}"
        return Written(said, list(inventory_losses(results)))

    def tables_of_host(self, subject: Subject) -> dict[str, str]:
        from everylink.load.csv import flows_of_host

        return {"flows.csv": table_text(flows_of_host(subject.results, subject.index, subject.names))}

    def plots_of_host(self, subject: Subject) -> "dict[str, Draw]":
        return {}

    @property
    def formats(self) -> Collection[str]:
        return (".csv",)


LINKS = Links()
KINDS: tuple[Kind, ...] = (LoadPatterns(), LINKS)  # the first one that holds a file is its kind


def kind_of(*runs: Results) -> Kind:
    """The kind of these files. If they differ, the kind whose methods report that."""
    return next(kind for kind in KINDS if any(kind.holds(run) for run in runs))


def judged(results: Results, topology: Topology | None = None) -> JudgedRun:
    """A run, judged without references, by the groups of a topology file, or that it records, or its times show."""
    return judged_against(results, Against(topology))


def judged_against(results: Results, against: Against) -> JudgedRun:
    """A run, judged against references."""
    return JudgedRun(results, kind_of(results).judge(results, against), against.topology)


def links_text(results: Results) -> str:
    """The numbers of links, ranks, hosts and sizes in a file, as text."""
    links = len(results.sizes[-1].links) if results.sizes else 0
    return (
        f"{plural(links, 'link')} of {plural(len(results.ranks), 'rank')} on "
        f"{plural(results.facts.hosts, 'host')}, {plural(len(results.sizes), 'size')}"
    )


def _earlier(baseline: Results, results: Results) -> Earlier:
    from everylink.compare.comparison import compare

    return Earlier(baseline.path, compare(baseline, results).slower)


def _changed_hosts(base: Results, new: Results) -> Versus | None:
    """What changed on the hosts; None unless both runs read them."""
    if not (len(base.inventory) and len(new.inventory)):
        return None
    return versus(cluster_of(base), cluster_of(new))


def _names(results: Results) -> str:
    return ", ".join(load.name for load in results.loads)
