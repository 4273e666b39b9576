"""Runs in memory of GPUs, which a stand-in for NVIDIA's driver has: tests/core/cuda_stand_in.cpp."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import PATIENCE, Measure, Outcome, free_port, measure_program, read_plainly
from everylink.io.read import read
from everylink.model.results import Results

STAND_IN = Path(measure_program()).parent.parent / "tests" / "core" / "cuda"
ROOT = Path(__file__).parents[2]
OTHER_PROCESS_IDS = ["unshare", "--pid", "--fork", "--kill-child"]  # so that handles of CUDA IPC are not valid
NOT_PERMITTED = "CUDA_ERROR_NOT_PERMITTED, operation not permitted"
NOT_MEASURED = 4  # the exit code of a run with links that could not be measured
OnGpus = Callable[..., Outcome]


@pytest.fixture
def on_gpus(measure: Measure) -> OnGpus:
    """Measure in memory of GPUs, of which the driver has a fault."""

    def call(*words: str | int, code: int = 0, fault: str = "", memory: str = "cuda") -> Outcome:
        environment = {"LD_LIBRARY_PATH": str(STAND_IN), "CUDA_STAND_IN": fault}
        options = ["--memory", memory, "-n", 6, "-s", "8,70000", "--time-limit", 10]
        return measure(*options, *words, environment=environment, expect=code)

    return call


def outcomes(done: Outcome) -> set[int]:
    return {int(one) for size in done.sizes.values() for one in size.main()["outcome"]}


@pytest.mark.quick
def test_messages_between_gpus_are_measured_and_the_gpus_are_in_the_file(on_gpus: OnGpus) -> None:
    done = on_gpus("--np", 4, "--mode", "cuda")
    assert outcomes(done) == {0}
    assert done.attributes["memory"] == "cuda"
    assert done.ranks["gpu"].tolist() == [0, 1, 0, 1]
    assert set(done.ranks["gpu_name"].tolist()) == {b"NVIDIA H100 80GB HBM3"}
    assert done.ranks["gpu_pci"].tolist()[:2] == [b"0000:18:00.0", b"0000:19:00.0"]
    assert set(done.ranks["gpu_path"].tolist()) == {b"direct"}


@pytest.mark.parametrize("kernel", ["--bidirectional", "--unidirectional", "--put", "--get", "--check"])
@pytest.mark.one_in(3)
def test_every_kernel_runs_between_gpus(on_gpus: OnGpus, kernel: str) -> None:
    assert outcomes(on_gpus("--np", 2, "--mode", "cuda:copy=sm", kernel)) == {0}


def test_over_sockets_messages_are_staged(on_gpus: OnGpus, tmp_path: Path) -> None:
    done = on_gpus("--np", 2, "--mode", "tcp", "--check")
    assert outcomes(done) == {0}
    assert set(done.ranks["gpu_path"].tolist()) == {b"staged"}
    show = [sys.executable, "-m", "everylink", "show", str(tmp_path / "x.h5")]
    text = subprocess.run(show, capture_output=True, text=True, check=False).stdout
    assert "messages in memory of GPUs: NVIDIA H100 80GB HBM3: 2 ranks" in text
    assert "copied through memory of the host, or direct: staged: 2 ranks" in text
    assert re.search(r":gpu[01] -> \S+:gpu[01]", text)


@pytest.mark.parametrize("kernel", ["--put", "--get"])
@pytest.mark.one_in(2)
def test_puts_and_gets_over_sockets_reach_memory_of_gpus(on_gpus: OnGpus, kernel: str) -> None:
    assert outcomes(on_gpus("--np", 2, "--mode", "tcp:sockets=3", kernel, "--check")) == {0}


@pytest.mark.parametrize("memory", ["cuda-managed", "cuda-pinned"])
def test_memory_that_processor_and_gpu_see_is_measured(on_gpus: OnGpus, memory: str) -> None:
    assert outcomes(on_gpus("--np", 2, "--mode", "tcp", memory=memory)) == {0}


def test_a_simulated_network_moves_memory_of_gpus(on_gpus: OnGpus) -> None:
    assert outcomes(on_gpus("--np", 3, "--mode", "sim:hosts=3")) == {0}


def test_ranks_take_the_gpus_that_are_named(on_gpus: OnGpus) -> None:
    assert on_gpus("--np", 2, "--mode", "cuda", "--gpus", "1").ranks["gpu"].tolist() == [1, 1]


OK, CORRUPT, LOCAL, PING = 0, 3, 6, 1


@pytest.mark.parametrize("fault", ["zeros", "swapped"])
@pytest.mark.parametrize("mode", ["cuda", "tcp"])
@pytest.mark.one_in(3)
def test_contents_that_a_gpu_damages_are_found_without_check(on_gpus: OnGpus, mode: str, fault: str) -> None:
    done = on_gpus("--np", 2, "--mode", mode, fault=fault, code=3)
    assert {int(one) for one in done.sizes[70000].main()["outcome"]} == {CORRUPT}


@pytest.mark.parametrize(
    ("fault", "code", "said"),
    [
        ("no-driver", 2, "--mode cuda: no usable NVIDIA GPU here (cuInit: CUDA_ERROR_NO_DEVICE"),
        ("out-of-memory", 1, "no link can be measured: GPU 0 has not enough free memory on host"),
        ("no-peer", 4, "GPU 0 cannot access the memory of the peer's GPU: CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
        ("error:200@1", 4, "GPU 1: cu"),
        ("hang:300@1", 4, "GPU 1: writing 4 bytes has not ended after 10 s"),
    ],
)
def test_a_fault_of_a_gpu_is_named_and_no_fault_of_a_link(fault: str, code: int, said: str, tmp_path: Path) -> None:
    words = ["--np", "2", "--mode", "cuda", "-n", "6", "-s", "8,70000", "--time-limit", "2", "--force"]
    command = [measure_program(), *words, "-o", str(tmp_path / "x.h5")]
    environment = os.environ | {"LD_LIBRARY_PATH": str(STAND_IN), "CUDA_STAND_IN": fault}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    assert said in done.stdout + done.stderr
    assert done.returncode == code
    assert "timed out" not in done.stdout


@dataclass(frozen=True)
class TwoHosts:
    """Two ranks that pretend to be of two hosts, where the driver has fabric handles that are valid in a domain."""

    folder: Path

    names: tuple[str, str] = ("host0", "host1")

    def start(self, rank: int, port: int, words: tuple[str, ...], domain: str, nvml: str, fault: str) -> Any:
        environment = {
            "LD_LIBRARY_PATH": f"{STAND_IN}:{STAND_IN.parent / 'nvml'}" if nvml else str(STAND_IN),
            "CUDA_STAND_IN": fault,
            "CUDA_STAND_IN_FABRIC": domain,
            "EVERYLINK_RANK": str(rank),
            "EVERYLINK_SIZE": "2",
            "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{port}",
        } | ({"NVML_STAND_IN_DOMAIN": nvml} if nvml else {})
        options = ["--mode", "cuda", "-n", "6", "-s", "8,70000", "--node-name", self.names[rank]]
        return subprocess.Popen(
            [*OTHER_PROCESS_IDS, measure_program(), *options, *words, "-o", "x.h5", "--force"],
            cwd=self.folder,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def measure(
        self,
        *words: str,
        domains: tuple[str, str] = ("rack", "rack"),
        nvml: tuple[str, str] = ("", ""),
        fault: str = "",
        code: int = 0,
    ) -> Outcome:
        port = free_port()
        ranks = [self.start(rank, port, words, domains[rank], nvml[rank], fault) for rank in range(2)]
        said = [rank.communicate(timeout=PATIENCE)[0] for rank in ranks]
        assert [rank.returncode for rank in ranks] == [code, code], said
        return read_plainly(self.folder / "x.h5", code, said[0], said[1])


@pytest.fixture
def two_hosts(possible: None, tmp_path: Path) -> TwoHosts:
    return TwoHosts(tmp_path)


@pytest.mark.quick
@pytest.mark.parametrize("nvml", ["", "rack"])
def test_gpus_of_two_hosts_in_one_nvlink_domain_are_joined(two_hosts: TwoHosts, nvml: str) -> None:
    done = two_hosts.measure(nvml=(nvml, nvml))
    assert outcomes(done) == {0}
    assert done.ranks["host"].tolist() == [b"host0", b"host1"]
    assert done.ranks["lanes"].tolist() == [b"fabric handles"] * 2
    assert done.ranks["gpu_path"].tolist() == [b"direct"] * 2


@pytest.mark.parametrize("kernel", ["--bidirectional", "--unidirectional", "--put", "--get"])
@pytest.mark.one_in(3)
def test_every_kernel_runs_between_gpus_of_two_hosts(two_hosts: TwoHosts, kernel: str) -> None:
    done = two_hosts.measure(kernel, "--check", "--mode", "cuda:copy=sm")
    assert outcomes(done) == {0}
    assert done.ranks["lanes"].tolist() == [b"copy=sm, fabric handles"] * 2


def test_on_one_host_nobody_asks_for_fabric_handles(measure: Measure) -> None:
    environment = {
        "LD_LIBRARY_PATH": str(STAND_IN),
        "CUDA_STAND_IN_FABRIC": "rack",
        "CUDA_STAND_IN": "refused:cuMemCreate",
    }
    done = measure("--np", 2, "--mode", "cuda", "-s", 8, environment=environment)
    assert (outcomes(done), done.ranks["lanes"].tolist()) == ({0}, [b"", b""])


CANNOT_JOIN = "mode cuda joins GPUs of two hosts, or of containers that do not share process ids,"
WOULD_WORK = "(mode mpi or ucp with --memory cuda would work) on hosts host0, host1 (ranks 0, 1)"
NO_CHANNEL = "; fabric handles take hosts of one NVLink domain that run nvidia-imex and share a channel in"


@pytest.mark.parametrize(
    ("domains", "nvml", "fault", "said"),
    [
        (("a", "b"), ("", ""), "", f"GPU 0: cuMemImportFromShareableHandle: {NOT_PERMITTED}{NO_CHANNEL}"),
        (("a", "a"), ("x", "y"), "", f"{CANNOT_JOIN} in one NVLink domain only; these are in 78{'0' * 30}/7 and 79"),
        (("a", "a"), ("none", "none"), "", f"{CANNOT_JOIN} in one NVLink domain only; these are in none and none"),
        (("", ""), ("", ""), "", f"{CANNOT_JOIN} by fabric handles only: memory of GPU 0 cannot have fabric handles"),
        (("a", "a"), ("", ""), "no-peer", "GPU 0: cuMemSetAccess: CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
        *(
            (
                ("a", "a"),
                ("", ""),
                f"refused:{call}",
                f"{CANNOT_JOIN} by fabric handles only: GPU 0: {call}: {NOT_PERMITTED}",
            )
            for call in (
                "cuMemGetAllocationGranularity",
                "cuMemCreate",
                "cuMemExportToShareableHandle",
                "cuMemAddressReserve",
                "cuMemMap",
                "cuMemSetAccess",
            )
        ),
    ],
)
@pytest.mark.one_in(3)
def test_gpus_of_two_hosts_that_cannot_be_joined_are_refused_in_one_sentence(
    two_hosts: TwoHosts, domains: tuple[str, str], nvml: tuple[str, str], fault: str, said: str
) -> None:
    done = two_hosts.measure(domains=domains, nvml=nvml, fault=fault, code=NOT_MEASURED)
    (sentence,) = [line for line in done.out.splitlines() if "could not be measured" in line]
    assert sentence.startswith(f"2 of 2 links could not be measured: {said}")
    assert sentence.endswith(WOULD_WORK)
    assert outcomes(done) == {6}


def test_containers_of_one_name_are_told_to_have_names_of_their_own(possible: None, tmp_path: Path) -> None:
    done = TwoHosts(tmp_path, ("one", "one")).measure(code=NOT_MEASURED)
    assert f"{CANNOT_JOIN} by fabric handles only: it asks for them only if the containers have names" in done.out


def test_the_host_that_has_no_fabric_handles_is_named(two_hosts: TwoHosts) -> None:
    done = two_hosts.measure(domains=("rack", ""), code=NOT_MEASURED)
    assert "memory of GPU 0 cannot have fabric handles" in done.out
    assert "on host host1 (rank 1)" in done.out


@pytest.mark.parametrize("call", ["cuMemUnmap", "cuMemAddressFree", "cuMemRelease"])
@pytest.mark.one_in(2)
def test_memory_that_cannot_be_given_back_harms_no_link(two_hosts: TwoHosts, call: str) -> None:
    assert outcomes(two_hosts.measure(fault=f"refused:{call}")) == {0}


# Of each pattern, few messages and a size that no GPU's fault spares.
PATTERNS = {
    "shift": ["shift", "-s", 70000, "--duration", "10ms"],
    "incast": ["incast", "--root", 1, "-s", "8,70000", "--duration", "10ms"],
    "client-server": ["client-server", "-s", "8,70000", "--niters", 20, "--nflight", "1,8"],
    "victim": ["victim", "-s", 70000, "--ping-size", 4096, "--repeats", 1, "--duration", "10ms"],
}
Play = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Run a load pattern on four ranks in memory of GPUs, of which the driver has a fault."""

    def call(pattern: str, *words: str, fault: str = "", memory: str = "cuda") -> subprocess.CompletedProcess[str]:
        options = [*PATTERNS[pattern], "--np", 4, "--memory", memory, "--time-limit", 10, "-o", tmp_path / "x.h5"]
        command = [measure_program(), *map(str, options), *words]
        environment = os.environ | {"LD_LIBRARY_PATH": str(STAND_IN), "CUDA_STAND_IN": fault}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE)

    return call


