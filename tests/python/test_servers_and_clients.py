"""`everylink run --servers --clients`: what each launcher gets, and what is refused."""

import os
import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import pytest
from ClusterShell.NodeSet import set_std_group_resolver
from ClusterShell.NodeUtils import GroupResolverConfig

from conftest import CORE_TABLE, Command
from everylink.cli.options.parser import parsed_in_part
from everylink.cli.options.table import RUN
from everylink.cli.run import checked
from everylink.errors import UserMistake
from everylink.launch.core import find_core
from everylink.launch.core_line import table_of
from everylink.launch.job import Job
from everylink.launch.sides import job_of_sides, side_args, sides_of
from everylink.version import VERSION
from test_hosts import program

CORE = """#!/bin/sh
case $* in
  --version) echo everylink-measure VERSION ;;
  --help=json) cat TABLE ;;
  *x*--list) echo 'everylink-measure: --rails: no' >&2; exit 2 ;;
  *) echo arguments: "$@"; echo '{"event": "end", "links_ok": 2, "links_failed": 0}' ;;
esac
"""


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake core that prints its arguments, and fake launchers."""
    core = tmp_path / "everylink-measure"
    core.write_text(CORE.replace("TABLE", f"'{CORE_TABLE}'").replace("VERSION", VERSION))
    core.chmod(0o755)
    program(tmp_path, "srun", "")
    program(tmp_path, "mpiexec", "mpiexec (OpenRTE) 4.1.4")
    monkeypatch.setenv("EVERYLINK_MEASURE", str(core))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


def a_job(*words: str, launcher: str = "ssh") -> Job:
    return job_of_sides(sides_of(parsed(words)[0], launcher, {"MINE": "m"}))


def parsed(words: Sequence[str]) -> tuple[Namespace, list[str]]:
    """The options of `run`, and those of the core."""
    options, core_options = parsed_in_part(RUN, words)
    return options, checked(options, core_options, table_of(find_core()))


def told(out: str) -> list[str]:
    (line,) = [line for line in out.splitlines() if "arguments: " in line]
    return line.partition("arguments: ")[2].split()


# --- which ranks -----------------------------------------------------------------------------------------------
def test_server_ranks_come_first_and_the_core_gets_their_number() -> None:
    job = a_job("--servers", "server[2-3]", "--clients", "client[1-4]", "--servers-nranks", "2")
    assert [(one.host, one.first, one.count) for one in job.hosts] == [
        ("server2", 0, 2),
        ("server3", 2, 2),
        *((f"client{number}", 3 + number, 1) for number in (1, 2, 3, 4)),
    ]
    assert all(list(one.options) == ["--servers", "4"] for one in job.hosts)


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("n[8-11]", "n8 n9 n10 n11"),
        ("n[01-03,7]", "n7 n01 n02 n03"),
        ("n[1-2]-ib", "n1-ib n2-ib"),
        ("r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"),
        ("@compute", "n8 n9"),
        ("@site:compute!n9", "n8"),
        ("@list", "n1 n3 n4"),
        ("client[1,10]", "client1 client10"),
    ],
)
def test_servers_and_clients_accept_every_form_of_host_list(text: str, hosts: str, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("n1, n[3-4]  # ours\n")
    config = tmp_path / "groups.conf"
    config.write_text("[Main]\ndefault: site\n[site]\nmap: case $GROUP in compute) echo 'n[8-9]';; esac\nlist: echo\n")
    set_std_group_resolver(GroupResolverConfig(str(config)))
    try:
        servers = a_job("--servers", text, "--clients", "other")
        clients = a_job("--servers", "other", "--clients", text)
    finally:
        set_std_group_resolver(None)
    assert [one.host for one in servers.hosts] == [*hosts.split(), "other"]
    assert [one.host for one in clients.hosts] == ["other", *hosts.split()]


def test_files_name_servers_and_clients(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("server[2-3]\n")
    (tmp_path / "b,c").write_text("client1\nclient2 client3 # all\n")
    job = a_job("--servers-file", "a", "--clients-file", "b,c")
    assert [one.host for one in job.hosts] == ["server2", "server3", "client1", "client2", "client3"]
    (tmp_path / "a").write_text("server2\nserver[\n")
    with pytest.raises(UserMistake, match=r"--servers-file a, line 2: 'server\['"):
        a_job("--servers-file", "a", "--clients", "b")


# --- which pattern ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "core_options"),
    [
        (["--servers", "a", "--clients", "b", "--niters", "9"], "client-server --niters 9"),
        (["--servers", "a", "--clients", "b", "--niters", "9", "client-server"], "--niters 9 client-server"),
        (["--clients", "b[1-2]", "--sequential"], "all-to-all --sequential"),
        (["all-to-all", "--clients", "b[1-2]"], "all-to-all"),
        (["--np", "6", "--servers", "2"], "client-server --servers 2"),
        (["client-server", "--np", "6", "--servers=2"], "client-server --servers 2"),
        (["client-server", "--hosts", "n[1-6]", "--servers", "2"], "client-server --servers 2"),
        (["incast", "--hosts", "n[1-6]"], "incast"),
    ],
)
def test_servers_and_clients_imply_a_pattern(words: list[str], core_options: str) -> None:
    assert parsed(words)[1] == core_options.split()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--servers 'server[2-3]' --clients 'client[1-4]' --servers-nranks 2", "client-server --servers 4 server2"),
        ("--clients 'client[1-8]'", "all-to-all client1"),
        (
            "--clients 'client[1-4]' --clients-nranks 1 --hostname --verbose --bsize 4194304",
            "all-to-all --hostname --verbose --bsize 4194304 client1",
        ),
        ("--clients 'client[1-4]' --clients-args='-env MV2_NUM_HCAS=1'", "all-to-all client1"),
        ("--servers 'ime[2,3]' --clients 'client[1-4]' --niters 2", "client-server --niters 2 --servers 2 ime2"),
    ],
)  # fmt: skip
def test_the_command_lines_of_network_sanitizer_run(line: str, said: str, everylink: Command) -> None:
    code, out, err = everylink("run", "--launcher", "local", *shlex.split(line))
    assert code == 0, err
    *words, host = said.split()
    assert told(out) == ["--progress", "json", *words, "--node-name", host, "--bootstrap", "stdin"]


# --- settings of each side -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("-env A 1", {"A": "1"}),
        ("-env A=1=2", {"A": "1=2"}),
        ("-env A 'it is' -x B= -x MINE", {"A": "it is", "B": "", "MINE": "m"}),
    ],
)
def test_variables_of_a_side_accept_the_syntax_of_every_mpiexec(text: str, environment: dict[str, str]) -> None:
    for launcher in ("local", "ssh", "srun", "mpiexec"):
        said = side_args(text, "--servers-args", launcher, {"MINE": "m"})
        assert (said.environment, said.options, said.arguments) == (environment, [], [])


def test_options_of_the_core_are_separated_from_those_of_mpiexec() -> None:
    text = "--rails=eth0,eth1 -bind-to core --interface ib0 -x A=1"
    said = side_args(text, "--servers-args", "mpiexec", {})
    assert said.options == ["--rails", "eth0,eth1", "--interface", "ib0"]
    assert said.arguments == ["-bind-to", "core"]
    with pytest.raises(UserMistake, match="'-bind-to' does not apply to --launcher ssh; use -env NAME VALUE, --rails"):
        side_args(text, "--servers-args", "ssh", {})


def test_each_side_has_its_own_variables_options_and_arguments() -> None:
    words = ["--env", "A=0", "--env", "B=0", "--servers-env", "A=1", "--client-args", "-env B 2 -q --rails eth1"]
    server, client = a_job("--servers", "s", "--clients", "c", *words, launcher="mpiexec").hosts
    assert (server.environment, server.arguments) == ({"A": "1", "B": "0"}, [])
    assert (client.environment, client.arguments) == ({"A": "0", "B": "2"}, ["-q"])
    assert list(client.options) == [*server.options, "--rails", "eth1"]


# --- what is refused -------------------------------------------------------------------------------------------
BOTH = ["--servers", "s[1-2]", "--clients", "c[1-2]"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--servers", "s1"], "clients are missing"),
        (["--clients", "c1", "client-server"], "servers are missing"),
        ([*BOTH, "incast"], "--servers, --clients: the pattern is client-server; for incast, use --hosts"),
        (["--clients", "c[1-2]", "incast"], "--clients: the pattern is all-to-all; for incast, use --hosts"),
        ([*BOTH, "--hosts", "n1"], "--hosts cannot be combined with hosts of --servers and --clients"),
        (["--clients", "c1", "--hosts", "n1"], "--hosts cannot be combined with hosts of --servers and --clients"),
        ([*BOTH, "--np", "4"], "--np and --clients exclude each other"),
        ([*BOTH, "--nranks", "4"], "--nranks applies only to --hosts; use --servers-nranks and --clients-nranks"),
        ([*BOTH, "--launcher", "command"], "leave --clients out"),
        (["--servers", "n[1-4]", "--clients", "n[3-6]"], "both name n[3-4]"),
        (["--servers", "2", "--clients", "c1"], "--servers 2: is a number"),
        ([*BOTH, "--servers-file", "x"], "--servers and --servers-file exclude each other"),
        (["--servers-file", "nowhere", "--clients", "c1"], "nowhere: cannot be read"),
        (["--servers", "s[1-", "--clients", "c1"], "--servers 's[1-': unbalanced brackets"),
        ([*BOTH, "--clients-nranks", "0"], "--clients-nranks 0: must be from 1 to 16777216"),
        ([*BOTH, "--clients-nranks", "x"], "--clients-nranks x: not a whole number"),
        ([*BOTH, "--clients-nranks", "99999999"], "must be from 1 to 16777216"),
        (["--clients", "c1", "--launcher", "local"], "--clients, --clients-nranks: 1 rank in total"),
        (["--clients", "c[1-2]", "--servers-nranks", "2"], "--servers-nranks requires hosts in --servers"),
        (["--clients-env", "A=1"], "--clients-env requires hosts in --clients"),
        ([*BOTH, "--clients-env", "1A=1"], "--clients-env 1A=1: '1A' is not a variable name"),
        ([*BOTH, "--servers-args", "-env 1A 1"], "--servers-args -env 1A=1: '1A' is not a variable name"),
        ([*BOTH, "--servers-args", "-env A"], "--servers-args: '-env A' requires a value"),
        ([*BOTH, "--servers-args", "--rails"], "--servers-args: '--rails' requires a value"),
        ([*BOTH, "--servers-args", "'"], "--servers-args ''': No closing quotation"),
        ([*BOTH, "--launcher-args", "'"], "--launcher-args ''': No closing quotation"),
        ([*BOTH, "--servers-args", "-ppn 2"], "'-ppn' does not apply to --launcher ssh"),
        ([*BOTH, "--servers-args", "-m ucp:tls=tcp"], "servers --mode ucp:tls=tcp and clients --mode tcp"),
        ([*BOTH, "--confirm"], "--confirm applies only to links; the pattern client-server measures none"),
    ],
)
def test_invalid_combinations_are_refused_before_anything_starts(
    words: list[str], said: str, everylink: Command
) -> None:
    code, out, err = everylink("run", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_an_option_that_the_core_refuses_is_reported_for_clients_too(everylink: Command) -> None:
    code, out, err = everylink("run", *BOTH, "--launcher", "local", "--clients-args", "--rails x")
    assert (code, out, err) == (2, "", "everylink: --clients-args: --rails: no\n")
    assert everylink("run", *BOTH, "--launcher", "local", "--clients-args", "--rails y")[0] == 0
