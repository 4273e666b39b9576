"""Starting without MPI inside: PMIx, the PMI-1 protocol, and Slurm's variables."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import PATIENCE, Measure, Outcome, Run, measure_program, mpi_launcher, read_plainly

QUICK = ["-s", 1, "-n", 3, "-w", 0, "--num-slowest", 0, "--progress", "none"]

listed = subprocess.run([measure_program(), "--list"], capture_output=True, text=True, check=True).stdout
has_pmix = bool(re.search(r"^ *pmix .*; can run here$", listed, re.MULTILINE))
needs_pmix = pytest.mark.skipif(
    not (has_pmix and shutil.which("mpirun")), reason="the core was built without PMIx, or there is no mpirun"
)
needs_hydra = pytest.mark.skipif(
    not shutil.which("mpiexec.hydra"), reason="no mpiexec.hydra here (Debian's package mpich)"
)


def assert_joined(result: Outcome, how: str, ranks: int) -> None:
    assert result.attributes["bootstrap"] == how
    assert f"{ranks} ranks on" in result.out
    assert f"by {how}," in result.out, "it says what it took"
    assert sorted(result.only.links()) == [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    assert set(result.only["outcome"]) == {0}


@needs_pmix
def test_mpirun_starts_ranks_through_pmix(measure: Measure) -> None:
    assert_joined(measure("--mode", "tcp", *QUICK, launcher=mpi_launcher(4)), "pmix", 4)


@needs_pmix
def test_under_pmix_only_rank_0_ends_with_3_after_failed_links(measure: Measure) -> None:
    result = measure("--mode", "sim:dead=1>2", *QUICK, launcher=mpi_launcher(4), expect=3)
    assert result.attributes["complete"] == 1
    assert sorted(result.only.main().links()) == [(a, b) for a in range(4) for b in range(4) if a != b]


STOPS_RANK_2 = '[ "$OMPI_COMM_WORLD_RANK" != 2 ] || { echo $$ >stopped; kill -STOP $$; }; exec "$0" "$@"'


@needs_pmix
@pytest.mark.parametrize("how", [pytest.param("mpi", marks=pytest.mark.long("10 s")), "pmix"])
def test_rank_0_says_that_it_waits_for_ranks_that_the_launcher_does_not_name(how: str, tmp_path: Path) -> None:
    words = ["-m", "mpi" if how == "mpi" else "tcp", "--bootstrap", how, *map(str, QUICK), "-o", "x.h5"]
    process = subprocess.Popen(
        [*mpi_launcher(4), "sh", "-c", STOPS_RANK_2, measure_program(), *words], cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr
    assert process.stderr.readline() == (
        f"everylink-measure: waiting for all 4 ranks to join by {how}, which does not say which are missing; "
        "after 300 s the run ends\n"
    )
    os.kill(int((tmp_path / "stopped").read_text()), signal.SIGCONT)
    _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")
    assert set(read_plainly(tmp_path / "x.h5").only["outcome"]) == {0}


@needs_hydra
def test_hydra_starts_ranks_through_pmi(measure: Measure) -> None:
    assert_joined(measure("--mode", "tcp", *QUICK, launcher=["mpiexec.hydra", "-n", "3"]), "pmi", 3)
    failed = measure("--mode", "sim:dead=0>2", *QUICK, launcher=["mpiexec.hydra", "-n", "3"], expect=3)
    assert failed.attributes["complete"] == 1


Change = Callable[[str], str | None]


class PmiServer:
    """hydra's part, for ranks that this test starts; `change` rewrites an answer, or ends the connection with None."""

    def __init__(self, ranks: int, change: Change = lambda line: line, longest_value: int = 64) -> None:
        self.change, self.longest = change, longest_value
        self.values: dict[str, str] = {}
        self.barrier = threading.Barrier(ranks)
        self.ends = [socket.socketpair() for _ in range(ranks)]
        self.threads = [threading.Thread(target=self.serve, args=(ours,), daemon=True) for ours, _ in self.ends]
        for thread in self.threads:
            thread.start()

    def answer(self, line: str) -> str:
        words = dict(word.split("=", 1) for word in line.split())
        match words["cmd"]:
            case "init":
                return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"
            case "get_maxes":
                return f"cmd=maxes kvsname_max=256 keylen_max=64 vallen_max={self.longest}"
            case "get_my_kvsname":
                return "cmd=my_kvsname kvsname=kvs_1_0"
            case "put":
                assert len(words["value"]) < self.longest, "longer than the server said that it takes"
                self.values[words["key"]] = words["value"]
                return "cmd=put_result rc=0 msg=success"
            case "barrier_in":
                self.barrier.wait(PATIENCE)
                return "cmd=barrier_out"
            case "get":
                return f"cmd=get_result rc=0 msg=success value={self.values[words['key']]}"
            case _:
                return "cmd=finalize_ack"

    def serve(self, end: socket.socket) -> None:
        with contextlib.suppress(OSError), end, end.makefile("r") as lines:
            for line in lines:
                if (answer := self.change(self.answer(line))) is None:
                    end.shutdown(socket.SHUT_RDWR)
                    return
                end.sendall(f"{answer}\n".encode())

    def start(self, folder: Path, *arguments: object) -> list[subprocess.Popen[str]]:
        ranks = []
        for rank, (_, theirs) in enumerate(self.ends):
            variables = {"PMI_FD": str(theirs.fileno()), "PMI_RANK": str(rank), "PMI_SIZE": str(len(self.ends))}
            ranks.append(
                subprocess.Popen(
                    [measure_program(), *map(str, [*arguments, *QUICK]), "-o", str(folder / "x.h5")],
                    env=os.environ | variables,
                    pass_fds=[theirs.fileno()],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            theirs.close()
        return ranks


def test_ranks_join_through_any_pmi_1_server(tmp_path: Path) -> None:
    ranks = PmiServer(3).start(tmp_path)
    said = [rank.communicate(timeout=PATIENCE) for rank in ranks]
    assert [rank.returncode for rank in ranks] == [0, 0, 0], said
    assert_joined(read_plainly(tmp_path / "x.h5", out=said[0][0]), "pmi", 3)


BROKEN: dict[str, tuple[Change, str]] = {
    "it goes away": (lambda line: None if "barrier" in line else line, "closed the connection"),
    "it refuses": (lambda line: line.replace("rc=0", "rc=-1"), "refused 'cmd=init'"),
    "it answers something else": (lambda line: "HTTP/1.1 400 Bad Request", "refused"),
    "it forgets the value": (lambda line: line.split(" value=")[0], "lacks value"),
    "it changes what rank 0 said": (lambda line: line.replace("value=.", "value=.zz"), "something other"),
    "it takes no long values": (lambda line: line.replace("vallen_max=64", "vallen_max=many"), "vallen_max"),
    "it never ends a line": (lambda line: "x" * 200_000, "does not answer"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_pmi_server_is_named(what: str, tmp_path: Path) -> None:
    change, word = BROKEN[what]
    ranks = PmiServer(2, change).start(tmp_path)
    said = [rank.communicate(timeout=PATIENCE) for rank in ranks]
    assert all(rank.returncode in (1, 2) for rank in ranks), said
    assert word in said[0][1], said
    assert not (tmp_path / "x.h5").exists()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"PMI_FD": "77", "PMI_RANK": "0", "PMI_SIZE": "2"}, ["PMI_FD=77", "mpiexec"]),
        ({"PMI_FD": "x", "PMI_RANK": "0", "PMI_SIZE": "2"}, ["PMI_FD"]),
        ({"PMI_FD": "1", "PMI_RANK": "0"}, ["PMI_SIZE", "not set"]),
    ],
)
def test_wrong_pmi_variables_are_named(run: Run, variables: dict[str, str], words: list[str]) -> None:
    done = run(*QUICK, "--no-output", environment=variables)
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert all(word in done.stderr for word in words), done.stderr


