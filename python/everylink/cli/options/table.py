"""The options of every command in one table, from which parsing, help, the man page and completion are generated.

It imports only the standard library, so that the man page and completion can be generated when the package is built.
Tests compare the choices with the code.
"""

from everylink.cli.options.option import Command, Example, Note, Option, Program
from everylink.exit_codes import MEANINGS
from everylink.simulate.faults import FORMS as FAULTS
from everylink.version import VERSION

MOST_RANKS = 1 << 24  # limit of the core
MOST_SIMULATED = 1 << 20
CSV_REQUIRED = ("from", "to", "host_from", "host_to", "bytes", "seconds")
CSV_OPTIONAL = ("min", "p99", "max", "mean", "outcome", "late", "n", "step", "attempt")
PAGE_FORMS = ("text", "json", "man", "bash", "zsh", "fish")

# Tables and matrices of `export --what`.
EXPORTS = (
    ("slowest", "the slowest links, with their first and second time and their hosts (see --count)"),
    ("outside", "links below (--below) or above (--above) a bandwidth, labelled slow and fast"),
    ("step-pattern", "the step that measured each link; also as a picture"),
    ("bandwidth-pattern", "time and bandwidth of every pair of ranks, for gnuplot; also as a picture"),
    ("time-distribution", "histogram of link times"),
    ("bandwidth-distribution", "histogram of link bandwidths"),
    ("hosts", "mean and worst link of each host, as sender and as receiver"),
    ("ranks", "mean and worst link of each rank, as sender and as receiver"),
    ("places", "where each rank ran"),
)

# Files of LinkTest 1.2's analyser: letter, export, file, meaning.
ANALYSER_FILES = (
    ("a", "step-pattern", "accesspattern.ppm", "the step that measured each link, one pixel per link"),
    ("A", "step-pattern", "accesspattern.dat", "the same as text"),
    ("b", "bandwidth-pattern", "bwpattern.ppm", "bandwidths, one pixel per link"),
    ("B", "slowest", "bad_links.dat", "the slowest links, with their first and second time and their hosts"),
    ("D", "ranks", "nodelist.dat", "each rank as sender and as receiver"),
    ("g", "bandwidth-pattern", "gnuplotinput.dat", "time and bandwidth of every pair of ranks"),
)
ANALYSER_REPORT = "report_fzjlinktest.ps"
NOT_SUPPORTED = (
    ("d", "distances on a torus are not computed; everylink diagnose FILE --topology uses switches"),
    ("f", "colours scale by themselves; leave it out"),
    ("m", "single links cannot be masked; measure the links of a list with everylink-measure --schedule file:PAIRS"),
    ("O", "files from before LinkTest 1.2 cannot be read"),
    ("q", "block sizes are read from the file; leave it out"),
    ("Q", "block sizes are read from the file; leave it out"),
    ("s", "the number of links determines the number of bins; leave it out"),
    ("t", "the ends of the colour scale are chosen so that no outlier flattens it; leave it out"),
    ("T", "the ends of the colour scale are chosen so that no outlier flattens it; leave it out"),
)


def _file(brief: str = "results file", *, more: str = "", several: bool = False) -> Option:
    name = "files" if several else "file"
    return Option(
        names=(name,),
        value="FILE",
        unit="file",
        group="Arguments",
        brief=brief,
        more=more,
        required=True,
        repeats=several,
    )


def _topology(group: str, more: str = "") -> Option:
    return Option(
        names=("--topology",),
        value="FILE",
        unit="file",
        group=group,
        brief="a file that says which hosts share a switch",
        more=f"Slurm's topology.conf, or the output of ibnetdiscover.{more}",
    )


def _force(what: str) -> Option:
    return Option(names=("--force",), group="Output", brief=f"overwrite {what}")


def _all(what: str, group: str = "Output") -> Option:
    return Option(names=("--all",), group=group, brief=f"{what}, however many", more="JSON has all anyway.")


def _store(more: str = "") -> Option:
    return Option(
        names=("--store",),
        value="DIR",
        unit="file",
        group="Store",
        brief="the folder in which runs are kept",
        otherwise="that of [store] in everylink.toml, if any",
        more=more,
    )


OTHER_FORMS = {
    "junit": "junit is XML for test systems.",
    "nagios": "nagios is the one line of a plugin for Nagios or Icinga, with its exit codes: 0 OK, 1 WARNING, "
    "2 CRITICAL, 3 UNKNOWN.",
    "scontrol": "scontrol prints a command of Slurm for each host to drain, and runs none of them.",
}


def _forms(quiet: str, *others: str, group: str = "Output") -> tuple[Option, ...]:
    """--format and --quiet, which every command has; `quiet` is what is left to print."""
    return (
        Option(
            names=("--format",),
            value="FORM",
            unit="choice",
            choices=("text", "json", *others),
            default="text",
            group=group,
            brief="output format",
            more=" ".join(["docs/json.md describes json, which is one object.", *(OTHER_FORMS[one] for one in others)]),
        ),
        Option(names=("--quiet",), group=group, brief=f"print {quiet}"),
    )


CONCLUSION, NOTHING = "only the conclusion, as one line", "nothing but errors"


HELP = (
    Option(names=("-h",), group="Help", brief="print a short help"),
    Option(names=("--help",), group="Help", brief="print this help"),
)
EXIT_STATUS = Note("Exit status", " ".join(f"{code}: {meaning}." for code, meaning in MEANINGS.items()))
LIVE = "The run may still be in progress or may have been interrupted."


