"""Mode ucp in memory of GPUs: a UCX that knows CUDA, of PyPI's libucx-cu12, over stand-ins for NVIDIA's libraries.

UCX cannot place its hooks in the stand-in, whose functions begin with other instructions than it knows; so it asks the
driver what each buffer is.
"""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from netns_runs import skip_unless_usable

from conftest import Measure, Outcome, Run, measure_program

UCX = Path(sysconfig.get_path("purelib")) / "libucx" / "lib"
STAND_INS = Path(measure_program()).parent.parent / "tests" / "core"
LIBRARIES = os.pathsep.join(map(str, (UCX, STAND_INS / "cuda", STAND_INS / "nvml")))
STAGED = ["ucp:tls=tcp+cuda_copy", "ucp:tls=sm+cuda_copy"]
OverUcx = Callable[..., Outcome]

pytestmark = pytest.mark.skipif(not UCX.exists(), reason="no UCX with CUDA here (PyPI: libucx-cu12)")


@pytest.fixture
def over_ucx(measure: Measure) -> OverUcx:
    """Measure with UCX in memory of GPUs; their driver may have a fault."""
    skip_unless_usable("ucp")

    def call(
        *words: str | int, mode: str = "ucp", memory: str = "cuda", fault: str = "", code: int = 0, limit: int = 20
    ) -> Outcome:
        environment = {"LD_LIBRARY_PATH": LIBRARIES, "CUDA_STAND_IN": fault}
        options = ["--np", 2, "--mode", mode, "--memory", memory, "-n", 6, "-s", "1,64KiB,1MiB", "--time-limit", limit]
        return measure(*options, *words, environment=environment, expect=code)

    return call


def outcomes(done: Outcome) -> set[int]:
    return {int(one) for size in done.sizes.values() for one in size.main()["outcome"]}


@pytest.mark.parametrize("kernel", ["--semidirectional", "--bidirectional", "--put", "--get"])
@pytest.mark.one_in(4)
def test_ucx_moves_memory_of_gpus(over_ucx: OverUcx, kernel: str) -> None:
    done = over_ucx(kernel, "--check")
    assert outcomes(done) == {0}
    assert all(text.startswith(b"UCX 1.22") for text in done.ranks["libraries"])
    # Where a GPU cannot reach the other, UCX stages what it meant to send by cuda_ipc, and does not say so.
    assert all(b"cuda_ipc" in text for text in done.ranks["lanes"])
    assert set(done.ranks["gpu_path"].tolist()) == {b""}


@pytest.mark.parametrize("kernel", ["--semidirectional", "--put", "--get"])
@pytest.mark.parametrize("mode", STAGED)
@pytest.mark.long
def test_over_sockets_and_shared_memory_alone_ucx_stages(over_ucx: OverUcx, mode: str, kernel: str) -> None:
    done = over_ucx(kernel, "--check", mode=mode)
    assert outcomes(done) == {0}
    assert set(done.ranks["gpu_path"].tolist()) == {b"staged"}


@pytest.mark.long
def test_show_says_what_ucx_staged(over_ucx: OverUcx, tmp_path: Path) -> None:
    over_ucx(mode=STAGED[0])
    show = [sys.executable, "-m", "everylink", "show", str(tmp_path / "x.h5")]
    text = subprocess.run(show, capture_output=True, text=True, check=False).stdout
    assert "copied through memory of the host, or direct: staged: 2 ranks" in text


@pytest.mark.parametrize("memory", ["cuda-managed", "cuda-pinned"])
@pytest.mark.one_in(2)
def test_ucx_moves_memory_that_processor_and_gpu_see(over_ucx: OverUcx, memory: str) -> None:
    assert outcomes(over_ucx("--check", memory=memory)) == {0}


@pytest.mark.long
def test_ucx_moves_memory_between_ranks_of_one_gpu(over_ucx: OverUcx) -> None:
    done = over_ucx("--gpus", "1", "--check")
    assert (outcomes(done), done.ranks["gpu"].tolist()) == ({0}, [1, 1])


@pytest.mark.long
def test_ucx_stages_where_no_gpu_reaches_another(over_ucx: OverUcx) -> None:
    assert outcomes(over_ucx("--check", fault="no-peer")) == {0}


CORRUPT = 3


@pytest.mark.parametrize("fault", ["zeros", "swapped"])
@pytest.mark.long
def test_contents_that_a_gpu_damages_under_ucx_are_found_without_check(over_ucx: OverUcx, fault: str) -> None:
    done = over_ucx(mode=STAGED[0], fault=fault, code=3, limit=2)  # the other rank waits as long
    assert CORRUPT in done.sizes[65536].main()["outcome"]


def test_ucx_that_may_not_use_its_part_for_cuda_is_refused_in_one_sentence(run: Run) -> None:
    skip_unless_usable("ucp")
    words = ["--np", 2, "--no-output", "--mode", "ucp:tls=tcp", "--memory", "cuda"]
    done = run(*words, environment={"LD_LIBRARY_PATH": LIBRARIES})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "tls= and UCX_TLS leave cuda_copy out" in done.stderr