def played(done: subprocess.CompletedProcess[str], folder: Path, code: int = 0) -> Results:
    assert done.returncode == code, done.stdout + done.stderr
    return read(folder / "x.h5")


@pytest.mark.parametrize("mode", ["tcp", "sim", "cuda"])
@pytest.mark.parametrize(
    "pattern",
    ["shift", "victim", *(pytest.param(name, marks=pytest.mark.long) for name in ("incast", "client-server"))],
)
@pytest.mark.one_in(6)
def test_load_patterns_run_in_memory_of_gpus(play: Play, pattern: str, mode: str, tmp_path: Path) -> None:
    results = played(play(pattern, "--mode", mode), tmp_path)
    (load,) = results.loads
    assert load.flows.ok.all()
    assert (load.flows.messages > 0).all()
    assert results.facts.memory == "cuda"
    assert results.ranks.gpu.tolist() == ([0] * 4 if mode == "sim" else [0, 1, 0, 1])  # hosts of one rank each
    assert set(results.ranks.gpu_name) == {"NVIDIA H100 80GB HBM3"}
    assert set(results.ranks.gpu_path) == {{"tcp": "staged", "cuda": "direct", "sim": ""}[mode]}
    show = [sys.executable, "-m", "everylink", "show", str(tmp_path / "x.h5")]
    text = subprocess.run(show, capture_output=True, text=True, check=False).stdout
    assert "messages in memory of GPUs: NVIDIA H100 80GB HBM3: 4 ranks" in text