def _live(group: str) -> Option:
    """--live[=PORT]."""
    return Option(
        names=("--live",),
        value="PORT",
        unit="count",
        optional=True,
        range=(1024, 65535),
        group=group,
        brief="show the run in a browser while it goes on",
        more="The page is served on 127.0.0.1 under an address that is printed, with the ssh line for a browser on "
        "another machine: progress, links that failed, hosts that are slower so far, and the matrix. PORT is one that "
        "is free unless it is given.",
    )


CHECK = Command(
    program="everylink check",
    brief="check a cluster, or this machine, and name what is bad",
    summary="Find the cluster, choose the transport, measure as many links as fit into the time, measure suspects "
    "again, and name what is bad. Inside a job of Slurm, PBS, LSF, Grid Engine or Flux the hosts are those of the job; "
    "elsewhere HOSTS names them; without either it checks this machine alone.",
    options=(
        Option(
            names=("nodes",),
            value="HOSTS",
            unit="text",
            group="Arguments",
            repeats=True,
            brief="hosts, as in n[8-11]",
        ),
        Option(
            names=("--hosts",),
            value="NODES",
            unit="text",
            group="Hosts",
            brief="the same as HOSTS",
            more="A node set: n[8-11], r[1-2]n[1-2], @group, @FILE, n[1-9]!n3.",
        ),
        Option(
            names=("--launcher",),
            value="NAME",
            unit="choice",
            choices=("mpiexec", "srun", "ssh"),
            group="Hosts",
            brief="what starts the ranks",
            otherwise="srun inside a Slurm job, else ssh",
        ),
        Option(
            names=("--mode",),
            value="MODE",
            unit="text",
            group="Measurement",
            brief="the transport, with its options",
            otherwise="the first of ucp, ofi, ibverbs and tcp that works on all hosts and that applications would use",
        ),
        Option(
            names=("--within",),
            value="TIME",
            unit="seconds",
            range=(10, None),
            default="5m",
            group="Measurement",
            brief="the time that the check may take, as in 90s, 5m or 1h",
            more="It decides between all pairs and several partners per host, and how much is confirmed.",
        ),
        Option(names=("--dry-run",), group="Measurement", brief="print the plan and the command lines only"),
        _store("The check is kept there, made if need be, and says what is new since the last run."),
        _live("Output"),
        *_forms(CONCLUSION, "nagios", "scontrol"),
        *HELP,
    ),
    examples=(
        Example("Check this machine, or the nodes of this job:", "everylink check"),
        Example("Check four hosts by ssh within two minutes:", "everylink check 'n[8-11]' --within 2m"),
    ),
    notes=(
        Note(
            "Files",
            "Everything is kept in a new folder everylink-NAME-TIME, or in a store: results.h5, report.html, "
            "verdict.json, and log.txt, which has the command lines. Hosts, groups, topology, expectations and the "
            "store may be set in /etc/everylink/everylink.toml, ~/.config/everylink/everylink.toml and "
            "./everylink.toml, of which the later ones win: docs/history.md.",
        ),
    ),
)

SIDES = "Servers and clients"
WITHOUT_SERVERS = "Without --servers, the clients run the pattern all-to-all."


def _of_side(side: str, more: str = "") -> tuple[Option, ...]:
    """The options that `everylink run` and Network Sanitizer's command have for the servers, and for the clients."""
    one = side.removesuffix("s")
    return (
        Option(
            names=(f"--{side}",),
            value="NODES",
            unit="text",
            group=SIDES,
            brief=f"hosts of the {side}, such as {one}[1-4,7]",
            more=more,
        ),
        Option(
            names=(f"--{side}-file",),
            value="FILE",
            unit="file",
            group=SIDES,
            brief=f"a file that lists the hosts of the {side}",
        ),
        Option(
            names=(f"--{side}-nranks",),
            value="R",
            unit="count",
            range=(1, MOST_RANKS),
            group=SIDES,
            brief=f"ranks on each {one}",
            otherwise="1",
        ),
        Option(
            names=(f"--{side}-args", f"--{one}-args"),
            value="ARGS",
            unit="text",
            dashes=True,
            group=SIDES,
            brief=f"arguments for the {side} only",
            more="-env NAME VALUE, --rails, --interface, --mode; with mpiexec also its own arguments.",
        ),
    )


