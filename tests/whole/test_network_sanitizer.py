"""`run_netsan.sh` by its name: Network Sanitizer's command lines run as they are."""

import shutil
from pathlib import Path

import pytest

from conftest import Everylink
from everylink.cli.network_sanitizer import run_netsan

Said = tuple[int, str, str]
SIMULATED = ["--launcher", "local", "--mode", "sim"]


@pytest.fixture
def netsan(everylink: Everylink, capfd: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*words: object) -> Said:
        capfd.readouterr()
        code = run_netsan([*map(str, words)])
        said = capfd.readouterr()
        return code, said.out, said.err

    return call


def table(out: str) -> list[list[str]]:
    """The words of the lines of measurements."""
    return [line.split() for line in out.splitlines() if line.split() and line.split()[0] in ("Put", "Get", "Und")]


def test_the_guides_first_command_line_prints_a_line_for_each_direction_and_size(netsan) -> None:  # type: ignore[no-untyped-def]
    code, out, err = netsan(
        "--servers", "server[2-3]", "--clients", "client[1-4]", "--servers-nranks", 2, "--niters", 4, *SIMULATED
    )
    assert code == 0, err
    assert out.startswith("Servers(4): server2:2,server3:2\nClients(4): client1:1,client2:1,client3:1,client4:1\n")
    assert "\n#nservers=4 nclients=4 niters=4 nflight=12 sequential=0 ssize=1, esize=4194304\n" in out
    rows = table(out)
    sizes = [str(1 << power) for power in range(23)]
    assert [row[:2] for row in rows] == [[way, size] for way in ("Put", "Get") for size in sizes]
    assert {len(row) for row in rows} == {14}


def test_the_guides_verbose_command_line_shows_the_connections_of_a_slow_host(netsan) -> None:  # type: ignore[no-untyped-def]
    words = ["--clients", "client[1-4]", "--clients-nranks", 1, "--hostname", "--verbose", "--bsize", 4194304]
    code, out, err = netsan(*words, "--niters", 4, "--launcher", "local", "--mode", "sim:slow-host=2*0.5")
    assert code == 0, err
    rows = [line.split() for line in out.splitlines() if " Und " in line]
    assert len(rows) == 12
    slow = [float(row[5]) for row in rows if "n2-2" in row[:2]]
    others = [float(row[5]) for row in rows if "n2-2" not in row[:2]]
    assert max(slow) < 0.6 * min(others)


def test_network_sanitizers_own_forms_of_lists_are_accepted(netsan) -> None:  # type: ignore[no-untyped-def]
    code, out, err = netsan("--clients", "n{1,3}, m[2-3, 7]", "--bsize", 1, "--niters", 2, *SIMULATED)
    assert code == 0, err
    assert "\nClients(5): m2:1,m3:1,m7:1,n1:1,n3:1\n" in out


def test_a_dead_client_is_counted_and_the_exit_code_is_3(netsan) -> None:  # type: ignore[no-untyped-def]
    words = ["--clients", "n[0-2]", "--bsize", 1, "--niters", 2, "--launcher", "local", "--time-limit", "0.2"]
    code, out, err = netsan(*words, "--mode", "sim:dead=0>1")
    assert code == 3, err
    assert "connections FAILED and are left out" in out


def test_what_a_server_lacks_is_named_and_no_connection_failed(netsan) -> None:  # type: ignore[no-untyped-def]
    words = ["--servers", "few12", "--clients", "n[1-4]", "--bsize", 1, "--niters", 2]
    code, out, err = netsan(*words, "--launcher", "ssh", "--mode", "tcp", "--time-limit", 1)
    assert code == 4, out + err
    assert "FAILED" not in out
    (line,) = (line for line in out.splitlines() if "could not be measured" in line)
    assert line.endswith(
        " of 8 connections could not be measured and are left out: too many open files on host few12 (rank 0)"
    )


@pytest.mark.skipif(not shutil.which("mpiexec"), reason="no mpiexec here")
def test_by_default_mpiexec_starts_the_ranks_and_mpi_moves_the_messages(netsan, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    words = ["--servers", "localhost", "--clients", "127.0.0.1", "--bsize", 1024, "--niters", 4]
    code, out, err = netsan(*words, "--launcher-args=--allow-run-as-root --oversubscribe --bind-to none")
    assert code == 0, err
    assert "everylink run client-server --launcher mpiexec --mode mpi " in out
    assert [row[0] for row in table(out)] == ["Put", "Get"]
    assert (tmp_path / "everylink.h5").exists() or list(tmp_path.rglob("everylink.h5"))


def test_a_number_in_flight_that_is_too_large_is_refused_by_the_name_that_was_typed(netsan) -> None:  # type: ignore[no-untyped-def]
    code, _, err = netsan("--clients", "n[1-2]", "--nflight", 5000, *SIMULATED)
    assert code == 2
    assert "--window/--nflight: 5000 is out of range; use 1 to " in err


@pytest.mark.parametrize(("option", "said"), [("-s", "--size-messages: use --bsize"), ("--window", "use --nflight")])
def test_everylinks_names_of_its_options_are_refused_with_the_name_to_use(netsan, option: str, said: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = netsan("--clients", "n[1-2]", *SIMULATED, option, 2)
    assert (code, out) == (2, "")
    assert said in err
