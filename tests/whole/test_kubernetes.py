"""The start of integrations/kubernetes by its own variables and commands, with a pod on each of three hosts."""

import secrets
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from netns import Bed, a_bed, skip_unless_possible
from pods import Cluster

from conftest import read_plainly

FOLDER = Path(__file__).parents[2] / "integrations/kubernetes"
ABSENT = 4


def kind(file: str, name: str) -> Any:
    (found,) = (one for one in yaml.safe_load_all((FOLDER / file).read_text()) if one["kind"] == name)
    return found


@pytest.fixture
def bed() -> Iterator[Bed]:
    skip_unless_possible()
    yield from a_bed(3)


@pytest.fixture
def cluster(bed: Bed, tmp_path: Path) -> Iterator[Cluster]:
    """The cluster for job.yaml."""
    job = kind("job.yaml", "Job")
    service = kind("job.yaml", "Service")["metadata"]["name"]
    made = Cluster(bed, tmp_path, job["spec"], service, job["metadata"]["name"], secrets.token_hex(32))
    yield made
    made.stop()


def test_pods_of_a_job_measure_every_link_also_where_rank_0_comes_last(cluster: Cluster) -> None:
    for index in (2, 1):
        cluster.start(index)
    time.sleep(2)  # they wait for the name of rank 0
    assert all(pod.poll() is None for pod in cluster.started.values())
    cluster.start(0)
    ended = cluster.ended()
    assert [code for code, _ in ended.values()] == [0, 0, 0], ended
    assert "'everylink-0.everylink:7000'" in ended[1][1]
    assert "waiting up to 300 s for that name" in ended[1][1]
    assert cluster.key not in "".join(log for _, log in ended.values())
    result = read_plainly(cluster.results / "everylink.h5")
    assert result.ranks["host"].tolist() == [b"node-0", b"node-1", b"node-2"]
    assert sorted(result.sizes) == [8, 65536, 1048576]
    for table in result.sizes.values():
        assert sorted(table.main().links()) == [(a, b) for a in range(3) for b in range(3) if a != b]
        assert set(table["outcome"].tolist()) == {0}


@pytest.mark.long("a start")
def test_a_pod_starts_several_ranks(cluster: Cluster) -> None:
    cluster.container["args"] += ["--bootstrap=tcp", "--np=2"]
    for index in (2, 1, 0):
        cluster.start(index)
    ended = cluster.ended()
    assert [code for code, _ in ended.values()] == [0, 0, 0], ended
    result = read_plainly(cluster.results / "everylink.h5")
    assert result.ranks["host"].tolist() == [f"node-{host}".encode() for host in (0, 0, 1, 1, 2, 2)]
    assert sorted(result.sizes[8].main().links()) == [(a, b) for a in range(6) for b in range(6) if a != b]


@pytest.mark.long("waits for a pod that does not come")
def test_links_of_a_pod_that_never_comes_are_absent(cluster: Cluster) -> None:
    cluster.start(0, join_limit="3")
    cluster.start(1, join_limit="3")
    ended = cluster.ended()
    assert [code for code, _ in ended.values()] == [3, 3], ended
    assert "rank 2 did not join; its links are recorded as absent" in ended[0][1]
    result = read_plainly(cluster.results / "everylink.h5")
    links = result.sizes[8].main()
    of_rank = (links["from"] == 2) | (links["to"] == 2)
    assert set(links["outcome"][of_rank].tolist()) == {ABSENT}
    assert set(links["outcome"][~of_rank].tolist()) == {0}


@pytest.mark.long("waits for a pod that does not come")
def test_without_rank_0_the_others_end_and_say_whom_they_miss(cluster: Cluster) -> None:
    cluster.start(1, join_limit="1")
    code, log = cluster.ended()[1]
    assert code == 2
    assert "EVERYLINK_RENDEZVOUS: 'everylink-0.everylink:7000'" in log.splitlines()[-1]


@pytest.mark.long("a start")
def test_a_pod_that_is_ended_while_it_waits_ends_at_once(cluster: Cluster) -> None:
    cluster.start(1)
    time.sleep(2)
    cluster.signal(1, signal.SIGTERM)
    code, log = cluster.ended()[1]
    assert code == 1
    assert log.endswith("interrupted before this rank had joined\n")


@pytest.mark.long("a start")
def test_pods_of_a_jobset_measure_every_link(bed: Bed, tmp_path: Path) -> None:
    jobset = kind("jobset.yaml", "JobSet")
    (nodes,) = jobset["spec"]["replicatedJobs"]
    name = f"{jobset['metadata']['name']}-{nodes['name']}-0"
    service = jobset["spec"]["network"]["subdomain"]
    cluster = Cluster(bed, tmp_path, nodes["template"]["spec"], service, name, secrets.token_hex(32))
    try:
        for index in range(3):
            cluster.start(index)
        ended = cluster.ended()
    finally:
        cluster.stop()
    assert [code for code, _ in ended.values()] == [0, 0, 0], ended
    assert read_plainly(cluster.results / "everylink.h5").attributes["complete"] == 1