RUN = Command(
    program="everylink run",
    brief="measure every link of this machine or of an MPI job, then show the results",
    summary="Measure every link, or run a load pattern, then show the results. Options that are not listed here go to "
    "everylink-measure unchanged; everylink-measure --help lists them. Without -s and --preset, links are measured "
    "with messages of 8 B, 64 KiB and 1 MiB (everylink-measure alone: 1 B).",
    passes_on=True,
    options=(
        Option(
            names=("--np",),
            value="N",
            unit="count",
            group="Ranks",
            brief="number of ranks",
            otherwise="in a batch job of several hosts, --nranks on each; local: one rank per core, at least 2",
        ),
        Option(
            names=("--launcher",),
            value="NAME",
            unit="choice",
            group="Ranks",
            brief="what starts the ranks",
            choices=("local", "mpiexec", "srun", "ssh", "command"),
            otherwise="local; with --hosts srun inside a Slurm job, else ssh",
        ),
        Option(
            names=("--launcher-args",),
            value="ARGS",
            unit="text",
            group="Ranks",
            dashes=True,
            brief="arguments for mpiexec, srun or ssh",
            more='With --launcher command, the whole command, as in "srun --mpi=pmix". Words are split as in a shell.',
        ),
        Option(
            names=("--hosts",),
            value="NODES",
            unit="text",
            group="Hosts",
            brief="hosts to start ranks on",
            more="A node set: n[8-11], r[1-2]n[1-2], @group, @FILE, n[1-9]!n3.",
        ),
        Option(
            names=("--nranks",),
            value="R",
            unit="count",
            range=(1, MOST_RANKS),
            group="Hosts",
            brief="ranks on each host of --hosts",
            otherwise="1",
        ),
        Option(
            names=("--env",),
            value="KEY=VALUE",
            unit="text",
            repeats=True,
            group="Hosts",
            brief="an environment variable of the ranks",
            more="KEY alone takes the value that it has here.",
        ),
        *_of_side("servers", more="Or a number N: the first N ranks of --np or --hosts."),
        *_of_side("clients", more=WITHOUT_SERVERS),
        *(
            Option(
                names=(f"--{side}-env",),
                value="KEY=VALUE",
                unit="text",
                repeats=True,
                group=SIDES,
                brief=f"an environment variable of the {side} only",
            )
            for side in ("servers", "clients")
        ),
        Option(
            names=("--confirm",),
            group="Results",
            brief="re-measure suspects, then judge",
            more="Suspected links are measured again under load, alone and in one direction.",
        ),
        _topology("Results", " The run is judged by it, and --schedule screen spreads its pairs over the switches."),
        _live("Results"),
        Option(
            names=("--report",),
            value="FILE",
            unit="file",
            group="Results",
            brief="also write a report",
            more="The name ends in .html, .pdf, .ps or .png. An existing file is overwritten only with --force, as the "
            "results file.",
        ),
        Option(
            names=("--linktest-lines",),
            group="Results",
            brief="also print LinkTest's lines: per step Parallel Results and others, RESULT at the end",
            more="As everylink-measure does, and everylink run with --preset, --step-lines and --no-output.",
        ),
        *_forms(CONCLUSION, group="Results"),
        *HELP,
    ),
    examples=(
        Example("Measure every pair of 8 processes on this machine:", "everylink run --np 8 -s 1,64KiB,1MiB"),
        Example("Measure between four hosts, two ranks on each:", "everylink run --hosts 'n[8-11]' --nranks 2 -s 1MiB"),
        Example(
            "Measure a simulated cluster with a slow host, and draw it:",
            "everylink run --np 64 --mode sim:hosts=64,leaf=16,slow-host=5*0.5 -s 1MiB --report sim.html",
        ),
    ),
    notes=(
        Note(
            "Abbreviations",
            "Write the options above in full. Abbreviations are passed on to everylink-measure, which expands its own.",
        ),
        Note(
            "Files",
            "Without -o the results go to everylink.h5 or, where that exists, to everylink-2.h5, everylink-3.h5 and so "
            "on. A file that -o names is overwritten only with --force.",
        ),
        EXIT_STATUS,
    ),
)

SHOW = Command(
    program="everylink show",
    brief="print a results file: failed links, times, bandwidths, slowest links, a map",
    summary="Print a results file on the terminal: failed links first, then times and bandwidths.",
    options=(
        _file(more=LIVE),
        Option(
            names=("--slowest",),
            value="N",
            unit="count",
            default="10",
            group="Links",
            brief="number of slowest links to list",
        ),
        Option(
            names=("--below",),
            value="RATE",
            unit="rate",
            group="Links",
            brief="also list links slower than this",
            more="For example 10GiB/s or 100Gb/s.",
        ),
        Option(names=("--above",), value="RATE", unit="rate", group="Links", brief="also list links faster than this"),
        Option(
            names=("--hosts",),
            group="Hosts",
            brief="also list every host",
            more="Mean and worst link of each, as sender and as receiver; for the pattern client-server each server "
            "and client.",
        ),
        Option(
            names=("--host-pairs",),
            group="Hosts",
            brief="also list the best and the worst path of pairs of hosts",
            more="Those whose paths differ most, as many as --slowest says, and the rail that makes the difference. It "
            "takes several ranks on a host.",
        ),
        Option(
            names=("--switches",),
            group="Hosts",
            brief="also list every switch, and the slowest cables between hosts and switches",
            more="Where hosts told their neighbours (LLDP), Slurm the switches, or --topology names them.",
        ),
        _topology("Hosts"),
        Option(
            names=("--fit",),
            group="Fit",
            brief="print only latency, asymptotic bandwidth and n_1/2",
            more="One line for each kind of link, from a line fitted to the times of all sizes.",
        ),
        _all("print all rows of tables, which otherwise have 15"),
        *_forms(CONCLUSION),
        *HELP,
    ),
    examples=(
        Example("Show a run, also one in progress:", "everylink show everylink.h5"),
        Example("List all links below 10 GiB/s, and every host:", "everylink show run.h5 --below 10GiB/s --hosts"),
    ),
)

REPORT = Command(
    program="everylink report",
    brief="draw results files as an HTML page, PDF, PostScript or PNG",
    summary="Draw results files: HTML to explore; PDF, PostScript (A4) or PNG to keep. There is one page for each run "
    "and message size, or for each load pattern. In all but HTML, pages of verdicts follow, and one of hosts and "
    "cables, if the run read them.",
    options=(
        _file(several=True),
        Option(
            names=("-o", "--output"),
            value="FILE",
            unit="file",
            required=True,
            group="Output",
            brief="file to write: .html, .pdf, .ps or .png",
            more="Several pages as PNG become x-1.png, x-2.png and so on; verdicts and hosts are x-verdicts.png and "
            "x-hosts.png.",
        ),
        Option(
            names=("--tiles",),
            group="Output",
            brief="also write every single link, for a page of a large run",
            more="They go to x.tiles beside x.html, 5 bytes per link; the page reads of it what is looked at.",
        ),
        _force("FILE"),
        *_forms(NOTHING),
        _topology("Hosts"),
        Option(
            names=("--curves",),
            group="Curves",
            brief="draw bandwidth over message size instead",
            more="One figure for each kernel, one curve for each run; HTML, PDF or PNG.",
        ),
        Option(
            names=("--line",),
            value="RATE",
            unit="text",
            repeats=True,
            group="Curves",
            brief="with --curves, draw a line at this bandwidth",
            more="For example 11.64GiB/s, or with a label HDR=200Gb/s.",
        ),
        *HELP,
    ),
    examples=(
        Example("One page to open in a browser:", "everylink report run.h5 -o run.html"),
        Example(
            "Curves of two runs against the port rate:",
            "everylink report old.h5 new.h5 -o curves.pdf --curves --line HDR=200Gb/s",
        ),
    ),
)