@pytest.mark.parametrize("memory", ["cuda-managed", "cuda-pinned"])
@pytest.mark.parametrize("pattern", ["shift", "client-server"])
@pytest.mark.one_in(2)
def test_load_patterns_run_in_memory_that_processor_and_gpu_see(
    play: Play, pattern: str, memory: str, tmp_path: Path
) -> None:
    (load,) = played(play(pattern, "--mode", "tcp", memory=memory), tmp_path).loads
    assert load.flows.ok.all()


def test_requests_are_verified_between_gpus_on_request(play: Play, tmp_path: Path) -> None:
    (load,) = played(play("client-server", "--mode", "cuda:copy=sm", "--check"), tmp_path).loads
    assert load.flows.ok.all()


@pytest.mark.long
@pytest.mark.parametrize("fault", ["zeros", "swapped"])
@pytest.mark.parametrize("mode", ["cuda", "tcp"])
@pytest.mark.parametrize("pattern", list(PATTERNS))
def test_what_a_gpu_damages_is_found_in_the_flows_that_it_takes_part_in(
    play: Play, pattern: str, mode: str, fault: str, tmp_path: Path
) -> None:
    done = play(pattern, "--mode", mode, fault=f"{fault}@1")
    (load,) = played(done, tmp_path, code=3).loads
    bytes_of = load.scenes.bytes[load.flows.scene]
    into = np.isin(load.flows.to, (1, 3))  # copies into memory of GPU 1
    if pattern == "victim":  # its messages go both ways
        into |= (load.flows.kind == PING) & np.isin(load.flows.frm, (1, 3))
    damaged = (bytes_of > 64) & into
    assert damaged.any()
    assert set(load.flows.outcome[damaged].tolist()) == {CORRUPT}
    assert load.flows.ok[~damaged].all()
    assert "delivered wrong bytes" in done.stdout


