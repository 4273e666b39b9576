"""A run beside processes that are not of it: they cost it little, and it obeys none of them."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from started_by_hand import WORDS, ended, silent_strangers, start, wait_for_listener

from conftest import free_port, measure_program, read_plainly

STRANGERS = 5000


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = STRANGERS + 200
    if before[1] != resource.RLIM_INFINITY and before[1] < wanted:
        pytest.skip(f"this user may have at most {before[1]} open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(wanted, before[0]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.usefixtures("many_descriptors")
def test_ranks_join_beside_thousands_of_strangers_that_say_nothing(tmp_path: Path) -> None:
    port = free_port()
    rank_0 = start(0, port, tmp_path)
    wait_for_listener(port, rank_0)
    with silent_strangers(port, STRANGERS):
        others = [start(rank, port, tmp_path) for rank in (1, 2)]
        code, said = ended(rank_0)
        assert [ended(one) for one in others] == [(0, ""), (0, "")]
    assert code == 0, said
    assert said == "everylink-measure: refused a caller from 127.0.0.1: it sent nothing while others called\n"
    assert set(read_plainly(tmp_path / "x.h5").only["outcome"]) == {0}


NOBODY = 65534


def must_be_possible_for_nobody() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can start processes of another user")
    try:
        subprocess.run(
            [measure_program(), "--version"], user=NOBODY, group=NOBODY, cwd="/", check=True, stdout=subprocess.DEVNULL
        )
    except OSError:
        pytest.skip(f"another user may not run {measure_program()}")


ONE_USER = "without EVERYLINK_KEY or EVERYLINK_KEY_FILE, all ranks must belong to the same user"


@pytest.mark.parametrize("keyed", [False, True])
def test_rank_0_of_another_user_is_obeyed_with_a_key_alone(
    keyed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever listens first at the rendezvous is rank 0, also another user of this machine."""
    must_be_possible_for_nobody()
    port = free_port()
    if keyed:
        monkeypatch.setenv("EVERYLINK_KEY", "one that both have")
    rank_0 = start(0, port, Path("/"), 2, user=NOBODY, group=NOBODY, words=[*WORDS[:-2], "--no-output"])
    wait_for_listener(port, rank_0)
    code, said = ended(start(1, port, tmp_path, 2))
    if not keyed:
        rank_0.kill()
    rank_0_code, rank_0_said = ended(rank_0)
    if keyed:
        assert (code, rank_0_code) == (0, 0), said + rank_0_said
        return
    assert code == 1
    assert said.endswith(f"{ONE_USER}\n")
    assert "refused a caller from 127.0.0.1: it belongs to another user of this machine, and this run has no key" in (
        rank_0_said
    )


# It proves that it has the key, which is none, as rank 0 would.
IMPOSTOR = """
import hashlib, hmac, os, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    caller, _ = listener.accept()
    greeting = caller.recv(65536)
    said = greeting[:8] + os.urandom(32)
    caller.sendall(said + hmac.digest(b"", b"acceptor" + greeting + said, hashlib.sha256))
    caller.recv(65536)
"""


@pytest.mark.parametrize("other", [False, True])
def test_a_rank_leaves_a_process_of_another_user_that_speaks_as_rank_0(other: bool, tmp_path: Path) -> None:
    must_be_possible_for_nobody()
    port = free_port()
    words = [*(["setpriv", "--reuid", str(NOBODY), "--clear-groups"] if other else []), sys.executable, "-c", IMPOSTOR]
    impostor = subprocess.Popen([*words, str(port)], cwd="/", text=True, stderr=subprocess.PIPE)
    try:
        wait_for_listener(port, impostor)
        rank_1 = start(1, port, tmp_path, 2)
        if not other:  # it is believed, and waited for
            with pytest.raises(subprocess.TimeoutExpired):
                rank_1.wait(3)
            rank_1.kill()
        code, said = ended(rank_1)
    finally:
        impostor.kill()
        ended(impostor)
    assert other == (code == 1)
    if other:
        assert "the process there belongs to another user of this machine, and this run has no key" in said
        assert said.endswith(f"{ONE_USER}\n")