VIEW = Command(
    program="everylink view",
    brief="show results files in a browser, with every single link",
    summary="Show the HTML report of results files in a browser, with every single link at any size. It is served on "
    "127.0.0.1 under an address that cannot be guessed, until Ctrl-C or until the terminal is closed. For a browser on "
    "another machine ssh forwards the port: the line to type is printed.",
    options=(
        _file(several=True),
        Option(
            names=("--port",),
            value="PORT",
            unit="count",
            range=(1024, 65535),
            group="Server",
            brief="port to listen on",
            otherwise="one that is free",
        ),
        *_forms("only the address"),
        _topology("Hosts"),
        *HELP,
    ),
    examples=(Example("The report of a large run, down to single links:", "everylink view run.h5"),),
)

DIAGNOSE = Command(
    program="everylink diagnose",
    brief="find faulty hosts, ranks, links and groups",
    summary="Find faulty hosts, ranks, links and groups in a results file, with direction, severity, confidence and "
    "evidence.",
    options=(
        _file(more=LIVE),
        _all("name all faults, findings and suspects"),
        *_forms(CONCLUSION, "junit", "nagios", "scontrol"),
        _topology("Reference"),
        Option(
            names=("--expect",),
            value="WHAT",
            unit="text",
            group="Reference",
            brief="what the links must reach: latency=2us,bandwidth=90%:100Gb/s",
            more="Links that fall short also count as faults.",
        ),
        Option(
            names=("--baseline",),
            value="FILE",
            unit="file",
            group="Reference",
            brief="an earlier run",
            more="What became slower since then also counts as a fault.",
        ),
        Option(
            names=("--alone",),
            value="FILE",
            unit="file",
            group="Reference",
            brief="a run of the same ranks with --serial-tests",
            more="Separates what is slow only under load from what is slow alone.",
        ),
        Option(
            names=("--plan",),
            value="PLAN",
            unit="file",
            group="Output",
            brief="write what is to be measured next: the plan that everylink-measure --confirm takes",
            more="Each line is RANK RANK PHASE. A plan without lines says that nothing is suspect. run --confirm "
            "writes and measures plans by itself.",
        ),
        _force("an existing file of --plan"),
        *HELP,
    ),
    examples=(
        Example("Judge a run by itself:", "everylink diagnose everylink.h5"),
        Example(
            "Judge it against the port rate and the topology:",
            "everylink diagnose run.h5 --expect bandwidth=90%:100Gb/s --topology topology.conf",
        ),
        Example("Say what to measure again:", "everylink diagnose run.h5 --plan plan.txt"),
    ),
    notes=(EXIT_STATUS,),
)

COMPARE = Command(
    program="everylink compare",
    brief="report what became slower or faster between two runs",
    summary="Report what became slower or faster between two runs of the same kind: all links, single hosts, ranks and "
    "links; or for a load pattern bandwidths, latencies and shares. Ranks are matched by host and local rank.",
    options=(
        Option(
            names=("base",),
            value="BASE",
            unit="file",
            required=True,
            group="Arguments",
            brief="results file to compare with",
        ),
        Option(
            names=("new",),
            value="NEW",
            unit="file",
            required=True,
            group="Arguments",
            brief="results file of the later run",
        ),
        _all("print all changes, of which otherwise 15 of each kind are printed"),
        *_forms("only how much changed, as one line"),
        Option(
            names=("--at-least",),
            value="P%",
            unit="percent",
            default="5%",
            group="Output",
            brief="the smallest change that counts",
        ),
        *HELP,
    ),
    examples=(Example("Changes of at least 10 %:", "everylink compare before.h5 after.h5 --at-least 10%"),),
    notes=(EXIT_STATUS,),
)

MERGE = Command(
    program="everylink merge",
    brief="combine runs of the same ranks and settings into one results file",
    summary="Combine runs of the same ranks and settings: noise evens out, and what is slow in every run remains. "
    "Runs that differ are refused, with the setting that differs. A link that failed in any run counts as failed.",
    options=(
        _file("results files, two or more", several=True),
        Option(
            names=("-o", "--output"),
            value="OUT",
            unit="file",
            required=True,
            group="Output",
            brief="results file to write",
        ),
        Option(
            names=("--by",),
            value="WAY",
            unit="choice",
            choices=("median", "min"),
            required=True,
            group="Output",
            brief="how the times of a link are combined",
            more="median: all times are kept, and a link has the median of its runs. min: a link has the times of its "
            "fastest run.",
        ),
        _force("OUT"),
        *_forms(NOTHING),
        *HELP,
    ),
    examples=(Example("Combine three runs:", "everylink merge mon.h5 tue.h5 wed.h5 --by median -o week.h5"),),
)