def test_a_rank_number_beyond_the_size_is_reported_by_that_rank(run: Run) -> None:
    done = run(*QUICK, "--no-output", environment={"PMI_FD": "1", "PMI_RANK": "2", "PMI_SIZE": "2"})
    assert done.returncode == 1
    assert "PMI_RANK=2 is out of range: PMI_SIZE=2" in done.stderr


@pytest.mark.long("Slurm")
@pytest.mark.parametrize(
    ("srun", "how"),
    [
        (["--mpi=pmix"], "pmix"),
        (["--mpi=pmi2"], "pmi"),
        (["--mpi=none"], "slurm"),
        (["--mpi=none", "--resv-ports=0"], "slurm"),
    ],
    ids=["pmix", "pmi2", "none", "none-and-no-port-reserved"],
)
def test_srun_starts_ranks(slurm: Run, tmp_path: Path, srun: list[str], how: str) -> None:
    output = tmp_path / "x.h5"
    command = ["srun", "-N4", "-n8", *srun, measure_program(), "--mode", "tcp", *QUICK, "-o", output]
    key = {"EVERYLINK_KEY": "of this test"} if how == "slurm" else {}
    done = slurm(*command, **key)
    assert done.returncode == 0, done.stderr
    assert_joined(read_plainly(output, out=done.stdout), how, 8)
    assert "8 ranks on 4 hosts" in done.stdout
    # The exit code is rank 0's, and it prints the path it has written.
    dead = [str(word).replace("tcp", "sim:dead=1>2") for word in command]
    done = slurm(*dead, "--force", **key)
    assert done.returncode == 3, done.stderr
    assert read_plainly(output).attributes["complete"] == 1


@pytest.mark.long("Slurm")
def test_srun_without_a_key_explains_how_to_set_one(slurm: Run) -> None:
    done = slurm("srun", "-N4", "-n4", "--mpi=none", measure_program(), *QUICK, "--no-output")
    assert done.returncode == 2
    assert len([line for line in done.stderr.splitlines() if line.startswith("everylink-measure")]) == 1
    assert "EVERYLINK_KEY" in done.stderr