OUT_OF_MEMORY = ("out-of-memory@1", "could not be measured: GPU 1 has not enough free memory on host")
ERROR = ("error:400@1", "GPU 1: ")
HANG = ("hang:100@1", "has not ended after 10 s on host")


@pytest.mark.parametrize(
    ("pattern", "mode", "fault", "said"),
    [
        *[
            (pattern, mode, *fault)
            for pattern in ("shift", "incast", "client-server")
            for mode, fault in (("cuda", OUT_OF_MEMORY), ("cuda", ERROR), ("tcp", ERROR))
        ],
        ("client-server", "tcp", *HANG),
        ("shift", "cuda", *HANG),
    ],
)
@pytest.mark.long
def test_flows_of_a_gpu_that_fails_could_not_be_measured_and_the_others_are(
    play: Play, pattern: str, mode: str, fault: str, said: str, tmp_path: Path
) -> None:
    done = play(pattern, "--mode", mode, fault=fault)
    (load,) = played(done, tmp_path, code=4).loads
    at_1 = np.isin(load.flows.frm, (1, 3)) | np.isin(load.flows.to, (1, 3))
    assert set(load.flows.outcome[at_1].tolist()) <= {OK, LOCAL}
    assert LOCAL in load.flows.outcome[at_1]
    assert load.flows.ok[~at_1].all()
    assert said in done.stdout
    assert "flows FAILED" not in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--mode cuda", "--mode cuda: no NVIDIA driver here (libcuda.so.1 was not found)"),
        ("--mode nvlink", "--mode cuda: no NVIDIA driver here (libcuda.so.1 was not found)"),
        ("--memory cuda", "--memory cuda: no NVIDIA driver here (libcuda.so.1 was not found)"),
        ("--mode cuda --memory host", "mode cuda moves messages between memories of GPUs; use --memory cuda"),
        ("--gpus 0", "--gpus has no effect with --memory host; add --memory cuda"),
        ("--memory cuda --gpus 0,x", "--gpus: 'x' is not a whole number"),
    ],
)
def test_what_cannot_be_done_without_a_gpu_is_one_sentence(words: str, said: str) -> None:
    command = [measure_program(), "--np", "2", "--no-output", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_gpu_that_is_not_there_is_named_with_those_that_are() -> None:
    command = [measure_program(), "--np", "2", "--no-output", "--mode", "cuda", "--gpus", "5"]
    environment = os.environ | {"LD_LIBRARY_PATH": str(STAND_IN)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "there is no GPU 5 here; it has GPUs 0 to 1" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("mode", "said"), [("ucp", "cannot send memory of a GPU here"), ("ofi", "cannot register memory of a GPU here")]
)
def test_libraries_without_cuda_say_so(mode: str, said: str) -> None:
    command = [measure_program(), "--np", "2", "--no-output", "--mode", mode, "--memory", "cuda", "-s", "64"]
    environment = os.environ | {"LD_LIBRARY_PATH": str(STAND_IN)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if f"mode {mode}: not built" in done.stderr:
        pytest.skip(done.stderr)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def ptxas() -> str:
    """Of PyPI's nvidia-cuda-nvcc-cu12, or installed."""
    of_package = Path(sysconfig.get_path("purelib")) / "nvidia" / "cuda_nvcc" / "bin" / "ptxas"
    found = str(of_package) if of_package.exists() else shutil.which("ptxas")
    return found or pytest.skip("no ptxas here (PyPI: nvidia-cuda-nvcc-cu12)")


@pytest.mark.parametrize("architecture", ["sm_52", "sm_70", "sm_80", "sm_90", "sm_120"])
def test_the_device_functions_can_be_assembled(architecture: str, tmp_path: Path) -> None:
    text = ROOT / "core" / "memory" / "cuda" / "functions.ptx"
    words = [ptxas(), f"-arch={architecture}", str(text), "-o", str(tmp_path / "x.cubin")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long("2 minutes")
@pytest.mark.parametrize("mode", ["cuda", "tcp"])
def test_whichever_call_of_the_driver_fails_no_link_is_at_fault(mode: str, tmp_path: Path) -> None:
    """From some call on, all fail at one rank. The links of this rank could not be measured."""
    words = f"--np 2 --mode {mode} --memory cuda -n 3 -w 1 -s 8,70000 --time-limit 2 --force".split()
    command = [measure_program(), *words, "-o", str(tmp_path / "x.h5")]
    failed = 0
    for call in range(1, 400, 13):
        environment = os.environ | {"LD_LIBRARY_PATH": str(STAND_IN), "CUDA_STAND_IN": f"error:{call}@1"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        said = done.stdout + done.stderr
        assert done.returncode in (0, 1, 2, 4), (call, done.returncode, said)
        assert done.returncode == 0 or "CUDA_ERROR" in said, (call, said)
        failed += done.returncode != 0
    assert failed > 10