CONVERT = Command(
    program="everylink convert",
    brief="convert results between formats: ours, LinkTest's, CSV, NumPy",
    summary="Convert results into another format, chosen by the suffix of OUT: .h5 (Everylink), .sion (LinkTest 1.2, "
    "one message size), .csv (a matrix, or the flows of a load pattern), .npz (NumPy). It prints what the new format "
    "cannot hold.",
    options=(
        Option(
            names=("input",),
            value="IN",
            unit="file",
            required=True,
            group="Arguments",
            brief="results file in any of these formats",
        ),
        Option(
            names=("output",),
            value="OUT",
            unit="file",
            required=True,
            group="Arguments",
            brief="file to write: .h5, .sion, .csv or .npz",
        ),
        _force("OUT"),
        *_forms(NOTHING),
        Option(
            names=("--size",),
            value="BYTES",
            unit="bytes",
            group="Output",
            brief="convert only this message size",
            otherwise="all sizes; for .sion the largest",
        ),
        Option(
            names=("--kernel",),
            value="NAME",
            unit="choice",
            group="Input",
            choices=("unidirectional", "semidirectional", "bidirectional"),
            brief="how a .csv, or a file that does not name its kernel, was measured",
            more="A time is that of one direction (unidirectional), half a round trip (semidirectional), or of both "
            "directions at once (bidirectional).",
            otherwise="unidirectional for .csv",
        ),
        *HELP,
    ),
    examples=(
        Example("Write a file for LinkTest's tools:", "everylink convert run.h5 run.sion"),
        Example("Read a matrix that another program measured:", "everylink convert matrix.csv matrix.h5"),
    ),
    notes=(
        Note(
            "CSV",
            f"A matrix that another program measured has the header {','.join(CSV_REQUIRED)} and, where known, "
            f"{','.join(CSV_OPTIONAL)}.",
        ),
    ),
)

EXPORT = Command(
    program="everylink export",
    brief="write one table or matrix of a results file as text or picture, for gnuplot and others",
    summary="Write one table or matrix of a results file. The header of every table gives its units.",
    options=(
        _file(),
        Option(
            names=("--what",),
            value="WHAT",
            unit="choice",
            choices=tuple(name for name, _ in EXPORTS),
            required=True,
            group="Selection",
            brief="the table or matrix; see below",
        ),
        Option(
            names=("--size",),
            value="BYTES",
            unit="bytes",
            group="Selection",
            brief="message size, as in 65536 or 64KiB",
            otherwise="the largest",
        ),
        Option(
            names=("--below",),
            value="RATE",
            unit="rate",
            group="Selection",
            brief="with --what outside, links slower than this, as in 10GiB/s",
        ),
        Option(
            names=("--above",),
            value="RATE",
            unit="rate",
            group="Selection",
            brief="with --what outside, links faster than this",
        ),
        Option(
            names=("--count",),
            value="N",
            unit="count",
            group="Selection",
            brief="with --what slowest, the number of links",
            otherwise="all that were re-measured",
        ),
        Option(
            names=("-o", "--output"),
            value="OUT",
            unit="file",
            group="Output",
            brief="file to write: .dat for text; for a pattern also .png or .ppm",
            more="A .png has a scale, a .ppm has one pixel per link.",
            otherwise="standard output, as text",
        ),
        _force("OUT"),
        *_forms(NOTHING),
        *HELP,
    ),
    examples=(
        Example("The slowest links as text:", "everylink export run.h5 --what slowest"),
        Example("A picture of all bandwidths:", "everylink export run.h5 --what bandwidth-pattern -o bandwidth.png"),
    ),
    notes=(Note("Tables and matrices", items=EXPORTS),),
)

SIMULATE = Command(
    program="everylink simulate",
    brief="write the results file of a simulated cluster with planted faults",
    summary="Write the results file of a simulated cluster with planted faults. Its hosts are n0, n1, ... in groups "
    "g0, g1, ...",
    options=(
        Option(
            names=("--hosts",),
            value="N",
            unit="count",
            range=(1, MOST_SIMULATED),
            required=True,
            group="Cluster",
            brief="number of hosts",
        ),
        Option(
            names=("--ranks-per-host",),
            value="N",
            unit="count",
            range=(1, MOST_SIMULATED),
            default="1",
            group="Cluster",
            brief="ranks on each host",
        ),
        Option(
            names=("--group-size",),
            value="N",
            unit="count",
            range=(1, MOST_SIMULATED),
            group="Cluster",
            brief="hosts behind one switch",
            otherwise="all hosts",
        ),
        Option(
            names=("--noise",),
            value="X",
            unit="fraction",
            range=(0, 0.5),
            default="0.02",
            group="Cluster",
            brief="spread of a link's time; 0.02 is 2 %",
        ),
        Option(
            names=("--transient",),
            value="X",
            unit="fraction",
            range=(0, 0.5),
            default="0.005",
            group="Cluster",
            brief="fraction of links that are disturbed at random",
        ),
        Option(
            names=("--fault",),
            value="FAULT",
            unit="text",
            repeats=True,
            group="Cluster",
            brief="a fault to plant",
            more="May be given several times; see below.",
            suggestions=tuple(f"{kind}:" for kind in FAULTS),
        ),
        Option(
            names=("--seed",),
            value="S",
            unit="count",
            range=(0, None),
            default="1",
            group="Cluster",
            brief="seed of everything that is random",
        ),
        Option(
            names=("--sizes",),
            value="BYTES,...",
            unit="sizes",
            default="1MiB",
            group="Measurement",
            brief="message sizes, as in 8,1MiB",
        ),
        Option(
            names=("--messages",),
            value="N",
            unit="count",
            range=(1, MOST_SIMULATED),
            default="100",
            group="Measurement",
            brief="messages per link",
        ),
        Option(
            names=("--sample",),
            value="K",
            unit="count",
            range=(1, MOST_SIMULATED),
            group="Measurement",
            brief="K random partners per rank",
            otherwise="all pairs",
        ),
        Option(
            names=("--unidirectional",),
            group="Measurement",
            brief="each reading is one direction, not a round trip",
        ),
        Option(
            names=("--confirm",),
            group="Measurement",
            brief="re-measure suspects, as everylink run --confirm does",
        ),
        Option(
            names=("-o", "--output"),
            value="FILE",
            unit="file",
            required=True,
            group="Output",
            brief="results file to write",
        ),
        Option(
            names=("--truth",),
            value="FILE",
            unit="file",
            group="Output",
            brief="also write the planted faults as JSON",
        ),
        Option(
            names=("--topology",),
            value="FILE",
            unit="file",
            group="Output",
            brief="also write the groups as Slurm's topology.conf",
        ),
        _force("these files"),
        *_forms(NOTHING),
        *HELP,
    ),
    examples=(
        Example(
            "64 hosts, one of them slow:", "everylink simulate --hosts 64 --fault slow-host:n5*0.5 -o simulated.h5"
        ),
    ),
    notes=(
        Note(
            "Faults",
            "RATE is the fraction of the bandwidth that is left, FACTOR multiplies the latency.",
            items=tuple((f"{kind}:{form}", meaning) for kind, (form, meaning) in FAULTS.items()),
        ),
    ),
)

