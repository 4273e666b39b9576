"""The parsers of the Python half, each as a function of bytes: for Atheris (`make fuzz`), and for the replay of its
corpora (`make test`). tests/data/fuzz/python/NAME is the corpus of the target NAME.

A target may raise EverylinkError; anything else is a finding. What a parser documents as ValueError is caught here.
"""

import atexit
import io
import json
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from contextlib import chdir, redirect_stdout, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from everylink.cli.network_sanitizer import _node_set
from everylink.cli.options.option import Command
from everylink.cli.options.parser import parsed, parsed_in_part
from everylink.cli.options.table import (
    EVERYLINK,
    LINKTEST_REPORT,
    NETWORK_SANITIZER,
    PINGPONGANALYSIS,
)
from everylink.cli.settings import Settings, with_file
from everylink.errors import EverylinkError
from everylink.figure.curves import parsed_line
from everylink.host_lists import MOST_HOSTS, PART, expanded, folded, how_many
from everylink.inventory.cluster import number_in
from everylink.inventory.equals import networks, slowdowns, subnet_prefix
from everylink.io.csv_matrix import Source, read_matrix, results_of
from everylink.io.read import read
from everylink.io.stored import NO_ROWS
from everylink.io.topology import leaf_of_address, read_topology
from everylink.io.unsaved import Run, folder_of, merge, read_parts
from everylink.judge.expect import parse_expectation
from everylink.launch.cluster import cluster_of_job
from everylink.launch.job import environment_of, hosts_in_file, hosts_of
from everylink.launch.sides import side_args
from everylink.page.server import File, Request
from everylink.predict.patterns import made_pattern, read_pattern
from everylink.simulate.faults import parse_fault
from everylink.store.summary import Damaged, checksum_of_fields, summary_of
from everylink.terminal.progress import parse_event
from everylink.units import parsed_rate, parsed_size

Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {}
FOLDER = Path(tempfile.mkdtemp(prefix="everylink-fuzz-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
HERE = FOLDER / "empty"  # where relative names of files lead nowhere


def target(function: Target) -> Target:
    """Adds a function to the targets."""
    TARGETS[function.__name__] = function
    return function


def words_of(data: bytes) -> list[str]:
    """The lines of a text."""
    return data.decode("utf-8", "replace").split("\n")


def file_of(data: bytes, name: str = "input") -> Path:
    """A file with these contents."""
    path = FOLDER / name
    path.write_bytes(data)
    return path


def takes_long(text: str) -> bool:
    """Whether its lists are too long for ClusterShell to expand quickly, but not long enough to be refused."""
    few, total = 20_000, 0
    for part in PART.findall(text):
        with suppress(ValueError):
            count = how_many(part)
            total += count if count <= MOST_HOSTS else 0
    return total > few


def each(functions: list[Callable[[str], Any]], text: str, *errors: type[Exception]) -> None:
    """Calls all functions, with the errors that they document."""
    for function in functions:
        with suppress(EverylinkError, *errors):
            function(text)


@target
def results(data: bytes) -> None:
    """A results file in HDF5, with its inventory."""
    read(file_of(data)).inventory  # noqa: B018


@target
def npz(data: bytes) -> None:
    """The same as an archive of NumPy. Its checksums are not compared, or they would hide what is in it."""
    with patch.object(zipfile.ZipExtFile, "_update_crc", lambda *_: None):
        read(file_of(b"PK\3\4" + data[4:])).inventory  # noqa: B018


@target
def sion(data: bytes) -> None:
    """A file of LinkTest 1 or 2."""
    read(file_of(b"sion" + data[4:]))


@target
def matrix(data: bytes) -> None:
    """Comma-separated values."""
    path = file_of(data)
    results_of(read_matrix(path), Source(path, "", "", "unidirectional"), path)


@target
def unsaved(data: bytes) -> None:
    """The unsaved rows of rank 0."""
    path = FOLDER / "run.h5"
    folder_of(path).mkdir(exist_ok=True)
    (folder_of(path) / "0").write_bytes(data)
    parts = read_parts(path, Run("30" * 16, 4, frozenset({1, 65536}), 3))
    merge(NO_ROWS, parts.rows[parts.rows["bytes"] == 1], 4)


@target
def topology(data: bytes) -> None:
    """Slurm's topology.conf, or the output of ibnetdiscover."""
    if not takes_long(data.decode("utf-8", "replace")):
        read_topology(file_of(data))


@target
def summary(data: bytes) -> None:
    """`run.json` of a store; its checksum is made to fit, so that more than that is looked at."""
    text = data.decode("utf-8", "replace")
    with suppress(Damaged):
        summary_of(text)
    with suppress(ValueError, RecursionError):
        said = json.loads(text)
        if isinstance(said, dict):
            said.pop("sha256", None)
            schema = said.pop("schema", None)
            fitting = {"schema": schema, "sha256": checksum_of_fields(said), **said}
            summary_of(json.dumps(fitting))


@target
def settings(data: bytes) -> None:
    """`everylink.toml`."""
    with_file(Settings(), file_of(data))


@target
def pattern(data: bytes) -> None:
    """A traffic pattern, by name or as a file."""
    name = data.decode("utf-8", "replace")
    with suppress(EverylinkError):
        made = made_pattern(name, 2 + len(data) % 31, 8)
        for i in range(made.phases):
            made.phase(i)
    read_pattern(file_of(data), 8)


@target
def hosts(data: bytes) -> None:
    """Lists of hosts. Groups are left out: ClusterShell may run a command for them."""
    text = data.decode("utf-8", "replace").replace("@", "")
    if takes_long(text):
        return
    with suppress(ValueError):
        folded(expanded(text))
    each([lambda text: hosts_of(text, "--hosts")], text)
    leaf_of_address(text, text[::-1])
    hosts_in_file(file_of(text.encode()), "--hosts-file")


@target
def job(data: bytes) -> None:
    """What a batch system puts into the environment, and the files that it names."""
    text = data.decode("utf-8", "replace")
    if takes_long(text):
        return
    path = str(file_of(data))
    for name in ("SLURM_JOB_NODELIST", "LSB_MCPU_HOSTS", "LSB_HOSTS"):
        each([lambda text, name=name: cluster_of_job({name: text})], text)  # type: ignore[misc]
    for name in ("PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE"):
        each([lambda text, name=name: cluster_of_job({name: text})], path)  # type: ignore[misc]


@target
def units(data: bytes) -> None:
    """Numbers with units, and options that hold several of them."""
    text = data.decode("utf-8", "replace")
    each([parsed_size, parsed_rate], text, ValueError)
    each([parse_expectation, parse_fault, parsed_line], text)


@target
def sides(data: bytes) -> None:
    """--servers-args and --env."""
    text, *more = words_of(data)
    for launcher in ("mpiexec", "ssh"):
        each([lambda text, launcher=launcher: side_args(text, "--args", launcher, {"A": "1"})], text)  # type: ignore[misc]
    environment_of(more, {"A": "1"})


@target
def event(data: bytes) -> None:
    """A line of the core's output, and of another program's."""
    parse_event(data.decode("utf-8", "replace"))


@target
def options(data: bytes) -> None:
    """The command lines of all commands: the command, then a word per line."""
    commands: list[Command] = [*EVERYLINK.commands, PINGPONGANALYSIS, LINKTEST_REPORT, NETWORK_SANITIZER]
    command = commands[data[0] % len(commands) if data else 0]
    with redirect_stdout(io.StringIO()), suppress(SystemExit):
        parsed_in_part(command, words_of(data[1:])) if command.passes_on else parsed(command, words_of(data[1:]))
    _node_set(data.decode("utf-8", "replace"))


@target
def facts(data: bytes) -> None:
    """Texts that hosts tell of themselves."""
    text = data.decode("utf-8", "replace")
    for function in (networks, subnet_prefix, slowdowns, number_in):
        function(text)


class _Connection:
    """A connection over which a request has come."""

    def __init__(self, said: bytes) -> None:
        self._said = said

    def makefile(self, *_: Any) -> io.BytesIO:
        return io.BytesIO(self._said)

    def settimeout(self, _: float) -> None:
        pass

    def sendall(self, _: bytes) -> None:
        pass


@target
def request(data: bytes) -> None:
    """A request to the server of `view` and `--live`."""
    (FOLDER / "page").write_bytes(bytes(100))
    server: Any = SimpleNamespace(port=1, token="token", resources={"": File(FOLDER / "page", "text/html")})
    connection: Any = _Connection(data)
    Request(connection, ("127.0.0.1", 1), server)


def call(name: str, data: bytes) -> None:
    """Calls a target and catches the errors that it may raise. A warning is a finding, too."""
    HERE.mkdir(exist_ok=True)
    with chdir(HERE), suppress(EverylinkError), warnings.catch_warnings():
        warnings.simplefilter("error")
        TARGETS[name](data)