PREDICT = Command(
    program="everylink predict",
    brief="predict what a communication pattern costs on the measured links",
    summary="Predict what a communication pattern costs on the measured links: the time of each rank and of the whole "
    "exchange, the most expensive messages, and the time on a fabric without faults.",
    options=(
        _file(),
        Option(
            names=("--pattern",),
            value="WHAT",
            unit="text",
            required=True,
            group="Pattern",
            suggestions=("ring", "stencil2d", "stencil3d", "all-to-all", "tree", "shift"),
            brief="ring, stencil2d, stencil3d, all-to-all, tree, shift or FILE.csv",
            more="shift:K sends to the rank K further on; stencil2d:4x8 sets the grid. FILE.csv has one line "
            "from,to,bytes per message.",
        ),
        Option(
            names=("--bytes",),
            value="BYTES",
            unit="bytes",
            group="Pattern",
            brief="size of each message, as in 8, 64KiB or 1MiB",
            otherwise="the largest size that was measured",
        ),
        _topology("Pattern"),
        Option(
            names=("--place",),
            value="NAME",
            unit="file",
            group="Placement",
            brief="search for a better placement of ranks",
            more="Writes NAME.rankfile for Open MPI and NAME.hostfile for Slurm's --distribution=arbitrary.",
        ),
        Option(names=("--force",), group="Placement", brief="overwrite the files of --place"),
        *_forms("only the time of the exchange, as one line"),
        *HELP,
    ),
    examples=(
        Example("Exchange with the neighbours on a grid:", "everylink predict run.h5 --pattern stencil2d --bytes 64K"),
        Example("A better placement for it:", "everylink predict run.h5 --pattern stencil2d --place better"),
    ),
)

INVENTORY = Command(
    program="everylink inventory",
    brief="show what hosts consist of, and what deviates from their equals",
    summary="Show what a cluster consists of: processors, kernel, adapters, firmware, links, settings, the majority "
    "first; then what deviates from its equals, and which error counters grew. Of a results file, of two files what "
    "changed, or of HOSTS, which the shortest possible run reads; without either of the batch job's hosts, or of this "
    "machine.",
    options=(
        Option(
            names=("what",),
            value="FILE|HOSTS",
            unit="file",
            group="Arguments",
            repeats=True,
            brief="one or two results files, or hosts, as in n[8-11]",
            more="What has a slash or the suffix of a results file, or is a file, is a file.",
        ),
        Option(
            names=("--launcher",),
            value="NAME",
            unit="choice",
            choices=("mpiexec", "srun", "ssh", "local"),
            group="Hosts",
            brief="what starts the ranks that read the hosts",
            otherwise="srun inside a Slurm job, else ssh",
        ),
        Option(
            names=("-o", "--output"),
            value="FILE",
            unit="file",
            group="Hosts",
            brief="keep the results file, to compare a later one with it",
        ),
        _force("FILE"),
        _all("print all deviations or changes, of which otherwise 15 are printed"),
        *_forms(CONCLUSION),
        *HELP,
    ),
    examples=(
        Example("What a run saw of its hosts:", "everylink inventory everylink.h5"),
        Example("What changed since last week:", "everylink inventory monday.h5 today.h5"),
        Example("Four hosts by ssh:", "everylink inventory 'n[8-11]' -o today.h5"),
    ),
    notes=(EXIT_STATUS,),
)

BUNDLE = Command(
    program="everylink bundle",
    brief="pack everything on one host into an archive for its vendor",
    summary="Write an archive with everything that a results file says of one host: verdicts, its rows, its inventory "
    "and counters, plots of its links. Other hosts are named host-1, host-2 and so on, and none of their addresses, no "
    "command line and no environment is in it.",
    options=(
        Option(
            names=("host",),
            value="HOST",
            unit="text",
            group="Arguments",
            required=True,
            brief="name of the host, as in the results file",
        ),
        _file(),
        Option(
            names=("-o", "--output"),
            value="OUT",
            unit="file",
            group="Output",
            brief="archive to write",
            otherwise="HOST.tar.gz",
        ),
        _force("OUT"),
        *_forms(NOTHING),
        *HELP,
    ),
    examples=(Example("Everything on n17 for its vendor:", "everylink bundle n17 everylink.h5"),),
)

METRICS = Command(
    program="everylink metrics",
    brief="write a run as metrics for Prometheus",
    summary="Write the conclusion of a run, and the links, times and verdicts of each of its hosts, as metrics in the "
    "text format of Prometheus: at most 10 for each host, none for each link.",
    options=(
        _file("results file, or the folder of a check", more="A folder also tells which hosts could not be used."),
        _topology("Hosts"),
        Option(
            names=("-o", "--output"),
            value="OUT",
            unit="file",
            group="Output",
            brief="file to write; its name ends in .prom, as the textfile collector of node_exporter wants it",
            more="It is replaced in one piece.",
            otherwise="standard output",
        ),
        *_forms(NOTHING),
        *HELP,
    ),
    examples=(
        Example(
            "After each nightly check:",
            "everylink metrics everylink-n01-2026-11-25T02-00-00Z -o everylink.prom",
        ),
    ),
)

STORE = Command(
    program="everylink store",
    brief="list the runs that a store keeps, and look after them",
    summary="List the runs of a store, which everylink check --store fills, the newest last. What is unfinished or "
    "damaged is named; the rest is used.",
    options=(
        _store(),
        Option(
            names=("--add",),
            value="FILE",
            unit="file",
            repeats=True,
            group="Store",
            brief="judge a results file, and keep it, too",
            more="It is ordered by the time at which it was measured.",
        ),
        Option(
            names=("--verify",),
            group="Store",
            brief="compare every file with its checksum; the exit code is 3 if one is damaged",
        ),
        Option(
            names=("--rebuild",),
            group="Store",
            brief="make the index again from the runs",
            more="It is made by itself where it is missing or damaged, and completed where it lacks runs.",
        ),
        Option(
            names=("--thin",),
            group="Store",
            brief="remove what is old: single links beyond 90 days with runs, results files and reports beyond 3",
            more="A check does that by itself.",
        ),
        _all("list every run, of which otherwise the newest 15 are listed"),
        *_forms("only the number of runs, as one line"),
        *HELP,
    ),
    examples=(
        Example("Keep a check, then list what there is:", "everylink check --store /var/lib/everylink/store"),
        Example("Is all of it as it was written?", "everylink store --store /var/lib/everylink/store --verify"),
    ),
    notes=(EXIT_STATUS,),
)

HISTORY = Command(
    program="everylink history",
    brief="tell what became of hosts and links over many nights",
    summary="Tell what is new, known, cured, flapping or drifting over the nights of a store, since when, and what "
    "changed on the hosts at that time.",
    options=(
        Option(
            names=("what",),
            value="HOST|LINK",
            unit="text",
            repeats=True,
            group="Arguments",
            brief="one host, as in n3, or the links between two, as in n3 n9 or 'n3>n9'",
        ),
        _store(),
        Option(
            names=("--nights",),
            value="N",
            unit="count",
            default="30",
            group="Store",
            brief="look at the newest N runs",
        ),
        Option(
            names=("-o", "--output"),
            value="PAGE",
            unit="file",
            group="Output",
            brief="write a page instead, whose name ends in .html",
        ),
        _force("PAGE"),
        _all("print all changes of hosts, of which otherwise 15 are printed"),
        *_forms("how many of each, as one line"),
        *HELP,
    ),
    examples=(
        Example("The last three months:", "everylink history --store checks --nights 90"),
        Example("One host:", "everylink history n17 --store checks"),
        Example("A page for the colleagues:", "everylink history --store checks -o history.html"),
    ),
)

ACK = Command(
    program="everylink ack",
    brief="keep what is known quiet until a date",
    summary="Acknowledge what is known or planned of hosts, or of the links between two: until that day, checks name "
    "it in a line of its own, and neither their conclusion nor their exit code count it. Without HOSTS, list what is "
    "acknowledged now.",
    options=(
        Option(
            names=("what",),
            value="HOSTS|LINK",
            unit="text",
            repeats=True,
            group="Arguments",
            brief="hosts, as in n[8-11], or a link, as in 'n3>n9', which counts in both directions",
        ),
        _store(),
        Option(
            names=("--until",),
            value="DAY",
            unit="text",
            group="Acknowledgement",
            brief="the last day, as in 2026-12-24, or days from now, as in 14d; required with HOSTS",
        ),
        Option(
            names=("--from",),
            value="DAY",
            unit="text",
            group="Acknowledgement",
            brief="the first day, of what is planned",
            otherwise="now",
        ),
        Option(
            names=("--reason",),
            value="TEXT",
            unit="text",
            group="Acknowledgement",
            brief="why, as in 'new firmware on the rack'; required with HOSTS",
        ),
        Option(
            names=("--by",),
            value="NAME",
            unit="text",
            group="Acknowledgement",
            brief="who acknowledges it",
            otherwise="your user name",
        ),
        Option(
            names=("--end",),
            value="ID",
            unit="text",
            group="Acknowledgement",
            brief="end one early",
        ),
        _all("list those that are over, too"),
        *_forms("the number of acknowledgements"),
        *HELP,
    ),
    examples=(
        Example("A host that waits for its cable:", "everylink ack n17 --until 14d --reason 'new cable ordered'"),
        Example("What is acknowledged now:", "everylink ack"),
    ),
)

EVERYLINK = Program(
    name="everylink",
    brief="measure every point-to-point connection of a cluster, and judge the results",
    summary="Measure every point-to-point connection of a cluster, and judge, show, compare and convert the results.",
    commands=(
        CHECK,
        RUN,
        SHOW,
        REPORT,
        VIEW,
        DIAGNOSE,
        COMPARE,
        MERGE,
        CONVERT,
        EXPORT,
        SIMULATE,
        PREDICT,
        INVENTORY,
        BUNDLE,
        METRICS,
        STORE,
        HISTORY,
        ACK,
    ),
    options=(
        Option(names=("-h",), group="Options", brief="print a short help"),
        Option(
            names=("--help",),
            value="FORM",
            unit="choice",
            optional=True,
            choices=PAGE_FORMS,
            group="Options",
            brief="print help",
            more="--help=man prints this manual as a man page, --help=bash, zsh or fish the completion of that shell, "
            "--help=json the table of options.",
        ),
        Option(names=("-V", "--version"), group="Options", brief="print the version"),
    ),
    examples=(
        Example("Measure this machine, and show the results:", "everylink run --np 8 -s 1,64KiB,1MiB"),
        Example("Find faults:", "everylink diagnose everylink.h5"),
        Example("Complete options in the current shell:", "source <(everylink --help=bash)"),
    ),
    notes=(
        Note(
            "Sizes and bandwidths",
            "Sizes are bytes, or have a unit: K, M, G and T are powers of 1024, as in LinkTest, and the same as KiB, "
            "MiB, GiB and TiB; KB, MB, GB and TB are powers of 1000. Bandwidths have a unit: 100Gb/s, 12.5GB/s, "
            "11.64GiB/s.",
        ),
        Note(
            "Abbreviations",
            "Commands and long options may be abbreviated while unambiguous: diag for diagnose, --top for --topology. "
            "Options of everylink run must be written in full.",
        ),
        EXIT_STATUS,
        Note(
            "Environment",
            "EVERYLINK_MEASURE is the path of everylink-measure. NO_COLOR switches colours off. "
            "EVERYLINK_TRACEBACK=1 shows where an unexpected error occurred.",
        ),
    ),
)

# Commands of LinkTest under their old names.
PINGPONGANALYSIS = Command(
    program="pingponganalysis",
    brief="LinkTest 1.2's analyser",
    version=f"Everylink {VERSION}, pingponganalysis of LinkTest 1.2",
    summary="Replaces LinkTest 1.2's analyser. It writes files of the same names into the current folder, and "
    "overwrites existing ones. everylink export, report and show do the same and more.",
    options=(
        _file("results of LinkTest 1.2 or of Everylink"),
        *(
            Option(names=(f"-{letter}",), group="Files", brief=f"{name}: {text}")
            for letter, _, name, text in ANALYSER_FILES
        ),
        Option(names=("-p",), group="Files", brief=f"{ANALYSER_REPORT}: a report in PostScript"),
        Option(
            names=("-l",),
            value="MIN",
            unit="fraction",
            range=(0, None),
            group="Output",
            brief="name links below this bandwidth in MiB/s",
        ),
        Option(
            names=("-L",),
            value="MAX",
            unit="fraction",
            range=(0, None),
            group="Output",
            brief="name links above this bandwidth in MiB/s",
        ),
        Option(names=("-v",), group="Output", brief="print the output of everylink show"),
        Option(names=("-V",), group="Help", brief="print the version"),
        *HELP,
        *(
            Option(names=(f"-{letter}",), group="", unit="text", brief="not supported", refused=reason)
            for letter, reason in NOT_SUPPORTED
        ),
    ),
)

LINKTEST_REPORT = Command(
    program="linktest-report",
    brief="LinkTest 2's report",
    summary="Replaces LinkTest 2's report. everylink report FILE -o REPORT does the same.",
    options=(
        Option(
            names=("-i", "--input"),
            value="FILE",
            unit="file",
            required=True,
            group="Files",
            brief="results file",
        ),
        Option(
            names=("-o", "--output"),
            value="REPORT",
            unit="file",
            required=True,
            group="Files",
            brief="file to write: .pdf, .html, .ps or .png",
        ),
        *HELP,
    ),
)

NETWORK_SANITIZER = Command(
    program="run_netsan.sh",
    brief="Network Sanitizer's command",
    summary="Replaces Network Sanitizer's command, with its defaults and its lines: mpiexec starts the ranks and MPI "
    "moves the messages. All other options are those of everylink run: --launcher ssh --mode ucp works without MPI, "
    "-o FILE names the results file. The exit code is 0 if every connection was measured, 3 if some failed, "
    "else 4 if a host could not measure some.",
    version=f"Everylink {VERSION}, run_netsan.sh of Network Sanitizer",
    passes_on=True,
    passed_to="[OPTIONS OF everylink run]",
    options=(
        *_of_side("servers"),
        *_of_side("clients", more=WITHOUT_SERVERS),
        Option(
            names=("--niters",),
            value="NUM",
            unit="count",
            group="Messages",
            brief="requests of a client to each server, or messages of each connection of an all-to-all",
            default="128",
        ),
        Option(
            names=("--nflight",),
            value="NUM",
            unit="count",
            group="Messages",
            brief="requests or messages in flight",
            default="12",
        ),
        Option(
            names=("--bsize",),
            value="NUM",
            unit="count",
            group="Messages",
            brief="size in bytes",
            otherwise="1, 2, 4, ... to 4194304",
        ),
        Option(names=("--sequential",), group="Messages", brief="all-to-all with one connection at a time"),
        Option(names=("-v", "--verbose"), group="Output", brief="print one line per connection"),
        Option(names=("--hostnames",), group="Output", brief="name hosts in these lines, as in client1-0"),
        Option(names=("-V",), group="Help", brief="print the version"),
        *HELP,
    ),
    examples=(
        Example(
            "Measure what four clients get from two servers:", "run_netsan.sh --servers 's[2-3]' --clients 'c[1-4]'"
        ),
        Example(
            "Measure every connection between four hosts:", "run_netsan.sh --clients 'c[1-4]' --hostnames --verbose"
        ),
    ),
)
